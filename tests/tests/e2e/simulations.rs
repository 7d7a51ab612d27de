//! The gateway's reports of claims that do other than they say, and the cost of these reports.
//!
//! Farms on a chain of their own: every account has earned ten of the reward in each of them.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use portolan_tests::build;
use portolan_tests::chain::{Chain, quantity};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{BATCHES, Flaws, Overrides, RpcFault};
use portolan_tests::traffic::Traffic;
use portolan_tests::world::Shared;
use serde_json::json;

const ACCOUNT: &str = "0x00000000000000000000000000000000000acc07";
/// Ten of a token of 18 decimals.
pub(crate) const TEN: &str = "10000000000000000000";
const CHAIN_ID: u64 = 137;

/// The deed of a farm; its number in the contract.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
    Pay,
    PayNothing,
    Fail,
    Approve,
    Take,
    Shy,
    CallBack,
    /// It pays only those who have nothing yet.
    First,
}

const DEEDS: [Deed; 8] =
    [Deed::Pay, Deed::PayNothing, Deed::Fail, Deed::Approve, Deed::Take, Deed::Shy, Deed::CallBack, Deed::First];

pub(crate) struct Fixture {
    pub(crate) chain: Chain,
    rpc: RpcFault,
    pub(crate) reward: String,
    /// The token that the taking farm may take, for the account once allowed it.
    stake: String,
    /// By what they do.
    farms: Vec<String>,
    /// It pays the taxed token.
    pub(crate) taxed: String,
    /// It pays what the taking farm may take.
    staked: String,
    /// Fifty that pay.
    many: Vec<String>,
    /// Twenty that fail.
    failing: Vec<String>,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn word(text: &str) -> String {
    format!("{:0>64}", text.strip_prefix("0x").unwrap())
}

fn ten() -> String {
    format!("{:064x}", TEN.parse::<u128>().unwrap())
}

/// A token of 18 decimals whose name is its symbol.
fn token(chain: &Chain, symbol: &str) -> Result<String> {
    let text = format!(
        "{:064x}{:0<64}",
        symbol.len(),
        symbol.bytes().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    );
    chain.deploy("TokenDouble", &format!("{:064x}{:064x}{:064x}{text}{text}", 96, 160, 18))
}

fn mint(chain: &Chain, token: &str, to: &str) -> Result<()> {
    let data = format!("0x40c10f19{}{}", word(to), ten());
    chain.send(&json!({"from": ACCOUNT, "to": token, "data": data}))?;
    Ok(())
}

impl Fixture {
    pub(crate) fn start() -> Result<Self> {
        let chain = Chain::bare(CHAIN_ID)?;
        let (reward, stake) = (token(&chain, "RWD")?, token(&chain, "STK")?);
        let taxed = chain.deploy("TaxedTokenDouble", "")?;
        let farm = |reward: &str, deed: Deed| -> Result<String> {
            let arguments = format!("{}{}{:064x}{}", word(reward), word(&stake), deed as u8, ten());
            let farm = chain.deploy("FarmDouble", &arguments)?;
            mint(&chain, reward, &farm)?;
            Ok(farm)
        };
        let farms: Vec<String> = DEEDS.into_iter().map(|deed| farm(&reward, deed)).collect::<Result<_>>()?;
        let taxed = farm(&taxed, Deed::Pay)?;
        let staked = farm(&stake, Deed::Pay)?;
        let many = (0..50).map(|_| farm(&reward, Deed::Pay)).collect::<Result<_>>()?;
        let failing = (0..20).map(|_| farm(&reward, Deed::Fail)).collect::<Result<_>>()?;
        mint(&chain, &stake, ACCOUNT)?;
        // The account once let the taking farm spend its tokens.
        let approve = format!("0x095ea7b3{}{}", word(&farms[Deed::Take as usize]), ten());
        chain.send(&json!({"from": ACCOUNT, "to": stake, "data": approve}))?;
        chain.rpc("anvil_setBalance", json!([ACCOUNT, "0x0"]))?;
        chain.settle()?;
        let rpc = RpcFault::before(&chain.url)?;
        Ok(Self { chain, rpc, reward, stake, farms, taxed, staked, many, failing })
    }

