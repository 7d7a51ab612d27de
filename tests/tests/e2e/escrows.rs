//! Synthetix' escrow of rewards, and Karak's vaults with the queue of what leaves them. What they have to be is said here by
//! arithmetic; `tests/chain/profiles/escrows.mjs` has the history.

use portolan_tests::fork::{Fork, SharedFork, pays};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const DAY: i128 = 86_400;

static FORK: SharedFork = SharedFork::new("escrows");

/// Number, amount and seconds from the snapshot to the end of each locked position; sorted.
fn locked(fork: &Fork, who: &str) -> Vec<(String, u128, i128)> {
    let snapshot = i128::from(fork.chain.block_timestamp);
    let row = |row: &Json| {
        let [leg] = row.at("legs").unwrap().items().unwrap() else { panic!("not one leg: {row}") };
        let end: i128 = row.at("unlocksAt").unwrap().to_string().parse().unwrap();
        let amount = leg.text_at("amountRaw").unwrap().parse().unwrap();
        (row.text_at("number").unwrap().to_owned(), amount, end - snapshot)
    };
    let mut rows: Vec<_> = fork.items("locked/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// Vault and amount of each stake; sorted.
fn staked(fork: &Fork, who: &str) -> Vec<(String, u128)> {
    let row = |row: &Json| {
        let amount = row.text_at("amountRaw").unwrap().parse().unwrap();
        (row.text_at("contractAddress").unwrap().to_owned(), amount)
    };
    let mut rows: Vec<_> = fork.items("farming/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn what_is_over_is_claimed() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let [synthetix, karak] = ["synthetix", "karak"].map(|protocol| fork.of(protocol));
    // 4 of the frozen escrow and 10 that end with the snapshot, by one claim.
    assert_eq!(synthetix.payments("farmer").unwrap(), [pays([("snx", 14 * ONE)])]);
    // 70 entries of 2 are more than the 65 that one claim pays.
    assert_eq!(synthetix.payments("whale").unwrap(), [pays([("snx", 10 * ONE)]), pays([("snx", 130 * ONE)])]);
    // One share is worth 1 and two are worth 2 each; the whale's delay ends with the snapshot.
    assert_eq!(karak.payments("farmer").unwrap(), [pays([("wsteth", ONE), ("usdc", 4 * ONE)])]);
    assert_eq!(karak.payments("whale").unwrap(), [pays([("usdc", 2 * ONE)])]);
    for who in ["exited", "nothing"] {
        assert_eq!((synthetix.payments(who).unwrap(), karak.payments(who).unwrap()), (vec![], vec![]), "{who}");
    }
}

#[test]
fn what_is_not_over_is_locked_until_its_end() {
    let fork = FORK.get().unwrap();
    let [synthetix, karak] = ["synthetix", "karak"].map(|protocol| fork.of(protocol));
    assert_eq!(locked(&synthetix, "farmer"), [("4".to_owned(), 20 * ONE, 1)]);
    assert_eq!(locked(&synthetix, "whale"), [("76".to_owned(), 3 * ONE, 365 * DAY)]);
    // The third withdrawal, a day old.
    assert_eq!(locked(&karak, "farmer"), [("2".to_owned(), 3 * ONE, 6 * DAY)]);
    assert_eq!(locked(&karak, "whale"), []);
    for who in ["exited", "nothing"] {
        assert_eq!((locked(&synthetix, who), locked(&karak, who)), (vec![], vec![]), "{who}");
    }
}

#[test]
fn a_stake_is_what_its_shares_are_worth() {
    let fork = FORK.get().unwrap().of("karak");
    let vault = |place: usize| fork.expected("karak/vaults").unwrap()[place].as_str().unwrap().to_owned();
    // Of 10 in the first vault 2, 1 and 3 have left; of 6 in the second 2, and a share is worth 2.
    let mut farmer = vec![(vault(0), 4 * ONE), (vault(1), 8 * ONE)];
    farmer.sort();
    assert_eq!(staked(&fork, "farmer"), farmer);
    assert_eq!(staked(&fork, "whale"), [(vault(1), 10 * ONE)]);
    for who in ["exited", "nothing"] {
        assert_eq!(staked(&fork, who), [], "{who}");
    }
}
