//! Transactions that an endpoint knows beside those of its chain: what it answers to a request for one or for its
//! receipt.
//!
//! Invariant: a body is answered here only where it requests such a transaction; of a batch, the rest is the chain's.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use crate::http;

/// By hash.
#[derive(Clone, Debug, Default)]
pub struct Transactions(BTreeMap<String, Known>);

/// As text, so that large ones do not keep other requests waiting.
#[derive(Clone, Debug)]
struct Known {
    transaction: String,
    receipt: String,
}

impl Transactions {
    /// One more: what a node answers; the receipt of a pending one is null.
    pub fn add(&mut self, hash: &str, transaction: &Value, receipt: &Value) {
        let known = Known { transaction: transaction.to_string(), receipt: receipt.to_string() };
        self.0.insert(hash.to_lowercase(), known);
    }

    /// The reply to a body that requests one of them.
    pub(super) async fn reply(&self, chain: SocketAddr, body: &[u8]) -> Result<Option<String>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let requested: Value = serde_json::from_slice(body)?;
        let Some(batch) = requested.as_array() else {
            return Ok(self.of(&requested).map(|result| answered(&requested, result)));
        };
        if batch.iter().all(|request| self.of(request).is_none()) {
            return Ok(None);
        }
        let mut replies = Vec::with_capacity(batch.len());
        for request in batch {
            replies.push(match self.of(request) {
                Some(result) => answered(request, result),
                None => http::post(chain, request.to_string().into()).await?.body,
            });
        }
        Ok(Some(format!("[{}]", replies.join(","))))
    }

    fn of(&self, request: &Value) -> Option<&str> {
        let known = self.0.get(&request["params"][0].as_str()?.to_lowercase())?;
        match request["method"].as_str()? {
            "eth_getTransactionByHash" => Some(&known.transaction),
            "eth_getTransactionReceipt" => Some(&known.receipt),
            _ => None,
        }
    }
}

fn answered(request: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"])
}
