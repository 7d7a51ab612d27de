//! Plugins and settings that come, change, break and go while clients send requests: without one failed answer.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup, workers};
use portolan_tests::http;
use portolan_tests::json::Json;
use portolan_tests::wait;
use portolan_tests::world::{Shared, World};
use sha2::{Digest as _, Sha256};

const FILE: &str = "libportolan_hostile.so";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const CLIENTS: usize = 20;
const RELOADS: u32 = 50;
/// The number of rows that the plugin's `steady` protocol finds on each network.
const STEADY_ROWS: usize = 3;
/// Networks that `steady` is deployed on.
const STEADY_NETWORKS: usize = 3;

static CHAIN: Shared<Chain> = Shared::new();

/// A gateway on polygon without any plugin, and the tests' plugin.
fn bare() -> (std::sync::Arc<Chain>, Gateway, Dylib) {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let plugin = Dylib::read(&build::built().unwrap().plugin(FILE)).unwrap();
    let gateway = Setup::default().rpc("polygon", &chain.url).start().unwrap();
    (chain, gateway, plugin)
}

/// The one build that made every row of an answer, by label and by the rows' own words: `1.0.123`, `hello`.
fn one_build(answer: &Json, rows: usize) -> Result<(String, String)> {
    let items = answer.at("items").with_context(|| format!("{answer}"))?.items()?;
    ensure!(items.len() == rows, "{} rows instead of {rows}: {answer}", items.len());
    let mut builds = BTreeSet::new();
    for item in items {
        let label = item.text_at("plugin")?.strip_prefix("portolan-hostile@").context("another plugin")?;
        let (greeting, named) = item.text_at("name")?.split_once(" from build ").context("another name")?;
        ensure!(named == label, "a row of {named} in an answer of {label}");
        builds.insert((label.to_owned(), greeting.to_owned()));
    }
    ensure!(builds.len() == 1, "builds mix in one answer: {builds:?}");
    builds.pop_first().context("no rows")
}

fn in_force(what: &str, gateway: &Gateway, look: impl FnMut() -> Result<()>) {
    wait::until(what, IN_FORCE_WITHIN, look).unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
}

/// Checks that this version answers for `steady`, on polygon alone.
fn serves_build(gateway: &Gateway, version: &str) -> Result<()> {
    answers_as(gateway, version, STEADY_ROWS)
}

fn answers_as(gateway: &Gateway, version: &str, rows: usize) -> Result<()> {
    let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables?detail=full"))?.json()?;
    let (build, _) = one_build(&answer, rows)?;
    ensure!(build == version, "{build} answers");
    Ok(())
}

fn row_of(gateway: &Gateway, state: &str) -> Result<Json> {
    let plugins = gateway.plugins()?;
    let row = plugins.iter().find(|row| row.text_at("state").is_ok_and(|text| text == state));
    row.cloned().with_context(|| format!("none is {state}: {plugins:?}"))
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn fifty_reloads_under_twenty_clients_fail_no_answer_and_mix_none() {
    let world = World::start().unwrap();
    let plugin = Dylib::read(&build::built().unwrap().plugin(FILE)).unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let rows = STEADY_ROWS * STEADY_NETWORKS;
    gateway.drop_in(FILE, plugin.bytes()).unwrap();
    in_force("the first build", &gateway, || gateway.serves(&["steady".to_owned()]));

    let (over, answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    let fetch = || -> Result<BTreeSet<String>> {
        let mut seen = BTreeSet::new();
        while !over.load(Ordering::Relaxed) {
            let response = http::get(gateway.base, &format!("/claimables/{ACCOUNT}?include=steady&detail=full"))?;
            ensure!(response.status == 200, "{} {}", response.status, response.body);
            ensure!(response.header("portolan-partial").is_none(), "{:?} {}", response.headers, response.body);
            seen.insert(one_build(&response.json()?, rows)?.0);
            answers.fetch_add(1, Ordering::Relaxed);
        }
        Ok(seen)
    };
    let seen = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(fetch)).collect();
        let mut slowest = Duration::ZERO;
        let reloads: Result<()> = (1..=RELOADS).try_for_each(|reload| {
            let version = format!("1.0.{}", 100 + reload);
            gateway.drop_in(FILE, &plugin.as_build(100 + reload)?)?;
            let look = || answers_as(&gateway, &version, rows);
            slowest = slowest.max(wait::until(&version, IN_FORCE_WITHIN, look)?.1);
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        let seen: Result<Vec<BTreeSet<String>>> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        reloads.unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
        println!("{} answers, slowest reload {slowest:?}", answers.load(Ordering::Relaxed));
        seen.unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()))
    });
    // The clients did send requests all the way through.
    let seen: BTreeSet<String> = seen.into_iter().flatten().collect();
    assert!(u32::try_from(seen.len()).unwrap() > RELOADS / 2, "clients saw only {seen:?}");
    let row = row_of(&gateway, "active").unwrap();
    assert!(row.members().unwrap().iter().any(|(name, _)| name == "generation"));
}

