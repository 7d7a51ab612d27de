//! Shares whose composition plugins report: what they are worth, and what a plugin that lies about them costs.

use std::sync::Arc;

use anyhow::Result;
use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode};
use portolan_tests::build;
use portolan_tests::bytecode::{answering, mine};
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::world::Shared;
use serde_json::json;

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const HOSTILE: &str = "libportolan_hostile.so";
const QUICK: &str = "0xb5c064f955d8e7f38fe0460c556a72987494ee17";
const DQUICK: &str = "0x958d208cdf087843e9ad98d23823d32e17d723a1";
const USDC: &str = "0x2791bca1f2de4661ed88a30c99a7a9449aa84174";
const QUICK_USD: &str = "0.0231";
/// Tokens that protocols of shares owe and that have a name in the hostile plugin alone.
const OWED_IN: [&str; 3] = [
    "0x00000000000000000000000000000000000bad01",
    "0x00000000000000000000000000000000000bad02",
    "0x00000000000000000000000000000000000bad04",
];
/// `decimals()`.
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
/// The amount that each protocol of shares owes: smallest units of a token of 18 decimals.
const OWED: &str = "5000000000000000007";

struct Fixture {
    gateway: Gateway,
    chain: Chain,
}

impl Fixture {
    /// Nobody states a price but that of QUICK.
    fn start() -> Result<Self> {
        let (chain, built) = (Chain::start("polygon")?, build::built()?);
        for token in OWED_IN {
            let decimals = [[0; 31].as_slice(), &[18]].concat();
            chain.rpc("anvil_setCode", json!([token, answering(&[(DECIMALS, decimals)])]))?;
        }
        mine(&chain)?;
        let gateway = Setup::default()
            .config(&format!("[prices.static]\npolygon.\"{QUICK}\" = \"{QUICK_USD}\""))
            .rpc("polygon", &chain.url)
            .plugin(&built.plugin("libquickswap.so"), &["quickswap"])
            .plugin(&built.plugin(HOSTILE), &["steady"])
            .start()?;
        Ok(Self { gateway, chain })
    }

    fn word(&self, to: &str, data: &str) -> BigDecimal {
        let word = self.chain.rpc("eth_call", json!([{"to": to, "data": data}, "latest"])).unwrap();
        let digits = word.as_str().and_then(|word| word.strip_prefix("0x")).unwrap();
        BigDecimal::from(BigInt::parse_bytes(digits.as_bytes(), 16).unwrap())
    }

