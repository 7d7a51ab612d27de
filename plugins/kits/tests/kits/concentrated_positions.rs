//! Positions in concentrated pools, through the real binary interface: four kinds of managers.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::concentrated_positions::ConcentratedPositionsKit;
use portolan_plugin_api::alloy::primitives::aliases::{I24, U24};
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, by_number, fork, legs, n, plugin, text};

sol! {
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function positions(uint256) external view returns (bytes32[12]);
    function factory() external view returns (address);
    function poolByPair(address, address) external view returns (address);
    function customPoolByPair(address, address, address) external view returns (address);
    function slot0() external view returns (bytes32[7]);
    function globalState() external view returns (bytes32[7]);
    struct Params { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }
    function collect(Params) external payable returns (uint256, uint256);
}

mod by_fee {
    portolan_plugin_api::sol! {
        function getPool(address, address, uint24) external view returns (address);
    }
}

mod by_spacing {
    portolan_plugin_api::sol! {
        function getPool(address, address, int24) external view returns (address);
    }
}

const NETWORK: u64 = 10;
const MANAGER: Address = address!("0xf000000000000000000000000000000000000001");
const FACTORY: Address = address!("0xf000000000000000000000000000000000000002");
const DEPLOYER: Address = address!("0xf000000000000000000000000000000000000003");
const POOL: Address = address!("0x5a00000000000000000000000000000000000001");
const A: Address = address!("0xa000000000000000000000000000000000000002");
const B: Address = address!("0xa000000000000000000000000000000000000003");
const KINDS: [&str; 4] = ["uniswap-v3", "slipstream", "algebra", "algebra-integral"];
/// Mode of a read whose writes no other read sees.
const ISOLATED: u8 = 1;

const POSITIONS: ConcentratedPositionsKit = ConcentratedPositionsKit { position: "position" };

plugin! {
    Swap: &POSITIONS,
    ["swap" = "SWAP"],
    r#"
    [[deployment]]
    protocol = "swap"
    network = "optimism"
    position_manager = "0xf000000000000000000000000000000000000001"
    "#
}

/// A signed number as a word.
fn signed(number: i32) -> U256 {
    let distance = U256::from(number.unsigned_abs());
    if number < 0 { distance.wrapping_neg() } else { distance }
}

fn token(at: Address) -> U256 {
    at.into_word().into()
}

fn collect(id: u64) -> collectCall {
    let all = u128::MAX;
    collectCall(Params { tokenId: n(id), recipient: ACCOUNT, amount0Max: all, amount1Max: all })
}

/// A position: id, ticks, liquidity, and the fees of both tokens.
type Held = (u64, (i32, i32), u64, [u64; 2]);

/// A manager of this kind with the account's positions, all in a pool whose price is four.
fn manager(kind: &str, held: &[Held]) -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, MANAGER, &balanceOfCall(ACCOUNT), &U256::from(held.len()))
        .reply(NETWORK, MANAGER, &factoryCall {}, &FACTORY)
        .reply(NETWORK, FACTORY, &by_fee::getPoolCall { _0: A, _1: B, _2: U24::from(500_u16) }, &POOL)
        .reply(NETWORK, FACTORY, &by_spacing::getPoolCall { _0: A, _1: B, _2: I24::MINUS_ONE }, &POOL)
        .reply(NETWORK, FACTORY, &poolByPairCall { _0: A, _1: B }, &POOL)
        .reply(NETWORK, FACTORY, &customPoolByPairCall { _0: DEPLOYER, _1: A, _2: B }, &POOL);
    // 1.0001^13,863 is a little less than four.
    let price = [U256::ONE << 97, n(13_863), n(9), n(9), n(9), n(9), n(1)];
    let price = ReadResult::Ok(price.abi_encode().into());
    let chain = if kind.starts_with("algebra") {
        chain.result(NETWORK, POOL, &globalStateCall {}, price)
    } else {
        chain.result(NETWORK, POOL, &slot0Call {}, price)
    };
    held.iter().enumerate().fold(chain, |chain, (place, (id, (lower, upper), liquidity, fees))| {
        let mut words = vec![n(3), token(DEPLOYER), token(A), token(B)];
        match kind {
            "uniswap-v3" => words.push(n(500)),
            "slipstream" => words.push(signed(-1)),
            "algebra-integral" => words.push(token(DEPLOYER)),
            _ => {}
        }
        words.extend([signed(*lower), signed(*upper), n(*liquidity), n(9), n(9), n(0), n(0)]);
        let reply: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes::<32>()).collect();
        chain
            .reply(NETWORK, MANAGER, &tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: U256::from(place) }, &n(*id))
            .result(NETWORK, MANAGER, &positionsCall(n(*id)), ReadResult::Ok(reply.into()))
            .reply(NETWORK, MANAGER, &collect(*id), &fees.map(n))
    })
}

