//! A JSON-RPC request as an endpoint sees it: its method, how it reads, and the block that it names.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::chain::quantity;

/// The same on every network that has it: <https://www.multicall3.com>.
pub(super) const MULTICALL3: &str = "0xca11bde05977b3631167028862be2a173976ca11";

/// How an `eth_call` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With a state override.
    Override,
    /// A call of Multicall3.
    Multicall3,
    /// A call of anything else.
    Single,
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Vec<Value>,
}

/// The block that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Hash(String),
    Number(u64),
    /// `latest` and its kin; all are the newest block here.
    Tag,
}

impl Request {
    /// A single request; `None` for a batch.
    ///
    /// # Errors
    /// If the body is not JSON-RPC.
    pub(super) fn parse(body: &[u8]) -> Result<Option<Self>> {
        let value: Value = serde_json::from_slice(body)?;
        if value.is_array() { Ok(None) } else { Self::of(value).map(Some) }
    }

    /// The requests of a batch.
    ///
    /// # Errors
    /// If the body is not a JSON-RPC batch.
    pub(super) fn parse_batch(body: &[u8]) -> Result<Vec<Self>> {
        let values: Vec<Value> = serde_json::from_slice(body)?;
        values.into_iter().map(Self::of).collect()
    }

    fn of(mut value: Value) -> Result<Self> {
        let method = value["method"].as_str().context("no method")?.to_owned();
        let params = value["params"].as_array_mut().map(std::mem::take).unwrap_or_default();
        Ok(Self { id: value["id"].take(), method, params })
    }

    pub(super) fn body(&self) -> String {
        json!({"jsonrpc": "2.0", "id": self.id, "method": self.method, "params": self.params}).to_string()
    }

    /// How it reads, if it is a call.
    pub(super) fn way(&self) -> Option<Way> {
        if self.method != "eth_call" {
            return None;
        }
        let overrides = self.params.get(2).and_then(Value::as_object).is_some_and(|accounts| !accounts.is_empty());
        Some(match overrides {
            true => Way::Override,
            false if is_multicall(&self.params[0]["to"]) => Way::Multicall3,
            false => Way::Single,
        })
    }

    /// The gas that a call names.
    pub(super) fn gas(&self) -> Option<u64> {
        quantity(self.params.first()?.get("gas")?).ok()
    }

    /// Returns true if it looks at Multicall3 as the chain has it.
    pub(super) fn needs_multicall(&self) -> bool {
        match self.method.as_str() {
            "eth_getCode" => self.params.first().is_some_and(is_multicall),
            _ => self.way() == Some(Way::Multicall3),
        }
    }

    /// The place of the block among the parameters of a request that reads state.
    pub(super) fn state_at(&self) -> Option<usize> {
        let methods = ["eth_call", "eth_getBalance", "eth_getCode", "eth_simulateV1"];
        methods.contains(&self.method.as_str()).then_some(1)
    }

    /// The block at a place.
    ///
    /// # Errors
    /// Where no block stands there.
    pub(super) fn block(&self, place: usize) -> Result<Named> {
        let value = self.params.get(place).unwrap_or(&Value::Null);
        if let Some(hash) = value["blockHash"].as_str() {
            return Ok(Named::Hash(hash.to_owned()));
        }
        let text = value["blockNumber"].as_str().or_else(|| value.as_str());
        match text.and_then(|text| text.strip_prefix("0x")) {
            Some(digits) if digits.len() == 64 => Ok(Named::Hash(format!("0x{digits}"))),
            Some(digits) => Ok(Named::Number(u64::from_str_radix(digits, 16)?)),
            None => Ok(Named::Tag),
        }
    }

    pub(super) fn set_block(&mut self, place: usize, number: u64) {
        self.params.resize(self.params.len().max(place + 1), Value::Null);
        self.params[place] = json!(format!("{number:#x}"));
    }
}

fn is_multicall(address: &Value) -> bool {
    address.as_str().is_some_and(|address| address.eq_ignore_ascii_case(MULTICALL3))
}
