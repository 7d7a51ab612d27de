//! Superfluid's own contracts: what an account can move at the block, what comes a second, what it has deposited for
//! the streams that it pays, and what a pool owes it. What they have to be is said here by arithmetic;
//! `tests/chain/profiles/superfluid.mjs` has the history.

use portolan_tests::fork::{Fork, Paid, SharedFork};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;
/// A stream's deposit is what it pays in four hours, rounded up to a multiple of 2^32.
const DEPOSIT_S: u128 = 14_400;
const DEPOSIT_UNIT: u128 = 1 << 32;
/// Smallest units of a super dollar for one of a dollar.
const SCALE: u128 = ONE / USDC;

static FORK: SharedFork = SharedFork::new("superfluid");

/// The super token, its smallest units' worth in what it wraps, and what comes a second, of what an account can move.
type Moved = (String, u128, Option<String>);

fn moved(fork: &Fork, who: &str) -> Vec<Moved> {
    let row = |row: &Json| {
        let comes = row.at("position/rewards").unwrap().items().unwrap().first().map(|reward| {
            assert_eq!(reward.at("apr").unwrap().to_string(), "null", "a stream is no yield: {row}");
            reward.at("perSecond").unwrap().to_string()
        });
        let amount = row.text_at("amountRaw").unwrap().parse().unwrap();
        (row.text_at("position/contractAddress").unwrap().to_owned(), amount, comes)
    };
    let mut rows: Vec<_> = fork.items("farming/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// The super token and what is withheld, of the deposits of an account, each until it ends its streams.
fn deposits(fork: &Fork, who: &str) -> Vec<(String, u128)> {
    let row = |row: &Json| {
        assert_eq!(row.at("isPermanent").unwrap().to_string(), "true", "{row}");
        let [leg] = row.at("legs").unwrap().items().unwrap() else { panic!("not one leg: {row}") };
        (row.text_at("contractAddress").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap())
    };
    fork.items("locked/{}/positions", who).unwrap().iter().map(row).collect()
}

fn deposit(rate: u128) -> u128 {
    (rate * DEPOSIT_S).next_multiple_of(DEPOSIT_UNIT)
}

#[test]
fn a_balance_is_what_can_be_moved_at_the_block_with_what_comes_a_second() {
    let fork = FORK.get().unwrap();
    let row = |name: &str, amount, comes: Option<&str>| {
        let token = fork.address(&format!("superfluid/{name}")).unwrap().to_owned();
        (token, amount, comes.map(str::to_owned))
    };
    let whale = 10_000 * ONE - 10 * ONE - deposit(10_000_000_000_000);
    // 10^13 and 10^12 a second for a million seconds; the pure ones are those beside five that it held.
    for (who, mut expected) in [
        (
            "farmer",
            vec![
                row("superUsdc", 10 * USDC, Some("0.00001")),
                row("superEther", 2 * ONE, None),
                row("pure", 6 * ONE, Some("0.000001")),
            ],
        ),
        // A token that wraps none is one as any other while it does not flow in.
        ("whale", vec![row("superUsdc", whale / SCALE, None), row("superDai", 10 * ONE, None)]),
        // Less than a smallest unit of a dollar, nothing after the deposit, and nothing any more.
        ("dust", vec![]),
        ("odd", vec![]),
        ("exited", vec![]),
        ("nothing", vec![]),
    ] {
        expected.sort();
        assert_eq!(moved(&fork, who), expected, "{who}");
    }
}

#[test]
fn what_is_deposited_for_streams_is_locked_until_they_end() {
    let fork = FORK.get().unwrap();
    let row = |name: &str, amount| (fork.address(&format!("superfluid/{name}")).unwrap().to_owned(), amount);
    assert_eq!(deposits(&fork, "whale"), [row("superUsdc", deposit(10_000_000_000_000) / SCALE)]);
    // One dollar less 0.99, whatever was deposited.
    assert_eq!(deposits(&fork, "odd"), [row("superUsdc", 10_000)]);
    for who in ["farmer", "dust", "exited", "nothing"] {
        assert_eq!(deposits(&fork, who), [], "{who}");
    }
}

#[test]
fn a_pool_pays_what_it_owes_a_member_that_is_not_connected() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let token = fork.address("superfluid/superDai").unwrap().to_owned();
    // Three of four shares of 40.
    assert_eq!(fork.claim_each("farmer").unwrap(), [Paid { token, said: 30 * ONE, received: 30 * ONE }]);
    for who in ["whale", "odd", "nothing"] {
        assert_eq!(fork.claim_each(who).unwrap(), [], "{who}");
    }
}
