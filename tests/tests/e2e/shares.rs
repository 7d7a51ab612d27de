//! Shares of Curve's and Balancer's pools, staked in gauges and held without a stake: real pools, and doubles of Curve's
//! registry and of the gauges. What they redeem to is said here by what was put into the pools, which nobody has traded
//! with; `tests/chain/profiles/shares.mjs` has the history.

use std::sync::Arc;

use alloy::primitives::U256;
use alloy::sol_types::SolCall;
use anyhow::Result;
use bigdecimal::{BigDecimal, RoundingMode};
use portolan_tests::fork::{Fork, ForkRow, ROWS};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

alloy::sol! {
    function remove_liquidity(uint256 amount, uint256[4] least) external;
}

/// Dollars for whole tokens.
const PRICES: [(&str, &str); 6] = [
    ("shares/dai", "1"),
    ("shares/usdc", "0.5"),
    ("shares/usdt", "2"),
    ("shares/susd", "0.25"),
    ("shares/bal", "5"),
    ("shares/weth", "1000"),
];
/// Shares that Balancer's pools give to nobody, so that they never are without any.
const MINIMUM: u64 = 1_000_000;

static CURVE: Shared<Fork> = Shared::new();
static BALANCER: Shared<Fork> = Shared::new();

fn curve() -> Result<Fork> {
    alone("curve")
}

fn balancer() -> Result<Fork> {
    alone("balancer")
}

/// One protocol without the other, which knows shares that it does not.
fn alone(protocol: &str) -> Result<Fork> {
    let own = |row: &&ForkRow| (row.profile, row.protocol) == ("shares", protocol);
    Fork::of_rows(&ROWS.iter().filter(own).copied().collect::<Vec<_>>(), &PRICES)
}

/// The position of the farmer's stake of a share.
fn staked(fork: &Fork, share: &str) -> Json {
    let address = fork.address(&format!("shares/{share}")).unwrap();
    let positions = fork.items("farming/{}/positions", "farmer").unwrap();
    let mut of_share = positions.into_iter().filter(|row| row.text_at("stakedToken/address").unwrap() == address);
    of_share.next().unwrap()
}

fn supply(fork: &Fork, share: &str) -> BigDecimal {
    fork.address(&format!("supplies/{share}")).unwrap().parse().unwrap()
}

/// As answers show dollars.
fn rounded(usd: BigDecimal) -> BigDecimal {
    usd.with_precision_round(18.try_into().unwrap(), RoundingMode::HalfEven)
}

/// Three eighths of the share's first supply, out of a pool that is worth so much, with shares of nobody beside.
#[track_caller]
fn check(fork: &Fork, share: &str, kind: &str, parts: &[&str], dollars: u64, minimum: u64) {
    let row = staked(fork, share);
    let amount: BigDecimal = row.text_at("amountRaw").unwrap().parse().unwrap();
    let first = supply(fork, share);
    assert_eq!(
        amount,
        (first.clone() * BigDecimal::from(3) / BigDecimal::from(8)).with_scale_round(0, RoundingMode::Down)
    );
    assert_eq!(row.text_at("stakedToken/type").unwrap(), kind);
    let underlying = row.at("stakedToken/underlyingTokens").unwrap().items().unwrap();
    let named = |part: &&str| underlying.contains(&Json::text(fork.address(&format!("shares/{part}")).unwrap()));
    assert!(underlying.len() == parts.len() && parts.iter().all(named), "{row}");
    let usd = BigDecimal::from(dollars) * amount / (first + BigDecimal::from(minimum));
    assert_eq!(row.number_at("dollarValue").unwrap(), rounded(usd), "{row}");
    let source = row.at("priceSource").unwrap();
    assert_eq!(source, &if dollars == 0 { Json::Null } else { Json::text("derived:composition") }, "{row}");
}

