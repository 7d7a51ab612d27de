//! A JSON-RPC node on loopback with a small chain, which a test can make misbehave.

use std::convert::Infallible;
use std::sync::Arc;

use alloy::primitives::{Address, B256, Bytes, U64, U256, address, b256, bytes};
use alloy::sol_types::{SolCall, SolInterface};
use http_body_util::{BodyExt, Full};
use hyper::header::AUTHORIZATION;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::Block;
use crate::methods::multicall::{IMulticall3, MULTICALL3, PROOF_CALLS, SENTINEL_CALLS, multicall3};
use crate::methods::packed::CallResult;
use crate::methods::packed::model::{self, How};

pub(super) const BLOCK: Block =
    Block { number: 1000, hash: HASH, timestamp: 1_700_000_000, evm_number: 1000, parent: PARENT };
const PARENT: B256 = b256!("00000000000000000000000000000000000000000000000000000000b10cb10b");
const HASH: B256 = b256!("00000000000000000000000000000000000000000000000000000000b10cb10c");

/// Another hash that the node accepts for the same block.
pub(super) const OTHER_NAME: B256 = b256!("00000000000000000000000000000000000000000000000000000000b10cb10d");

/// Returns its calldata.
pub(super) const ECHO: Address = address!("00000000000000000000000000000000000000e0");
/// Reverts with `0xdeadbeef`.
pub(super) const REVERTER: Address = address!("00000000000000000000000000000000000000e1");
/// Reverts without data.
pub(super) const MUTE: Address = address!("00000000000000000000000000000000000000e2");
/// Returns nothing.
pub(super) const SILENT: Address = address!("00000000000000000000000000000000000000e3");
/// Has no code.
pub(super) const NOBODY: Address = address!("00000000000000000000000000000000000000e4");
/// Uses up all gas.
pub(super) const BURNER: Address = address!("00000000000000000000000000000000000000e5");
/// Stops at an invalid opcode.
pub(super) const HALTER: Address = address!("00000000000000000000000000000000000000e6");
/// Returns its sender.
pub(super) const SENDER: Address = address!("00000000000000000000000000000000000000e7");
/// Needs a million gas, and then returns its calldata.
pub(super) const COSTLY: Address = address!("00000000000000000000000000000000000000e8");
/// Makes the node stumble.
pub(super) const STUMBLE: Address = address!("00000000000000000000000000000000000000e9");

const PAIRING: Address = address!("0000000000000000000000000000000000000008");
const NODE_GAS: u64 = 50_000_000;

/// The node's reply to one request.
pub(super) enum NodeReply {
    Result(Value),
    Error(Value),
    /// A result and this many spaces after it.
    Padded(Value, usize),
    Raw(u16, Vec<u8>),
    Hang,
    /// To a batch: the replies that each request would get alone, in order.
    Each,
    /// Like [`NodeReply::Each`], in the opposite order.
    EachBackwards,
}

/// The chain where Multicall3 and the gas of precompiles differ.
pub(super) const ZKSYNC_ERA: u64 = 324;

/// The method under which a script sees a batch, with its requests as parameters, before it sees them one by one.
pub(super) const BATCH: &str = "a batch";

/// One request, as the node received it.
#[derive(Clone, Debug)]
pub(super) struct NodeRequest {
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) authorization: Option<String>,
}

impl NodeRequest {
    pub(super) fn to(&self) -> Option<Address> {
        serde_json::from_value(self.params[0]["to"].clone()).ok()
    }
}

type Script = dyn Fn(&NodeRequest, usize) -> NodeReply + Send + Sync;

