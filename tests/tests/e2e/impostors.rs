//! Tokens that anyone may have made: what they claim to be made of gives no price, what they are called deceives nobody,
//! and without decimals nobody knows an amount of them.

use std::io::Write as _;
use std::sync::Arc;

use alloy::primitives::{Address, U256, address};
use alloy::sol_types::SolValue;
use alloy::{hex, sol};
use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::bytecode::{answering, mine};
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::token_list::token_list;
use portolan_tests::world::Shared;
use portolan_tests::{build, wait};
use serde_json::json;
use tempfile::NamedTempFile;

sol! {
    function name() external view returns (string);
    function symbol() external view returns (string);
    function decimals() external view returns (uint8);
    function totalSupply() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function factory() external view returns (address);
    function asset() external view returns (address);
    function convertToAssets(uint256) external view returns (uint256);
    function previewRedeem(uint256) external view returns (uint256);
    function UNDERLYING_ASSET_ADDRESS() external view returns (address);
    function RESERVE_TREASURY_ADDRESS() external view returns (address);
    function POOL() external view returns (address);
    function underlying() external view returns (address);
    function exchangeRateStored() external view returns (uint256);
    function comptroller() external view returns (address);
    function getPair(address, address) external view returns (address);
    function markets(address) external view returns (bool);
    function stakingToken() external view returns (address);
    function rewardsToken() external view returns (address);
    function earned(address) external view returns (uint256);
}

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const QUICK: Address = address!("b5c064f955d8e7f38fe0460c556a72987494ee17");
const USDC: Address = address!("2791bca1f2de4661ed88a30c99a7a9449aa84174");
/// Confirms whatever it is read about.
const ACCOMPLICE: Address = address!("00000000000000000000000000000000acc0111c");
const OWED: u64 = 1234;

/// A function's selector and its encoded reply.
macro_rules! returns {
    ($call:ident, $value:expr) => {
        (<$call as alloy::sol_types::SolCall>::SELECTOR, $value.abi_encode())
    };
}

type Answers = Vec<([u8; 4], Vec<u8>)>;

fn e18(whole: u64) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(18))
}

fn token(name: &str, symbol: &str, more: Answers) -> Answers {
    let mut answers = vec![
        returns!(nameCall, name.to_owned()),
        returns!(symbolCall, symbol.to_owned()),
        returns!(totalSupplyCall, e18(1_000_000)),
    ];
    answers.extend(more);
    answers
}