fn run_of(kind: &str, question: Question, chain: impl Replies) -> Outcome {
    let keys = vec![text("position_manager", MANAGER), text("manager_kind", kind)];
    JobTest::new("fork", NETWORK, question, ACCOUNT).settings(fork(NETWORK, keys)).run::<Swap>(chain)
}

fn run(question: Question, chain: impl Replies) -> Outcome {
    JobTest::new("swap", NETWORK, question, ACCOUNT).run::<Swap>(chain)
}

/// All prices from one on.
const RANGE: (i32, i32) = (0, 887_220);

#[test]
fn an_account_without_positions_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::POOLING] {
        let outcome = run(question, &manager("uniswap-v3", &[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn a_position_of_each_kind_of_manager_is_both_tokens_in_its_range_beside_its_fees() {
    for kind in KINDS {
        let chain = manager(kind, &[(7, RANGE, 1_000_000, [5, 0])]);
        let outcome = run_of(kind, Question::POOLING, &chain);
        let [position] = outcome.positions()[..] else { panic!("{kind}: {}", outcome.message) };
        assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::POOLED, MANAGER));
        // At a root of two: a million times 1/2, less the end of all prices, and a million times 2 - 1.
        let expected = [
            (LegRole::POOLED, A, n(499_999), None),
            (LegRole::POOLED, B, n(1_000_000), None),
            (LegRole::FEE_OWED, A, n(5), None),
        ];
        assert_eq!(legs(position), expected, "{kind}");
        assert_eq!(position.nft, Some(Nft { collection: MANAGER, token_id: n(7) }));
        assert_eq!((position.number, &*position.name), (Some(n(7)), &*format!("{{{A:#x}}}/{{{B:#x}}} position")));
        let range = position.range.expect("it is concentrated");
        assert_eq!((range.lower.base, range.lower.quote, range.lower.x128), (A, Some(B), U256::ONE << 128));
        assert_eq!(range.is_in_range, Some(true));
        // The count; the id; the position and its fees; the factory, the pool and its price.
        assert_eq!(outcome.batches, [1, 1, 2, 1, 1, 1], "{kind}");
        let claimables = run_of(kind, Question::CLAIMABLES, &chain);
        assert_eq!(
            by_number(&claimables),
            [(Some(n(7)), A, n(5)), (Some(n(7)), B, n(0))],
            "{kind}: {}",
            claimables.message
        );
        outcome.check_totals(&claimables);
    }
}

#[test]
fn fees_are_collected_in_one_claim_for_both_tokens() {
    let held = [(7, RANGE, 9, [5, 6]), (8, RANGE, 9, [0, 0]), (9, RANGE, 0, [0, 4])];
    let outcome = run(Question::CLAIMABLES, &manager("uniswap-v3", &held));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 2), "{}", outcome.message);
    let paid = [(Some(n(7)), A, n(5)), (Some(n(7)), B, n(6)), (Some(n(9)), A, n(0)), (Some(n(9)), B, n(4))];
    assert_eq!(by_number(&outcome), paid);
    let row = outcome.claimables()[0];
    assert_eq!((row.contract, row.steps[0].to), (MANAGER, MANAGER));
    assert_eq!(row.steps[0].arguments, collect(7).abi_encode()[4..]);
    assert_eq!(row.name, format!("{{{A:#x}}}/{{{B:#x}}} fees"));
    assert_eq!(outcome.batches, [1, 3, 6]);
}

#[test]
fn collecting_is_tried_as_the_account_and_seen_by_no_other_read() {
    let chain = manager("uniswap-v3", &[(7, RANGE, 9, [5, 6])]);
    let mut tried = Vec::new();
    run(Question::POOLING, |request: &ReadRequest| {
        if request.data[..4] == collectCall::SELECTOR {
            tried.push((request.from, request.mode));
        }
        (&chain).reply(request)
    });
    assert_eq!(tried, [(Some(ACCOUNT), ISOLATED)]);
}

