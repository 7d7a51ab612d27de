//! The templates of plugins, and the example of a queue, served as an author ships them: what they find in real contracts
//! of Sablier, Uniswap v3 and Aave v3 and in a double of Lido's queue, and what their claims pay. What that has to be is said
//! here by arithmetic; `tests/chain/profiles/templates.mjs` has the history.

use alloy::primitives::{U256, aliases::U512};
use alloy::sol_types::SolCall;
use anyhow::{Context as _, Result};
use portolan_tests::fork::{Fork, NATIVE, Payments};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;
use serde_json::Value;

alloy::sol! {
    struct DecreaseLiquidityParams {
        uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline;
    }
    struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }
    function decreaseLiquidity(DecreaseLiquidityParams params) external;
    function collect(CollectParams params) external;
}

const USDC: u128 = 1_000_000;
const ONE: u128 = 1_000_000_000_000_000_000;
/// The liquidity of 100 of each token in the ticks from -600 to 600, at a price of one: 100 / (1 - 1.0001^-300).
const LIQUIDITY: u128 = 3_383_749_980_973_837_142_785;
static FORK: Shared<Fork> = Shared::new();

fn start() -> Result<Fork> {
    let examples = [("plugins/locks", "locks"), ("plugins/ranges", "ranges"), ("withdrawal-queue", "lido")];
    Fork::of_examples("templates", &examples)
}

fn fork(protocol: &'static str) -> Fork {
    FORK.get(start).unwrap().of(protocol)
}

/// What the account's claims say and what they pay of each token, which has to be the same, by the number of each.
fn claims(fork: &Fork, who: &str) -> Vec<(String, Payments)> {
    let claims = fork.claims(who).unwrap();
    let mut found: Vec<_> = claims
        .into_iter()
        .map(|claim| {
            assert_eq!(claim.said, claim.received, "{:?}", claim.rows);
            let id = claim.rows[0].text_at("claimId").unwrap();
            (id.rsplit('-').next().unwrap().to_owned(), claim.said)
        })
        .collect();
    found.sort();
    found
}

