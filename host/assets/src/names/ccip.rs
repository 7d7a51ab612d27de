//! CCIP Read (EIP-3668): queries the gateways of an off-chain lookup, whose URLs come from untrusted contracts.
//!
//! Invariant: only https to port 443 of public addresses is used, unless the operator named the host. The answer's
//! budget bounds the number of requests, and their size and time are bounded, whatever the contract requests. A
//! gateway's answer is not trusted: the contract that requested it verifies it.

mod host;
mod limiter;

use std::sync::OnceLock;
use std::time::Duration;

use alloy::primitives::{Address, Bytes, hex};
use alloy::sol_types::abi::AbiDecoderConfig;
use alloy::sol_types::{SolCall, SolError};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use portolan_base::net::http_client::{HttpClient, HttpError, HttpOptions, system_lookup};
use portolan_base::net::outgoing_budget::OutgoingBudget;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

pub use self::host::GatewayHost;
use self::limiter::{GatewayLimiter, Route};
use super::contracts::BatchGateway;

/// Maximum bytes of a reply; proofs of another chain's storage have some tens of kilobytes, in hex digits.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// Connections to hosts that any name may choose are not kept open.
const OPTIONS: HttpOptions =
    HttpOptions { allow_private: false, body_bytes_max: BODY_BYTES_MAX, gzip: false, idle_connections_max: 0 };
/// Maximum bytes of a decoded batch, counting data that it refers to repeatedly.
const BATCH_MEMORY_MAX: usize = 256 * 1024;
/// Maximum bytes of a URL, near the HTTP client's own bound; common servers accept 8 KiB.
const URL_BYTES_MAX: usize = 60 * 1024;
/// Maximum gateways of a lookup: one host and its replacements.
pub(super) const URLS_MAX: usize = 4;
/// Maximum requests of one batch. ENSIP-21 leaves it to clients; a name has fewer records.
const BATCH_REQUESTS_MAX: usize = 16;
/// The port of https.
const PORT: u16 = 443;
/// Maximum depth of batches: a resolver that batches, the Universal Resolver that calls it and batches too, and one
/// more.
const BATCH_DEPTH_MAX: usize = 3;
/// Time of one request, from its permit on, so that the next URL can be tried within an answer's time.
const FETCH_WITHIN: Duration = Duration::from_secs(3);
/// The URL by which ENSIP-21 requests that the client itself act as batch gateway.
pub(super) const LOCAL_BATCH: &str = "x-batch-gateway:true";

/// Reason why an off-chain lookup failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    #[error("the gateway of the name did not answer in time")]
    Timeout,
    #[error("the gateway of the name cannot be reached")]
    Unreachable,
    /// The same message as for an unreachable host: otherwise names could probe which hosts this network knows.
    #[error("the gateway of the name cannot be reached")]
    NotPublic,
    #[error("the gateway of the name is not an https URL")]
    NotHttps,
    #[error("the gateway of the name is not at port {PORT}")]
    Port,
    #[error("the resolver of the name names no usable gateway")]
    NoUrl,
    #[error("the gateway of the name answered with status {0}")]
    Status(u16),
    #[error("the gateway of the name answered with a redirect ({0}), which is not followed")]
    Redirect(u16),
    #[error("the gateway of the name answered more than {BODY_BYTES_MAX} bytes")]
    TooLarge,
    #[error("the gateway of the name returned a response that EIP-3668 does not define")]
    Malformed,
    #[error("the resolver of the name does not accept what its gateway answered")]
    Rejected,
    #[error("the resolver of the name needs too many gateways")]
    TooMany,
    #[error("the gateway of the name gets no more requests for one answer")]
    TooManyOfHost,
    #[error("the resolver of the name needs lookups without end")]
    Endless,
    #[error("the resolver of the name requests a lookup on behalf of another contract")]
    Sender,
    #[error("the resolver of the name requests a lookup that EIP-3668 does not define")]
    Lookup,
}

impl GatewayError {
    /// Returns true if no other gateway of the lookup may be queried, because the refusal concerns the request
    /// itself.
    fn is_final(self) -> bool {
        matches!(self, Self::Status(400..500) | Self::TooMany)
    }

    /// Returns true if the answer's budget allows no further request.
    pub(crate) fn is_over_budget(self) -> bool {
        matches!(self, Self::TooMany | Self::TooManyOfHost)
    }
}

