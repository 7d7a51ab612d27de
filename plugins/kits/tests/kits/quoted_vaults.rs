//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::quoted_vaults::QuotedVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, list, n, one_row, plugin, text};

sol! {
    function balanceOf(address) external view returns (uint256);
    function sharesOf(address) external view returns (uint256);
    function decimals() external view returns (uint256);
    function asset() external view returns (address);
    function lpTokenAddress() external view returns (address);
    function previewRedemption(uint256 shares, bool instant) external view returns (uint256, uint256);
    function share() external view returns (address);
    function convertToAssets(uint256) external view returns (uint256);
    function feeCalculator() external view returns (address);
    function NUMERAIRE() external view returns (address);
    function convertUnitsToNumeraire(address vault, uint256 units) external view returns (uint256);
    function shareManager() external view returns (address);
    function oracle() external view returns (address);
    function feeManager() external view returns (address);
    function baseAsset(address) external view returns (address);
    function getReport(address) external view returns (uint256, uint256, bool);
    function token() external view returns (address);
    function pricePerShare() external view returns (uint256);
    function getSubscribeNav(bytes32 pool, uint256 time) external view returns (uint256, uint256);
}

const CHAIN: u64 = 1;
const USDC: Address = address!("0xa000000000000000000000000000000000000001");
const ETHER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
/// One vault per form, in the order of the rows.
const REDEEMS: Address = address!("0x5a00000000000000000000000000000000000001");
const REPORTS: [Address; 2] =
    [address!("0x5a00000000000000000000000000000000000002"), address!("0x5a00000000000000000000000000000000000003")];
const UNITS: Address = address!("0x5a00000000000000000000000000000000000004");
const ENTRY: Address = address!("0x5a00000000000000000000000000000000000005");
const NAV: [Address; 2] =
    [address!("0x5a00000000000000000000000000000000000006"), address!("0x5a00000000000000000000000000000000000007")];
const PRICE: Address = address!("0x5a00000000000000000000000000000000000008");
const LP: Address = address!("0xb000000000000000000000000000000000000001");
const MANAGERS: [Address; 2] =
    [address!("0xb000000000000000000000000000000000000002"), address!("0xb000000000000000000000000000000000000003")];
const SHARE: Address = address!("0xb000000000000000000000000000000000000005");
const ORACLE: Address = address!("0xc000000000000000000000000000000000000001");
const FEES: Address = address!("0xc000000000000000000000000000000000000002");
const CALCULATOR: Address = address!("0xc000000000000000000000000000000000000003");

plugin! {
    Quoted: &QuotedVaultsKit { vault: "vault", share: "QUOTED" },
    ["redeems" = "REDEEMS", "reports" = "REPORTS", "units" = "UNITS", "entry" = "ENTRY", "price" = "PRICE", "nav" = "NAV"],
    r#"
    [[deployment]]
    protocol = "redeems"
    network = "ethereum"
    quoted_vaults = ["0x5a00000000000000000000000000000000000001"]
    quoted_by = "redemption"

    [[deployment]]
    protocol = "reports"
    network = "ethereum"
    quoted_vaults = [
        "0x5a00000000000000000000000000000000000002",
        "0x5a00000000000000000000000000000000000003",
    ]
    quoted_by = "reports"

    [[deployment]]
    protocol = "units"
    network = "ethereum"
    quoted_vaults = ["0x5a00000000000000000000000000000000000004"]
    quoted_by = "units"

    [[deployment]]
    protocol = "entry"
    network = "ethereum"
    quoted_vaults = ["0x5a00000000000000000000000000000000000005"]
    quoted_by = "entry"

    [[deployment]]
    protocol = "price"
    network = "ethereum"
    quoted_vaults = ["0x5a00000000000000000000000000000000000008"]
    quoted_by = "price"

    [[deployment]]
    protocol = "nav"
    network = "ethereum"
    quoted_vaults = [
        "0x5a00000000000000000000000000000000000006",
        "0x5a00000000000000000000000000000000000007",
    ]
    quoted_by = "nav"
    nav_oracle = "0xc000000000000000000000000000000000000001"
    nav_token = "0xa000000000000000000000000000000000000001"
    nav_pools = [
        "0x0606060606060606060606060606060606060606060606060606060606060606",
        "0x0707070707070707070707070707070707070707070707070707070707070707",
    ]
    "#
}

