//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::side_booster::SideBoosterKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, n, one_row, plugin, text};

sol! {
    function poolLength() external view returns (uint256);
    function poolInfo(uint256) external view returns (address, address, address, bool, address);
    function crv() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function claimable_reward(address, address) external view returns (uint256);
    function rewardRedirect(address) external view returns (address);
    function earned(address) external returns (tuple(address, uint256)[]);
}

const NETWORK: u64 = 42_161;
const BOOSTER: Address = Address::repeat_byte(0xb0);
const CRV: Address = Address::repeat_byte(0xc1);
const CVX: Address = Address::repeat_byte(0xc2);
const ARB: Address = Address::repeat_byte(0xc3);
const POOLS: u64 = 3;
const TYPES: SideBoosterKit = SideBoosterKit { pool: "side" };

plugin! {
    Fork: &TYPES,
    ["convex" = "CONVEX"],
    r#"
    [[deployment]]
    protocol = "convex"
    network = "arbitrum"
    side_booster = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0"
    "#
}

fn lp(pid: u8) -> Address {
    Address::with_last_byte(0x50 + pid)
}

fn rewards(pid: u8) -> Address {
    Address::with_last_byte(0x60 + pid)
}

fn info(pid: u8, rewards: Address) -> ReadResult {
    let (gauge, factory) = (Address::with_last_byte(0x70 + pid), Address::repeat_byte(0xfa));
    ReadResult::Ok((lp(pid), gauge, rewards, pid == 1, factory).abi_encode().into())
}

/// A pool with a total stake of four thousand: the account's stake, its CRV counted before, and its total rewards.
fn pool(chain: CannedReplies, pid: u8, staked: u64, counted: u64, earned: &[(Address, u64)]) -> CannedReplies {
    let earned: Vec<(Address, U256)> = earned.iter().map(|(token, amount)| (*token, n(*amount))).collect();
    let at = rewards(pid);
    chain
        .result(NETWORK, BOOSTER, &poolInfoCall(n(pid.into())), info(pid, at))
        .reply(NETWORK, at, &crvCall {}, &CRV)
        .reply(NETWORK, at, &balanceOfCall(ACCOUNT), &n(staked))
        .reply(NETWORK, at, &totalSupplyCall {}, &n(4_000))
        .reply(NETWORK, at, &claimable_rewardCall { _0: CRV, _1: ACCOUNT }, &n(counted))
        .reply(NETWORK, at, &rewardRedirectCall(ACCOUNT), &Address::ZERO)
        .reply(NETWORK, at, &earnedCall(ACCOUNT), &earned)
}

/// A booster of three pools, the second of them shut down; the account has nothing.
fn booster() -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, BOOSTER, &poolLengthCall {}, &n(POOLS));
    (0..3).fold(chain, |chain, pid| pool(chain, pid, 0, 0, &[]))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("convex", NETWORK, question, ACCOUNT).run::<Fork>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &booster());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        // The list's length, its pools, their reward; then two reads of each of three.
        assert_eq!(outcome.batches.last(), Some(&6), "{:?}", outcome.batches);
        let next = JobTest::new("convex", NETWORK, question, ACCOUNT).after(&outcome).run::<Fork>(&booster());
        assert_eq!(next.end, End::Complete, "{}", next.message);
        assert!(next.batches.len() <= 2, "{:?}", next.batches);
    }
}

#[test]
fn a_claim_pays_every_reward_of_a_pool_and_leaves_out_those_that_are_no_more() {
    let chain = pool(booster(), 0, 500, 0, &[(CRV, 40), (CVX, 0), (Address::ZERO, 9), (ARB, 7)]);
    // Shut down, with a stake withdrawn and a reward unclaimed.
    let chain = pool(chain, 1, 0, 5, &[(CRV, 5), (CVX, 1)]);
    let outcome = run(Question::CLAIMABLES, &chain);
    let (first, second) = (rewards(0), rewards(1));
    let expected = vec![(first, CRV, n(40)), (first, ARB, n(7)), (second, CRV, n(5)), (second, CVX, n(1))];
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, expected), "{}", outcome.message);
    let claim = &outcome.claimables()[0];
    assert_eq!(claim.steps[0].arguments, ACCOUNT.abi_encode());
    assert_eq!((claim.mechanism.as_str(), &claim.name), ("side", &format!("{{{:#x}}} rewards", lp(0))));
    // A stake without rewards yet.
    let outcome = run(Question::CLAIMABLES, &pool(booster(), 2, 1, 0, &[(CRV, 0), (CVX, 0)]));
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, vec![]));
}

