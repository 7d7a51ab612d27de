//! Curve's gauges, locks and loans: real contracts of the first generation with a real minter, a real escrow and a real
//! distributor of fees, and doubles of a later gauge and of a market of crvUSD. What they have to be is said here by
//! arithmetic; `tests/chain/profiles/curve.mjs` has the history.

use alloy::primitives::U256;
use portolan_tests::fork::{Fork, Paid, SharedFork};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
/// The CRV that is mined a second in its first year.
const MINED: u128 = 274_815_283 * ONE / 31_536_000;
const WEEK: u128 = 7 * 86_400;

static FORK: SharedFork = SharedFork::new("curve");

fn moment(fork: &Fork, name: &str) -> u128 {
    fork.number(&format!("times/{name}")).unwrap()
}

/// Returns the amount that a gauge of the first generation has paid for a stake of which 40 % count, among `counted` in
/// all, from one moment to another. It reckons week by week, and rounds each down.
fn minted(weight_percent: u128, [from, until]: [u128; 2], stake: u128, counted: u128) -> u128 {
    let (mined, weight, counted) = (U256::from(MINED), U256::from(weight_percent * ONE / 100), U256::from(counted));
    let (mut begin, mut per_counted) = (from, U256::ZERO);
    while begin < until {
        let end = ((begin + WEEK) / WEEK * WEEK).min(until);
        per_counted += mined * weight * U256::from(end - begin) / counted;
        begin = end;
    }
    (U256::from(stake * 40 / 100) * per_counted / U256::from(ONE)).to()
}

fn paid(token: &str, amount: u128) -> Paid {
    Paid { token: token.to_owned(), said: amount, received: amount }
}

#[test]
fn what_gauges_and_distributors_owe_is_paid_by_the_claims() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let [crv, usdc, ldo] = ["crv", "usdc", "ldo"].map(|name| fork.address(&format!("curve/{name}")).unwrap());
    let now = moment(&fork, "snapshot");
    let (staked, left, side) = (moment(&fork, "staked"), moment(&fork, "left"), now - moment(&fork, "side"));
    // Half of the side gauge's emission, and half of three millionths a second.
    let (emission, reward) = (ONE / 10_000 * 4 * side / 2, ONE / 1_000_000 * 3 * side / 2);
    let expected = [
        (
            "farmer",
            vec![
                paid(crv, minted(75, [staked, now], 1_000 * ONE, 1_600 * ONE)),
                paid(crv, emission),
                paid(ldo, reward),
            ],
        ),
        ("whale", vec![paid(crv, minted(75, [staked, now], 3_000 * ONE, 1_600 * ONE))]),
        ("exited", vec![paid(crv, minted(25, [staked, left], 1_000 * ONE, 400 * ONE))]),
        // Whoever has set another receiver is paid all the same, as the claim names the account.
        ("odd", vec![paid(crv, emission), paid(ldo, reward), paid(usdc, 700_000_000), paid(ldo, 3 * ONE)]),
        ("dust", vec![]), // 40 % of one smallest unit are none.
        ("nothing", vec![]),
    ];
    for (who, mut expected) in expected {
        let mut found = fork.claim_each(who).unwrap();
        let key = |paid: &Paid| (paid.token.clone(), paid.said);
        found.sort_by_key(key);
        expected.sort_by_key(key);
        assert_eq!(found, expected, "{who}");
    }
}

#[test]
fn gauges_of_a_controller_without_a_minter_pay_their_own_tokens_alone() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap().of("stake-dao");
    let side = moment(&fork, "snapshot") - moment(&fork, "side");
    let reward = [paid(fork.address("curve/ldo").unwrap(), ONE / 1_000_000 * 3 * side / 2)];
    for who in ["farmer", "odd"] {
        assert_eq!(fork.claim_each(who).unwrap(), reward, "{who}");
        assert_eq!(fork.staked(who).unwrap(), [("crvB".to_owned(), 1_000 * ONE)], "{who}");
    }
    assert_eq!(fork.claim_each("whale").unwrap(), []);
}

#[test]
fn stakes_are_those_of_both_lists_of_gauges() {
    let fork = FORK.get().unwrap();
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    assert_eq!(fork.staked("farmer").unwrap(), [row("crvA", 1_000 * ONE), row("crvB", 1_000 * ONE)]);
    assert_eq!(fork.staked("whale").unwrap(), [row("crvA", 3_000 * ONE)]);
    assert_eq!(fork.staked("dust").unwrap(), [row("crvB", 1)]);
    assert_eq!(fork.staked("exited").unwrap(), []);
}

#[test]
fn a_lock_has_its_end() {
    let fork = FORK.get().unwrap();
    let locks = fork.items("locked/{}/positions", "odd").unwrap();
    let [lock] = locks.as_slice() else { panic!("{} locks", locks.len()) };
    assert_eq!(lock.at("unlocksAt").unwrap().to_string(), moment(&fork, "unlock").to_string());
    assert_eq!(lock.text_at("legs/0/amountRaw").unwrap(), (1_000 * ONE).to_string());
    assert_eq!(fork.items("locked/{}/positions", "farmer").unwrap(), []);
}

#[test]
fn a_loan_has_its_interest_and_the_health_of_what_secures_it() {
    let fork = FORK.get().unwrap();
    let seconds = moment(&fork, "snapshot") - moment(&fork, "side");
    // 3,000 at 10^-9 a second.
    let debt = 3_000 * ONE + 3_000 * ONE / 1_000_000_000 * seconds;
    let positions = fork.items("borrowing/{}/positions", "whale").unwrap();
    let [loan] = positions.as_slice() else { panic!("{} loans", positions.len()) };
    let row = |symbol: &str, amount: u128, side: &str| (symbol.to_owned(), amount, side.to_owned());
    let rows = [row("WETH", 2 * ONE, "supply"), row("crvUSD", 500 * ONE, "supply"), row("crvUSD", debt, "borrow")];
    let mut found = fork.lent("whale").unwrap();
    found.sort_by_key(|(symbol, amount, _)| (symbol.clone(), *amount));
    assert_eq!(found, rows);
    // 4,500 dollars less 6 % over the debt, rounded down to 18 decimals.
    let number = |number: u128| Json::number(number).exact().unwrap();
    let factor = number(4_230) * number(ONE) / number(debt);
    let difference = factor - loan.at("health/factor").unwrap().exact().unwrap();
    assert!(difference >= number(0) && difference * number(ONE) < number(1), "{loan}");
    assert_eq!(fork.items("borrowing/{}/positions", "farmer").unwrap(), []);
}
