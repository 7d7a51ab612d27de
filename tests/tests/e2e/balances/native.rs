//! Native balances: both paths, one network or all, zero.

use portolan_tests::json::Json;
use portolan_tests::truth::ACCOUNTS;

use super::{Fixture, assert_equal, fixture, joined};

fn paths(fixture: &Fixture, who: &str) -> [String; 2] {
    let account = fixture.account(who);
    [format!("/{account}/native-balance"), format!("/balance/{account}/native-balance")]
}

#[test]
fn the_native_balance_of_a_network_is_one_object_zero_included() {
    let fixture = fixture();
    for who in ACCOUNTS {
        for truth in fixture.truths() {
            let expected = truth.native_balance(who, None).unwrap();
            for path in paths(&fixture, who) {
                let response = fixture.ok(&format!("{path}?network={}", truth.network));
                let differences = response.json().unwrap().differences(&expected);
                assert!(differences.is_empty(), "{path}: {}", differences.join("; "));
                assert_eq!(response.header("portolan-blocks"), Some(truth.pin().unwrap().as_str()), "{path}");
                assert_eq!(response.header("portolan-partial"), None, "{path}");
            }
        }
    }
}

#[test]
fn without_a_network_there_is_a_row_for_each_that_is_not_zero() {
    let fixture = fixture();
    for who in ACCOUNTS {
        let all: Vec<Json> = fixture.truths().map(|truth| truth.native_balance(who, None).unwrap()).collect();
        let expected = if who == "nothing" { Vec::new() } else { all };
        for path in paths(&fixture, who) {
            let response = fixture.ok(&path);
            assert_equal(&path, &response.json().unwrap(), &expected);
            let pins = joined(fixture.truths().map(|truth| truth.pin().unwrap()));
            assert_eq!(response.header("portolan-blocks"), Some(pins.as_str()), "{path}");
        }
    }
}

#[test]
fn letter_case_of_the_network_and_a_trailing_slash_change_nothing() {
    let fixture = fixture();
    let [short, long] = paths(&fixture, "whale");
    let plain = fixture.ok(&format!("{short}?network=polygon")).body;
    for path in [
        format!("{short}?network=POLYGON"),
        format!("{long}/?network=Polygon"),
        format!("{long}?_x=y&network=polygon&_detail=some"),
    ] {
        assert_eq!(fixture.ok(&path).body, plain, "{path}");
    }
}

#[test]
fn full_detail_has_the_single_object_among_items_too() {
    let fixture = fixture();
    let truth = fixture.truths().next().unwrap();
    for (who, raw) in [("nothing", "0"), ("farmer", truth.native_raw("farmer").unwrap())] {
        let [path, _] = paths(&fixture, who);
        let full = fixture.ok(&format!("{path}?network=ethereum&detail=full")).json().unwrap();
        let items = full.at("items").unwrap().items().unwrap();
        assert_eq!(items.len(), 1, "{full}");
        assert_eq!(items[0].text_at("amountRaw").unwrap(), raw);
        assert_eq!(items[0].text_at("account").unwrap(), fixture.account(who));
        let jobs = full.at("report/jobs").unwrap().items().unwrap();
        assert_eq!(jobs.len(), 1, "{full}");
        assert_eq!((jobs[0].text_at("protocol").unwrap(), jobs[0].text_at("status").unwrap()), ("native", "ok"));
        assert_eq!(*full.at("report/blocks/ethereum/hash").unwrap(), *truth.block("hash").unwrap());
    }
}
