//! Reward trackers of GMX' first version: stakes of two tokens, and what a distributor pays that has less than it owes; and
//! its vester. Funding fees, collateral and shares of its second version. Gains' staking. What they have to be is said here
//! by arithmetic; `tests/chain/profiles/gmx.mjs` has the history.

use portolan_tests::fork::{Paid, SharedFork, pays};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
/// The amount that the first tracker pays a second.
const RATE: u128 = 4_000_000_000_000;

/// The protocol of the row of the second version: another one, so that each is asked about by itself.
const VERSION_2: &str = "metavault";

static FORK: SharedFork = SharedFork::new("gmx");

#[test]
fn a_stake_has_a_row_for_each_token() {
    let fork = FORK.get().unwrap();
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    assert_eq!(fork.staked("farmer").unwrap(), [row("GMX", 100 * ONE)]);
    assert_eq!(fork.staked("whale").unwrap(), [row("GMX", 150 * ONE), row("esGMX", 50 * ONE)]);
    assert_eq!(fork.staked("odd").unwrap(), [], "its stake is in no tracker of stakes");
    for who in ["exited", "nothing"] {
        assert_eq!(fork.staked(who).unwrap(), [], "{who}");
    }
}

#[test]
fn what_has_yet_to_vest_is_a_position_with_its_end() {
    let fork = FORK.get().unwrap();
    let rows = fork.items("locked/{}/positions", "dust").unwrap();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(row.text_at("kind").unwrap(), "vesting");
    // A thousandth vests each second: 600 of 31,536 did since the deposit, of which 200 were claimed.
    let leg = row.at("legs").unwrap().items().unwrap()[0].clone();
    assert_eq!(leg.text_at("amountRaw").unwrap(), (30_936 * ONE).to_string());
    let ends_at = fork.chain.block_timestamp + 30_936_000;
    assert_eq!(row.at("unlocksAt").unwrap().to_string(), ends_at.to_string());
    assert_eq!(fork.items("locked/{}/positions", "farmer").unwrap(), []);
}

#[test]
fn a_claim_pays_what_it_is_said_to_and_no_more_than_the_distributor_has() {
    // The other test reads a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let (before, after) = (fork.number("seconds/before").unwrap(), fork.number("seconds/after").unwrap());
    for (who, token, owed) in [
        // A quarter of 400 that are staked, then a third of 300.
        ("farmer", "esGmx", Some(before * RATE / 4 + after * RATE / 3)),
        // A half, then two thirds.
        ("whale", "esGmx", Some(before * RATE / 2 + after * RATE / 3 * 2)),
        ("exited", "esGmx", Some(before * RATE / 4)),
        // All of what the distributor had, and half of what it owes.
        ("odd", "weth", Some(4 * ONE)),
        ("nothing", "weth", None),
        // A thousandth of a token for each second since its last claim.
        ("dust", "gmxToken", Some(400 * ONE)),
    ] {
        let token = fork.address(&format!("gmx/{token}")).unwrap().to_owned();
        let expected: Vec<_> =
            owed.into_iter().map(|owed| Paid { token: token.clone(), said: owed, received: owed }).collect();
        assert_eq!(fork.claim_each(who).unwrap(), expected, "{who}");
    }
}

#[test]
fn funding_fees_of_all_markets_are_one_claim() {
    let fork = FORK.start().unwrap().of(VERSION_2);
    let claims = fork.claims("farmer").unwrap();
    let [claim] = claims.as_slice() else { panic!("{} claims", claims.len()) };
    // Two and three of different markets.
    let paid = pays([("weth", 5 * ONE), ("usdc", 30_000_000)]);
    assert_eq!((&claim.said, &claim.received), (&paid, &paid));
    assert_eq!(claim.rows[0].text_at("claimTransaction/to").unwrap(), fork.address("gmx/router").unwrap());
}

#[test]
fn collateral_of_open_positions_and_shares_are_positions() {
    let fork = FORK.get().unwrap().of(VERSION_2);
    let row = |amount: u128| ("USDC".to_owned(), amount, "supply".to_owned());
    assert_eq!(fork.lent("farmer").unwrap(), [row(100_000_000), row(500_000_000)]);
    let shares = fork.items("pooling/{}/positions", "farmer").unwrap();
    let told = |row: &Json| {
        let leg = row.at("legs").unwrap().items().unwrap()[0].clone();
        let text = |member| leg.text_at(member).unwrap().to_owned();
        (row.text_at("contractAddress").unwrap().to_owned(), text("token/address"), text("amountRaw"))
    };
    let mut found: Vec<_> = shares.iter().map(told).collect();
    let share = |name: &str, amount: u128| {
        let at = fork.address(&format!("gmx/{name}")).unwrap().to_owned();
        (at.clone(), at, amount.to_string())
    };
    let mut expected = [share("single", 7 * ONE), share("vault", 11 * ONE)];
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(fork.lent("odd").unwrap(), []);
    assert_eq!(fork.items("pooling/{}/positions", "odd").unwrap(), []);
}

#[test]
fn stakes_and_vests_of_gains_have_a_claim_each() {
    let fork = FORK.start().unwrap().of("gains");
    assert_eq!(fork.staked("farmer").unwrap(), [("GNS".to_owned(), 300 * ONE)]);
    // 50 are shared by 500: 30 for the stake, 10 for each vest. 400,000 of a million seconds have passed.
    let weth = |amount| ("weth", amount * ONE);
    let paid = [pays([("gns", 40 * ONE), weth(10)]), pays([weth(10)]), pays([weth(30)])];
    assert_eq!(fork.payments("farmer").unwrap(), paid);
    let vests = fork.items("locked/{}/positions", "farmer").unwrap();
    let amount = |row: &Json| row.at("legs").unwrap().items().unwrap()[0].text_at("amountRaw").unwrap().to_owned();
    let mut left: Vec<String> = vests.iter().map(amount).collect();
    left.sort();
    // One ends at once.
    assert_eq!(left, [(100 * ONE).to_string(), (60 * ONE).to_string()]);
    assert_eq!(fork.items("locked/{}/positions", "odd").unwrap(), []);
}
