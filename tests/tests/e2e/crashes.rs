//! Plugins in the gateway's process that end it, or never return: named, and after a second crash not loaded again.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::{http, wait};

const HOSTILE: &str = "libportolan_hostile.so";
/// The account for which the plugin's `ends_the_process` does so.
const STRANGER: &str = "0x00000000000000000000000000000000000bad00";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);
/// Calls that do not return, until no more are made.
const STUCK_MAX: usize = 4;
const SIGABRT: i32 = 6;
/// Exit code of a process whose plugin does not load.
const LATE: i32 = 70;

fn start(chain: &Chain) -> Gateway {
    let built = build::built().unwrap();
    Setup::default()
        .in_process()
        .config("[plugins.limits]\nresume_ms = 2500\njob_ms = 6000")
        .rpc("polygon", &chain.url)
        .plugin(&built.plugin("libquickswap.so"), &["quickswap"])
        .plugin(&built.plugin(HOSTILE), &["steady"])
        .start()
        .unwrap()
}

fn row(gateway: &Gateway, plugin: &str) -> Result<Json> {
    let rows = gateway.plugins()?;
    let row = rows.iter().find(|row| row.text_at("plugin").is_ok_and(|name| name == plugin));
    row.cloned().with_context(|| format!("no row of {plugin}: {rows:?}"))
}

/// Requests what makes the plugin end the process, and waits until it has.
fn crash(gateway: &mut Gateway) {
    // The connection ends with the process.
    let _ = http::get(gateway.base, &format!("/ends_the_process/{STRANGER}/claimables"));
    assert_eq!(gateway.exited().unwrap().signal(), Some(SIGABRT));
}

/// From then on, a call that does not return is under way.
fn begin_endless_call(gateway: &Gateway) {
    let answer = gateway.get(&format!("/never_returns/{ACCOUNT}/claimables")).unwrap();
    assert_eq!(answer.header("portolan-partial"), Some("never_returns/polygon;reason=timeout"), "{}", answer.body);
}

