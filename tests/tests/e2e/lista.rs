//! Lista's vaults and Moolah. What accounts have to have is said here by arithmetic; `tests/chain/profiles/lista.mjs` has the
//! history.

use portolan_tests::fork::{Fork, SharedFork, leg};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;

/// Name, health factor, and symbol with raw amount of each leg.
type Debt = (String, String, Vec<(String, u128)>);

static FORK: SharedFork = SharedFork::new("lista");

/// The account's positions with a debt, sorted.
fn debts(fork: &Fork, who: &str) -> Vec<Debt> {
    let leg = |leg: &Json| {
        let amount = leg.text_at("amountRaw").unwrap().parse().unwrap();
        (leg.text_at("token/symbol").unwrap().to_owned(), amount)
    };
    let position = |row: &Json| {
        let mut legs: Vec<_> = row.at("legs").unwrap().items().unwrap().iter().map(leg).collect();
        legs.sort();
        (row.text_at("name").unwrap().to_owned(), row.at("health/factor").unwrap().to_string(), legs)
    };
    let mut found: Vec<_> = fork.items("borrowing/{}/positions", who).unwrap().iter().map(position).collect();
    found.sort();
    found
}

fn debt(name: &str, health: &str, legs: [(&str, u128); 2]) -> Debt {
    (name.to_owned(), health.to_owned(), legs.map(|(symbol, amount)| (symbol.to_owned(), amount)).to_vec())
}

#[test]
fn a_vault_owes_the_fee_until_the_block() {
    let fork = FORK.get().unwrap();
    // 5,000 at a hundredth a second for two seconds: by 1.0201. Twenty at 510.05 are twice the debt; and in Moolah ten at
    // 600, of which four fifths may be owed, over 3,000.
    let vault = debt("Lista cdp slisBNB vault", "2", [("lisUSD", 51_005 * ONE / 10), ("slisBNB", 20 * ONE)]);
    let market = debt("Lista lending slisBNB/USD1", "1.6", [("USD1", 3_000 * ONE), ("slisBNB", 10 * ONE)]);
    assert_eq!(debts(&fork, "farmer"), [vault, market]);
}

#[test]
fn a_vault_of_a_collateral_that_was_taken_off_is_told() {
    let fork = FORK.get().unwrap();
    // Three at 1,000 over 1,000.
    let vault = debt("Lista cdp STONE vault", "3", [("STONE", 3 * ONE), ("lisUSD", 1_000 * ONE)]);
    assert_eq!(debts(&fork, "whale"), [vault]);
    // Three have to be worth five fourths of 1,000.
    let positions = fork.items("borrowing/{}/positions", "whale").unwrap();
    let price = positions[0].at("health/liquidationPrice/price").unwrap().to_string();
    assert!(price.starts_with("416.6666666666"), "{price}");
}

#[test]
fn what_is_owed_through_a_broker_is_what_it_says() {
    let fork = FORK.get().unwrap();
    // Four at 600, of which four fifths may be owed, over the broker's 1,200 and not over the market's 1,000.
    let market = debt("Lista lending slisBNB/USD1", "1.6", [("USD1", 1_200 * ONE), ("slisBNB", 4 * ONE)]);
    assert_eq!(debts(&fork, "odd"), [market]);
}

#[test]
fn what_is_lent_counts_with_collateral_and_shares() {
    let fork = FORK.get().unwrap();
    let lent = |who| fork.lent(who).unwrap();
    // 4,000 in the market; 100 shares of a vault that holds 110.
    let whale = [
        leg("STONE", 3 * ONE, "supply"),
        leg("USD1", 110 * ONE, "supply"),
        leg("USD1", 4_000 * ONE, "supply"),
        leg("lisUSD", 1_000 * ONE, "borrow"),
    ];
    assert_eq!(lent("whale"), whale);
    assert!(lent("farmer").contains(&leg("BTCB", ONE, "supply")));
    assert_eq!(lent("dust"), [leg("slisBNB", 1, "supply")]);
    for who in ["exited", "nothing"] {
        assert_eq!(lent(who), [], "{who}");
    }
}
