//! The HTTP source: before what is derived, behind what the chain writes; down, slow, lying or partial, it costs an
//! answer nothing but the prices that nobody else has.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::price_service::{Answer, PriceService, SECRET, coin};
use portolan_tests::truth::Truth;
use portolan_tests::wait;
use portolan_tests::world::World;

use super::{LISTED, assert_price, fed, rows};

/// The deadline of answers.
const DEADLINE: Duration = Duration::from_millis(4_000);
/// For the client, the scheduler and two busy cores.
const SLACK: Duration = Duration::from_millis(2_000);
/// For a price that was fetched in vain for one answer to be there for the next.
const PRICED_WITHIN: Duration = Duration::from_secs(20);
const NETWORK: &str = "ethereum";

fn setup(world: &World, service: &PriceService) -> Setup {
    let deadline = format!("[answers]\ndeadline_ms = {}", DEADLINE.as_millis());
    fed(world).config(&service.config()).config(&deadline)
}

/// The token of a feed, with its decimals.
fn fed_token<'a>(truth: &'a Truth, what: &str) -> (&'a str, u64) {
    let feeds = truth.price_sources().unwrap().at("feeds").unwrap().items().unwrap();
    let feed = feeds.iter().find(|feed| feed.text_at("what").unwrap() == what).unwrap();
    (feed.text_at("token").unwrap(), if what == "coin" { 6 } else { 18 })
}

fn coins(truth: &Truth, prices: &[(&str, &str)]) -> BTreeMap<String, String> {
    let one = |(what, price): &(&str, &str)| {
        let (token, decimals) = fed_token(truth, what);
        (format!("{NETWORK}:{token}"), coin(price, decimals))
    };
    prices.iter().map(one).collect()
}

/// Looks until a token has its price: the first request may not wait long enough on a busy machine.
fn wait_for_price(gateway: &Gateway, truth: &Truth, what: &str) -> BTreeMap<String, Json> {
    let look = || {
        let rows = rows(gateway, truth, "farmer");
        let row = &rows[fed_token(truth, what).0];
        match row.at("priceSource").unwrap() {
            Json::Null => Err(format!("no price yet: {row}; {}", gateway.log())),
            _ => Ok(rows),
        }
    };
    wait::until("a price", PRICED_WITHIN, look).unwrap().0
}

/// The bodies of answers are there in time, whatever the service does.
fn timely(gateway: &Gateway, truth: &Truth) -> BTreeMap<String, Json> {
    let start = Instant::now();
    let rows = rows(gateway, truth, "farmer");
    assert!(start.elapsed() < DEADLINE + SLACK, "{:?}", start.elapsed());
    rows
}

/// Checks that tokens priced by the chain have that price, and tokens priced by nobody are worth nothing.
fn assert_chain_alone(rows: &BTreeMap<String, Json>, truth: &Truth) {
    let age_s = Json::number(1000);
    assert_price(&rows[fed_token(truth, "good").0], Some("2000"), Some("chainlink"), Some(&age_s));
    assert_price(&rows[fed_token(truth, "stale").0], None, None, None);
    let vault = truth.price_sources().unwrap().at("vault").unwrap();
    let price = vault.text_at("price").unwrap();
    assert_price(&rows[vault.text_at("token").unwrap()], Some(price), Some("derived:erc4626"), Some(&age_s));
}

#[test]
fn the_service_prices_what_no_feed_does() {
    let world = LISTED.get(World::listed).unwrap();
    let (_, truth) = world.chain(NETWORK).unwrap();
    let reported = [
        ("good", "7"),
        ("stale", "1840.25"),
        ("zero", "0.123456789012345678"),
        ("negative", "1e-9"),
        ("reverting", "3"),
    ];
    let service = PriceService::start(Answer::Coins(coins(truth, &reported))).unwrap();
    let gateway = setup(&world, &service).start().unwrap();
    let rows = wait_for_price(&gateway, truth, "stale");
    // Prices that the chain writes take precedence.
    assert_price(&rows[fed_token(truth, "good").0], Some("2000"), Some("chainlink"), Some(&Json::number(1000)));
    for (what, price) in &reported[1..] {
        // The service's word is newer than the chain's block.
        assert_price(&rows[fed_token(truth, what).0], Some(price), Some("llama"), Some(&Json::number(0)));
    }
    // Of the others it said nothing.
    assert_price(&rows[fed_token(truth, "early").0], None, None, None);
    assert!(
        service.requested().contains(&format!("{NETWORK}:{}", fed_token(truth, "early").0)),
        "{:?}",
        service.requested()
    );
    assert!(!gateway.log().contains(SECRET), "{}", gateway.log());
}

