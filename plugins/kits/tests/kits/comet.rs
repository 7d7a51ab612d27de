//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::comet::CometKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, one_row, plugin, text};

sol! {
    function baseToken() external view returns (address);
    function baseTokenPriceFeed() external view returns (address);
    function baseScale() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function borrowBalanceOf(address) external view returns (uint256);
    function getUtilization() external view returns (uint256);
    function getSupplyRate(uint256) external view returns (uint64);
    function getBorrowRate(uint256) external view returns (uint64);
    function getPrice(address) external view returns (uint256);
    function numAssets() external view returns (uint8);
    function getAssetInfo(uint8) external view
        returns (uint8, address, address, uint64, uint64, uint64, uint64, uint128);
    function userCollateral(address, address) external view returns (uint128, uint128);
    function rewardConfig(address) external view returns (address, uint64, bool, uint256);
    function getRewardOwed(address, address) external returns (address, uint256);
}

const NETWORK: u64 = 1;
const COMET: Address = Address::repeat_byte(1);
const REWARDS: Address = Address::repeat_byte(2);
const BASE: Address = Address::repeat_byte(3);
const BASE_FEED: Address = Address::repeat_byte(4);
const REWARD: Address = Address::repeat_byte(5);
const UTILIZATION: u64 = 777;

const TYPES: CometKit = CometKit { market: "comet", reward: "comet-rewards" };

plugin! {
    /// One market.
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    comet = "0x0101010101010101010101010101010101010101"
    rewards = "0x0202020202020202020202020202020202020202"
    "#
}

fn asset(index: u8) -> Address {
    Address::with_last_byte(0x40 + index)
}

fn feed(index: u8) -> Address {
    Address::with_last_byte(0x80 + index)
}

/// A market of a base token with 6 decimals, and three collaterals with 18; their factors are 0.85, 0.8 and 0.75.
fn market(supplied: u64, borrowed: u64, collateral: [u128; 3]) -> CannedReplies {
    let mut chain = CannedReplies::default()
        .reply(NETWORK, COMET, &balanceOfCall(ACCOUNT), &n(supplied))
        .reply(NETWORK, COMET, &borrowBalanceOfCall(ACCOUNT), &n(borrowed))
        .reply(NETWORK, COMET, &numAssetsCall {}, &n(3))
        .reply(NETWORK, COMET, &baseTokenCall {}, &BASE)
        .reply(NETWORK, COMET, &baseTokenPriceFeedCall {}, &BASE_FEED)
        .reply(NETWORK, COMET, &baseScaleCall {}, &n(1_000_000))
        .reply(NETWORK, COMET, &getUtilizationCall {}, &n(UTILIZATION))
        .reply(NETWORK, COMET, &getSupplyRateCall(n(UTILIZATION)), &n(1_000_000_000))
        .reply(NETWORK, COMET, &getBorrowRateCall(n(UTILIZATION)), &n(2_000_000_000))
        .reply(NETWORK, COMET, &getPriceCall(BASE_FEED), &n(100_000_000));
    for (index, amount) in (0_u8..).zip(collateral) {
        let factor = n(850_000_000_000_000_000 - 50_000_000_000_000_000 * u64::from(index));
        let scale = n(1_000_000_000_000_000_000);
        let info = (n(index.into()), asset(index), feed(index), scale, n(9), factor, n(9), n(9));
        chain = chain
            .reply(NETWORK, COMET, &getAssetInfoCall(index), &info)
            .reply(NETWORK, COMET, &userCollateralCall { _0: ACCOUNT, _1: asset(index) }, &(U256::from(amount), n(0)))
            .reply(NETWORK, COMET, &getPriceCall(feed(index)), &n(200_000_000_000));
    }
    chain
}

fn owed(amount: u64) -> CannedReplies {
    CannedReplies::default().reply(NETWORK, REWARDS, &rewardConfigCall(COMET), &(REWARD, n(9), true, n(9))).reply(
        NETWORK,
        REWARDS,
        &getRewardOwedCall { _0: COMET, _1: ACCOUNT },
        &(REWARD, n(amount)),
    )
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Fork>(chain)
}

fn lending(chain: &CannedReplies) -> Outcome {
    run(Question::LENDING, chain)
}

const ONE: u128 = 1_000_000_000_000_000_000;

#[test]
fn what_is_lent_has_its_interest_and_the_rate_of_a_year() {
    let outcome = lending(&market(1_000, 0, [0; 3]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::LENT, COMET));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, BASE, n(1_000), None)]);
    // 10^-9 per second is 3.1536 % a year.
    assert_eq!(position.legs[0].rate_ray, Some(U256::from(31_536_000_000_000_000_000_000_000_u128)));
    assert_eq!(position.health, None, "nothing is owed");
    // The list and the balances; its assets; the account's collateral; the base token; its rate.
    assert_eq!(outcome.batches, [3, 3, 3, 2, 1]);
}

