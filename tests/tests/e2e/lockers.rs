//! Lockers of UNCX and Team Finance, each in both versions: what is locked until when, and withdrawals of what is
//! over. What they have to be is said here by arithmetic; `tests/chain/profiles/lockers.mjs` has the history.

use portolan_tests::fork::{Fork, Paid, SharedFork};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const MILLION_S: i128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("lockers");

/// Locker, token, amount, and the end in seconds from the snapshot; sorted.
fn locked(fork: &Fork, who: &str) -> Vec<(String, String, u128, i128)> {
    let snapshot = i128::from(fork.chain.block_timestamp);
    let mut numbers = std::collections::BTreeSet::new();
    let mut row = |row: &Json| {
        assert_eq!(row.text_at("kind").unwrap(), "locked");
        let [leg] = row.at("legs").unwrap().items().unwrap() else { panic!("not one leg: {row}") };
        let contract = row.text_at("contractAddress").unwrap().to_owned();
        assert!(numbers.insert((contract.clone(), row.text_at("number").unwrap().to_owned())), "twice: {row}");
        let end: i128 = row.at("unlocksAt").unwrap().to_string().parse().unwrap();
        let amount = leg.text_at("amountRaw").unwrap().parse().unwrap();
        (contract, leg.text_at("tokenAddress").unwrap().to_owned(), amount, end - snapshot)
    };
    let mut rows: Vec<_> = fork.items("locked/{}/positions", who).unwrap().iter().map(&mut row).collect();
    rows.sort();
    rows
}

/// What each of the account's claims says and pays; sorted.
fn paid(fork: &Fork, who: &str) -> Vec<(String, u128, u128)> {
    let row = |Paid { token, said, received }| (token, said, received);
    let mut rows: Vec<_> = fork.claim_each(who).unwrap().into_iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn what_is_not_over_is_locked_until_its_end() {
    let fork = FORK.get().unwrap();
    let finance = fork.of("team-finance");
    let row = |locker: &str, token: &str, amount, end| {
        let [locker, token] = [format!("lockers/{locker}"), format!("assets/{token}")];
        (fork.address(&locker).unwrap().to_owned(), fork.address(&token).unwrap().to_owned(), amount, end)
    };
    let check = |fork: &Fork, who: &str, mut expected: Vec<_>| {
        expected.sort();
        assert_eq!(locked(fork, who), expected, "{who}");
    };
    let farmer = vec![row("pairs", "pair", 100 * ONE, MILLION_S), row("pairs", "other", 5 * ONE, 2 * MILLION_S)];
    check(&fork, "farmer", farmer);
    let whale = vec![row("pairs", "pair", 7 * ONE, 3 * MILLION_S), row("numbered", "pair", 60 * ONE, MILLION_S)];
    check(&fork, "whale", whale);
    check(&finance, "farmer", vec![row("tokens", "grant", 8 * ONE, 1)]);
    for who in ["exited", "nothing"] {
        check(&fork, who, vec![]);
        check(&finance, who, vec![]);
    }
}

#[test]
fn what_is_over_is_withdrawn() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let finance = fork.of("team-finance");
    let row = |token: &str, amount| (fork.address(&format!("assets/{token}")).unwrap().to_owned(), amount, amount);
    assert_eq!(paid(&fork, "farmer"), [row("pair", 40 * ONE)]);
    // In the second version, of a lock of which 10 of 30 were withdrawn.
    assert_eq!(paid(&fork, "whale"), [row("pair", 20 * ONE)]);
    // In the current version and in the first.
    assert_eq!(paid(&finance, "farmer"), [row("grant", 2 * ONE), row("grant", 9 * ONE)]);
    for who in ["exited", "nothing"] {
        assert_eq!((paid(&fork, who), paid(&finance, who)), (vec![], vec![]), "{who}");
    }
}

#[test]
fn a_lock_of_an_nft_is_told_beside_one_of_tokens() {
    let fork = FORK.get().unwrap();
    let response =
        fork.gateway.get(&format!("/team-finance/locked/{}/positions?detail=full", fork.account("odd").unwrap()));
    let response = response.unwrap();
    let partial = response.header("portolan-partial").map(str::to_owned);
    assert_eq!(partial.as_deref(), Some("team-finance/ethereum;reason=not-covered"), "{}", response.body);
    assert!(response.body.contains("lock 3 holds an NFT"), "{}", response.body);
    let rows = response.json().unwrap();
    let [row] = rows.at("items").unwrap().items().unwrap() else { panic!("{}", response.body) };
    assert_eq!(row.text_at("legs/0/amountRaw").unwrap(), (3 * ONE).to_string());
}