    pub(crate) fn farm(&self, deed: Deed) -> &str {
        &self.farms[deed as usize]
    }

    /// Serves these farms alone.
    pub(crate) fn serve(&self, farms: &[&str], config: &str) -> Gateway {
        self.serve_at(farms, config, &self.rpc.url())
    }

    fn serve_at(&self, farms: &[&str], config: &str, url: &str) -> Gateway {
        let farms: Vec<String> = farms.iter().map(|farm| format!("\"{farm}\"")).collect();
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"polygon\"\nmarket = \"farms\"\nfarms = [{}]\n",
            farms.join(", ")
        );
        let dylib = build::built().unwrap().plugin("libquickswap.so");
        let setup = Setup::default().rpc("polygon", url).config(config).settings("quickswap", &settings);
        setup.plugin(&dylib, &["quickswap"]).start().unwrap()
    }
}

/// The only row of an answer about the account, with its simulation.
fn row(gateway: &Gateway, search: &str) -> Json {
    let rows = rows(gateway, search);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0].clone()
}

fn rows(gateway: &Gateway, search: &str) -> Vec<Json> {
    let response = gateway.get(&format!("/quickswap/{ACCOUNT}/claimables?{search}")).unwrap();
    assert_eq!(response.status.as_u16(), 200, "{}", response.body);
    assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
    response.json().unwrap().items().unwrap().to_vec()
}

fn told(row: &Json) -> Vec<String> {
    let Some(differs) = row.get("differs") else { return Vec::new() };
    differs.items().unwrap().iter().map(|text| text.to_string().trim_matches('"').to_owned()).collect()
}

/// Token and raw amount of what came, or went.
fn flows(row: &Json, which: &str) -> Vec<(String, String)> {
    let flows = row.at(&format!("simulation/{which}")).unwrap().items().unwrap().iter();
    let text = |flow: &Json, name: &str| flow.text_at(name).unwrap().to_owned();
    flows.map(|flow| (text(flow, "tokenAddress"), text(flow, "amountRaw"))).collect()
}

fn one(token: &str, amount: &str) -> Vec<(String, String)> {
    vec![(token.to_owned(), amount.to_owned())]
}

#[test]
fn a_claim_that_pays_what_it_says_is_paid() {
    let fixture = fixture();
    for deed in [Deed::Pay, Deed::CallBack] {
        let row = row(&fixture.serve(&[fixture.farm(deed)], ""), "simulate=true");
        assert_eq!(row.text_at("simulated").unwrap(), "paid", "{row}");
        assert_eq!((told(&row), flows(&row, "gives")), (vec![], vec![]));
        assert_eq!(flows(&row, "receives"), one(&fixture.reward, TEN));
        assert_eq!(row.text_at("simulation/method").unwrap(), "eth_simulateV1");
        assert_eq!(row.text_at("claimTransaction/to").unwrap(), fixture.farm(deed));
    }
}

#[test]
fn a_claim_that_pays_otherwise_says_so() {
    let fixture = fixture();
    let gateway = fixture.serve(&[fixture.farm(Deed::PayNothing)], "");
    let empty = row(&gateway, "simulate=true");
    assert_eq!(empty.text_at("simulated").unwrap(), "differs");
    let sentence = format!("It pays 0 of {}, not {TEN}.", fixture.reward);
    assert_eq!(told(&empty), [sentence.as_str()]);
    // Its author is told, too.
    let plugins = gateway.plugins().unwrap();
    let failures = plugins.iter().filter_map(|plugin| plugin.get("failures"));
    let [failure] = failures.flat_map(|failures| failures.items().unwrap()).collect::<Vec<_>>()[..] else {
        panic!("{plugins:?}");
    };
    assert_eq!((failure.text_at("protocol").unwrap(), failure.text_at("reason").unwrap()), ("quickswap", "differs"));
    let farm = fixture.farm(Deed::PayNothing).to_lowercase();
    let message = failure.text_at("message").unwrap();
    assert!(message.starts_with(&format!("claim of {farm} (")) && message.contains(&sentence), "{message}");
    let taxed = row(&fixture.serve(&[&fixture.taxed], ""), "simulate=true");
    assert_eq!(taxed.text_at("simulated").unwrap(), "differs");
    let token = taxed.text_at("token/address").unwrap();
    // A twentieth less.
    let less = "9500000000000000000";
    assert_eq!(told(&taxed), [format!("It pays {less} of {token}, not {TEN}.")]);
    assert_eq!(flows(&taxed, "receives"), one(token, less));
    assert_eq!(taxed.text_at("amountRaw").ok(), None, "that is a member of full detail");
}

