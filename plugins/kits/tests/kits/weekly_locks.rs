//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::weekly_locks::WeeklyLocksKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, bound, n, paid, plugin};

sol! {
    function lastClaimedWeek(address) external view returns (uint256);
    function getActiveLocks(address) external view returns (uint256[2][]);
    function getUnlockable(address) external view returns (uint256);
    function getRewardTokensLength() external view returns (uint256);
    function rewardTokens(uint256) external view returns (address);
    function earned(address a, address b) external view returns (uint256);
}

const NETWORK: u64 = 1;
const LOCK: Address = Address::repeat_byte(1);
const TOKEN: Address = Address::repeat_byte(2);
const REWARD: Address = Address::repeat_byte(3);
const PLATFORM: Address = Address::repeat_byte(0xef);

plugin! {
    Locks: &WeeklyLocksKit { lock: "lock" },
    ["eqb" = "EQB"],
    r#"
    [[deployment]]
    protocol = "eqb"
    network = "ethereum"
    weekly_lock = "0x0101010101010101010101010101010101010101"
    weekly_token = "0x0202020202020202020202020202020202020202"
    "#
}

fn chain(claimed: u64) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, LOCK, &lastClaimedWeekCall(ACCOUNT), &n(claimed))
        .reply(NETWORK, LOCK, &getActiveLocksCall(ACCOUNT), &vec![[n(NOW_S + 9), n(30)], [n(NOW_S + 99), n(40)]])
        .reply(NETWORK, LOCK, &getUnlockableCall(ACCOUNT), &n(20))
        .reply(NETWORK, LOCK, &getRewardTokensLengthCall {}, &n(2))
        .reply(NETWORK, LOCK, &rewardTokensCall(n(0)), &REWARD)
        .reply(NETWORK, LOCK, &rewardTokensCall(n(1)), &PLATFORM)
        .reply(NETWORK, LOCK, &earnedCall { a: ACCOUNT, b: REWARD }, &n(5))
        .reply(NETWORK, LOCK, &earnedCall { a: ACCOUNT, b: PLATFORM }, &n(6))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("eqb", NETWORK, question, ACCOUNT).claim_functions(&bound("unlock()", &[LOCK])).run::<Locks>(chain)
}

#[test]
fn locks_have_their_weeks_and_what_is_over_is_claimed() {
    let claims = run(Question::CLAIMABLES, &chain(1));
    let expected = vec![(REWARD, n(5)), (NATIVE, n(6)), (TOKEN, n(20))];
    assert_eq!((claims.end, paid(&claims)), (End::Complete, expected), "{}", claims.message);
    assert_eq!(claims.claimables().len(), 2);
    let locked = run(Question::LOCKED, &chain(1));
    let found: Vec<_> = locked
        .positions()
        .iter()
        .map(|row| (row.legs[0].amount, row.lock.as_ref().and_then(|lock| lock.unlocks_at)))
        .collect();
    assert_eq!(found, [(n(30), Some(NOW_S + 9)), (n(40), Some(NOW_S + 99))]);
    locked.check_totals(&claims);
}

#[test]
fn who_never_locked_costs_one_read_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain(0));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
