//! Fetches a list over HTTP.
//!
//! Invariant: nothing takes longer than the deadline, no body is longer than a list may be, packed or unpacked, no
//! redirect is followed, and no error says more of a URL than its host.

use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HeaderValue, IF_NONE_MATCH, USER_AGENT};
use hyper::{Request, Response, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use portolan_reader::RpcUrl;

use super::schema::DOCUMENT_BYTES_MAX;

/// Nobody waits for a list; a large one over a thin line takes some seconds.
const WITHIN: Duration = Duration::from_secs(30);
/// Real ones are digests.
const ETAG_BYTES_MAX: usize = 256;

/// Fetches lists.
pub(super) struct Fetcher {
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    within: Duration,
}

/// What a host answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// The list is still the one with the entity tag that was sent.
    Unchanged,
    Document {
        body: Bytes,
        etag: Option<String>,
    },
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("no answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    #[error("cannot be reached")]
    Unreachable,
    #[error("the answer broke off")]
    Broken,
    #[error("answered with a redirect ({0}), which is not followed: configure the URL that it leads to")]
    Redirect(u16),
    #[error("answered with status {0}")]
    Status(u16),
    #[error("answered more than {DOCUMENT_BYTES_MAX} bytes")]
    TooLarge,
    #[error("answered in an encoding that was not asked for, or in broken gzip")]
    Encoding,
}

impl Fetcher {
    pub(super) fn new() -> Self {
        Self::with_deadline(WITHIN)
    }

    pub(super) fn with_deadline(within: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_all_versions();
        // Nothing is kept open for an hour.
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(tls.wrap_connector(tcp));
        Self { client, within }
    }

    /// The document at `url`, unless it is still the one with this entity tag.
    pub(super) async fn fetch(&self, url: &RpcUrl, etag: Option<&str>) -> Result<Fetched, FetchError> {
        let fetched = tokio::time::timeout(self.within, self.ask(url, etag)).await;
        fetched.unwrap_or(Err(FetchError::Timeout(self.within)))
    }

    async fn ask(&self, url: &RpcUrl, etag: Option<&str>) -> Result<Fetched, FetchError> {
        let etag = etag.and_then(|etag| HeaderValue::from_str(etag).ok());
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = url.expose().as_str().parse().map_err(|_| FetchError::Unreachable)?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("portolan/", env!("CARGO_PKG_VERSION"))));
        headers.extend(etag.clone().map(|etag| (IF_NONE_MATCH, etag)));
        let response = self.client.request(request).await.map_err(|_| FetchError::Unreachable)?;
        match response.status() {
            StatusCode::OK => document(response).await,
            StatusCode::NOT_MODIFIED if etag.is_some() => Ok(Fetched::Unchanged),
            status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
                Err(FetchError::Redirect(status.as_u16()))
            }
            status => Err(FetchError::Status(status.as_u16())),
        }
    }
}

async fn document(response: Response<Incoming>) -> Result<Fetched, FetchError> {
    let (head, body) = response.into_parts();
    let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
    let body = match Limited::new(body, DOCUMENT_BYTES_MAX).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return Err(FetchError::TooLarge),
        Err(_) => return Err(FetchError::Broken),
    };
    let body = match text(CONTENT_ENCODING).map(str::to_ascii_lowercase).as_deref() {
        None | Some("identity") => body,
        Some("gzip" | "x-gzip") => unpacked(body).await?,
        Some(_) => return Err(FetchError::Encoding),
    };
    let etag = text(ETAG).filter(|etag| etag.len() <= ETAG_BYTES_MAX).map(ToOwned::to_owned);
    Ok(Fetched::Document { body, etag })
}

/// Up to 16 MiB take longer to unpack than a task may hold its thread.
async fn unpacked(packed: Bytes) -> Result<Bytes, FetchError> {
    let unpack = move || {
        let mut plain = Vec::new();
        // One byte more than allowed tells a body of the allowed length from a longer one.
        let bound = u64::try_from(DOCUMENT_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
        let read = MultiGzDecoder::new(&*packed).take(bound).read_to_end(&mut plain);
        read.map_err(|_| FetchError::Encoding)?;
        if plain.len() > DOCUMENT_BYTES_MAX { Err(FetchError::TooLarge) } else { Ok(Bytes::from(plain)) }
    };
    tokio::task::spawn_blocking(unpack).await.unwrap_or(Err(FetchError::Broken))
}

#[cfg(test)]
mod tests;
