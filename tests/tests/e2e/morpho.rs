//! Morpho Blue and a vault that lends to its markets: what is lent and owed with its interest, collateral with the health
//! that it gives, and shares. What they have to be is said here by arithmetic, and by what the contracts pay when all of it
//! leaves; `tests/chain/profiles/morpho.mjs` has the history.
//!
//! The first market costs 10^-9 a second of the 500 that are owed, of 4,000 that are lent, and keeps a tenth of it.

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use portolan_tests::fork::{Fork, SharedFork};

alloy::sol! {
    struct Market { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }
    function withdraw(Market memory market, uint256 assets, uint256 shares, address onBehalf, address receiver) external;
    function repay(Market memory market, uint256 assets, uint256 shares, address onBehalf, bytes memory data) external;
    function redeem(uint256 shares, address receiver, address owner) external;
}

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;
/// A share is a millionth of a smallest unit at first.
const SHARES: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("morpho");

fn account(fork: &Fork, who: &str) -> Address {
    fork.account(who).unwrap().parse().unwrap()
}

fn market(fork: &Fork, name: &str) -> Market {
    let member = |member: &str| fork.address(&format!("markets/{name}/{member}")).unwrap();
    let address = |name| member(name).parse().unwrap();
    Market {
        loanToken: address("loanToken"),
        collateralToken: address("collateralToken"),
        oracle: address("oracle"),
        irm: address("irm"),
        lltv: member("lltv").parse().unwrap(),
    }
}

/// Returns the change of the account's USDC by a call, on a chain that is as before afterwards.
fn changes(fork: &Fork, who: &str, to: &str, call: &impl SolCall) -> u128 {
    let (usdc, to) = (fork.address("assets/usdc").unwrap(), fork.address(to).unwrap());
    let data = Bytes::from(call.abi_encode()).to_string();
    fork.undone(|| fork.changes(who, usdc, to, &data)).unwrap()
}

fn row(name: &str, amount: u128, side: &str) -> (String, u128, String) {
    (format!("Morpho {name}"), amount, side.to_owned())
}

fn n(number: u128) -> U256 {
    U256::from(number)
}

fn small(number: U256) -> u128 {
    number.try_into().unwrap()
}

/// The first market after the interest of all seconds: what is owed and what is lent, and the shares of that.
struct Fixed {
    owed: u128,
    lent: u128,
    shares: u128,
}

impl Fixed {
    fn after(seconds: u128) -> Self {
        // 10^-9 a second; two terms more of the series.
        let first = n(seconds * 1_000_000_000);
        let second = first * first / n(2 * ONE);
        let third = second * first / n(3 * ONE);
        let interest = small(n(500 * USDC) * (first + second + third) / n(ONE));
        let (lent, shares, fee) = (4_000 * USDC + interest, 4_000 * USDC * SHARES, interest / 10);
        let made = small(n(fee) * n(shares + SHARES) / n(lent - fee + 1));
        Self { owed: 500 * USDC + interest, lent, shares: shares + made }
    }

    /// Returns the worth of so many shares of what is lent.
    fn share(&self, shares: u128) -> u128 {
        small(n(shares) * n(self.lent + 1) / n(self.shares + SHARES))
    }

    /// The whole debt, rounded up.
    fn debt(&self) -> u128 {
        let shares = 500 * USDC * SHARES;
        small((n(shares) * n(self.owed + 1)).div_ceil(n(shares + SHARES)))
    }
}

fn fixed(fork: &Fork) -> Fixed {
    Fixed::after(fork.number("seconds").unwrap())
}

