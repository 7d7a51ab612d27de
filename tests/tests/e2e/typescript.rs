//! The TypeScript client of `examples/clients/ts`: what it answers is what the gateway answered, and the claims that it
//! signs and sends pay what they say. Nothing else is sent.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Result, ensure};
use bigdecimal::num_bigint::BigInt;
use portolan_tests::build::workspace;
use portolan_tests::chain::Chain;
use portolan_tests::fork::Fork;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::tables;
use portolan_tests::truth::Truth;
use portolan_tests::typescript::TypeScript;
use portolan_tests::world::World;

use crate::simulations::{Deed, Fixture, TEN};

/// It has left every farm, so that what it is owed does not grow with the blocks.
const EXITED: &str = "exited";
/// Anvil's keys of accounts.
const EXITED_KEY: &str = "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e";
const FARMER: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const FARMER_KEY: &str = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
/// The exit code of an answer with gaps.
const PARTIAL: i32 = 3;

/// Returns what `examples/show.ts` prints for a question, and its exit code.
fn shown(gateway: &Gateway, question: &[&str]) -> (Json, i32) {
    let args = [&["dist/examples/show.js"], question].concat();
    let ended = TypeScript::compiled().unwrap().node(&args, Some(gateway), &[]).unwrap();
    let answer =
        Json::parse(&ended.stdout).unwrap_or_else(|_| panic!("{question:?}: {}{}", ended.stdout, ended.stderr));
    (answer, ended.status.code().unwrap())
}

/// Compares what the client returns under `member` with the gateway's own answer, to the last digit.
fn assert_same(gateway: &Gateway, question: &[&str], member: &str, path: &str) {
    let own = gateway.get(&format!("{path}{}amounts=string", if path.contains('?') { '&' } else { '?' })).unwrap();
    let (answer, code) = shown(gateway, question);
    assert_eq!(answer.at(member).unwrap(), &own.json().unwrap(), "{question:?}");
    let gaps = own.header("portolan-partial").map_or(0, |header| header.split(", ").count());
    assert_eq!(answer.at("missing").unwrap().items().unwrap().len(), gaps, "{question:?}");
    assert_eq!(code, if gaps > 0 { PARTIAL } else { 0 }, "{question:?}");
}

/// Runs `examples/claim.ts` for the owner of the key; returns the exit code and what it printed.
fn claim(gateway: &Gateway, chain: &Chain, key: &str, args: &[&str]) -> (i32, String) {
    let node = (format!("CHAIN_URL_{}", args[0].to_uppercase()), chain.url.clone());
    let args = [&["dist/examples/claim.js"], args].concat();
    let key = ("ACCOUNT_KEY".to_owned(), key.to_owned());
    let ended = TypeScript::compiled().unwrap().node(&args, Some(gateway), &[node, key]).unwrap();
    assert!(ended.stderr.lines().all(|line| line.starts_with("missing: ")), "{}", ended.stderr);
    (ended.status.code().unwrap(), ended.stdout)
}

/// Raw amounts by token.
type Amounts = BTreeMap<String, BigInt>;

fn owed(truth: &Truth) -> Amounts {
    let mut owed = Amounts::new();
    for row in truth.shown_rows(EXITED, Question::Claimables, None).unwrap() {
        let amount: BigInt = row.text_at("amountRaw").unwrap().parse().unwrap();
        *owed.entry(row.text_at("token").unwrap().to_owned()).or_default() += amount;
    }
    owed
}

fn held(chain: &Chain, account: &str, tokens: &Amounts) -> Amounts {
    let held = |token: &String| (token.clone(), chain.token_balance(token, account).unwrap().parse().unwrap());
    tokens.keys().map(held).collect()
}

#[test]
fn it_passes_its_own_tests() {
    TypeScript::compiled().unwrap().node(&["--test", "dist/test/"], None, &[]).unwrap().success().unwrap();
}

#[test]
fn its_types_are_made_of_the_description() {
    types_are_current().unwrap();
}

fn types_are_current() -> Result<()> {
    // Nothing is read of a chain.
    let described = Setup::default().rpc("ethereum", "http://127.0.0.1:9").listening()?.get("/openapi.json")?;
    ensure!(described.status.as_u16() == 200, "{}", described.body);
    let folder = tempfile::tempdir()?;
    let (description, types) = (folder.path().join("openapi.json"), folder.path().join("schema.ts"));
    fs::write(&description, &described.body)?;
    let (from, to) = (description.to_string_lossy(), types.to_string_lossy());
    let args = ["node_modules/openapi-typescript/bin/cli.js", &from, "--output", &to];
    TypeScript::compiled()?.node(&args, None, &[])?.success()?;
    tables::check_file(&workspace().join("examples/clients/ts/src/schema.ts"), &fs::read_to_string(types)?)
}

#[test]
fn its_answers_are_the_gateways_to_the_last_digit() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let (chain, truth) = world.chain("polygon").unwrap();
    let swap = truth.event_named("swap").unwrap();
    let hash = swap.transaction(chain).unwrap();
    // The last one's answer has gaps.
    for who in ["dust", "farmer", "odd"] {
        let account = world.address(who).unwrap();
        assert_same(&gateway, &["claimables", account], "rows", &format!("/claimables/{account}"));
        assert_same(&gateway, &["positions", account], "portfolio", &format!("/positions/{account}"));
    }
    let odd = world.address("odd").unwrap();
    assert_eq!(shown(&gateway, &["claimables", odd]).1, PARTIAL, "no gap was looked at");
    let plan = format!("/{odd}/claim-plan?network=polygon");
    assert_same(&gateway, &["plan", odd, "polygon"], "plan", &plan);
    assert_same(&gateway, &["events", &hash, "polygon"], "rows", &format!("/events/decode/{hash}?network=polygon"));
}