#[test]
fn a_claim_that_takes_or_approves_is_refused() {
    let fixture = fixture();
    let taking = fixture.farm(Deed::Take);
    let answered = rows(&fixture.serve(&[taking, &fixture.many[0]], ""), "simulate=true");
    let verdicts: Vec<_> = answered.iter().map(|row| row.text_at("simulated").unwrap()).collect();
    assert_eq!(verdicts, ["paid", "refused"], "what is refused comes last");
    let refused = &answered[1];
    let less = TEN.parse::<u128>().unwrap() - 1;
    let allowance = format!("It changes the allowance of {taking} in {} from {TEN} to {less}.", fixture.stake);
    assert_eq!(told(refused), [format!("It takes 1 of {} from the account.", fixture.stake), allowance]);
    assert_eq!(flows(refused, "gives"), one(&fixture.stake, "1"));
    assert_eq!(refused.at("claimTransaction").unwrap(), &Json::Null, "nobody can sign it");
    let rpc = without_simulate_v1(&fixture);
    // There are no logs, and the token is watched because another claim pays it.
    let answered = rows(&fixture.serve_at(&[taking, &fixture.staked], "", &rpc.url()), "simulate=true");
    assert_eq!(answered[1].text_at("simulated").unwrap(), "refused");
    assert_eq!(answered[1].text_at("simulation/method").unwrap(), "override");

    let approving = fixture.farm(Deed::Approve);
    let refused = row(&fixture.serve(&[approving], ""), "");
    assert_eq!(refused.text_at("simulated").unwrap(), "refused");
    let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    assert_eq!(told(&refused), [format!("It changes the allowance of {approving} in {approving} from 0 to {most}.")]);
    assert_eq!(refused.at("claimTransaction").unwrap(), &Json::Null);
    assert_eq!(refused.get("simulation"), None, "nobody asked for it");
}

#[test]
fn a_claim_that_reverts_says_why_and_comes_last() {
    let fixture = fixture();
    let answered = rows(&fixture.serve(&[fixture.farm(Deed::Fail), fixture.farm(Deed::Pay)], ""), "simulate=true");
    let verdicts: Vec<_> = answered.iter().map(|row| row.text_at("simulated").unwrap()).collect();
    assert_eq!(verdicts, ["paid", "reverted"]);
    assert_eq!(told(&answered[1]), ["It reverts: revert: nothing is left."]);
    assert_eq!(answered[1].text_at("simulation/error").unwrap(), "revert: nothing is left");
}

#[test]
fn an_account_is_tried_as_it_is_where_contracts_are_not_welcome() {
    let fixture = fixture();
    let row = row(&fixture.serve(&[fixture.farm(Deed::Shy)], ""), "simulate=true");
    assert_eq!(row.text_at("simulated").unwrap(), "paid", "{row}");
    assert_eq!(row.text_at("simulation/method").unwrap(), "eth_simulateV1");
    assert_eq!(flows(&row, "receives"), one(&fixture.reward, TEN));
}