/// Each token that owes its dollars to its own word alone.
fn impostors() -> [(&'static str, Answers); 4] {
    let million = e18(1_000_000);
    [
        (
            "a receipt",
            vec![
                returns!(UNDERLYING_ASSET_ADDRESSCall, QUICK),
                returns!(RESERVE_TREASURY_ADDRESSCall, ACCOMPLICE),
                returns!(POOLCall, ACCOMPLICE),
            ],
        ),
        (
            "a vault",
            vec![
                returns!(assetCall, QUICK),
                returns!(convertToAssetsCall, million),
                returns!(previewRedeemCall, million),
            ],
        ),
        (
            "a market",
            vec![
                returns!(underlyingCall, QUICK),
                returns!(exchangeRateStoredCall, million),
                returns!(comptrollerCall, ACCOMPLICE),
            ],
        ),
        (
            "a pair",
            vec![
                returns!(token0Call, QUICK),
                returns!(token1Call, USDC),
                (<getReservesCall as alloy::sol_types::SolCall>::SELECTOR, (million, million, U256::ONE).abi_encode()),
                returns!(factoryCall, ACCOMPLICE),
            ],
        ),
    ]
}

/// The addresses of a token and of the farm that owes it.
fn places(number: usize) -> (Address, Address) {
    let at = |kind: u8| Address::left_padding_from(&[0xfa, kind, u8::try_from(number).unwrap()]);
    (at(0x70), at(0xfa))
}

/// Farms on Polygon that each owe the account 1,234 of one token, whole as those that have 18 decimals count.
struct Fixture {
    gateway: Gateway,
    _chain: Chain,
    _list: NamedTempFile,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("polygon")?;
        let mut tokens: Vec<Answers> = Vec::new();
        for (what, mut claim) in impostors() {
            claim.push(returns!(decimalsCall, U256::from(18)));
            tokens.push(token(what, "FAKE", claim));
        }
        tokens.push(token("No decimals", "NODEC", Vec::new()));
        let plain = vec![returns!(decimalsCall, U256::from(18))];
        tokens.push(token("<b>Quick</b>\u{202e}", "quick", plain.clone()));
        tokens.push(token("\u{5e9}\u{5e7}\u{5dc}\u{202e}", "\u{2069}\u{5e9}\u{5e7}\u{5dc}\n", plain));
        let put = |at: Address, answers: &Answers| chain.rpc("anvil_setCode", json!([at, answering(answers)]));
        let mut farms = Vec::new();
        for (number, answers) in tokens.iter().enumerate() {
            let (token, farm) = places(number);
            put(token, answers)?;
            let farm_answers = vec![
                returns!(stakingTokenCall, QUICK),
                returns!(rewardsTokenCall, token),
                returns!(earnedCall, e18(OWED)),
            ];
            put(farm, &farm_answers)?;
            farms.push(format!("{:?}", hex::encode_prefixed(farm)));
        }
        let (pair, _) = places(3);
        put(ACCOMPLICE, &vec![returns!(getPairCall, pair), returns!(marketsCall, true)])?;
        mine(&chain)?;
        let (without_decimals, _) = places(4);
        let mut list = NamedTempFile::with_suffix(".json")?;
        let quick = json!({"chainId": 137, "address": QUICK, "name": "Quickswap", "symbol": "QUICK", "decimals": 18});
        list.write_all(&serde_json::to_vec(&token_list("Known tokens", &[quick]))?)?;
        let config = format!(
            "[tokens]\nshipped = false\nlists = [{:?}]\n[prices.static]\npolygon.\"{QUICK:#x}\" = \"3000\"\npolygon.\"{USDC:#x}\" = \"1\"\n\
             polygon.\"{without_decimals:#x}\" = \"3000\"",
            list.path()
        );
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"polygon\"\nfarms = [{}]",
            farms.join(", ")
        );
        let gateway = Setup::default()
            .config(&config)
            .rpc("polygon", &chain.url)
            .plugin(&build::built()?.plugin("libquickswap.so"), &["quickswap"])
            .settings("quickswap", &settings)
            .start()?;
        Ok(Self { gateway, _chain: chain, _list: list })
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn claimables(fixture: &Fixture) -> Response {
    let path = format!("/quickswap/{ACCOUNT}/claimables?detail=full");
    wait::until("the settings", std::time::Duration::from_secs(30), || {
        let response = fixture.gateway.get(&path)?;
        anyhow::ensure!(response.status == 200, "{}", response.body);
        Ok(response)
    })
    .unwrap()
    .0
}

fn row(items: &[Json], token: Address) -> Option<&Json> {
    items.iter().find(|item| item.text_at("token/address").unwrap() == format!("{token:#x}"))
}

#[test]
fn a_token_is_worth_nothing_by_its_own_word() {
    let fixture = fixture();
    let full = claimables(&fixture).json().unwrap();
    let items = full.at("items").unwrap().items().unwrap();
    for (number, (what, _)) in impostors().into_iter().enumerate() {
        let row = row(items, places(number).0).unwrap_or_else(|| panic!("{what} is missing: {full}"));
        assert_eq!(row.number_at("amount").unwrap(), BigDecimal::from(OWED), "{what}");
        assert_eq!(row.number_at("dollarValue").unwrap(), BigDecimal::from(0), "{what}: {row}");
        assert_eq!(*row.at("priceSource").unwrap(), Json::Null, "{what}");
    }
}

#[test]
fn an_amount_of_a_token_without_decimals_is_missing_with_its_reason() {
    let fixture = fixture();
    let response = claimables(&fixture);
    let full = response.json().unwrap();
    let (token, _) = places(4);
    assert!(row(full.at("items").unwrap().items().unwrap(), token).is_none(), "{full}");
    assert_eq!(response.header("portolan-partial"), Some("quickswap/polygon;reason=upstream"));
    let detail = full.text_at("report/jobs/0/detail").unwrap();
    assert!(
        detail.contains(&format!("token {token:#x}: nobody knows its decimals (the contract returned none, ")),
        "{detail}"
    );
}

#[test]
fn a_token_that_bears_the_symbol_of_a_listed_one_is_marked() {
    let fixture = fixture();
    let full = claimables(&fixture).json().unwrap();
    let items = full.at("items").unwrap().items().unwrap();
    let listing = |token| {
        let token = row(items, token).unwrap().at("token").unwrap();
        ["listed", "lookalike"].map(|member| *token.at(member).unwrap() == Json::Bool(true))
    };
    assert_eq!(listing(places(5).0), [false, true], "it calls itself quick");
    assert_eq!(listing(places(0).0), [false, false], "it calls itself FAKE");
    let plain = fixture.gateway.get(&format!("/quickswap/{ACCOUNT}/claimables")).unwrap();
    assert!(!plain.body.contains("lookalike") && !plain.body.contains("\"listed\""), "{}", plain.body);
}

#[test]
fn no_text_of_a_token_turns_around_what_stands_beside_it() {
    let fixture = fixture();
    let response = claimables(&fixture);
    let full = response.json().unwrap();
    let items = full.at("items").unwrap().items().unwrap();
    let token = |number| row(items, places(number).0).unwrap().at("token").unwrap();
    assert_eq!(token(5).text_at("name").unwrap(), "<b>Quick</b>", "a client escapes what it shows");
    let isolated = "\u{2068}\u{5e9}\u{5e7}\u{5dc}\u{2069}";
    assert_eq!([token(6).text_at("name").unwrap(), token(6).text_at("symbol").unwrap()], [isolated; 2]);
    let turning = ['\u{202a}', '\u{202b}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}'];
    assert!(!response.body.contains(turning), "{}", response.body);
}

#[test]
fn no_answer_of_any_listener_is_taken_for_something_else() {
    let fixture = fixture();
    let answers = [
        fixture.gateway.get("/networks"),
        fixture.gateway.get("/nothing%E2%80%AE"),
        fixture.gateway.aggregate(&format!("/{ACCOUNT}")),
        fixture.gateway.operate("/plugins"),
        fixture.gateway.operate("/nothing"),
    ];
    for response in answers {
        let response = response.unwrap();
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{}", response.body);
    }
}
