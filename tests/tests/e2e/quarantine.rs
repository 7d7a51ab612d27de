//! Builds that fail by their own fault: paused, put in quarantine, replaced by the build before once, and never run again
//! before they are released; and the commands of operators that decide the same.

use std::fs;
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::world::Shared;
use portolan_tests::{problem, wait};
use serde_json::Value;

const HOSTILE: &str = "libportolan_hostile.so";
const NAME: &str = "portolan-hostile";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);
/// A breaker pauses for 5 and for 10 seconds until its build is put in quarantine.
const AFTER_PAUSES: Duration = Duration::from_secs(60);
/// Jobs of a build that fail until its breaker opens.
const FAULTS_MAX: usize = 10;
const NOT_RUNNING: i32 = 3;

static CHAIN: Shared<Chain> = Shared::new();

fn hostile() -> Dylib {
    Dylib::read(&build::built().unwrap().plugin(HOSTILE)).unwrap()
}

fn start() -> (std::sync::Arc<Chain>, Gateway) {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let built = build::built().unwrap();
    let setup = Setup::default().rpc("polygon", &chain.url).plugin(&built.plugin(HOSTILE), &["steady"]);
    (chain, setup.start().unwrap())
}

/// The version that answers for `steady`.
fn version(gateway: &Gateway) -> Result<String> {
    let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables?detail=full"))?;
    let partial = answer.header("portolan-partial").unwrap_or_default();
    ensure!(answer.status == 200 && !partial.contains("/polygon;"), "{} {partial}", answer.status);
    let items = answer.json()?.at("items")?.items()?.to_vec();
    let label = items.first().context("no rows")?.text_at("plugin")?.to_owned();
    Ok(label.split('@').nth(1).context("no version")?.to_owned())
}

fn serves(gateway: &Gateway, wanted: &str) {
    let look = || {
        let version = version(gateway)?;
        ensure!(version == wanted, "{version} answers");
        Ok::<_, anyhow::Error>(())
    };
    wait::until(wanted, SOON, look).with_context(|| gateway.log()).unwrap();
}

fn states(gateway: &Gateway) -> Vec<(String, String)> {
    let rows = gateway.plugins().unwrap();
    let text = |row: &Json, member| row.text_at(member).unwrap_or_default().to_owned();
    let mut states: Vec<_> = rows.iter().map(|row| (text(row, "version"), text(row, "state"))).collect();
    states.retain(|(_, state)| state != "draining");
    states.sort();
    states
}

/// Waits until the plugin's builds are in these states.
fn reaches(gateway: &Gateway, wanted: &[(&str, &str)]) {
    let are_reached = || {
        let states = states(gateway);
        let pairs: Vec<_> = states.iter().map(|(version, state)| (version.as_str(), state.as_str())).collect();
        ensure!(pairs == wanted, "{pairs:?}");
        Ok::<_, anyhow::Error>(())
    };
    wait::until("the states", SOON, are_reached).with_context(|| gateway.log()).unwrap();
}

/// An account that nobody asked about before: of one alone, few failures count.
fn another_account() -> String {
    static ACCOUNTS: AtomicU32 = AtomicU32::new(1);
    format!("0x{:040x}", ACCOUNTS.fetch_add(1, Ordering::Relaxed))
}

/// Has the plugin panic about an account; whether it is told not to run on the network.
fn panic_about(gateway: &Gateway, account: &str) -> bool {
    let answer = gateway.get(&format!("/panics_at_once/{account}/claimables")).unwrap();
    assert!([502, 503].contains(&answer.status.as_u16()), "{answer:?}");
    answer.status == 503
}

/// Has the plugin panic until it is told not to run on the network, and returns how often it did.
fn panic_until_paused(gateway: &Gateway) -> usize {
    (0..100).position(|_| panic_about(gateway, &another_account())).unwrap()
}

/// Has the plugin panic until the version is in quarantine.
fn panic_until_quarantined(gateway: &Gateway, version: &str) {
    let quarantined = (version.to_owned(), "quarantined".to_owned());
    wait::until("the quarantine", AFTER_PAUSES, || {
        panic_about(gateway, &another_account());
        let states = states(gateway);
        ensure!(states.contains(&quarantined), "{states:?}");
        Ok::<_, anyhow::Error>(())
    })
    .with_context(|| gateway.log())
    .unwrap();
}

