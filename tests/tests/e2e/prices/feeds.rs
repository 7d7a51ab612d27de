//! Oracles on the chain: what is good counts, and nothing else does.

use portolan_tests::json::Json;
use portolan_tests::world::World;

use super::{LISTED, assert_price, fed, rows};

/// The build's rows that a price is expected of, and those without.
const GOOD: [&str; 4] = ["good", "coin", "wide", "small"];
const BAD: [&str; 7] = ["zero", "negative", "stale", "unwritten", "early", "reverting", "missing"];

#[test]
fn only_good_answers_of_oracles_are_prices() {
    let world = LISTED.get(World::listed).unwrap();
    let gateway = fed(&world).start().unwrap();
    for (_, truth) in &world.chains {
        let rows = rows(&gateway, truth, "farmer");
        let feeds = truth.price_sources().unwrap().at("feeds").unwrap().items().unwrap();
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for feed in feeds.iter().filter(|feed| feed.text_at("what").unwrap() != "native") {
            let row = &rows[feed.text_at("token").unwrap()];
            let what = feed.text_at("what").unwrap();
            match feed.at("price").unwrap() {
                Json::Text(price) => {
                    assert_price(row, Some(price), Some("chainlink"), feed.get("ageS"));
                    good.push(what);
                }
                _ => {
                    assert_price(row, None, None, None);
                    bad.push(what);
                }
            }
        }
        assert_eq!((good.as_slice(), bad.as_slice()), (&GOOD[..], &BAD[..]));
    }
}

#[test]
fn the_native_token_has_the_price_of_its_feed() {
    let world = LISTED.get(World::listed).unwrap();
    let gateway = fed(&world).start().unwrap();
    for (_, truth) in &world.chains {
        let price = truth.price_sources().unwrap().text_at("wrapped/price").unwrap();
        let expected = truth.native_balance("whale", Some(price)).unwrap();
        let path = format!("/{}/native-balance?network={}", truth.address("whale").unwrap(), truth.network);
        let actual = gateway.get(&path).unwrap().json().unwrap();
        assert_eq!(actual.differences(&expected), [""; 0]);
        let full = gateway.get(&format!("{path}&detail=full")).unwrap().json().unwrap();
        assert_price(full.at("items/0").unwrap(), Some(price), Some("chainlink"), Some(&Json::number(1000)));
    }
}

#[test]
fn what_the_operator_states_goes_before_a_feed() {
    let world = LISTED.get(World::listed).unwrap();
    let (chain, truth) = world.chain("polygon").unwrap();
    let token = truth.price_sources().unwrap().text_at("feeds/0/token").unwrap();
    let config = format!("[prices.static]\npolygon.{token:?} = \"0.1234567890123456789\"");
    let setup = fed(&world).config(&config).rpc("polygon", &chain.url);
    let gateway = setup.start().unwrap();
    let rows = rows(&gateway, truth, "farmer");
    assert_price(&rows[token], Some("0.1234567890123456789"), Some("static"), None);
}