/// Number, and role and amount of each leg, of the account's positions.
fn positions(fork: &Fork, question: &str, who: &str) -> Vec<(String, Vec<(String, u128)>)> {
    let leg =
        |leg: &Json| (leg.text_at("role").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap());
    let row = |row: &Json| {
        let legs = row.at("legs").unwrap().items().unwrap().iter().map(leg).collect();
        (row.text_at("number").unwrap().to_owned(), legs)
    };
    let mut rows: Vec<_> = fork.items(&format!("{question}/{{}}/positions"), who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

fn held(number: u64, legs: &[(&str, u128)]) -> (String, Vec<(String, u128)>) {
    (number.to_string(), legs.iter().map(|(role, amount)| ((*role).to_owned(), *amount)).collect())
}

fn pays(number: u64, token: &str, amount: u128) -> (String, Payments) {
    (number.to_string(), Payments::from([(token.to_owned(), amount)]))
}

#[test]
fn claims_pay_the_right_account_what_they_say() {
    // The other tests read a chain on which nothing happens.
    let fork = start().unwrap();
    let [streams, ranges, queue] = ["locks", "ranges", "lido"].map(|protocol| fork.of(protocol));
    // A quarter of 1,000 less the 100 that were withdrawn; a third of 900, whose digits end; half of 400, which another
    // account was to have at first.
    assert_eq!(claims(&streams, "farmer"), [pays(1, "usdc", 150 * USDC)]);
    assert_eq!(claims(&streams, "whale"), [pays(3, "usdc", 300 * USDC - 1)]);
    assert_eq!(claims(&streams, "odd"), [pays(6, "usdc", 200 * USDC)]);
    // All that has left the range but the pool's rounding of 100.
    assert_eq!(claims(&ranges, "farmer"), [pays(1, "token0", fee())]);
    assert_eq!(claims(&ranges, "odd"), [pays(3, "token0", 100 * ONE - 1)]);
    assert_eq!(claims(&ranges, "whale"), []);
    // 10 in full, and 2 at nine tenths.
    assert_eq!(claims(&queue, "farmer"), [pays(1, NATIVE.1, 10 * ONE), pays(3, NATIVE.1, 18 * ONE / 10)]);
    assert_eq!(claims(&queue, "whale"), [pays(2, NATIVE.1, 7 * ONE)]);
    // The exited account has NFTs of a stream and a range that have paid all, and had those of two other streams.
    for (fork, who) in [&streams, &ranges, &queue].into_iter().flat_map(|fork| [(fork, "exited"), (fork, "nothing")]) {
        assert_eq!(claims(fork, who), [], "{who}");
    }
}

#[test]
fn the_rest_of_a_stream_vests() {
    let fork = fork("locks");
    let vests = |number, amount| held(number, &[("vesting", amount)]);
    assert_eq!(positions(&fork, "locked", "farmer"), [vests(1, 750 * USDC), vests(2, 3 * USDC)]);
    assert_eq!(positions(&fork, "locked", "whale"), [vests(3, 600 * USDC + 1)]);
    for who in ["odd", "exited", "nothing"] {
        assert_eq!(positions(&fork, "locked", who), [], "{who}");
    }
    let streams = fork.items("locked/{}/positions", "farmer").unwrap();
    let cliffs: Vec<&Json> = streams.iter().map(|stream| stream.at("vesting/cliff").unwrap()).collect();
    let cliff = Json::Number((fork.chain.block_timestamp + 1_000_000).to_string());
    assert!(cliffs.contains(&&cliff) && cliffs.contains(&&Json::Null), "{cliffs:?}");
}

/// Returns what the pool pays of a fee of 0.003, which it counts per unit of liquidity, times 2^128 and rounded down.
fn fee() -> u128 {
    let growth = (U512::from(3 * ONE / 1_000) << 128) / U512::from(LIQUIDITY);
    u128::try_from((growth * U512::from(LIQUIDITY)) >> 128).unwrap()
}

#[test]
fn a_range_is_worth_what_the_pool_pays_when_it_is_left() {
    let fork = start().unwrap().of("ranges");
    let [pooled0, pooled1] = left(&fork, "farmer", 1, LIQUIDITY);
    // One less the fee came in for the second token.
    assert_eq!(pooled0, 100 * ONE + 997 * ONE / 1_000 - 1 + fee());
    let legs = [("pooled", pooled0 - fee()), ("pooled", pooled1), ("feeOwed", fee())];
    assert_eq!(positions(&fork, "pooling", "farmer"), [held(1, &legs)]);
    // A range above the price has the first token alone.
    assert_eq!(positions(&fork, "pooling", "whale"), [held(2, &[("pooled", 100 * ONE - 1)])]);
    assert_eq!(positions(&fork, "pooling", "exited"), []);
}

/// What the account has more of both tokens once all of its liquidity has left a position; undone.
fn left(fork: &Fork, who: &str, number: u64, liquidity: u128) -> [u128; 2] {
    let number = U256::from(number);
    let (zero, deadline, most) = (U256::ZERO, U256::MAX, u128::MAX);
    let recipient = fork.account(who).unwrap().parse().unwrap();
    let params = DecreaseLiquidityParams { tokenId: number, liquidity, amount0Min: zero, amount1Min: zero, deadline };
    let decrease = decreaseLiquidityCall { params }.abi_encode();
    let params = CollectParams { tokenId: number, recipient, amount0Max: most, amount1Max: most };
    let collect = collectCall { params }.abi_encode();
    let tokens = ["token0", "token1"].map(|name| fork.address(&format!("assets/{name}")).unwrap());
    let manager = fork.address("manager").unwrap();
    fork.paid(who, tokens, manager, &[decrease, collect].map(alloy::hex::encode_prefixed)).unwrap()
}

#[test]
fn the_ends_of_a_range_keep_their_digits() {
    let fork = fork("ranges");
    let rows = fork.items("pooling/{}/positions", "farmer").unwrap();
    let end = |name: &str| rows[0].at(&format!("range/{name}")).unwrap().to_string();
    // 1.0001^600 and its inverse.
    assert_eq!([end("upper"), end("lower")], ["1.06183336125284899", "0.941767358693748061"]);
}

#[test]
fn a_request_is_locked_until_its_time_has_come() {
    let fork = fork("lido");
    assert_eq!(positions(&fork, "locked", "farmer"), [held(5, &[("locked", 5 * ONE)])]);
    for who in ["whale", "exited", "nothing"] {
        assert_eq!(positions(&fork, "locked", who), [], "{who}");
    }
}

#[test]
fn requests_of_a_queue_are_claimed_in_one_transaction() {
    let fork = fork("lido");
    let path = format!("/{}/claim-plan?network=ethereum&detail=full", fork.account("farmer").unwrap());
    let response = fork.gateway.get(&path).unwrap();
    assert_eq!(response.status.as_u16(), 200, "{}", response.body);
    let plan = response.json().unwrap().at("items").unwrap().items().unwrap()[0].clone();
    let calls = plan.at("transactions").unwrap().items().unwrap();
    let queue = fork.address("queue").unwrap();
    let of_queue: Vec<&Json> = calls.iter().filter(|call| call.text_at("to").unwrap() == queue).collect();
    let [call] = of_queue[..] else { panic!("{plan}") };
    assert_eq!(call.at("claimIds").unwrap().items().unwrap().len(), 2, "{call}");
    assert_eq!(plan.text_at("simulated").unwrap(), "paid", "{plan}");
}

#[test]
fn a_market_has_what_is_lent_and_owed_and_the_health_of_the_debt() {
    let fork = Fork::of_examples("ethereum", &[("plugins/lending", "lending")]).unwrap();
    let health = fork.health("whale").unwrap();
    let expected = |who: &str| -> Result<Vec<(String, u128, String)>> {
        let rows = fork.expected(&format!("accounts/{who}/lending"))?.as_array().context("no rows")?;
        let text = |row: &Value, name: &str| Some(row[name].as_str()?.to_owned());
        let row = |row: &Value| Some((text(row, "token")?, text(row, "amountRaw")?.parse().ok()?, text(row, "side")?));
        let mut rows: Vec<_> = rows.iter().map(row).collect::<Option<_>>().context("a row without its members")?;
        rows.sort();
        Ok(rows)
    };
    for who in ["farmer", "whale", "dust", "nothing", "exited"] {
        let row = |row: &Json| {
            let text = |name: &str| row.text_at(name).unwrap().to_owned();
            (text("token/address"), text("amountRaw").parse::<u128>().unwrap(), text("side"))
        };
        let mut found: Vec<_> = fork.items("lending/{}/positions", who).unwrap().iter().map(row).collect();
        found.sort();
        assert_eq!(found, expected(who).unwrap(), "{who}");
    }
    let wad = fork.expected("accounts/whale/lending/0/healthFactorWad").unwrap().as_str().unwrap();
    // 18 digits of it are shown.
    let shown = format!("{}.{}", &wad[..1], &wad[1..18]);
    assert_eq!(health, [shown]);
}