#[test]
fn a_debt_has_its_collateral_and_its_health() {
    let outcome = lending(&market(0, 500_000_000, [2 * ONE, 0, ONE]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind), (End::Complete, PositionKind::BORROWED), "{}", outcome.message);
    let expected = [
        (LegRole::BORROWED, BASE, n(500_000_000), None),
        (LegRole::SUPPLIED, asset(0), U256::from(2 * ONE), Some(true)),
        (LegRole::SUPPLIED, asset(2), U256::from(ONE), Some(true)),
    ];
    assert_eq!(legs(position), expected);
    assert_eq!(position.legs[0].rate_ray, Some(U256::from(63_072_000_000_000_000_000_000_000_u128)));
    // 4,000 * 0.85 and 2,000 * 0.75 are 4,900, over 500.
    assert_eq!(position.health.expect("a health").factor_wad, Some(U256::from(98 * ONE / 10)));
}

#[test]
fn collateral_alone_is_a_position_and_one_unit_is_not_nothing() {
    let outcome = lending(&market(0, 0, [0, 1, 0]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((position.kind, position.health), (PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, asset(1), n(1), Some(true))]);
    let nothing = lending(&market(0, 0, [0; 3]));
    assert_eq!((nothing.end, nothing.findings.len(), nothing.batches), (End::Complete, 0, vec![3, 3, 3]));
}

#[test]
fn a_collateral_that_cannot_be_read_costs_its_leg_and_the_health() {
    let normal = || market(0, 500, [ONE, ONE, 0]);
    let unread = normal().revert(NETWORK, COMET, &userCollateralCall { _0: ACCOUNT, _1: asset(1) });
    let outcome = lending(&unread);
    assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 2), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].health, None);
    let broken = [
        normal().revert(NETWORK, COMET, &getPriceCall(feed(0))),
        normal().revert(NETWORK, COMET, &getPriceCall(BASE_FEED)),
        normal().reply(NETWORK, COMET, &getPriceCall(feed(0)), &U256::MAX),
        normal().reply(NETWORK, COMET, &baseScaleCall {}, &U256::ZERO),
    ];
    for chain in broken {
        let outcome = lending(&chain);
        assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 3), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].health, None);
    }
    // A debt that the market values at zero has no health, and nothing is missing.
    let worthless = lending(&normal().reply(NETWORK, COMET, &getPriceCall(BASE_FEED), &U256::ZERO));
    assert_eq!((worthless.end, worthless.positions()[0].health), (End::Complete, None), "{}", worthless.message);
    assert_eq!(lending(&CannedReplies::default()).end, End::Failed, "nothing can be read");
    let rateless = lending(&market(1, 0, [0; 3]).revert(NETWORK, COMET, &getSupplyRateCall(n(UTILIZATION))));
    assert_eq!((rateless.end, rateless.findings.len()), (End::Failed, 0), "{}", rateless.message);
}

#[test]
fn what_rewards_owe_is_claimed_for_the_account_by_anyone() {
    let outcome = run(Question::CLAIMABLES, &owed(7));
    assert_eq!((outcome.end, outcome.batches.clone()), (End::Complete, vec![1, 1]), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.token, row.amount, row.contract, row.claim.to), (REWARD, n(7), COMET, REWARDS));
    assert_eq!(row.claim.arguments, (COMET, ACCOUNT, true).abi_encode_params());
    assert_eq!(row.name, format!("FORK {{{REWARD:#x}}} rewards"));
    assert_eq!(run(Question::CLAIMABLES, &owed(0)).findings.len(), 0);
}

#[test]
fn a_market_without_rewards_owes_nothing_and_one_that_cannot_be_read_is_a_failure() {
    let none = owed(7).reply(NETWORK, REWARDS, &rewardConfigCall(COMET), &(Address::ZERO, n(0), false, n(0)));
    let outcome = run(Question::CLAIMABLES, &none);
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
    let broken = owed(7).revert(NETWORK, REWARDS, &getRewardOwedCall { _0: COMET, _1: ACCOUNT });
    assert_eq!(run(Question::CLAIMABLES, &broken).end, End::Failed);
}

#[test]
fn a_row_of_settings_has_a_market_and_maybe_rewards() {
    let served = |keys| {
        let rows = testing::catalogue::<Fork>(&one_row("fork", 10, keys)).deployments;
        (rows[0].contracts.clone(), rows[0].questions.clone())
    };
    assert_eq!(served(vec![text("comet", COMET)]), (vec![COMET], vec![Question::LENDING]));
    let both = served(vec![text("comet", COMET), text("rewards", REWARDS)]);
    assert_eq!(both, (vec![COMET, REWARDS], vec![Question::CLAIMABLES, Question::LENDING]));
}
