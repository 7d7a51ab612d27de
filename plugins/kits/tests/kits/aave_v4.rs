//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::aave_v4::AaveV4Kit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    // As the spoke declares them.
    struct Reserve {
        address underlying;
        address hub;
        uint16 assetId;
        uint8 decimals;
        uint24 collateralRisk;
        uint8 flags;
        uint32 dynamicConfigKey;
    }
    struct UserPosition {
        uint120 drawnShares;
        uint120 premiumShares;
        int200 premiumOffsetRay;
        uint120 suppliedShares;
        uint32 dynamicConfigKey;
    }
    struct UserAccountData {
        uint256 riskPremium;
        uint256 avgCollateralFactor;
        uint256 healthFactor;
        uint256 totalCollateralValue;
        uint256 totalDebtValueRay;
        uint256 activeCollateralCount;
        uint256 borrowCount;
    }
    function getReserveCount() external view returns (uint256);
    function getReserve(uint256) external view returns (Reserve);
    function getUserPosition(uint256, address) external view returns (UserPosition);
    function getUserReserveStatus(uint256, address) external view returns (bool, bool);
    function getUserSuppliedAssets(uint256, address) external view returns (uint256);
    function getUserTotalDebt(uint256, address) external view returns (uint256);
    function getUserAccountData(address) external view returns (UserAccountData);
    function getAssetDrawnRate(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const SPOKE: Address = Address::repeat_byte(1);
const HUB: Address = Address::repeat_byte(2);
const TOKENS: [Address; 3] = [Address::repeat_byte(3), Address::repeat_byte(4), Address::repeat_byte(5)];
/// Health factor of the account.
const FACTOR: u64 = 1_700_000_000_000_000_000;

plugin! {
    Spokes: &AaveV4Kit { spoke: "spoke" },
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    spoke = "0x0101010101010101010101010101010101010101"
    "#
}

/// The account's shares in a reserve: supplied, drawn and of its premium.
fn shares(chain: CannedReplies, id: u64, [supplied, drawn, premium]: [u64; 3]) -> CannedReplies {
    let position = UserPosition {
        drawnShares: alloy::primitives::Uint::from(drawn),
        premiumShares: alloy::primitives::Uint::from(premium),
        premiumOffsetRay: alloy::primitives::Signed::MINUS_ONE,
        suppliedShares: alloy::primitives::Uint::from(supplied),
        dynamicConfigKey: 3,
    };
    chain.reply(NETWORK, SPOKE, &getUserPositionCall { _0: n(id), _1: ACCOUNT }, &position)
}

/// A spoke with three reserves of one hub, whose assets have other numbers there.
fn spoke() -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, SPOKE, &getReserveCountCall {}, &n(3));
    (0..).zip(7..).zip(TOKENS).fold(chain, |chain, ((id, asset_id), underlying)| {
        let reserve = Reserve {
            underlying,
            hub: HUB,
            assetId: asset_id,
            decimals: 18,
            collateralRisk: alloy::primitives::Uint::from(20),
            flags: 9,
            dynamicConfigKey: 5,
        };
        let chain = shares(chain, id, [0; 3]);
        chain.reply(NETWORK, SPOKE, &getReserveCall(n(id)), &reserve)
    })
}

/// An account that supplies two reserves, one of them as collateral, and owes of the third and of the second.
fn account() -> CannedReplies {
    let data = UserAccountData {
        riskPremium: n(2_500),
        avgCollateralFactor: n(0),
        healthFactor: n(FACTOR),
        totalCollateralValue: n(1),
        totalDebtValueRay: n(2),
        activeCollateralCount: n(1),
        borrowCount: n(2),
    };
    let chain = shares(spoke(), 0, [90, 0, 0]);
    let chain = shares(chain, 1, [50, 10, 0]);
    shares(chain, 2, [0, 40, 10])
        .reply(NETWORK, SPOKE, &getUserSuppliedAssetsCall { _0: n(0), _1: ACCOUNT }, &n(99))
        .reply(NETWORK, SPOKE, &getUserSuppliedAssetsCall { _0: n(1), _1: ACCOUNT }, &n(55))
        .reply(NETWORK, SPOKE, &getUserReserveStatusCall { _0: n(0), _1: ACCOUNT }, &(true, false))
        .reply(NETWORK, SPOKE, &getUserReserveStatusCall { _0: n(1), _1: ACCOUNT }, &(false, true))
        .reply(NETWORK, SPOKE, &getUserTotalDebtCall { _0: n(1), _1: ACCOUNT }, &n(11))
        .reply(NETWORK, SPOKE, &getUserTotalDebtCall { _0: n(2), _1: ACCOUNT }, &n(47))
        .reply(NETWORK, HUB, &getAssetDrawnRateCall(n(8)), &n(400))
        .reply(NETWORK, HUB, &getAssetDrawnRateCall(n(9)), &n(1_000))
        .reply(NETWORK, SPOKE, &getUserAccountDataCall(ACCOUNT), &data)
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Spokes>(chain)
}