#[test]
fn all_claims_are_tried_in_one_request_unless_nobody_wants_it() {
    let fixture = fixture();
    let farms: Vec<&str> = fixture.many.iter().map(String::as_str).collect();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    let gateway = fixture.serve_at(&farms, "", &rpc.url());
    Traffic::take(&rpc).unwrap();
    let answered = rows(&gateway, "");
    assert_eq!(answered.len(), 50);
    assert!(answered.iter().all(|row| row.text_at("simulated").unwrap() == "paid"));
    assert_eq!(Traffic::take(&rpc).unwrap().simulations, 1, "fifty claims");
    let simulated = |gateway: &Gateway, search: &str| {
        fixture.chain.rpc("evm_mine", json!([])).unwrap();
        let rows = rows(gateway, search);
        (rows[0].get("simulated").cloned(), Traffic::take(&rpc).unwrap().simulations)
    };
    assert_eq!(simulated(&gateway, "simulate=false"), (Some(Json::Null), 0));
    let asked = fixture.serve_at(&farms, "[claims]\nsimulate = \"asked\"\n", &rpc.url());
    assert_eq!(simulated(&asked, ""), (Some(Json::Null), 0));
    // Once more with the gas limits that follow from the first time.
    assert_eq!(simulated(&asked, "simulate=true"), (Some(Json::text("paid")), 2));
}

/// Before the same chain, without `eth_simulateV1`.
fn without_simulate_v1(fixture: &Fixture) -> RpcFault {
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    rpc.flawed(Flaws { lacks: &["eth_simulateV1"], ..Flaws::default() });
    rpc
}

#[test]
fn claims_that_fail_in_numbers_cost_no_request_of_their_own() {
    let fixture = fixture();
    let farms: Vec<&str> = fixture.failing.iter().map(String::as_str).collect();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    let gateway = fixture.serve_at(&farms, "", &rpc.url());
    Traffic::take(&rpc).unwrap();
    let answered = rows(&gateway, "");
    assert!(answered.iter().all(|row| row.text_at("simulated").unwrap() == "reverted"), "{answered:?}");
    assert_eq!(Traffic::take(&rpc).unwrap().simulations, 1, "twenty claims");
}

#[test]
fn what_reverts_with_the_program_counts_where_a_call_reverts_too() {
    let fixture = fixture();
    let rpc = without_simulate_v1(&fixture);
    let gateway = fixture.serve_at(&[fixture.farm(Deed::Shy), fixture.farm(Deed::Fail)], "", &rpc.url());
    let answered = rows(&gateway, "simulate=true");
    let told: Vec<_> = answered
        .iter()
        .map(|row| (row.text_at("simulated").ok(), row.text_at("simulation/method").unwrap().to_owned()))
        .collect();
    // A contract that refuses accounts with code refuses the program, and not the account.
    assert_eq!(told, [(None, "eth_call".to_owned()), (Some("reverted"), "override".to_owned())]);
    let farms: Vec<&str> = fixture.failing.iter().map(String::as_str).collect();
    let gateway = fixture.serve_at(&farms, "", &rpc.url());
    let reverted = |search: &str| {
        rows(&gateway, search)
            .iter()
            .filter(|row| row.text_at("simulated").is_ok_and(|word| word == "reverted"))
            .count()
    };
    assert_eq!(reverted(""), 8, "further ones are not tried again");
    fixture.chain.rpc("evm_mine", json!([])).unwrap();
    assert_eq!(reverted("simulate=true"), 20);
}

#[test]
fn an_account_with_code_is_tried_with_its_code_or_not_at_all() {
    // A chain of its own, on which the account becomes a contract that takes nothing.
    let fixture = Fixture::start().unwrap();
    fixture.chain.rpc("anvil_setCode", json!([ACCOUNT, "0x60006000fd"])).unwrap();
    fixture.chain.settle().unwrap();
    let farms = [fixture.farm(Deed::Pay), fixture.farm(Deed::CallBack), fixture.farm(Deed::Shy)];
    let verdicts = |url: &str| -> Vec<(Option<String>, String)> {
        let rows = rows(&fixture.serve_at(&farms, "", url), "simulate=true");
        let own = |row: &Json| {
            let to = row.text_at("claimTransaction/to").unwrap().to_owned();
            let place = farms.iter().position(|farm| *farm == to).unwrap();
            (
                place,
                row.text_at("simulated").ok().map(str::to_owned),
                row.text_at("simulation/method").unwrap().to_owned(),
            )
        };
        let mut rows: Vec<_> = rows.iter().map(own).collect();
        rows.sort_unstable();
        rows.into_iter().map(|(_, verdict, method)| (verdict, method)).collect()
    };
    let by = |method: &str, words: [Option<&str>; 3]| words.map(|word| (word.map(str::to_owned), method.to_owned()));
    let told = verdicts(&fixture.rpc.url());
    assert_eq!(told, by("eth_simulateV1", [Some("paid"), Some("reverted"), Some("reverted")]));
    // The program would hide the account's code; a call tells success alone.
    let told = verdicts(&without_simulate_v1(&fixture).url());
    assert_eq!(told, by("eth_call", [None, Some("reverted"), Some("reverted")]));
}

