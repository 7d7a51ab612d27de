//! The sums of a portfolio and of a plan count what claims paid when they were tried.
//!
//! Farms on a chain of their own, each of which says that it owes the account ten tokens at a dollar each.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;
use serde_json::json;

const ACCOUNT: &str = "0x00000000000000000000000000000000000acc08";
/// Ten of a token of 18 decimals.
const TEN: u128 = 10_000_000_000_000_000_000;
const CHAIN_ID: u64 = 137;

/// The deeds of a farm, by its number in the contract.
const PAYS: u8 = 0;
const PAYS_NOTHING: u8 = 1;
const FAILS: u8 = 2;
/// It changes an approval besides, so that its claim is refused.
const APPROVES: u8 = 3;

/// Ten, and ten less the twentieth that the taxed token keeps; nothing of the farms that pay nothing, fail or approve.
const PAID: &str = "19.5";
/// Ten of each farm.
const SAID: &str = "50";
const FARMS: usize = 5;

struct Fixture {
    chain: Chain,
    farms: Vec<String>,
    prices: String,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn word(text: &str) -> String {
    format!("{:0>64}", text.trim_start_matches("0x"))
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::bare(CHAIN_ID)?;
        let name = format!("{:064x}{:0<64}", 3, "525744");
        let reward = chain.deploy("TokenDouble", &format!("{:064x}{:064x}{:064x}{name}{name}", 96, 160, 18))?;
        let taxed = chain.deploy("TaxedTokenDouble", "")?;
        let farm = |reward: &str, deed: u8| -> Result<String> {
            let farm = chain.deploy("FarmDouble", &format!("{}{}{deed:064x}{TEN:064x}", word(reward), word(reward)))?;
            let mint = format!("0x40c10f19{}{TEN:064x}", word(&farm));
            chain.send(&json!({"from": ACCOUNT, "to": reward, "data": mint}))?;
            Ok(farm)
        };
        let mut farms: Vec<String> =
            [PAYS, PAYS_NOTHING, FAILS, APPROVES].map(|deed| farm(&reward, deed)).into_iter().collect::<Result<_>>()?;
        farms.push(farm(&taxed, PAYS)?);
        chain.settle()?;
        let prices = format!("[prices.static]\npolygon.\"{reward}\" = \"1\"\npolygon.\"{taxed}\" = \"1\"\n");
        Ok(Self { chain, farms, prices })
    }

    fn serve(&self, config: &str) -> Gateway {
        let farms = self.farms.iter().fold(String::new(), |mut list, farm| {
            let _ = write!(list, "\"{farm}\", ");
            list
        });
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"polygon\"\nmarket = \"farms\"\nfarms = [{farms}]\n"
        );
        let setup = Setup::default().rpc("polygon", &self.chain.url).config(&format!("{}{config}", self.prices));
        let dylib = build::built().unwrap().plugin("libquickswap.so");
        setup.settings("quickswap", &settings).plugin(&dylib, &["quickswap"]).start().unwrap()
    }
}

fn get(gateway: &Gateway, path: &str) -> Json {
    let response = gateway.get(path).unwrap();
    assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{}", response.body);
    response.json().unwrap()
}

fn positions(gateway: &Gateway, search: &str) -> Json {
    get(gateway, &format!("/positions/{ACCOUNT}?{search}"))
}

/// Dollars that claims pay, and how many claims were not tried.
fn claimable(answer: &Json) -> (BigDecimal, usize) {
    let number = |name: &str| answer.number_at(&format!("totals/{name}")).unwrap().normalized();
    let own = answer.at("protocols").unwrap().items().unwrap();
    assert!(own.len() <= 1 && own.iter().all(|own| own.at("totals").unwrap() == answer.at("totals").unwrap()));
    (number("claimable"), number("untried").to_string().parse().unwrap())
}

fn dollars(text: &str) -> BigDecimal {
    text.parse::<BigDecimal>().unwrap().normalized()
}

#[test]
fn a_portfolio_counts_what_claims_paid_when_they_were_tried() {
    let fixture = fixture();
    let gateway = fixture.serve("");
    for search in ["", "simulate=true", "network=polygon", "worth=true"] {
        assert_eq!(claimable(&positions(&gateway, search)), (dollars(PAID), 0), "{search}");
    }
    let full = positions(&gateway, "detail=full");
    let claims = full.at("report/claims").unwrap();
    assert_eq!((claims.at("tried").unwrap(), claims.at("untried").unwrap()), (&Json::number(FARMS), &Json::number(0)));
    assert_eq!(claims.text_at("detail").unwrap(), "claimable is what the claims paid when they were tried");
}

#[test]
fn what_was_not_tried_counts_by_the_contracts_word_and_is_told() {
    let fixture = fixture();
    let (always, asked) = (fixture.serve(""), fixture.serve("[claims]\nsimulate = \"asked\"\n"));
    for (gateway, search) in [(&always, "simulate=false"), (&asked, "")] {
        assert_eq!(claimable(&positions(gateway, search)), (dollars(SAID), FARMS), "{search}");
        let full = positions(gateway, &format!("{search}&detail=full"));
        let claims = full.at("report/claims").unwrap();
        assert_eq!(claims.at("untried").unwrap(), &Json::number(FARMS));
        assert_eq!(claims.text_at("detail").unwrap(), "claimable is what the contracts report: no claim was tried");
    }
    assert_eq!(claimable(&positions(&asked, "simulate=true")), (dollars(PAID), 0));
    let without = positions(&always, "kind=staked");
    assert_eq!(
        (without.at("totals/claimable").unwrap(), without.at("totals/untried").unwrap()),
        (&Json::Null, &Json::Null)
    );
}

#[test]
fn a_plan_is_worth_what_it_paid_when_it_was_tried() {
    let fixture = fixture();
    let gateway = fixture.serve("");
    let plan = get(&gateway, &format!("/{ACCOUNT}/claim-plan?network=polygon"));
    assert_eq!(plan.number_at("dollarValue").unwrap().normalized(), dollars(PAID), "{plan}");
}

#[test]
fn worth_leaves_out_what_pays_nothing() {
    let fixture = fixture();
    let gateway = fixture.serve("");
    let rows = |search: &str| {
        let rows = get(&gateway, &format!("/quickswap/{ACCOUNT}/claimables?{search}"));
        rows.items().unwrap().iter().map(|row| row.text_at("simulated").unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut all = rows("");
    all.sort();
    assert_eq!(all, ["differs", "differs", "paid", "refused", "reverted"]);
    let mut worth = rows("worth=true");
    worth.sort();
    assert_eq!(worth, ["differs", "paid"]);
}
