//! Euler v2 and Fluid: what is lent and owed, by account and sub-account and by NFT, with its health, and that what leaves
//! is what was told. What they have to be is said here by arithmetic; `tests/chain/profiles/lenders.mjs` has the history.
//!
//! A thousand USDC are lent, of which 400 are owed at 10^-9 a second; two WETH at 2,000 secure them, of which 80 % count.

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
    function redeem(uint256 shares, address receiver, address owner) external;
    function repay(address account) external;
}

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;
/// Shares and assets that a vault of Euler is reckoned to have beside its own.
const VIRTUAL: u128 = 1_000_000;

/// The chain's contracts are those of forks, in an operator's settings file.
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
        Self::with(&[])
    }

    /// The fork of Euler has these perspectives.
    fn with(perspectives: &[&str]) -> Result<Self> {
        let chain = Chain::start("lenders")?;
        let at = |protocol: &str, name: &str| chain.expected[protocol][name].as_str().context("no contract");
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"euler\"\nnetwork = \"ethereum\"\nevc = \"{}\"\n\
             evault_factory = \"{}\"\nperspectives = [{}]\n[[deployment]]\nprotocol = \"fluid-lending\"\nnetwork = \"ethereum\"\n\
             lending_factory = \"{}\"\nvault_resolver = \"{}\"\ndex_resolver = \"{}\"\n",
            at("euler", "evc")?,
            at("euler", "factory")?,
            perspectives
                .iter()
                .map(|name| Ok(format!("{:?}", at("euler", name)?)))
                .collect::<Result<Vec<_>>>()?
                .join(", "),
            at("fluid", "lending")?,
            at("fluid", "resolver")?,
            at("fluid", "dex")?,
        );
        let dylib = build::built()?.plugin("liblending.so");
        let setup = Setup::default().rpc("ethereum", &chain.url).settings("lending", &settings);
        let gateway = setup.plugin(&dylib, &["euler", "fluid-lending"]).start()?;
        Ok(Self { chain, gateway })
    }

    fn account(&self, who: &str) -> &str {
        self.chain.expected["accounts"][who]["address"].as_str().unwrap()
    }

    fn address(&self, who: &str) -> Address {
        self.account(who).parse().unwrap()
    }

    fn contract(&self, protocol: &str, name: &str) -> &str {
        self.chain.expected[protocol][name].as_str().unwrap()
    }

    /// Seconds since all was lent and owed.
    fn seconds(&self) -> u128 {
        self.chain.expected["seconds"].as_u64().unwrap().into()
    }

    /// What the sub-account owes: 400 with their interest, which comes to whole units.
    fn debt(&self) -> u128 {
        assert_eq!(400 * USDC * self.seconds() % 1_000_000_000, 0);
        400 * USDC + 400 * USDC * self.seconds() / 1_000_000_000
    }

    /// What the shares of all that is lent come to.
    fn lent_dollars(&self) -> u128 {
        let assets = 600 * USDC + self.debt() + VIRTUAL;
        1_000 * USDC * assets / (1_000 * USDC + VIRTUAL)
    }

    /// A complete answer about an account.
    fn items(&self, path: &str, who: &str) -> Vec<Json> {
        let path = format!("/{}?detail=full", path.replace("{}", self.account(who)));
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
        response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
    }

    /// Name, raw amount and side of each row of lending.
    fn lent(&self, protocol: &str, who: &str) -> Vec<(String, u128, String)> {
        let row = |row: &Json| {
            let text = |member| row.text_at(member).unwrap().to_owned();
            (text("name"), text("amountRaw").parse().unwrap(), text("side"))
        };
        let mut rows: Vec<_> = self.items(&format!("{protocol}/lending/{{}}/positions"), who).iter().map(row).collect();
        rows.sort();
        rows
    }

    /// The health factors of an account's debts.
    fn health(&self, protocol: &str, who: &str) -> Vec<String> {
        let positions = self.items(&format!("{protocol}/borrowing/{{}}/positions"), who);
        positions.iter().map(|one| one.at("health/factor").unwrap().to_string()).collect()
    }

    fn held(&self, who: &str) -> u128 {
        let usdc = self.chain.expected["assets"]["usdc"].as_str().unwrap();
        self.chain.token_balance(usdc, self.account(who)).unwrap().parse().unwrap()
    }

    /// What a call in the snapshot's second changes of the account's USDC.
    fn changes(&self, who: &str, to: &str, call: &impl SolCall) -> u128 {
        let before = self.held(who);
        let data = Bytes::from(call.abi_encode()).to_string();
        self.chain.send_as(self.account(who), to, &data, self.chain.block_timestamp).unwrap();
        before.abs_diff(self.held(who))
    }
}

