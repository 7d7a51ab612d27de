//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::mux_staking::MuxStakingKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, legs, n, plugin};

sol! {
    function mlp() external view returns (address);
    function mcb() external view returns (address);
    function mux() external view returns (address);
    function weth() external view returns (address);
    function stakedMlpAmount(address) external view returns (uint256);
    function votingEscrowedAmounts(address) external view returns (uint256, uint256);
    function unlockTime(address) external view returns (uint256);
    function claimableRewards(address) external returns (uint256, uint256, uint256, uint256, uint256);
}

const NETWORK: u64 = 42_161;
const ROUTER: Address = Address::repeat_byte(1);
const MLP: Address = Address::repeat_byte(2);
const MCB: Address = Address::repeat_byte(3);
const MUX: Address = Address::repeat_byte(4);
const WETH: Address = Address::repeat_byte(5);

plugin! {
    Mux: &MuxStakingKit { stake: "stake", lock: "lock" },
    ["mux" = "MUX"],
    r#"
    [[deployment]]
    protocol = "mux"
    network = "arbitrum"
    mux_router = "0x0101010101010101010101010101010101010101"
    "#
}

fn chain([mlp, mcb, mux]: [u64; 3], end: u64, owed: [u64; 4]) -> CannedReplies {
    let [first, second, third, fourth] = owed.map(n);
    CannedReplies::default()
        .reply(NETWORK, ROUTER, &mlpCall {}, &MLP)
        .reply(NETWORK, ROUTER, &mcbCall {}, &MCB)
        .reply(NETWORK, ROUTER, &muxCall {}, &MUX)
        .reply(NETWORK, ROUTER, &wethCall {}, &WETH)
        .reply(NETWORK, ROUTER, &stakedMlpAmountCall(ACCOUNT), &n(mlp))
        .reply(NETWORK, ROUTER, &votingEscrowedAmountsCall(ACCOUNT), &(n(mcb), n(mux)))
        .reply(NETWORK, ROUTER, &unlockTimeCall(ACCOUNT), &n(end))
        .reply(NETWORK, ROUTER, &claimableRewardsCall(ACCOUNT), &(first, second, third, fourth, n(99)))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("mux", NETWORK, question, ACCOUNT).run::<Mux>(chain)
}

#[test]
fn each_stake_has_a_claim_and_a_lock_that_runs_is_a_position() {
    let chain = chain([25, 5, 6], NOW_S + 1, [1, 2, 3, 0]);
    let claims = run(Question::CLAIMABLES, &chain);
    let expected = vec![(Some(n(0)), WETH, n(1)), (Some(n(0)), MUX, n(2)), (Some(n(1)), WETH, n(3))];
    assert_eq!((claims.end, by_number(&claims)), (End::Complete, expected), "{}", claims.message);
    let staked = run(Question::FARMING, &chain);
    let [position] = staked.positions()[..] else { panic!("{:?}", staked.findings) };
    let owed = |token, amount| (LegRole::REWARD_OWED, token, n(amount), None);
    assert_eq!(legs(position), [(LegRole::STAKED, MLP, n(25), None), owed(WETH, 1), owed(MUX, 2)]);
    staked.check_totals(&claims);
    let locked = run(Question::LOCKED, &chain);
    let [position] = locked.positions()[..] else { panic!("{:?}", locked.findings) };
    assert_eq!(legs(position), [(LegRole::LOCKED, MCB, n(5), None), (LegRole::LOCKED, MUX, n(6), None)]);
    assert_eq!(position.lock.as_ref().and_then(|lock| lock.unlocks_at), Some(NOW_S + 1));
    locked.check_totals(&claims);
}

#[test]
fn a_lock_that_is_over_is_a_claim() {
    let chain = chain([0, 0, 9], NOW_S, [0, 0, 0, 0]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!((claims.end, by_number(&claims)), (End::Complete, vec![(Some(n(2)), MUX, n(9))]), "{}", claims.message);
    assert_eq!(run(Question::LOCKED, &chain).findings.len(), 0);
    assert_eq!(run(Question::FARMING, &chain).findings.len(), 0);
}

#[test]
fn an_account_with_nothing_costs_two_reads_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = run(question, &chain([0, 0, 0], 0, [0, 0, 0, 0]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
