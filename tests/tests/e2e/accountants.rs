//! Vaults whose accountants publish what a share is worth, one of them paused, and vaults that quote their shares in
//! other ways, one of them by a report that it did not accept. What they have to be is said here by arithmetic;
//! `tests/chain/profiles/accountants.mjs` has the history.

use std::sync::Arc;

use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::fork::{Fork, ForkRow, ROWS, pays};
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
const QUOTED: [(&str, &str, u128, u64); 7] = [
    // 200 shares at 1.03, before the fee of half a percent.
    ("upshift", "redemption", 206 * USDC, 206),
    // 30 shares, and 10 that are not claimed yet, of which a dollar buys 0.8.
    ("mellow", "reports", 50 * USDC, 50),
    // 8 units at 1.5.
    ("aera", "units", 12 * USDC, 12),
    // 70 shares at 1.1.
    ("nest", "entry", 77 * USDC, 77),
    // 300 shares of 18 decimals at 1.07.
    ("vesper", "priced", 321 * USDC, 321),
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
fn shares_of_a_meta_vault_are_their_part_and_a_private_one_is_its_owners() {
    let fork = fixture().of("arrakis");
    let row = |row: &Json| {
        let amount = |leg: &Json| leg.text_at("amountRaw").unwrap().parse::<u128>().unwrap();
        let amounts: Vec<u128> = row.at("legs").unwrap().items().unwrap().iter().map(amount).collect();
        (row.text_at("contractAddress").unwrap().to_owned(), amounts)
    };
    let held = |who| {
        let mut rows: Vec<_> = fork.items("pooling/{}/positions", who).unwrap().iter().map(row).collect();
        rows.sort();
        rows
    };
    let vault = |name: &str, ether: u128, dollars: u128| {
        (fork.address(&format!("accountants/{name}")).unwrap().to_owned(), vec![ether, dollars])
    };
    // 30 of 100 shares, and all of its own vault.
    let mut expected = [vault("shared", 3 * ONE, 6_000 * USDC), vault("own", 2 * ONE, 500 * USDC)];
    expected.sort();
    assert_eq!(held("farmer"), expected);
    // A leg of nothing is not shown.
    let others = (fork.address("accountants/others").unwrap().to_owned(), vec![ONE]);
    let mut expected = [vault("shared", 7 * ONE, 14_000 * USDC), others];
    expected.sort();
    assert_eq!(held("whale"), expected);
    assert_eq!(held("nothing"), []);
}

/// Number and amount of each leg of a fund's shares or redemptions.
fn of_funds(fork: &Fork, path: &str, who: &str) -> Vec<(String, u128)> {
    let row = |row: &Json| {
        let amount = row.text_at("legs/0/amountRaw").unwrap().parse().unwrap();
        (row.text_at("number").unwrap().to_owned(), amount)
    };
    fork.items(path, who).unwrap().iter().map(row).collect()
}

#[test]
fn shares_of_a_fund_are_worth_its_value_and_what_is_redeemed_waits() {
    let fork = fixture().of("solv");
    let found = fork.items("farming/{}/positions", "whale").unwrap();
    let [row] = &found[..] else { panic!("{found:?}") };
    // 50 at 1.2.
    assert_eq!(row.text_at("amountRaw").unwrap(), (60 * USDC).to_string());
    assert_eq!(row.number_at("dollarValue").unwrap(), BigDecimal::from(60));
    // 20 that were closed at 1.1, without the 8 that were repaid; 4 at 1.2.
    assert_eq!(of_funds(&fork, "locked/{}/positions", "whale"), [("1".to_owned(), 13_200_000)]);
    assert_eq!(of_funds(&fork, "locked/{}/positions", "dust"), [("2".to_owned(), 4_800_000)]);
    assert_eq!(of_funds(&fork, "locked/{}/positions", "nothing"), []);
}

#[test]
fn a_redemption_pays_what_was_repaid_without_its_fee() {
    // The other tests read a chain on which nothing happens.
    let fork = start().unwrap().of("solv");
    // 8.8, of which one of a hundred is the fee.
    assert_eq!(fork.payments("whale").unwrap(), [pays([("usdc", 8_712_000)])]);
    for who in ["dust", "farmer", "nothing"] {
        assert_eq!(fork.claims(who).unwrap().len(), 0, "{who}");
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
