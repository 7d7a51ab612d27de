//! Gauges of concentrated pools, through the real binary interface: staked positions and their rewards.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::solidly::SolidlyKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, n, plugin};

sol! {
    function length() external view returns (uint256);
    function pools(uint256) external view returns (address);
    function gauges(address) external view returns (address);
    function stakingToken() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function nft() external view returns (address);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function rewardToken() external view returns (address);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function stakedLength(address) external view returns (uint256);
    function stakedByIndex(address, uint256) external view returns (uint256);
    function earned(address, uint256) external view returns (uint256);
    function rewards(uint256) external view returns (uint256);
    function positions(uint256) external view returns (bytes32[12]);
    function slot0() external view returns (bytes32[6]);
    function stakedLiquidity() external view returns (uint128);
}

/// View of a gauge that counts stakes.
mod staking {
    portolan_plugin_api::sol! {
        function earned(address account) external view returns (uint256);
    }
}

const NETWORK: u64 = 10;
const VOTER: Address = address!("0xf000000000000000000000000000000000000001");
const MANAGER: Address = address!("0xf000000000000000000000000000000000000002");
const VELO: Address = address!("0xa000000000000000000000000000000000000001");
const A: Address = address!("0xa000000000000000000000000000000000000002");
const B: Address = address!("0xa000000000000000000000000000000000000003");
const POOL: Address = address!("0x5a00000000000000000000000000000000000001");
const GAUGE: Address = address!("0x6a00000000000000000000000000000000000001");
const OTHER_POOL: Address = address!("0x5a00000000000000000000000000000000000002");
const OTHER: Address = address!("0x6a00000000000000000000000000000000000002");

const TYPES: SolidlyKit =
    SolidlyKit { gauge: "gauge", pool: "pool", lock: "lock", rebase: "rebase", fees: "fees", bribe: "bribe" };

plugin! {
    Velo: &TYPES,
    ["velo" = "VELO"],
    r#"
    [[deployment]]
    protocol = "velo"
    network = "optimism"
    voter = "0xf000000000000000000000000000000000000001"
    "#
}

/// A signed number as a word.
fn signed(number: i32) -> U256 {
    let distance = U256::from(number.unsigned_abs());
    if number < 0 { distance.wrapping_neg() } else { distance }
}

/// A gauge of a concentrated pool whose price is one, and one that counts stakes. The account has nothing in either.
fn voter() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, VOTER, &lengthCall {}, &n(2))
        .reply(NETWORK, VOTER, &poolsCall(n(0)), &POOL)
        .reply(NETWORK, VOTER, &gaugesCall(POOL), &GAUGE)
        .reply(NETWORK, VOTER, &poolsCall(n(1)), &OTHER_POOL)
        .reply(NETWORK, VOTER, &gaugesCall(OTHER_POOL), &OTHER)
        .reply(NETWORK, OTHER, &stakingTokenCall {}, &OTHER_POOL)
        .reply(NETWORK, OTHER, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(NETWORK, OTHER, &staking::earnedCall { account: ACCOUNT }, &U256::ZERO)
        .revert(NETWORK, GAUGE, &stakingTokenCall {})
        .reply(NETWORK, GAUGE, &stakedLengthCall(VOTER), &U256::ZERO)
        .reply(NETWORK, GAUGE, &stakedLengthCall(ACCOUNT), &U256::ZERO)
        .reply(NETWORK, GAUGE, &nftCall {}, &MANAGER)
        .reply(NETWORK, GAUGE, &token0Call {}, &A)
        .reply(NETWORK, GAUGE, &token1Call {}, &B)
        .reply(NETWORK, GAUGE, &rewardTokenCall {}, &VELO);
    at_price(chain, U256::ONE << 96, 0, NOW_S + 1)
}

/// Sets the pool's price and tick, and the end of the gauge's period, which pays twelve per second to a liquidity of
/// 4,000,000.
fn at_price(chain: CannedReplies, root_x96: U256, tick: i32, finish_s: u64) -> CannedReplies {
    let slot0 = [root_x96, signed(tick), U256::ZERO, U256::ONE, U256::ONE, U256::ONE];
    chain
        .result(NETWORK, POOL, &slot0Call {}, ReadResult::Ok(slot0.abi_encode().into()))
        .reply(NETWORK, POOL, &stakedLiquidityCall {}, &n(4_000_000))
        .reply(NETWORK, GAUGE, &rewardRateCall {}, &n(12))
        .reply(NETWORK, GAUGE, &periodFinishCall {}, &n(finish_s))
}

