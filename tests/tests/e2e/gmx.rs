//! Reward trackers of GMX' first version: stakes of two tokens, and what a distributor pays that has less than it owes; and
//! its vester. What they have to be is said here by arithmetic; `tests/chain/profiles/gmx.mjs` has the history.

use portolan_tests::fork::{Paid, SharedFork};

const ONE: u128 = 1_000_000_000_000_000_000;
/// The amount that the first tracker pays a second.
const RATE: u128 = 4_000_000_000_000;

static FORK: SharedFork = SharedFork::new("gmx");

#[test]
fn a_stake_has_a_row_for_each_token() {
    let fork = FORK.get().unwrap();
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    assert_eq!(fork.staked("farmer").unwrap(), [row("GMX", 100 * ONE)]);
    assert_eq!(fork.staked("whale").unwrap(), [row("GMX", 150 * ONE), row("esGMX", 50 * ONE)]);
    assert_eq!(fork.staked("odd").unwrap(), [], "its stake is in no tracker of stakes");
    for who in ["exited", "nothing"] {
        assert_eq!(fork.staked(who).unwrap(), [], "{who}");
    }
}

#[test]
fn what_has_yet_to_vest_is_a_position_with_its_end() {
    let fork = FORK.get().unwrap();
    let rows = fork.items("locked/{}/positions", "dust").unwrap();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(row.text_at("kind").unwrap(), "vesting");
    // A thousandth vests each second: 600 of 31,536 did since the deposit, of which 200 were claimed.
    let leg = row.at("legs").unwrap().items().unwrap()[0].clone();
    assert_eq!(leg.text_at("amountRaw").unwrap(), (30_936 * ONE).to_string());
    let ends_at = fork.chain.block_timestamp + 30_936_000;
    assert_eq!(row.at("unlocksAt").unwrap().to_string(), ends_at.to_string());
    assert_eq!(fork.items("locked/{}/positions", "farmer").unwrap(), []);
}

#[test]
fn a_claim_pays_what_it_is_said_to_and_no_more_than_the_distributor_has() {
    // The other test reads a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let (before, after) = (fork.number("seconds/before").unwrap(), fork.number("seconds/after").unwrap());
    for (who, token, owed) in [
        // A quarter of 400 that are staked, then a third of 300.
        ("farmer", "esGmx", Some(before * RATE / 4 + after * RATE / 3)),
        // A half, then two thirds.
        ("whale", "esGmx", Some(before * RATE / 2 + after * RATE / 3 * 2)),
        ("exited", "esGmx", Some(before * RATE / 4)),
        // All of what the distributor had, and half of what it owes.
        ("odd", "weth", Some(4 * ONE)),
        ("nothing", "weth", None),
        // A thousandth of a token for each second since its last claim.
        ("dust", "gmxToken", Some(400 * ONE)),
    ] {
        let token = fork.address(&format!("gmx/{token}")).unwrap().to_owned();
        let expected: Vec<_> =
            owed.into_iter().map(|owed| Paid { token: token.clone(), said: owed, received: owed }).collect();
        assert_eq!(fork.claim_each(who).unwrap(), expected, "{who}");
    }
}
