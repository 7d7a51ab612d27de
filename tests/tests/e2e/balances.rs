//! Balances of every account on three networks with 5,000 listed tokens each, against the arithmetic of the chains'
//! build: exact amounts, and nothing hidden by tokens that fail.

mod failing;
mod inputs;
mod lists;
mod native;

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::Address;
use anyhow::Result;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::truth::{self, ACCOUNTS, Truth};
use portolan_tests::world::{Shared, World};

struct Fixture {
    gateway: Gateway,
    world: World,
}

impl Fixture {
    fn start() -> Result<Self> {
        let world = World::listed()?;
        Ok(Self { gateway: world.on_chains(world.with(&[])?).start()?, world })
    }

    fn account(&self, who: &str) -> &str {
        self.world.address(who).unwrap()
    }

    fn truths(&self) -> impl Iterator<Item = &Truth> {
        self.world.chains.iter().map(|(_, truth)| truth)
    }

    fn ok(&self, path: &str) -> Response {
        let response = self.gateway.get(path).unwrap();
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        assert_eq!(response.header("content-type"), Some("application/json"), "{path}");
        // The chains rest, so that nobody knows when they have their next block.
        let is_stored = response.header("portolan-partial").is_none() && !path.contains("detail=full");
        let control = if is_stored { "private, no-cache" } else { "no-store" };
        assert_eq!(response.header("cache-control"), Some(control), "{path}");
        response
    }

    /// The token balances of an account: `query` with its question mark.
    fn tokens(&self, who: &str, query: &str) -> Response {
        self.ok(&format!("/balance/{}/token-balances{query}", self.account(who)))
    }