    /// Dollars for so many smallest units of dQUICK: their part of the QUICK that the lair holds.
    fn dquick_usd(&self, raw: &str) -> BigDecimal {
        let held: BigDecimal = self.chain.token_balance(QUICK, DQUICK).unwrap().parse().unwrap();
        let supply = self.word(DQUICK, "0x18160ddd");
        let raw: BigDecimal = raw.parse().unwrap();
        let quick = raw * held / BigDecimal::new(1.into(), -18) / supply;
        rounded(quick * QUICK_USD.parse::<BigDecimal>().unwrap())
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// As answers show dollars.
fn rounded(usd: BigDecimal) -> BigDecimal {
    usd.with_precision_round(18.try_into().unwrap(), RoundingMode::HalfEven)
}

fn claimables(gateway: &Gateway, slug: &str) -> Response {
    let response = gateway.get(&format!("/{slug}/{ACCOUNT}/claimables?detail=full")).unwrap();
    assert_eq!(response.status, 200, "{slug}: {}", response.body);
    response
}

fn only_item(response: &Response) -> Json {
    let json = response.json().unwrap();
    let items = json.at("items").unwrap().items().unwrap();
    assert_eq!(items.len(), 1, "{json}");
    items[0].clone()
}

#[test]
fn a_share_is_worth_what_it_redeems_to() {
    let fixture = fixture();
    let response = claimables(&fixture.gateway, "shares_reported_again");
    let item = only_item(&response);
    assert_eq!(item.text_at("amountRaw").unwrap(), OWED);
    assert_eq!(item.text_at("token/address").unwrap(), DQUICK);
    assert_eq!(item.text_at("token/type").unwrap(), "SHARE");
    assert_eq!(item.text_at("priceSource").unwrap(), "derived:composition");
    // The protocol that owes them reports another composition, behind `quickswap` in the order of slugs.
    let expected = fixture.dquick_usd(OWED);
    assert!(expected > 0);
    assert_eq!(item.number_at("dollarValue").unwrap(), expected);
    assert_eq!(response.header("portolan-partial"), None);
}

#[test]
fn a_share_names_the_tokens_that_it_redeems_to() {
    let fixture = fixture();
    let path = format!("/claimables/{ACCOUNT}?include=shares_reported_again");
    let items = fixture.gateway.get(&path).unwrap().json().unwrap();
    let token = items.items().unwrap()[0].at("token").unwrap();
    assert_eq!(token.at("underlyingTokens").unwrap(), &Json::Array(vec![Json::text(QUICK)]), "{token}");
}

#[test]
fn a_ring_of_shares_has_no_price() {
    let fixture = fixture();
    let response = claimables(&fixture.gateway, "shares_in_a_ring");
    let item = only_item(&response);
    assert_eq!(item.number_at("dollarValue").unwrap(), BigDecimal::from(0));
    assert_eq!(item.text_at("token/type").unwrap(), "HOSTILE");
    assert_eq!(response.header("portolan-partial"), None);
}

/// The row is served without a price, and the answer names whose fault that is.
fn assert_unpriced(slug: &str, reason: &str, detail: &str) {
    let fixture = fixture();
    let response = claimables(&fixture.gateway, slug);
    let item = only_item(&response);
    assert_eq!(item.number_at("dollarValue").unwrap(), BigDecimal::from(0), "{slug}");
    assert_eq!(item.text_at("token/type").unwrap(), "SINGLE", "{slug}");
    let expected = format!("{slug}/polygon;reason={reason}");
    assert_eq!(response.header("portolan-partial"), Some(expected.as_str()), "{slug}");
    let report = response.json().unwrap();
    let job = &report.at("report/jobs").unwrap().items().unwrap()[0];
    assert_eq!((job.text_at("protocol").unwrap(), job.text_at("status").unwrap()), (slug, "partial"), "{job}");
    assert!(job.text_at("detail").unwrap().contains(detail), "{job}");

    let path = format!("/claimables/{ACCOUNT}?include=shares_reported_again,{slug}&detail=full");
    let both = fixture.gateway.get(&path).unwrap().json().unwrap();
    let items = both.at("items").unwrap().items().unwrap();
    let dquick = items.iter().find(|item| item.text_at("token/address").unwrap() == DQUICK).unwrap();
    assert_eq!(dquick.number_at("dollarValue").unwrap(), fixture.dquick_usd(OWED), "{slug} costs others their price");
}

#[test]
fn shares_without_a_supply_are_refused() {
    assert_unpriced("shares_of_nothing", "invalid-reply", "its supply is zero");
}

#[test]
fn shares_that_no_question_was_about_are_refused() {
    assert_unpriced("shares_of_others", "invalid-output", "it is about a token that was not requested");
}

#[test]
fn a_plugin_that_panics_about_a_token_is_reported() {
    assert_unpriced("shares_that_panic", "crashed", "panics about a token");
}

#[test]
fn a_plugin_that_does_not_announce_the_question_does_not_get_it() {
    let fixture = fixture();
    let built = Dylib::read(&build::built().unwrap().plugin(HOSTILE)).unwrap();
    let earlier = built.exchanged("\"capabilities\":239", "\"capabilities\":235").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(HOSTILE);
    let served = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let gateway = Setup::default()
            .config(&format!("[prices.static]\npolygon.\"{USDC}\" = \"2\""))
            .rpc("polygon", &fixture.chain.url)
            .plugin(&file, &["steady"])
            .start()
            .unwrap();
        let response = claimables(&gateway, "shares_reported_again");
        assert_eq!(response.header("portolan-partial"), None);
        only_item(&response).number_at("dollarValue").unwrap()
    };
    // As many smallest units of USDC, which has 6 decimals, at 2 dollars.
    let usd = OWED.parse::<BigDecimal>().unwrap() * BigDecimal::from(2) / BigDecimal::new(1.into(), -6);
    assert_eq!(served(built.bytes()), rounded(usd));
    assert_eq!(served(&earlier), BigDecimal::from(0));
}