#[test]
fn a_lie_costs_its_own_coin_alone() {
    let world = LISTED.get(World::listed).unwrap();
    let (_, truth) = world.chain(NETWORK).unwrap();
    let lies = [
        ("zero", "0"),
        ("negative", "-2000"),
        ("unwritten", "1e300"),
        ("early", "\"1840.25\""),
        ("reverting", "\"NaN\""),
        ("missing", "null"),
    ];
    let mut reported = coins(truth, &lies);
    reported.extend(coins(truth, &[("stale", "1840.25")]));
    let service = PriceService::start(Answer::Coins(reported)).unwrap();
    let gateway = setup(&world, &service).start().unwrap();
    let rows = wait_for_price(&gateway, truth, "stale");
    assert_price(&rows[fed_token(truth, "stale").0], Some("1840.25"), Some("llama"), Some(&Json::number(0)));
    for (what, _) in lies {
        assert_price(&rows[fed_token(truth, what).0], None, None, None);
    }
}

#[test]
fn a_quote_of_a_token_with_other_decimals_is_not_believed() {
    let world = LISTED.get(World::listed).unwrap();
    let (_, truth) = world.chain(NETWORK).unwrap();
    let mut reported = coins(truth, &[("stale", "1840.25")]);
    reported.insert(format!("{NETWORK}:{}", fed_token(truth, "zero").0), coin("5", 6));
    let service = PriceService::start(Answer::Coins(reported)).unwrap();
    let gateway = setup(&world, &service).start().unwrap();
    let rows = wait_for_price(&gateway, truth, "stale");
    assert_price(&rows[fed_token(truth, "zero").0], None, None, None);
}

#[test]
fn a_service_that_is_down_or_talks_nonsense_costs_only_its_own_prices() {
    let world = LISTED.get(World::listed).unwrap();
    let (_, truth) = world.chain(NETWORK).unwrap();
    let (token, _) = fed_token(truth, "stale");
    let bare = format!("{{\"coins\":{{\"{NETWORK}:{token}\":{}}}}}", coin("NaN", 18));
    for answer in [
        Answer::Close,
        Answer::Status(500),
        Answer::Status(429),
        Answer::Body("<html>busy</html>".to_owned()),
        Answer::Body("[]".to_owned()),
        Answer::Body(bare),
        Answer::Coins(BTreeMap::new()),
    ] {
        let service = PriceService::start(answer.clone()).unwrap();
        let gateway = setup(&world, &service).start().unwrap();
        assert_chain_alone(&timely(&gateway, truth), truth);
        assert!(!service.requested().is_empty(), "{answer:?}: the service got no request");
        assert!(!gateway.log().contains(SECRET), "{}", gateway.log());
    }
}

#[test]
fn a_slow_service_delays_no_answer_beyond_its_deadline_and_serves_the_next() {
    let world = LISTED.get(World::listed).unwrap();
    let (_, truth) = world.chain(NETWORK).unwrap();
    let service = PriceService::start(Answer::Hold).unwrap();
    let gateway = setup(&world, &service).start().unwrap();
    assert_chain_alone(&timely(&gateway, truth), truth);
    assert!(!service.requested().is_empty(), "the service got no request");
    // The coins requested then are answered now.
    service.set(Answer::Coins(coins(truth, &[("stale", "1840.25")])));
    let rows = wait_for_price(&gateway, truth, "stale");
    assert_price(&rows[fed_token(truth, "stale").0], Some("1840.25"), Some("llama"), Some(&Json::number(0)));
}
