//! A pair of Silo v2: what is lent to others, protected and owed, and the health of a debt. What they have to be is said
//! here by arithmetic; `tests/chain/profiles/silos.mjs` has the history.
//!
//! A thousand USDC are owed, which is one smallest unit more each second, and a fifth of it is kept as fees. The rest
//! belongs to those who lent four thousand, and to the thousand shares that a silo is reckoned to have beside its own.

use portolan_tests::fork::{SharedFork, leg};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("silos");

#[test]
fn what_is_lent_and_owed_has_its_interest_and_what_is_protected_has_none() {
    let fixture = FORK.get().unwrap();
    let seconds = fixture.number("seconds").unwrap();
    // The shares beside are four billion times fewer: the last unit is not whole.
    assert_eq!(fixture.lent("farmer").unwrap(), [leg("USDC", 1_000 * USDC + seconds / 5 - 1, "supply")]);
    let lent = leg("USDC", 3_000 * USDC + 3 * seconds / 5 - 1, "supply");
    assert_eq!(fixture.lent("whale").unwrap(), [leg("USDC", 5 * USDC, "supply"), lent]);
    let debt = leg("USDC", 1_000 * USDC + seconds, "borrow");
    assert_eq!(fixture.lent("odd").unwrap(), [debt, leg("WETH", ONE, "supply"), leg("WETH", ONE, "supply")]);
    assert_eq!(fixture.lent("dust").unwrap(), [leg("USDC", 1, "supply")]);
    assert_eq!(fixture.lent("nothing").unwrap(), []);
}

#[test]
fn deposits_of_either_kind_are_rows_of_their_own() {
    let fixture = FORK.get().unwrap();
    let rows = fixture.items("lending/{}/positions", "whale").unwrap();
    let told = |row: &Json| [row.text_at("id").unwrap().to_owned(), row.text_at("name").unwrap().to_owned()];
    let told: Vec<_> = rows.iter().map(told).collect();
    let [[one, _], [other, _]] = told.as_slice() else { panic!("{} rows", told.len()) };
    assert_ne!(one, other);
    let mut names: Vec<_> = told.iter().map(|[_, name]| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Silo USDC", "Silo USDC protected"]);
}

#[test]
fn the_health_of_a_debt_is_that_of_both_kinds_of_collateral() {
    let fixture = FORK.get().unwrap();
    let positions = fixture.items("borrowing/{}/positions", "odd").unwrap();
    let [position] = positions.as_slice() else { panic!("{} positions", positions.len()) };
    // 4,000 dollars by 0.8, over 1,000 and 9.995 of interest.
    assert_eq!(fixture.number("seconds").unwrap(), 9_995_000);
    assert_eq!(position.at("health/factor").unwrap().to_string(), "3.16833251649760642", "{position}");
    let secured = |leg: &&Json| leg.at("isCollateral").unwrap().to_string() == "true";
    assert_eq!(position.at("legs").unwrap().items().unwrap().iter().filter(secured).count(), 2);
    for who in ["farmer", "dust", "nothing"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who).unwrap(), [], "{who}");
    }
}