#[test]
fn a_plugin_that_ends_the_process_twice_is_refused_until_it_is_replaced_or_released() {
    let chain = Chain::start("polygon").unwrap();
    let plugin = Dylib::read(&build::built().unwrap().plugin(HOSTILE)).unwrap();
    let mut gateway = start(&chain);
    let both = ["quickswap".to_owned(), "steady".to_owned()];
    crash(&mut gateway);
    gateway.kill_and_restart(&both, |_| Ok(())).unwrap();
    assert!(gateway.log().contains("portolan-hostile@1.0.100"), "the first crash is named:\n{}", gateway.log());
    crash(&mut gateway);

    let refused = |gateway: &Gateway| {
        let row = row(gateway, "portolan-hostile")?;
        ensure!(row.text_at("state")? == "quarantined", "{row}");
        ensure!(row.text_at("reason")?.starts_with("the process ended in its code, at "), "{row}");
        Ok::<_, anyhow::Error>(())
    };
    gateway.kill_and_restart(&both[..1], |_| Ok(())).unwrap();
    refused(&gateway).unwrap();
    assert!(gateway.log().contains("ERROR") && gateway.log().contains("the process ended in its code"));
    let answer = gateway.get(&format!("/ends_the_process/{STRANGER}/claimables")).unwrap();
    assert!(answer.status.is_client_error() || answer.status == 503, "{}", answer.body);
    assert_eq!(gateway.get(&format!("/quickswap/{ACCOUNT}/claimables")).unwrap().status, 200);

    // Another build is another plugin, and the operator may release this one.
    gateway.drop_in(HOSTILE, &plugin.as_build(200).unwrap()).unwrap();
    wait::until("another build", SOON, || gateway.serves(&both)).unwrap();
    gateway.drop_in(HOSTILE, plugin.bytes()).unwrap();
    wait::until("the refusal", SOON, || {
        let rows = gateway.plugins()?;
        ensure!(rows.iter().any(|row| row.text_at("state").is_ok_and(|state| state == "quarantined")), "{rows:?}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    gateway.kill_and_restart(&both, |state| Ok(fs::remove_file(state.join("crashes"))?)).unwrap();
    assert_eq!(row(&gateway, "portolan-hostile").unwrap().text_at("state").unwrap(), "active");
}

#[test]
fn a_process_that_ends_as_it_should_convicts_nobody() {
    let chain = Chain::start("polygon").unwrap();
    let mut gateway = start(&chain);
    let state = gateway.plugins_dir().with_file_name("state");
    for _ in 0..2 {
        begin_endless_call(&gateway);
        gateway.sigterm().unwrap();
        gateway.exited().unwrap();
        gateway.kill_and_restart(&["quickswap".to_owned(), "steady".to_owned()], |_| Ok(())).unwrap();
        assert!(!state.join("crashes").exists());
    }
}

#[test]
fn a_process_that_is_killed_from_outside_convicts_nobody() {
    let chain = Chain::start("polygon").unwrap();
    let mut gateway = start(&chain);
    let state = gateway.plugins_dir().with_file_name("state");
    for _ in 0..2 {
        begin_endless_call(&gateway);
        gateway.kill_and_restart(&["quickswap".to_owned(), "steady".to_owned()], |_| Ok(())).unwrap();
        assert!(!state.join("crashes").exists());
        let log = gateway.log();
        assert!(log.contains("none of them is accused") && log.contains("portolan-hostile@1.0.100"), "{log}");
    }
}

#[test]
fn a_plugin_that_exits_within_a_call_ended_the_process() {
    let chain = Chain::start("polygon").unwrap();
    let mut gateway = start(&chain);
    let _ = http::get(gateway.base, &format!("/exits/{STRANGER}/claimables"));
    assert_eq!(gateway.exited().unwrap().code(), Some(0));
    gateway.kill_and_restart(&["quickswap".to_owned(), "steady".to_owned()], |_| Ok(())).unwrap();
    let crashes = fs::read_to_string(gateway.plugins_dir().with_file_name("state").join("crashes")).unwrap();
    assert!(crashes.contains("portolan-hostile@1.0.100") && !crashes.contains("quickswap"), "{crashes}");
}

#[test]
fn a_plugin_whose_calls_do_not_return_is_not_active_in_silence() {
    let chain = Chain::start("polygon").unwrap();
    let gateway = start(&chain);
    for stuck in 1..=STUCK_MAX {
        drop(gateway.get(&format!("/never_returns/{ACCOUNT}/claimables?detail=full")).unwrap());
        wait::until("the stuck call", SOON, || {
            let row = row(&gateway, "portolan-hostile")?;
            ensure!(row.text_at("reason")?.starts_with(&format!("{stuck} of its calls do not return")), "{row}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
    }
    let row = row(&gateway, "portolan-hostile").unwrap();
    assert_eq!(row.text_at("state").unwrap(), "stuck", "{row}");
    let log = gateway.log();
    let named = log.lines().find(|line| line.contains("ERROR") && line.contains("portolan-hostile@1.0.100"));
    assert!(named.is_some(), "{log}");
    assert_eq!(gateway.get(&format!("/quickswap/{ACCOUNT}/claimables")).unwrap().status, 200);
}

#[test]
fn a_plugin_that_does_not_load_ends_the_process_and_is_refused_after_the_second_time() {
    let chain = Chain::start("polygon").unwrap();
    let built = build::built().unwrap();
    let dylib = Dylib::read(&built.plugin(HOSTILE)).unwrap();
    let blocking = dylib.exchanged("at load:nothing                 ", "at load:blocks the host         ").unwrap();
    let setup = Setup::default().in_process().rpc("polygon", &chain.url);
    let mut gateway = setup.plugin(&built.plugin("libquickswap.so"), &["quickswap"]).start().unwrap();
    gateway.drop_in(HOSTILE, &blocking).unwrap();
    assert_eq!(gateway.exited().unwrap().code(), Some(LATE));
    gateway.kill_and_relaunch(|_| Ok(())).unwrap();
    assert_eq!(gateway.exited().unwrap().code(), Some(LATE));
    let log = gateway.log();
    assert!(log.contains("ERROR") && log.contains("portolan-hostile@1.0.100"), "{log}");
    gateway.kill_and_restart(&["quickswap".to_owned()], |_| Ok(())).unwrap();
    let refused = row(&gateway, "portolan-hostile").unwrap();
    assert_eq!(refused.text_at("state").unwrap(), "quarantined", "{refused}");
}
