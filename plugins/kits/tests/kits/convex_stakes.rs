//! Stakes of CVX and of wrapped cvxCRV, with canned replies instead of a chain. The contracts' functions are declared
//! again here.

use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use portolan_kits::convex_stakes::ConvexStakesKit;

use crate::fixture::{ACCOUNT, n, one_row, paid, plugin, text};

sol! {
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function stakingToken() external view returns (address);
    function cvxCrvToken() external view returns (address);
    function cvxCrv() external view returns (address);
    function earned(address) external view returns (uint256);
    function extraRewardsLength() external view returns (uint256);
}

const NETWORK: u64 = 10;
const AT: Address = Address::repeat_byte(1);
const CVX: Address = Address::repeat_byte(2);
const CVX_CRV: Address = Address::repeat_byte(3);
const CRV: Address = Address::repeat_byte(4);

plugin! {
    /// A protocol whose contracts are in settings.
    Fork: &ConvexStakesKit("convex-stake"),
    ["convex" = "CONVEX"],
    "\n"
}

fn run(key: &str, question: Question, chain: &CannedReplies) -> Outcome {
    let settings = one_row("convex", NETWORK, vec![text(key, AT)]);
    JobTest::new("convex", NETWORK, question, ACCOUNT).settings(settings).run::<Fork>(chain)
}

/// A stake among a thousand.
fn stake(amount: u64) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, AT, &balanceOfCall(ACCOUNT), &n(amount))
        .reply(NETWORK, AT, &totalSupplyCall {}, &n(1_000))
        .reply(NETWORK, AT, &stakingTokenCall {}, &CVX)
        .reply(NETWORK, AT, &cvxCrvCall {}, &CVX_CRV)
}

/// Stakes of CVX with these rewards, in a contract with this much cvxCRV.
fn cvx(earned: u64, left: u64) -> CannedReplies {
    stake(7)
        .reply(NETWORK, AT, &earnedCall(ACCOUNT), &n(earned))
        .reply(NETWORK, AT, &cvxCrvTokenCall {}, &CVX_CRV)
        .reply(NETWORK, AT, &extraRewardsLengthCall {}, &n(0))
        .reply(NETWORK, CVX_CRV, &balanceOfCall(AT), &n(left))
}

fn wrapped(owed: &[(Address, u64)]) -> CannedReplies {
    let owed: Vec<(Address, U256)> = owed.iter().map(|(token, amount)| (*token, n(*amount))).collect();
    stake(7).reply(NETWORK, AT, &earnedCall(ACCOUNT), &owed)
}

#[test]
fn stakes_are_told_in_their_token() {
    for (key, token) in [("cvx_staking", CVX), ("cvx_crv_wrapper", CVX_CRV)] {
        let outcome = run(key, Question::FARMING, &stake(1));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        let leg = Leg::new(LegRole::STAKED, token, n(1)).of_total(n(1_000));
        assert_eq!((outcome.positions()[0].contract, &outcome.positions()[0].legs[..]), (AT, &[leg][..]));
        let nothing = run(key, Question::FARMING, &stake(0));
        assert_eq!((nothing.end, nothing.findings.len()), (End::Complete, 0));
    }
}

#[test]
fn fees_are_claimed_with_what_the_contract_has_already() {
    let outcome = run("cvx_staking", Question::CLAIMABLES, &cvx(90, 4));
    assert_eq!((outcome.end, paid(&outcome)), (End::Complete, vec![(CVX_CRV, n(94))]), "{}", outcome.message);
    assert_eq!(outcome.claimables()[0].steps[0].arguments, (ACCOUNT, true, false).abi_encode_params());
    // An account without rewards gets none of it.
    let nothing = run("cvx_staking", Question::CLAIMABLES, &cvx(0, 4));
    assert_eq!((nothing.end, nothing.findings.len()), (End::Complete, 0));
    let extra = cvx(90, 4).reply(NETWORK, AT, &extraRewardsLengthCall {}, &n(1));
    assert_eq!(run("cvx_staking", Question::CLAIMABLES, &extra).end, End::Partial);
    let broken = cvx(90, 4).revert(NETWORK, CVX_CRV, &balanceOfCall(AT));
    assert_eq!(run("cvx_staking", Question::CLAIMABLES, &broken).end, End::Failed);
}

#[test]
fn the_wrapper_pays_all_its_rewards_with_one_claim() {
    let chain = wrapped(&[(CRV, 5), (CVX, 1), (Address::ZERO, 0), (CVX_CRV, 0)]);
    let outcome = run("cvx_crv_wrapper", Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, paid(&outcome)), (End::Complete, vec![(CRV, n(5)), (CVX, n(1))]), "{}", outcome.message);
    assert_eq!(outcome.claimables()[0].steps[0].arguments, ACCOUNT.abi_encode());
    assert_eq!(run("cvx_crv_wrapper", Question::CLAIMABLES, &wrapped(&[(CRV, 0)])).findings.len(), 0);
    let broken = stake(7).revert(NETWORK, AT, &earnedCall(ACCOUNT));
    assert_eq!(run("cvx_crv_wrapper", Question::CLAIMABLES, &broken).end, End::Failed);
}
