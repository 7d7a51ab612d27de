//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::booster::BoosterKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, claimed, n, one_row, plugin, text};

sol! {
    function poolLength() external view returns (uint256);
    function poolInfo(uint256) external view returns (address, address, address, address, address, bool);
    function lockRewards() external view returns (address);
    function minter() external view returns (address);
    function getRewardMultipliers(address) external view returns (uint256);
    function stakingToken() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function extraRewardsLength() external view returns (uint256);
    function extraRewards(uint256) external view returns (address);
    function rewardToken() external view returns (address);
    function totalSupply() external view returns (uint256);
    function earned(address) external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function rewardPool() external view returns (address);
    function token() external view returns (address);
    function baseToken() external view returns (address);
    function operator() external view returns (address);
    function reductionPerCliff() external view returns (uint256);
    function totalCliffs() external view returns (uint256);
    function maxSupply() external view returns (uint256);
    function EMISSIONS_MAX_SUPPLY() external view returns (uint256);
    function INIT_MINT_AMOUNT() external view returns (uint256);
    function mint(address, uint256) external;
    function auraOFT() external view returns (address);
    function accBalRewards() external view returns (uint256);
    function accAuraRewards() external view returns (uint256);
}

const NETWORK: u64 = 1;
const BOOSTER: Address = Address::repeat_byte(0xb0);
const CRV: Address = Address::repeat_byte(0xc1);
const CVX: Address = Address::repeat_byte(0xc2);
const CVX_CRV: Address = Address::repeat_byte(0xc3);
const LDO: Address = Address::repeat_byte(0xc4);
const WRAPPER: Address = Address::repeat_byte(0xc5);
const COORDINATOR: Address = Address::repeat_byte(0xc6);
const LOCK_POOL: Address = Address::repeat_byte(0xd1);
const EXTRA: Address = Address::repeat_byte(0xe1);
const OTHER_EXTRA: Address = Address::repeat_byte(0xe2);

const TYPES: BoosterKit = BoosterKit { pool: "booster" };

plugin! {
    /// Four protocols with the same booster, one per minting rule.
    Fork: &TYPES,
    ["convex" = "CONVEX", "aura" = "AURA", "aura-v1" = "AURA_V1", "lite" = "LITE"],
    r#"
    [[deployment]]
    protocol = "convex"
    network = "ethereum"
    booster = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0"
    minting = "convex"

    [[deployment]]
    protocol = "aura"
    network = "ethereum"
    booster = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0"
    minting = "aura"

    [[deployment]]
    protocol = "aura-v1"
    network = "ethereum"
    booster = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0"
    minting = "aura-v1"

    [[deployment]]
    protocol = "lite"
    network = "ethereum"
    booster = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0"
    minting = "aura-lite"
    "#
}

fn lp(pid: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &pid.to_be_bytes()].concat())
}

fn rewards(pid: u64) -> Address {
    Address::left_padding_from(&[&[0x6a][..], &pid.to_be_bytes()].concat())
}

fn info(pid: u64, rewards: Address) -> ReadResult {
    let (lp, zero) = (lp(pid), Address::ZERO);
    ReadResult::Ok((lp, zero, zero, rewards, zero, pid == 1).abi_encode().into())
}

/// A reward contract with a stake of the account among 4,000, at a rate of 12 per second.
fn pool(chain: CannedReplies, at: Address, staked: u64, earned: u64) -> CannedReplies {
    chain
        .reply(NETWORK, at, &balanceOfCall(ACCOUNT), &n(staked))
        .reply(NETWORK, at, &earnedCall(ACCOUNT), &n(earned))
        .reply(NETWORK, at, &rewardTokenCall {}, &CRV)
        .reply(NETWORK, at, &extraRewardsLengthCall {}, &n(0))
        .reply(NETWORK, at, &totalSupplyCall {}, &n(4_000))
        .reply(NETWORK, at, &rewardRateCall {}, &n(12))
        .reply(NETWORK, at, &periodFinishCall {}, &n(NOW_S + 1))
        .reply(NETWORK, BOOSTER, &getRewardMultipliersCall(at), &n(5_000))
}

