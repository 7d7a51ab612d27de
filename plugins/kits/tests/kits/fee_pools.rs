//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::fee_pools::FeePoolsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, paid, plugin};

sol! {
    function pendingReward(address) external view returns (uint256, uint256);
    function collectReward(address a, uint256 b) external;
}

const NETWORK: u64 = 1;
const POOL: Address = Address::repeat_byte(1);

plugin! {
    Tips: &FeePoolsKit { fees: "tips" },
    ["fish" = "FISH"],
    r#"
    [[deployment]]
    protocol = "fish"
    network = "ethereum"
    fee_pool = "0x0101010101010101010101010101010101010101"
    "#
}

fn chain(owed: u64) -> CannedReplies {
    CannedReplies::default().reply(NETWORK, POOL, &pendingRewardCall(ACCOUNT), &(n(owed), n(9))).reply(
        NETWORK,
        POOL,
        &collectRewardCall { a: ACCOUNT, b: n(0) },
        &(),
    )
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fish", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Tips>(chain)
}

#[test]
fn tips_are_paid_whole() {
    let outcome = run(&chain(5));
    assert_eq!((outcome.end, paid(&outcome)), (End::Complete, vec![(NATIVE, n(5))]), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].claim.arguments[..], collectRewardCall { a: ACCOUNT, b: n(0) }.abi_encode()[4..]);
}

#[test]
fn a_pool_that_refuses_is_a_failure_and_no_claim() {
    let outcome = run(&chain(5).revert(NETWORK, POOL, &collectRewardCall { a: ACCOUNT, b: n(0) }));
    assert_ne!(outcome.end, End::Complete);
    assert_eq!(outcome.findings.len(), 0);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let outcome = run(&chain(0));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [1]);
}
