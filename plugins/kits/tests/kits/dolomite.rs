//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::dolomite::DolomiteKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    struct Info { address owner; uint256 number; }
    struct Par { bool sign; uint128 value; }
    struct Wei { bool sign; uint256 value; }
    function getAccountNumberOfMarketsWithBalances(Info) external view returns (uint256);
    function getAccountBalances(Info) external view returns (uint256[], address[], Par[], Wei[]);
    function getAdjustedAccountValues(Info) external view returns (uint256, uint256);
    function getMarginRatioForAccount(Info) external view returns (uint256);
    function getMarginRatio() external view returns (uint256);
    function getMarketInterestRate(uint256) external view returns (uint256);
}

const NETWORK: u64 = 42_161;
const MARGIN: Address = Address::repeat_byte(1);
const TOKENS: [Address; 2] = [Address::repeat_byte(2), Address::repeat_byte(3)];
const WAD: u64 = 1_000_000_000_000_000_000;
const KIT: DolomiteKit = DolomiteKit { account: "account" };

plugin! {
    Margin: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "arbitrum"
    dolomite_margin = "0x0101010101010101010101010101010101010101"
    "#
}

fn info() -> Info {
    Info { owner: ACCOUNT, number: n(0) }
}

/// The replies of `getAccountBalances` with these tokens and signed amounts.
fn balances(tokens: &[Address], amounts: &[(bool, U256)]) -> ReadResult {
    let ids: Vec<U256> = (0..tokens.len()).map(|id| n(id as u64)).collect();
    let pars: Vec<Par> = amounts.iter().map(|(sign, _)| Par { sign: *sign, value: 1 }).collect();
    let weis: Vec<Wei> = amounts.iter().map(|(sign, value)| Wei { sign: *sign, value: *value }).collect();
    ReadResult::Ok((ids, tokens.to_vec(), pars, weis).abi_encode_params().into())
}

/// An account that lends 900 and owes 300, worth as many dollars, of which it must have 1.2 times as much.
fn account() -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, MARGIN, &getAccountNumberOfMarketsWithBalancesCall(info()), &n(2))
        .result(NETWORK, MARGIN, &getAccountBalancesCall(info()), balances(&TOKENS, &[(true, n(900)), (false, n(300))]))
        .reply(NETWORK, MARGIN, &getAdjustedAccountValuesCall(info()), &(n(900), n(300)))
        .reply(NETWORK, MARGIN, &getMarginRatioForAccountCall(info()), &n(WAD / 5))
        .reply(NETWORK, MARGIN, &getMarginRatioCall {}, &n(WAD / 2))
        .reply(NETWORK, MARGIN, &getMarketInterestRateCall(n(1)), &n(2))
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Margin>(chain)
}

#[test]
fn balances_are_lent_or_owed_by_their_sign() {
    let outcome = run(&account());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract, position.number), (PositionKind::BORROWED, MARGIN, Some(n(0))));
    let supplied = (LegRole::SUPPLIED, TOKENS[0], n(900), Some(true));
    assert_eq!(legs(position), [supplied, (LegRole::BORROWED, TOKENS[1], n(300), None)]);
    // 2 a second of 10^18.
    assert_eq!(position.legs[1].rate_ray, Some(n(2 * 31_536_000) * n(1_000_000_000)));
    // 900 over 1.2 times 300.
    assert_eq!(position.health.unwrap().factor_wad, Some(n(WAD / 2 * 5)));
}

#[test]
fn an_earlier_version_has_one_margin_for_all() {
    let outcome = run(&account().revert(NETWORK, MARGIN, &getMarginRatioForAccountCall(info())));
    assert_eq!((outcome.end, outcome.positions()[0].health.unwrap().factor_wad), (End::Complete, Some(n(WAD * 2))));
}

#[test]
fn what_is_lent_alone_secures_nothing() {
    let lent = balances(&TOKENS, &[(true, n(900)), (false, n(0))]);
    let outcome = run(&account().result(NETWORK, MARGIN, &getAccountBalancesCall(info()), lent));
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.health), (PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, TOKENS[0], n(900), Some(false))]);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let none = getAccountNumberOfMarketsWithBalancesCall(info());
    let outcome = run(&CannedReplies::default().reply(NETWORK, MARGIN, &none, &n(0)));
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
}

#[test]
fn what_cannot_be_read_is_reported() {
    assert_eq!(run(&CannedReplies::default()).end, End::Failed);
    let uneven = balances(&TOKENS[..1], &[(true, n(1)), (true, n(2))]);
    assert_eq!(run(&account().result(NETWORK, MARGIN, &getAccountBalancesCall(info()), uneven)).end, End::Failed);
    let broken = [
        account().revert(NETWORK, MARGIN, &getAdjustedAccountValuesCall(info())),
        account().reply(NETWORK, MARGIN, &getAdjustedAccountValuesCall(info()), &(U256::MAX, n(1))),
        account().reply(NETWORK, MARGIN, &getAdjustedAccountValuesCall(info()), &(n(1), n(0))),
        account().reply(NETWORK, MARGIN, &getMarginRatioForAccountCall(info()), &U256::MAX),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].health, None);
    }
}
