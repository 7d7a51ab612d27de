//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::debt_manager::DebtManagerKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    struct Amount { address token; uint256 amount; }
    function borrowingOf(address) external view returns (Amount[], uint256);
    function supplierBalance(address) external view returns (Amount[], uint256);
    function collateralOf(address) external view returns (Amount[], uint256);
    function getMaxBorrowAmount(address, bool) external view returns (uint256);
    function convertUsdToCollateralToken(address, uint256) external view returns (uint256);
    function borrowApyPerSecond(address) external view returns (uint64);
    function etherFiDataProvider() external view returns (address);
    function isEtherFiSafe(address) external view returns (bool);
    function getCashModule() external view returns (address);
    function usesLendGateway(address) external view returns (bool);
}

const NETWORK: u64 = 10;
const MANAGER: Address = Address::repeat_byte(1);
const PROVIDER: Address = Address::repeat_byte(2);
const MODULE: Address = Address::repeat_byte(3);
const WEETH: Address = Address::repeat_byte(4);
const USDC: Address = Address::repeat_byte(5);
const USDT: Address = Address::repeat_byte(6);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    Cash: &DebtManagerKit { account: "account" },
    ["cash" = "CASH"],
    r#"
    [[deployment]]
    protocol = "cash"
    network = "optimism"
    debt_manager = "0x0101010101010101010101010101010101010101"
    "#
}

fn amounts(rows: &[(Address, u64)], total: u64) -> ReadResult {
    let rows: Vec<Amount> = rows.iter().map(|(token, amount)| Amount { token: *token, amount: n(*amount) }).collect();
    ReadResult::Ok((rows, n(total)).abi_encode_params().into())
}

/// An account that is no Safe, with these debts and supplies.
fn account(debts: &[(Address, u64)], supplies: &[(Address, u64)]) -> CannedReplies {
    let total = debts.iter().map(|(_, amount)| amount).sum();
    CannedReplies::default()
        .result(NETWORK, MANAGER, &borrowingOfCall(ACCOUNT), amounts(debts, total))
        .result(NETWORK, MANAGER, &supplierBalanceCall(ACCOUNT), amounts(supplies, 1))
        .reply(NETWORK, MANAGER, &etherFiDataProviderCall {}, &PROVIDER)
        .reply(NETWORK, PROVIDER, &isEtherFiSafeCall(ACCOUNT), &false)
        .reply(NETWORK, PROVIDER, &getCashModuleCall {}, &MODULE)
}

/// A Safe with 7 of a token that owes 300 and 500 dollars of two others, one of which is worth two dollars. It may owe
/// 1,200 dollars.
fn safe() -> CannedReplies {
    account(&[(USDC, 300), (USDT, 500)], &[])
        .reply(NETWORK, PROVIDER, &isEtherFiSafeCall(ACCOUNT), &true)
        .reply(NETWORK, MODULE, &usesLendGatewayCall(ACCOUNT), &false)
        .result(NETWORK, MANAGER, &collateralOfCall(ACCOUNT), amounts(&[(WEETH, 7)], 2_000))
        .reply(NETWORK, MANAGER, &getMaxBorrowAmountCall { _0: ACCOUNT, _1: false }, &n(1_200))
        .reply(NETWORK, MANAGER, &convertUsdToCollateralTokenCall { _0: USDC, _1: n(300) }, &n(300))
        .reply(NETWORK, MANAGER, &convertUsdToCollateralTokenCall { _0: USDT, _1: n(500) }, &n(250))
        .reply(NETWORK, MANAGER, &borrowApyPerSecondCall(USDC), &n(0))
        // 2 of 10^20 a second.
        .reply(NETWORK, MANAGER, &borrowApyPerSecondCall(USDT), &n(2))
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("cash", NETWORK, Question::LENDING, ACCOUNT).run::<Cash>(chain)
}

const GIVEN: (LegRole, Address, U256, Option<bool>) =
    (LegRole::SUPPLIED, WEETH, U256::from_limbs([7, 0, 0, 0]), Some(true));

