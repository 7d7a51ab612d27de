//! A build that was served goes on being served, over restarts too, whatever became of the files; and answers name a
//! protocol that cannot be served, and never leave it out in silence.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;
use portolan_tests::{problem, wait};

const HOSTILE: &str = "libportolan_hostile.so";
const QUICKSWAP: &str = "libquickswap.so";
/// Their names.
const PLUGINS: [&str; 2] = ["portolan-hostile", "quickswap"];
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);

static CHAIN: Shared<Chain> = Shared::new();

/// A chain, and the setup of a gateway that reads it.
fn setup() -> (Arc<Chain>, Setup) {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let built = build::built().unwrap();
    let setup = Setup::default()
        .rpc("polygon", &chain.url)
        .plugin(&built.plugin(QUICKSWAP), &["quickswap"])
        .plugin(&built.plugin(HOSTILE), &["steady"]);
    (chain, setup)
}

fn both() -> [String; 2] {
    ["quickswap".to_owned(), "steady".to_owned()]
}

fn row(gateway: &Gateway, plugin: &str, state: &str) -> Result<Json> {
    let rows = gateway.plugins()?;
    let is_meant = |row: &&Json| {
        row.text_at("plugin").is_ok_and(|name| name == plugin) && row.text_at("state").is_ok_and(|own| own == state)
    };
    rows.iter().find(is_meant).cloned().with_context(|| format!("no row of {plugin} is {state}: {rows:?}"))
}

fn truncate(file: &Path) {
    let bytes = fs::metadata(file).unwrap().len();
    OpenOptions::new().write(true).open(file).unwrap().set_len(bytes / 2).unwrap();
}

/// The aggregate answer's status and what it says is missing on the network that has an endpoint.
fn aggregate(gateway: &Gateway) -> (u16, Option<String>) {
    let answer = gateway.aggregate(&format!("/{ACCOUNT}?include=steady,quickswap")).unwrap();
    let parts = answer.header("portolan-partial").unwrap_or_default().split(", ");
    let missing: Vec<&str> = parts.filter(|part| part.contains("/polygon;")).collect();
    (answer.status.as_u16(), (!missing.is_empty()).then(|| missing.join(", ")))
}