    /// Returns the rows that all networks' answers must have, in the order of answers.
    fn expected(&self, who: &str) -> Vec<Json> {
        self.truths().flat_map(|truth| truth.token_balances(who, &truth.prices().unwrap()).unwrap()).collect()
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn assert_equal(what: &str, actual: &Json, expected: &[Json]) {
    let differences = actual.differences(&Json::Array(expected.to_vec()));
    assert!(differences.is_empty(), "{what}:\n{}", differences.join("\n"));
}

/// Returns the entry in `portolan-partial` of tokens that return no balance to anybody.
fn partial(truth: &Truth) -> String {
    format!("tokens/{};reason=upstream;count={}", truth.network, truth.failed_tokens().unwrap().len())
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

#[test]
fn token_balances_of_all_networks_equal_the_arithmetic() {
    let fixture = fixture();
    let mut rows = 0;
    for who in ACCOUNTS {
        let response = fixture.tokens(who, "");
        let expected = fixture.expected(who);
        rows += expected.len();
        assert_equal(who, &response.json().unwrap(), &expected);
        let pins = joined(fixture.truths().map(|truth| truth.pin().unwrap()));
        assert_eq!(response.header("portolan-blocks"), Some(pins.as_str()), "{who}");
    }
    assert!(rows > 300, "only {rows} balances");
}

#[test]
fn one_network_answers_like_its_part_of_all() {
    let fixture = fixture();
    for truth in fixture.truths() {
        let expected = truth.token_balances("farmer", &truth.prices().unwrap()).unwrap();
        for name in [truth.network.clone(), truth.network.to_uppercase()] {
            let response = fixture.tokens("farmer", &format!("?network={name}"));
            assert_equal(&name, &response.json().unwrap(), &expected);
            assert_eq!(response.header("portolan-partial"), Some(partial(truth).as_str()), "{name}");
            assert_eq!(response.header("portolan-blocks"), Some(truth.pin().unwrap().as_str()), "{name}");
        }
    }
}

#[test]
fn the_same_address_on_several_networks_has_a_row_for_each() {
    let fixture = fixture();
    let answer = fixture.tokens("whale", "").json().unwrap();
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in answer.items().unwrap() {
        let amount = row.number_at("amount").unwrap().normalized().to_string();
        rows.entry(row.text_at("token/address").unwrap()).or_default().push(amount);
    }
    let thrice: Vec<_> = rows.values().filter(|amounts| amounts.len() == 3).collect();
    assert_eq!(thrice.len(), fixture.truths().next().unwrap().held("whale").unwrap().len(), "{rows:?}");
    // The vault's shares are as many everywhere.
    let apart = thrice.iter().filter(|amounts| amounts[0] != amounts[1] && amounts[1] != amounts[2]);
    assert_eq!(apart.count(), thrice.len() - 1, "{rows:?}");
}

#[test]
fn full_detail_adds_raw_amounts_and_where_prices_are_from() {
    let fixture = fixture();
    let full = fixture.tokens("farmer", "?detail=full").json().unwrap();
    let items = full.at("items").unwrap().items().unwrap();
    // With its EIP-55 checksum.
    let account: Address = fixture.account("farmer").parse().unwrap();
    let mut expected = Vec::new();
    for truth in fixture.truths() {
        let prices = truth.prices().unwrap();
        let chain_id = truth::network(&truth.network).unwrap().at("chainId").unwrap().to_string();
        for ((token, raw), row) in
            truth.held("farmer").unwrap().iter().zip(truth.token_balances("farmer", &prices).unwrap())
        {
            let Json::Object(mut members) = row else { panic!("{row}") };
            let source = prices.get(token).map_or(Json::Null, |_| Json::text("static"));
            members.extend([
                ("account".to_owned(), Json::text(fixture.account("farmer"))),
                ("caip10".to_owned(), Json::text(format!("eip155:{chain_id}:{account}"))),
                ("amountRaw".to_owned(), Json::text(*raw)),
                ("priceSource".to_owned(), source),
                ("priceAgeSeconds".to_owned(), Json::Null),
                // A price that an operator states has no contract.
                ("priceContracts".to_owned(), Json::Array(Vec::new())),
            ]);
            expected.push(Json::Object(members));
        }
    }
    // Balances are of listed tokens alone.
    for item in items {
        assert_eq!(
            ["listed", "lookalike"].map(|name| item.at("token").unwrap().at(name).unwrap()),
            [&Json::Bool(true), &Json::Bool(false)]
        );
        let chain = format!("eip155:{}", item.at("network/chainId").unwrap());
        let token: Address = item.text_at("token/address").unwrap().parse().unwrap();
        assert_eq!(item.text_at("network/caip2").unwrap(), chain);
        assert_eq!(item.text_at("token/caip19").unwrap(), format!("{chain}/erc20:{token}"));
    }
    assert_equal("farmer in full", &truth::without_listing(&Json::Array(items.to_vec())), &expected);
}

#[test]
fn a_wei_is_shown_and_a_zero_is_not() {
    let fixture = fixture();
    let rows = fixture.tokens("dust", "").json().unwrap();
    let amounts: Vec<String> =
        rows.items().unwrap().iter().map(|row| row.number_at("amount").unwrap().to_plain_string()).collect();
    // The token has 18 decimals, and the account has one unit of it on each network.
    assert_eq!(amounts, ["0.000000000000000001"; 3]);
    assert_eq!(fixture.tokens("nothing", "").body.trim(), "[]");
}

#[test]
fn the_largest_balance_that_a_word_holds_is_shown_to_the_last_digit() {
    let fixture = fixture();
    let rows = fixture.tokens("odd", "?network=ethereum").json().unwrap();
    let row = rows.items().unwrap().iter().find(|row| row.text_at("token/symbol").unwrap() == "ALL").unwrap();
    let word = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    assert_eq!(row.at("token/totalSupply").unwrap().differences(&Json::number(word)), [""; 0]);
    // The rulings' own number: 2^256 - 1 of 18 decimals.
    let amount = "1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59";
    assert_eq!(*row.at("amount").unwrap(), Json::number(amount));
}

#[test]
fn tokens_keep_their_own_word_over_the_lists() {
    let fixture = fixture();
    let rows = fixture.tokens("odd", "?network=polygon").json().unwrap();
    // The list says of each of them that it is an `Odd` with 18 decimals.
    let decimals: Vec<String> =
        rows.items().unwrap().iter().map(|row| row.at("token/decimals").unwrap().to_string()).collect();
    for expected in ["0", "1", "6", "8", "18", "24", "27", "77"] {
        assert!(decimals.iter().any(|reported| reported == expected), "{expected} is not among {decimals:?}");
    }
    assert!(!rows.to_string().contains("\"Odd "), "{rows}");
    let twins = rows.items().unwrap().iter().filter(|row| row.text_at("token/symbol").unwrap() == "TWIN");
    assert_eq!(twins.count(), 2, "{rows}");
}