#[test]
fn what_is_lent_and_owed_has_its_interest_and_collateral_stands_beside_it() {
    let fixture = FORK.get().unwrap();
    let fixed = fixed(&fixture);
    let in_vault = fixed.share(3_000 * USDC * SHARES);
    // Shares of the vault have 12 decimals more, and that many virtual ones.
    let made = 3_000 * USDC * 1_000_000_000_000;
    let redeemed = small(n(made) * n(in_vault + 1) / n(made + 1_000_000_000_000));
    assert_eq!(
        fixture.lent_by_name("whale").unwrap(),
        [row("USDC", 5 * USDC, "supply"), row("sUSDC", redeemed, "supply")]
    );
    assert!(fixture.lent_by_name("farmer").unwrap().contains(&row(
        "USDC",
        fixed.share(1_000 * USDC * SHARES),
        "supply"
    )));
    let owes = fixture.lent_by_name("odd").unwrap();
    let expected = [
        row("USDC debt", fixed.debt(), "borrow"),
        row("WBTC collateral", 10_000_000, "supply"),
        row("WETH collateral", 2 * ONE, "supply"),
    ];
    assert!(expected.iter().all(|row| owes.contains(row)) && owes.len() == 4, "{owes:?}");
    assert_eq!(fixture.lent_by_name("dust").unwrap(), [row("WBTC collateral", 1, "supply")]);
    for who in ["nothing", "exited"] {
        assert_eq!(fixture.lent_by_name(who).unwrap(), [], "{who}");
    }
}

#[test]
fn what_leaves_is_exactly_what_was_told() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let told = |who: &str, name: &str| -> Vec<u128> {
        fixture
            .lent_by_name(who)
            .unwrap()
            .into_iter()
            .filter(|row| row.0 == format!("Morpho {name}"))
            .map(|row| row.1)
            .collect()
    };
    let none = U256::ZERO;
    let mut left = Vec::new();
    for name in ["fixed", "curved"] {
        let (market, farmer) = (market(&fixture, name), account(&fixture, "farmer"));
        let shares = n(1_000 * USDC * SHARES);
        let call = withdrawCall { market, assets: none, shares, onBehalf: farmer, receiver: farmer };
        // A tenth is at hand in the second market: the borrower pays back before.
        left.push(after_repaying(&fixture, || changes(&fixture, "farmer", "morpho", &call)));
    }
    left.sort_unstable();
    assert_eq!(told("farmer", "USDC"), left);
    let mut paid: Vec<u128> = [("fixed", 500), ("curved", 900)]
        .map(|(name, owed)| {
            let (market, shares) = (market(&fixture, name), n(owed * USDC * SHARES));
            let call =
                repayCall { market, assets: none, shares, onBehalf: account(&fixture, "odd"), data: Bytes::new() };
            changes(&fixture, "odd", "morpho", &call)
        })
        .to_vec();
    paid.sort_unstable();
    assert_eq!(told("odd", "USDC debt"), paid);
    let (whale, shares) = (account(&fixture, "whale"), n(3_000 * USDC * 1_000_000_000_000));
    let call = redeemCall { shares, receiver: whale, owner: whale };
    assert_eq!(told("whale", "sUSDC"), [after_repaying(&fixture, || changes(&fixture, "whale", "vault", &call))]);
}

/// Returns the result of `act` once both debts are paid back in the snapshot's second, and undone.
fn after_repaying(fork: &Fork, act: impl Fn() -> u128) -> u128 {
    let repaid = || {
        for (name, owed) in [("fixed", 500), ("curved", 900)] {
            let (market, shares) = (market(fork, name), n(owed * USDC * SHARES));
            let on_behalf = account(fork, "odd");
            let call = repayCall { market, assets: U256::ZERO, shares, onBehalf: on_behalf, data: Bytes::new() };
            let data = Bytes::from(call.abi_encode()).to_string();
            fork.changes("odd", fork.address("assets/usdc")?, fork.address("morpho")?, &data)?;
        }
        Ok(act())
    };
    fork.undone(repaid).unwrap()
}

#[test]
fn the_health_of_a_debt_is_that_of_its_own_market() {
    let fixture = FORK.get().unwrap();
    let positions = fixture.items("borrowing/{}/positions", "odd").unwrap();
    assert_eq!(positions.len(), 2);
    let factors: Vec<String> = positions.iter().map(|one| one.at("health/factor").unwrap().to_string()).collect();
    // Two WETH at 2,000 are worth 4,000, of which 86 % may be owed.
    let factor = small(n(3_440 * USDC) * n(ONE) / n(fixed(&fixture).debt()));
    let shown = format!("{}.{:018}", factor / ONE, factor % ONE);
    assert!(factors.iter().any(|found| found[..18] == shown[..18]), "{shown} of {factors:?}");
    for who in ["farmer", "whale", "dust", "nothing"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who).unwrap(), [], "{who}");
    }
}