/// A staked position: id, ticks, liquidity, and its unsettled and settled rewards.
type Staked = (u64, (i32, i32), u64, (u64, u64));

fn staked(chain: CannedReplies, positions: &[Staked]) -> CannedReplies {
    let chain = chain.reply(NETWORK, GAUGE, &stakedLengthCall(ACCOUNT), &U256::from(positions.len()));
    positions.iter().enumerate().fold(chain, |chain, (place, (id, (lower, upper), liquidity, (earned, settled)))| {
        let token = |token: Address| U256::from_be_bytes(token.into_word().0);
        let nothing = U256::ZERO;
        let ticks = [signed(*lower), signed(*upper)];
        let position =
            [[nothing, nothing, token(A), token(B)], [n(200), ticks[0], ticks[1], n(*liquidity)], [nothing; 4]];
        let by_index = stakedByIndexCall { _0: ACCOUNT, _1: U256::from(place) };
        chain
            .reply(NETWORK, GAUGE, &by_index, &n(*id))
            .reply(NETWORK, GAUGE, &earnedCall { _0: ACCOUNT, _1: n(*id) }, &n(*earned))
            .reply(NETWORK, GAUGE, &rewardsCall(n(*id)), &n(*settled))
            .result(
                NETWORK,
                MANAGER,
                &positionsCall(n(*id)),
                ReadResult::Ok(position.concat().abi_encode()[64..].to_vec().into()),
            )
    })
}

fn case(question: Question) -> JobTest {
    let entries = [(POOL, GAUGE, true), (OTHER_POOL, OTHER, false)];
    JobTest::new("velo", NETWORK, question, ACCOUNT).facts("main", "gauges", &entries)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    case(question).run::<Velo>(chain)
}

/// Ticks about a factor of e apart: the root of 1.0001^10,000 is 1.64868005….
const RANGE: (i32, i32) = (0, 10_000);

#[test]
fn gauges_of_concentrated_pools_stand_in_the_list_and_an_account_without_positions_costs_one_read_of_each() {
    let chain = voter();
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = JobTest::new("velo", NETWORK, question, ACCOUNT).run::<Velo>(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        let entries = outcome.facts::<(Address, Address, bool)>("main", "gauges");
        assert_eq!(entries, [(POOL, GAUGE, true), (OTHER_POOL, OTHER, false)]);
        let second = run(question, &chain);
        assert_eq!((second.end, second.batches), (End::Complete, vec![1, 2]), "the list's length, each gauge once");
    }
}

#[test]
fn each_position_has_a_claim_of_its_own() {
    let positions = [(7, RANGE, 9, (40, 2)), (8, RANGE, 9, (0, 0)), (9, RANGE, 9, (1, 0))];
    let outcome = run(Question::CLAIMABLES, &staked(voter(), &positions));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 2), "{}", outcome.message);
    for (row, (id, amount)) in outcome.claimables().into_iter().zip([(7, 42), (9, 1)]) {
        assert_eq!((row.contract, row.number), (GAUGE, Some(n(id))));
        assert_eq!((row.payments[0].token, row.payments[0].amount), (VELO, n(amount)));
        assert_eq!(row.name, format!("{{{A:#x}}}/{{{B:#x}}} reward"));
        assert_eq!((row.steps[0].to, &row.steps[0].arguments), (GAUGE, &n(id).abi_encode()));
        assert!(row.steps[0].mergeable.is_none(), "the voter would claim those of the others too");
    }
    assert_eq!(outcome.batches, [1, 2, 3, 6 * 3], "numbers, then all that a claim takes");
    let alone = run(Question::CLAIMABLES, &staked(voter(), &positions[..1]));
    let merged = alone.claimables()[0].steps[0].mergeable.clone().expect("it is the only one");
    assert_eq!((merged.to, merged.arguments), (VOTER, vec![GAUGE].abi_encode()));
}

