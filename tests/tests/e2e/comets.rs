//! A market of Compound v3: what is lent and owed with its interest, collateral with the health that it gives, and rewards
//! that a claim pays. What they have to be is said here by arithmetic; `tests/chain/profiles/comets.mjs` has the history.
//!
//! A thousand USDC that earn 10^-9 a second are one smallest unit more each second, and so are 500 that cost twice as much.
//! The reward is 0.4 a second, of which the farmer has lent a quarter's share.

use portolan_tests::fork::{Paid, SharedFork, leg};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("comets");

#[test]
fn balances_have_their_interest_and_collateral_stands_beside_debts() {
    let fixture = FORK.get().unwrap();
    let seconds = fixture.number("seconds").unwrap();
    assert_eq!(fixture.lent("farmer").unwrap(), [leg("USDC", 1_000 * USDC + seconds, "supply")]);
    assert_eq!(fixture.lent("whale").unwrap(), [leg("USDC", 3_000 * USDC + 3 * seconds, "supply")]);
    let debt = leg("USDC", 500 * USDC + seconds, "borrow");
    assert_eq!(fixture.lent("odd").unwrap(), [debt, leg("WBTC", 10_000_000, "supply"), leg("WETH", 2 * ONE, "supply")]);
    assert_eq!(fixture.lent("dust").unwrap(), [leg("WBTC", 1, "supply")]);
    assert_eq!(fixture.lent("nothing").unwrap(), []);
    let rates: Vec<String> = fixture
        .items("lending/{}/positions", "farmer")
        .unwrap()
        .iter()
        .map(|row| row.at("rate").unwrap().to_string())
        .collect();
    assert_eq!(rates, ["0.031536"]);
}

#[test]
fn the_health_of_a_debt_is_that_of_its_collateral() {
    let fixture = FORK.get().unwrap();
    let positions = fixture.items("borrowing/{}/positions", "odd").unwrap();
    let [position] = positions.as_slice() else { panic!("{} positions", positions.len()) };
    // 4,000 by 0.85 and 6,000 by 0.7, over what is owed; prices have 8 decimals.
    let debt = (500 * USDC + fixture.number("seconds").unwrap()) * 100_000_000 / USDC;
    let factor = 7_600 * 100_000_000 * ONE / debt;
    let shown = format!("{}.{:018}", factor / ONE, factor % ONE);
    let found = position.at("health/factor").unwrap().to_string();
    // Answers show 18 digits.
    assert_eq!(found[..18], shown[..18], "{position}");
    let secured = |leg: &&Json| leg.at("isCollateral").unwrap().to_string() == "true";
    assert_eq!(position.at("legs").unwrap().items().unwrap().iter().filter(secured).count(), 2);
    for who in ["farmer", "dust", "nothing"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who).unwrap(), [], "{who}");
    }
}

#[test]
fn a_claim_pays_exactly_what_is_owed_and_what_its_simulation_says() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let comp = fixture.address("assets/comp").unwrap();
    for (who, tenths) in [("farmer", 1), ("whale", 3)] {
        let items = fixture.items("{}/claimables", who).unwrap();
        let [claim] = items.as_slice() else { panic!("{who}: {} claims", items.len()) };
        assert_eq!(claim.text_at("type").unwrap(), "compound-v3-rewards");
        let sent = claim.at("claimTransaction").unwrap();
        assert_eq!(sent.text_at("function/name").unwrap(), "claim");
        assert_eq!(sent.text_at("to").unwrap(), fixture.address("comet/rewards").unwrap());
        let owed = fixture.number("seconds").unwrap() * tenths * ONE / 10;
        let paid = Paid { token: comp.to_owned(), said: owed, received: owed };
        assert_eq!(fixture.claim_each(who).unwrap(), [paid], "{who}");
    }
    for who in ["odd", "dust", "nothing"] {
        assert_eq!(fixture.items("{}/claimables", who).unwrap(), [], "{who}");
    }
}
