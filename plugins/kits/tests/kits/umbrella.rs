//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::umbrella::UmbrellaKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, plugin};

sol! {
    function getAllAssets() external view returns (address[]);
    function getAllRewards(address) external view returns (address[]);
    function calculateCurrentUserRewards(address, address) external view returns (address[], uint256[]);
    function calculateCurrentEmissionScaled(address, address) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function asset() external view returns (address);
    function previewRedeem(uint256) external view returns (uint256);
    function totalAssets() external view returns (uint256);
    function getStakerCooldown(address) external view returns (uint192, uint32, uint32);
    function convertToAssets(uint256) external view returns (uint256);
    function decimals() external view returns (uint8);
}

const NETWORK: u64 = 1;
const NOW: u64 = 1_000_000;
const CONTROLLER: Address = Address::repeat_byte(1);
/// Two staked tokens; the first stakes a wrapped token.
const STAKED: [Address; 2] = [Address::repeat_byte(2), Address::repeat_byte(3)];
const TOKENS: [Address; 2] = [Address::repeat_byte(4), Address::repeat_byte(5)];
const WRAPPED: Address = Address::repeat_byte(6);
/// Rewards of 18 and of 6 decimals.
const REWARDS: [Address; 2] = [Address::repeat_byte(7), Address::repeat_byte(8)];
const TYPES: UmbrellaKit = UmbrellaKit { stake: "umbrella" };

plugin! {
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    umbrella_rewards = "0x0101010101010101010101010101010101010101"
    "#
}

/// Encodes the earned amount of each reward.
fn earned(amounts: &[u64]) -> ReadResult {
    let amounts: Vec<U256> = amounts.iter().copied().map(n).collect();
    ReadResult::Ok((REWARDS.to_vec(), amounts).abi_encode_params().into())
}

