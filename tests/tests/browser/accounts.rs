//! Accounts, transactions and all other pages over the demo's chains, which nothing here changes.

use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use portolan_tests::browser;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::protocol::PLUGINS;
use portolan_tests::stage::{account, nodes, stage, with_explorer};
use portolan_tests::truth::ACCOUNTS;
use portolan_tests::world::{Shared, World};
use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;

use crate::book;

/// The transaction that is shown.
const EVENT: &str = "swap";
const TOKEN: &str = "operators-know-this-token";

struct Fixture {
    stage: Value,
    _gateway: Gateway,
    _guarded: (Gateway, NamedTempFile),
    _world: World,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(start).unwrap()
}

fn start() -> Result<Fixture> {
    let world = World::start()?;
    let gateway = with_explorer(world.setup()?)?.start()?;
    let accounts = ACCOUNTS.iter().map(|who| Ok(((*who).to_owned(), account(&world, who)?)));
    let (guarded, token) = guarded(&world)?;
    let blocks = world.chains.iter().map(|(chain, truth)| (truth.network.clone(), json!(chain.block_number)));
    let snapshot_at = world.chains.iter().map(|(chain, _)| chain.block_timestamp).max();
    let expected = json!({
        "accounts": accounts.collect::<Result<Map<_, _>>>()?,
        "blocks": blocks.collect::<Map<_, _>>(),
        "guarded": {"operators": format!("http://{}", guarded.operators), "token": TOKEN},
        "snapshotAt": snapshot_at,
        "plugins": PLUGINS.map(|plugin| plugin.name),
        "transaction": transaction(&world)?,
    });
    let stage = stage(&gateway, nodes(&world), expected)?;
    Ok(Fixture { stage, _gateway: gateway, _guarded: (guarded, token), _world: world })
}

/// A gateway whose operators need a token, and the token's file.
fn guarded(world: &World) -> Result<(Gateway, NamedTempFile)> {
    let mut file = NamedTempFile::new()?;
    writeln!(file, "{TOKEN}")?;
    let setup = Setup::default().config(&format!("[operators]\ntoken_file = '{}'", file.path().display()));
    let (chain, truth) = world.chains.first().context("no chain")?;
    Ok((with_explorer(setup.rpc(&truth.network, &chain.url))?.listening()?, file))
}

/// A swap of the chain's build: what came in and what went out, in raw amounts.
fn transaction(world: &World) -> Result<Value> {
    let (chain, truth) = world.chain("polygon")?;
    let event = truth.event_named(EVENT)?;
    let hash = event.transaction(chain)?;
    let sent = chain.rpc("eth_getTransactionByHash", json!([hash]))?;
    let shown = event.document(truth)?;
    Ok(json!({
        "network": truth.network,
        "hash": hash,
        "account": sent["from"],
        "gave": {"amount": shown.at("metadata/fromAmount")?.to_string(), "symbol": shown.text_at("metadata/fromToken/symbol")?},
        "got": {"amount": shown.at("metadata/toAmount")?.to_string(), "symbol": shown.text_at("metadata/toToken/symbol")?},
    }))
}

/// Runs a file of checks on the shared stage.
fn check(name: &str) {
    let browser = crate::browser!();
    browser.check(name, fixture().stage.clone()).unwrap();
}

#[test]
fn an_account_is_shown_as_the_arithmetic_has_it() {
    check("accounts");
}

#[test]
fn a_transaction_is_shown_in_words() {
    check("transactions");
}

#[test]
fn net_worth_over_days_is_that_of_the_days_blocks() {
    check("history");
}

#[test]
fn every_page_is_accessible_in_both_themes_and_at_both_widths() {
    check("pages");
    book::write_screenshots(&browser::pictures().unwrap());
}

#[test]
fn the_operators_page_shows_what_runs() {
    check("operators");
}