#[test]
fn a_safe_owes_tokens_against_what_it_holds() {
    let outcome = run(&safe());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, MANAGER));
    let owed = [(LegRole::BORROWED, USDC, n(300), None), (LegRole::BORROWED, USDT, n(250), None)];
    assert_eq!(legs(position), [GIVEN, owed[0], owed[1]]);
    // Collateral stays in the Safe and earns nothing; the debts' rates are by the year, with 27 decimals.
    let rates: Vec<_> = position.legs.iter().map(|leg| leg.rate_ray).collect();
    assert_eq!(rates, [Some(n(0)), Some(n(0)), Some(n(2 * 31_536_000) * n(10_000_000))]);
    assert_eq!(position.legs[0].receipt, Some(WEETH));
    // 1,200 over 800.
    assert_eq!(position.health.unwrap().factor_wad, Some(n(WAD / 2 * 3)));
}

#[test]
fn a_safe_without_debts_has_its_collateral() {
    let none = account(&[], &[]).reply(NETWORK, PROVIDER, &isEtherFiSafeCall(ACCOUNT), &true).result(
        NETWORK,
        MANAGER,
        &collateralOfCall(ACCOUNT),
        amounts(&[(WEETH, 7), (USDC, 0)], 2_000),
    );
    // A version that lacks the view knows no other place for debts.
    for chain in [none.clone().revert(NETWORK, MODULE, &usesLendGatewayCall(ACCOUNT)), {
        none.reply(NETWORK, MODULE, &usesLendGatewayCall(ACCOUNT), &false)
    }] {
        let outcome = run(&chain);
        let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
        assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
        assert_eq!(legs(position), [GIVEN]);
    }
}

#[test]
fn a_safe_whose_debts_stand_elsewhere_has_nothing_here() {
    let chain = safe().result(NETWORK, MANAGER, &borrowingOfCall(ACCOUNT), amounts(&[], 0)).reply(
        NETWORK,
        MODULE,
        &usesLendGatewayCall(ACCOUNT),
        &true,
    );
    let outcome = run(&chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn what_is_supplied_secures_nothing() {
    let outcome = run(&account(&[], &[(USDC, 900), (USDT, 0)]));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, USDC, n(900), None)]);
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let outcome = run(&account(&[], &[]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_part_that_cannot_be_read_is_reported_and_loses_only_itself() {
    let owed = [(LegRole::BORROWED, USDC, n(300), None), (LegRole::BORROWED, USDT, n(250), None)];
    let health = Some(n(WAD / 2 * 3));
    let broken = [
        (safe().revert(NETWORK, MANAGER, &collateralOfCall(ACCOUNT)), vec![owed[0], owed[1]], health),
        (safe().revert(NETWORK, PROVIDER, &isEtherFiSafeCall(ACCOUNT)), vec![owed[0], owed[1]], health),
        (safe().revert(NETWORK, MANAGER, &borrowApyPerSecondCall(USDT)), vec![GIVEN, owed[0]], health),
        (
            safe().revert(NETWORK, MANAGER, &getMaxBorrowAmountCall { _0: ACCOUNT, _1: false }),
            vec![GIVEN, owed[0], owed[1]],
            None,
        ),
        (
            safe().reply(NETWORK, MANAGER, &getMaxBorrowAmountCall { _0: ACCOUNT, _1: false }, &U256::MAX),
            vec![GIVEN, owed[0], owed[1]],
            None,
        ),
    ];
    for (chain, expected, factor) in broken {
        let outcome = run(&chain);
        let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
        assert_eq!((outcome.end, legs(position)), (End::Partial, expected), "{}", outcome.message);
        assert_eq!(position.health.and_then(|health| health.factor_wad), factor, "{}", outcome.message);
    }
    // Without its collateral, a Safe that owes nothing is no empty answer.
    let unknown = account(&[], &[]).revert(NETWORK, PROVIDER, &isEtherFiSafeCall(ACCOUNT));
    assert_eq!(run(&unknown).end, End::Partial);
    for chain in [
        safe().revert(NETWORK, MANAGER, &borrowingOfCall(ACCOUNT)),
        safe().revert(NETWORK, MANAGER, &supplierBalanceCall(ACCOUNT)),
        CannedReplies::default(),
    ] {
        assert_eq!(run(&chain).end, End::Failed);
    }
}

#[test]
fn long_lists_are_cut_and_reported() {
    let many: Vec<(Address, u64)> = (0..100).map(|i| (Address::with_last_byte(i), 1)).collect();
    let outcome = run(&account(&[], &many));
    assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 64), "{}", outcome.message);
}
