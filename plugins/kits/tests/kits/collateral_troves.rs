//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::collateral_troves::CollateralTrovesKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

sol! {
    function collateralConfig() external view returns (address);
    function stabilityPool() external view returns (address);
    function lqtyStaking() external view returns (address);
    function lusdToken() external view returns (address);
    function lqtyToken() external view returns (address);
    function priceFeed() external view returns (address);
    function communityIssuance() external view returns (address);
    function OathToken() external view returns (address);
    function getAllowedCollaterals() external view returns (address[]);
    function getCollateralDecimals(address) external view returns (uint256);
    function getCollateralMCR(address) external view returns (uint256);
    function fetchPrice(address) external returns (uint256);
    function getEntireDebtAndColl(address a, address b) external view returns (uint256, uint256, uint256, uint256);
    function getCompoundedLUSDDeposit(address) external view returns (uint256);
    function getDepositorCollateralGain(address) external view returns (address[], uint256[]);
    function getDepositorLQTYGain(address) external view returns (uint256);
    function getTotalLUSDDeposits() external view returns (uint256);
    function stakes(address) external view returns (uint256);
    function getPendingCollateralGain(address) external view returns (address[], uint256[]);
    function getPendingLUSDGain(address) external view returns (uint256);
    function totalLQTYStaked() external view returns (uint256);
}

const NETWORK: u64 = 10;
const MANAGER: Address = Address::repeat_byte(1);
const CONFIG: Address = Address::repeat_byte(2);
const POOL: Address = Address::repeat_byte(3);
const STAKING: Address = Address::repeat_byte(4);
const FEED: Address = Address::repeat_byte(5);
const ISSUANCE: Address = Address::repeat_byte(6);
const ERN: Address = Address::repeat_byte(7);
const LQTY: Address = Address::repeat_byte(8);
const OATH: Address = Address::repeat_byte(9);
const WBTC: Address = Address::repeat_byte(10);
const WETH: Address = Address::repeat_byte(11);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    Troves: &CollateralTrovesKit { trove: "trove", deposit: "deposit" },
    ["ethos" = "ETHOS"],
    r#"
    [[deployment]]
    protocol = "ethos"
    network = "optimism"
    collateral_manager = "0x0101010101010101010101010101010101010101"
    "#
}

/// A trove of WBTC with its debt, a deposit and a stake.
fn chain([debt, collateral]: [U256; 2], deposit: u64, stake: u64) -> CannedReplies {
    let zero = || (n(0), n(0), n(0), n(0));
    CannedReplies::default()
        .reply(NETWORK, MANAGER, &collateralConfigCall {}, &CONFIG)
        .reply(NETWORK, MANAGER, &stabilityPoolCall {}, &POOL)
        .reply(NETWORK, MANAGER, &lqtyStakingCall {}, &STAKING)
        .reply(NETWORK, MANAGER, &lusdTokenCall {}, &ERN)
        .reply(NETWORK, MANAGER, &lqtyTokenCall {}, &LQTY)
        .reply(NETWORK, MANAGER, &priceFeedCall {}, &FEED)
        .reply(NETWORK, POOL, &communityIssuanceCall {}, &ISSUANCE)
        .reply(NETWORK, ISSUANCE, &OathTokenCall {}, &OATH)
        .reply(NETWORK, CONFIG, &getAllowedCollateralsCall {}, &vec![WBTC, WETH])
        .reply(NETWORK, CONFIG, &getCollateralDecimalsCall(WBTC), &n(8))
        .reply(NETWORK, CONFIG, &getCollateralMCRCall(WBTC), &n(WAD / 10 * 12))
        .reply(NETWORK, FEED, &fetchPriceCall(WBTC), &(n(60_000) * n(WAD)))
        .reply(NETWORK, MANAGER, &getEntireDebtAndCollCall { a: ACCOUNT, b: WBTC }, &(debt, collateral, n(0), n(0)))
        .reply(NETWORK, MANAGER, &getEntireDebtAndCollCall { a: ACCOUNT, b: WETH }, &zero())
        .reply(NETWORK, POOL, &getCompoundedLUSDDepositCall(ACCOUNT), &n(deposit))
        .reply(NETWORK, POOL, &getDepositorLQTYGainCall(ACCOUNT), &n(deposit / 100))
        .result(
            NETWORK,
            POOL,
            &getDepositorCollateralGainCall(ACCOUNT),
            ReadResult::Ok((vec![WBTC, WETH], vec![n(2), n(0)]).abi_encode_params().into()),
        )
        .reply(NETWORK, POOL, &getTotalLUSDDepositsCall {}, &n(5_000))
        .reply(NETWORK, STAKING, &stakesCall(ACCOUNT), &n(stake))
        .result(
            NETWORK,
            STAKING,
            &getPendingCollateralGainCall(ACCOUNT),
            ReadResult::Ok((vec![WETH], vec![n(3)]).abi_encode_params().into()),
        )
        .reply(NETWORK, STAKING, &getPendingLUSDGainCall(ACCOUNT), &n(6))
        .reply(NETWORK, STAKING, &totalLQTYStakedCall {}, &n(700))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("ethos", NETWORK, question, ACCOUNT).run::<Troves>(chain)
}

#[test]
fn a_trove_has_its_health_whatever_decimals_the_collateral_has() {
    // One WBTC at 60,000 against 10,000: six, over a minimum of 1.2.
    let chain = chain([n(10_000) * n(WAD), n(100_000_000)], 0, 0);
    let outcome = run(Question::LENDING, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("{:?}", outcome.findings) };
    let expected =
        [(LegRole::SUPPLIED, WBTC, n(100_000_000), Some(true)), (LegRole::BORROWED, ERN, n(10_000) * n(WAD), None)];
    assert_eq!(legs(position), expected);
    let health = position.health.as_ref().expect("a trove has a health");
    assert_eq!(health.factor_wad, Some(n(5 * WAD)));
    // It is liquidated at 12,000: 1.2e22 smallest units of the debt for 1e8 of the collateral.
    let price = health.liquidation_price.as_ref().expect("and a price").x128;
    assert_eq!(price >> 128, U256::from(120_000_000_000_000_u64));
}

#[test]
fn gains_of_a_deposit_are_one_claim() {
    let chain = chain([n(0), n(0)], 400, 70);
    let claims = run(Question::CLAIMABLES, &chain);
    let expected = vec![(POOL, OATH, n(4)), (POOL, WBTC, n(2)), (STAKING, ERN, n(6)), (STAKING, WETH, n(3))];
    assert_eq!((claims.end, claimed(&claims)), (End::Complete, expected), "{}", claims.message);
    let staked = run(Question::FARMING, &chain);
    let found: Vec<_> =
        staked.positions().iter().map(|row| (row.legs[0].token, row.legs[0].amount, row.legs[0].total)).collect();
    assert_eq!(found, [(ERN, n(400), Some(n(5_000))), (LQTY, n(70), Some(n(700)))]);
    staked.check_totals(&claims);
}

#[test]
fn an_account_with_nothing_has_no_findings_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LENDING] {
        let outcome = run(question, &chain([n(0), n(0)], 0, 0));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
