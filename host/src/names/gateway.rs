//! Asks the gateways of an off-chain lookup (EIP-3668): URLs that a stranger's contract wrote.
//!
//! Invariant: only https is spoken, to the public internet, unless the operator named the host; the number of requests,
//! their size and their time are bounded, whatever the contract asks for. What a gateway answers is not trusted: the
//! contract that asked for it checks it.

mod host;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alloy::primitives::{Address, Bytes, hex};
use alloy::sol_types::abi::AbiDecoderConfig;
use alloy::sol_types::{SolCall, SolError};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use url::Url;

pub(crate) use self::host::GatewayHost;
use super::contracts::BatchGateway;
use crate::net::http_client::{HttpClient, HttpError, HttpOptions, system_lookup};

/// Proofs of another chain's storage have some tens of kilobytes, in hex digits.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// No connection is kept open to hosts that any name may name.
const OPTIONS: HttpOptions =
    HttpOptions { allow_private: false, body_bytes_max: BODY_BYTES_MAX, gzip: false, idle_connections_max: 0 };
/// Of a batch, with whatever it points to more than once.
const BATCH_MEMORY_MAX: usize = 256 * 1024;
/// The client's own bound of a URL is near; common servers take 8 KiB.
const URL_BYTES_MAX: usize = 60 * 1024;
/// One host and its stand-ins.
const URLS_MAX: usize = 4;
/// Tried for one record, with all that its lookups are batches of.
pub(super) const FETCHES_MAX: usize = 16;
/// A resolver that batches, asked by the Universal Resolver which does so too, and one more.
const BATCHES_DEEP_MAX: usize = 3;
/// The next URL deserves its turn within an answer's time.
const FETCH_WITHIN: Duration = Duration::from_secs(3);
/// Of all answers at once; others wait for their turn.
const FETCHES_AT_ONCE_MAX: usize = 64;
/// ENSIP-21: whoever reads this URL does what a batch gateway does.
pub(super) const LOCAL_BATCH: &str = "x-batch-gateway:true";

/// Why an off-chain lookup came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GatewayFault {
    #[error("the gateway of the name did not answer in time")]
    Timeout,
    #[error("the gateway of the name cannot be reached")]
    Unreachable,
    #[error("the gateway of the name is not on the public internet")]
    NotPublic,
    #[error("the gateway of the name is not asked over https")]
    NotHttps,
    #[error("the resolver of the name tells no gateway that can be asked")]
    NoUrl,
    #[error("the gateway of the name answered with status {0}")]
    Status(u16),
    #[error("the gateway of the name answered with a redirect ({0}), which is not followed")]
    Redirect(u16),
    #[error("the gateway of the name answered more than {BODY_BYTES_MAX} bytes")]
    TooLarge,
    #[error("the gateway of the name answered what EIP-3668 does not know")]
    Malformed,
    #[error("the resolver of the name does not accept what its gateway answered")]
    Rejected,
    #[error("the resolver of the name asks too many gateways")]
    TooMany,
    #[error("the resolver of the name asks for lookups without end")]
    Endless,
    #[error("the resolver of the name asks in the name of another contract")]
    Sender,
    #[error("the resolver of the name asks for a lookup that EIP-3668 does not know")]
    Lookup,
}

impl GatewayFault {
    /// Whether another gateway of the same lookup may be asked: a refusal is about what is asked.
    fn is_final(self) -> bool {
        matches!(self, Self::Status(400..500) | Self::TooMany)
    }
}

impl From<HttpError> for GatewayFault {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Url => Self::NoUrl,
            HttpError::NotPublic => Self::NotPublic,
            HttpError::Unreachable | HttpError::Body | HttpError::Encoding => Self::Unreachable,
            HttpError::Status(status @ 300..400) => Self::Redirect(status),
            HttpError::Status(status) => Self::Status(status),
            HttpError::TooLarge => Self::TooLarge,
        }
    }
}

/// What is asked of a gateway.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) sender: Address,
    pub(super) urls: Vec<String>,
    pub(super) data: Bytes,
}

/// Asks gateways.
#[derive(Debug)]
pub(super) struct Gateways {
    public: HttpClient,
    named: HttpClient,
    hosts: Vec<GatewayHost>,
    at_once: Semaphore,
    fetch_within: Duration,
}

/// What a lookup came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) data: Bytes,
    /// Of a part of a batch, told to the contract within the data: it may do without.
    pub(super) fault: Option<GatewayFault>,
}

/// One lookup: what it has left, and what went wrong within.
struct Errand<'a> {
    fetches_left: &'a AtomicUsize,
    fault: OnceLock<GatewayFault>,
    until: Instant,
}

impl Gateways {
    /// `hosts` are those of the operator.
    pub(super) fn new(hosts: Vec<GatewayHost>) -> Self {
        Self {
            public: HttpClient::new(OPTIONS, system_lookup()),
            named: HttpClient::new(HttpOptions { allow_private: true, ..OPTIONS }, system_lookup()),
            hosts,
            at_once: Semaphore::new(FETCHES_AT_ONCE_MAX),
            fetch_within: FETCH_WITHIN,
        }
    }

