//! Yearn: real vaults of the second generation with their real registry, and doubles of one of the third, of a gauge, of
//! the lock of YFI and of a pool that pays for it. What they have to be is said here by arithmetic;
//! `tests/chain/profiles/yearn.mjs` has the history.

use std::sync::Arc;

use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::fork::{Fork, ForkRow, Paid, ROWS};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

const USDC: u128 = 1_000_000;
const ONE: u128 = 1_000_000_000_000_000_000;
/// The amount that the gauge is given for a second, and for how many seconds.
const RATE: u128 = 1_000_000_000_000;
const PERIOD: u128 = 14 * 86_400;
/// Seconds since the farmer and the whale have staked.
const STAKED: u128 = 100_000;

static FIXTURE: Shared<Fork> = Shared::new();

fn fixture() -> Arc<Fork> {
    FIXTURE.get(start).unwrap()
}

fn start() -> Result<Fork> {
    let rows: Vec<ForkRow> = ROWS.iter().filter(|row| row.profile == "yearn").copied().collect();
    Fork::of_rows(&rows, &[("yearn/usdc", "2"), ("yearn/dai", "3")])
}

/// The vault or gauge, what is staked, what it redeems to, and what that is worth, sorted.
fn held(fork: &Fork, who: &str) -> Vec<(String, u128, u128, BigDecimal)> {
    let row = |row: &Json| {
        let amount = |member| row.text_at(member).unwrap().parse().unwrap();
        let contract = row.text_at("position/contractAddress").unwrap().to_owned();
        (contract, amount("amountRaw"), amount("underlyingAmountRaw"), row.number_at("dollarValue").unwrap())
    };
    let mut rows: Vec<_> = fork.items("farming/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn shares_are_told_with_what_they_redeem_to_also_where_they_are_staked() {
    let fork = fixture();
    let row = |name: &str, amount: u128, redeemed: u128, dollars: u64| {
        let address = fork.address(&format!("yearn/{name}")).unwrap().to_owned();
        (address, amount, redeemed, BigDecimal::from(dollars))
    };
    // A share of 4,000 in 4,400 is 1.1, a share of 30 in 45 is 1.5. A stake is in shares, which are worth as much.
    for (who, mut expected) in [
        (
            "farmer",
            vec![
                row("yvUsdc", 500 * USDC, 550 * USDC, 1_100),
                row("gauge", 500 * USDC, 500 * USDC, 1_100),
                row("third", 10 * ONE, 15 * ONE, 45),
            ],
        ),
        (
            "whale",
            vec![
                row("yvUsdc", 1_500 * USDC, 1_650 * USDC, 3_300),
                row("gauge", 1_500 * USDC, 1_500 * USDC, 3_300),
                row("third", 20 * ONE, 30 * ONE, 90),
            ],
        ),
        ("exited", vec![]),
        ("nothing", vec![]),
    ] {
        expected.sort();
        assert_eq!(held(&fork, who), expected, "{who}");
    }
    let dust = held(&fork, "dust");
    assert_eq!(dust.iter().map(|row| (row.1, row.2)).collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn gauges_and_the_pool_pay_what_they_are_said_to_owe() {
    // The other test reads a chain on which nothing happens.
    let fork = start().unwrap();
    let dyfi = fork.address("yearn/dyfi").unwrap();
    let given = STAKED * RATE;
    for (who, owed) in [
        // A quarter of the stakes, of which a tenth counts without a lock.
        ("farmer", vec![given / 4 / 10]),
        // Three quarters, which count whole; and what the pool was told to pay.
        ("whale", vec![given / 4 * 3, 3 * ONE]),
        // All of a period that was over before it left.
        ("exited", vec![PERIOD * RATE]),
        ("nothing", vec![]),
    ] {
        let mut found = fork.claim_each(who).unwrap();
        found.sort_by_key(|paid| paid.said);
        let paid = |owed| Paid { token: dyfi.to_owned(), said: owed, received: owed };
        assert_eq!(found, owed.into_iter().map(paid).collect::<Vec<_>>(), "{who}");
    }
}

#[test]
fn a_lock_of_yfi_has_its_end() {
    let fork = fixture();
    let locks = fork.items("locked/{}/positions", "whale").unwrap();
    let [lock] = locks.as_slice() else { panic!("{} locks", locks.len()) };
    assert_eq!(lock.at("unlocksAt").unwrap().to_string(), fork.number("unlocksAt").unwrap().to_string());
    assert_eq!(lock.text_at("legs/0/amountRaw").unwrap(), (10 * ONE).to_string());
    assert_eq!(fork.items("locked/{}/positions", "farmer").unwrap(), []);
}