/// A node that runs until it is dropped.
pub(super) struct Node {
    port: u16,
    seen: Arc<Mutex<Vec<NodeRequest>>>,
    server: JoinHandle<()>,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Node {
    /// Starts a node that replies truthfully about `chain`.
    pub(super) async fn truthful(chain: Chain) -> Self {
        Self::start(move |request, _| chain.reply_to(request)).await
    }

    /// Starts a node that replies by a script, which gets each request and its number, from 0.
    pub(super) async fn start(script: impl Fn(&NodeRequest, usize) -> NodeReply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, script): (Arc<Mutex<Vec<NodeRequest>>>, Arc<Script>) = (Arc::default(), Arc::new(script));
        let shared = (Arc::clone(&seen), script);
        let server = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let shared = shared.clone();
                let service = service_fn(move |request| serve(request, shared.clone()));
                let http = hyper::server::conn::http1::Builder::new();
                connections.spawn(http.serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { port, seen, server }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/s3cret", self.port)
    }

    pub(super) fn seen(&self) -> Vec<NodeRequest> {
        self.seen.lock().clone()
    }

    pub(super) fn count(&self, method: &str) -> usize {
        self.seen().iter().filter(|request| request.method == method).count()
    }

    /// Counts the calls of one contract, without packed ones.
    pub(super) fn calls(&self, to: Address) -> usize {
        self.seen().iter().filter(|request| request.method == "eth_call" && request.to() == Some(to)).count()
    }
}

async fn serve(
    request: Request<hyper::body::Incoming>,
    (seen, script): (Arc<Mutex<Vec<NodeRequest>>>, Arc<Script>),
) -> Result<Response<Full<bytes::Bytes>>, Infallible> {
    let authorization = request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let reply_to = |json: &Value| {
        let method = json["method"].as_str().unwrap_or(BATCH).to_owned();
        let params = if json.is_array() { json } else { &json["params"] };
        let request = NodeRequest { method, params: params.clone(), authorization: authorization.clone() };
        let number = {
            let mut seen = seen.lock();
            seen.push(request.clone());
            seen.len() - 1
        };
        script(&request, number)
    };
    let each = || body.as_array().unwrap().iter().map(|json| encode(json, reply_to(json)));
    let (status, reply) = match reply_to(&body) {
        NodeReply::Each => (200, list(each())),
        NodeReply::EachBackwards => (200, list(each().rev())),
        NodeReply::Raw(status, reply) => (status, Some(reply)),
        NodeReply::Padded(result, spaces) => {
            let encoded = encode(&body, NodeReply::Result(result));
            (200, encoded.map(|reply| [reply, " ".repeat(spaces)].concat().into()))
        }
        reply => (200, encode(&body, reply).map(String::into)),
    };
    let Some(reply) = reply else { std::future::pending().await };
    let mut response = Response::new(Full::new(bytes::Bytes::from(reply)));
    *response.status_mut() = status.try_into().unwrap();
    Ok(response)
}

/// Encodes one reply to one request; `None` if the node hangs.
fn encode(request: &Value, reply: NodeReply) -> Option<String> {
    let (member, value) = match reply {
        NodeReply::Result(result) => ("result", result),
        NodeReply::Error(error) => ("error", error),
        _ => return None,
    };
    // A batch has no id, so an error about the whole batch has none.
    Some(json!({"jsonrpc": "2.0", "id": request["id"], member: value}).to_string())
}

/// Encodes the reply to a batch; `None` if the node hangs at one of its requests.
fn list(replies: impl Iterator<Item = Option<String>>) -> Option<Vec<u8>> {
    Some(format!("[{}]", replies.collect::<Option<Vec<_>>>()?.join(",")).into())
}

/// The end of a call.
enum CallEnd {
    Returned(Bytes),
    Reverted(Bytes),
    Halted,
    OutOfGas,
}

/// A chain with the contracts above and one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) id: u64,
    /// True if it heeds state overrides.
    pub(super) overrides: bool,
    /// True if it heeds block hashes.
    pub(super) hashes: bool,
    pub(super) multicall: bool,
    /// The block that calls run at, whatever block they name.
    pub(super) runs_at: Block,
    /// True if Multicall3 still answers when the gas of its caller is nearly gone.
    pub(super) thrifty: bool,
}

impl Default for Chain {
    fn default() -> Self {
        Self { id: 1, overrides: true, hashes: true, multicall: true, runs_at: BLOCK, thrifty: false }
    }
}

impl Chain {
    /// Makes a chain whose nodes ignore state overrides.
    pub(super) fn multicall() -> Self {
        Self { overrides: false, ..Self::default() }
    }

