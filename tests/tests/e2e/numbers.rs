//! Numbers of tokens that are easily wrong: the native token under a second address, tokens whose code becomes another,
//! decimals that only a list has, and receipts whose interest nobody has accrued. What is right follows from what the
//! contracts here return.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, U256, address};
use alloy::sol;
use alloy::sol_types::{SolCall, SolValue};
use anyhow::{Result, ensure};
use bigdecimal::BigDecimal;
use portolan_tests::bytecode::{answering, mine};
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::token_list::token_list;
use portolan_tests::wait;
use portolan_tests::world::Shared;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

sol! {
    function name() external view returns (string);
    function symbol() external view returns (string);
    function decimals() external view returns (uint8);
    function totalSupply() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function underlying() external view returns (address);
    function comptroller() external view returns (address);
    function markets(address) external view returns (bool);
    function exchangeRateStored() external view returns (uint256);
    function exchangeRateCurrent() external returns (uint256);
}

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// <https://github.com/0xPolygon/pos-contracts/blob/main/contracts/child/MRC20.sol>
const SECOND_ADDRESS: Address = address!("0000000000000000000000000000000000001010");
/// The address by which a contract names the native token if it has no other name for it.
const PLACEHOLDER: Address = address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
const PLAIN: Address = address!("00000000000000000000000000000000000f0001");
const RENAMED: Address = address!("00000000000000000000000000000000000f0002");
const SILENT: Address = address!("00000000000000000000000000000000000f0003");
const RECEIPT: Address = address!("00000000000000000000000000000000000f0004");
const COMPTROLLER: Address = address!("00000000000000000000000000000000000f0005");
/// The gateway looks for a new block every few seconds.
const NEW_BLOCK_WITHIN: Duration = Duration::from_secs(30);
const HELD: u64 = 2942;
const NATIVE_WEI: u64 = 7_000_000_000_000_000_000;

type Answers = Vec<([u8; 4], Vec<u8>)>;

/// Returns a function's selector and its encoded reply.
fn returns<C: SolCall>(value: &impl SolValue) -> ([u8; 4], Vec<u8>) {
    (C::SELECTOR, value.abi_encode())
}

/// Everybody holds the same of it.
fn token(symbol: &str, held: u64, more: Answers) -> Answers {
    let mut answers = vec![
        returns::<nameCall>(&format!("{symbol} token")),
        returns::<symbolCall>(&symbol.to_owned()),
        returns::<totalSupplyCall>(&U256::from(u64::MAX)),
        returns::<balanceOfCall>(&U256::from(held)),
    ];
    answers.extend(more);
    answers
}

fn with_decimals(decimals: u64) -> Answers {
    vec![returns::<decimalsCall>(&U256::from(decimals))]
}

/// One whole receipt of eight decimals is 0.02 of a token of none by the rate that is stored, and 0.03 with its interest.
fn receipt() -> Answers {
    let rate = |hundredths: u64| U256::from(hundredths) * U256::from(10).pow(U256::from(8));
    let mut answers = with_decimals(8);
    answers.extend([
        returns::<underlyingCall>(&PLAIN),
        returns::<comptrollerCall>(&COMPTROLLER),
        returns::<exchangeRateStoredCall>(&rate(2)),
        returns::<exchangeRateCurrentCall>(&rate(3)),
    ]);
    answers
}