type LegRow = (LegRole, Address, U256, Option<bool>);

fn supplied(place: usize, amount: u64, is_collateral: bool) -> LegRow {
    (LegRole::SUPPLIED, TOKENS[place], n(amount), Some(is_collateral))
}

fn owed(place: usize, amount: u64) -> LegRow {
    (LegRole::BORROWED, TOKENS[place], n(amount), None)
}

#[test]
fn reserves_are_supplied_and_owed() {
    let outcome = run(&account());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, SPOKE));
    let expected = [supplied(0, 99, true), supplied(1, 55, false), owed(1, 11), owed(2, 47)];
    assert_eq!(legs(position), expected);
    // 10 shares of premium beside 40 make the second rate five quarters of the hub's.
    let rates: Vec<_> = position.legs.iter().map(|leg| leg.rate_ray).collect();
    assert_eq!(rates, [None, None, Some(n(400)), Some(n(1_250))]);
    assert_eq!(position.health.unwrap().factor_wad, Some(n(FACTOR)));
}

#[test]
fn a_supply_alone_has_no_health() {
    let chain = shares(account(), 1, [0; 3]);
    let outcome = run(&shares(chain, 2, [0; 3]).revert(NETWORK, SPOKE, &getUserAccountDataCall(ACCOUNT)));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [supplied(0, 99, true)]);
}

#[test]
fn a_premium_that_is_left_is_owed_without_a_rate() {
    let chain = shares(spoke(), 2, [0, 0, 10])
        .reply(NETWORK, SPOKE, &getUserTotalDebtCall { _0: n(2), _1: ACCOUNT }, &n(1))
        .reply(NETWORK, HUB, &getAssetDrawnRateCall(n(9)), &n(1_000));
    let outcome = run(&chain);
    // The factor is missing in these replies.
    assert_eq!((outcome.end, legs(outcome.positions()[0])), (End::Partial, vec![owed(2, 1)]));
    assert_eq!((outcome.positions()[0].legs[0].rate_ray, outcome.positions()[0].health), (None, None));
}

#[test]
fn an_account_with_nothing_costs_a_read_per_reserve() {
    let outcome = run(&spoke());
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1, 3]));
}

#[test]
fn a_reserve_that_cannot_be_read_loses_only_itself() {
    let rest = vec![supplied(0, 99, true), owed(2, 47)];
    let broken = [
        account().revert(NETWORK, SPOKE, &getReserveCall(n(1))),
        account().revert(NETWORK, SPOKE, &getUserPositionCall { _0: n(1), _1: ACCOUNT }),
        account().revert(NETWORK, SPOKE, &getUserSuppliedAssetsCall { _0: n(1), _1: ACCOUNT }),
        account().revert(NETWORK, SPOKE, &getUserTotalDebtCall { _0: n(1), _1: ACCOUNT }),
        account().reply(NETWORK, HUB, &getAssetDrawnRateCall(n(8)), &U256::MAX),
    ];
    for chain in broken {
        let outcome = run(&chain);
        let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
        assert_eq!((outcome.end, legs(position)), (End::Partial, rest.clone()), "{}", outcome.message);
        assert_eq!(position.health.unwrap().factor_wad, Some(n(FACTOR)));
    }
    let outcome = run(&account().revert(NETWORK, SPOKE, &getUserAccountDataCall(ACCOUNT)));
    assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 4), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].health, None);
    for chain in [account().revert(NETWORK, SPOKE, &getReserveCountCall {}), {
        (0..3)
            .fold(account(), |chain, id| chain.revert(NETWORK, SPOKE, &getUserPositionCall { _0: n(id), _1: ACCOUNT }))
    }] {
        assert_eq!(run(&chain).end, End::Failed);
    }
}

#[test]
fn reserves_beyond_the_bound_are_reported() {
    let chain = (3..128).fold(account(), |chain, id| shares(chain, id, [0; 3]));
    let outcome = run(&chain.reply(NETWORK, SPOKE, &getReserveCountCall {}, &n(200)));
    assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 4), "{}", outcome.message);
}