#[test]
fn balances_and_names_are_the_gateways_too() {
    let world = World::listed().unwrap();
    let gateway = world.on_chains(world.with(&[]).unwrap()).start().unwrap();
    let account = world.address("farmer").unwrap();
    assert_same(&gateway, &["balances", account], "rows", &format!("/balance/{account}/token-balances"));
    let chain = Chain::start("names").unwrap();
    let gateway = Setup::default().rpc("ethereum", &chain.url).start().unwrap();
    assert_same(&gateway, &["address-of", "alice.eth"], "record", "/ens/by-name/alice.eth");
    assert_same(&gateway, &["name-of", account], "record", &format!("/ens/by-address/{account}"));
}

#[test]
fn claims_and_plans_that_it_signs_pay_what_they_say() {
    let world = World::of(&["ethereum", "polygon"]).unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let account = world.address(EXITED).unwrap();
    // On polygon there are farms with two rewards: two rows, and one claim.
    for (network, way) in [("ethereum", Some("--plan")), ("polygon", None)] {
        let (chain, truth) = world.chain(network).unwrap();
        let owed = owed(truth);
        assert!(owed.len() > 1, "{owed:?}");
        chain.mine_automatically().unwrap();
        let before = held(chain, account, &owed);
        let args: Vec<&str> = std::iter::once(network).chain(way).collect();
        let (code, printed) = claim(&gateway, chain, EXITED_KEY, &args);
        assert_eq!(code, 0, "{printed}");
        let after = held(chain, account, &owed);
        let more: Amounts = after.iter().map(|(token, amount)| (token.clone(), amount - &before[token])).collect();
        assert_eq!(more, owed, "{network}: {printed}");
        assert_eq!(
            printed.matches("sent 0x").count(),
            if way.is_some() { 1 } else { claims(&world, network) },
            "{printed}"
        );
    }
}

/// Number of claims: rows with the same call are one.
fn claims(world: &World, network: &str) -> usize {
    let (_, truth) = world.chain(network).unwrap();
    let rows = truth.shown_rows(EXITED, Question::Claimables, None).unwrap();
    let calls: BTreeSet<_> = rows.iter().map(|row| ["to", "data"].map(|member| row.text_at(member).unwrap())).collect();
    calls.len()
}

#[test]
fn what_is_paid_into_a_lock_is_not_taken_for_the_accounts() {
    // Gauges that pay two tokens by one claim, and rebases that go into a lock.
    let fork = Fork::start("voters").unwrap();
    fork.chain.mine_automatically().unwrap();
    // What gauges owe grows with time.
    fork.chain.rpc("anvil_setBlockTimestampInterval", serde_json::json!([0])).unwrap();
    let rows = fork.gateway.get(&format!("/claimables/{FARMER}?detail=full")).unwrap().json().unwrap();
    let (mut own, mut into_locks) = (Amounts::new(), 0);
    for row in rows.at("items").unwrap().items().unwrap() {
        let amount: BigInt = row.text_at("amountRaw").unwrap().parse().unwrap();
        let owed = own.entry(row.text_at("token/address").unwrap().to_owned()).or_default();
        if row.get("paidTo").is_some() { into_locks += 1 } else { *owed += amount }
    }
    let before = held(&fork.chain, FARMER, &own);
    let (code, printed) = claim(&fork.gateway, &fork.chain, FARMER_KEY, &["optimism"]);
    assert_eq!(code, 0, "{printed}");
    let after = held(&fork.chain, FARMER, &own);
    let more: Amounts = after.iter().map(|(token, amount)| (token.clone(), amount - &before[token])).collect();
    assert_eq!(more, own, "{printed}");
    let shown = printed.lines().filter(|line| line.ends_with(" (paid into a lock)")).count();
    assert!(shown > 0 && shown == into_locks, "{printed}");
}

#[test]
fn nothing_is_sent_but_what_pays_what_it_says() {
    // A chain of its own, which the claims change.
    let fixture = Fixture::start().unwrap();
    fixture.chain.mine_automatically().unwrap();
    let farms = [fixture.farm(Deed::Pay), fixture.farm(Deed::Fail), fixture.farm(Deed::Approve), &fixture.taxed];
    let gateway = fixture.serve(&farms, "");
    let balance = || fixture.chain.token_balance(&fixture.reward, FARMER).unwrap();
    let nonce = || fixture.chain.rpc("eth_getTransactionCount", serde_json::json!([FARMER, "latest"])).unwrap();
    assert_eq!((balance().as_str(), nonce()), ("0", "0x0".into()));
    let (code, printed) = claim(&gateway, &fixture.chain, FARMER_KEY, &["polygon"]);
    assert_eq!((balance().as_str(), nonce()), (TEN, "0x1".into()), "{printed}");
    assert_eq!(code, PARTIAL, "{printed}");
    for reason in ["reverted", "refused", "differs"] {
        let reason = format!("is not sent: {reason}: ");
        assert_eq!(printed.lines().filter(|line| line.contains(&reason)).count(), 1, "{reason}: {printed}");
    }
}