fn row(name: &str, amount: u128, side: &str) -> (String, u128, String) {
    (name.to_owned(), amount, side.to_owned())
}

#[test]
fn accounts_of_euler_are_told_with_their_sub_accounts() {
    let fixture = fixture();
    assert_eq!(fixture.lent("euler", "farmer"), [row("Euler USDC", fixture.lent_dollars(), "supply")]);
    // A millionth of a millionth of a WETH on the main account; the rest on the first sub-account.
    let expected = [
        row("Euler USDC debt", fixture.debt(), "borrow"),
        row("Euler WETH", 1_000_000, "supply"),
        row("Euler WETH", 2 * ONE, "supply"),
    ];
    assert_eq!(fixture.lent("euler", "odd"), expected);
    assert_eq!(fixture.lent("euler", "nothing"), []);
    // Two at 2,000 are 4,000, of which 80 % are 3,200.
    let factor = 3_200 * USDC * ONE / fixture.debt();
    let shown = format!("{}.{:018}", factor / ONE, factor % ONE);
    let [found] = &fixture.health("euler", "odd")[..] else { panic!("one debt") };
    assert_eq!(found[..18], shown[..18]);
    assert_eq!(fixture.health("euler", "farmer"), Vec::<String>::new());
}

#[test]
fn shares_of_a_vault_of_euler_are_told_as_such_where_somebody_owes_to_it_and_nobody_verifies_it() {
    let strict = Fixture::with(&["strict"]).unwrap();
    // A thousand shares at first, of 6 decimals as the token.
    assert_eq!(strict.lent("euler", "farmer"), [row("Euler eVault", 1_000 * USDC, "supply")]);
    // Nobody owes ether.
    let told = strict.lent("euler", "odd");
    assert_eq!(told[1..], [row("Euler WETH", 1_000_000, "supply"), row("Euler WETH", 2 * ONE, "supply")]);
    let verifying = Fixture::with(&["strict", "verifying"]).unwrap();
    assert_eq!(verifying.lent("euler", "farmer"), [row("Euler USDC", verifying.lent_dollars(), "supply")]);
}

#[test]
fn positions_in_fluid_are_told_as_its_resolvers_lay_them_out() {
    let fixture = fixture();
    // 5 % more than the shares, rounded down.
    let lent = (100 * USDC + 1) * 105 / 100;
    let farmer = fixture.lent("fluid-lending", "farmer");
    assert!(farmer.contains(&row("Fluid fUSDC", lent, "supply")), "{farmer:?}");
    assert!(farmer.contains(&row("Fluid USDC debt", 1_000 * USDC, "borrow")), "{farmer:?}");
    assert!(farmer.iter().any(|row| row.1 == ONE && row.2 == "supply") && farmer.len() == 3, "{farmer:?}");
    // A hundred shares of 2 and 3; ten of 5 and 7.
    let expected = [
        row("Fluid USDC", 200, "supply"),
        row("Fluid USDC debt", 50, "borrow"),
        row("Fluid WETH", 300, "supply"),
        row("Fluid WETH debt", 70, "borrow"),
    ];
    assert_eq!(fixture.lent("fluid-lending", "odd"), expected);
    assert_eq!(fixture.lent("fluid-lending", "nothing"), []);
    // 2,000 by 85 % over 1,000, and a hundred by 90 % over ten.
    assert_eq!(fixture.health("fluid-lending", "farmer"), ["1.7"]);
    assert_eq!(fixture.health("fluid-lending", "odd"), ["9"]);
}

#[test]
fn what_leaves_is_exactly_what_was_told() {
    // The other tests read a chain on which nothing happens.
    let fixture = Fixture::start().unwrap();
    let (farmer, odd) = (fixture.address("farmer"), fixture.address("odd"));
    let mut first = odd;
    first.0[19] ^= 1;
    let vault = fixture.contract("euler", "dollars");
    assert_eq!(fixture.changes("odd", vault, &repayCall { account: first }), fixture.debt());
    let redeem = |shares: u128| redeemCall { shares: U256::from(shares), receiver: farmer, owner: farmer };
    assert_eq!(fixture.changes("farmer", vault, &redeem(1_000 * USDC)), fixture.lent_dollars());
    let token = fixture.contract("fluid", "token");
    assert_eq!(fixture.changes("farmer", token, &redeem(100 * USDC + 1)), (100 * USDC + 1) * 105 / 100);
}
