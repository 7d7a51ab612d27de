//! Markets of Compound v2: what is lent and owed with its interest, the health of a debt, and rewards that a claim pays.
//! The expected amounts follow here by arithmetic; `tests/chain/profiles/comptroller.mjs` has the history.
//!
//! Five hundred USDC that cost 2 · 10^-9 a second are one smallest unit more each second, which belongs to those who lent
//! four thousand. The reward is 0.0004 a second for them, and 0.0001 for the one who owes.

use anyhow::Result;
use portolan_tests::fork::{Fork, Paid, SharedFork, leg};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("comptroller");

#[test]
fn what_is_lent_and_owed_has_its_interest() {
    let fixture = FORK.get().unwrap();
    let seconds = fixture.number("seconds").unwrap();
    assert_eq!(fixture.lent("farmer").unwrap(), [leg("USDC", 1_000 * USDC + seconds / 4, "supply")]);
    assert_eq!(fixture.lent("whale").unwrap(), [leg("USDC", 3_000 * USDC + 3 * seconds / 4, "supply")]);
    let debt = leg("USDC", 500 * USDC + seconds, "borrow");
    assert_eq!(fixture.lent("odd").unwrap(), [debt, leg("WBTC", 10_000_000, "supply")]);
    assert_eq!(fixture.lent("dust").unwrap(), [leg("ETH", 1_000_000_000_000, "supply")]);
    assert_eq!(fixture.lent("nothing").unwrap(), []);
}

#[test]
fn the_health_of_a_debt_is_that_of_its_collateral() {
    let fixture = FORK.get().unwrap();
    let positions = fixture.items("borrowing/{}/positions", "odd").unwrap();
    let [position] = positions.as_slice() else { panic!("{} positions", positions.len()) };
    // 6,000 dollars by 0.7 over 500: the comptroller takes the debt without the interest since the market was last used.
    assert_eq!(position.at("health/factor").unwrap().to_string(), "8.4", "{position}");
    let secured = |leg: &&Json| leg.at("isCollateral").unwrap().to_string() == "true";
    assert_eq!(position.at("legs").unwrap().items().unwrap().iter().filter(secured).count(), 1);
    for who in ["farmer", "dust", "nothing"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who).unwrap(), [], "{who}");
    }
}

#[test]
fn a_claim_pays_exactly_what_is_owed_and_what_its_simulation_says() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let comp = fixture.address("comptroller/comp").unwrap();
    for (who, ten_thousandths) in [("farmer", 1), ("whale", 3), ("odd", 1)] {
        let items = fixture.items("{}/claimables", who).unwrap();
        let [claim] = items.as_slice() else { panic!("{who}: {} claims", items.len()) };
        assert_eq!(claim.text_at("type").unwrap(), "compound-v2-rewards");
        let sent = claim.at("claimTransaction").unwrap();
        assert_eq!(sent.text_at("function/name").unwrap(), "claimComp");
        assert_eq!(sent.text_at("to").unwrap(), fixture.address("comptroller/comptroller").unwrap());
        let owed = fixture.number("seconds").unwrap() * ten_thousandths * ONE / 10_000;
        let paid = Paid { token: comp.to_owned(), said: owed, received: owed };
        assert_eq!(fixture.claim_each(who).unwrap(), [paid], "{who}");
    }
    for who in ["dust", "nothing"] {
        assert_eq!(fixture.items("{}/claimables", who).unwrap(), [], "{who}");
    }
}

fn pool() -> Result<Fork> {
    Ok(FORK.start()?.of("venus"))
}

/// One distributor pays 0.0004 a second and goes on; the other paid as much a block, for ten of them. What the market that
/// was taken off the list would add cannot be claimed, and a claim that named it would revert.
#[test]
fn each_distributor_of_a_pool_pays_exactly_what_it_owes() {
    let fixture = pool().unwrap();
    let paid = |name, owed| Paid {
        token: fixture.address(&format!("pool/{name}")).unwrap().to_owned(),
        said: owed,
        received: owed,
    };
    for (who, ten_thousandths) in [("farmer", 1), ("whale", 3), ("odd", 1)] {
        let by_second = paid("xvs", fixture.number("seconds").unwrap() * ten_thousandths * ONE / 10_000);
        let by_block = paid("pln", 10 * ten_thousandths * USDC / 10_000);
        let mut found = fixture.claim_each(who).unwrap();
        found.sort_by_key(|paid| paid.said);
        assert_eq!(found, [by_block, by_second], "{who}");
    }
    let claims = fixture.items("{}/claimables", "farmer").unwrap();
    let mut targets: Vec<_> = claims.iter().map(|claim| claim.text_at("claimTransaction/to").unwrap()).collect();
    let mut distributors = ["bySecond", "byBlock"].map(|name| fixture.address(&format!("pool/{name}")).unwrap());
    targets.sort_unstable();
    distributors.sort_unstable();
    assert_eq!(targets, distributors);
    assert_eq!(fixture.items("{}/claimables", "nothing").unwrap(), []);
}

#[test]
fn a_pool_tells_what_is_lent_to_a_market_that_was_taken_off_its_list() {
    let fixture = pool().unwrap();
    let debt = leg("USDC", 500 * USDC, "borrow");
    assert_eq!(fixture.lent("odd").unwrap(), [debt, leg("WBTC", 10_000_000, "supply")]);
}
