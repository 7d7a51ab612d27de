//! Markets of Compound v2: what is lent and owed with its interest, the health of a debt, and rewards that a claim pays.
//! What they have to be is said here by arithmetic; `tests/chain/profiles/comptroller.mjs` has the history.
//!
//! Five hundred USDC that cost 2 · 10^-9 a second are one smallest unit more each second, which belongs to those who lent
//! four thousand. The reward is 0.0004 a second for them, and 0.0001 for the one who owes.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;

/// The chain's contracts are those of a fork, in an operator's settings file.
struct Fixture {
    chain: Chain,
    gateway: Gateway,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("comptroller")?;
        let contract = |name: &str| chain.expected["comptroller"][name].as_str().context("no contract");
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"compound\"\nnetwork = \"ethereum\"\nmarket = \"v2\"\n\
             comptroller = \"{}\"\nnative_market = \"{}\"\nrewards = \"comp\"\nreward_tokens = [\"{}\"]\n\
             by_second = true\n",
            contract("comptroller")?,
            contract("cnative")?,
            chain.expected["assets"]["comp"].as_str().context("no reward")?
        );
        let dylib = build::built()?.plugin("libcompound.so");
        let setup = Setup::default().rpc("ethereum", &chain.url).settings("compound", &settings);
        let gateway = setup.plugin(&dylib, &["compound"]).start()?;
        Ok(Self { chain, gateway })
    }

    fn account(&self, who: &str) -> &str {
        self.chain.expected["accounts"][who]["address"].as_str().unwrap()
    }

    /// Seconds since all was lent and owed.
    fn seconds(&self) -> u128 {
        self.chain.expected["seconds"].as_u64().unwrap().into()
    }

    /// A complete answer about an account.
    fn items(&self, path: &str, who: &str) -> Vec<Json> {
        let path = format!("/compound/{}?detail=full", path.replace("{}", self.account(who)));
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
        response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
    }

    /// Token, raw amount and side of each row of lending.
    fn lent(&self, who: &str) -> Vec<(String, u128, String)> {
        let row = |row: &Json| {
            let text = |member| row.text_at(member).unwrap().to_owned();
            (text("token/symbol"), text("amountRaw").parse().unwrap(), text("side"))
        };
        let mut rows: Vec<_> = self.items("lending/{}/positions", who).iter().map(row).collect();
        rows.sort();
        rows
    }
}

fn row(symbol: &str, amount: u128, side: &str) -> (String, u128, String) {
    (symbol.to_owned(), amount, side.to_owned())
}

#[test]
fn what_is_lent_and_owed_has_its_interest() {
    let fixture = fixture();
    let seconds = fixture.seconds();
    assert_eq!(fixture.lent("farmer"), [row("USDC", 1_000 * USDC + seconds / 4, "supply")]);
    assert_eq!(fixture.lent("whale"), [row("USDC", 3_000 * USDC + 3 * seconds / 4, "supply")]);
    let debt = row("USDC", 500 * USDC + seconds, "borrow");
    assert_eq!(fixture.lent("odd"), [debt, row("WBTC", 10_000_000, "supply")]);
    assert_eq!(fixture.lent("dust"), [row("ETH", 1_000_000_000_000, "supply")]);
    assert_eq!(fixture.lent("nothing"), []);
}

#[test]
fn the_health_of_a_debt_is_that_of_its_collateral() {
    let fixture = fixture();
    let positions = fixture.items("borrowing/{}/positions", "odd");
    let [position] = positions.as_slice() else { panic!("{} positions", positions.len()) };
    // 6,000 dollars by 0.7 over 500: the comptroller takes the debt without the interest since the market was last used.
    assert_eq!(position.at("health/factor").unwrap().to_string(), "8.4", "{position}");
    let secured = |leg: &&Json| leg.at("isCollateral").unwrap().to_string() == "true";
    assert_eq!(position.at("legs").unwrap().items().unwrap().iter().filter(secured).count(), 1);
    for who in ["farmer", "dust", "nothing"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who), [], "{who}");
    }
}

#[test]
fn a_claim_pays_exactly_what_is_owed_and_what_its_simulation_says() {
    // The other tests read a chain on which nothing happens.
    let fixture = Fixture::start().unwrap();
    let chain = &fixture.chain;
    let comp = chain.expected["assets"]["comp"].as_str().unwrap();
    for (who, ten_thousandths) in [("farmer", 1), ("whale", 3), ("odd", 1)] {
        let items = fixture.items("{}/claimables", who);
        let [claim] = items.as_slice() else { panic!("{who}: {} claims", items.len()) };
        let owed = fixture.seconds() * ten_thousandths * ONE / 10_000;
        assert_eq!(claim.text_at("token/address").unwrap(), comp);
        assert_eq!(claim.text_at("amountRaw").unwrap(), owed.to_string(), "{who}");
        assert_eq!(
            (claim.text_at("simulated").unwrap(), claim.text_at("type").unwrap()),
            ("paid", "compound-v2-rewards")
        );
        let sent = claim.at("claimTransaction").unwrap();
        assert_eq!(sent.text_at("function/name").unwrap(), "claimComp");
        assert_eq!(sent.text_at("to").unwrap(), chain.expected["comptroller"]["comptroller"].as_str().unwrap());

        let held = || chain.token_balance(comp, fixture.account(who)).unwrap().parse::<u128>().unwrap();
        let (snapshot, before) = (chain.snapshot().unwrap(), held());
        let [from, to, data] = ["from", "to", "data"].map(|member| sent.text_at(member).unwrap());
        chain.send_as(from, to, data, chain.block_timestamp).unwrap();
        assert_eq!(held() - before, owed, "{who}");
        chain.revert(&snapshot).unwrap();
    }
    for who in ["dust", "nothing"] {
        assert_eq!(fixture.items("{}/claimables", who), [], "{who}");
    }
}