/// A gateway before a chain with these tokens, all of which a list names with 9 decimals.
struct Fixture {
    gateway: Gateway,
    chain: Chain,
    _list: NamedTempFile,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::bare(137)?;
        let tokens = [
            (SECOND_ADDRESS, token("POL", NATIVE_WEI, with_decimals(18))),
            (PLAIN, token("PLAIN", 3, with_decimals(0))),
            (RENAMED, token("OLD", HELD, with_decimals(3))),
            (SILENT, token("DGD", HELD, Vec::new())),
            (RECEIPT, token("cPLAIN", 500_000_000, receipt())),
            (COMPTROLLER, vec![returns::<marketsCall>(&true)]),
        ];
        for (at, answers) in &tokens {
            chain.rpc("anvil_setCode", json!([at, answering(answers)]))?;
        }
        chain.rpc("anvil_setBalance", json!([ACCOUNT, format!("{NATIVE_WEI:#x}")]))?;
        mine(&chain)?;
        let listed =
            |at: Address| json!({"chainId": 137, "address": at, "name": "Listed", "symbol": "LST", "decimals": 9});
        let listed: Vec<Value> =
            [SECOND_ADDRESS, PLACEHOLDER, Address::ZERO, PLAIN, RENAMED, SILENT, RECEIPT].map(listed).to_vec();
        let mut list = NamedTempFile::with_suffix(".json")?;
        list.write_all(&serde_json::to_vec(&token_list("Own", &listed))?)?;
        let config = format!(
            "[tokens]\nshipped = false\nlists = [{:?}]\n[prices.issuers]\npolygon = [\"{COMPTROLLER:#x}\"]\n\
             [prices.static]\npolygon.\"{PLAIN:#x}\" = \"10\"\npolygon.\"{SECOND_ADDRESS:#x}\" = \"0.5\"",
            list.path()
        );
        let gateway = Setup::default().config(&config).rpc("polygon", &chain.url).start()?;
        Ok(Self { gateway, chain, _list: list })
    }

    fn get(&self, path: &str) -> Json {
        let response = self.gateway.get(path).unwrap();
        assert_eq!(response.status, 200, "{}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
        response.json().unwrap()
    }

    fn balances(&self) -> Json {
        self.get(&format!("/balance/{ACCOUNT}/token-balances?network=polygon&detail=full"))
    }

    /// Waits until answers are at the chain's newest block, or a later one.
    fn wait_for_block(&self) {
        let newest = self.chain.newest().unwrap();
        wait::until("the new block", NEW_BLOCK_WITHIN, || {
            let answered: u64 = self.balances().at("report/blocks/polygon/number")?.to_string().parse()?;
            ensure!(answered >= newest, "{answered} instead of {newest}");
            Ok(())
        })
        .unwrap();
    }

    fn row(&self, of: Address) -> Json {
        let balances = self.balances();
        let rows = balances.at("items").unwrap().items().unwrap();
        let is_of = |row: &&Json| row.text_at("token/address").unwrap() == format!("{of:#x}");
        rows.iter().find(is_of).unwrap_or_else(|| panic!("no {of}: {balances}")).clone()
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn decimal(text: &str) -> BigDecimal {
    text.parse().unwrap()
}

#[test]
fn the_native_token_is_counted_once_and_by_its_name_of_today() {
    let fixture = fixture();
    let balances = fixture.balances();
    let rows = balances.at("items").unwrap().items().unwrap();
    let addresses: Vec<&str> = rows.iter().map(|row| row.text_at("token/address").unwrap()).collect();
    let tokens = [PLAIN, RENAMED, SILENT, RECEIPT].map(|token| format!("{token:#x}"));
    assert_eq!(addresses, tokens.each_ref().map(String::as_str));
    let lists = fixture.gateway.operate("/lists").unwrap().json().unwrap();
    assert_eq!(lists.at("0/tokens").unwrap().to_string(), "4", "{lists}");

    let native = fixture.get(&format!("/{ACCOUNT}/native-balance?network=polygon"));
    assert_eq!(native.text_at("token/symbol").unwrap(), "POL");
    assert_eq!(native.text_at("token/address").unwrap(), "0x0");
    assert_eq!(native.number_at("amount").unwrap(), decimal("7"));
    assert_eq!(native.number_at("dollarValue").unwrap(), decimal("3.5"), "its price is named by the second address");
}

#[test]
fn a_token_with_other_code_since_has_its_new_words_and_decimals_at_once() {
    let fixture = fixture();
    let shown = || {
        let row = fixture.row(RENAMED);
        let texts = ["token/symbol", "token/name"].map(|member| row.text_at(member).unwrap().to_owned());
        (texts, row.number_at("amount").unwrap())
    };
    assert_eq!(shown(), (["OLD", "OLD token"].map(str::to_owned), decimal("2.942")));
    for (symbol, decimals, amount) in [("NEW", 1, "294.2"), ("NEWER", 1, "294.2"), ("NEWER", 2, "29.42")] {
        let code = answering(&token(symbol, HELD, with_decimals(decimals)));
        fixture.chain.rpc("anvil_setCode", json!([RENAMED, code])).unwrap();
        mine(&fixture.chain).unwrap();
        fixture.wait_for_block();
        assert_eq!(shown(), ([symbol.to_owned(), format!("{symbol} token")], decimal(amount)));
    }
}

#[test]
fn a_list_has_the_decimals_of_a_token_that_does_not_say_them() {
    let fixture = fixture();
    let silent = fixture.row(SILENT);
    assert_eq!(silent.number_at("amount").unwrap(), decimal("0.000002942"));
    assert_eq!(silent.text_at("token/symbol").unwrap(), "DGD", "its own word counts where it has one");
    assert_eq!(silent.text_at("token/decimalsSource").unwrap(), "list");
    let plain = fixture.row(PLAIN);
    assert_eq!(plain.number_at("amount").unwrap(), decimal("3"), "the list says 9");
    assert!(plain.at("token/decimalsSource").is_err(), "{plain}");
}

#[test]
fn a_receipt_is_worth_what_it_redeems_to_at_the_block() {
    let receipt = fixture().row(RECEIPT);
    // Five whole ones, each of 0.03 of a token at ten dollars.
    assert_eq!(receipt.number_at("amount").unwrap(), decimal("5"));
    assert_eq!(receipt.text_at("priceSource").unwrap(), "derived:compound");
    assert_eq!(receipt.number_at("dollarValue").unwrap(), decimal("1.5"));
}
