//! Concentrated positions of Uniswap v3, of two generations of Algebra and of Slipstream: both tokens, the range and the
//! fees; and liquidity of a pair of Uniswap v2. What they have to be is said here by arithmetic; `tests/chain/profiles/positions.mjs` has the history.

use alloy::primitives::{U256, aliases::U512};
use alloy::sol_types::SolCall;
use portolan_tests::fork::{Fork, SharedFork, pays};
use portolan_tests::json::Json;

alloy::sol! {
    struct DecreaseLiquidityParams {
        uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline;
    }
    struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }
    function decreaseLiquidity(DecreaseLiquidityParams params) external;
    function collect(CollectParams params) external;
    function transfer(address to, uint256 amount) external returns (bool);
    function burn(address to) external returns (uint256 amount0, uint256 amount1);
}

const ONE: u128 = 1_000_000_000_000_000_000;
/// The liquidity of 100 of each token in the ticks from -600 to 600, at a price of one: 100 / (1 - 1.0001^-300).
const LIQUIDITY: u128 = 3_383_749_980_973_837_142_785;
/// Protocols whose rows have the same history, the manager's name, and the part in a million of a swap that is a fee.
const EXCHANGES: [(&str, &str, u128); 3] =
    [("uniswap_v3", "uniswap", 3_000), ("quickswap_v3", "algebra", 100), ("thena", "integral", 500)];
const SLIPSTREAM: &str = "velodrome_v2";

static FORK: SharedFork = SharedFork::new("positions");

/// Returns what a pool pays of the fee of a swap of one, which it counts per unit of liquidity, times 2^128 and rounded
/// down.
fn fee(millionths: u128) -> u128 {
    let growth = (U512::from(millionths * ONE / 1_000_000) << 128) / U512::from(LIQUIDITY);
    u128::try_from((growth * U512::from(LIQUIDITY)) >> 128).unwrap()
}

/// Number of each position, and role and amount of its legs.
fn positions(fork: &Fork, who: &str) -> Vec<(String, Vec<(String, u128)>)> {
    let leg =
        |leg: &Json| (leg.text_at("role").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap());
    let row = |row: &Json| {
        let legs = row.at("legs").unwrap().items().unwrap().iter().map(leg).collect();
        (row.text_at("number").unwrap().to_owned(), legs)
    };
    fork.items("pooling/{}/positions", who).unwrap().iter().map(row).collect()
}

fn held(number: u64, legs: &[(&str, u128)]) -> (String, Vec<(String, u128)>) {
    (number.to_string(), legs.iter().map(|(role, amount)| ((*role).to_owned(), *amount)).collect())
}

#[test]
fn a_claim_pays_the_fees_and_what_has_left_a_range() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let claims = |slug, who| fork.of(slug).payments(who).unwrap();
    for (slug, _, millionths) in EXCHANGES {
        assert_eq!(claims(slug, "farmer"), [pays([("token0", fee(millionths))])], "{slug}");
        // All that has left the range but the pool's rounding of 100.
        assert_eq!(claims(slug, "odd"), [pays([("token0", 100 * ONE - 1)])], "{slug}");
        for who in ["whale", "exited", "nothing"] {
            assert_eq!(claims(slug, who), [], "{slug}: {who}");
        }
    }
    assert_eq!(claims(SLIPSTREAM, "farmer"), [pays([("token0", 5), ("token1", 7)])]);
    assert_eq!(claims(SLIPSTREAM, "exited"), []);
}

#[test]
fn a_range_is_worth_what_the_pool_pays_when_it_is_left() {
    let fork = FORK.start().unwrap();
    for (slug, manager, millionths) in EXCHANGES {
        let fork = fork.of(slug);
        let [paid0, paid1] = left(&fork, manager);
        let fee = fee(millionths);
        // One less the fee came in for the second token.
        let pooled0 = 100 * ONE + ONE - millionths * ONE / 1_000_000 - 1;
        assert_eq!(paid0, pooled0 + fee, "{slug}");
        let legs = [("pooled", pooled0), ("pooled", paid1), ("feeOwed", fee)];
        assert_eq!(positions(&fork, "farmer"), [held(1, &legs)], "{slug}");
        // A range above the price has the first token alone.
        assert_eq!(positions(&fork, "whale"), [held(2, &[("pooled", 100 * ONE - 1)])], "{slug}");
        // Liquidity that has left and was not collected.
        assert_eq!(positions(&fork, "odd"), [held(3, &[("feeOwed", 100 * ONE - 1)])], "{slug}");
        for who in ["exited", "nothing"] {
            assert_eq!(positions(&fork, who), [], "{slug}: {who}");
        }
    }
}

