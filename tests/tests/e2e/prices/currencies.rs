//! Values in another currency, beside those in dollars.

use std::str::FromStr as _;

use bigdecimal::BigDecimal;
use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::truth::Truth;
use portolan_tests::world::World;

use super::{LISTED, fed};

/// An amount of dollars that one euro costs, whose quotients end.
const RATE: &str = "1.25";

/// Asserts that each value in dollars has its value in a currency beside it, at any depth; returns their number.
fn compared(node: &Json, rate: &BigDecimal) -> usize {
    match node {
        Json::Array(items) => items.iter().map(|item| compared(item, rate)).sum(),
        Json::Object(members) => {
            let own = node.get("inCurrency").map_or(0, |converted| compared_here(node, converted, rate));
            let others = members.iter().filter(|(name, _)| name != "inCurrency");
            own + others.map(|(_, member)| compared(member, rate)).sum::<usize>()
        }
        _ => 0,
    }
}

/// The members of `inCurrency`, and the members in dollars that they convert.
const MEMBERS: [(&str, &str); 8] = [
    ("value", "dollarValue"),
    ("value", "dollars"),
    ("netValue", "netDollarValue"),
    ("price", "price"),
    ("assets", "assets"),
    ("debts", "debts"),
    ("net", "net"),
    ("claimable", "claimable"),
];

fn compared_here(node: &Json, converted: &Json, rate: &BigDecimal) -> usize {
    let pairs = MEMBERS.iter().filter_map(|(own, dollars)| Some((converted.get(own)?, node.get(dollars)?)));
    let pairs: Vec<(&Json, &Json)> = pairs.collect();
    assert_eq!(pairs.len(), converted.members().unwrap().len(), "{node}");
    for (own, dollars) in &pairs {
        match (own, dollars) {
            (Json::Null, Json::Null) => {}
            // Without a price, rows have 0 dollars; in the currency the value is unknown.
            (Json::Null, dollars) => assert_eq!(dollars.exact().unwrap(), BigDecimal::from(0), "{node}"),
            (own, dollars) => {
                let (own, dollars) = (own.exact().unwrap(), dollars.exact().unwrap());
                // Both are rounded to 18 digits.
                let off = (&own * rate - &dollars).abs() * BigDecimal::from(10_u64.pow(17));
                assert!(off <= dollars.abs(), "{node}");
            }
        }
    }
    pairs.len()
}

fn answer(gateway: &Gateway, path: &str) -> Json {
    let response = gateway.get(path).unwrap();
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    assert_eq!(response.header("portolan-currency"), Some(&format!("EUR={RATE}")[..]), "{path}");
    response.json().unwrap()
}

#[test]
fn every_value_in_dollars_has_its_value_in_the_currency_beside_it() {
    let world = World::start().unwrap();
    // The world's configuration ends with its fixed prices.
    let row = |(_, truth): &(_, Truth)| format!("{}.EUR = {RATE:?}\n", truth.network);
    let config: String = world.chains.iter().map(row).collect();
    let gateway = world.on_chains(world.with_all_plugins().unwrap().config(&config)).start().unwrap();
    let (farmer, rate) = (world.address("farmer").unwrap(), BigDecimal::from_str(RATE).unwrap());
    for path in [
        format!("/claimables/{farmer}?currency=eur&simulate=true"),
        format!("/positions/{farmer}?currency=EUR"),
        format!("/positions/{farmer}?currency=EUR&detail=full"),
        format!("/{farmer}/claim-plan?network=polygon&currency=EUR"),
        format!("/{farmer}/native-balance?currency=EUR"),
        format!("/{farmer}/native-balance?currency=EUR&network=optimism"),
        format!("/quickswap/farming/{farmer}/positions?currency=EUR"),
        format!("/aave_v3/lending/{farmer}/positions?currency=EUR"),
        format!("/aave_v3/borrowing/{farmer}/positions?currency=EUR"),
    ] {
        assert!(compared(&answer(&gateway, &path), &rate) > 0, "{path}");
    }
    // The same answer without a currency has the same members but these.
    let path = format!("/{farmer}/native-balance");
    let plain = gateway.get(&path).unwrap();
    assert!(plain.header("portolan-currency").is_none() && !plain.body.contains("inCurrency"), "{}", plain.body);
}

#[test]
fn a_rate_is_that_of_a_feed_and_what_a_bad_feed_leaves_out_is_told() {
    let world = LISTED.get(World::listed).unwrap();
    let (_, truth) = world.chain("polygon").unwrap();
    let of = |what: &str| {
        let feeds = truth.price_sources().unwrap().at("feeds").unwrap().items().unwrap().to_vec();
        feeds.into_iter().find(|feed| feed.text_at("what").unwrap() == what).unwrap()
    };
    let path = format!("/{}/native-balance?network=polygon&currency=EUR", truth.address("farmer").unwrap());
    for (what, missing) in [("good", None), ("stale", Some("currency/polygon;reason=upstream"))] {
        let feed = of(what);
        let (address, heartbeat_s) = (feed.text_at("feed").unwrap(), feed.at("heartbeatS").unwrap());
        let row = format!(
            "[[prices.feeds]]\nnetwork = \"polygon\"\ntoken = \"EUR\"\nfeed = {address:?}\nheartbeat_s = {heartbeat_s}"
        );
        let gateway = fed(&world).config(&row).start().unwrap();
        let response = gateway.get(&path).unwrap();
        assert_eq!(response.header("portolan-partial"), missing, "{what}");
        let row = response.json().unwrap();
        match feed.text_at("price").map(|price| BigDecimal::from_str(price).unwrap()) {
            Ok(rate) => assert_eq!(compared(&row, &rate), 2, "{row}"),
            Err(_) => {
                assert_eq!(response.header("portolan-currency"), Some("EUR"));
                assert_eq!(row.at("inCurrency/value").unwrap(), &Json::Null);
            }
        }
    }
}

#[test]
fn dollars_need_no_rate_and_other_words_are_refused() {
    let world = LISTED.get(World::listed).unwrap();
    let gateway = fed(&world).start().unwrap();
    let path = format!("/{}/native-balance?network=polygon&currency=", world.address("farmer").unwrap());
    let row = gateway.get(&format!("{path}usd")).unwrap();
    assert_eq!(row.header("portolan-currency"), Some("USD=1"));
    assert_eq!(compared(&row.json().unwrap(), &BigDecimal::from(1)), 2);
    let refused = problem::detail(&gateway.get(&format!("{path}florins")).unwrap(), 400, "invalid-filter").unwrap();
    assert!(refused.contains("the currencies are USD, AUD, "), "{refused}");
    problem::detail(&gateway.get("/networks?currency=EUR").unwrap(), 400, "unknown-parameter").unwrap();
}
