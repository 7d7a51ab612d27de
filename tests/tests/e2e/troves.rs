//! A trove, deposits whose two gains one claim pays, and collateral left over. What they have to be is said here by
//! arithmetic; `tests/chain/profiles/troves.mjs` has the history.
//!
//! Deposits of 300 and 100 share 40 of the reward, and then 0.05 of the native token for 100 of their tokens: each keeps
//! three quarters, less the smallest units that the pool rounds off. Stakes of 8 and of one smallest unit get as much of
//! the native token, and twice as much of the other.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;
use portolan_tests::world::Shared;

const ONE: u128 = 1_000_000_000_000_000_000;
const NATIVE: &str = "0x0";

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
        let chain = Chain::start("troves")?;
        let mut settings =
            "shipped = false\n[[deployment]]\nprotocol = \"liquity\"\nnetwork = \"ethereum\"\n".to_owned();
        for (key, contract) in chain.expected["liquity"].as_object().context("no contracts")? {
            writeln!(settings, "{key} = {contract}")?;
        }
        let dylib = build::built()?.plugin("liblending.so");
        let setup = Setup::default().rpc("ethereum", &chain.url).settings("lending", &settings);
        let gateway = setup.plugin(&dylib, &["liquity"]).start()?;
        Ok(Self { chain, gateway })
    }

    fn account(&self, who: &str) -> &str {
        self.chain.expected["accounts"][who]["address"].as_str().unwrap()
    }

    fn contract(&self, key: &str) -> &str {
        self.chain.expected["liquity"][key].as_str().unwrap()
    }

    /// A complete answer about an account.
    fn items(&self, path: &str, who: &str) -> Vec<Json> {
        let path = format!("/liquity/{}?detail=full", path.replace("{}", self.account(who)));
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
        response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
    }

    /// Token, raw amount and the id of the claim, of each claimable.
    fn claimables(&self, who: &str) -> Vec<(String, u128, String)> {
        let row = |row: &Json| {
            let amount = row.text_at("amountRaw").unwrap().parse().unwrap();
            (row.text_at("token/address").unwrap().to_owned(), amount, row.text_at("claimId").unwrap().to_owned())
        };
        let mut rows: Vec<_> = self.items("{}/claimables", who).iter().map(row).collect();
        rows.sort();
        rows
    }

    fn native(&self, who: &str) -> u128 {
        quantity(&self.chain.rpc("eth_getBalance", serde_json::json!([self.account(who), "latest"])).unwrap())
    }

    fn token(&self, key: &str, who: &str) -> u128 {
        self.chain.token_balance(self.contract(key), self.account(who)).unwrap().parse().unwrap()
    }
}

fn quantity(value: &serde_json::Value) -> u128 {
    u128::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// Role and raw amount of each leg.
fn legs(position: &Json) -> Vec<(String, u128)> {
    let leg =
        |leg: &Json| (leg.text_at("role").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap());
    position.at("legs").unwrap().items().unwrap().iter().map(leg).collect()
}

fn leg(role: &str, amount: u128) -> (String, u128) {
    (role.to_owned(), amount)
}

#[test]
fn a_trove_is_one_position_with_its_collateral_its_debt_and_its_health() {
    let fixture = fixture();
    let positions = fixture.items("borrowing/{}/positions", "farmer");
    let [trove] = positions.as_slice() else { panic!("{} troves", positions.len()) };
    // 9,800 were borrowed, and 200 are kept for whoever liquidates it.
    assert_eq!(legs(trove), [leg("supplied", 10 * ONE), leg("borrowed", 10_000 * ONE)]);
    assert_eq!(trove.at("legs").unwrap().items().unwrap()[0].at("isCollateral").unwrap().to_string(), "true");
    // Ten at 2,200 are 2.2 times the debt, of at least 1.1; at 1,100 they are 1.1 times the debt.
    assert_eq!(trove.at("health/factor").unwrap().to_string(), "2");
    let price = trove.at("health/liquidationPrice").unwrap();
    assert_eq!((price.text_at("quote").unwrap(), price.at("price").unwrap().to_string()), ("LUSD", "1100".to_owned()));
    for who in ["exited", "nothing", "odd", "whale"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who), [], "{who}");
    }
}

