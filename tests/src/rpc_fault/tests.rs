//! Each flaw against a real chain, with requests written by hand.

use serde_json::{Value, json};

use super::{Flaws, Gas, Hashes, Overrides, Replies, RpcFault, Transactions, Way};
use crate::bytecode::{self, BURNER, CLOCK, ECHO};
use crate::chain::Chain;
use crate::http;

const MULTICALL3: &str = "0xca11bde05977b3631167028862be2a173976ca11";
const MADE_UP: &str = "0xadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadadad";

struct Rig {
    chain: Chain,
    rpc: RpcFault,
    number: u64,
    hash: Value,
}

impl Rig {
    fn start() -> Self {
        let chain = Chain::start("ethereum").unwrap();
        bytecode::place(&chain).unwrap();
        let rpc = RpcFault::before(&chain.url).unwrap();
        let newest = chain.rpc("eth_getBlockByNumber", json!(["latest", false])).unwrap();
        let number = u64::from_str_radix(&newest["number"].as_str().unwrap()[2..], 16).unwrap();
        Self { chain, rpc, number, hash: newest["hash"].clone() }
    }

    /// The body of a reply to one request; `None` where there is no whole one.
    fn body(&self, method: &str, params: &Value) -> Option<(u16, String)> {
        self.reply(&json!({"jsonrpc": "2.0", "id": 41, "method": method, "params": params}))
    }

    fn reply(&self, requested: &Value) -> Option<(u16, String)> {
        let body = requested.to_string();
        let to = self.rpc.url().strip_prefix("http://").unwrap().parse().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let response = runtime.block_on(http::post(to, body.into())).ok()?;
        Some((response.status.as_u16(), response.body))
    }

    fn fetch(&self, flaws: Flaws, method: &str, params: &Value) -> Value {
        self.rpc.flawed(flaws);
        serde_json::from_str(&self.body(method, params).unwrap().1).unwrap()
    }

    /// The block that a call of the clock ran in.
    fn ran_at(&self, flaws: Flaws, block: &Value) -> Result<u64, Value> {
        let reply = self.fetch(flaws, "eth_call", &json!([{"to": CLOCK.address, "data": "0x"}, block]));
        let word = reply["result"].as_str().ok_or_else(|| reply["error"]["message"].clone())?;
        Ok(u64::from_str_radix(&word[50..66], 16).unwrap())
    }
}

#[test]
fn flaws_of_blocks_are_as_configured() {
    let rig = Rig::start();
    let (number, latest, hash) = (rig.number, json!("latest"), json!({"blockHash": rig.hash}));
    let made_up = json!({"blockHash": MADE_UP});
    let none = Flaws::default;
    assert_eq!(rig.ran_at(none(), &hash), Ok(number));
    assert!(rig.ran_at(none(), &made_up).is_err());
    assert!(rig.ran_at(Flaws { hashes: Hashes::Refused, ..none() }, &hash).is_err());
    assert_eq!(rig.ran_at(Flaws { hashes: Hashes::UnknownAnswered, ..none() }, &made_up), Ok(number));
    assert_eq!(rig.ran_at(Flaws { off: 2, ..none() }, &hash), Ok(number - 2));
    let behind = Flaws { behind: 1, ..none() };
    assert_eq!(rig.ran_at(behind.clone(), &hash), Err(json!("header not found")));
    assert_eq!(rig.ran_at(behind.clone(), &json!(format!("{number:#x}"))), Err(json!("header not found")));
    assert_eq!(rig.ran_at(behind.clone(), &latest), Ok(number - 1));
    let newest = rig.fetch(behind.clone(), "eth_getBlockByNumber", &json!(["latest", false]));
    assert_eq!(newest["result"]["number"], json!(format!("{:#x}", number - 1)));
    for (method, named) in
        [("eth_getBlockByHash", rig.hash.clone()), ("eth_getBlockByNumber", json!(format!("{number:#x}")))]
    {
        let unknown = rig.fetch(behind.clone(), method, &json!([named, false]));
        assert_eq!(unknown["result"], Value::Null, "{unknown}");
    }
    bytecode::mine(&rig.chain).unwrap();
    assert_eq!(rig.ran_at(none(), &hash), Ok(number));
    assert_eq!(rig.ran_at(Flaws { hashes: Hashes::Ignored, ..none() }, &hash), Ok(number + 1));
}

