//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::pendle_locks::PendleLocksKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, bound, claimed, n, one_row, plugin, text};

sol! {
    function pendle() external view returns (address);
    function positionData(address) external view returns (uint128, uint128);
    function withdraw() external returns (uint128);
    function PENDLE() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function userCooldown(address) external view returns (uint104, uint152);
    function cooldownDuration() external view returns (uint24);
    function finalizeCooldown() external returns (uint256);
}

const NETWORK: u64 = 1;
const ESCROW: Address = Address::repeat_byte(1);
const STAKED: Address = Address::repeat_byte(2);
const TOKEN: Address = Address::repeat_byte(3);
const DAY: u64 = 86_400;

plugin! {
    Locks: &PendleLocksKit { lock: "lock", stake: "stake" },
    ["pendle" = "PENDLE"],
    r#"
    [[deployment]]
    protocol = "pendle"
    network = "ethereum"
    market = "locks"
    ve_pendle = "0x0101010101010101010101010101010101010101"

    [[deployment]]
    protocol = "pendle"
    network = "ethereum"
    market = "staking"
    staked_pendle = "0x0202020202020202020202020202020202020202"
    "#
}

/// A lock with its end, a stake, and a cooldown with its start.
fn chain((locked, end): (u64, u64), stake: u64, (waits, start): (u64, u64)) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, ESCROW, &pendleCall {}, &TOKEN)
        .reply(NETWORK, ESCROW, &positionDataCall(ACCOUNT), &(n(locked), n(end)))
        .reply(NETWORK, STAKED, &PENDLECall {}, &TOKEN)
        .reply(NETWORK, STAKED, &balanceOfCall(ACCOUNT), &n(stake))
        .reply(NETWORK, STAKED, &userCooldownCall(ACCOUNT), &(n(start), n(waits)))
        .reply(NETWORK, STAKED, &cooldownDurationCall {}, &n(14 * DAY))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("pendle", NETWORK, question, ACCOUNT)
        .claim_functions(&bound("withdraw()", &[ESCROW]))
        .run::<Locks>(chain)
}

/// Contract, token, amount and end of each position.
fn held(outcome: &Outcome) -> Vec<(Address, Address, U256, Option<u64>)> {
    let row = |row: &&Position| {
        let leg = &row.legs[0];
        (row.contract, leg.token, leg.amount, row.lock.as_ref().and_then(|lock| lock.unlocks_at))
    };
    outcome.positions().iter().map(row).collect()
}

#[test]
fn an_account_with_nothing_costs_a_read_per_contract() {
    let chain = chain((0, 0), 0, (0, 0));
    for (question, reads) in [(Question::CLAIMABLES, 2), (Question::LOCKED, 2), (Question::FARMING, 1)] {
        let outcome = run(question, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [reads]);
    }
}

#[test]
fn what_waits_is_locked_and_what_is_staked_is_a_stake() {
    let chain = chain((30, NOW_S + 1), 9, (5, NOW_S + 1 - 14 * DAY));
    let outcome = run(Question::LOCKED, &chain);
    let expected = [(ESCROW, TOKEN, n(30), Some(NOW_S + 1)), (STAKED, TOKEN, n(5), Some(NOW_S + 1))];
    assert_eq!((outcome.end, held(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    outcome.check_totals(&run(Question::CLAIMABLES, &chain));
    assert_eq!(run(Question::CLAIMABLES, &chain).findings.len(), 0);
    let outcome = run(Question::FARMING, &chain);
    let expected = [(STAKED, TOKEN, n(9), None)];
    assert_eq!((outcome.end, held(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
}

#[test]
fn what_is_over_is_a_claim_from_the_second_of_its_end_on() {
    let chain = chain((30, NOW_S), 0, (5, NOW_S - 14 * DAY));
    let outcome = run(Question::CLAIMABLES, &chain);
    let expected = [(ESCROW, TOKEN, n(30)), (STAKED, TOKEN, n(5))];
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    let words: Vec<_> = outcome.claimables().iter().map(|row| row.mechanism.clone()).collect();
    assert_eq!(words, ["lock", "stake"]);
    assert_eq!(run(Question::LOCKED, &chain).findings.len(), 0);
}

#[test]
fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
    for question in [Question::CLAIMABLES, Question::LOCKED, Question::FARMING] {
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}

#[test]
fn a_row_of_both_contracts_is_refused() {
    let both = vec![text("ve_pendle", ESCROW), text("staked_pendle", STAKED)];
    let refused = testing::settings_error::<Locks>(&one_row("pendle", NETWORK, both));
    assert_eq!(refused.and_then(|error| error.key).as_deref(), Some("staked_pendle"));
}