#[test]
fn deposits_and_stakes_are_positions_with_what_they_are_owed() {
    let fixture = fixture();
    let held = |who| {
        let mut all: Vec<_> = fixture.items("farming/{}/positions", who);
        all.sort_by_key(|row| row.text_at("id").unwrap().to_owned());
        let position = |row: &Json| row.at("position").unwrap().clone();
        let owed = |position: &Json| -> Vec<u128> {
            let rows = position.at("owed").unwrap().items().unwrap().to_vec();
            rows.iter().map(|leg| leg.text_at("amountRaw").unwrap().parse().unwrap()).collect()
        };
        let mut rows: Vec<_> = all
            .iter()
            .map(|row| (row.text_at("amountRaw").unwrap().parse::<u128>().unwrap(), owed(&position(row))))
            .collect();
        rows.sort();
        rows
    };
    let (deposit, stake) = (225 * ONE - 300, 8 * ONE);
    assert_eq!(held("farmer"), [(stake, vec![8 * ONE, 16 * ONE]), (deposit, vec![ONE / 10_000 * 375, 30 * ONE])]);
    assert_eq!(held("whale"), [(75 * ONE - 100, vec![ONE / 10_000 * 125, 10 * ONE])]);
    assert_eq!(held("odd"), [(7 * ONE, vec![])], "what is not owed is no leg");
    assert_eq!(held("dust"), [(1, vec![1, 2])]);
    assert_eq!(held("nothing"), []);
}

#[test]
fn two_gains_of_one_claim_are_paid_by_one_transaction_and_nothing_is_left() {
    // The other tests read a chain on which nothing happens.
    let fixture = Fixture::start().unwrap();
    let (chain, lqty) = (&fixture.chain, fixture.contract("reward_token"));
    let before = fixture.claimables("whale");
    let (native, reward) = (ONE / 10_000 * 125, 10 * ONE);
    let id = before[0].2.clone();
    assert_eq!(before, [(NATIVE.to_owned(), native, id.clone()), (lqty.to_owned(), reward, id)]);
    let items = fixture.items("{}/claimables", "whale");
    let sent = items[0].at("claimTransaction").unwrap();
    assert_eq!(sent.text_at("data").unwrap(), items[1].text_at("claimTransaction/data").unwrap());
    assert_eq!(sent.text_at("to").unwrap(), fixture.contract("stability_pool"));
    assert_eq!(sent.at("function/inputParameters").unwrap().items().unwrap()[0].text_at("value").unwrap(), "0");
    assert_eq!(items[0].at("pays").unwrap().items().unwrap().len(), 2);

    let (lqty_before, lusd_before) = (fixture.token("reward_token", "whale"), fixture.token("debt_token", "whale"));
    let (account, to) = (fixture.account("whale"), sent.text_at("to").unwrap());
    let receipt = chain.send_as(account, to, sent.text_at("data").unwrap(), chain.block_timestamp).unwrap();
    let gas = quantity(&receipt["gasUsed"]) * quantity(&receipt["effectiveGasPrice"]);
    // It was given ten of the native token to pay for gas with.
    assert_eq!(fixture.native("whale"), 10 * ONE - gas + native);
    assert_eq!(fixture.token("reward_token", "whale") - lqty_before, reward);
    assert_eq!(fixture.token("debt_token", "whale"), lusd_before, "the deposit stays where it was");
    wait::until("the next block", IN_FORCE_WITHIN, || {
        let left = fixture.claimables("whale");
        ensure!(left.is_empty(), "{left:?}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn other_claims_are_those_of_stakes_and_of_collateral_left_over() {
    let fixture = fixture();
    let tokens =
        |who| fixture.claimables(who).into_iter().map(|(token, amount, _)| (token, amount)).collect::<Vec<_>>();
    let lusd = fixture.contract("debt_token").to_owned();
    let mut dust = vec![(NATIVE.to_owned(), 1), (lusd, 2)];
    dust.sort();
    assert_eq!(tokens("dust"), dust);
    assert_eq!(tokens("exited"), [(NATIVE.to_owned(), 3 * ONE)]);
    assert_eq!((tokens("odd"), tokens("nothing")), (vec![], vec![]));
    let surplus = fixture.items("{}/claimables", "exited")[0].clone();
    assert_eq!(surplus.text_at("claimTransaction/to").unwrap(), fixture.contract("borrower_operations"));
    let (claims, rows) = {
        let rows = fixture.claimables("farmer");
        let claims: std::collections::BTreeSet<String> = rows.iter().map(|(.., id)| id.clone()).collect();
        (claims.len(), rows.len())
    };
    assert_eq!((claims, rows), (2, 4), "the stability pool's and the stake's");
}
