//! Aave's Umbrella and its safety module: stakes after a loss and in a cooldown, and rewards, of which those of Umbrella are
//! two tokens that one claim pays. What they have to be is said here by arithmetic; `tests/chain/profiles/umbrella.mjs` has the history.
//!
//! Each reward is 0.0004 a second to all, and the second one ends.

use portolan_tests::fork::{Paid, SharedFork};
use portolan_tests::json::Json;

const USDC: u128 = 1_000_000;
/// A ten-thousandth of the first reward's unit, and of the second's.
const PARTS: [u128; 2] = [100_000_000_000_000, 100];
/// Seconds that the second reward lasts after the others have come.
const LASTS: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("umbrella");

#[test]
fn a_stake_is_told_without_what_a_loss_took_and_with_the_end_of_its_cooldown() {
    let fixture = FORK.get().unwrap();
    let told = |who: &str| -> Vec<(String, String, String)> {
        let rows = fixture.items("farming/{}/positions", who).unwrap();
        let told = |row: &Json| {
            let text = |member| row.text_at(member).unwrap().to_owned();
            (text("stakedToken/symbol"), text("amountRaw"), row.at("position/unlocksAt").unwrap().to_string())
        };
        rows.iter().map(told).collect()
    };
    let row = |amount: u128, unlocks: String| ("waUSDC".to_owned(), amount.to_string(), unlocks);
    // Whose cooldown is over, and the time to leave too, can leave no more.
    assert_eq!(told("farmer"), [row(900 * USDC, fixture.number("unlocksAt").unwrap().to_string())]);
    assert_eq!(told("whale"), [row(2_700 * USDC, "null".to_owned())]);
    for who in ["exited", "nothing"] {
        assert_eq!(told(who), [], "{who}");
    }
}

#[test]
fn a_claim_pays_both_tokens_exactly_as_they_are_told() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let (alone, seconds) = (fixture.number("alone").unwrap(), fixture.number("seconds").unwrap());
    let ended = seconds.min(LASTS);
    assert!(ended < seconds);
    for (who, owed) in [
        ("farmer", [seconds * PARTS[0], ended * PARTS[1]]),
        ("whale", [3 * seconds * PARTS[0], 3 * ended * PARTS[1]]),
        ("exited", [4 * alone * PARTS[0], 4 * alone * PARTS[1]]),
    ] {
        let claims = fixture.items("{}/claimables", who).unwrap();
        assert!(claims.iter().all(|claim| claim.text_at("type").unwrap() == "aave-umbrella"));
        assert_eq!(claims[0].text_at("claimId").unwrap(), claims[1].text_at("claimId").unwrap(), "{who}");
        let mut found = fixture.claim_each(who).unwrap();
        found.sort_by_key(|paid| paid.said);
        let paid = |name: &str, owed| Paid {
            token: fixture.address(&format!("rewards/{name}")).unwrap().to_owned(),
            said: owed,
            received: owed,
        };
        assert_eq!(found, [paid("second", owed[1]), paid("first", owed[0])], "{who}");
    }
    assert_eq!(fixture.items("{}/claimables", "nothing").unwrap(), []);
}

#[test]
fn a_stake_in_the_safety_module_is_told_without_its_loss_and_its_claim_pays_what_is_told() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let (alone, seconds) = (fixture.number("alone").unwrap(), fixture.number("seconds").unwrap());
    let rows = fixture.items("farming/{}/positions", "odd").unwrap();
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(row.text_at("stakedToken/symbol").unwrap(), "AAVE");
    // A fifth of 1,000 is lost.
    assert_eq!(row.text_at("amountRaw").unwrap(), format!("800{}", "0".repeat(18)));
    let unlocks_at = fixture.number("safety/unlocksAt").unwrap().to_string();
    assert_eq!(row.at("position/unlocksAt").unwrap().to_string(), unlocks_at);
    assert_eq!(fixture.items("farming/{}/positions", "dust").unwrap(), []);
    // Each was alone, and got all of 0.0004 a second.
    for (who, owed) in [("odd", 4 * seconds * PARTS[0]), ("dust", 4 * alone * PARTS[0])] {
        let token = fixture.address("safety/aave").unwrap().to_owned();
        assert_eq!(fixture.claim_each(who).unwrap(), [Paid { token, said: owed, received: owed }], "{who}");
    }
}
