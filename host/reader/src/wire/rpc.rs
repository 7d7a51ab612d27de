//! JSON-RPC 2.0 with one endpoint: single requests, pairs and batches of them, each with an id of its own.
//!
//! Invariant: a result is taken only from a whole reply with the id of the request; anything else is an error.
//! Deadlines, retries and knowledge about the endpoint are left to the caller.

mod body;
mod reply;

use std::sync::atomic::{AtomicU64, Ordering};

use alloy::primitives::{Address, B256, Bytes, U64};
use hyper::StatusCode;
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap, Serializer};
use tokio::task::spawn_blocking;

pub(crate) use self::reply::{batch_reply, call_reply, pair_reply, pair_results, request_reply};
use crate::RpcUrl;
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::transport::{EndpointClient, HttpReply, Pool};

/// Larger replies are parsed on another thread, because they would block a task for too long. 256 KiB is a receipt of
/// some 300 logs, 4,000 words.
const LARGE_BYTES: usize = 256 << 10;

/// The method that returns the chain id.
pub(crate) const CHAIN_ID: &str = "eth_chainId";

/// The results of a batch of two.
pub(crate) type Both<A, B> = (Result<A, RequestError>, Result<B, RequestError>);

/// The result of a request, and the chain id that was reported with it.
pub(crate) type WithChainId<R> = Both<R, U64>;

/// Makes JSON-RPC requests to one endpoint.
pub(crate) struct JsonRpc {
    client: EndpointClient,
    last_id: AtomicU64,
}

/// The transaction object of `eth_call`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EthCall<'a> {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) data: &'a [u8],
    pub(crate) gas: Option<u64>,
    /// State override: the code at `to` during this call.
    pub(crate) code: Option<&'a [u8]>,
}

/// The block at which a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockId {
    /// EIP-1898.
    Hash(B256),
    Number(u64),
    Latest,
}

impl JsonRpc {
    pub(crate) fn new(pool: Pool, url: &RpcUrl) -> Self {
        Self { client: EndpointClient::new(pool, url), last_id: AtomicU64::new(0) }
    }

    /// Makes an `eth_call` and returns the contract's return data.
    pub(crate) async fn call(&self, call: &EthCall<'_>, at: BlockId) -> Result<Bytes, RequestError> {
        let id = self.next_id();
        let http = self.client.post(body::call(id, call, at)).await?;
        parse(http, move |body| call_reply(body, id)).await
    }

    /// Makes an `eth_call` together with a request for the chain id.
    pub(crate) async fn call_with_chain_id(
        &self,
        call: &EthCall<'_>,
        at: BlockId,
    ) -> Result<WithChainId<Bytes>, RequestError> {
        let id = self.next_id();
        self.with_chain_id(id, body::call(id, call, at)).await
    }

    /// Calls any other method together with a request for the chain id.
    pub(crate) async fn request_with_chain_id<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<WithChainId<R>, RequestError> {
        let id = self.next_id();
        self.with_chain_id(id, body::request(id, method, params)?).await
    }

    async fn with_chain_id<R: DeserializeOwned + Send + 'static>(
        &self,
        id: u64,
        request: Vec<u8>,
    ) -> Result<WithChainId<R>, RequestError> {
        let last = self.next_id();
        let http = self.client.post(body::batch(&[request, body::request(last, CHAIN_ID, &())?])).await?;
        parse(http, move |body| pair_results(body, [id, last])).await
    }

    /// Calls any other method. A result that does not decode as `R` is [`EndpointError::Malformed`].
    pub(crate) async fn request<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<R, RequestError> {
        let id = self.next_id();
        let http = self.client.post(body::request(id, method, params)?).await?;
        parse(http, move |body| request_reply(body, id)).await
    }

    /// Calls two methods with the same parameters in one batch, and returns both results.
    pub(crate) async fn pair<A, B>(
        &self,
        methods: [&'static str; 2],
        params: &impl Serialize,
    ) -> Result<(A, B), RequestError>
    where
        A: DeserializeOwned + Send + 'static,
        B: DeserializeOwned + Send + 'static,
    {
        let [first, second] = methods;
        let ids @ [one, other] = methods.map(|_| self.next_id());
        let requests = [body::request(one, first, params)?, body::request(other, second, params)?];
        let http = self.client.post(body::batch(&requests)).await?;
        parse(http, move |body| pair_reply(body, ids)).await
    }

    /// Calls one method with each of these parameters in one batch, and returns the results in order. The outer error
    /// is about the whole batch.
    pub(crate) async fn batch<R: DeserializeOwned + Send + 'static, P: Serialize>(
        &self,
        method: &'static str,
        params: &[P],
    ) -> Result<Vec<Result<R, RequestError>>, RequestError> {
        let ids: Vec<u64> = params.iter().map(|_| self.next_id()).collect();
        let requests = ids.iter().zip(params).map(|(id, params)| body::request(*id, method, params));
        let requests = requests.collect::<Result<Vec<_>, _>>()?;
        let http = self.client.post(body::batch(&requests)).await?;
        parse(http, move |body| batch_reply(body, &ids)).await
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}

/// Parses a reply; a large one outside of the runtime's workers. The room for replies bounds how many there are.
async fn parse<R: Send + 'static>(
    http: HttpReply,
    parse: impl FnOnce(&[u8]) -> Result<R, RequestError> + Send + 'static,
) -> Result<R, RequestError> {
    if http.body.len() <= LARGE_BYTES {
        return with_status(&http, parse(&http.body));
    }
    let parsing = spawn_blocking(move || with_status(&http, parse(&http.body)));
    parsing.await.unwrap_or(Err(RequestError::Endpoint(EndpointError::Malformed)))
}

/// Combines the body's result with the HTTP status. A JSON-RPC error is more precise than a status. But a result
/// counts only with a successful status, and a refused key is not about the request.
fn with_status<R>(http: &HttpReply, reply: Result<R, RequestError>) -> Result<R, RequestError> {
    match reply {
        Err(RequestError::Endpoint(EndpointError::Throttled(wait))) => {
            Err(EndpointError::Throttled(http.retry_after.or(wait)).into())
        }
        _ if http.is_throttled() => Err(EndpointError::Throttled(http.retry_after).into()),
        Ok(_) | Err(RequestError::Endpoint(EndpointError::Malformed)) if !http.status.is_success() => {
            Err(EndpointError::Http(http.status.as_u16()).into())
        }
        Err(RequestError::Ambiguous(_) | RequestError::Endpoint(EndpointError::Rpc(_)))
            if matches!(http.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) =>
        {
            Err(EndpointError::Http(http.status.as_u16()).into())
        }
        reply => reply,
    }
}

impl Serialize for BlockId {
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