#[test]
fn what_a_contract_replied_neither_pauses_nor_convicts_the_plugin() {
    let (_chain, gateway) = start();
    serves(&gateway, "1.0.100");
    for _ in 0..3 * FAULTS_MAX {
        let path = format!("/pays_a_token_twice/{}/claimables", another_account());
        let answer = gateway.get(&path).unwrap();
        let partial = answer.header("portolan-partial");
        assert_eq!((answer.status.as_u16(), answer.body.as_str()), (200, "[]"), "{partial:?}");
        assert_eq!(partial, Some("pays_a_token_twice/polygon;reason=invalid-reply"));
    }
    reaches(&gateway, &[("1.0.100", "active")]);
    serves(&gateway, "1.0.100");
}

fn command(gateway: &Gateway, args: &[&str]) -> Output {
    gateway.plugin_command(args).unwrap().output().unwrap()
}

fn decided(gateway: &Gateway, args: &[&str]) -> String {
    let output = command(gateway, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(gateway: &Gateway, args: &[&str]) -> (Option<i32>, String) {
    let output = command(gateway, args);
    assert!(output.stdout.is_empty(), "{output:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_bad_update_is_paused_then_rolled_back_once_and_then_nothing_of_it_is_served() {
    let (_chain, gateway) = start();
    serves(&gateway, "1.0.100");
    gateway.drop_in(HOSTILE, &hostile().as_build(200).unwrap()).unwrap();
    serves(&gateway, "1.0.200");
    // The answer of `serves` was a job that went well, on each of its networks.
    assert_eq!(panic_until_paused(&gateway), FAULTS_MAX);
    let paused = gateway.aggregate(&format!("/{ACCOUNT}?include=steady")).unwrap();
    let detail = problem::detail(&paused, 503, "protocol-unavailable").unwrap();
    assert!(detail.contains("steady/polygon: quarantined"), "{detail}");
    panic_until_quarantined(&gateway, "1.0.200");
    serves(&gateway, "1.0.100");
    assert_eq!(states(&gateway), [("1.0.100".into(), "active".into()), ("1.0.200".into(), "quarantined".into())]);
    let log = gateway.log();
    for line in ["jobs of a plugin pause on a network", "a build is put in quarantine", "is served instead"] {
        assert_eq!(log.lines().filter(|it| it.contains("ERROR") && it.contains(line)).count(), 1, "{line}: {log}");
    }

    // The build that was restored answered well before, so its faults pause it; the operator gives it up.
    assert_eq!(panic_until_paused(&gateway), FAULTS_MAX);
    decided(&gateway, &["quarantine", NAME]);
    wait::until("the second quarantine", SOON, || {
        let states = states(&gateway);
        ensure!(states.iter().all(|(_, state)| state == "quarantined"), "{states:?}");
        Ok::<_, anyhow::Error>(())
    })
    .with_context(|| gateway.log())
    .unwrap();
    let unavailable = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    let detail = problem::detail(&unavailable, 503, "protocol-unavailable").unwrap();
    assert!(detail.contains("quarantine"), "{detail}");
    let answer = gateway.aggregate(&format!("/{ACCOUNT}?include=steady")).unwrap();
    problem::detail(&answer, 503, "protocol-unavailable").unwrap();

    gateway.drop_in(HOSTILE, &hostile().as_build(300).unwrap()).unwrap();
    serves(&gateway, "1.0.300");
}

#[test]
fn a_client_with_one_account_that_a_build_cannot_bear_pauses_it_for_nobody() {
    let (_chain, gateway) = start();
    serves(&gateway, "1.0.100");
    let poisoned = another_account();
    for _ in 0..10 * FAULTS_MAX {
        assert!(!panic_about(&gateway, &poisoned), "{}", gateway.log());
    }
    // No job that goes well was in between.
    assert_eq!(version(&gateway).unwrap(), "1.0.100");
    let log = gateway.log();
    assert!(!log.contains("pause on a network"), "{log}");

    // Four accounts are enough, three failures of each.
    let poisoned: Vec<String> = (0..4).map(|_| another_account()).collect();
    let is_paused: Vec<bool> = poisoned.iter().flat_map(|it| [it; 5]).map(|it| panic_about(&gateway, it)).collect();
    let expected: Vec<bool> = (0..20).map(|n| n > 15).collect();
    assert_eq!(is_paused, expected, "{}", gateway.log());
    let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    let detail = problem::detail(&answer, 503, "protocol-unavailable").unwrap();
    assert!(detail.contains("steady/polygon: quarantined"), "{detail}");
    // Whoever comes next is tried, and ends it; those who are known to fail are not.
    wait::until("the try", SOON, || {
        assert!(panic_about(&gateway, &poisoned[0]), "{}", gateway.log());
        ensure!(version(&gateway)? == "1.0.100");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

#[test]
fn an_outage_of_the_node_pauses_no_plugin() {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let rpc = RpcFault::before(&chain.url).unwrap();
    let plugin = build::built().unwrap().plugin(HOSTILE);
    let setup = Setup::default().rpc("polygon", &rpc.url()).plugin(&plugin, &["steady"]);
    let gateway = setup.config("[answers]\ndeadline_ms = 1500").start().unwrap();
    serves(&gateway, "1.0.100");
    rpc.set(Fault::Error(-32000));
    let is_lost = || {
        let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables"))?;
        ensure!([502, 504].contains(&answer.status.as_u16()), "{answer:?}");
        Ok::<_, anyhow::Error>(())
    };
    // Replies at the block pinned before are served until another is needed.
    wait::until("the outage", SOON, is_lost).unwrap();
    for _ in 0..2 * FAULTS_MAX {
        is_lost().unwrap();
    }
    rpc.set(Fault::None);
    serves(&gateway, "1.0.100");
    let row = gateway.plugins().unwrap().remove(0);
    assert_eq!(row.at("breakers").unwrap().items().unwrap().len(), 0, "{row}");
}

#[test]
fn what_an_operator_decides_holds_over_restarts_and_under_every_name() {
    let (_chain, mut gateway) = start();
    let said = decided(&gateway, &["quarantine", NAME, "--reason", "it lies"]);
    assert!(said.starts_with("the build ") && said.ends_with(" of portolan-hostile is in quarantine\n"), "{said}");
    let is_quarantined = |gateway: &Gateway| {
        reaches(gateway, &[("1.0.100", "quarantined")]);
        let unavailable = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
        let detail = problem::detail(&unavailable, 503, "protocol-unavailable").unwrap();
        assert!(detail.contains("it lies"), "{detail}");
    };
    is_quarantined(&gateway);
    let plugins = gateway.plugins_dir();
    let renamed = |_: &std::path::Path| Ok(fs::rename(plugins.join(HOSTILE), plugins.join("libanother.so"))?);
    gateway.kill_and_restart(&[], renamed).unwrap();
    is_quarantined(&gateway);
    assert_eq!(decided(&gateway, &["release", NAME]).lines().count(), 1);
    serves(&gateway, "1.0.100");

    decided(&gateway, &["disable", NAME]);
    reaches(&gateway, &[("1.0.100", "disabled")]);
    gateway.kill_and_restart(&[], |_| Ok(())).unwrap();
    let unavailable = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    let detail = problem::detail(&unavailable, 503, "protocol-unavailable").with_context(|| gateway.log()).unwrap();
    assert!(detail.starts_with("steady is disabled"), "{detail}");
    let before = gateway.log().len();
    decided(&gateway, &["enable", NAME]);
    serves(&gateway, "1.0.100");
    let (log, figures) = (gateway.log(), gateway.operate("/metrics").unwrap().body);
    assert!(!log[before..].contains("ERROR"), "{log}");
    assert!(figures.contains("portolan_plugin_fallbacks_total{plugin=\"portolan-hostile\"} 0\n"), "{figures}");
}

#[test]
fn an_operator_rolls_back_pins_and_sees_why() {
    let (_chain, gateway) = start();
    assert_eq!(refused(&gateway, &["rollback", NAME]).0, Some(1), "rolled back without an earlier build");
    decided(&gateway, &["pin", NAME]);
    gateway.drop_in(HOSTILE, &hostile().as_build(200).unwrap()).unwrap();
    reaches(&gateway, &[("1.0.100", "active"), ("1.0.200", "rejected")]);
    assert_eq!(refused(&gateway, &["accept", NAME]).0, Some(1), "what is refused does not wait to be accepted");
    assert_eq!(version(&gateway).unwrap(), "1.0.100");
    let table = decided(&gateway, &["list"]);
    assert!(table.contains("is pinned to the build"), "{table}");
    decided(&gateway, &["pin", NAME, "--off"]);
    serves(&gateway, "1.0.200");
    let said = decided(&gateway, &["rollback", NAME]);
    assert!(said.starts_with("portolan-hostile goes back from the build "), "{said}");
    serves(&gateway, "1.0.100");

    let shown: Value = serde_json::from_str(&decided(&gateway, &["show", NAME, "--json"])).unwrap();
    let quarantined = shown["decisions"]["quarantined"].as_object().unwrap();
    let [quarantine] = quarantined.values().collect::<Vec<_>>()[..] else { panic!("{shown}") };
    assert_eq!(
        (&quarantine["version"], &quarantine["reason"]),
        (&"1.0.200".into(), &"rolled back by the operator".into())
    );
    assert_eq!(shown["knownGood"][NAME][0]["version"], "1.0.100");
    assert!(decided(&gateway, &["show", NAME]).contains("is in quarantine since"));
    assert_eq!(refused(&gateway, &["rollback", NAME]).0, Some(1), "no way back to what was left");
}

#[test]
fn a_build_that_may_do_more_is_served_once_the_operator_accepts_it() {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let setup = Setup::default().config("[plugins]\nnew_capabilities = \"wait\"").rpc("polygon", &chain.url);
    let gateway = setup.plugin(&build::built().unwrap().plugin(HOSTILE), &["steady"]).start().unwrap();
    let asks_for_more = hostile().exchanged("reads_nowhere", "reads_nowher2").unwrap();
    gateway.drop_in(HOSTILE, &asks_for_more).unwrap();
    reaches(&gateway, &[("1.0.100", "active"), ("1.0.100", "waiting")]);
    let table = decided(&gateway, &["list"]);
    assert!(table.contains("answers for reads_nowher2"), "{table}");
    gateway.serves(&["reads_nowhere".to_owned()]).unwrap();
    decided(&gateway, &["accept", NAME]);
    wait::until("the accepted build", SOON, || gateway.serves(&["reads_nowher2".to_owned()])).unwrap();
    reaches(&gateway, &[("1.0.100", "active")]);
}

#[test]
fn wrong_commands_say_what_is_wrong() {
    let (_chain, mut gateway) = start();
    let (code, said) = refused(&gateway, &["show", "nobody"]);
    assert_eq!((code, said.as_str()), (Some(1), "portolan: no plugin is called \"nobody\"\n"));
    let (code, said) = refused(&gateway, &["disable", "nobody"]);
    assert_eq!(code, Some(1));
    assert_eq!(said, "portolan: no plugin is called \"nobody\"; there are portolan-hostile\n");
    let (code, said) = refused(&gateway, &["quarantine", NAME, "--build", "00"]);
    assert!(code == Some(1) && said.contains("\"00\" names no build of portolan-hostile; there are "), "{said}");
    assert_eq!(refused(&gateway, &["enable", NAME]).0, Some(1));
    assert_eq!(refused(&gateway, &["release", NAME]).0, Some(1));
    assert_eq!(refused(&gateway, &["pin", NAME, "--off"]).0, Some(1));
    assert_eq!(refused(&gateway, &["pin", NAME, "abc", "--off"]).0, Some(2));
    let (code, said) = refused(&gateway, &["accept", NAME]);
    assert!(code == Some(1) && said.contains("no build of portolan-hostile waits to be accepted"), "{said}");
    assert_eq!(refused(&gateway, &["list", "--frob"]).0, Some(2));
    gateway.sigterm().unwrap();
    gateway.exited().unwrap();
    let (code, said) = refused(&gateway, &["list"]);
    assert_eq!(code, Some(NOT_RUNNING));
    assert!(said.starts_with("portolan: no gateway runs with the state folder "), "{said}");
}
