//! Shares of pairs, through the real binary interface.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::liquidity_pairs::LiquidityPairsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, list, n, one_row, plugin, text};

sol! {
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function getPair(address, address) external view returns (address);
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

const FACTORY: Address = address!("0x5f00000000000000000000000000000000000001");
const C: Address = address!("0xa000000000000000000000000000000000000004");

plugin! {
    Found: &PAIRS,
    ["swap" = "SWAP"],
    r#"
    [[deployment]]
    protocol = "swap"
    network = "optimism"
    pairs = ["0x5a00000000000000000000000000000000000001"]
    pair_factory = "0x5f00000000000000000000000000000000000001"
    base_tokens = ["0xa000000000000000000000000000000000000003", "0xa000000000000000000000000000000000000002"]
    paired_tokens = ["0xa000000000000000000000000000000000000004", "0xa000000000000000000000000000000000000002"]
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

fn pair_of(one: Address, other: Address) -> getPairCall {
    getPairCall { _0: one, _1: other }
}

/// The factory has made a pair of both base tokens, and one of the second of them with the third token.
fn made(shares: [u64; 2]) -> CannedReplies {
    chain(shares)
        .reply(NETWORK, OTHER, &token1Call {}, &C)
        .reply(NETWORK, FACTORY, &pair_of(A, B), &PAIR)
        .reply(NETWORK, FACTORY, &pair_of(B, C), &Address::ZERO)
        .reply(NETWORK, FACTORY, &pair_of(A, C), &OTHER)
}

fn job() -> JobTest {
    JobTest::new("swap", NETWORK, Question::POOLING, ACCOUNT)
}

#[test]
fn pairs_of_tokens_are_found_once_and_cost_a_read_each() {
    let first = job().run::<Found>(&made([0, 7]));
    let [position] = first.positions()[..] else { panic!("{}", first.message) };
    assert_eq!((first.end, position.contract), (End::Complete, OTHER), "{}", first.message);
    assert_eq!(legs(position), [(LegRole::POOLED, A, n(77), None), (LegRole::POOLED, C, n(5), None)]);
    // The list, and a balance of the named pair and of the one that was found: the first is both.
    let replies = made([0, 0]);
    let later = job().after(&first).run::<Found>(|request: &ReadRequest| {
        assert!(!request.data.starts_with(&getPairCall::SELECTOR), "the factory is asked again");
        Replies::reply(&mut &replies, request)
    });
    assert_eq!((later.end, later.findings.len()), (End::Complete, 0), "{}", later.message);
    assert_eq!(later.batches.last(), Some(&2), "{:?}", later.batches);
}

#[test]
fn a_pair_that_is_named_and_found_counts_once() {
    let outcome = job().run::<Found>(&made([7, 7]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 2), "{}", outcome.message);
}

#[test]
fn a_named_pair_that_the_factory_does_not_know_is_reported() {
    for known in [OTHER, Address::ZERO] {
        let outcome = job().run::<Found>(&made([7, 7]).reply(NETWORK, FACTORY, &pair_of(A, B), &known));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].contract, OTHER);
        assert!(outcome.message.contains("is not the pair of"), "{}", outcome.message);
    }
    let named = one_row("swap", NETWORK, vec![list("pairs", [OTHER]), text("pair_factory", FACTORY)]);
    let outcome = job().settings(named).run::<Swap>(&made([7, 7]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
}

#[test]
fn a_factory_that_cannot_be_read_is_reported_and_costs_no_named_pair() {
    let unread = made([7, 7]).result(NETWORK, FACTORY, &pair_of(A, C), ReadResult::Unavailable);
    let reverting = made([7, 7]).revert(NETWORK, FACTORY, &pair_of(A, C));
    for chain in [unread, reverting] {
        let outcome = job().run::<Found>(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].contract, PAIR);
    }
}

#[test]
fn a_factory_alone_is_three_lines_of_settings() {
    let keys = |bases: &[Address], others: &[Address]| {
        let mut keys = vec![text("pair_factory", FACTORY)];
        keys.extend((!bases.is_empty()).then(|| list("base_tokens", bases)));
        keys.extend((!others.is_empty()).then(|| list("paired_tokens", others)));
        one_row("swap", NETWORK, keys)
    };
    let catalogue = testing::catalogue::<Swap>(&keys(&[A], &[B]));
    assert_eq!(catalogue.deployments[0].contracts, [FACTORY]);
    let outcome = job().settings(keys(&[A], &[B])).run::<Swap>(&made([7, 0]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    for settings in [keys(&[], &[]), keys(&[A], &[]), keys(&[A], &[A]), keys(&[], &[A, B])] {
        let refused = testing::settings_error::<Swap>(&settings).expect("no pair of tokens");
        assert_eq!(refused.key.as_deref(), Some("base_tokens"));
    }
    let many: Vec<Address> = (0..1_025).map(|number| Address::from_word(n(number + 1).into())).collect();
    let refused = testing::settings_error::<Swap>(&keys(&[A], &many)).expect("too many pairs");
    assert!(refused.message.contains("more than 1024"), "{}", refused.message);
    let tokens = one_row("swap", NETWORK, vec![list("base_tokens", [A, B])]);
    let refused = testing::settings_error::<Swap>(&tokens).expect("tokens without a factory");
    assert_eq!(refused.key.as_deref(), Some("pair_factory"), "{}", refused.message);
}
