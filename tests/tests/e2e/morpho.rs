//! Morpho Blue and a vault that lends to its markets: what is lent and owed with its interest, collateral with the health
//! that it gives, and shares. What they have to be is said here by arithmetic, and by what the contracts pay when all of it
//! leaves; `tests/chain/profiles/morpho.mjs` has the history.
//!
//! The first market costs 10^-9 a second of the 500 that are owed, of 4,000 that are lent, and keeps a tenth of it.

use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use anyhow::{Context as _, Result};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

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

/// The chain's contracts are those of a fork, in an operator's settings file.
struct Fixture {
    chain: Chain,
    gateway: Gateway,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("morpho")?;
        let text = |member: &str| chain.expected[member].as_str().context("no contract");
        let idle = chain.expected["markets"]["idle"]["id"].as_str().context("no market")?;
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"morpho\"\nnetwork = \"ethereum\"\nmorpho = \"{}\"\n\
             vaults = [\"{}\"]\nmarkets = [\"{idle}\"]\n",
            text("morpho")?,
            text("vault")?
        );
        let dylib = build::built()?.plugin("liblending.so");
        let setup = Setup::default().rpc("ethereum", &chain.url).settings("lending", &settings);
        let gateway = setup.plugin(&dylib, &["morpho"]).start()?;
        Ok(Self { chain, gateway })
    }

    fn account(&self, who: &str) -> &str {
        self.chain.expected["accounts"][who]["address"].as_str().unwrap()
    }

    fn address(&self, who: &str) -> Address {
        self.account(who).parse().unwrap()
    }

    fn contract(&self, member: &str) -> &str {
        self.chain.expected[member].as_str().unwrap()
    }

    fn asset(&self, symbol: &str) -> &str {
        self.chain.expected["assets"][symbol].as_str().unwrap()
    }

    fn market(&self, name: &str) -> Market {
        let member = |member: &str| self.chain.expected["markets"][name][member].as_str().unwrap();
        let address = |name| member(name).parse().unwrap();
        Market {
            loanToken: address("loanToken"),
            collateralToken: address("collateralToken"),
            oracle: address("oracle"),
            irm: address("irm"),
            lltv: member("lltv").parse().unwrap(),
        }
    }

    /// A complete answer about an account.
    fn items(&self, path: &str, who: &str) -> Vec<Json> {
        let path = format!("/morpho/{}?detail=full", path.replace("{}", self.account(who)));
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
        response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
    }

    /// Name, raw amount and side of each row of lending.
    fn lent(&self, who: &str) -> Vec<(String, u128, String)> {
        let row = |row: &Json| {
            let text = |member| row.text_at(member).unwrap().to_owned();
            (text("name"), text("amountRaw").parse().unwrap(), text("side"))
        };
        let mut rows: Vec<_> = self.items("lending/{}/positions", who).iter().map(row).collect();
        rows.sort();
        rows
    }

    fn held(&self, who: &str) -> u128 {
        self.chain.token_balance(self.asset("usdc"), self.account(who)).unwrap().parse().unwrap()
    }

    /// What a call changes of the account's USDC, on a chain that is as before afterwards.
    fn changes(&self, who: &str, to: &str, call: &impl SolCall) -> u128 {
        let (snapshot, before) = (self.chain.snapshot().unwrap(), self.held(who));
        let data = Bytes::from(call.abi_encode()).to_string();
        self.chain.send_as(self.account(who), to, &data, self.chain.block_timestamp).unwrap();
        let after = self.held(who);
        self.chain.revert(&snapshot).unwrap();
        before.abs_diff(after)
    }
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
    fn after(seconds: u64) -> Self {
        // 10^-9 a second; two terms more of the series.
        let first = n(u128::from(seconds) * 1_000_000_000);
        let second = first * first / n(2 * ONE);
        let third = second * first / n(3 * ONE);
        let interest = small(n(500 * USDC) * (first + second + third) / n(ONE));
        let (lent, shares, fee) = (4_000 * USDC + interest, 4_000 * USDC * SHARES, interest / 10);
        let made = small(n(fee) * n(shares + SHARES) / n(lent - fee + 1));
        Self { owed: 500 * USDC + interest, lent, shares: shares + made }
    }

    /// What so many shares of what is lent come to.
    fn share(&self, shares: u128) -> u128 {
        small(n(shares) * n(self.lent + 1) / n(self.shares + SHARES))
    }

    /// The whole debt, rounded up.
    fn debt(&self) -> u128 {
        let shares = 500 * USDC * SHARES;
        small((n(shares) * n(self.owed + 1)).div_ceil(n(shares + SHARES)))
    }
}

fn fixed(fixture: &Fixture) -> Fixed {
    Fixed::after(fixture.chain.expected["seconds"].as_u64().unwrap())
}

