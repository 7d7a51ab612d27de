//! Vaults whose accountants publish what a share is worth, one of them paused, and vaults that quote their shares in
//! other ways, one of them by a report that it did not accept. What they have to be is said here by arithmetic;
//! `tests/chain/profiles/accountants.mjs` has the history.

use std::sync::Arc;

use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::fork::{Fork, ForkRow, ROWS};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

const USDC: u128 = 1_000_000;
const ONE: u128 = 1_000_000_000_000_000_000;

static FIXTURE: Shared<Fork> = Shared::new();

fn fixture() -> Arc<Fork> {
    FIXTURE.get(start).unwrap()
}

fn start() -> Result<Fork> {
    let rows: Vec<ForkRow> = ROWS.iter().filter(|row| row.profile == "accountants").copied().collect();
    Fork::of_rows(&rows, &[("accountants/weth", "2000"), ("accountants/usdc", "1")])
}

/// The protocols whose vaults quote their shares in other ways, with the vault, the shares' worth in smallest units, and
/// the same in dollars.
const QUOTED: [(&str, &str, u128, u64); 6] = [
    // 200 shares at 1.03, before the fee of half a percent.
    ("upshift", "redemption", 206 * USDC, 206),
    // 30 shares, and 10 that are not claimed yet, of which a dollar buys 0.8.
    ("mellow", "reports", 50 * USDC, 50),
    // 8 units at 1.5.
    ("aera", "units", 12 * USDC, 12),
    // 70 shares at 1.1.
    ("nest", "entry", 77 * USDC, 77),
    // 90 and 3 of rewards.
    ("zerobase", "ledger", 93 * USDC, 93),
    // 50 shares at 1.04 ether, of the day before.
    ("solv", "strategy", 52 * ONE, 104_000),
];

/// The vault, its shares, what they redeem to, and what that is worth, sorted.
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
fn shares_are_worth_what_their_vaults_quote() {
    let fork = fixture();
    for (protocol, vault, amount, dollars) in QUOTED {
        let fork = fork.of(protocol);
        let found = fork.items("farming/{}/positions", "farmer").unwrap();
        let [row] = &found[..] else { panic!("{protocol}: {found:?}") };
        let contract = fork.address(&format!("accountants/{vault}")).unwrap();
        assert_eq!(row.text_at("position/contractAddress").unwrap(), contract, "{protocol}");
        assert_eq!(row.text_at("amountRaw").unwrap(), amount.to_string(), "{protocol}");
        assert_eq!(row.number_at("dollarValue").unwrap(), BigDecimal::from(dollars), "{protocol}");
        assert_eq!(fork.items("farming/{}/positions", "nothing").unwrap(), [], "{protocol}");
    }
}

#[test]
fn a_report_that_the_vault_did_not_accept_is_missing_and_no_amount() {
    let fork = fixture();
    let path = format!("/mellow/farming/{}/positions?detail=full", fork.account("whale").unwrap());
    let response = fork.gateway.get(&path).unwrap();
    assert!(response.header("portolan-partial").is_some(), "{}", response.body);
    assert_eq!(response.json().unwrap().at("items").unwrap().items().unwrap(), []);
    assert!(response.body.contains("is not accepted"), "{}", response.body);
}

#[test]
fn shares_redeem_to_what_the_accountant_published_also_while_it_is_paused() {
    let fork = fixture();
    let row = |name: &str, amount: u128, redeemed: u128, dollars: u64| {
        let address = fork.address(&format!("accountants/{name}")).unwrap().to_owned();
        (address, amount, redeemed, BigDecimal::from(dollars))
    };
    // A share of ether is 1.05, a share of dollars is 1.1.
    for (who, mut expected) in [
        ("farmer", vec![row("liquid", 20 * ONE, 21 * ONE, 42_000), row("dollars", 500 * USDC, 550 * USDC, 550)]),
        ("whale", vec![row("liquid", 3_000 * ONE, 3_150 * ONE, 6_300_000)]),
        ("exited", vec![]),
        ("nothing", vec![]),
    ] {
        expected.sort();
        assert_eq!(held(&fork, who), expected, "{who}");
    }
    let dust = held(&fork, "dust");
    assert_eq!(dust.iter().map(|row| (row.1, row.2)).collect::<Vec<_>>(), [(1, 1)]);
}