#[test]
fn gas_is_the_nodes_own_where_state_costs_gas_that_calls_do_not_show() {
    let fixture = fixture();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    let row_of = |flaws: Flaws| {
        rpc.flawed(flaws);
        row(&fixture.serve_at(&[fixture.farm(Deed::Pay)], "", &rpc.url()), "simulate=true")
    };
    let amsterdam = Flaws { is_of_amsterdam: true, ..Flaws::default() };
    let own = row_of(amsterdam.clone());
    assert_eq!(own.text_at("simulation/method").unwrap(), "eth_simulateV1");
    let sent = json!({"from": ACCOUNT, "to": fixture.farm(Deed::Pay), "data": "0x3d18b912"});
    let snapshot = fixture.chain.snapshot().unwrap();
    let used = quantity(&fixture.chain.send(&sent).unwrap()["gasUsed"]).unwrap();
    fixture.chain.revert(&snapshot).unwrap();
    assert_eq!(own.at("simulation/gasUsed").unwrap().to_string(), used.to_string());
    let program = row_of(Flaws { lacks: &["eth_simulateV1"], ..amsterdam });
    assert_eq!(program.text_at("simulation/method").unwrap(), "override");
    assert_eq!(program.text_at("simulated").unwrap(), "paid");
    for unknown in ["simulation/gasUsed", "netDollarValue"] {
        assert_eq!(program.at(unknown).unwrap(), &Json::Null, "{unknown}");
    }
    assert_eq!(program.at("claimTransaction").unwrap().get("gas"), None);
    let before = row_of(Flaws { lacks: &["eth_simulateV1"], ..Flaws::default() });
    assert!(before.at("claimTransaction").unwrap().get("gas").is_some());
}

#[test]
fn claims_are_tried_one_by_one_where_a_node_takes_no_batches() {
    let fixture = fixture();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    rpc.flawed(Flaws { lacks: &[BATCHES], ..Flaws::default() });
    let gateway = fixture.serve_at(&[fixture.farm(Deed::Pay), fixture.farm(Deed::Fail)], "", &rpc.url());
    let answered = rows(&gateway, "simulate=true");
    let told: Vec<_> = answered.iter().map(|row| row.text_at("simulated").unwrap()).collect();
    assert_eq!(told, ["paid", "reverted"]);
}

#[test]
fn a_node_without_overrides_simulates_by_its_own_method() {
    let fixture = fixture();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    rpc.flawed(Flaws { overrides: Overrides::Refused, ..Flaws::default() });
    let farms = [fixture.farm(Deed::Pay), fixture.farm(Deed::Fail)];
    let verdicts = |gateway: &Gateway, search: &str| -> Vec<Option<String>> {
        rows(gateway, search).iter().map(|row| row.text_at("simulated").ok().map(ToOwned::to_owned)).collect()
    };
    assert_eq!(verdicts(&fixture.serve_at(&farms, "", &rpc.url()), ""), [Some("paid".into()), Some("reverted".into())]);
    rpc.flawed(Flaws { overrides: Overrides::Refused, lacks: &["eth_simulateV1"], ..Flaws::default() });
    let gateway = fixture.serve_at(&farms, "", &rpc.url());
    // A call tells success alone.
    assert_eq!(verdicts(&gateway, ""), [None, Some("reverted".into())]);
    let row = &rows(&gateway, "simulate=true")[0];
    assert_eq!(row.text_at("simulation/method").unwrap(), "eth_call");
    assert_eq!(row.at("claimTransaction").unwrap().get("gas"), None);
}

fn plan(gateway: &Gateway, search: &str) -> Json {
    let response = gateway.get(&format!("/{ACCOUNT}/claim-plan?{search}")).unwrap();
    assert_eq!(response.status.as_u16(), 200, "{}", response.body);
    response.json().unwrap()
}