#[test]
fn what_is_lent_and_owed_has_its_interest_and_collateral_stands_beside_it() {
    let fixture = fixture();
    let fixed = fixed(&fixture);
    let in_vault = fixed.share(3_000 * USDC * SHARES);
    // Shares of the vault have 12 decimals more, and that many virtual ones.
    let made = 3_000 * USDC * 1_000_000_000_000;
    let redeemed = small(n(made) * n(in_vault + 1) / n(made + 1_000_000_000_000));
    assert_eq!(fixture.lent("whale"), [row("USDC", 5 * USDC, "supply"), row("sUSDC", redeemed, "supply")]);
    assert!(fixture.lent("farmer").contains(&row("USDC", fixed.share(1_000 * USDC * SHARES), "supply")));
    let owes = fixture.lent("odd");
    let expected = [
        row("USDC debt", fixed.debt(), "borrow"),
        row("WBTC collateral", 10_000_000, "supply"),
        row("WETH collateral", 2 * ONE, "supply"),
    ];
    assert!(expected.iter().all(|row| owes.contains(row)) && owes.len() == 4, "{owes:?}");
    assert_eq!(fixture.lent("dust"), [row("WBTC collateral", 1, "supply")]);
    for who in ["nothing", "exited"] {
        assert_eq!(fixture.lent(who), [], "{who}");
    }
}

#[test]
fn what_leaves_is_exactly_what_was_told() {
    // The other tests read a chain on which nothing happens.
    let fixture = Fixture::start().unwrap();
    let told = |who: &str, name: &str| -> Vec<u128> {
        fixture.lent(who).into_iter().filter(|row| row.0 == format!("Morpho {name}")).map(|row| row.1).collect()
    };
    let (morpho, none) = (fixture.contract("morpho"), U256::ZERO);
    let mut left = Vec::new();
    for market in ["fixed", "curved"] {
        let (market, farmer) = (fixture.market(market), fixture.address("farmer"));
        let shares = n(1_000 * USDC * SHARES);
        let call = withdrawCall { market, assets: none, shares, onBehalf: farmer, receiver: farmer };
        // What the second market has at hand is a tenth: the borrower pays back before.
        left.push(fixture.after_repaying(|| fixture.changes("farmer", morpho, &call)));
    }
    left.sort_unstable();
    assert_eq!(told("farmer", "USDC"), left);
    let mut paid: Vec<u128> = [("fixed", 500), ("curved", 900)]
        .map(|(market, owed)| {
            let (market, shares) = (fixture.market(market), n(owed * USDC * SHARES));
            let call = repayCall { market, assets: none, shares, onBehalf: fixture.address("odd"), data: Bytes::new() };
            fixture.changes("odd", morpho, &call)
        })
        .to_vec();
    paid.sort_unstable();
    assert_eq!(told("odd", "USDC debt"), paid);
    let (whale, shares) = (fixture.address("whale"), n(3_000 * USDC * 1_000_000_000_000));
    let call = redeemCall { shares, receiver: whale, owner: whale };
    assert_eq!(
        told("whale", "sUSDC"),
        [fixture.after_repaying(|| fixture.changes("whale", fixture.contract("vault"), &call))]
    );
}

impl Fixture {
    /// What `act` returns once both debts are paid back in the snapshot's second, and undone.
    fn after_repaying(&self, act: impl Fn() -> u128) -> u128 {
        let snapshot = self.chain.snapshot().unwrap();
        for (market, owed) in [("fixed", 500), ("curved", 900)] {
            let (market, shares) = (self.market(market), n(owed * USDC * SHARES));
            let call =
                repayCall { market, assets: U256::ZERO, shares, onBehalf: self.address("odd"), data: Bytes::new() };
            let data = Bytes::from(call.abi_encode()).to_string();
            let sent =
                self.chain.send_as(self.account("odd"), self.contract("morpho"), &data, self.chain.block_timestamp);
            sent.unwrap();
        }
        let outcome = act();
        self.chain.revert(&snapshot).unwrap();
        outcome
    }
}

#[test]
fn the_health_of_a_debt_is_that_of_its_own_market() {
    let fixture = fixture();
    let positions = fixture.items("borrowing/{}/positions", "odd");
    assert_eq!(positions.len(), 2);
    let factors: Vec<String> = positions.iter().map(|one| one.at("health/factor").unwrap().to_string()).collect();
    // Two WETH at 2,000 are worth 4,000, of which 86 % may be owed.
    let factor = small(n(3_440 * USDC) * n(ONE) / n(fixed(&fixture).debt()));
    let shown = format!("{}.{:018}", factor / ONE, factor % ONE);
    assert!(factors.iter().any(|found| found[..18] == shown[..18]), "{shown} of {factors:?}");
    for who in ["farmer", "whale", "dust", "nothing"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who), [], "{who}");
    }
}
