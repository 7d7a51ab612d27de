//! Frax' unified farms: stakes with ends of their own, and rewards that go on after a period is over. What they have to be
//! is said here by arithmetic; `tests/chain/profiles/frax.mjs` has the history.

use portolan_tests::fork::{Fork, Paid, SharedFork};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
/// Seconds since the stakes that are there were made, and what all of them are paid in each, by token.
const SECONDS: u128 = 9_000_000;
const RATES: [u128; 2] = [9_000_000_000_000, 900];

static FORK: SharedFork = SharedFork::new("frax");

/// The farm, the place, the amount and the end of each stake.
fn stakes(fork: &Fork, who: &str) -> Vec<(String, String, u128, String)> {
    let row = |row: &Json| {
        let contract = row.text_at("position/contractAddress").unwrap().to_owned();
        let shown = |member| row.at(member).unwrap().to_string();
        (
            contract,
            shown("position/number"),
            row.text_at("amountRaw").unwrap().parse().unwrap(),
            shown("position/unlocksAt"),
        )
    };
    let mut rows: Vec<_> = fork.items("farming/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn each_stake_has_its_end_where_the_farm_keeps_it() {
    let fork = FORK.get().unwrap();
    let end = |name: &str| fork.number(&format!("ends/{name}")).unwrap().to_string();
    let row = |farm: &str, place: u64, amount: u128, end: String| {
        (fork.address(&format!("frax/{farm}")).unwrap().to_owned(), format!("\"{place}\""), amount, end)
    };
    // The first stake of the farmer has left.
    assert_eq!(stakes(&fork, "farmer"), [row("farm", 1, 60 * ONE, end("long")), row("farm", 2, 40 * ONE, end("long"))]);
    assert_eq!(stakes(&fork, "whale"), [row("farm", 0, 300 * ONE, end("half"))]);
    assert_eq!(stakes(&fork, "odd"), [row("open", 0, 7 * ONE, "null".to_owned())]);
    for who in ["exited", "nothing"] {
        assert_eq!(stakes(&fork, who), [], "{who}");
    }
}

#[test]
fn a_claim_pays_what_a_period_that_is_over_has_gone_on_paying() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let tokens = ["fxs", "usd"].map(|name| fork.address(&format!("frax/{name}")).unwrap());
    // 100 count three times for three years, 300 count twice for half of that.
    for (who, thirds) in [("farmer", Some(1)), ("whale", Some(2)), ("exited", None), ("odd", None), ("nothing", None)] {
        let mut found = fork.claim_each(who).unwrap();
        found.sort_by_key(|paid| paid.said);
        let paid = |thirds: u128| {
            [1, 0].map(|of| {
                let owed = SECONDS * RATES[of] * thirds / 3;
                Paid { token: tokens[of].to_owned(), said: owed, received: owed }
            })
        };
        assert_eq!(found, thirds.map(paid).into_iter().flatten().collect::<Vec<_>>(), "{who}");
    }
}

#[test]
fn a_farm_that_refuses_to_pay_makes_the_answer_partial() {
    let fork = FORK.get().unwrap();
    let path = format!("/frax/{}/claimables", fork.account("dust").unwrap());
    let response = fork.gateway.get(&path).unwrap();
    let partial = response.header("portolan-partial").map(str::to_owned);
    assert_eq!((response.body.as_str(), partial.as_deref()), ("[]", Some("frax/ethereum;reason=plugin-error")));
    assert_eq!(stakes(&fork, "dust").len(), 1);
}
