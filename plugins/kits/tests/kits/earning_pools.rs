//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::earning_pools::EarningPoolsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function earned(address) external view returns (uint256);
    function getReward() external;
}

const NETWORK: u64 = 137;
const POOLS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const STAKE: Address = Address::repeat_byte(3);
const REWARD: Address = Address::repeat_byte(4);

plugin! {
    Pools: &EarningPoolsKit { stake: "stake" },
    ["sand" = "SAND"],
    r#"
    [[deployment]]
    protocol = "sand"
    network = "polygon"
    earning_pools = ["0x0101010101010101010101010101010101010101", "0x0202020202020202020202020202020202020202"]
    earning_stake = "0x0303030303030303030303030303030303030303"
    earning_reward = "0x0404040404040404040404040404040404040404"
    "#
}

fn chain(stakes: [u64; 2], owed: [u64; 2]) -> CannedReplies {
    POOLS.into_iter().zip(stakes.into_iter().zip(owed)).fold(
        CannedReplies::default(),
        |chain, (pool, (stake, owed))| {
            chain
                .reply(NETWORK, pool, &balanceOfCall(ACCOUNT), &n(stake))
                .reply(NETWORK, pool, &totalSupplyCall {}, &n(100))
                .reply(NETWORK, pool, &earnedCall(ACCOUNT), &n(owed))
                .reply(NETWORK, pool, &getRewardCall {}, &())
        },
    )
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("sand", NETWORK, question, ACCOUNT).run::<Pools>(chain)
}

#[test]
fn pools_pay_what_is_earned_in_the_tokens_of_the_row() {
    let chain = chain([16, 0], [4, 5]);
    let claims = run(Question::CLAIMABLES, &chain);
    let expected = vec![(POOLS[0], REWARD, n(4)), (POOLS[1], REWARD, n(5))];
    assert_eq!((claims.end, claimed(&claims)), (End::Complete, expected), "{}", claims.message);
    let staked = run(Question::FARMING, &chain);
    let [position] = staked.positions()[..] else { panic!("{:?}", staked.findings) };
    assert_eq!(legs(position), [(LegRole::STAKED, STAKE, n(16), None), (LegRole::REWARD_OWED, REWARD, n(4), None)]);
    assert_eq!(position.legs[0].total, Some(n(100)));
    staked.check_totals(&claims);
}

#[test]
fn a_claim_that_its_pool_refuses_is_reported_and_loses_only_itself() {
    let outcome = run(Question::CLAIMABLES, &chain([1, 1], [4, 5]).revert(NETWORK, POOLS[0], &getRewardCall {}));
    let rest = vec![(POOLS[1], REWARD, n(5))];
    assert_eq!((outcome.end, claimed(&outcome)), (End::Partial, rest), "{}", outcome.message);
}

#[test]
fn an_account_with_nothing_costs_a_read_per_pool_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &chain([0, 0], [0, 0]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