#[test]
fn a_stake_has_its_token_and_what_is_owed() {
    let chain = pool(booster(), 1, 500, 0, &[(CRV, 40), (CVX, 0), (Address::ZERO, 9), (ARB, 7)]);
    let chain = pool(chain, 2, 0, 5, &[(CRV, 5)]);
    let outcome = run(Question::FARMING, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one stake") };
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, rewards(1)));
    let owed = |token, amount| Leg::new(LegRole::REWARD_OWED, token, n(amount));
    let stake = Leg::new(LegRole::STAKED, lp(1), n(500)).of_total(n(4_000));
    assert_eq!(position.legs, [stake, owed(CRV, 40), owed(ARB, 7)]);
    assert_eq!(position.rewards, [CRV, CVX, ARB].map(|token| Reward::new(token, None)));
    assert_eq!(position.name, format!("{{{:#x}}} pool", lp(1)));
}

#[test]
fn what_fails_costs_its_own_rows_and_is_reported() {
    let both = || pool(pool(booster(), 0, 5, 0, &[(CRV, 10)]), 2, 6, 0, &[(CRV, 20)]);
    for chain in [
        both().revert(NETWORK, rewards(0), &balanceOfCall(ACCOUNT)),
        both().revert(NETWORK, rewards(0), &earnedCall(ACCOUNT)),
        // Another pool at that id now, and a pool with redirected rewards.
        both().reply(NETWORK, rewards(0), &rewardRedirectCall(ACCOUNT), &ARB),
    ] {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, claimed(&outcome)), (End::Partial, vec![(rewards(2), CRV, n(20))]));
    }
    let own = both().reply(NETWORK, rewards(0), &rewardRedirectCall(ACCOUNT), &ACCOUNT);
    assert_eq!(run(Question::CLAIMABLES, &own).payments().len(), 2, "it pays the account itself");
    let stakes = run(Question::FARMING, &both().revert(NETWORK, rewards(0), &totalSupplyCall {}));
    assert_eq!((stakes.end, stakes.positions().len()), (End::Partial, 1));
    assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
}

#[test]
fn a_claim_goes_only_where_the_booster_says() {
    let chain = pool(booster(), 0, 5, 0, &[(CRV, 10)]);
    let first = run(Question::CLAIMABLES, &chain);
    assert_eq!(first.payments()[0].claim.to, rewards(0));
    let moved = chain.result(NETWORK, BOOSTER, &poolInfoCall(n(0)), info(0, ARB));
    let next = JobTest::new("convex", NETWORK, Question::CLAIMABLES, ACCOUNT).after(&first).run::<Fork>(&moved);
    assert_eq!((next.end, next.payments().len()), (End::Partial, 0), "{}", next.message);
}

#[test]
fn more_rewards_than_a_pool_may_have_are_reported() {
    let many: Vec<(Address, u64)> = (1..=13).map(|place| (Address::with_last_byte(place), 1)).collect();
    let outcome = run(Question::CLAIMABLES, &pool(booster(), 0, 5, 0, &many));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 12), "{}", outcome.message);
}

#[test]
fn a_row_of_settings_has_a_booster() {
    let rows = testing::catalogue::<Fork>(&one_row("convex", 137, vec![text("side_booster", BOOSTER)])).deployments;
    assert_eq!(rows[0].contracts, [BOOSTER]);
    assert_eq!(rows[0].questions, [Question::CLAIMABLES, Question::FARMING]);
}