    /// What the first gateway answers that does. `fetches_left` is counted down.
    pub(super) async fn ask(
        &self,
        request: &Request,
        fetches_left: &AtomicUsize,
        until: Instant,
    ) -> Result<Found, GatewayFault> {
        let errand = Errand { fetches_left, fault: OnceLock::new(), until };
        let data = self.answer(&errand, request, 0).await?;
        Ok(Found { data, fault: errand.fault.get().copied() })
    }

    fn answer<'a>(
        &'a self,
        errand: &'a Errand<'a>,
        request: &'a Request,
        batches_deep: usize,
    ) -> BoxFuture<'a, Result<Bytes, GatewayFault>> {
        async move {
            if request.urls.iter().any(|url| url == LOCAL_BATCH) {
                return self.batch(errand, &request.data, batches_deep + 1).await;
            }
            let mut fault = GatewayFault::NoUrl;
            for url in request.urls.iter().take(URLS_MAX) {
                match self.fetch(errand, url, request).await {
                    Err(each) if !each.is_final() => fault = each,
                    end => return end,
                }
            }
            Err(fault)
        }
        .boxed()
    }

    /// Does what a batch gateway does: asks for all at once, and tells of each whether it failed.
    /// <https://docs.ens.domains/ensip/21>
    async fn batch(&self, errand: &Errand<'_>, data: &[u8], batches_deep: usize) -> Result<Bytes, GatewayFault> {
        if batches_deep > BATCHES_DEEP_MAX {
            return Err(GatewayFault::TooMany);
        }
        let bounded = AbiDecoderConfig::new().memory_limit(BATCH_MEMORY_MAX);
        let asked =
            BatchGateway::queryCall::abi_decode_with_config(data, bounded).map_err(|_| GatewayFault::Lookup)?.requests;
        if asked.len() > FETCHES_MAX {
            return Err(GatewayFault::TooMany);
        }
        let request = |BatchGateway::Request { sender, urls, data }| Request { sender, urls, data };
        let requests: Vec<Request> = asked.into_iter().map(request).collect();
        let answers = join_all(requests.iter().map(|request| self.answer(errand, request, batches_deep))).await;
        for fault in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            // The first one is told.
            let _ = errand.fault.set(*fault);
        }
        let failures = answers.iter().map(Result::is_err).collect();
        let responses = answers.into_iter().map(|answer| answer.unwrap_or_else(told)).collect();
        let returned = BatchGateway::queryReturn { failures, responses };
        Ok(BatchGateway::queryCall::abi_encode_returns(&returned).into())
    }

    async fn fetch(&self, errand: &Errand<'_>, template: &str, request: &Request) -> Result<Bytes, GatewayFault> {
        let take = |left: usize| left.checked_sub(1);
        if errand.fetches_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Err(GatewayFault::TooMany);
        }
        let (url, payload) = target(template, request)?;
        let is_named = self.hosts.iter().any(|host| host.is_of(&url));
        if url.scheme() != "https" && !(is_named && url.scheme() == "http") {
            return Err(GatewayFault::NotHttps);
        }
        let client = if is_named { &self.named } else { &self.public };
        let fetch = async {
            let _turn = self.at_once.acquire().await.map_err(|_| GatewayFault::Unreachable)?;
            let body = match payload {
                None => client.get(url.as_str()).await?,
                Some(payload) => client.post(url.as_str(), payload).await?,
            };
            let Answer { data } = serde_json::from_slice(&body).map_err(|_| GatewayFault::Malformed)?;
            let digits = data.strip_prefix("0x").ok_or(GatewayFault::Malformed)?;
            hex::decode(digits).map(Bytes::from).map_err(|_| GatewayFault::Malformed)
        };
        let until = errand.until.min(Instant::now() + self.fetch_within);
        timeout_at(until, fetch).await.unwrap_or(Err(GatewayFault::Timeout))
    }
}

#[derive(Serialize)]
struct Payload {
    data: Bytes,
    sender: Address,
}

#[derive(Deserialize)]
struct Answer {
    data: String,
}

/// The URL to ask, and what to POST there unless it has the data in it.
fn target(template: &str, request: &Request) -> Result<(Url, Option<bytes::Bytes>), GatewayFault> {
    let is_get = template.contains("{data}");
    // Before anything is written in it: the data may stand there more than once.
    let length = template.len() + template.matches("{data}").count() * 2 * request.data.len();
    if length > URL_BYTES_MAX {
        return Err(GatewayFault::NoUrl);
    }
    let (sender, data) = (format!("{:#x}", request.sender), request.data.to_string());
    let url = template.replace("{sender}", &sender).replace("{data}", &data);
    let url = Url::parse(&url).map_err(|_| GatewayFault::NoUrl)?;
    if is_get {
        return Ok((url, None));
    }
    let payload = Payload { data: request.data.clone(), sender: request.sender };
    let payload = serde_json::to_vec(&payload).map_err(|_| GatewayFault::Malformed)?;
    Ok((url, Some(payload.into())))
}

/// A failure as ENSIP-21 tells it to contracts.
fn told(fault: GatewayFault) -> Bytes {
    let data = match fault {
        GatewayFault::Status(status) | GatewayFault::Redirect(status) => {
            BatchGateway::HttpError { status, message: fault.to_string() }.abi_encode()
        }
        fault => BatchGateway::Error { reason: fault.to_string() }.abi_encode(),
    };
    data.into()
}

#[cfg(test)]
pub(super) mod service;
#[cfg(test)]
mod tests;
