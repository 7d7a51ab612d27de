//! An endpoint whose address comes to lead to a node of another chain, while clients ask for balances and claimables:
//! no row of the other chain is shown, and whoever has a sound endpoint beside it sees no difference.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build::built;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::protocol::PLUGINS;
use portolan_tests::rpc_fault::{Flaws, Hashes, Overrides, RpcFault};
use portolan_tests::truth::{ACCOUNTS, without_gas};
use portolan_tests::world::{Shared, World};
use serde_json::json;
use tempfile::NamedTempFile;

const OTHER_CHAIN: u64 = 5;
const CLIENTS: usize = 20;
const FOREIGN_WEI: &str = "0x1234567890abcdef";
/// Returns 7 to whoever calls it.
const SEVEN: &str = "0x600760005260206000f3";

/// The network's chain, other chains, and what has to be answered of the former.
struct Fixture {
    world: World,
    tokens: NamedTempFile,
    foreign: Vec<(&'static str, Chain)>,
    expected: BTreeMap<String, (Option<String>, Vec<String>)>,
}

impl Fixture {
    fn start() -> Result<Self> {
        let world = World::of(&["ethereum"])?;
        let (chain, _) = world.chain("ethereum")?;
        let level = foreign(chain, Chain::start_with_id("ethereum", OTHER_CHAIN)?)?;
        let above = foreign(chain, Chain::start_with_id("ethereum", OTHER_CHAIN)?)?;
        above.rpc("anvil_mine", json!(["0x32", "0x3c"]))?;
        let below = foreign(chain, Chain::bare(OTHER_CHAIN)?)?;
        let mut tokens = NamedTempFile::with_suffix(".json")?;
        tokens.write_all(token_list(chain)?.to_string().as_bytes())?;
        let foreign = vec![("level", level), ("above", above), ("below", below)];
        let mut fixture = Self { world, tokens, foreign, expected: BTreeMap::new() };
        let control = fixture.gateway(&[&fixture.world.chain("ethereum")?.0.url])?;
        for path in fixture.paths() {
            let response = control.get(&path)?;
            ensure!(response.status == 200, "{path}: {}", response.body);
            let partial = response.header("portolan-partial").map(str::to_owned);
            fixture.expected.insert(path, (partial, rows(&response.json()?)));
        }
        Ok(fixture)
    }

    fn gateway(&self, endpoints: &[&str]) -> Result<Gateway> {
        let setup = PLUGINS.iter().try_fold(Setup::default(), |setup, plugin| -> Result<Setup> {
            let placed = self.world.placed()?.into_iter().filter(|placed| placed.plugin == plugin.name);
            let slugs: BTreeSet<String> = placed.map(|placed| placed.slug).collect();
            let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
            Ok(setup.plugin(&built()?.plugin(plugin.file), &slugs).settings(plugin.name, &self.world.settings(plugin)?))
        })?;
        let prices = self.world.chain("ethereum")?.1.price_rows()?;
        let setup = setup.config(&format!(
            "[tokens]\nshipped = false\nlists = [{:?}]\n[prices.static]\n{prices}",
            self.tokens.path()
        ));
        endpoints.iter().fold(setup, |setup, url| setup.rpc("ethereum", url)).start()
    }

    fn paths_of(&self, who: &str) -> [String; 3] {
        let account = self.world.address(who).unwrap();
        [
            format!("/balance/{account}/native-balance"),
            format!("/balance/{account}/token-balances"),
            format!("/claimables/{account}"),
        ]
    }

