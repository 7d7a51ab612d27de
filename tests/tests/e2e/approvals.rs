//! What others may take from an account: approvals that were sent on a chain, against arithmetic; what was revoked is
//! gone, and the transactions that revoke do so.

use std::sync::Arc;

use alloy::primitives::{Address, U256, address};
use alloy::sol;
use alloy::sol_types::SolCall;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Flaws, RpcFault};
use portolan_tests::world::Shared;
use serde_json::json;

sol! {
    function mint(address to, uint256 value) external;
    function approve(address spender, uint256 value) external returns (bool);
}

const QUICK: Address = address!("b5c064f955d8e7f38fe0460c556a72987494ee17");
const USDC: Address = address!("2791bca1f2de4661ed88a30c99a7a9449aa84174");
/// A contract of a deployment.
const FARM: Address = address!("00000000000000000000000000000000fa000001");
/// <https://github.com/Uniswap/permit2>
const PERMIT2: Address = address!("000000000022d473030f116ddee9f6b43ac78ba3");
const STRANGER: Address = address!("00000000000000000000000000000000000057a6");
/// 10^18, one QUICK.
const ONE: u64 = 1_000_000_000_000_000_000;
const GET_LOGS: &str = "eth_getLogs";

struct Fixture {
    chain: Chain,
    rpc: RpcFault,
    gateway: Gateway,
}

impl Fixture {
    fn start() -> anyhow::Result<Self> {
        let chain = Chain::start("polygon")?;
        let rpc = RpcFault::before(&chain.url)?;
        let gateway = gateway(&rpc);
        Ok(Self { chain, rpc, gateway })
    }

    fn send(&self, from: Address, to: Address, call: &impl SolCall) {
        send(&self.chain, from, to, &call.abi_encode());
    }

    fn approve(&self, owner: Address, token: Address, spender: Address, value: U256) {
        self.send(owner, token, &approveCall { spender, value });
    }

    /// The answer at the newest block.
    fn answer(&self, owner: Address, query: &str) -> Response {
        answer(&self.gateway, &self.chain, owner, query)
    }
}

fn gateway(rpc: &RpcFault) -> Gateway {
    let plugin = build::built().unwrap().plugin("libquickswap.so");
    let settings = format!(
        "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"polygon\"\nfarms = [\"{FARM:#x}\"]\n"
    );
    let prices = format!("[prices.static]\npolygon.\"{QUICK:#x}\" = \"0.5\"\npolygon.\"{USDC:#x}\" = \"1\"\n");
    let setup = Setup::default().rpc("polygon", &rpc.url()).plugin(&plugin, &["quickswap"]);
    setup.settings("quickswap", &settings).config(&prices).start().unwrap()
}

fn send(chain: &Chain, from: Address, to: Address, data: &[u8]) {
    let data = alloy::hex::encode_prefixed(data);
    let receipt = chain.send(&json!({"from": from, "to": to, "data": data})).unwrap();
    assert_eq!(receipt["status"], "0x1", "{receipt}");
}

fn answer(gateway: &Gateway, chain: &Chain, owner: Address, query: &str) -> Response {
    let newest = chain.newest().unwrap();
    let path = format!("/{owner:#x}/approvals?network=polygon&min-block={newest}{query}");
    let response = gateway.get(&path).unwrap();
    assert_eq!(response.status, 200, "{}", response.body);
    response
}

