//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::mono_cooler::MonoCoolerKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    struct AccountPosition {
        uint256 collateral;
        uint256 currentDebt;
        uint256 maxOriginationDebtAmount;
        uint256 liquidationDebtAmount;
        uint256 healthFactor;
        uint256 currentLtv;
        uint256 totalDelegated;
        uint256 numDelegateAddresses;
        uint256 maxDelegateAddresses;
    }
    function collateralToken() external view returns (address);
    function debtToken() external view returns (address);
    function accountCollateral(address) external view returns (uint128);
    function accountPosition(address) external view returns (AccountPosition);
    function interestRateWad() external view returns (uint96);
    function decimals() external view returns (uint8);
}

const NETWORK: u64 = 1;
const COOLER: Address = Address::repeat_byte(1);
const GOHM: Address = Address::repeat_byte(2);
const USDS: Address = Address::repeat_byte(3);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    Cooler: &MonoCoolerKit { loan: "loan" },
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    mono_cooler = "0x0101010101010101010101010101010101010101"
    "#
}

/// An account with collateral and a debt, at half a percent a year.
fn account(collateral: u64, debt: U256, factor: U256) -> CannedReplies {
    let position = AccountPosition {
        collateral: n(collateral),
        currentDebt: debt,
        maxOriginationDebtAmount: n(1),
        liquidationDebtAmount: n(2),
        healthFactor: factor,
        currentLtv: n(3),
        totalDelegated: n(4),
        numDelegateAddresses: n(5),
        maxDelegateAddresses: n(10),
    };
    CannedReplies::default()
        .reply(NETWORK, COOLER, &accountCollateralCall(ACCOUNT), &n(collateral))
        .reply(NETWORK, COOLER, &accountPositionCall(ACCOUNT), &position)
        .reply(NETWORK, COOLER, &collateralTokenCall {}, &GOHM)
        .reply(NETWORK, COOLER, &debtTokenCall {}, &USDS)
        .reply(NETWORK, COOLER, &interestRateWadCall {}, &n(WAD / 200))
        .reply(NETWORK, GOHM, &decimalsCall {}, &n(18))
        .reply(NETWORK, USDS, &decimalsCall {}, &n(18))
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Cooler>(chain)
}

#[test]
fn a_loan_has_its_rate_and_its_health() {
    let outcome = run(&account(3 * WAD, n(6_000) * n(WAD), n(WAD / 5 * 6)));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, COOLER));
    let given = (LegRole::SUPPLIED, GOHM, n(3 * WAD), Some(true));
    assert_eq!(legs(position), [given, (LegRole::BORROWED, USDS, n(6_000) * n(WAD), None)]);
    assert_eq!(position.legs[1].rate_ray, Some(n(WAD / 200) * n(1_000_000_000)));
    assert_eq!(position.health.unwrap().factor_wad, Some(n(WAD / 5 * 6)));
}

#[test]
fn a_debt_in_a_token_of_six_decimals_is_rounded_up() {
    let six = |debt| account(WAD, debt, n(WAD)).reply(NETWORK, USDS, &decimalsCall {}, &n(6));
    for (debt, units) in [(n(WAD), 1_000_000), (n(WAD) + n(1), 1_000_001), (n(1), 1)] {
        assert_eq!(run(&six(debt)).positions()[0].legs[1].amount, n(units));
    }
}

#[test]
fn collateral_alone_has_no_health() {
    let outcome = run(&account(WAD, n(0), U256::MAX));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, GOHM, n(WAD), Some(true))]);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let outcome = run(&account(0, n(0), U256::MAX));
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
}

#[test]
fn a_loan_that_cannot_be_read_is_no_empty_answer() {
    let loan = || account(WAD, n(WAD), n(WAD));
    let broken = [
        CannedReplies::default(),
        loan().revert(NETWORK, COOLER, &accountPositionCall(ACCOUNT)),
        loan().revert(NETWORK, COOLER, &debtTokenCall {}),
        loan().revert(NETWORK, COOLER, &interestRateWadCall {}),
        loan().reply(NETWORK, USDS, &decimalsCall {}, &n(78)),
        loan().reply(NETWORK, USDS, &decimalsCall {}, &n(77)),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    }
}
