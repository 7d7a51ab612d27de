//! Euler v2 and Fluid: what is lent and owed, by account and sub-account and by NFT, with its health, and that what leaves
//! is what was told. What they have to be is said here by arithmetic; `tests/chain/profiles/lenders.mjs` has the history.
//!
//! A thousand USDC are lent, of which 400 are owed at 10^-9 a second; two WETH at 2,000 secure them, of which 80 % count.

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use portolan_tests::fork::{self, Fork, SharedFork, leg};

alloy::sol! {
    function redeem(uint256 shares, address receiver, address owner) external;
    function repay(address account) external;
}

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;
/// Shares and assets that a vault of Euler is reckoned to have beside its own.
const VIRTUAL: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("lenders");

/// Returns the sub-account's debt: 400 with their interest since all was lent and owed, which comes to whole units.
fn debt(fork: &Fork) -> u128 {
    let seconds = fork.number("seconds").unwrap();
    assert_eq!(400 * USDC * seconds % 1_000_000_000, 0);
    400 * USDC + 400 * USDC * seconds / 1_000_000_000
}

/// Returns the worth of the shares of all that is lent.
fn lent_dollars(fork: &Fork) -> u128 {
    let assets = 600 * USDC + debt(fork) + VIRTUAL;
    1_000 * USDC * assets / (1_000 * USDC + VIRTUAL)
}

/// Returns the change of the account's USDC by a call in the snapshot's second.
fn changes(fork: &Fork, who: &str, to: &str, call: &impl SolCall) -> u128 {
    let data = Bytes::from(call.abi_encode()).to_string();
    fork.changes(who, fork.address("assets/usdc").unwrap(), fork.address(to).unwrap(), &data).unwrap()
}

#[test]
fn accounts_of_euler_are_told_with_their_sub_accounts() {
    let fixture = FORK.get().unwrap().of("euler");
    assert_eq!(fixture.lent_by_name("farmer").unwrap(), [leg("Euler USDC", lent_dollars(&fixture), "supply")]);
    // A millionth of a millionth of a WETH on the main account; the rest on the first sub-account.
    let expected = [
        leg("Euler USDC debt", debt(&fixture), "borrow"),
        leg("Euler WETH", 1_000_000, "supply"),
        leg("Euler WETH", 2 * ONE, "supply"),
    ];
    assert_eq!(fixture.lent_by_name("odd").unwrap(), expected);
    assert_eq!(fixture.lent_by_name("nothing").unwrap(), []);
    // Two at 2,000 are 4,000, of which 80 % are 3,200.
    let factor = 3_200 * USDC * ONE / debt(&fixture);
    let shown = format!("{}.{:018}", factor / ONE, factor % ONE);
    let [found] = &fixture.health("odd").unwrap()[..] else { panic!("one debt") };
    assert_eq!(found[..18], shown[..18]);
    assert_eq!(fixture.health("farmer").unwrap(), Vec::<String>::new());
}

#[test]
fn shares_of_a_vault_of_euler_are_told_as_such_where_somebody_owes_to_it_and_nobody_verifies_it() {
    let with = |keys| Fork::of_rows(&[fork::row(["lenders", "lending", "euler"], "euler", keys)], &[]).unwrap();
    let strict = with("evc = <euler/evc>\nevault_factory = <euler/factory>\nperspectives = [<euler/strict>]");
    // A thousand shares at first, of 6 decimals as the token.
    assert_eq!(strict.lent_by_name("farmer").unwrap(), [leg("Euler eVault", 1_000 * USDC, "supply")]);
    // Nobody owes ether.
    let told = strict.lent_by_name("odd").unwrap();
    assert_eq!(told[1..], [leg("Euler WETH", 1_000_000, "supply"), leg("Euler WETH", 2 * ONE, "supply")]);
    let verifying =
        with("evc = <euler/evc>\nevault_factory = <euler/factory>\nperspectives = [<euler/strict>, <euler/verifying>]");
    let expected = [leg("Euler USDC", lent_dollars(&verifying), "supply")];
    assert_eq!(verifying.lent_by_name("farmer").unwrap(), expected);
}

#[test]
fn positions_in_fluid_are_told_as_its_resolvers_lay_them_out() {
    let fixture = FORK.get().unwrap().of("fluid-lending");
    // 5 % more than the shares, rounded down.
    let lent = (100 * USDC + 1) * 105 / 100;
    let farmer = fixture.lent_by_name("farmer").unwrap();
    assert!(farmer.contains(&leg("Fluid fUSDC", lent, "supply")), "{farmer:?}");
    assert!(farmer.contains(&leg("Fluid USDC debt", 1_000 * USDC, "borrow")), "{farmer:?}");
    assert!(farmer.iter().any(|row| row.1 == ONE && row.2 == "supply") && farmer.len() == 3, "{farmer:?}");
    // A hundred shares of 2 and 3; ten of 5 and 7.
    let expected = [
        leg("Fluid USDC", 200, "supply"),
        leg("Fluid USDC debt", 50, "borrow"),
        leg("Fluid WETH", 300, "supply"),
        leg("Fluid WETH debt", 70, "borrow"),
    ];
    assert_eq!(fixture.lent_by_name("odd").unwrap(), expected);
    assert_eq!(fixture.lent_by_name("nothing").unwrap(), []);
    // 2,000 by 85 % over 1,000, and a hundred by 90 % over ten.
    assert_eq!(fixture.health("farmer").unwrap(), ["1.7"]);
    assert_eq!(fixture.health("odd").unwrap(), ["9"]);
}

#[test]
fn what_leaves_is_exactly_what_was_told() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let [farmer, odd] = ["farmer", "odd"].map(|who| fixture.account(who).unwrap().parse::<Address>().unwrap());
    let mut first = odd;
    first.0[19] ^= 1;
    assert_eq!(changes(&fixture, "odd", "euler/dollars", &repayCall { account: first }), debt(&fixture));
    let redeem = |shares: u128| redeemCall { shares: U256::from(shares), receiver: farmer, owner: farmer };
    assert_eq!(changes(&fixture, "farmer", "euler/dollars", &redeem(1_000 * USDC)), lent_dollars(&fixture));
    assert_eq!(changes(&fixture, "farmer", "fluid/token", &redeem(100 * USDC + 1)), (100 * USDC + 1) * 105 / 100);
}