    pub(super) fn reply_to(&self, request: &NodeRequest) -> NodeReply {
        let at = &request.params[1]["blockHash"];
        if self.hashes && !at.is_null() && *at != json!(HASH) && *at != json!(OTHER_NAME) {
            return NodeReply::Error(json!({"code": -32000, "message": "header not found"}));
        }
        let of = || serde_json::from_value::<Address>(request.params[0].clone()).unwrap();
        match request.method.as_str() {
            "eth_chainId" => NodeReply::Result(json!(U64::from(self.id))),
            BATCH => NodeReply::Each,
            "eth_getBlockByNumber" => NodeReply::Result(header(&BLOCK)),
            "eth_feeHistory" => NodeReply::Result(json!({"baseFeePerGas": ["0x64"], "reward": [["0x2"]]})),
            "eth_call" => self.call(request),
            "eth_getBalance" => NodeReply::Result(json!(balance_of(of()))),
            "eth_getCode" => NodeReply::Result(json!(self.code_of(of()))),
            _ => NodeReply::Error(json!({"code": -32601, "message": "Method not found"})),
        }
    }

    fn is_multicall3(&self, address: Address) -> bool {
        address == multicall3(self.id)
    }

    /// Returns the gas of a pairing: EIP-1108's, or that of ZKsync.
    fn pairing_gas(&self, data: &[u8]) -> u64 {
        let pairs = u64::try_from(data.len() / 192).unwrap();
        if self.id == ZKSYNC_ERA { 80_000 * pairs } else { 45_000 + 34_000 * pairs }
    }

    fn code_of(&self, address: Address) -> Bytes {
        match address {
            NOBODY => Bytes::new(),
            _ if self.is_multicall3(address) && !self.multicall => Bytes::new(),
            // Its usual address, on a chain where it stands elsewhere.
            MULTICALL3 if !self.is_multicall3(MULTICALL3) => Bytes::new(),
            _ => bytes!("600160015b00"),
        }
    }

    fn call(&self, request: &NodeRequest) -> NodeReply {
        let call = &request.params[0];
        let data: Bytes = serde_json::from_value(call["data"].clone()).unwrap();
        let from: Address = serde_json::from_value(call["from"].clone()).unwrap_or_default();
        let gas = serde_json::from_value::<U64>(call["gas"].clone()).map_or(NODE_GAS, |gas| gas.to());
        let mut gas = gas.min(NODE_GAS);
        let to = request.to().unwrap();
        if self.overrides && request.params[2].is_object() {
            return NodeReply::Result(json!(Bytes::from(self.packed(&data))));
        }
        let ran = if self.is_multicall3(to) && self.multicall {
            self.multicall3(&data, &mut gas)
        } else {
            self.run(to, from, &data, &mut gas)
        };
        match ran {
            CallEnd::Returned(data) => NodeReply::Result(json!(data)),
            CallEnd::Reverted(data) => {
                NodeReply::Error(json!({"code": 3, "message": "execution reverted", "data": data}))
            }
            CallEnd::Halted => NodeReply::Error(json!({"code": -32000, "message": "invalid opcode: INVALID"})),
            CallEnd::OutOfGas => NodeReply::Error(json!({"code": -32000, "message": "out of gas"})),
        }
    }

    fn packed(&self, data: &[u8]) -> Vec<u8> {
        model::run(data, self.id, &self.runs_at, usize::MAX, |request| {
            let mut gas = u64::from(request.cap);
            match request.how {
                How::Balance => return CallResult::Ok(word(balance_of(request.to))),
                How::CodeSize => return CallResult::Ok(word(U256::from(self.code_of(request.to).len()))),
                How::Static | How::Isolated => {}
            }
            match self.run(request.to, MULTICALL3, &request.data, &mut gas) {
                CallEnd::Returned(data) if data.is_empty() && self.code_of(request.to).is_empty() => CallResult::NoCode,
                CallEnd::Returned(data) => CallResult::Ok(data),
                CallEnd::Reverted(data) => CallResult::Reverted(data),
                CallEnd::Halted | CallEnd::OutOfGas => CallResult::GasCapped,
            }
        })
    }

