//! Transactions that an endpoint knows beside those of its chain: what it answers to a request for one or for its
//! receipt.
//!
//! Invariant: a body is answered here only where it requests such a transaction; of a batch, the rest is the chain's.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::http;

/// By hash.
#[derive(Clone, Debug, Default)]
pub struct Transactions(BTreeMap<String, Known>);

#[derive(Clone, Debug)]
struct Known {
    transaction: Value,
    receipt: Value,
}

impl Transactions {
    /// One more: what a node answers; the receipt of a pending one is null.
    pub fn add(&mut self, hash: &str, transaction: Value, receipt: Value) {
        self.0.insert(hash.to_lowercase(), Known { transaction, receipt });
    }

    /// The reply to a body that requests one of them.
    pub(super) async fn reply(&self, chain: SocketAddr, body: &[u8]) -> Result<Option<String>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let requested: Value = serde_json::from_slice(body)?;
        let Some(batch) = requested.as_array() else {
            return Ok(self.of(&requested).map(|result| answered(&requested, result).to_string()));
        };
        if batch.iter().all(|request| self.of(request).is_none()) {
            return Ok(None);
        }
        let mut replies = Vec::with_capacity(batch.len());
        for request in batch {
            replies.push(match self.of(request) {
                Some(result) => answered(request, result),
                None => serde_json::from_str(&http::post(chain, request.to_string().into()).await?.body)
                    .context("the chain's reply is no JSON")?,
            });
        }
        Ok(Some(Value::Array(replies).to_string()))
    }

    fn of(&self, request: &Value) -> Option<&Value> {
        let known = self.0.get(&request["params"][0].as_str()?.to_lowercase())?;
        match request["method"].as_str()? {
            "eth_getTransactionByHash" => Some(&known.transaction),
            "eth_getTransactionReceipt" => Some(&known.receipt),
            _ => None,
        }
    }
}

fn answered(request: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}
