//! Convex: stakes in a booster's pools, whose claims pay a reward, what is minted beside it and extra rewards; stakes of its
//! own tokens; locks; and a pool as those on other networks. What they have to be is said here by arithmetic; `tests/chain/profiles/boosters.mjs` has the
//! history.
//!
//! Rewards run for four days at the snapshot, at thousandths of a token a second. 601 of the thousand cliffs of the minted
//! token are passed, so that 399 thousandths of a reward are minted beside it.

use std::collections::{BTreeMap, BTreeSet};

use portolan_tests::fork::{Fork, Payments, SharedFork};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const WEEK_S: u64 = 604_800;
/// The amount that a rate of one thousandth has paid in four days.
const MILLI: u128 = 4 * 86_400 * ONE / 1_000;
/// A week of a thousandth, for ten tokens of which one smallest unit more takes its part: 60.48 for each, less what that
/// rounds off.
const WEEK_FOR_ONE: u128 = 60_480_000_000_000_000_000 - 7;

static FORK: SharedFork = SharedFork::new("boosters");

/// The amount that is minted beside a reward.
fn minted(reward: u128) -> u128 {
    reward * 399 / 1_000
}

fn paid(rows: &[(&str, u128)]) -> Payments {
    rows.iter().map(|(symbol, amount)| ((*symbol).to_owned(), *amount)).collect()
}

/// Returns the payments of every claim of every account, by arithmetic.
fn expected(fork: &Fork) -> Vec<(&'static str, BTreeMap<String, Payments>)> {
    let reward = |amount: u128| paid(&[("CRV", amount), ("CVX", minted(amount))]);
    let extras = paid(&[("CRV", MILLI), ("CVX", minted(MILLI) + 3 * MILLI), ("LDO", 2 * MILLI)]);
    // A thousandth is the fee of what a stake of CVX has earned; seven smallest units lie there.
    let fees = 5 * MILLI - 5 * MILLI / 1_000 + 7;
    let at = |path: &str, paid: Payments| (fork.address(path).unwrap().to_owned(), paid);
    let locked = paid(&[("CRV", 6 * MILLI), ("cvxCRV", 12 * MILLI)]);
    vec![
        (
            "farmer",
            BTreeMap::from([at("pools/0", reward(3 * MILLI)), at("pools/1", extras), at("boosters/locker", locked)]),
        ),
        ("whale", BTreeMap::from([at("pools/0", reward(MILLI)), at("pools/2", reward(10 * WEEK_FOR_ONE))])),
        ("odd", BTreeMap::from([at("pools/3", reward(8 * MILLI)), at("boosters/staking", paid(&[("cvxCRV", fees)]))])),
        // Three quarters of what the gauge has paid in four days.
        ("exited", BTreeMap::from([at("boosters/sidePool", paid(&[("CRV", 3 * MILLI), ("LDO", 3 * MILLI / 2)]))])),
        ("dust", BTreeMap::from([at("pools/2", reward(WEEK_FOR_ONE / ONE))])),
        ("nothing", BTreeMap::new()),
    ]
}

#[test]
fn a_claim_pays_the_reward_what_is_minted_beside_it_and_extra_rewards() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    for (who, expected) in expected(&fixture) {
        let mut told = BTreeMap::new();
        for claim in fixture.claims(who).unwrap() {
            let symbols: BTreeSet<&str> = claim.rows.iter().map(|row| row.text_at("token/symbol").unwrap()).collect();
            assert!(symbols.into_iter().eq(claim.said.keys()), "{who}: {:?}", claim.rows);
            assert_eq!(claim.received, claim.said, "{who}: {:?}", claim.rows);
            let to = claim.rows[0].text_at("claimTransaction/to").unwrap().to_owned();
            assert_eq!(told.insert(to, claim.said), None, "{who}");
        }
        assert_eq!(told, expected, "{who}");
    }
}

#[test]
fn stakes_are_told_in_the_token_that_was_given_also_where_the_pool_is_shut_down() {
    let fixture = FORK.get().unwrap();
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    assert_eq!(fixture.staked("farmer").unwrap(), [row("crvA", 300 * ONE), row("crvB", 50 * ONE)]);
    assert_eq!(fixture.staked("whale").unwrap(), [row("crvA", 100 * ONE), row("crvC", 10 * ONE)]);
    assert_eq!(fixture.staked("odd").unwrap(), [row("CVX", 5 * ONE), row("cvxCRV", 8 * ONE)]);
    assert_eq!(fixture.staked("dust").unwrap(), [row("crvC", 1)]);
    assert_eq!(fixture.staked("exited").unwrap(), [row("crvA", 30 * ONE)]);
    assert_eq!(fixture.staked("nothing").unwrap(), []);
    let owed = fixture.items("farming/{}/positions", "farmer").unwrap().into_iter().find_map(|row| {
        let is_it = row.text_at("stakedToken/symbol").unwrap() == "crvB";
        is_it.then(|| row.at("position/owed").unwrap().items().unwrap().to_vec())
    });
    let amounts: Vec<u128> =
        owed.unwrap().iter().map(|leg| leg.text_at("amountRaw").unwrap().parse().unwrap()).collect();
    assert_eq!(amounts, [MILLI, minted(MILLI) + 3 * MILLI, 2 * MILLI]);
}

#[test]
fn locks_end_sixteen_weeks_after_the_next_week_begins() {
    let fixture = FORK.get().unwrap();
    let now = fixture.chain.block_timestamp;
    let end = |from: u64| (from / WEEK_S + 17) * WEEK_S;
    let row = |row: &Json| {
        let unlocks_at = row.at("unlocksAt").unwrap().to_string().parse::<u64>().unwrap();
        (unlocks_at, row.at("legs").unwrap().items().unwrap()[0].text_at("amountRaw").unwrap().to_owned())
    };
    let mut locks: Vec<_> = fixture.items("locked/{}/positions", "farmer").unwrap().iter().map(row).collect();
    locks.sort();
    let tokens = |amount: u128| (amount * ONE).to_string();
    let (month, days) = (30 * 86_400, 4 * 86_400);
    let expected = [(now, tokens(100)), (end(now - month), tokens(200)), (end(now - days), tokens(300))];
    assert_eq!(locks, expected);
    assert_eq!(fixture.items("locked/{}/positions", "whale").unwrap(), []);
}