    fn paths(&self) -> Vec<String> {
        ACCOUNTS.iter().flat_map(|who| self.paths_of(who)).collect()
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

/// Makes all that the accounts hold on this chain other than it is on the network's.
fn foreign(chain: &Chain, foreign: Chain) -> Result<Chain> {
    for account in chain.expected["accounts"].as_object().context("no accounts")?.values() {
        foreign.rpc("anvil_setBalance", json!([account["address"], FOREIGN_WEI]))?;
    }
    for token in chain.expected["tokens"].as_object().context("no tokens")?.keys() {
        foreign.rpc("anvil_setCode", json!([token, SEVEN]))?;
    }
    Ok(foreign)
}

fn token_list(chain: &Chain) -> Result<serde_json::Value> {
    let tokens = chain.expected["tokens"].as_object().context("no tokens")?;
    let tokens: Vec<_> = tokens
        .iter()
        .map(|(address, token)| {
            let (name, symbol, decimals) = (&token["name"], &token["symbol"], &token["decimals"]);
            json!({"chainId": 1, "address": address, "name": name, "symbol": symbol, "decimals": decimals})
        })
        .collect();
    let version = json!({"major": 1, "minor": 0, "patch": 0});
    Ok(json!({"name": "Test chain", "timestamp": "2025-06-15T00:00:00Z", "version": version, "tokens": tokens}))
}

/// Rows without what not every batch method can say of them.
fn rows(body: &Json) -> Vec<String> {
    let rows = body.items().unwrap().iter().map(|row| without_gas(&row.without(&["simulated", "netDollarValue"])).0);
    let mut rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    rows.sort();
    rows
}

/// Returns the answer to each of the clients, and the time that it took.
fn answers(fixture: &Fixture, gateway: &Gateway) -> Vec<(String, Response, Duration)> {
    let paths = fixture.paths();
    let client = |first: usize| {
        let own = paths.iter().cycle().skip(first).step_by(CLIENTS / 4).take(6);
        let answer = |path: &String| {
            let start = Instant::now();
            let response = gateway.get(path).unwrap();
            (path.clone(), response, start.elapsed())
        };
        own.map(answer).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|first| scope.spawn(move || client(first))).collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

fn assert_reported(what: &str, gateway: &Gateway) {
    let networks = gateway.operate("/networks").unwrap().json().unwrap();
    let ethereum = networks.items().unwrap().iter().find(|row| row.text_at("slug").unwrap() == "ethereum").unwrap();
    assert_eq!(ethereum.text_at("endpoints/0/state").unwrap(), "wrong-chain", "{what}: {ethereum}");
    assert!(gateway.log().contains("endpoint serves another chain"), "{what}: {}", gateway.log());
}

/// Reads before and after the address leads elsewhere, with the endpoint alone and with a sound one beside it.
fn assert_no_foreign_row(flaws: &Flaws, rung: &str) {
    let fixture: Arc<Fixture> = FIXTURE.get(Fixture::start).unwrap();
    for (place, other) in &fixture.foreign {
        for has_sound in [false, true] {
            let what = format!("{rung}, {place}, {}", if has_sound { "one of two" } else { "alone" });
            assert_change_shows_no_row(&fixture, &what, flaws, rung, has_sound, &|turning| turning.lead_to(&other.url));
        }
    }
}

/// The same for an address where some of all requests lead elsewhere.
fn assert_slow_change_shows_no_row(flaws: &Flaws, rung: &str) {
    let fixture: Arc<Fixture> = FIXTURE.get(Fixture::start).unwrap();
    for ((place, other), percent) in fixture.foreign.iter().zip([10, 30, 60]) {
        for has_sound in [false, true] {
            let beside = if has_sound { "one of two" } else { "alone" };
            let what = format!("{rung}, {percent} of 100 requests to {place}, {beside}");
            let lead = |turning: &RpcFault| turning.lead_partly_to(&other.url, percent);
            assert_change_shows_no_row(&fixture, &what, flaws, rung, has_sound, &lead);
        }
    }
}

#[expect(clippy::print_stdout, reason = "how long answers take is a figure")]
fn assert_change_shows_no_row(
    fixture: &Fixture,
    what: &str,
    flaws: &Flaws,
    rung: &str,
    has_sound: bool,
    lead: &dyn Fn(&RpcFault) -> Result<()>,
) {
    let right = &fixture.world.chain("ethereum").unwrap().0.url;
    let turning = RpcFault::before(right).unwrap();
    turning.flawed(flaws.clone());
    let url = turning.url();
    let endpoints: &[&str] = if has_sound { &[&url, right] } else { &[&url] };
    let gateway = fixture.gateway(endpoints).unwrap();
    // These answers leave their replies in the cache: the contracts are known afterwards, the other accounts are not.
    for path in fixture.paths_of("farmer") {
        assert_eq!(rows(&gateway.get(&path).unwrap().json().unwrap()), fixture.expected[&path].1, "{what}");
    }
    let networks = gateway.operate("/networks").unwrap().body;
    assert!(networks.contains(&format!("\"rung\":\"{rung}\"")), "{what}: {networks}");
    // The other chain's node answers at its newest block, whatever hash is named, or has the very block.
    turning.flawed(Flaws { hashes: Hashes::Ignored, ..flaws.clone() });
    lead(&turning).unwrap();
    let answers = answers(fixture, &gateway);
    let slowest = answers.iter().map(|(.., took)| *took).max().unwrap();
    println!("{what}: the slowest of {} answers took {slowest:.1?}", answers.len());
    for (path, response, _) in answers {
        let (partial, expected) = &fixture.expected[&path];
        if has_sound {
            assert_eq!(response.status, 200, "{what}: {path}: {}", response.body);
            assert_eq!(rows(&response.json().unwrap()), *expected, "{what}: {path}");
            assert_eq!(response.header("portolan-partial"), partial.as_deref(), "{what}: {path}");
        } else if response.status == 200 {
            let shown = rows(&response.json().unwrap());
            assert!(shown.iter().all(|row| expected.contains(row)), "{what}: {path}: {shown:?}");
        }
    }
    assert_reported(what, &gateway);
}

#[test]
fn the_packed_program_shows_no_row_of_another_chain() {
    assert_no_foreign_row(&Flaws::default(), "override");
}

#[test]
fn multicall3_shows_no_row_of_another_chain() {
    assert_no_foreign_row(&Flaws { overrides: Overrides::Ignored, ..Flaws::default() }, "multicall3");
}

#[test]
fn single_requests_show_no_row_of_another_chain() {
    let flaws = Flaws { overrides: Overrides::Ignored, hides_multicall: true, ..Flaws::default() };
    assert_no_foreign_row(&flaws, "single");
}

#[test]
fn the_packed_program_shows_no_row_of_another_chain_while_the_address_changes_slowly() {
    assert_slow_change_shows_no_row(&Flaws::default(), "override");
}

#[test]
fn multicall3_shows_no_row_of_another_chain_while_the_address_changes_slowly() {
    assert_slow_change_shows_no_row(&Flaws { overrides: Overrides::Ignored, ..Flaws::default() }, "multicall3");
}