fn run(protocol: &str, chain: &CannedReplies) -> Outcome {
    JobTest::new(protocol, CHAIN, Question::FARMING, ACCOUNT).run::<Quoted>(chain)
}

/// Returns vault, share, token and what the shares are worth.
fn staked(outcome: &Outcome) -> Vec<(Address, Option<Address>, Address, U256)> {
    let leg = |position: &&Position| {
        let leg = &position.legs[0];
        assert_eq!((leg.role, position.mechanism.as_str()), (LegRole::STAKED, "vault"));
        (position.contract, leg.receipt, leg.token, leg.amount)
    };
    outcome.positions().iter().map(leg).collect()
}

fn redeems(shares: u64) -> CannedReplies {
    CannedReplies::default().reply(CHAIN, REDEEMS, &lpTokenAddressCall {}, &LP).reply(
        CHAIN,
        LP,
        &balanceOfCall(ACCOUNT),
        &n(shares),
    )
}

/// Two vaults, of which the account has shares.
fn reports(shares: [U256; 2]) -> CannedReplies {
    (0..2).fold(CannedReplies::default(), |chain, place| {
        chain
            .reply(CHAIN, REPORTS[place], &shareManagerCall {}, &MANAGERS[place])
            .reply(CHAIN, MANAGERS[place], &sharesOfCall(ACCOUNT), &shares[place])
            .reply(CHAIN, REPORTS[place], &oracleCall {}, &ORACLE)
            .reply(CHAIN, REPORTS[place], &feeManagerCall {}, &FEES)
    })
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let units = CannedReplies::default().reply(CHAIN, UNITS, &balanceOfCall(ACCOUNT), &n(0));
    let entry = CannedReplies::default().reply(CHAIN, ENTRY, &shareCall {}, &SHARE).reply(
        CHAIN,
        SHARE,
        &balanceOfCall(ACCOUNT),
        &n(0),
    );
    let nav = NAV
        .iter()
        .fold(CannedReplies::default(), |chain, vault| chain.reply(CHAIN, *vault, &balanceOfCall(ACCOUNT), &n(0)));
    let price = CannedReplies::default().reply(CHAIN, PRICE, &balanceOfCall(ACCOUNT), &n(0));
    let none = reports([n(0), n(0)]);
    let chains = [("redeems", redeems(0)), ("reports", none), ("units", units), ("entry", entry), ("nav", nav)];
    for (protocol, chain) in chains.into_iter().chain([("price", price)]) {
        let outcome = run(protocol, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{protocol}: {}", outcome.message);
    }
}

#[test]
fn a_redemption_is_told_before_its_fee() {
    let chain = redeems(3_000_000).reply(CHAIN, REDEEMS, &assetCall {}, &USDC);
    let chain = chain.reply(
        CHAIN,
        REDEEMS,
        &previewRedemptionCall { shares: n(3_000_000), instant: false },
        &(n(3_150_000), n(3_140_000)),
    );
    let outcome = run("redeems", &chain);
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, vec![(REDEEMS, Some(LP), USDC, n(3_150_000))]));
    assert_eq!(outcome.positions()[0].name, format!("{{{LP:#x}}} vault"));
}