#[test]
fn a_plan_sent_call_by_call_pays_what_it_says() {
    // A chain of its own, which the claims change.
    let fixture = Fixture::start().unwrap();
    let farms = [fixture.farm(Deed::Pay), &fixture.many[0], &fixture.taxed, &fixture.staked];
    let failing = [fixture.farm(Deed::Fail), fixture.farm(Deed::Approve), fixture.farm(Deed::First)];
    let gateway = fixture.serve(&[&farms[..], &failing[..]].concat(), "");
    let plan = plan(&gateway, "network=polygon&detail=full");
    let plan = &plan.at("items").unwrap().items().unwrap()[0];
    assert_eq!(plan.text_at("simulated").unwrap(), "differs", "{plan}");
    assert_eq!(told(plan).len(), 1, "the taxed token: {plan}");

    let left_out = plan.at("leftOut").unwrap().items().unwrap().iter();
    let mut left_out: Vec<(bool, &str)> = left_out
        .map(|own| (own.text_at("claimId").unwrap().contains(failing[2]), own.text_at("reason").unwrap()))
        .collect();
    left_out.sort_unstable();
    let reasons =
        [(false, "It reverts."), (false, "It takes what it should not."), (true, "It fails after the others.")];
    assert_eq!(left_out, reasons);

    let body = plan.at("walletSendCalls").unwrap();
    assert_eq!(body.text_at("method").unwrap(), "wallet_sendCalls");
    let request = &body.at("params").unwrap().items().unwrap()[0];
    let told = |name: &str| request.text_at(name).unwrap().to_owned();
    assert_eq!((told("chainId"), told("from"), told("version")), ("0x89".into(), ACCOUNT.into(), "2.0.0".into()));
    let calls = request.at("calls").unwrap().items().unwrap();
    let steps = plan.at("transactions").unwrap().items().unwrap();
    let call = |call: &Json| ["to", "data"].map(|name| call.text_at(name).unwrap().to_owned());
    assert_eq!(calls.iter().map(call).collect::<Vec<_>>(), steps.iter().map(call).collect::<Vec<_>>());
    assert_eq!(calls.len(), farms.len());

    let flows = flows(plan, "receives");
    assert_eq!(flows.len(), 3, "{flows:?}");
    let balances = || -> Vec<u128> {
        let balance = |token: &str| fixture.chain.token_balance(token, ACCOUNT).unwrap().parse().unwrap();
        flows.iter().map(|(token, _)| balance(token)).collect()
    };
    let before = balances();
    for call in calls {
        let text = |name: &str| call.text_at(name).unwrap();
        let (to, data, value, gas) = (text("to"), text("data"), text("value"), text("gas"));
        let sent = json!({"from": ACCOUNT, "to": to, "data": data, "value": value, "gas": gas});
        let sent = fixture.chain.send(&sent).unwrap();
        assert_eq!(sent["status"], "0x1", "{call}");
    }
    let after = balances();
    for ((token, amount), (before, after)) in flows.iter().zip(before.into_iter().zip(after)) {
        assert_eq!((after - before).to_string(), *amount, "{token}");
    }
}

#[test]
fn a_plan_of_nothing_has_nothing_to_send() {
    let fixture = fixture();
    let gateway = fixture.serve(&[fixture.farm(Deed::Fail)], "");
    let plan = plan(&gateway, "network=polygon");
    assert_eq!(plan.get("walletSendCalls"), Some(&Json::Null));
    assert_eq!((plan.get("simulated"), plan.get("netDollarValue")), (Some(&Json::Null), Some(&Json::Null)));
    assert_eq!(plan.at("transactions").unwrap().items().unwrap(), []);
    assert_eq!(plan.at("leftOut").unwrap().items().unwrap().len(), 1);
    for search in ["", "?network=atlantis", "?network=polygon&worth=yes", "?network=polygon&include=nobody"] {
        let response = gateway.get(&format!("/{ACCOUNT}/claim-plan{search}")).unwrap();
        assert!(matches!(response.status.as_u16(), 400 | 404), "{search}: {}", response.body);
    }
}
