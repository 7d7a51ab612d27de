//! Prices of tokens: the truth about sources that are good, bad, slow or lying, against the arithmetic of the chains'
//! build.

mod currencies;
mod derived;
mod feeds;
mod http;
mod plugins;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::truth::{self, Truth};
use portolan_tests::world::{Shared, World};

/// The chains with token lists.
static LISTED: Shared<World> = Shared::new();

/// The configuration's rows of the factories and feeds of the chains' build: feeds that are good, and those that must
/// not count.
fn feeds(world: &World) -> String {
    let mut rows = "[prices.issuers]\n".to_owned();
    for (_, truth) in &world.chains {
        let factory = truth.price_sources().unwrap().at("factory").unwrap();
        writeln!(rows, "{} = [{factory}]", truth.network).unwrap();
    }
    for (_, truth) in &world.chains {
        for feed in truth.price_sources().unwrap().at("feeds").unwrap().items().unwrap() {
            let (token, address) = (feed.text_at("token").unwrap(), feed.text_at("feed").unwrap());
            let heartbeat_s = feed.at("heartbeatS").unwrap();
            writeln!(rows, "[[prices.feeds]]\nnetwork = {:?}\ntoken = {token:?}", truth.network).unwrap();
            writeln!(rows, "feed = {address:?}\nheartbeat_s = {heartbeat_s}\n").unwrap();
        }
    }
    rows
}

/// A gateway with the chains' lists and feeds.
fn fed(world: &World) -> Setup {
    world.on_chains(Setup::default().config(&world.token_lists().unwrap()).config(&feeds(world)))
}

/// The rows of an account's token balances on a network in full, by token.
fn rows(gateway: &Gateway, truth: &Truth, who: &str) -> BTreeMap<String, Json> {
    let path = format!("/balance/{}/token-balances?detail=full&network={}", truth.address(who).unwrap(), truth.network);
    let response = gateway.get(&path).unwrap();
    assert_eq!(response.status, 200, "{}", response.body);
    let items = response.json().unwrap().at("items").unwrap().items().unwrap().to_vec();
    items.into_iter().map(|row| (row.text_at("token/address").unwrap().to_owned(), row)).collect()
}

/// Price, value, source and age of a row; the value is multiplied here.
fn assert_price(row: &Json, price: Option<&str>, source: Option<&str>, age_s: Option<&Json>) {
    let price = price.unwrap_or("0").parse::<bigdecimal::BigDecimal>().unwrap();
    let worth = truth::dollars(&(row.number_at("amount").unwrap() * &price));
    for (member, expected) in [
        ("price", &truth::dollars(&price)),
        ("dollarValue", &worth),
        ("priceSource", &source.map_or(Json::Null, Json::text)),
        ("priceAgeSeconds", age_s.unwrap_or(&Json::Null)),
    ] {
        let differences = row.at(member).unwrap().differences(expected);
        assert!(differences.is_empty(), "{member}{}: {row}", differences.join("; "));
    }
}