#[test]
fn shares_are_worth_what_the_oracle_was_told_last() {
    // 4 shares, of which 0.8 buy an ether; and 2.4 shares, of which 1.2 * 10^12 buy the smallest unit of a dollar.
    let chain = reports([n(4_000_000_000_000_000_000), n(2_400_000_000_000_000_000)])
        .reply(CHAIN, FEES, &baseAssetCall(REPORTS[0]), &ETHER)
        .reply(CHAIN, FEES, &baseAssetCall(REPORTS[1]), &USDC)
        .reply(CHAIN, ORACLE, &getReportCall(ETHER), &(n(800_000_000_000_000_000), n(1_700_000_000), false))
        .reply(
            CHAIN,
            ORACLE,
            &getReportCall(USDC),
            &(n(1_200_000_000_000) * n(1_000_000_000_000_000_000), n(1_700_000_000), false),
        );
    let outcome = run("reports", &chain);
    let expected = [
        (REPORTS[0], Some(MANAGERS[0]), NATIVE, n(5_000_000_000_000_000_000)),
        (REPORTS[1], Some(MANAGERS[1]), USDC, n(2_000_000)),
    ];
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
}

#[test]
fn a_report_that_is_missing_or_not_accepted_loses_only_its_own_row() {
    let rest = vec![(REPORTS[1], Some(MANAGERS[1]), USDC, n(6))];
    for (price, suspicious) in [(n(0), false), (n(1), true)] {
        let chain = reports([n(5), n(3)])
            .reply(CHAIN, FEES, &baseAssetCall(REPORTS[0]), &ETHER)
            .reply(CHAIN, FEES, &baseAssetCall(REPORTS[1]), &USDC)
            .reply(CHAIN, ORACLE, &getReportCall(ETHER), &(price, n(1_700_000_000), suspicious))
            .reply(CHAIN, ORACLE, &getReportCall(USDC), &(n(500_000_000_000_000_000), n(1_700_000_000), false));
        let outcome = run("reports", &chain);
        assert_eq!((outcome.end, staked(&outcome)), (End::Partial, rest.clone()), "{}", outcome.message);
    }
    // More than any number of shares can be worth.
    let chain = reports([U256::MAX, n(3)])
        .reply(CHAIN, FEES, &baseAssetCall(REPORTS[0]), &ETHER)
        .reply(CHAIN, FEES, &baseAssetCall(REPORTS[1]), &USDC)
        .reply(CHAIN, ORACLE, &getReportCall(ETHER), &(n(1), n(1_700_000_000), false))
        .reply(CHAIN, ORACLE, &getReportCall(USDC), &(n(500_000_000_000_000_000), n(1_700_000_000), false));
    let outcome = run("reports", &chain);
    assert_eq!((outcome.end, staked(&outcome)), (End::Partial, rest), "{}", outcome.message);
}

#[test]
fn units_are_worth_what_the_calculator_converts_them_to() {
    let chain = CannedReplies::default()
        .reply(CHAIN, UNITS, &balanceOfCall(ACCOUNT), &n(7))
        .reply(CHAIN, UNITS, &feeCalculatorCall {}, &CALCULATOR)
        .reply(CHAIN, CALCULATOR, &NUMERAIRECall {}, &USDC)
        .reply(CHAIN, CALCULATOR, &convertUnitsToNumeraireCall { vault: UNITS, units: n(7) }, &n(8));
    let outcome = run("units", &chain);
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, vec![(UNITS, Some(UNITS), USDC, n(8))]));
}

#[test]
fn an_entry_converts_the_shares_that_stand_beside_it() {
    let chain = CannedReplies::default()
        .reply(CHAIN, ENTRY, &shareCall {}, &SHARE)
        .reply(CHAIN, SHARE, &balanceOfCall(ACCOUNT), &n(9))
        .reply(CHAIN, ENTRY, &assetCall {}, &USDC)
        .reply(CHAIN, ENTRY, &convertToAssetsCall(n(9)), &n(10));
    let outcome = run("entry", &chain);
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, vec![(ENTRY, Some(SHARE), USDC, n(10))]));
}

