//! Masters whose pools are named by tokens, locks with a cooldown, boosters, vaults that stake, and smaller staking
//! contracts. What they have to be is said here by arithmetic; `tests/chain/profiles/wrappers.mjs` has the history.

use portolan_tests::fork::{Fork, NATIVE, Payments, SharedFork, pays};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const SATS: u128 = 100_000_000;
const DAY: u64 = 86_400;

static FORK: SharedFork = SharedFork::new("wrappers");

/// Names and amounts.
type StakedLegs<'a> = &'a [(&'a str, u128)];

/// Name and amount of each leg of the locked positions, sorted.
fn locked(fork: &Fork, who: &str) -> Vec<(String, u128)> {
    let rows = fork.items("locked/{}/positions", who).unwrap();
    let leg = |row: &Json, leg: &Json| {
        (row.text_at("name").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap())
    };
    let of = |row: &Json| row.at("legs").unwrap().items().unwrap().iter().map(|it| leg(row, it)).collect::<Vec<_>>();
    let mut found: Vec<_> = rows.iter().flat_map(of).collect();
    found.sort();
    found
}

fn sorted(mut claims: Vec<Payments>) -> Vec<Payments> {
    claims.sort();
    claims
}

#[test]
fn claims_pay_what_they_say() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    // Of the first pool the main reward is locked, of the second it is paid; a cooldown is over.
    assert_eq!(
        fork.payments("farmer").unwrap(),
        sorted(vec![pays([("bonus", 3 * ONE)]), pays([("mgp", 2 * ONE)]), pays([("mgp", 20 * ONE)])])
    );
    // Who has left is owed both.
    assert_eq!(fork.payments("exited").unwrap(), [pays([("mgp", ONE), ("bonus", 4 * ONE)])]);
    let penpie = fork.of("penpie");
    assert_eq!(penpie.payments("farmer").unwrap(), [pays([("pnp", 7 * ONE), ("bonus", ONE)])]);
    // 10 at nine tenths are 9, of which a quarter is paid; for the whale there is too little.
    let equilibria = fork.of("equilibria");
    let pool = pays([("pendle", 10 * ONE), (NATIVE.1, 2 * ONE), ("eqb", 225 * ONE / 100), ("xeqb", 675 * ONE / 100)]);
    // Of two redemptions that are over the last one: 6 at 52 of 100 parts for its three weeks.
    let redeemed = pays([("eqb", 312 * ONE / 100)]);
    let mut expected = vec![pool, pays([("ependle", ONE)]), pays([("eqb", 11 * ONE)]), redeemed];
    expected.sort();
    assert_eq!(equilibria.payments("farmer").unwrap(), expected);
    // Half of 8, and all of 2; who left has had half of 8.
    let stake_dao = fork.of("stake-dao");
    assert_eq!(
        stake_dao.payments("farmer").unwrap(),
        sorted(vec![pays([("bonus", 3 * ONE)]), pays([("crv", 6 * ONE)])])
    );
    assert_eq!(stake_dao.payments("exited").unwrap(), [pays([("crv", 4 * ONE)])]);
    assert_eq!(fork.of("convex").payments("farmer").unwrap(), [pays([("fxn", 5 * ONE), ("bonus", ONE)])]);
    let mux = fork.of("mux");
    let expected = sorted(vec![pays([("weth", ONE), ("mux", 2 * ONE)]), pays([("weth", 3 * ONE)])]);
    assert_eq!(mux.payments("farmer").unwrap(), expected);
    assert_eq!(mux.payments("whale").unwrap(), [pays([("mux", 9 * ONE)])]);
    assert_eq!(
        fork.of("arpa").payments("farmer").unwrap(),
        sorted(vec![pays([("arpa", 7 * ONE)]), pays([("arpa", 5 * ONE)])])
    );
    assert_eq!(fork.of("stakefish").payments("farmer").unwrap(), [pays([(NATIVE.1, 2 * ONE)])]);
    assert_eq!(fork.of("looksrare").payments("farmer").unwrap(), [pays([("weth", ONE)])]);
    let chef = pays([("pls", ONE), ("jones", 2 * ONE), ("weth", 3 * ONE)]);
    assert_eq!(fork.of("plutusdao").payments("farmer").unwrap(), sorted(vec![chef, pays([("pls", 8 * ONE)])]));
    assert_eq!(fork.of("sandbox").payments("farmer").unwrap(), [pays([("sand", 4 * ONE)])]);
    let ethos = fork.of("ethos");
    assert_eq!(ethos.payments("whale").unwrap(), [pays([("wbtc", 2 * SATS), ("oath", 5 * ONE)])]);
    assert_eq!(ethos.payments("farmer").unwrap(), [pays([("weth", ONE), ("ern", 6 * ONE)])]);
    for fork in [&fork, &penpie, &equilibria, &stake_dao, &mux, &ethos] {
        assert_eq!(fork.payments("nothing").unwrap(), []);
    }
}

#[test]
fn a_lock_that_has_cooled_down_is_claimed_and_one_that_cools_down_earns() {
    let fork = FORK.start().unwrap();
    // 25 of 50 have cooled down.
    assert_eq!(fork.payments("odd").unwrap(), [pays([("mgp", 25 * ONE)])]);
    assert_eq!(locked(&fork, "odd"), [("MGP lock".to_owned(), 25 * ONE)]);
    // 40 of 100 cool down, and earn as before.
    assert_eq!(fork.payments("whale").unwrap(), [pays([("mgp", 8 * ONE), ("bonus", 6 * ONE)])]);
}

#[test]
fn what_cannot_leave_is_locked() {
    let fork = FORK.get().unwrap();
    let row = |name: &str, amount: u128| (name.to_owned(), amount);
    // The farmer's first cooldown was stopped, the second is over at this second.
    assert_eq!(locked(&fork, "farmer"), [row("MGP lock", 80 * ONE)]);
    assert_eq!(locked(&fork, "whale"), [row("MGP cooldown", 40 * ONE), row("MGP lock", 60 * ONE)]);
    // Half of 4 is over and waits for the claim of another one; 10 for 24 weeks are paid whole.
    let redemptions = [row("XEQB redemption", 2 * ONE), row("XEQB redemption", 10 * ONE)];
    assert_eq!(
        locked(&fork.of("equilibria"), "farmer"),
        [vec![row("EQB lock", 13 * ONE)], redemptions.to_vec()].concat()
    );
    let mux: Vec<u128> = locked(&fork.of("mux"), "farmer").into_iter().map(|(_, amount)| amount).collect();
    assert_eq!(mux, [5 * ONE, 6 * ONE]);
    assert_eq!(locked(&fork.of("mux"), "whale"), []);
    assert_eq!(locked(&fork.of("arpa"), "farmer"), [row("ARPA unstaking", 5 * ONE)]);
    assert_eq!(locked(&fork.of("arpa"), "whale"), [row("ARPA node reward", 9 * ONE)]);
    assert_eq!(locked(&fork.of("plutusdao"), "farmer"), [row("PLS lock", 9 * ONE)]);
    let items = fork.of("arpa").items("locked/{}/positions", "farmer").unwrap();
    assert_eq!(items[0].at("unlocksAt").unwrap().to_string(), (fork.chain.block_timestamp + DAY).to_string());
    for protocol in ["magpie-xyz", "equilibria", "mux", "arpa", "plutusdao"] {
        assert_eq!(locked(&fork.of(protocol), "nothing"), [], "{protocol}");
    }
}

#[test]
fn stakes_are_told_in_what_was_staked() {
    let fork = FORK.get().unwrap();
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    assert_eq!(fork.staked("farmer").unwrap(), [row("LOOKS", 10 * ONE), row("LP", 40 * ONE)]);
    assert_eq!(fork.staked("exited").unwrap(), []);
    let held: [(&str, &str, StakedLegs<'_>); 11] = [
        ("penpie", "farmer", &[("LP", 7 * ONE)]),
        ("equilibria", "farmer", &[("EPENDLE", 4 * ONE), ("LP", 30 * ONE)]),
        ("stake-dao", "farmer", &[("LP", 20 * ONE)]),
        ("convex", "farmer", &[("LP", 12 * ONE)]),
        ("mux", "farmer", &[("MLP", 25 * ONE)]),
        ("arpa", "whale", &[("ARPA", 500 * ONE)]),
        // A share is three halves.
        ("looksrare", "whale", &[("LOOKS", 9 * ONE)]),
        ("plutusdao", "farmer", &[("PLS", 14 * ONE)]),
        ("sandbox", "whale", &[("LP", 48 * ONE)]),
        ("ethos", "whale", &[("ERN", 400 * ONE)]),
        ("ethos", "farmer", &[("LOOKS", 70 * ONE)]),
    ];
    for (protocol, who, expected) in held {
        let fork = fork.of(protocol);
        let expected: Vec<_> = expected.iter().map(|(symbol, amount)| row(symbol, *amount)).collect();
        assert_eq!(fork.staked(who).unwrap(), expected, "{protocol}");
        assert_eq!(fork.staked("nothing").unwrap(), [], "{protocol}");
    }
}

#[test]
fn a_trove_stands_for_each_collateral() {
    let fork = FORK.get().unwrap().of("ethos");
    let lent = fork.lent("farmer").unwrap();
    let row = |name: &str, amount: u128, side: &str| portolan_tests::fork::leg(name, amount, side);
    let mut expected = vec![
        row("WBTC", SATS, "supply"),
        row("ERN", 10_000 * ONE, "borrow"),
        row("WETH", ONE, "supply"),
        row("ERN", 1_000 * ONE, "borrow"),
    ];
    expected.sort();
    let mut found = lent;
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(fork.lent("nothing").unwrap(), []);
}
