//! Shares of pairs, through the real binary interface.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::liquidity_pairs::LiquidityPairsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
}

const NETWORK: u64 = 10;
const PAIR: Address = address!("0x5a00000000000000000000000000000000000001");
const OTHER: Address = address!("0x5a00000000000000000000000000000000000002");
const A: Address = address!("0xa000000000000000000000000000000000000002");
const B: Address = address!("0xa000000000000000000000000000000000000003");

const PAIRS: LiquidityPairsKit = LiquidityPairsKit { pair: "pair" };

plugin! {
    Swap: &PAIRS,
    ["swap" = "SWAP"],
    r#"
    [[deployment]]
    protocol = "swap"
    network = "optimism"
    pairs = ["0x5a00000000000000000000000000000000000001", "0x5a00000000000000000000000000000000000002"]
    "#
}

/// Two pairs of the same tokens: reserves of 1,000 and 77 for 90 shares, of which the account has as many as it says.
fn chain(shares: [u64; 2]) -> CannedReplies {
    [PAIR, OTHER].into_iter().zip(shares).fold(CannedReplies::default(), |chain, (pair, shares)| {
        let reserves = [n(1_000), n(77), n(1_700_000_000)];
        chain
            .reply(NETWORK, pair, &balanceOfCall(ACCOUNT), &n(shares))
            .reply(NETWORK, pair, &totalSupplyCall {}, &n(90))
            .reply(NETWORK, pair, &token0Call {}, &A)
            .reply(NETWORK, pair, &token1Call {}, &B)
            .result(NETWORK, pair, &getReservesCall {}, ReadResult::Ok(reserves.abi_encode().into()))
    })
}

fn pooling(chain: impl Replies) -> Outcome {
    JobTest::new("swap", NETWORK, Question::POOLING, ACCOUNT).run::<Swap>(chain)
}

#[test]
fn an_account_without_shares_costs_a_read_of_each_pair() {
    let outcome = pooling(&chain([0, 0]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [2]);
}

#[test]
fn shares_are_their_part_of_both_reserves_rounded_down() {
    let outcome = pooling(&chain([0, 7]));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::POOLED, OTHER));
    // 7,000 / 90 and 539 / 90.
    assert_eq!(legs(position), [(LegRole::POOLED, A, n(77), None), (LegRole::POOLED, B, n(5), None)]);
    assert_eq!(position.name, format!("{{{A:#x}}}/{{{B:#x}}} liquidity"));
}

#[test]
fn a_broken_pair_costs_its_own_rows_and_is_reported() {
    let empty = chain([3, 7]).reply(NETWORK, PAIR, &totalSupplyCall {}, &n(0));
    let few = chain([3, 7]).reply(NETWORK, PAIR, &totalSupplyCall {}, &n(2));
    let unread = chain([3, 7]).result(NETWORK, PAIR, &balanceOfCall(ACCOUNT), ReadResult::Unavailable);
    let all = U256::MAX;
    let huge = chain([3, 7]).result(NETWORK, PAIR, &getReservesCall {}, ReadResult::Ok([all, all].abi_encode().into()));
    for chain in [empty, few, unread, huge] {
        let outcome = pooling(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    }
}

#[test]
fn shares_of_what_has_no_reserves_are_not_covered() {
    let outcome = pooling(&chain([3, 0]).revert(NETWORK, PAIR, &getReservesCall {}));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
    assert_eq!(outcome.not_covered, [format!("main: {PAIR} has shares of this account and no reserves")]);
}

#[test]
fn what_fails_is_never_an_empty_answer() {
    assert_eq!(pooling(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
}