/// The account has a hundred shares of each staked token; a tenth was lost. The first earned 5 of the first reward, and
/// the second 7 of the other.
fn staked() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, CONTROLLER, &getAllAssetsCall {}, &STAKED.to_vec())
        .reply(NETWORK, REWARDS[0], &decimalsCall {}, &n(18))
        .reply(NETWORK, REWARDS[1], &decimalsCall {}, &n(6))
        .reply(NETWORK, TOKENS[0], &assetCall {}, &WRAPPED)
        .reply(NETWORK, TOKENS[0], &convertToAssetsCall(n(90)), &n(99))
        .revert(NETWORK, TOKENS[1], &assetCall {})
        .revert(NETWORK, TOKENS[1], &convertToAssetsCall(n(90)));
    let stakes = [(STAKED[0], TOKENS[0], [5, 0]), (STAKED[1], TOKENS[1], [0, 7])];
    stakes.into_iter().fold(chain, |chain, (asset, token, amounts)| {
        let user = calculateCurrentUserRewardsCall { _0: asset, _1: ACCOUNT };
        let emission = |reward| calculateCurrentEmissionScaledCall { _0: asset, _1: reward };
        chain
            .result(NETWORK, CONTROLLER, &user, earned(&amounts))
            .reply(NETWORK, CONTROLLER, &getAllRewardsCall(asset), &REWARDS.to_vec())
            .reply(NETWORK, CONTROLLER, &emission(REWARDS[0]), &n(11))
            .reply(NETWORK, CONTROLLER, &emission(REWARDS[1]), &n(0))
            .reply(NETWORK, asset, &balanceOfCall(ACCOUNT), &n(100))
            .reply(NETWORK, asset, &assetCall {}, &token)
            .reply(NETWORK, asset, &previewRedeemCall(n(100)), &n(90))
            .reply(NETWORK, asset, &totalAssetsCall {}, &n(4_000))
            .reply(NETWORK, asset, &getStakerCooldownCall(ACCOUNT), &(n(0), n(0), n(0)))
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    let block = Block { number: 7, hash: B256::ZERO, timestamp: NOW, evm_number: 7 };
    let test = JobTest::new("fork", NETWORK, question, ACCOUNT).block(block);
    // The rewards' own are among the replies.
    let tokens = TOKENS.into_iter().chain([WRAPPED]);
    tokens.fold(test, |test, token| test.token(token, 18)).run::<Fork>(chain)
}

/// Returns the contract and payments of each claim.
fn claims(outcome: &Outcome) -> Vec<(Address, Vec<(Address, U256)>)> {
    let paid = |row: &Claimable| row.payments.iter().map(|payment| (payment.token, payment.amount)).collect();
    outcome.claimables().iter().map(|row| (row.contract, paid(row))).collect()
}

#[test]
fn each_staked_token_that_earned_anything_is_a_claim() {
    let outcome = run(Question::CLAIMABLES, &staked());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(claims(&outcome), [(STAKED[0], vec![(REWARDS[0], n(5))]), (STAKED[1], vec![(REWARDS[1], n(7))])]);
    let step = &outcome.claimables()[0].steps[0];
    assert_eq!((step.to, step.arguments.to_vec()), (CONTROLLER, (STAKED[0], ACCOUNT).abi_encode_params()));
    // Two tokens of one stake are one claim.
    let user = calculateCurrentUserRewardsCall { _0: STAKED[0], _1: ACCOUNT };
    let outcome = run(Question::CLAIMABLES, &staked().result(NETWORK, CONTROLLER, &user, earned(&[5, 6])));
    assert_eq!(claims(&outcome)[0].1, [(REWARDS[0], n(5)), (REWARDS[1], n(6))]);
}

#[test]
fn a_stake_is_told_in_what_it_redeems_to_and_that_in_what_it_wraps() {
    let outcome = run(Question::FARMING, &staked());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [one, other] = outcome.positions()[..] else { panic!("two positions: {}", outcome.message) };
    let leg = |position: &Position| {
        let leg = &position.legs[0];
        (leg.role, leg.token, leg.amount, leg.total, leg.receipt)
    };
    assert_eq!(leg(one), (LegRole::STAKED, TOKENS[0], n(90), Some(n(4_000)), Some(STAKED[0])));
    assert_eq!(leg(other), (LegRole::STAKED, TOKENS[1], n(90), Some(n(4_000)), Some(STAKED[1])));
    assert_eq!(one.legs[0].redeems_to, Some(vec![Part { token: WRAPPED, amount: n(99) }]));
    assert_eq!(other.legs[0].redeems_to, None);
    // Emissions have 18 decimals whatever the reward has.
    let rates: Vec<_> = one.rewards.iter().map(|reward| (reward.token, reward.per_second, reward.divisor)).collect();
    let expected = [(REWARDS[0], Some(n(11)), Some(n(1))), (REWARDS[1], Some(n(0)), Some(n(1_000_000_000_000)))];
    assert_eq!(rates, expected);
}

#[test]
fn a_stake_can_leave_at_the_end_of_its_cooldown_until_the_window_is_over() {
    let unlocks = |amount: u64, end: u64, window: u64| {
        let cooldown = (n(amount), n(end), n(window));
        let chain = staked().reply(NETWORK, STAKED[0], &getStakerCooldownCall(ACCOUNT), &cooldown);
        let outcome = run(Question::FARMING, &chain);
        outcome.positions()[0].lock.expect("a lock").unlocks_at
    };
    assert_eq!(unlocks(100, NOW + 5, 200), Some(NOW + 5));
    assert_eq!(unlocks(100, NOW - 200, 200), Some(NOW - 200));
    assert_eq!(unlocks(100, NOW - 201, 200), None);
    assert_eq!(unlocks(0, NOW + 5, 200), None);
}

#[test]
fn a_stake_that_has_left_is_still_owed() {
    let left =
        STAKED.iter().fold(staked(), |chain, asset| chain.reply(NETWORK, *asset, &balanceOfCall(ACCOUNT), &n(0)));
    assert_eq!(run(Question::FARMING, &left).findings.len(), 0);
    assert_eq!(claims(&run(Question::CLAIMABLES, &left)).len(), 2);
}

#[test]
fn a_staked_token_that_cannot_be_read_costs_its_own_row() {
    let user = calculateCurrentUserRewardsCall { _0: STAKED[0], _1: ACCOUNT };
    let unread =
        |call: &calculateCurrentUserRewardsCall| staked().result(NETWORK, CONTROLLER, call, ReadResult::Unavailable);
    let outcome = run(Question::CLAIMABLES, &unread(&user));
    assert_eq!((outcome.end, claims(&outcome).len()), (End::Partial, 1));
    let uneven = staked().result(NETWORK, CONTROLLER, &user, earned(&[5]));
    assert_eq!(run(Question::CLAIMABLES, &uneven).end, End::Partial);
    let outcome =
        run(Question::FARMING, &staked().result(NETWORK, STAKED[1], &totalAssetsCall {}, ReadResult::Unavailable));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1));
}
