//! The original service's client library, unmodified, against the gateway: what it makes of every answer is the truth
//! of the chains' build.

use portolan_tests::client;
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::truth::{Call, Detail, NETWORKS};
use portolan_tests::world::World;

const WHO: &str = "farmer";
/// Numbers of JavaScript are doubles: 53 bits of an amount are what the library keeps.
const KEPT: f64 = 1e-15;

#[test]
fn the_client_library_gets_every_answer() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let (chain, truth) = world.chain("polygon").unwrap();
    let swap = truth.event_named("swap").unwrap();
    let hash = swap.transaction(chain).unwrap();
    let reported = client::fetch(&gateway, world.address(WHO).unwrap(), "POLYGON", &hash).unwrap();

    let names: Vec<&str> = rows(&reported, "networks").iter().map(|row| row.text_at("name").unwrap()).collect();
    assert_eq!(names, NETWORKS.map(|network| network.1));
    assert_alike("protocols", rows(&reported, "protocols"), &world.protocols().unwrap());
    let slugs = world.slugs().unwrap();
    let all = world.claimables(WHO, None, Call::Aggregate).unwrap();
    let first = world.claimables(WHO, Some(&slugs[0]), Call::Aggregate).unwrap();
    assert!(!first.is_empty() && first.len() < all.len(), "{} of {}", first.len(), all.len());
    let is_first = |row: &Json| row.text_at("protocol/slug").unwrap() == slugs[0];
    let (of_first, of_others): (Vec<Json>, Vec<Json>) = all.iter().cloned().partition(is_first);
    for (member, expected) in [("claimables", &all), ("included", &of_first), ("excluded", &of_others)] {
        assert_same_amounts(member, rows(&reported, member), expected, "token");
    }
    for slug in &slugs {
        for (question, token) in [(Question::Farming, "stakedToken"), (Question::Lending, "token")] {
            let member = format!("{}/{slug}", question.member());
            let expected = world.answer(WHO, question, slug, Detail::Plain).unwrap();
            assert_same_amounts(&member, rows(&reported, &member), &expected, token);
        }
    }
    let kinds: Vec<&str> = rows(&reported, "events").iter().map(|row| row.text_at("type").unwrap()).collect();
    assert!(kinds.contains(&"SWAP") && kinds.contains(&"TRANSFER"), "{kinds:?}");
    let found = rows(&reported, "events").iter().find(|row| row.text_at("type").unwrap() == "SWAP").unwrap();
    let amount = |row: &Json, member: &str| row.at(&format!("metadata/{member}")).unwrap().to_string();
    let expected = swap.document(truth).unwrap();
    for member in ["fromAmount", "toAmount"] {
        assert_close(member, &amount(found, member), &amount(&expected, member));
    }
    assert_eq!(reported.at("refused/status").unwrap().to_string(), "400");
    assert!(reported.text_at("refused/message").unwrap().contains("POLYGON_MUMBAI"), "{reported}");
}

fn rows<'a>(reported: &'a Json, member: &str) -> &'a [Json] {
    reported.at(member).unwrap().items().unwrap()
}

fn assert_alike(what: &str, actual: &[Json], expected: &[Json]) {
    let differences = Json::Array(actual.to_vec()).differences(&Json::Array(expected.to_vec()));
    assert!(differences.is_empty(), "{what}: {}", differences.join("; "));
}

/// The same networks, tokens and amounts, whatever their order.
fn assert_same_amounts(what: &str, actual: &[Json], expected: &[Json], token: &str) {
    let key = |row: &Json| {
        let amount: f64 = row.at("amount").unwrap().to_string().parse().unwrap();
        (
            row.text_at("network/name").unwrap().to_owned(),
            row.text_at(&format!("{token}/address")).unwrap().to_owned(),
            amount,
        )
    };
    let sorted = |rows: &[Json]| {
        let mut keys: Vec<(String, String, f64)> = rows.iter().map(key).collect();
        keys.sort_by(|one, other| one.partial_cmp(other).unwrap());
        keys
    };
    let (actual, expected) = (sorted(actual), sorted(expected));
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (reported, wanted) in actual.iter().zip(&expected) {
        assert_eq!((&reported.0, &reported.1), (&wanted.0, &wanted.1), "{what}");
        assert_close(what, &reported.2.to_string(), &wanted.2.to_string());
    }
}

fn assert_close(what: &str, actual: &str, expected: &str) {
    let (reported, wanted): (f64, f64) = (actual.parse().unwrap(), expected.parse().unwrap());
    assert!((reported - wanted).abs() <= wanted.abs() * KEPT, "{what}: {actual}, expected {expected}");
}