/// Builds that are loaded and replaced.
const REPLACED: u32 = 60;
/// Builds whose size the memory may grow by: what the allocator and the caches take, but not what was replaced.
const KEPT_MAX: f64 = 10.0;

#[test]
fn builds_that_were_replaced_leave_no_memory_process_or_mapping_behind() {
    let (_chain, gateway, plugin) = bare();
    let replace = |from: u32, builds: u32| {
        for number in from..from + builds {
            gateway.drop_in(FILE, &plugin.as_build(number).unwrap()).unwrap();
            let version = format!("1.0.{number}");
            in_force(&version, &gateway, || serves_build(&gateway, &version));
        }
    };
    replace(100, 10);
    let before = gateway.memory_mib().unwrap();
    replace(200, REPLACED);
    let mib = f64::from(u32::try_from(plugin.bytes().len()).unwrap()) / f64::from(1 << 20);
    let grown = gateway.memory_mib().unwrap() - before;
    println!("{grown:.1} MiB more after {REPLACED} builds of {mib:.1} MiB; {before:.1} MiB before");
    assert!(grown < KEPT_MAX * mib, "{grown} MiB more after {REPLACED} builds of {mib} MiB");

    // A worker that was replaced ends once its calls have.
    let is_alone = || match workers(gateway.process())?.len() {
        0..=2 => Ok(()),
        many => anyhow::bail!("{many} workers"),
    };
    wait::until("the workers to end", IN_FORCE_WITHIN, is_alone).unwrap();
    let mapped = fs::read_to_string(format!("/proc/{}/maps", gateway.process())).unwrap();
    assert!(!mapped.contains("hostile"), "the gateway maps a plugin: {mapped}");
}

#[test]
fn a_dropped_plugin_is_served_and_a_removed_one_is_gone() {
    let (_chain, gateway, plugin) = bare();
    assert_eq!(gateway.get("/protocols").unwrap().body.trim(), "[]");
    assert_eq!(gateway.get(&format!("/claimables/{ACCOUNT}")).unwrap().body.trim(), "[]");

    gateway.drop_in(FILE, plugin.bytes()).unwrap();
    in_force("a dropped plugin", &gateway, || serves_build(&gateway, "1.0.100"));
    let row = row_of(&gateway, "active").unwrap();
    assert_eq!(row.text_at("plugin").unwrap(), "portolan-hostile");
    assert_eq!(row.text_at("version").unwrap(), "1.0.100");
    assert!(row.text_at("digest").unwrap().ends_with(&digest(plugin.bytes())), "{row}");
    assert!(row.text_at("file").unwrap().ends_with(FILE), "{row}");

    let second = plugin.as_build(200).unwrap();
    gateway.drop_in(FILE, &second).unwrap();
    in_force("a replaced plugin", &gateway, || serves_build(&gateway, "1.0.200"));
    let replaced = row_of(&gateway, "active").unwrap();
    assert!(replaced.text_at("digest").unwrap().ends_with(&digest(&second)), "{replaced}");
    assert!(replaced.number_at("generation").unwrap() > row.number_at("generation").unwrap(), "{replaced}");

    gateway.take_out(FILE).unwrap();
    in_force("a removed plugin", &gateway, || {
        let response = gateway.get(&format!("/steady/{ACCOUNT}/claimables"))?;
        ensure!(response.status == 404, "{}", response.status);
        Ok(())
    });
    assert_eq!(gateway.get("/protocols").unwrap().body.trim(), "[]");

    gateway.drop_in(FILE, &second).unwrap();
    in_force("a plugin that came back", &gateway, || serves_build(&gateway, "1.0.200"));
}

