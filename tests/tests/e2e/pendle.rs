//! Pendle's markets, with tokens that run and some that have expired, and locks and stakes of PENDLE. What they have to
//! be is said here by arithmetic; `tests/chain/profiles/pendle.mjs` has the history.
//!
//! A wrapped asset is worth 1.25 since rewards were paid at 1; of what a yield token earned, a twentieth is a fee.

use std::sync::Arc;

use portolan_tests::fork::{self, Fork, Payments, SharedFork};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("pendle");

fn fork() -> Arc<Fork> {
    FORK.get().unwrap()
}

/// A row of farming: name, staked token, amount, what it redeems to, and the end of its lock.
type Held = (String, String, u128, u128, String);

fn held(fork: &Fork, who: &str) -> Vec<Held> {
    let row = |row: &Json| {
        let text = |member| row.text_at(member).unwrap().to_owned();
        let raw = |member| row.text_at(member).unwrap().parse().unwrap();
        let end = row.at("position/unlocksAt").unwrap().to_string();
        (text("name"), text("stakedToken/symbol"), raw("amountRaw"), raw("underlyingAmountRaw"), end)
    };
    let mut rows: Vec<_> = fork.items("farming/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

fn holds(name: &str, token: &str, amount: u128, redeems: u128, end: Option<u128>) -> Held {
    let end = end.map_or("null".to_owned(), |end| end.to_string());
    (name.to_owned(), token.to_owned(), amount, redeems, end)
}

/// Symbol and amount of each leg of liquidity, and symbol and amount of what it redeems to.
fn pooled(fork: &Fork, who: &str) -> Vec<[(String, u128); 2]> {
    let part = |of: &Json| {
        let amount = of.text_at("amountRaw").unwrap().parse().unwrap();
        (of.text_at("token/symbol").unwrap().to_owned(), amount)
    };
    let leg = |leg: &Json| [part(leg), part(&leg.at("redeemsTo").unwrap().items().unwrap()[0])];
    let rows = fork.items("pooling/{}/positions", who).unwrap();
    rows.iter().flat_map(|row| row.at("legs").unwrap().items().unwrap().iter().map(leg).collect::<Vec<_>>()).collect()
}

/// Name, amount and end of each locked position.
fn locked(fork: &Fork, who: &str) -> Vec<(String, u128, u128)> {
    let row = |row: &Json| {
        let leg = row.at("legs").unwrap().items().unwrap()[0].clone();
        let end = row.at("unlocksAt").unwrap().to_string().parse().unwrap();
        (row.text_at("name").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap(), end)
    };
    let mut rows: Vec<_> = fork.items("locked/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// Name of each claim, and what it says and pays, which has to be the same.
fn claims(fork: &Fork, who: &str) -> Vec<(String, Payments)> {
    let claims = fork.claims(who).unwrap().into_iter().map(|claim| {
        assert_eq!(claim.said, claim.received, "{:?}", claim.rows);
        (claim.rows[0].text_at("name").unwrap().to_owned(), claim.said)
    });
    let mut found: Vec<_> = claims.collect();
    found.sort();
    found
}

fn pays<const N: usize>(name: &str, parts: [(&str, u128); N]) -> (String, Payments) {
    (name.to_owned(), fork::pays(parts))
}

#[test]
fn a_principal_token_is_what_it_pays_at_its_expiry_and_a_yield_token_has_its_own_amount() {
    let fork = fork();
    let end = Some(fork.number("ends/pt").unwrap());
    let farmer = [
        holds("PENDLE stake", "PENDLE", 9 * ONE, 9 * ONE, None),
        // Less the smallest unit that `dust` was given.
        holds("PT-wstETH", "stETH", 100 * ONE - 1, 100 * ONE - 2, end),
        holds("YT-wstETH", "YT-wstETH", 100 * ONE, 100 * ONE, None),
    ];
    assert_eq!(held(&fork, "farmer"), farmer);
    // The other asset stands elsewhere: 50 at 1.1 of what is held here. Its yield token has expired.
    let whale = [
        holds("PENDLE stake", "PENDLE", 2 * ONE, 2 * ONE, None),
        holds("PT-aUSDC", "aUSDC", 50 * USDC, 45_454_545, Some(fork.number("ends/expiredPt").unwrap())),
        holds("YT-wstETH", "YT-wstETH", 100 * ONE, 100 * ONE, None),
    ];
    assert_eq!(held(&fork, "whale"), whale);
    assert_eq!(held(&fork, "odd"), [holds("SY-wstETH", "stETH", 400 * ONE, 500 * ONE, None)]);
    // One smallest unit at 1.25 is none of the wrapped asset.
    assert_eq!(held(&fork, "dust"), [holds("PT-wstETH", "stETH", 1, 0, end)]);
    for who in ["exited", "nothing"] {
        assert_eq!(held(&fork, who), [], "{who}");
    }
}

#[test]
fn liquidity_is_a_share_of_both_reserves() {
    let fork = fork();
    let leg = |token: &str, amount, redeems| [(token.to_owned(), amount), ("stETH".to_owned(), redeems)];
    // 40 shares of 150, of 300 and 75; the whale's 110 lack what the market keeps of its first 200.
    let farmer = [leg("SY-wstETH", 80 * ONE, 100 * ONE), leg("PT-wstETH", 20 * ONE, 20 * ONE)];
    assert_eq!(pooled(&fork, "farmer"), farmer);
    let whale =
        [leg("SY-wstETH", 220 * ONE - 2_000, 275 * ONE - 2_500), leg("PT-wstETH", 55 * ONE - 500, 55 * ONE - 500)];
    assert_eq!(pooled(&fork, "whale"), whale);
    for who in ["odd", "exited", "nothing"] {
        assert_eq!(pooled(&fork, who).len(), 0, "{who}");
    }
}

#[test]
fn claims_pay_what_they_say() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let hundredths = |amount: u128| amount * ONE / 100;
    // Liquidity: 0.1 PENDLE a share twice, 30 BONUS for 150 shares. Yield: a fifth of the tokens, and 0.1 BONUS each.
    let farmer = [
        pays("PLP-wstETH rewards", [("bonus", 8 * ONE), ("pendle", 8 * ONE)]),
        pays("YT-wstETH yield", [("bonus", hundredths(950)), ("sy", 19 * ONE)]),
    ];
    assert_eq!(claims(&fork, "farmer"), farmer);
    // 40 of its 100 yield tokens were there all the time. 50 at 1.1 earned 4,545,454, less a fee of 227,272.
    let whale = [
        pays("PENDLE lock", [("pendle", 12 * ONE)]),
        pays("PLP-wstETH rewards", [("bonus", 22 * ONE - 200), ("pendle", 22 * ONE - 200)]),
        pays("YT-aUSDC yield", [("syUsdc", 4_318_182)]),
        pays("YT-wstETH yield", [("bonus", hundredths(380)), ("sy", hundredths(760))]),
    ];
    assert_eq!(claims(&fork, "whale"), whale);
    // Has left, and is still owed: of 60 yield tokens, and of 50 shares before the BONUS came.
    let exited = [
        pays("PLP-wstETH rewards", [("pendle", 5 * ONE)]),
        pays("YT-wstETH yield", [("bonus", hundredths(570)), ("sy", hundredths(1_140))]),
    ];
    assert_eq!(claims(&fork, "exited"), exited);
    let odd = [pays("PENDLE cooldown", [("pendle", 4 * ONE)]), pays("SY-wstETH rewards", [("bonus", 40 * ONE)])];
    assert_eq!(claims(&fork, "odd"), odd);
    assert_eq!(claims(&fork, "dust"), []);
    assert_eq!(claims(&fork, "nothing"), []);
}

#[test]
fn locks_and_cooldowns_that_run_are_locked() {
    let fork = fork();
    let end = |name: &str| fork.number(&format!("ends/{name}")).unwrap();
    assert_eq!(locked(&fork, "farmer"), [("PENDLE lock".to_owned(), 30 * ONE, end("lock"))]);
    assert_eq!(locked(&fork, "whale"), [("PENDLE cooldown".to_owned(), 5 * ONE, end("cooldown"))]);
    for who in ["odd", "exited", "nothing"] {
        assert_eq!(locked(&fork, who), [], "{who}");
    }
}