/// The members of each row that tests compare, in the order of the answer.
fn rows(response: &Response) -> Vec<String> {
    let json = response.json().unwrap();
    let row = |row: &Json| {
        let numbers = ["allowance", "balance", "amountAtRisk", "dollarValue"];
        let numbers = numbers.map(|name| row.number_at(name).unwrap().normalized().to_plain_string());
        let [symbol, spender] = ["token/symbol", "spender/address"].map(|path| row.text_at(path).unwrap());
        let (unlimited, listed) = (row.at("unlimited").unwrap(), row.at("listed").unwrap());
        format!("{symbol} {} {} unlimited={unlimited} listed={listed}", &spender[38..], numbers.join(" "))
    };
    json.items().unwrap().iter().map(row).collect()
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn owner(number: u8) -> Address {
    Address::left_padding_from(&[0xa1, 0x10, number])
}

#[test]
fn what_may_be_taken_equals_the_arithmetic_and_a_revoked_allowance_is_gone() {
    let (fixture, owner) = (fixture(), owner(1));
    let one = U256::from(ONE);
    fixture.send(owner, QUICK, &mintCall { to: owner, value: one * U256::from(7) });
    fixture.send(owner, USDC, &mintCall { to: owner, value: U256::from(5_000_000) });
    fixture.approve(owner, QUICK, FARM, one * U256::from(10));
    fixture.approve(owner, USDC, PERMIT2, U256::MAX);
    fixture.approve(owner, USDC, STRANGER, U256::from(2_000_001));
    fixture.approve(owner, QUICK, STRANGER, U256::ONE);
    fixture.approve(owner, QUICK, STRANGER, U256::ZERO);
    let response = fixture.answer(owner, "");
    assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
    // The account has 7 QUICK at $0.50 and 5 USDC at $1, which alone is on a list. The largest number of a word has 6 decimals here.
    let most = "115792089237316195423570985008687907853269984665640564039457584007913129.639935";
    let expected = [
        format!("USDC 8ba3 {most} 5 5 5 unlimited=true listed=true"),
        "USDC 57a6 2.000001 5 2.000001 2.000001 unlimited=false listed=true".to_owned(),
        "QUICK 0001 10 7 7 3.5 unlimited=false listed=false".to_owned(),
    ];
    assert_eq!(rows(&response), expected);
    let json = response.json().unwrap();
    let [permit2, stranger, farm] = json.items().unwrap() else { panic!("{json}") };
    assert_eq!(permit2.text_at("spender/name").unwrap(), "Permit2");
    assert_eq!(permit2.at("spender/protocol").unwrap(), &Json::Null);
    assert_eq!(farm.text_at("spender/protocol/slug").unwrap(), "quickswap");
    assert_eq!(stranger.at("spender/name").unwrap(), &Json::Null);

    // The transaction of a row ends it, and nothing else.
    let revoke = stranger.at("revokeTransaction").unwrap();
    assert_eq!(revoke.text_at("from").unwrap(), format!("{owner:#x}"));
    let to: Address = revoke.text_at("to").unwrap().parse().unwrap();
    let data = alloy::hex::decode(revoke.text_at("data").unwrap()).unwrap();
    let call = approveCall::abi_decode(&data).unwrap();
    assert_eq!((to, call.spender, call.value), (USDC, STRANGER, U256::ZERO));
    send(&fixture.chain, owner, to, &data);
    assert_eq!(rows(&fixture.answer(owner, "")), [expected[0].clone(), expected[2].clone()]);
    assert_eq!(fixture.chain.token_balance(&format!("{USDC:#x}"), &format!("{owner:#x}")).unwrap(), "5000000");
}

#[test]
fn a_plan_revokes_one_allowance_and_nothing_else() {
    let (fixture, owner) = (fixture(), owner(5));
    fixture.approve(owner, QUICK, FARM, U256::from(3));
    fixture.approve(owner, USDC, FARM, U256::from(4));
    let plan = |token: Address| {
        let newest = fixture.chain.newest().unwrap();
        let path = format!("/{owner:#x}/approvals/plan?network=polygon&token={token:#x}&spender={FARM:#x}");
        let response = fixture.gateway.get(&format!("{path}&min-block={newest}")).unwrap();
        assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{}", response.body);
        response.json().unwrap()
    };
    let planned = plan(QUICK);
    assert_eq!(planned.text_at("simulated").unwrap(), "revoked", "{planned}");
    let change = planned.at("simulation/approvals/0").unwrap();
    assert_eq!([change.text_at("before").unwrap(), change.text_at("after").unwrap()], ["3", "0"]);
    for none in ["simulation/receives", "simulation/gives", "pays", "leftOut"] {
        assert!(planned.at(none).unwrap().items().unwrap().is_empty(), "{none}: {planned}");
    }
    assert_eq!(planned.at("walletSendCalls/params/0/calls").unwrap().items().unwrap().len(), 1, "{planned}");
    let call = planned.at("walletSendCalls/params/0/calls/0").unwrap();
    let gas = u64::from_str_radix(&call.text_at("gas").unwrap()[2..], 16).unwrap();
    let transaction = json!({
        "from": owner, "to": call.text_at("to").unwrap(), "data": call.text_at("data").unwrap(),
        "gas": format!("{gas:#x}"),
    });
    let receipt = fixture.chain.send(&transaction).unwrap();
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    // The other allowance is as it was, and the first one needs no plan any more.
    assert_eq!(rows(&fixture.answer(owner, "")), ["USDC 0001 0.000004 0 0 0 unlimited=false listed=true"]);
    let empty = plan(QUICK);
    assert_eq!([empty.at("simulated").unwrap(), empty.at("walletSendCalls").unwrap()], [&Json::Null; 2], "{empty}");
    assert_eq!(plan(USDC).text_at("simulated").unwrap(), "revoked");
}

#[test]
fn a_second_answer_reads_only_new_blocks() {
    let (fixture, owner) = (Fixture::start().unwrap(), owner(2));
    fixture.approve(owner, QUICK, FARM, U256::from(3));
    // Older blocks are never replaced.
    fixture.chain.rpc("anvil_mine", json!(["0x12c"])).unwrap();
    assert_eq!(rows(&fixture.answer(owner, "")).len(), 1);
    let first = fixture.rpc.requested(GET_LOGS);
    assert!(first > 0);
    fixture.approve(owner, QUICK, STRANGER, U256::from(4));
    let response = fixture.answer(owner, "");
    assert_eq!((rows(&response).len(), response.header("portolan-partial")), (2, None));
    assert_eq!(fixture.rpc.requested(GET_LOGS), first + 1, "one request has the blocks since");
}

#[test]
fn a_node_without_old_logs_makes_the_answer_partial() {
    let (chain, owner) = (Chain::start("polygon").unwrap(), owner(3));
    let rpc = RpcFault::before(&chain.url).unwrap();
    send(&chain, owner, QUICK, &approveCall { spender: FARM, value: U256::from(3) }.abi_encode());
    chain.rpc("anvil_mine", json!(["0x3e8"])).unwrap();
    send(&chain, owner, QUICK, &approveCall { spender: STRANGER, value: U256::from(4) }.abi_encode());
    rpc.flawed(Flaws { prunes_logs: Some(500), ..Flaws::default() });
    let gateway = gateway(&rpc);
    let response = answer(&gateway, &chain, owner, "&detail=full");
    assert_eq!(response.header("portolan-partial"), Some("approvals/polygon;reason=history"));
    let json = response.json().unwrap();
    let [row] = json.at("items").unwrap().items().unwrap() else { panic!("{json}") };
    assert_eq!(row.text_at("spender/address").unwrap(), format!("{STRANGER:#x}"));
    let detail = json.text_at("report/jobs/1/detail").unwrap();
    assert!(detail.starts_with("the logs of the blocks 0 to ") && detail.ends_with("no node has them"), "{detail}");
    let first = rpc.requested(GET_LOGS);
    answer(&gateway, &chain, owner, "");
    assert!(rpc.requested(GET_LOGS) <= first + 1, "old logs are not requested again");

    rpc.flawed(Flaws { prunes_logs: Some(0), ..Flaws::default() });
    let other = Address::left_padding_from(&[0xa1, 0x10, 9]);
    let refused = gateway.get(&format!("/{other:#x}/approvals?network=polygon")).unwrap();
    problem::detail(&refused, 502, "upstream").unwrap();
}

#[test]
fn a_flood_of_logs_hides_no_listed_token() {
    let (fixture, owner) = (fixture(), owner(4));
    fixture.approve(owner, USDC, FARM, U256::from(3));
    // For i from 400 down to 1: LOG3(Approval, owner, i). It cannot be read, since a static call may not log.
    let approval = "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
    let code = format!("0x6101905b8073{}7f{approval}60006000a36001900380600357", &format!("{owner:#x}")[2..]);
    let spam = address!("00000000000000000000000000000000005ba300");
    fixture.chain.rpc("anvil_setCode", json!([spam, code])).unwrap();
    send(&fixture.chain, STRANGER, spam, &[]);
    let response = fixture.answer(owner, "");
    assert_eq!(rows(&response), ["USDC 0001 0.000003 0 0 0 unlimited=false listed=true"]);
    let partial = response.header("portolan-partial").unwrap();
    assert!(partial.contains("approvals/polygon;reason=over-budget"), "{partial}");
    assert!(partial.contains("count=1"), "the spoilt token: {partial}");
}

#[test]
fn bad_input_has_a_clear_problem() {
    let fixture = fixture();
    for (path, status, kind) in [
        ("/0x12/approvals", 400, "invalid-address"),
        ("/0x0000000000000000000000000000000000000001/approvals?network=nowhere", 400, "invalid-network"),
        ("/0x0000000000000000000000000000000000000001/approvals?simulate=true", 400, "unknown-parameter"),
        ("/0x0000000000000000000000000000000000000001/approvals/plan?network=polygon", 400, "invalid-address"),
        ("/0x0000000000000000000000000000000000000001/approvals/plan?token=1&spender=2", 400, "invalid-network"),
        ("/0x0000000000000000000000000000000000000001/approvals?network=optimism", 503, "network-not-configured"),
    ] {
        problem::detail(&fixture.gateway.get(path).unwrap(), status, kind).unwrap();
    }
    // A contract that has no allowances, and an address without a contract.
    for token in [FARM, Address::repeat_byte(0x77)] {
        let path = format!("/{:#x}/approvals/plan?network=polygon&token={token:#x}&spender={FARM:#x}", owner(9));
        let detail = problem::detail(&fixture.gateway.get(&path).unwrap(), 400, "invalid-address").unwrap();
        assert_eq!(detail, format!("{token:#x} is not a token with allowances on polygon"));
    }
}