/// What the farmer has more of both tokens once all liquidity has left the first position; undone.
fn left(fork: &Fork, manager: &str) -> [u128; 2] {
    let (zero, first, most) = (U256::ZERO, U256::ONE, u128::MAX);
    let recipient = fork.account("farmer").unwrap().parse().unwrap();
    let params = DecreaseLiquidityParams {
        tokenId: first,
        liquidity: LIQUIDITY,
        amount0Min: zero,
        amount1Min: zero,
        deadline: U256::MAX,
    };
    let decrease = decreaseLiquidityCall { params }.abi_encode();
    let params = CollectParams { tokenId: first, recipient, amount0Max: most, amount1Max: most };
    let collect = collectCall { params }.abi_encode();
    let tokens = ["token0", "token1"].map(|name| fork.address(&format!("assets/{name}")).unwrap());
    let manager = fork.address(&format!("exchanges/{manager}/manager")).unwrap();
    fork.paid("farmer", tokens, manager, &[decrease, collect].map(alloy::hex::encode_prefixed)).unwrap()
}

#[test]
fn a_position_of_slipstream_is_in_the_pool_of_its_tick_spacing() {
    let fork = FORK.get().unwrap().of(SLIPSTREAM);
    // A million of liquidity times 1 - 1.0001^-5,000, at a price of one.
    let half = 393_454_177_842_165_242_159_486;
    let legs = [("pooled", half), ("pooled", half), ("feeOwed", 5), ("feeOwed", 7)];
    assert_eq!(positions(&fork, "farmer"), [held(1, &legs)]);
    assert_eq!(positions(&fork, "exited"), []);
}

/// The pair by its name, and by its factory.
const PAIRS: [&str; 2] = ["uniswap_v2", "sushiswap_v2"];

/// The raw amounts of the legs of all positions.
fn pooled(fork: &Fork, who: &str) -> Vec<u128> {
    let rows = fork.items("pooling/{}/positions", who).unwrap();
    let legs = rows.iter().flat_map(|row| row.at("legs").unwrap().items().unwrap().to_vec());
    legs.map(|leg| leg.text_at("amountRaw").unwrap().parse().unwrap()).collect()
}

#[test]
fn shares_of_a_pair_are_their_part_of_both_reserves() {
    // The first shares are the root of 400 * 100 = 200, of which the pair keeps the first thousand smallest units; 600
    // more are minted for three times as much. The reserves are 1,601 and 400.
    let part = |shares: u128, reserve: u128| {
        let amount = U256::from(shares) * U256::from(reserve * ONE) / U256::from(800 * ONE);
        amount.to::<u128>()
    };
    for slug in PAIRS {
        let fork = FORK.get().unwrap().of(slug);
        assert_eq!(pooled(&fork, "farmer"), [part(200 * ONE - 1_000, 1_601), part(200 * ONE - 1_000, 400)], "{slug}");
        assert_eq!(pooled(&fork, "whale"), [part(600 * ONE, 1_601), part(600 * ONE, 400)], "{slug}");
        assert_eq!(pooled(&fork, "nothing"), [], "{slug}");
    }
}

#[test]
fn a_position_says_its_range_and_whether_the_price_is_in_it() {
    let fork = FORK.get().unwrap();
    for (slug, ..) in EXCHANGES {
        let of = |who: &str, member: &str| {
            let rows = fork.of(slug).items("pooling/{}/positions", who).unwrap();
            rows[0].at(&format!("range/{member}")).unwrap().to_string()
        };
        // 1.0001^600 and its inverse.
        assert_eq!([of("farmer", "upper"), of("farmer", "lower")], ["1.06183336125284899", "0.941767358693748061"]);
        assert_eq!([of("farmer", "isInRange"), of("whale", "isInRange")], ["true", "false"], "{slug}");
    }
}

#[test]
fn a_pair_pays_what_its_shares_are_said_to_be() {
    let fork = FORK.start().unwrap();
    let pair = fork.address("exchanges/pairs/pair").unwrap();
    let tokens = ["token0", "token1"].map(|name| fork.address(&format!("assets/{name}")).unwrap());
    for who in ["farmer", "whale"] {
        let amount = U256::from(fork.held(who, pair).unwrap());
        let transfer = transferCall { to: pair.parse().unwrap(), amount }.abi_encode();
        let burn = burnCall { to: fork.account(who).unwrap().parse().unwrap() }.abi_encode();
        let paid = fork.paid(who, tokens, pair, &[transfer, burn].map(alloy::hex::encode_prefixed)).unwrap();
        for slug in PAIRS {
            assert_eq!(pooled(&fork.of(slug), who), paid, "{slug} {who}");
        }
    }
}