#[test]
fn a_positions_legs_are_what_its_liquidity_comes_to() {
    // At a price of one or below, a million of liquidity is 1,000,000 * (1 - 1/1.64868005) of the first token; in the
    // inverse range it is as much of the second.
    let cases = [
        (RANGE, U256::ONE << 96, 0, (393_454, 0), true),
        ((-10_000, 0), U256::ONE << 96, 0, (0, 393_454), false),
        ((-10_000, 10_000), U256::ONE << 96, 0, (393_454, 393_454), true),
        // At a root of two the price is above the range: 1,000,000 * (1.64868005 - 1) of the second token.
        (RANGE, U256::ONE << 97, 13_863, (0, 648_680), false),
        (RANGE, U256::ONE << 95, -13_864, (393_454, 0), false),
    ];
    for (range, root, tick, (first, second), is_in_range) in cases {
        let chain = staked(at_price(voter(), root, tick, NOW_S + 1), &[(7, range, 1_000_000, (3, 4))]);
        let outcome = run(Question::FARMING, &chain);
        let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
        assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::STAKED, GAUGE));
        assert_eq!(position.nft, Some(Nft { collection: MANAGER, token_id: n(7) }));
        assert_eq!(position.name, format!("{{{A:#x}}}/{{{B:#x}}} gauge"));
        let staked = |token, amount| Leg::new(LegRole::STAKED, token, n(amount));
        let owed = Leg::new(LegRole::REWARD_OWED, VELO, n(7));
        assert_eq!(position.legs, [staked(A, first), staked(B, second), owed], "{range:?} at {tick}");
        let own = if is_in_range { 12 * 1_000_000 } else { 0 };
        let rate = Reward { own_per_second: Some(n(own)), divisor: Some(n(4_000_000)), ..Reward::new(VELO, None) };
        assert_eq!(position.rewards, [rate], "{range:?} at {tick}");
        let prices = position.range.expect("it is concentrated");
        assert_eq!((prices.lower.base, prices.lower.quote, prices.is_in_range), (A, Some(B), Some(is_in_range)));
        if range.0 == 0 {
            assert_eq!(prices.lower.x128, U256::ONE << 128, "1.0001^0");
        }
    }
}

#[test]
fn a_period_that_is_over_pays_nothing_more() {
    let chain = staked(at_price(voter(), U256::ONE << 96, 0, NOW_S), &[(7, RANGE, 1_000_000, (3, 0))]);
    let outcome = run(Question::FARMING, &chain);
    assert_eq!(outcome.positions()[0].rewards[0].own_per_second, Some(U256::ZERO), "{}", outcome.message);
}

#[test]
fn a_broken_position_costs_its_own_rows_and_is_reported() {
    let positions = [(7, RANGE, 9_000, (40, 2)), (8, RANGE, 9_000, (5, 0))];
    let broken = staked(voter(), &positions).revert(NETWORK, GAUGE, &earnedCall { _0: ACCOUNT, _1: n(7) }).revert(
        NETWORK,
        MANAGER,
        &positionsCall(n(7)),
    );
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &broken);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{question:?}: {}", outcome.message);
        assert!(outcome.message.contains("reverted"), "{}", outcome.message);
    }
    let none = staked(voter(), &[(7, (5, 5), 9_000, (40, 2)), positions[1]]);
    let outcome = run(Question::FARMING, &none);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1));
    assert_eq!(outcome.message, format!("main: {GAUGE}: position 7 has no range"));
}

#[test]
fn a_gauge_that_fails_costs_its_own_rows_and_one_that_the_voter_does_not_name_gets_no_claim() {
    for answer in [ReadResult::Reverted(Bytes::new()), ReadResult::Unavailable, ReadResult::NoCode] {
        let chain = voter().result(NETWORK, GAUGE, &stakedLengthCall(ACCOUNT), answer);
        for question in [Question::CLAIMABLES, Question::FARMING] {
            let outcome = run(question, &chain);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
        }
    }
    let renamed = staked(voter(), &[(7, RANGE, 9, (40, 2))]).reply(NETWORK, VOTER, &gaugesCall(POOL), &OTHER);
    let outcome = run(Question::CLAIMABLES, &renamed);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 0));
    assert_eq!(outcome.message, format!("main: {GAUGE}: is the gauge of {POOL} no more"));
}

#[test]
fn positions_beyond_the_bound_are_reported_and_not_read() {
    let positions: Vec<Staked> = (0..100).map(|id| (id, RANGE, 9_000, (1, 0))).collect();
    let chain = staked(voter(), &positions).reply(NETWORK, GAUGE, &stakedLengthCall(ACCOUNT), &U256::MAX);
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 100));
    assert_eq!(outcome.not_covered, [format!("main: {GAUGE}: 100 of {} positions are read", U256::MAX)]);
}