    fn run(&self, to: Address, from: Address, data: &Bytes, gas: &mut u64) -> CallEnd {
        let needs = match to {
            COSTLY => 1_000_000,
            PAIRING => self.pairing_gas(data),
            BURNER | HALTER => *gas + 1,
            _ => 10_000,
        };
        if *gas < needs {
            *gas = 0;
            return if to == HALTER { CallEnd::Halted } else { CallEnd::OutOfGas };
        }
        *gas -= needs;
        match to {
            REVERTER => CallEnd::Reverted(bytes!("deadbeef")),
            MUTE => CallEnd::Reverted(Bytes::new()),
            SILENT | NOBODY | STUMBLE => CallEnd::Returned(Bytes::new()),
            SENDER => CallEnd::Returned(from.into_word().into()),
            PAIRING => CallEnd::Returned(word(U256::ONE)),
            _ if self.is_multicall3(to) && self.multicall => self.multicall3(data, gas),
            _ => CallEnd::Returned(data.clone()),
        }
    }

    fn multicall3(&self, data: &[u8], gas: &mut u64) -> CallEnd {
        use IMulticall3::IMulticall3Calls as Calls;
        let Ok(call) = Calls::abi_decode(data) else { return CallEnd::Reverted(Bytes::new()) };
        match call {
            Calls::getChainId(_) => CallEnd::Returned(word(U256::from(self.id))),
            Calls::getBlockNumber(_) => CallEnd::Returned(word(U256::from(self.runs_at.evm_number))),
            Calls::getCurrentBlockTimestamp(_) => CallEnd::Returned(word(U256::from(self.runs_at.timestamp))),
            Calls::getEthBalance(call) => CallEnd::Returned(word(balance_of(call.addr))),
            Calls::aggregate3(call) => self.aggregate(call.calls, gas),
        }
    }

    /// Runs these calls. Each gets 63/64 of the gas that is left (EIP-150).
    fn aggregate(&self, calls: Vec<IMulticall3::Call3>, gas: &mut u64) -> CallEnd {
        let mut results = Vec::new();
        for call in calls {
            let retained = *gas / 64;
            let mut lent = *gas - retained;
            let (success, data) = match self.run(call.target, multicall3(self.id), &call.callData, &mut lent) {
                CallEnd::Returned(data) => (true, data),
                CallEnd::Reverted(data) => (false, data),
                CallEnd::Halted | CallEnd::OutOfGas => (false, Bytes::new()),
            };
            *gas = retained + lent;
            results.push(IMulticall3::Result { success, returnData: data });
        }
        let encoding_gas = 1_000 * u64::try_from(results.len()).unwrap();
        if *gas < encoding_gas && !self.thrifty {
            return CallEnd::OutOfGas;
        }
        CallEnd::Returned(IMulticall3::aggregate3Call::abi_encode_returns(&results).into())
    }
}

pub(super) fn header(block: &Block) -> Value {
    json!({"number": U64::from(block.number), "hash": block.hash, "parentHash": block.parent, "timestamp": U64::from(block.timestamp)})
}

/// Returns the last byte of the address, in wei.
pub(super) fn balance_of(address: Address) -> U256 {
    U256::from(address[19])
}

pub(super) fn word(value: U256) -> Bytes {
    value.to_be_bytes_vec().into()
}

/// Returns the reads in a call of Multicall3, without proof and sentinel; none for any other request.
pub(super) fn packed(request: &NodeRequest) -> Vec<IMulticall3::Call3> {
    let is_multicall3 = |to: Address| [MULTICALL3, multicall3(ZKSYNC_ERA)].contains(&to);
    if request.method != "eth_call" || !request.to().is_some_and(is_multicall3) {
        return Vec::new();
    }
    let data: Bytes = serde_json::from_value(request.params[0]["data"].clone()).unwrap();
    let Ok(call) = IMulticall3::aggregate3Call::abi_decode(&data) else { return Vec::new() };
    let calls = call.calls;
    calls[PROOF_CALLS..calls.len() - SENTINEL_CALLS].to_vec()
}