#[test]
fn flaws_of_calls_are_as_configured() {
    let rig = Rig::start();
    let none = Flaws::default;
    let overridden = json!([{"to": MULTICALL3, "data": "0x1234"}, "latest", {MULTICALL3: {"code": ECHO.code}}]);
    let reported = |flaws| rig.fetch(flaws, "eth_call", &overridden);
    assert_eq!(reported(none())["result"], "0x1234");
    assert_eq!(reported(Flaws { hides_multicall: true, ..none() })["result"], "0x1234");
    assert!(reported(Flaws { overrides: Overrides::Ignored, ..none() })["error"]["message"].is_string());
    assert_eq!(reported(Flaws { overrides: Overrides::Refused, ..none() })["error"]["code"], -32_602);
    let hidden = Flaws { overrides: Overrides::Ignored, hides_multicall: true, ..none() };
    assert_eq!(reported(hidden.clone())["result"], "0x");
    assert_eq!(rig.fetch(hidden, "eth_getCode", &json!([MULTICALL3, "latest"]))["result"], "0x");
    assert_eq!(rig.rpc.calls(Way::Override), 5);
    let burn = |flaws, gas: u64| {
        let call = json!({"to": BURNER.address, "data": "0x", "gas": format!("{gas:#x}")});
        rig.fetch(flaws, "eth_call", &json!([call, "latest"]))["error"]["message"].clone()
    };
    let refuses = Flaws { gas: Gas::Refused(100_000), ..none() };
    assert_eq!(burn(refuses.clone(), 100_000), "EVM error OutOfGas");
    assert_eq!(burn(refuses, 100_001), "intrinsic gas too high");
    // Below what any call costs: the chain did not get as much as was named.
    let lowers = Flaws { gas: Gas::Lowered(1_000), ..none() };
    assert_ne!(burn(lowers, 100_000), "EVM error OutOfGas");
}

#[test]
fn flaws_of_bodies_are_as_configured() {
    let rig = Rig::start();
    let none = Flaws::default;
    let params = json!([{"to": ECHO.address, "data": format!("0x{}", "ab".repeat(500))}, "latest"]);
    let sent = |flaws| {
        rig.rpc.flawed(flaws);
        rig.body("eth_call", &params)
    };
    let whole = sent(none()).unwrap().1;
    assert_eq!(sent(Flaws { request_max_bytes: Some(1_000), ..none() }).unwrap().0, 413);
    let short: Value =
        serde_json::from_str(&sent(Flaws { reply_max_bytes: Some(1_000), ..none() }).unwrap().1).unwrap();
    assert_eq!(short["error"]["code"], -32_008);
    let spoilt = |replies| sent(Flaws { replies, of: &["eth_call"], ..none() });
    assert_eq!(spoilt(Replies::Cut(100)), None);
    assert_eq!(spoilt(Replies::Truncated).unwrap().1, whole[..whole.len() / 2]);
    let result = serde_json::from_str::<Value>(&whole).unwrap()["result"].clone();
    assert_eq!(spoilt(Replies::WrongId).unwrap().1, format!(r#"{{"jsonrpc":"2.0","id":42,"result":{result}}}"#));
    assert_eq!(spoilt(Replies::TwoIds).unwrap().1, format!(r#"{{"jsonrpc":"2.0","id":42,"id":41,"result":{result}}}"#));
    let zeros = format!(r#""result":"0x{}""#, "00".repeat(500));
    assert_eq!(
        spoilt(Replies::TwoResults).unwrap().1,
        format!(r#"{{"jsonrpc":"2.0","id":41,{zeros},"result":{result}}}"#)
    );
    assert_eq!(
        spoilt(Replies::ResultTwice).unwrap().1,
        format!(r#"{{"jsonrpc":"2.0","id":41,"result":{result},{zeros}}}"#)
    );
    let other = rig.body("eth_chainId", &json!([])).unwrap().1;
    assert_eq!(serde_json::from_str::<Value>(&other).unwrap()["result"], "0x1");
}

#[test]
fn a_known_transaction_is_answered_alone_and_within_a_batch_and_the_rest_is_the_chains() {
    let rig = Rig::start();
    let mut known = Transactions::default();
    known.add(MADE_UP, &json!({"nonce": "0x7"}), &Value::Null);
    rig.rpc.knows(known);
    let request =
        |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let reported = |body: Option<(u16, String)>| serde_json::from_str::<Value>(&body.unwrap().1).unwrap();
    assert_eq!(reported(rig.body("eth_getTransactionByHash", &json!([MADE_UP])))["result"]["nonce"], "0x7");
    let unknown = MADE_UP.replace("ad", "da");
    let batch = json!([
        request(1, "eth_getTransactionReceipt", json!([MADE_UP])),
        request(2, "eth_getTransactionByHash", json!([MADE_UP.to_uppercase().replace("0X", "0x")])),
        request(3, "eth_getTransactionByHash", json!([unknown])),
        request(4, "eth_chainId", json!([])),
    ]);
    let replies = reported(rig.reply(&batch));
    let of = |id: u64| replies.as_array().unwrap().iter().find(|reply| reply["id"] == id).unwrap().clone();
    assert_eq!((&of(1)["result"], of(1).get("error")), (&Value::Null, None));
    assert_eq!(of(2)["result"]["nonce"], "0x7");
    assert_eq!((&of(3)["result"], of(3).get("error")), (&Value::Null, None));
    assert_eq!(of(4)["result"], "0x1");
}