#[test]
fn out_of_its_range_a_position_is_one_token_and_what_was_emptied_is_none() {
    let held = [(7, (20_000, 30_000), 1_000_000, [0, 0]), (8, (0, 100), 1_000_000, [0, 0]), (9, RANGE, 0, [0, 0])];
    let outcome = run(Question::POOLING, &manager("uniswap-v3", &held));
    let positions = outcome.positions();
    assert_eq!((outcome.end, positions.len()), (End::Complete, 2), "{}", outcome.message);
    // 1,000,000 times the difference of 1.0001^-10,000 = 0.3678978 and 1.0001^-15,000 = 0.2231470.
    assert_eq!(legs(positions[0]), [(LegRole::POOLED, A, n(144_750), None)]);
    // 1,000,000 times 1.0001^50 - 1 = 0.0050122….
    assert_eq!(legs(positions[1]), [(LegRole::POOLED, B, n(5_012), None)]);
    let is_in_range = |position: &Position| position.range.and_then(|range| range.is_in_range);
    assert_eq!((is_in_range(positions[0]), is_in_range(positions[1])), (Some(false), Some(false)));
}

#[test]
fn the_main_pool_of_a_pair_has_no_deployer() {
    let held = [(7, RANGE, 1_000_000, [0, 0])];
    let chain = manager("algebra-integral", &held);
    let mut words = vec![n(3), n(0), token(A), token(B), n(0), n(0), n(887_220), n(1_000_000)];
    words.extend([U256::ZERO; 4]);
    let reply: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes::<32>()).collect();
    let chain = chain.result(NETWORK, MANAGER, &positionsCall(n(7)), ReadResult::Ok(reply.into())).revert(
        NETWORK,
        FACTORY,
        &customPoolByPairCall { _0: DEPLOYER, _1: A, _2: B },
    );
    let outcome = run_of("algebra-integral", Question::POOLING, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
}

#[test]
fn a_broken_position_costs_its_own_rows_and_is_reported() {
    let held = [(7, RANGE, 9_000, [5, 6]), (8, RANGE, 9_000, [5, 6])];
    for broken in [
        manager("uniswap-v3", &held).revert(NETWORK, MANAGER, &positionsCall(n(7))),
        manager("uniswap-v3", &held).revert(NETWORK, MANAGER, &collect(7)),
        manager("uniswap-v3", &held).result(NETWORK, MANAGER, &positionsCall(n(7)), ReadResult::Ok(Bytes::new())),
    ] {
        for question in [Question::CLAIMABLES, Question::POOLING] {
            let outcome = run(question, &broken);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{question:?}: {}", outcome.message);
        }
    }
    let wrong = [(7, (5, 5), 9_000, [5, 6]), held[1]];
    let outcome = run(Question::POOLING, &manager("uniswap-v3", &wrong));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1));
    assert_eq!(outcome.message, format!("main: {MANAGER}: position 7 has no range"));
}

#[test]
fn a_price_that_contradicts_its_tick_is_a_failure_and_a_huge_fee_is_not() {
    let chain = manager("uniswap-v3", &[(7, RANGE, 9_000, [0, 6])]);
    let price = [U256::ONE, n(13_863), n(9), n(9), n(9), n(9), n(1)];
    let odd = chain.clone().result(NETWORK, POOL, &slot0Call {}, ReadResult::Ok(price.abi_encode().into()));
    assert_eq!(run(Question::POOLING, &odd).end, End::Failed);
    let huge = chain.reply(NETWORK, MANAGER, &collect(7), &[U256::MAX, U256::MAX]);
    let outcome = run(Question::CLAIMABLES, &huge);
    assert_eq!(by_number(&outcome), [(Some(n(7)), A, U256::MAX), (Some(n(7)), B, U256::MAX)]);
}

#[test]
fn only_the_first_positions_are_answered_and_the_answer_says_so() {
    let held: Vec<Held> = (0..70).map(|id| (id, RANGE, 9, [1, 0])).collect();
    let outcome = run(Question::CLAIMABLES, &manager("uniswap-v3", &held));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 64));
    assert_eq!(outcome.not_covered, [format!("main: {MANAGER}: 70 NFTs, of which 64 are answered")]);
}

#[test]
fn what_fails_is_never_an_empty_answer() {
    assert_eq!(run(Question::POOLING, |_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    let all = manager("uniswap-v3", &[(7, RANGE, 9, [5, 6])]).revert(NETWORK, MANAGER, &collect(7));
    for question in [Question::CLAIMABLES, Question::POOLING] {
        assert_eq!(run(question, &all).end, End::Failed);
    }
}

#[test]
fn an_unknown_kind_is_refused_with_those_that_are_known() {
    let keys = vec![text("position_manager", MANAGER), text("manager_kind", "uniswap-v4")];
    let refused = testing::settings_error::<Swap>(&fork(NETWORK, keys)).expect("the settings are wrong");
    assert_eq!(refused.key.as_deref(), Some("manager_kind"));
    assert!(KINDS.iter().all(|kind| refused.message.contains(kind)), "{}", refused.message);
}