/// A booster of three pools, the second of them shut down, and of stakes of its locked token. The account has nothing,
/// and half of the thousand cliffs are passed.
fn booster() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, BOOSTER, &poolLengthCall {}, &n(3))
        .reply(NETWORK, BOOSTER, &lockRewardsCall {}, &LOCK_POOL)
        .reply(NETWORK, BOOSTER, &minterCall {}, &CVX)
        .reply(NETWORK, LOCK_POOL, &stakingTokenCall {}, &CVX_CRV)
        .reply(NETWORK, CVX, &operatorCall {}, &BOOSTER)
        .reply(NETWORK, CVX, &reductionPerCliffCall {}, &n(100_000))
        .reply(NETWORK, CVX, &totalCliffsCall {}, &n(1_000))
        .reply(NETWORK, CVX, &maxSupplyCall {}, &n(100_000_000))
        .reply(NETWORK, CVX, &totalSupplyCall {}, &n(50_000_000));
    let chain = pool(chain, LOCK_POOL, 0, 0);
    (0..3).fold(chain, |chain, pid| {
        pool(chain.result(NETWORK, BOOSTER, &poolInfoCall(n(pid)), info(pid, rewards(pid))), rewards(pid), 0, 0)
    })
}

/// An extra reward of a pool, paid in `token`, at a rate of 3 per second.
fn extra(chain: CannedReplies, pid: u64, place: u64, at: Address, token: Address, earned: u64) -> CannedReplies {
    chain
        .reply(NETWORK, rewards(pid), &extraRewardsLengthCall {}, &n(place + 1))
        .reply(NETWORK, rewards(pid), &extraRewardsCall(n(place)), &at)
        .reply(NETWORK, at, &rewardTokenCall {}, &token)
        .reply(NETWORK, at, &earnedCall(ACCOUNT), &n(earned))
        .reply(NETWORK, at, &rewardRateCall {}, &n(3))
        .reply(NETWORK, at, &periodFinishCall {}, &n(NOW_S + 1))
}

fn run(protocol: &str, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new(protocol, NETWORK, question, ACCOUNT).run::<Fork>(chain)
}

/// Returns the amount minted beside a claim of a thousand; `None` if the claim cannot be made.
fn beside(protocol: &str, chain: CannedReplies) -> Option<U256> {
    minted(run(protocol, Question::CLAIMABLES, &pool(chain, rewards(0), 1, 1_000)))
}

/// Returns the AURA minted beside a reward of a thousand, if its minter created this many.
fn aura_beside(supply: u64, by_minter: u64) -> Option<U256> {
    let chain = pool(aura(supply), rewards(0), 1, 1_000);
    minted(
        JobTest::new("aura", NETWORK, Question::CLAIMABLES, ACCOUNT)
            .run::<Fork>(aura_that_mints(&chain, supply, by_minter)),
    )
}

/// Simulates AURA's `mint` by the booster: it multiplies by its share, and reverts on overflow.
fn aura_that_mints(mut chain: &CannedReplies, supply: u64, by_minter: u64) -> impl Replies {
    move |request: &ReadRequest| {
        let Ok(call) = mintCall::abi_decode(&request.data) else { return chain.reply(request) };
        assert_eq!((request.to, request.from), (CVX, Some(BOOSTER)));
        let passed = (supply - 50_000_000 - by_minter) / 100_000;
        let share = (passed < 500).then(|| n((500 - passed) * 5 / 2 + 700));
        match share.map_or(Some(U256::ZERO), |share| call._1.checked_mul(share)) {
            Some(_) => ReadResult::Ok(Bytes::new()),
            None => ReadResult::Reverted(Bytes::new()),
        }
    }
}

