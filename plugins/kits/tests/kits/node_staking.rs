//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::node_staking::NodeStakingKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, legs, n, plugin};

sol! {
    function getArpaToken() external view returns (address);
    function getStake(address) external view returns (uint256);
    function getBaseReward(address) external view returns (uint256);
    function getDelegationReward(address) external view returns (uint256);
    function getTotalStakedAmount() external view returns (uint256);
    function getFrozenPrincipal(address) external view returns (uint96[], uint256[]);
    function getClaimablePrincipalAmount(address) external view returns (uint256);
    function claimReward() external;
}

const NETWORK: u64 = 1;
const STAKING: Address = Address::repeat_byte(1);
const TOKEN: Address = Address::repeat_byte(2);

plugin! {
    Nodes: &NodeStakingKit { stake: "stake" },
    ["arpa" = "ARPA"],
    r#"
    [[deployment]]
    protocol = "arpa"
    network = "ethereum"
    node_staking = "0x0101010101010101010101010101010101010101"
    "#
}

fn chain(stake: u64, base: u64, delegated: u64, frozen: &[(u64, u64)]) -> CannedReplies {
    let amounts: Vec<U256> = frozen.iter().map(|(amount, _)| n(*amount)).collect();
    let ends: Vec<U256> = frozen.iter().map(|(_, end)| n(*end)).collect();
    let over = frozen.iter().filter(|(_, end)| *end <= NOW_S).map(|(amount, _)| amount).sum();
    CannedReplies::default()
        .reply(NETWORK, STAKING, &getArpaTokenCall {}, &TOKEN)
        .reply(NETWORK, STAKING, &getStakeCall(ACCOUNT), &n(stake))
        .reply(NETWORK, STAKING, &getBaseRewardCall(ACCOUNT), &n(base))
        .reply(NETWORK, STAKING, &getDelegationRewardCall(ACCOUNT), &n(delegated))
        .reply(NETWORK, STAKING, &getTotalStakedAmountCall {}, &n(1_000))
        .result(
            NETWORK,
            STAKING,
            &getFrozenPrincipalCall(ACCOUNT),
            ReadResult::Ok((amounts, ends).abi_encode_params().into()),
        )
        .reply(NETWORK, STAKING, &getClaimablePrincipalAmountCall(ACCOUNT), &n(over))
        .reply(NETWORK, STAKING, &claimRewardCall {}, &())
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("arpa", NETWORK, question, ACCOUNT).run::<Nodes>(chain)
}

#[test]
fn a_stake_earns_and_what_has_left_it_waits() {
    let chain = chain(100, 7, 0, &[(3, NOW_S - 1), (2, NOW_S), (5, NOW_S + 1)]);
    let claims = run(Question::CLAIMABLES, &chain);
    let expected = vec![(Some(n(0)), TOKEN, n(7)), (Some(n(1)), TOKEN, n(5))];
    assert_eq!((claims.end, by_number(&claims)), (End::Complete, expected), "{}", claims.message);
    let staked = run(Question::FARMING, &chain);
    let [position] = staked.positions()[..] else { panic!("{:?}", staked.findings) };
    assert_eq!(legs(position), [(LegRole::STAKED, TOKEN, n(100), None), (LegRole::REWARD_OWED, TOKEN, n(7), None)]);
    staked.check_totals(&claims);
    let locked = run(Question::LOCKED, &chain);
    let found: Vec<_> = locked
        .positions()
        .iter()
        .map(|row| (row.legs[0].amount, row.lock.as_ref().and_then(|lock| lock.unlocks_at)))
        .collect();
    assert_eq!(found, [(n(5), Some(NOW_S + 1))]);
    locked.check_totals(&claims);
}

#[test]
fn a_nodes_reward_leaves_with_its_stake() {
    let chain = chain(500, 0, 9, &[]);
    assert_eq!(run(Question::CLAIMABLES, &chain).findings.len(), 0);
    let staked = run(Question::FARMING, &chain);
    let [position] = staked.positions()[..] else { panic!("{:?}", staked.findings) };
    assert_eq!(legs(position), [(LegRole::STAKED, TOKEN, n(500), None)]);
    let locked = run(Question::LOCKED, &chain);
    let [position] = locked.positions()[..] else { panic!("{:?}", locked.findings) };
    assert_eq!(legs(position), [(LegRole::LOCKED, TOKEN, n(9), None)]);
}

#[test]
fn a_claim_that_the_contract_refuses_is_reported() {
    let chain = chain(100, 7, 0, &[(3, NOW_S)]).revert(NETWORK, STAKING, &claimRewardCall {});
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(
        (outcome.end, by_number(&outcome)),
        (End::Partial, vec![(Some(n(1)), TOKEN, n(3))]),
        "{}",
        outcome.message
    );
}

#[test]
fn an_account_with_nothing_has_no_findings_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = run(question, &chain(0, 0, 0, &[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
