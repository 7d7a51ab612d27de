//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::epoch_locks::EpochLocksKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, bound, claimed, n, plugin};

sol! {
    function pls() external view returns (address);
    function stakedDetails(address) external view returns (uint112, uint32);
    function unstake() external;
}

const NETWORK: u64 = 42_161;
const LOCKS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const TOKEN: Address = Address::repeat_byte(3);

plugin! {
    Locks: &EpochLocksKit { lock: "lock" },
    ["plutus" = "PLUTUS"],
    r#"
    [[deployment]]
    protocol = "plutus"
    network = "arbitrum"
    epoch_locks = ["0x0101010101010101010101010101010101010101", "0x0202020202020202020202020202020202020202"]
    "#
}

/// Stakes in both locks, of which the first is open.
fn chain(stakes: [u64; 2]) -> CannedReplies {
    let chain = LOCKS.into_iter().zip(stakes).fold(CannedReplies::default(), |chain, (lock, stake)| {
        chain.reply(NETWORK, lock, &plsCall {}, &TOKEN).reply(
            NETWORK,
            lock,
            &stakedDetailsCall(ACCOUNT),
            &(n(stake), n(9)),
        )
    });
    chain.reply(NETWORK, LOCKS[0], &unstakeCall {}, &()).revert(NETWORK, LOCKS[1], &unstakeCall {})
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("plutus", NETWORK, question, ACCOUNT).claim_functions(&bound("unstake()", &LOCKS)).run::<Locks>(chain)
}

#[test]
fn an_open_lock_is_a_claim_and_a_shut_one_a_position() {
    let chain = chain([8, 9]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!((claims.end, claimed(&claims)), (End::Complete, vec![(LOCKS[0], TOKEN, n(8))]), "{}", claims.message);
    let locked = run(Question::LOCKED, &chain);
    let found: Vec<_> = locked.positions().iter().map(|row| (row.contract, row.legs[0].amount)).collect();
    assert_eq!((locked.end, found), (End::Complete, vec![(LOCKS[1], n(9))]), "{}", locked.message);
    locked.check_totals(&claims);
}

#[test]
fn an_account_with_nothing_costs_a_read_per_lock_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain([0, 0]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