fn minted(outcome: Outcome) -> Option<U256> {
    let rows = claimed(&outcome);
    assert_eq!(outcome.end == End::Complete, !rows.is_empty(), "{}", outcome.message);
    let minted = |(_, token, amount): &(Address, Address, U256)| (*token == CVX).then_some(*amount);
    (!rows.is_empty()).then(|| rows.iter().find_map(minted).unwrap_or_default())
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run("convex", question, &booster());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        // The list's length and the other stake; the walk, with that stake's token; two reads of each of four.
        assert_eq!(outcome.batches.last(), Some(&8), "{:?}", outcome.batches);
        let next = JobTest::new("convex", NETWORK, question, ACCOUNT).after(&outcome).run::<Fork>(&booster());
        assert_eq!(next.end, End::Complete, "{}", next.message);
        assert!(next.batches.len() <= 4, "{:?}", next.batches);
    }
}

#[test]
fn a_claim_pays_the_reward_what_is_minted_beside_it_and_extra_rewards() {
    let chain = pool(booster(), rewards(2), 500, 1_000);
    // One reward is the token itself, one is the minted token in a wrapper.
    let chain = extra(chain, 2, 0, EXTRA, LDO, 7);
    let chain = extra(chain, 2, 1, OTHER_EXTRA, WRAPPER, 30)
        .reply(NETWORK, WRAPPER, &rewardPoolCall {}, &OTHER_EXTRA)
        .reply(NETWORK, WRAPPER, &tokenCall {}, &CVX);
    let outcome = run("convex", Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    // Half of a thousand, for half of the cliffs; thirty more are extra.
    let at = rewards(2);
    assert_eq!(claimed(&outcome), [(at, CRV, n(1_000)), (at, CVX, n(530)), (at, LDO, n(7))]);
    let [claim] = outcome.claimables()[..] else { panic!("one claim: {}", outcome.message) };
    assert_eq!((claim.contract, claim.mechanism.as_str()), (at, "booster"));
    assert_eq!(claim.name, format!("{{{:#x}}} rewards", lp(2)));
    assert_eq!(claim.steps[0].arguments, (ACCOUNT, true).abi_encode_params());
    // Aura's wrapper has another view for it.
    let base = chain.revert(NETWORK, WRAPPER, &tokenCall {}).reply(NETWORK, WRAPPER, &baseTokenCall {}, &LDO);
    let outcome = run("convex", Question::CLAIMABLES, &base);
    assert_eq!(claimed(&outcome), [(at, CRV, n(1_000)), (at, CVX, n(500)), (at, LDO, n(37))]);
}

#[test]
fn a_token_that_wraps_another_for_nobody_is_paid_itself() {
    let chain = extra(pool(booster(), rewards(0), 1, 0), 0, 0, EXTRA, LDO, 7).reply(NETWORK, LDO, &tokenCall {}, &CVX);
    assert_eq!(claimed(&run("convex", Question::CLAIMABLES, &chain)), [(rewards(0), LDO, n(7))]);
}

#[test]
fn stakes_of_the_locked_token_and_of_pools_that_are_shut_down_pay_too() {
    let chain = pool(pool(booster(), LOCK_POOL, 9, 10), rewards(1), 8, 1);
    let outcome = run("convex", Question::CLAIMABLES, &chain);
    // Half of one is nothing.
    let expected = [(rewards(1), CRV, n(1)), (LOCK_POOL, CRV, n(10)), (LOCK_POOL, CVX, n(5))];
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    let stakes = run("convex", Question::FARMING, &chain);
    let rows: Vec<_> = stakes.positions().iter().map(|row| (row.contract, row.legs[0].token)).collect();
    assert_eq!(rows, [(rewards(1), lp(1)), (LOCK_POOL, CVX_CRV)]);
    stakes.check_totals(&outcome);
}

#[test]
fn less_is_minted_with_each_cliff_and_nothing_after_the_last_or_for_another_operator() {
    let at = |supply: u64| booster().reply(NETWORK, CVX, &totalSupplyCall {}, &n(supply));
    assert_eq!(beside("convex", at(99_999)), Some(n(1_000)));
    assert_eq!(beside("convex", at(100_000)), Some(n(999)));
    assert_eq!(beside("convex", at(99_900_000)), Some(n(1)));
    assert_eq!(beside("convex", at(100_000_000)), Some(n(0)));
    // Half of a thousand is 500, but only 100 are left.
    let near = at(50_000_000).reply(NETWORK, CVX, &maxSupplyCall {}, &n(50_000_100));
    assert_eq!(beside("convex", near), Some(n(100)));
    assert_eq!(beside("convex", at(1).reply(NETWORK, CVX, &operatorCall {}, &ACCOUNT)), Some(n(0)));
    assert_eq!(beside("convex", at(1).reply(NETWORK, CVX, &reductionPerCliffCall {}, &n(0))), None);
}

/// AURA: 50 million initially and as many to be minted, in 500 cliffs of 100,000.
fn aura(supply: u64) -> CannedReplies {
    booster()
        .reply(NETWORK, CVX, &totalSupplyCall {}, &n(supply))
        .reply(NETWORK, CVX, &totalCliffsCall {}, &n(500))
        .reply(NETWORK, CVX, &EMISSIONS_MAX_SUPPLYCall {}, &n(50_000_000))
        .reply(NETWORK, CVX, &INIT_MINT_AMOUNTCall {}, &n(50_000_000))
}

#[test]
fn the_steeper_rule_counts_what_was_minted_since_and_has_a_multiplier() {
    // A thousand, times the multiplier of a half, times ((500 - 0) * 2.5 + 700) / 500 or ((500 - 499) * 2.5 + 700) /
    // 500.
    assert_eq!(aura_beside(50_000_000, 0), Some(n(1_950)));
    assert_eq!(aura_beside(99_999_000, 0), Some(n(702)));
    assert_eq!(aura_beside(99_999_999, 0), Some(n(1)), "the rest");
    assert_eq!(aura_beside(100_000_000, 0), Some(n(0)));
    assert_eq!(beside("aura", aura(1)), None, "less than there was at first");
}

#[test]
fn a_booster_that_was_replaced_pays_what_it_owes_and_mints_nothing() {
    // The first booster has no multipliers; the token has another operator by now.
    let first = |operator: Address| {
        let chain = pool(aura(50_000_000), rewards(0), 8, 1_000);
        let chain = chain.reply(NETWORK, CVX, &operatorCall {}, &operator);
        chain.revert(NETWORK, BOOSTER, &getRewardMultipliersCall(rewards(0)))
    };
    let replaced = first(ACCOUNT);
    let outcome = run("aura-v1", Question::CLAIMABLES, &replaced);
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, vec![(rewards(0), CRV, n(1_000))]));
    let stake = run("aura-v1", Question::FARMING, &replaced);
    let owed = Leg::new(LegRole::REWARD_OWED, CRV, n(1_000));
    assert_eq!(stake.positions()[0].legs, [Leg::new(LegRole::STAKED, lp(0), n(8)).of_total(n(4_000)), owed]);
    // Before, it minted by the token's rule alone: ((500 - 0) * 2.5 + 700) / 500 of a thousand.
    let before = first(BOOSTER);
    let job = JobTest::new("aura-v1", NETWORK, Question::CLAIMABLES, ACCOUNT);
    let before = job.run::<Fork>(aura_that_mints(&before, 50_000_000, 0));
    assert_eq!(claimed(&before), [(rewards(0), CRV, n(1_000)), (rewards(0), CVX, n(3_900))]);
    assert_eq!(run("aura", Question::CLAIMABLES, &replaced).end, End::Partial, "the second one has multipliers");
}