#[test]
fn a_restart_serves_what_was_served_where_a_build_is_truncated_and_settings_have_a_typo() {
    let (_chain, setup) = setup();
    let mut gateway = setup.start().unwrap();
    gateway.known_good_has(&PLUGINS).unwrap();
    let plugins = gateway.plugins_dir();
    gateway
        .kill_and_restart(&both(), |_| {
            truncate(&plugins.join(HOSTILE));
            Ok(fs::write(plugins.join("quickswap.toml"), "shiped = false\n")?)
        })
        .unwrap();
    assert_eq!(aggregate(&gateway), (200, None), "{}", gateway.log());
    let hostile = row(&gateway, "portolan-hostile", "active").unwrap();
    let reason = hostile.text_at("reason").unwrap();
    assert!(reason.starts_with(&format!("the last known good one: {HOSTILE}: ")), "{reason}");
    let quickswap = row(&gateway, "quickswap", "active").unwrap();
    let reason = quickswap.text_at("reason").unwrap();
    assert!(reason.starts_with("the last known good one: quickswap.toml: line 1, key `shiped`"), "{reason}");
    let log = gateway.log();
    let told = |plugin: &str| {
        let said = |line: &&str| line.contains("ERROR") && line.contains("the last known good build is served instead");
        log.lines().filter(said).any(|line| line.contains(plugin))
    };
    assert!(told("quickswap") && told("portolan-hostile"), "{log}");

    // Sound files take over again.
    fs::remove_file(plugins.join("quickswap.toml")).unwrap();
    let bytes = fs::read(build::built().unwrap().plugin(HOSTILE)).unwrap();
    gateway.drop_in(HOSTILE, &bytes).unwrap();
    for plugin in ["quickswap", "portolan-hostile"] {
        wait::until("a sound file", SOON, || {
            let row = row(&gateway, plugin, "active")?;
            ensure!(row.text_at("reason").is_err(), "{row}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
    }
}

#[test]
fn what_cannot_be_served_is_told_and_is_no_unknown_protocol() {
    let (_chain, setup) = setup();
    let mut gateway = setup.start().unwrap();
    gateway.known_good_has(&PLUGINS).unwrap();
    let plugins = gateway.plugins_dir();
    gateway
        .kill_and_restart(&both()[..1], |state| {
            truncate(&plugins.join(HOSTILE));
            // The copies are damaged too.
            for entry in fs::read_dir(state.join("staged"))? {
                truncate(&entry?.path());
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(aggregate(&gateway), (200, Some("steady/polygon;reason=rejected".to_owned())), "{}", gateway.log());
    let alone = gateway.aggregate(&format!("/{ACCOUNT}?include=steady")).unwrap();
    problem::detail(&alone, 503, "protocol-unavailable").unwrap();
    for question in ["claimables", "farming/positions"] {
        let path = match question {
            "claimables" => format!("/steady/{ACCOUNT}/claimables"),
            _ => format!("/steady/farming/{ACCOUNT}/positions"),
        };
        let detail = problem::detail(&gateway.get(&path).unwrap(), 503, "protocol-unavailable").unwrap();
        assert!(detail.starts_with(&format!("steady is rejected: {HOSTILE}: ")), "{detail}");
    }
    let unknown = gateway.get(&format!("/nobody/{ACCOUNT}/claimables")).unwrap();
    problem::detail(&unknown, 404, "unknown-protocol").unwrap();
    let ready = gateway.operate("/readyz").unwrap();
    assert_eq!(ready.status, 200, "{}", ready.body);
}

#[test]
fn a_plugin_that_is_refused_from_the_start_is_told_by_its_name() {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let quickswap = build::built().unwrap().plugin(QUICKSWAP);
    let gateway = Setup::default().rpc("polygon", &chain.url).plugin(&quickswap, &["quickswap"]).start().unwrap();
    gateway.drop_in("libnewcomer.so", b"no ELF file").unwrap();
    let partial = |query: &str| {
        let answer = gateway.aggregate(&format!("/{ACCOUNT}{query}"))?;
        ensure!(answer.status == 200, "{}", answer.body);
        Ok::<_, anyhow::Error>(answer.header("portolan-partial").unwrap_or_default().to_owned())
    };
    wait::until("the refusal", SOON, || {
        let partial = partial("")?;
        ensure!(partial.contains("newcomer/polygon;reason=rejected"), "{partial}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    assert!(!partial("?include=quickswap").unwrap().contains("newcomer"), "nobody asked for it");
    gateway.take_out("libnewcomer.so").unwrap();
    wait::until("its end", SOON, || {
        let partial = partial("")?;
        ensure!(!partial.contains("newcomer"), "{partial}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

#[test]
fn a_folder_that_is_emptied_all_at_once_keeps_serving_over_a_restart_and_alarms() {
    let (_chain, setup) = setup();
    let mut gateway = setup.start().unwrap();
    gateway.known_good_has(&PLUGINS).unwrap();
    let plugins = gateway.plugins_dir();
    for file in [HOSTILE, QUICKSWAP] {
        fs::remove_file(plugins.join(file)).unwrap();
    }
    wait::until("the alarm", SOON, || {
        let log = gateway.log();
        let alarm = log.lines().find(|line| line.contains("it is empty all at once"));
        ensure!(alarm.is_some_and(|line| line.contains("ERROR")), "{log}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    assert_eq!(aggregate(&gateway), (200, None));
    gateway.kill_and_restart(&both(), |_| Ok(())).unwrap();
    assert_eq!(aggregate(&gateway), (200, None), "{}", gateway.log());
}

#[test]
fn a_plugin_that_was_taken_away_while_nothing_ran_is_gone() {
    let (_chain, setup) = setup();
    let mut gateway = setup.start().unwrap();
    gateway.known_good_has(&PLUGINS).unwrap();
    let plugins = gateway.plugins_dir();
    gateway.kill_and_restart(&both()[..1], |_| Ok(fs::remove_file(plugins.join(HOSTILE))?)).unwrap();
    let unknown = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    problem::detail(&unknown, 404, "unknown-protocol").unwrap();
}

/// A program that starts the gateway as on a disk without room once the file beside it exists: no file grows.
fn host_on_a_full_disk(folder: &Path) -> std::path::PathBuf {
    let (program, full) = (folder.join("portolan"), folder.join("full"));
    let host = build::built().unwrap().host();
    let text = format!(
        "#!/bin/sh\nif [ -e '{}' ]; then trap '' XFSZ; ulimit -f 0; fi\nexec '{}' \"$@\"\n",
        full.display(),
        host.display()
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn a_full_disk_takes_nothing_away() {
    let folder = tempfile::tempdir().unwrap();
    let (_chain, setup) = setup();
    let mut gateway = setup.host(&host_on_a_full_disk(folder.path())).start().unwrap();
    gateway.known_good_has(&PLUGINS).unwrap();
    gateway.kill_and_restart(&both(), |_| Ok(fs::write(folder.path().join("full"), "")?)).unwrap();
    assert_eq!(aggregate(&gateway), (200, None), "{}", gateway.log());
}
