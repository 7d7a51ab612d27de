//! A flawed node: a truthful chain behind the flaws of the moment.
//!
//! Invariant: what no flaw touches reaches the chain as it came, and the chain's reply comes back as it was.

use std::net::SocketAddr;

use anyhow::Result;
use bytes::Bytes;
use hyper::StatusCode;
use serde_json::{Value, json};

use super::flaws::{BATCHES, Flaws, Gas, Hashes, Overrides, Reverts};
use super::reply::Reply;
use super::request::{Named, Request};
use super::transactions::Transactions;
use crate::chain::quantity;
use crate::http;

/// One request of a node.
pub(super) struct Node<'a> {
    pub(super) chain: SocketAddr,
    pub(super) flaws: &'a Flaws,
    pub(super) transactions: &'a Transactions,
}

/// An error that a node answers without asking its chain.
type Refusal = (i64, &'static str);
const UNKNOWN_BLOCK: Refusal = (-32_000, "header not found"); // geth
const NO_OVERRIDES: Refusal = (-32_602, "too many arguments, want at most 2"); // geth
const NO_HASHES: Refusal = (-32_602, "invalid argument 1: json: cannot unmarshal object into Go value of type string"); // ethermint
const TOO_MUCH_GAS: Refusal = (-32_000, "intrinsic gas too high"); // reth
const NO_STATE: Refusal = (-32_000, "missing trie node 0a0b (path ) state 0x0c is not available"); // geth
const NO_LOGS: Refusal = (4_444, "pruned history unavailable"); // geth
const NO_METHOD: Refusal = (-32_601, "the method does not exist"); // geth
const NO_BATCHES: Refusal = (-32_600, "batches are not allowed"); // hosted nodes
const TOO_LONG: Refusal = (-32_008, "Response is too big"); // jsonrpsee

impl Node<'_> {
    /// The reply, and whether it is the chain's.
    pub(super) async fn answer(&self, requested: Bytes, request: Option<Request>) -> Result<(Reply, bool)> {
        if self.flaws.request_max_bytes.is_some_and(|most| requested.len() > most) {
            return Ok((Reply::status(StatusCode::PAYLOAD_TOO_LARGE), false));
        }
        if let Some(body) = self.transactions.reply(self.chain, &requested).await? {
            return Ok((Reply::whole(body), true));
        }
        if *self.flaws == Flaws::default() {
            return Ok((Reply::whole(http::post(self.chain, requested).await?.body), true));
        }
        let Some(request) = request else { return self.batch(&requested).await };
        let (id, method) = (request.id.clone(), request.method.clone());
        let (mut body, of_chain) = match self.reported(request).await? {
            Ok(body) => (body, true),
            Err((code, message)) => (error(&id, code, message), false),
        };
        if self.flaws.reply_max_bytes.is_some_and(|most| body.len() > most) {
            body = error(&id, TOO_LONG.0, TOO_LONG.1);
        }
        let spoils = self.flaws.spoils(&method);
        Ok((if spoils { Reply::spoilt(body, &self.flaws.replies)? } else { Reply::whole(body) }, of_chain))
    }

    /// The replies to a batch, each as if it were requested alone.
    async fn batch(&self, requested: &Bytes) -> Result<(Reply, bool)> {
        if self.flaws.lacks.contains(&BATCHES) {
            return Ok((Reply::whole(error(&Value::Null, NO_BATCHES.0, NO_BATCHES.1)), false));
        }
        let mut replies = Vec::new();
        for request in Request::parse_batch(requested)? {
            let id = request.id.clone();
            let reply = self.reported(request).await?;
            replies.push(reply.unwrap_or_else(|(code, message)| error(&id, code, message)));
        }
        Ok((Reply::whole(format!("[{}]", replies.join(","))), true))
    }

    /// The chain's reply to what the flaws make of the request.
    async fn reported(&self, mut request: Request) -> Result<Result<String, Refusal>> {
        if self.flaws.lacks.contains(&request.method.as_str()) {
            return Ok(Err(NO_METHOD));
        }
        if let (Some(depth), Some(place)) = (self.flaws.prunes, request.state_at()) {
            let number = match request.block(place)? {
                Named::Hash(hash) => self.number_of(&hash).await?,
                Named::Number(number) => Some(number),
                Named::Tag => None,
            };
            let head = self.head().await?;
            if number.is_some_and(|number| number + depth <= head) {
                return Ok(Err(NO_STATE));
            }
        }
        if let (Some(depth), "eth_getLogs") = (self.flaws.prunes_logs, request.method.as_str()) {
            let from = quantity(&request.params[0]["fromBlock"])?;
            if from + depth <= self.head().await? {
                return Ok(Err(NO_LOGS));
            }
        }
        if let Err(refusal) = self.place(&mut request).await? {
            return Ok(Err(refusal));
        }
        if request.params.len() > 2 && request.method == "eth_call" {
            match self.flaws.overrides {
                Overrides::Taken => {}
                Overrides::Ignored => request.params.truncate(2),
                Overrides::Refused => return Ok(Err(NO_OVERRIDES)),
            }
        }
        if self.flaws.hides_multicall && request.needs_multicall() {
            return Ok(Ok(json!({"jsonrpc": "2.0", "id": request.id, "result": "0x"}).to_string()));
        }
        if request.method == "eth_call"
            && let Err(refusal) = self.fuel(&mut request.params[0])?
        {
            return Ok(Err(refusal));
        }
        let body = http::post(self.chain, request.body().into()).await?.body;
        if self.flaws.is_of_amsterdam && request.method.starts_with("eth_getBlockBy") {
            let mut reply: Value = serde_json::from_str(&body)?;
            if reply["result"].is_object() {
                reply["result"]["blockAccessListHash"] = reply["result"]["stateRoot"].clone();
            }
            return Ok(Ok(reply.to_string()));
        }
        if self.flaws.reverts != Reverts::Data && request.method == "eth_call" {
            return Ok(Ok(self.rewrapped(&body)?));
        }
        if self.flaws.behind > 0 && request.method == "eth_getBlockByHash" {
            let number = quantity(&serde_json::from_str::<Value>(&body)?["result"]["number"]).unwrap_or(0);
            if number > self.head().await? {
                return Ok(Ok(json!({"jsonrpc": "2.0", "id": request.id, "result": null}).to_string()));
            }
        }
        Ok(Ok(body))
    }

    /// The reply with the data of its revert, if it is one, where this node has it.
    fn rewrapped(&self, body: &str) -> Result<String> {
        let mut reply: Value = serde_json::from_str(body)?;
        let Some(data) = reply["error"]["data"].as_str().map(str::to_owned) else { return Ok(body.to_owned()) };
        let error = |code: i64, message: &str, data: Value| json!({"code": code, "message": message, "data": data});
        reply["error"] = match self.flaws.reverts {
            Reverts::Data => return Ok(body.to_owned()),
            Reverts::Prefixed => error(-32_015, "VM execution error.", json!(format!("Reverted {data}"))),
            Reverts::Object => {
                let message = "Error: VM Exception while processing transaction: reverted with a custom error";
                error(-32_603, message, json!({"message": message, "data": data}))
            }
            Reverts::OriginalError => {
                let original = json!({"code": 3, "message": "execution reverted", "data": data});
                error(-32_603, "Internal JSON-RPC error.", json!({"originalError": original}))
            }
            Reverts::ByTransaction => {
                let of = json!({"error": "revert", "program_counter": 1, "return": data});
                let message = "VM Exception while processing transaction: revert";
                error(-32_000, message, json!({format!("0x{}", "aa".repeat(32)): of, "stack": "at 0xff"}))
            }
            Reverts::Message => json!({"code": -32_000, "message": format!("execution reverted: {data}")}),
            Reverts::Dropped => json!({"code": -32_000, "message": "execution reverted"}),
        };
        Ok(reply.to_string())
    }

    /// Sets the request to the block that this node makes of the one that was named.
    async fn place(&self, request: &mut Request) -> Result<Result<(), Refusal>> {
        let Flaws { behind, off, hashes, .. } = *self.flaws;
        if (behind, off, hashes) == (0, 0, Hashes::Known) {
            return Ok(Ok(()));
        }
        let head = self.head().await?;
        if request.method == "eth_getBlockByNumber" {
            match request.block(0)? {
                Named::Number(number) if number <= head => {}
                // No chain has this block yet: the reply is null.
                Named::Number(_) => request.set_block(0, u64::from(u32::MAX)),
                _ => request.set_block(0, head),
            }
            return Ok(Ok(()));
        }
        let Some(place) = request.state_at() else { return Ok(Ok(())) };
        let number = match request.block(place)? {
            Named::Hash(_) if hashes == Hashes::Refused => return Ok(Err(NO_HASHES)),
            Named::Hash(_) if hashes == Hashes::Ignored => Some(head),
            Named::Hash(hash) => match self.number_of(&hash).await? {
                None if hashes == Hashes::UnknownAnswered => Some(head),
                number => number,
            },
            Named::Number(number) => Some(number),
            Named::Tag => Some(head),
        };
        match number {
            Some(number) if number <= head => {
                request.set_block(place, number.saturating_sub(off));
                Ok(Ok(()))
            }
            _ => Ok(Err(UNKNOWN_BLOCK)),
        }
    }

    fn fuel(&self, call: &mut Value) -> Result<Result<(), Refusal>> {
        let requested = call.get("gas").map(quantity).transpose()?;
        match self.flaws.gas {
            Gas::Refused(most) if requested.is_some_and(|gas| gas > most) => return Ok(Err(TOO_MUCH_GAS)),
            Gas::Refused(most) | Gas::Lowered(most) => {
                call["gas"] = json!(format!("{:#x}", requested.map_or(most, |gas| gas.min(most))));
            }
            Gas::Unbounded => {}
        }
        Ok(Ok(()))
    }

    /// The newest block that this node knows.
    async fn head(&self) -> Result<u64> {
        let newest = self.fetch("eth_blockNumber", &[]).await?;
        Ok(quantity(&newest)?.saturating_sub(self.flaws.behind))
    }

    async fn number_of(&self, hash: &str) -> Result<Option<u64>> {
        let block = self.fetch("eth_getBlockByHash", &[json!(hash), json!(false)]).await?;
        (!block.is_null()).then(|| quantity(&block["number"])).transpose()
    }

    async fn fetch(&self, method: &str, params: &[Value]) -> Result<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}).to_string();
        let mut reply: Value = serde_json::from_str(&http::post(self.chain, body.into()).await?.body)?;
        Ok(reply["result"].take())
    }
}

fn error(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}