#[test]
fn what_the_minter_of_the_steeper_rule_made_beside_does_not_count() {
    // 25 million beyond the initial supply, some of which the minter created. Only the others count for cliffs, and a
    // thousand times the multiplier of a half gives ((500 - cliffs) * 2.5 + 700) / 500 as many.
    for (by_minter, passed) in
        [(0, 250), (49_999, 249), (100_000, 249), (5_000_000, 200), (24_950_000, 0), (25_000_000, 0)]
    {
        let expected = (500 - passed) * 5 / 2 + 700;
        assert_eq!(aura_beside(75_000_000, by_minter), Some(n(expected)), "{by_minter}");
    }
    for passed in 0..500 {
        let expected = (500 - passed) * 5 / 2 + 700;
        assert_eq!(aura_beside(100_000_000, 50_000_000 - passed * 100_000), Some(n(expected)), "{passed}");
    }
    // A token that never mints, or always does, follows another rule.
    for reply in [ReadResult::Reverted(Bytes::new()), ReadResult::Unavailable] {
        let chain = pool(aura(75_000_000), rewards(0), 1, 1_000);
        let outcome =
            JobTest::new("aura", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Fork>(|request: &ReadRequest| {
                if mintCall::abi_decode(&request.data).is_ok() { reply.clone() } else { (&chain).reply(request) }
            });
        assert_ne!(outcome.end, End::Complete, "{}", outcome.message);
    }
}

/// A coordinator that was sent this many tokens for this many rewards.
fn lite(tokens: u64, for_rewards: u64) -> CannedReplies {
    booster()
        .reply(NETWORK, BOOSTER, &minterCall {}, &COORDINATOR)
        .reply(NETWORK, COORDINATOR, &auraOFTCall {}, &CVX)
        .reply(NETWORK, COORDINATOR, &accAuraRewardsCall {}, &n(tokens))
        .reply(NETWORK, COORDINATOR, &accBalRewardsCall {}, &n(for_rewards))
        .revert(NETWORK, BOOSTER, &lockRewardsCall {})
}

#[test]
fn a_coordinator_shares_what_it_was_sent_and_refuses_what_it_was_not() {
    assert_eq!(beside("lite", lite(7_000, 2_000)), Some(n(3_500)));
    // A third has 18 decimals: 1,000 * 0.333333333333333333.
    assert_eq!(beside("lite", lite(1_000, 3_000)), Some(n(333)));
    for (tokens, rewards) in [(7_000, 999), (0, 2_000), (7_000, 0)] {
        assert_eq!(beside("lite", lite(tokens, rewards)), None);
    }
    // The stake and its reward are unaffected.
    let outcome = run("lite", Question::FARMING, &pool(lite(0, 0), rewards(0), 1, 1_000));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].legs[1], Leg::new(LegRole::REWARD_OWED, CRV, n(1_000)));
}