impl From<HttpError> for GatewayError {
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

/// A request to the gateways of a lookup.
#[derive(Clone, Debug)]
pub(super) struct GatewayRequest {
    pub(super) sender: Address,
    /// The contract that named the URLs; its requests share its permits.
    pub(super) named_by: Address,
    pub(super) urls: Vec<String>,
    pub(super) data: Bytes,
}

/// Queries gateways.
#[derive(Debug)]
pub(super) struct Gateways {
    public: HttpClient,
    named: HttpClient,
    hosts: Vec<GatewayHost>,
    /// The trusted Universal Resolver: it reports truly which resolver it called.
    universal: Option<Address>,
    limiter: GatewayLimiter,
    fetch_within: Duration,
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GatewayData {
    pub(super) data: Bytes,
    /// The first error of a part of a batch. The data reports it to the contract, which may do without that part.
    pub(super) partial_error: Option<GatewayError>,
}

/// One lookup: its answer's budget, and the first error of a part of it.
struct LookupState<'a> {
    outgoing: &'a OutgoingBudget,
    /// Requests of the budget that its further gateways must leave to other lookups.
    rest: u64,
    partial_error: OnceLock<GatewayError>,
    until: Instant,
}

impl Gateways {
    /// `hosts` and the Universal Resolver are those that the operator names.
    pub(super) fn new(hosts: Vec<GatewayHost>, universal: Option<Address>) -> Self {
        Self {
            public: HttpClient::new(OPTIONS, system_lookup()),
            named: HttpClient::new(HttpOptions { allow_private: true, ..OPTIONS }, system_lookup()),
            hosts,
            universal,
            limiter: GatewayLimiter::new(),
            fetch_within: FETCH_WITHIN,
        }
    }

    /// Returns the answer of the first gateway that has one. Requests are charged to the budget, of which gateways
    /// after the first must leave `rest`.
    pub(super) async fn query(
        &self,
        request: &GatewayRequest,
        outgoing: &OutgoingBudget,
        rest: u64,
        until: Instant,
    ) -> Result<GatewayData, GatewayError> {
        let state = LookupState { outgoing, rest, partial_error: OnceLock::new(), until };
        let data = self.answer(&state, request, 0).await?;
        Ok(GatewayData { data, partial_error: state.partial_error.get().copied() })
    }