#[test]
fn a_price_is_that_of_a_share_with_18_decimals() {
    // Two shares of 18 decimals at 1.05 dollars of 6 decimals.
    let chain = CannedReplies::default()
        .reply(CHAIN, PRICE, &balanceOfCall(ACCOUNT), &n(2_000_000_000_000_000_000))
        .reply(CHAIN, PRICE, &tokenCall {}, &USDC);
    let told = chain.clone().reply(CHAIN, PRICE, &pricePerShareCall {}, &n(1_050_000));
    let outcome = run("price", &told);
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, vec![(PRICE, Some(PRICE), USDC, n(2_100_000))]));
    for broken in [chain.clone().reply(CHAIN, PRICE, &pricePerShareCall {}, &U256::MAX), chain] {
        let outcome = run("price", &broken);
        assert_eq!((outcome.end, staked(&outcome)), (End::Partial, vec![]), "{}", outcome.message);
    }
}

#[test]
fn shares_are_worth_the_last_value_of_their_own_pool() {
    let value = |byte| getSubscribeNavCall { pool: B256::repeat_byte(byte), time: n(0) };
    let chain = CannedReplies::default()
        .reply(CHAIN, NAV[0], &balanceOfCall(ACCOUNT), &n(1_000_000))
        .reply(CHAIN, NAV[1], &balanceOfCall(ACCOUNT), &n(1_000_000))
        .reply(CHAIN, ORACLE, &value(6), &(n(1_020_000_000_000_000_000), n(1_699_920_000)));
    let first = vec![(NAV[0], Some(NAV[0]), USDC, n(1_020_000))];
    let second = (NAV[1], Some(NAV[1]), USDC, n(1_500_000));
    let told = chain.clone().reply(CHAIN, ORACLE, &value(7), &(n(1_500_000_000_000_000_000), n(1_699_920_000)));
    let outcome = run("nav", &told);
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, [first.clone(), vec![second]].concat()));
    let outcome = run("nav", &chain.reply(CHAIN, ORACLE, &value(7), &(n(0), n(0))));
    assert_eq!((outcome.end, staked(&outcome)), (End::Partial, first), "{}", outcome.message);
}

#[test]
fn a_share_is_composed_of_its_vaults_token() {
    let chain = redeems(0).reply(CHAIN, LP, &decimalsCall {}, &n(6)).reply(CHAIN, REDEEMS, &assetCall {}, &USDC).reply(
        CHAIN,
        REDEEMS,
        &previewRedemptionCall { shares: n(1_000_000), instant: false },
        &(n(1_050_000), n(1_040_000)),
    );
    let outcome = JobTest::for_tokens("redeems", CHAIN, &[USDC, LP]).run::<Quoted>(&chain);
    let [found] = outcome.compositions()[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!((found.token, found.supply, found.kind.as_str()), (LP, n(1_000_000), "QUOTED"));
    assert_eq!(found.parts, [Part { token: USDC, amount: n(1_050_000) }]);
}

#[test]
fn a_form_of_quote_that_is_unknown_or_missing_is_refused() {
    let refused =
        |keys| testing::settings_error::<Quoted>(&one_row("units", CHAIN, keys)).and_then(|refused| refused.key);
    let vaults = || list("quoted_vaults", [UNITS]);
    assert_eq!(refused(vec![vaults(), text("quoted_by", "votes")]).as_deref(), Some("quoted_by"));
    assert_eq!(refused(vec![vaults()]).as_deref(), Some("quoted_by"));
    assert_eq!(refused(vec![text("quoted_by", "units")]).as_deref(), Some("quoted_vaults"));
    let nav = |pools: &[&str]| vec![vaults(), text("quoted_by", "nav"), list("nav_pools", pools)];
    assert_eq!(refused(nav(&[])).as_deref(), Some("nav_pools"));
    assert_eq!(refused(nav(&["0x06"])).as_deref(), Some("nav_pools"));
    assert_eq!(refused(nav(&[&B256::ZERO.to_string()])).as_deref(), Some("nav_oracle"));
}
