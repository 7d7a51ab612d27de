//! Maker's vaults, Sky's staking engine, Liquity v2 and Dolomite. What accounts have to have is said here by arithmetic;
//! `tests/chain/profiles/cdps.mjs` has the history.

use portolan_tests::fork::{Fork, SharedFork, pays};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;

static FORK: SharedFork = SharedFork::new("cdps");

/// The question about Liquity v2.
fn liquity() -> Fork {
    FORK.get().unwrap().of("liquity")
}

/// Role, symbol and raw amount of each leg.
fn legs(position: &Json) -> Vec<(String, String, u128)> {
    let text = |leg: &Json, member| leg.text_at(member).unwrap().to_owned();
    let leg =
        |leg: &Json| (text(leg, "role"), text(leg, "token/symbol"), text(leg, "amountRaw").parse::<u128>().unwrap());
    position.at("legs").unwrap().items().unwrap().iter().map(leg).collect()
}

fn leg(role: &str, symbol: &str, amount: u128) -> (String, String, u128) {
    (role.to_owned(), symbol.to_owned(), amount)
}

/// Name, side, symbol and raw amount of each row of lending, sorted.
fn lent(fork: &Fork, who: &str) -> Vec<(String, String, u128)> {
    fork.lent(who).unwrap().into_iter().map(|(symbol, amount, side)| (side, symbol, amount)).collect()
}

#[test]
fn a_vault_owes_the_fee_until_the_block_and_one_of_a_proxy_counts() {
    let fork = FORK.get().unwrap();
    let positions = fork.items("borrowing/{}/positions", "farmer").unwrap();
    let [vault] = positions.as_slice() else { panic!("{} vaults", positions.len()) };
    // 5,000 at a hundredth a second for two seconds: by 1.0201.
    assert_eq!(legs(vault), [leg("supplied", "WETH", 10 * ONE), leg("borrowed", "DAI", 51_005 * ONE / 10)]);
    // Ten at 1,020.1 are twice the debt.
    assert_eq!(vault.at("health/factor").unwrap().to_string(), "2");
    assert!(vault.text_at("name").unwrap().ends_with("ETH-A vault"), "{vault}");
    // Two of a token with eight decimals, and what is less than a smallest unit of it; and an urn of the engine.
    let expected =
        [leg("borrow", "USDS", 100 * ONE), leg("supply", "SKY", 1_000 * ONE), leg("supply", "WBTC", 200_000_001)];
    let mut found = lent(&fork, "whale");
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(fork.health("whale").unwrap(), ["2.5"]);
    // The proxy of `dust` has another owner, and its vault with it.
    for who in ["dust", "nothing"] {
        assert_eq!(lent(&fork, who), [], "{who}");
    }
}

#[test]
fn an_urn_is_paid_by_its_farm_through_the_engine() {
    // Claims are sent.
    let fork = FORK.start().unwrap();
    let claims = fork.claims("whale").unwrap();
    let [claim] = claims.as_slice() else { panic!("{} claims", claims.len()) };
    // 10^12 a second, of which the urn has all.
    let paid = pays([("spk", fork.number("seconds/period").unwrap() * 1_000_000_000_000)]);
    assert_eq!((&claim.said, &claim.received), (&paid, &paid));
    assert_eq!(claim.rows[0].text_at("claimTransaction/to").unwrap(), fork.address("sky/engine").unwrap());
    assert_eq!(fork.claims("farmer").unwrap().len(), 0);
}

#[test]
fn troves_are_those_of_the_nfts_that_an_account_owns() {
    let fork = liquity();
    let debts = |who| {
        let positions = fork.items("borrowing/{}/positions", who).unwrap();
        let mut found: Vec<_> = positions.iter().map(|trove| (legs(trove), trove.get("health").cloned())).collect();
        found.sort_by_key(|(legs, _)| legs[0].2);
        found
    };
    let found = debts("farmer");
    let [(first, health), (second, unknown)] = found.as_slice() else { panic!("{} troves", found.len()) };
    assert_eq!(*first, [leg("supplied", "WETH", 22 * ONE), leg("borrowed", "BOLD", 10_000 * ONE)]);
    // 22 at 1,000 are 2.2 times the debt, of at least 1.1; at 500 they are 1.1 times the debt.
    let health = health.as_ref().unwrap();
    assert_eq!(health.at("factor").unwrap().to_string(), "2");
    assert_eq!(health.at("liquidationPrice/price").unwrap().to_string(), "500");
    // A twentieth a year of 31,536 is 5 · 10^13 smallest units a second. The row names no price of that collateral.
    let interest = fork.number("seconds/troves").unwrap() * 50_000_000_000_000;
    assert_eq!(*second, [leg("supplied", "wstETH", 50 * ONE), leg("borrowed", "BOLD", 31_536 * ONE + interest)]);
    assert!(unknown.as_ref().is_none_or(|health| *health == Json::Null), "{unknown:?}");
    // It was sent to that account.
    let found = debts("odd");
    let [(trove, _)] = found.as_slice() else { panic!("{} troves", found.len()) };
    assert_eq!(*trove, [leg("supplied", "WETH", 8 * ONE), leg("borrowed", "BOLD", 4_000 * ONE)]);
    for who in ["exited", "whale", "nothing"] {
        assert_eq!(lent(&fork, who), [], "{who}");
    }
}

#[test]
fn a_deposit_keeps_three_quarters_and_its_two_gains_are_one_claim() {
    // Claims are sent.
    let fork = FORK.start().unwrap().of("liquity");
    assert_eq!(fork.staked("farmer").unwrap(), [("BOLD".to_owned(), 225 * ONE)]);
    assert_eq!(fork.staked("odd").unwrap().iter().map(|(_, amount)| *amount).sum::<u128>(), 0);
    // Three quarters of 0.05, and 9 · 10^13 a second for the only deposit that is left.
    let interest = fork.number("seconds/period").unwrap() * 90_000_000_000_000;
    let farmer = pays([("weth", ONE / 10_000 * 375), ("bold", interest)]);
    // What a deposit that has left has gained before, and what a liquidation has left over.
    let all = [
        ("farmer", farmer, "liquity/pool"),
        ("odd", pays([("weth", ONE / 10_000 * 125)]), "liquity/pool"),
        ("exited", pays([("weth", 3 * ONE)]), "liquity/operations"),
    ];
    for (who, paid, to) in all {
        let claims = fork.claims(who).unwrap();
        let [claim] = claims.as_slice() else { panic!("{who}: {} claims", claims.len()) };
        assert_eq!((&claim.said, &claim.received), (&paid, &paid), "{who}");
        assert_eq!(claim.rows[0].text_at("claimTransaction/to").unwrap(), fork.address(to).unwrap(), "{who}");
    }
    assert_eq!(fork.claims("whale").unwrap().len(), 0);
}

#[test]
fn balances_in_dolomite_are_lent_or_owed() {
    let fork = FORK.get().unwrap().of("dolomite");
    assert_eq!(lent(&fork, "farmer"), [leg("borrow", "DAI", 1_000 * ONE), leg("supply", "WETH", ONE)]);
    // 2,300 over 1.15 times 1,000.
    assert_eq!(fork.health("farmer").unwrap(), ["2"]);
    assert_eq!(lent(&fork, "whale"), [leg("supply", "DAI", 5 * ONE)]);
    for who in ["odd", "nothing"] {
        assert_eq!(lent(&fork, who), [], "{who}");
    }
}