#[test]
fn a_share_of_a_curve_pool_is_worth_its_part_of_the_balances() {
    let fork: Arc<Fork> = CURVE.get(curve).unwrap();
    // 1,000 of 1 dollar, 2,000 of half a dollar, 3,000 of 2, 4,000 of a quarter.
    check(&fork, "curveShare", "CURVE", &["dai", "usdc", "usdt", "susd"], 9_000, 0);
}

/// Coin and raw amount of each leg of the only position.
fn pooled(fork: &Fork, who: &str) -> Vec<(String, u128)> {
    let rows = fork.items("pooling/{}/positions", who).unwrap();
    let [row] = &rows[..] else { panic!("{who}: {rows:?}") };
    let leg = |leg: &Json| {
        let token = leg.text_at("token/address").unwrap().to_owned();
        (token, leg.text_at("amountRaw").unwrap().parse().unwrap())
    };
    row.at("legs").unwrap().items().unwrap().iter().map(leg).collect()
}

#[test]
fn shares_of_a_curve_pool_without_a_stake_are_what_leaving_it_pays() {
    let fork = alone("curve").unwrap();
    let coins = ["dai", "usdc", "usdt", "susd"].map(|coin| fork.address(&format!("shares/{coin}")).unwrap());
    // What was put in, in smallest units.
    let balances: [u128; 4] = [1_000 * 10_u128.pow(18), 2_000_000_000, 3_000_000_000, 4_000 * 10_u128.pow(18)];
    let first: u128 = fork.address("supplies/curveShare").unwrap().parse().unwrap();
    let share = fork.address("shares/curveShare").unwrap();
    // The whale has a quarter, and the farmer what is left beside that and three eighths.
    let quarter = first / 4;
    for (who, shares) in [("whale", quarter), ("farmer", first - quarter - first * 3 / 8)] {
        assert_eq!(fork.held(who, share).unwrap(), shares, "{who}");
        let part = |balance: u128| U256::from(balance) * U256::from(shares) / U256::from(first);
        let expected =
            coins.iter().zip(balances).map(|(coin, balance)| ((*coin).to_owned(), part(balance).to::<u128>()));
        let expected: Vec<_> = expected.collect();
        assert_eq!(pooled(&fork, who), expected, "{who}");
        let data = remove_liquidityCall { amount: U256::from(shares), least: [U256::ZERO; 4] }.abi_encode();
        let paid =
            fork.paid(who, coins, fork.address("shares/pool").unwrap(), &[alloy::hex::encode_prefixed(data)]).unwrap();
        assert_eq!(expected.into_iter().map(|(_, amount)| amount).collect::<Vec<_>>(), paid, "{who}");
    }
    assert!(fork.items("pooling/{}/positions", "nothing").unwrap().is_empty());
}

#[test]
fn a_share_of_a_balancer_pool_is_worth_its_part_of_what_the_vault_holds() {
    let fork: Arc<Fork> = BALANCER.get(balancer).unwrap();
    // 800 of 5 dollars and 20 of 1,000.
    check(&fork, "weightedPool", "BALANCER", &["bal", "weth"], 24_000, MINIMUM);
    // 500 of 1 dollar and 700 of half a dollar; the pool holds almost all shares that it ever minted.
    check(&fork, "stablePool", "BALANCER", &["dai", "usdc"], 850, MINIMUM);
}

#[test]
fn a_share_of_a_pool_that_no_factory_made_has_no_price() {
    let fork: Arc<Fork> = BALANCER.get(balancer).unwrap();
    check(&fork, "unknown", "BALANCER", &["weth"], 0, 0);
}

#[test]
fn a_share_that_nobody_knows_is_a_token_as_any_other() {
    let row = staked(&CURVE.get(curve).unwrap(), "weightedPool");
    assert_eq!(row.text_at("stakedToken/type").unwrap(), "SINGLE");
    assert_eq!(row.number_at("dollarValue").unwrap(), BigDecimal::from(0));
}