#[test]
fn a_stake_has_its_token_what_is_owed_and_what_is_paid_a_second() {
    let chain = extra(pool(booster(), rewards(0), 500, 1_000), 0, 0, EXTRA, LDO, 7);
    let outcome = run("convex", Question::FARMING, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one stake") };
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, rewards(0)));
    assert_eq!(position.name, format!("{{{:#x}}} pool", lp(0)));
    let owed = |token, amount| Leg::new(LegRole::REWARD_OWED, token, n(amount));
    let stake = Leg::new(LegRole::STAKED, lp(0), n(500)).of_total(n(4_000));
    assert_eq!(position.legs, [stake, owed(CRV, 1_000), owed(CVX, 500), owed(LDO, 7)]);
    assert_eq!(position.rewards, [Reward::new(CRV, n(12)), Reward::new(CVX, n(6)), Reward::new(LDO, n(3))]);
    let over = [rewards(0), EXTRA]
        .into_iter()
        .fold(chain, |chain, at| chain.reply(NETWORK, at, &periodFinishCall {}, &n(NOW_S)));
    assert_eq!(run("convex", Question::FARMING, &over).positions()[0].rewards, []);
    let one = run("convex", Question::FARMING, &pool(booster(), rewards(0), 1, 0));
    assert_eq!(one.positions()[0].legs[0].amount, n(1));
}