#[test]
fn a_file_that_cannot_be_loaded_leaves_the_running_plugin_in_force() {
    let (_chain, gateway, plugin) = bare();
    gateway.drop_in(FILE, plugin.bytes()).unwrap();
    in_force("the good build", &gateway, || serves_build(&gateway, "1.0.100"));
    let bytes = plugin.bytes();
    let mut foreign = bytes.to_vec();
    foreign[18] = 0xf3; // e_machine: RISC-V.
    let newer_interface = plugin
        .exchanged("\"apiRev\":13,\"hostRevMin\":13,\"frames\":[1]", "\"apiRev\":14,\"hostRevMin\":14,\"frames\":[1]")
        .unwrap();
    let another_note = plugin.exchanged("\"panic\":\"unwind\"", "\"panic\":\"abort\" ").unwrap();
    let no_plugin = program("sh");
    let cases: [(&str, &[u8]); 10] = [
        ("empty", b""),
        ("a text", b"not a library at all\n"),
        ("only a magic number", b"\x7fELF"),
        ("cut at half", &bytes[..bytes.len() / 2]),
        ("cut at 90 %", &bytes[..bytes.len() / 10 * 9]),
        ("without its last byte", &bytes[..bytes.len() - 1]),
        ("for another machine", &foreign),
        ("for a newer interface", &newer_interface),
        ("aborting on panics", &another_note),
        ("another program", &no_plugin),
    ];
    for (what, content) in cases {
        gateway.drop_in(FILE, content).unwrap();
        in_force(what, &gateway, || {
            let row = row_of(&gateway, "rejected")?;
            ensure!(row.text_at("digest").is_ok_and(|reported| reported.ends_with(&digest(content))), "{row}");
            ensure!(row.text_at("reason")?.lines().count() == 1, "{row}");
            Ok(())
        });
        serves_build(&gateway, "1.0.100").unwrap_or_else(|error| panic!("{what}: {error:#}\n{}", gateway.log()));
    }
    gateway.drop_in(FILE, &plugin.as_build(300).unwrap()).unwrap();
    in_force("the next good build", &gateway, || serves_build(&gateway, "1.0.300"));
}

/// The file of a program of the system.
fn program(name: &str) -> Vec<u8> {
    let folders = std::env::var_os("PATH").unwrap();
    let file = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file());
    fs::read(file.unwrap()).unwrap()
}

#[test]
fn settings_are_taken_changed_refused_and_dropped() {
    const SETTINGS: &str = "portolan-hostile.toml";
    let (_chain, gateway, plugin) = bare();
    gateway.drop_in(FILE, plugin.bytes()).unwrap();
    in_force("the plugin", &gateway, || serves_build(&gateway, "1.0.100"));
    let row = |greeting: &str| {
        format!("[[deployment]]\nprotocol = \"steady\"\nnetwork = \"polygon\"\ngreeting = \"{greeting}\"\n")
    };
    let greets = |with: &str| {
        let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables?detail=full"))?.json()?;
        let (_, greeting) = one_build(&answer, STEADY_ROWS)?;
        ensure!(greeting == with, "it says {greeting}");
        Ok(())
    };
    greets("hello").unwrap();
    for greeting in ["ahoy", "moin"] {
        gateway.drop_in(SETTINGS, row(greeting).as_bytes()).unwrap();
        in_force("changed settings", &gateway, || greets(greeting));
    }
    let refused = [
        (row("rude"), "greeting"),
        (row("x").replace("greeting", "gretting"), "gretting"),
        (row("x").replace("polygon", "mars"), "mars"),
        (row("x").replace("\"x\"", "7"), "greeting"),
        ("unknown = true\n".to_owned(), "unknown"),
        ("[[deployment".to_owned(), "portolan-hostile.toml"),
    ];
    for (text, part) in refused {
        gateway.drop_in(SETTINGS, text.as_bytes()).unwrap();
        in_force(&text, &gateway, || {
            let row = row_of(&gateway, "active")?;
            let reason = row.text_at("reason")?;
            ensure!(reason.contains(part), "{reason}");
            Ok(())
        });
        greets("moin").unwrap_or_else(|error| panic!("{text}: {error:#}"));
    }
    gateway.take_out(SETTINGS).unwrap();
    in_force("removed settings", &gateway, || greets("hello"));
    assert_eq!(row_of(&gateway, "active").unwrap().at("reason").unwrap(), &Json::Null);

    let fork = "shipped = false\n[[protocol]]\nslug = \"acme\"\nname = \"ACME\"\nwebsite = \"https://acme.example\"\n\
                logo = \"https://acme.example/logo.png\"\nprimitives = [\"FARMING\"]\n\
                company = { name = \"Acme\", slug = \"acme\" }\n\
                [[deployment]]\nprotocol = \"acme\"\nnetwork = \"polygon\"\n";
    gateway.drop_in(SETTINGS, fork.as_bytes()).unwrap();
    in_force("a fork of the settings", &gateway, || {
        let slugs = slugs(&gateway)?;
        ensure!(slugs == ["acme"], "{slugs:?}");
        Ok(())
    });
}

