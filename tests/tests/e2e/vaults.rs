//! Vaults of one token: real ones of ERC-4626, doubles of one whose shares leave by a cooldown and of one of Beefy's. What
//! they have to be is said here by arithmetic; `tests/chain/profiles/vaults.mjs` has the history.

use portolan_tests::fork::{Paid, SharedFork, leg};

const USDC: u128 = 1_000_000;
const ONE: u128 = 1_000_000_000_000_000_000;

static FORK: SharedFork = SharedFork::new("vaults");

#[test]
fn shares_are_told_as_what_they_are_worth() {
    let fork = FORK.get().unwrap();
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    // A share of 4,000 in 4,400 is 1.1; the vault reckons one more of each beside, which takes a smallest unit. What has
    // gone into a cooldown has left its vault.
    assert_eq!(fork.staked("farmer").unwrap(), [row("USDC", 1_100 * USDC - 1), row("USDe", 40 * ONE)]);
    assert_eq!(fork.staked("whale").unwrap(), [row("USDC", 3_300 * USDC - 1), row("USDe", 300 * ONE)]);
    // 40 are 60.
    let beefy = fork.of("beefy");
    assert_eq!(beefy.staked("farmer").unwrap(), [row("LP", 15 * ONE)]);
    assert_eq!(beefy.staked("whale").unwrap(), [row("LP", 45 * ONE)]);
    for who in ["exited", "odd", "nothing"] {
        assert_eq!(fork.staked(who).unwrap(), [], "{who}");
        assert_eq!(beefy.staked(who).unwrap(), [], "{who}");
    }
}

#[test]
fn vaults_that_lend_are_loans() {
    let fork = FORK.get().unwrap().of("maple");
    assert_eq!(fork.lent("whale").unwrap(), [leg("USDC", 70 * USDC, "supply")]);
    assert_eq!(fork.lent("dust").unwrap(), [leg("USDC", 1, "supply")]);
    for who in ["exited", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
    }
}

#[test]
fn a_cooldown_is_locked_until_it_is_over() {
    let fork = FORK.get().unwrap();
    let locks = fork.items("locked/{}/positions", "farmer").unwrap();
    let [lock] = locks.as_slice() else { panic!("{} locks", locks.len()) };
    assert_eq!(lock.at("unlocksAt").unwrap().to_string(), fork.number("unlocksAt").unwrap().to_string());
    assert_eq!(lock.text_at("legs/0/amountRaw").unwrap(), (60 * ONE).to_string());
    for who in ["exited", "odd", "whale", "nothing"] {
        assert_eq!(fork.items("locked/{}/positions", who).unwrap(), [], "{who}");
    }
}

#[test]
fn a_cooldown_that_is_over_pays_what_it_says() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let usde = fork.address("assets/usde").unwrap();
    // The first has waited, the second need not: the cooldown of its vault was set to zero.
    for (who, owed) in [("exited", Some(40)), ("odd", Some(9)), ("farmer", None), ("whale", None), ("nothing", None)] {
        let paid = owed.map(|owed| Paid { token: usde.to_owned(), said: owed * ONE, received: owed * ONE });
        assert_eq!(fork.claim_each(who).unwrap(), paid.into_iter().collect::<Vec<_>>(), "{who}");
    }
}
