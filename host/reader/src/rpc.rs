//! JSON-RPC 2.0 with one endpoint: single requests and pairs of them, each with an id of its own.
//!
//! Invariant: a result is taken only from a whole reply with the id of the request; anything else is a fault.
//! Deadlines, retries and what is remembered of the endpoint are the caller's business.

mod body;
mod reply;

use std::sync::atomic::{AtomicU64, Ordering};

use alloy::primitives::{Address, B256, Bytes};
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap, Serializer};

pub(crate) use self::reply::{call_reply, pair_reply, request_reply};
use crate::RpcUrl;
use crate::error::{EndpointError, RequestError};
use crate::transport::{Answer, Line, Pool};

/// One endpoint's wire.
pub(crate) struct Rpc {
    line: Line,
    asked: AtomicU64,
}

/// The transaction object of `eth_call`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) data: &'a [u8],
    pub(crate) gas: Option<u64>,
    /// The code that stands at `to` for this call: a state override.
    pub(crate) code: Option<&'a [u8]>,
}

/// The block that a request is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// EIP-1898.
    Hash(B256),
    Number(u64),
    Latest,
}

impl Rpc {
    pub(crate) fn new(pool: Pool, url: &RpcUrl) -> Self {
        Self { line: Line::new(pool, url), asked: AtomicU64::new(0) }
    }

    /// `eth_call`; the returned bytes.
    pub(crate) async fn call(&self, call: &Call<'_>, at: At) -> Result<Bytes, RequestError> {
        let id = self.next_id();
        let answer = self.line.post(body::of_call(id, call, at)).await?;
        settled(&answer, call_reply(&answer.body, id))
    }

    /// Any other method. A result of another shape than `R` is [`EndpointError::Malformed`].
    pub(crate) async fn request<R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<R, RequestError> {
        let id = self.next_id();
        let answer = self.line.post(body::of_request(id, method, params)?).await?;
        settled(&answer, request_reply(&answer.body, id))
    }

    /// Two methods with the same parameters in one batch, and both results.
    pub(crate) async fn pair<A: DeserializeOwned, B: DeserializeOwned>(
        &self,
        methods: [&'static str; 2],
        params: &impl Serialize,
    ) -> Result<(A, B), RequestError> {
        let ids = methods.map(|_| self.next_id());
        let answer = self.line.post(body::of_pair(ids, methods, params)?).await?;
        settled(&answer, pair_reply(&answer.body, ids))
    }

    fn next_id(&self) -> u64 {
        self.asked.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}

/// What body and status say together: an error tells more than a status, a result counts only with success.
fn settled<R>(answer: &Answer, told: Result<R, RequestError>) -> Result<R, RequestError> {
    match told {
        Err(RequestError::Endpoint(EndpointError::Throttled(wait))) => {
            Err(EndpointError::Throttled(answer.retry_after.or(wait)).into())
        }
        _ if answer.is_throttle() => Err(EndpointError::Throttled(answer.retry_after).into()),
        Ok(_) | Err(RequestError::Endpoint(EndpointError::Malformed)) if !answer.status.is_success() => {
            Err(EndpointError::Http(answer.status.as_u16()).into())
        }
        told => told,
    }
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Hash(hash) => {
                let mut object = serializer.serialize_map(Some(1))?;
                object.serialize_entry("blockHash", hash)?;
                object.end()
            }
            Self::Number(number) => serializer.collect_str(&format_args!("{number:#x}")),
            Self::Latest => serializer.serialize_str("latest"),
        }
    }
}

#[cfg(test)]
mod tests;