fn slugs(gateway: &Gateway) -> Result<Vec<String>> {
    let protocols = gateway.get("/protocols")?.json()?;
    protocols.items()?.iter().map(|row| Ok(row.text_at("slug")?.to_owned())).collect()
}

#[test]
fn a_slug_belongs_to_the_plugin_that_had_it_first_over_restarts_too_and_no_other_is_refused() {
    // Its file name is the first, so that it would win if that decided.
    const SECOND: &str = "liba.so";
    const ACME: &str = "[[protocol]]\nslug = \"acme\"\nname = \"ACME\"\nwebsite = \"https://acme.example\"\n\
                        primitives = [\"FARMING\"]\ncompany = { name = \"Acme\", slug = \"acme\" }\n\
                        [[deployment]]\nprotocol = \"acme\"\nnetwork = \"polygon\"\n";
    let (_chain, mut gateway, plugin) = bare();
    gateway.drop_in(FILE, plugin.bytes()).unwrap();
    in_force("the first", &gateway, || serves_build(&gateway, "1.0.100"));
    let other = plugin.exchanged("\"plugin\":\"portolan-hostile\"", "\"plugin\":\"portolan-hostilo\"").unwrap();
    gateway.drop_in(SECOND, &other).unwrap();
    in_force("the second's refusal", &gateway, || {
        let row = row_of(&gateway, "rejected")?;
        ensure!(row.text_at("plugin")? == "portolan-hostilo", "{row}");
        ensure!(row.text_at("reason")?.contains("portolan-hostile"), "{row}");
        Ok(())
    });
    serves_build(&gateway, "1.0.100").unwrap();
    let shared = |gateway: &Gateway| -> Result<()> {
        for (plugin, slug, is_served) in [
            ("portolan-hostile", "steady", true),
            ("portolan-hostilo", "steady", false),
            ("portolan-hostilo", "acme", true),
        ] {
            let rows = gateway.plugins()?;
            let is_meant = |row: &&Json| row.text_at("plugin").is_ok_and(|name| name == plugin);
            let row = rows.iter().find(is_meant).with_context(|| format!("no row of {plugin}"))?;
            let served = row.at("protocols")?.items()?.iter().any(|own| own.to_string() == format!("{slug:?}"));
            ensure!(served == is_served && row.text_at("state")? == "active", "{slug}: {row}");
        }
        Ok(())
    };
    gateway.drop_in("portolan-hostilo.toml", ACME.as_bytes()).unwrap();
    in_force("another protocol of the second", &gateway, || shared(&gateway));
    gateway.known_good_has(&["portolan-hostile", "portolan-hostilo"]).unwrap();
    gateway.kill_and_restart(&["steady".to_owned(), "acme".to_owned()], |_| Ok(())).unwrap();
    shared(&gateway).unwrap();
    gateway.take_out(FILE).unwrap();
    in_force("the second, now alone", &gateway, || {
        let row = row_of(&gateway, "active")?;
        ensure!(row.text_at("plugin")? == "portolan-hostilo", "{row}");
        ensure!(slugs(&gateway)?.contains(&"steady".to_owned()), "not served");
        Ok(())
    });
}

#[test]
fn a_protocol_that_the_operator_leaves_out_is_another_plugins() {
    let built = build::built().unwrap();
    let setup = Setup::default().config("[plugins.portolan-hostile]\nleave_out = [\"steady\"]");
    let gateway = setup.rpc("polygon", "http://127.0.0.1:9").listening().unwrap();
    let plugin = Dylib::read(&built.plugin(FILE)).unwrap();
    gateway.drop_in(FILE, plugin.bytes()).unwrap();
    in_force("the first", &gateway, || {
        let row = row_of(&gateway, "active")?;
        ensure!(!row.at("protocols")?.to_string().contains("\"steady\""), "{row}");
        Ok(())
    });
    let other = plugin.exchanged("\"plugin\":\"portolan-hostile\"", "\"plugin\":\"portolan-hostilo\"").unwrap();
    gateway.drop_in("libz.so", &other).unwrap();
    in_force("the second", &gateway, || gateway.serves(&["steady".to_owned()]));
}