    fn answer<'a>(
        &'a self,
        state: &'a LookupState<'a>,
        request: &'a GatewayRequest,
        batch_depth: usize,
    ) -> BoxFuture<'a, Result<Bytes, GatewayError>> {
        async move {
            if request.urls.iter().any(|url| url == LOCAL_BATCH) {
                return self.batch(state, request, batch_depth + 1).await;
            }
            let mut error = GatewayError::NoUrl;
            for (place, url) in request.urls.iter().take(URLS_MAX).enumerate() {
                let rest = if place == 0 { 0 } else { state.rest };
                if !state.outgoing.take_leaving(rest) {
                    return Err(GatewayError::TooMany);
                }
                match self.fetch(state, url, request).await {
                    Err(each) if !each.is_final() => error = each,
                    end => return end,
                }
            }
            Err(error)
        }
        .boxed()
    }

    /// Acts as a batch gateway: sends all requests concurrently, and reports for each whether it failed.
    /// <https://docs.ens.domains/ensip/21>
    async fn batch(
        &self,
        state: &LookupState<'_>,
        outer: &GatewayRequest,
        batch_depth: usize,
    ) -> Result<Bytes, GatewayError> {
        if batch_depth > BATCH_DEPTH_MAX {
            return Err(GatewayError::TooMany);
        }
        let bounded = AbiDecoderConfig::new().memory_limit(BATCH_MEMORY_MAX);
        let query = BatchGateway::queryCall::abi_decode_with_config(&outer.data, bounded);
        let requests = query.map_err(|_| GatewayError::Lookup)?.requests;
        if requests.len() > BATCH_REQUESTS_MAX {
            return Err(GatewayError::TooMany);
        }
        // Any other contract, or one within a batch, could name a sender that it is not.
        let is_true = batch_depth == 1 && self.universal == Some(outer.sender);
        let request = |BatchGateway::Request { sender, urls, data }| {
            let named_by = if is_true { sender } else { outer.named_by };
            GatewayRequest { sender, named_by, urls, data }
        };
        let requests: Vec<GatewayRequest> = requests.into_iter().map(request).collect();
        let answers = join_all(requests.iter().map(|request| self.answer(state, request, batch_depth))).await;
        for error in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            // Only the first error is stored.
            let _ = state.partial_error.set(*error);
        }
        let failures = answers.iter().map(Result::is_err).collect();
        let responses = answers.into_iter().map(|answer| answer.unwrap_or_else(encode_error)).collect();
        let returned = BatchGateway::queryReturn { failures, responses };
        Ok(BatchGateway::queryCall::abi_encode_returns(&returned).into())
    }

    async fn fetch(
        &self,
        state: &LookupState<'_>,
        template: &str,
        request: &GatewayRequest,
    ) -> Result<Bytes, GatewayError> {
        let (url, payload) = target(template, request)?;
        let is_named = self.hosts.iter().any(|host| host.is_of(&url));
        if url.scheme() != "https" && !(is_named && url.scheme() == "http") {
            return Err(GatewayError::NotHttps);
        }
        if !is_named && url.port_or_known_default() != Some(PORT) {
            return Err(GatewayError::Port);
        }
        let host = url.host_str().ok_or(GatewayError::NoUrl)?.to_owned();
        // The limit per host does not apply to hosts that the operator names.
        if !is_named && !state.outgoing.take_of_host(&host) {
            return Err(GatewayError::TooManyOfHost);
        }
        let route = Route { resolver: request.named_by, host };
        let permit = timeout_at(state.until, self.limiter.take(&route)).await.unwrap_or(Err(GatewayError::Timeout))?;
        let fetching = timeout_at(state.until, timeout(self.fetch_within, self.send(&url, payload, is_named)));
        let fetched = match fetching.await {
            Ok(Ok(fetched)) => fetched,
            Ok(Err(_)) | Err(_) => Err(GatewayError::Timeout),
        };
        drop(permit);
        self.limiter.record(route, &fetched);
        fetched
    }

    async fn send(&self, url: &Url, payload: Option<bytes::Bytes>, is_named: bool) -> Result<Bytes, GatewayError> {
        let client = if is_named { &self.named } else { &self.public };
        let body = match payload {
            None => client.get(url.as_str()).await?,
            Some(payload) => client.post(url.as_str(), payload).await?,
        };
        let ResponseBody { data } = serde_json::from_slice(&body).map_err(|_| GatewayError::Malformed)?;
        let digits = data.strip_prefix("0x").ok_or(GatewayError::Malformed)?;
        hex::decode(digits).map(Bytes::from).map_err(|_| GatewayError::Malformed)
    }
}

#[derive(Serialize)]
struct RequestBody {
    data: Bytes,
    sender: Address,
}

#[derive(Deserialize)]
struct ResponseBody {
    data: String,
}

/// The URL to request, and the body to POST unless the URL contains the data.
fn target(template: &str, request: &GatewayRequest) -> Result<(Url, Option<bytes::Bytes>), GatewayError> {
    let is_get = template.contains("{data}");
    // Checked before the replacement, as the data may occur several times.
    let length = template.len() + template.matches("{data}").count() * 2 * request.data.len();
    if length > URL_BYTES_MAX {
        return Err(GatewayError::NoUrl);
    }
    let (sender, data) = (format!("{:#x}", request.sender), request.data.to_string());
    let url = template.replace("{sender}", &sender).replace("{data}", &data);
    let url = Url::parse(&url).map_err(|_| GatewayError::NoUrl)?;
    if is_get {
        return Ok((url, None));
    }
    let payload = RequestBody { data: request.data.clone(), sender: request.sender };
    let payload = serde_json::to_vec(&payload).map_err(|_| GatewayError::Malformed)?;
    Ok((url, Some(payload.into())))
}

/// Encodes an error as ENSIP-21 reports it to contracts.
fn encode_error(error: GatewayError) -> Bytes {
    let data = match error {
        GatewayError::Status(status) | GatewayError::Redirect(status) => {
            BatchGateway::HttpError { status, message: error.to_string() }.abi_encode()
        }
        error => BatchGateway::Error { reason: error.to_string() }.abi_encode(),
    };
    data.into()
}

#[cfg(test)]
pub(super) mod service;
#[cfg(test)]
mod tests;