#[test]
fn what_fails_costs_its_own_rows_and_is_reported() {
    let both = || pool(pool(booster(), rewards(0), 5, 10), rewards(2), 6, 20);
    let shares = |outcome: &Outcome| outcome.payments().iter().filter(|row| row.token == CRV).count();
    let broken = [
        both().revert(NETWORK, rewards(0), &earnedCall(ACCOUNT)),
        both().revert(NETWORK, rewards(0), &rewardTokenCall {}),
        both().revert(NETWORK, rewards(0), &extraRewardsLengthCall {}),
        extra(both(), 0, 0, EXTRA, LDO, 7).revert(NETWORK, EXTRA, &earnedCall(ACCOUNT)),
        extra(both(), 0, 0, EXTRA, WRAPPER, 7).reply(NETWORK, WRAPPER, &rewardPoolCall {}, &EXTRA),
        both().reply(NETWORK, rewards(0), &earnedCall(ACCOUNT), &U256::MAX),
    ];
    for chain in &broken {
        let outcome = run("convex", Question::CLAIMABLES, chain);
        assert_eq!((outcome.end, shares(&outcome)), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.payments()[0].claim.to, rewards(2));
    }
    let stakes = run("convex", Question::FARMING, &broken[3]);
    assert_eq!((stakes.end, stakes.positions().len()), (End::Partial, 2), "the extra reward is missing alone");
    assert_eq!(run("convex", Question::CLAIMABLES, &both().revert(NETWORK, CVX, &totalSupplyCall {})).end, End::Failed);
    assert_eq!(run("convex", Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
    // The other stake is missing; the pools are not.
    let unlocked = run("convex", Question::CLAIMABLES, &both().revert(NETWORK, BOOSTER, &lockRewardsCall {}));
    assert_eq!((unlocked.end, shares(&unlocked)), (End::Partial, 2), "{}", unlocked.message);
}

#[test]
fn a_claim_goes_only_where_the_booster_says() {
    let chain = pool(booster(), rewards(0), 5, 10);
    let first = run("convex", Question::CLAIMABLES, &chain);
    assert_eq!(first.payments()[0].claim.to, rewards(0));
    let moved = chain.result(NETWORK, BOOSTER, &poolInfoCall(n(0)), info(0, EXTRA));
    let next = JobTest::new("convex", NETWORK, Question::CLAIMABLES, ACCOUNT).after(&first).run::<Fork>(&moved);
    assert_eq!((next.end, next.payments().len()), (End::Partial, 0), "{}", next.message);
}

#[test]
fn more_extra_rewards_than_are_read_are_reported() {
    let many = (0..33).fold(pool(booster(), rewards(0), 5, 10), |chain, place| {
        extra(chain, 0, place, Address::with_last_byte(0x20 + u8::try_from(place).unwrap()), LDO, 1)
    });
    let outcome = run("convex", Question::CLAIMABLES, &many);
    assert_eq!(outcome.end, End::Partial);
    assert_eq!(claimed(&outcome)[2], (rewards(0), LDO, n(32)));
}

#[test]
fn a_row_of_settings_has_a_booster_and_maybe_a_way_of_minting() {
    let settings = |keys| one_row("aura", 10, keys);
    let at = format!("{BOOSTER:#x}");
    for minting in [None, Some("convex"), Some("aura"), Some("aura-v1"), Some("aura-lite")] {
        let keys = [Some(text("booster", &at)), minting.map(|minting| text("minting", minting))];
        let rows = testing::catalogue::<Fork>(&settings(keys.into_iter().flatten().collect())).deployments;
        assert_eq!(rows[0].contracts, [BOOSTER]);
        assert_eq!(rows[0].questions, [Question::CLAIMABLES, Question::FARMING]);
    }
    let refused = |keys| testing::settings_error::<Fork>(&settings(keys)).and_then(|error| error.key);
    assert_eq!(refused(vec![text("booster", &at), text("minting", "cvx")]).as_deref(), Some("minting"));
    assert_eq!(refused(vec![text("minting", "aura")]).as_deref(), Some("booster"));
}
