//! HTTP requests for small documents, by GET or by POST of JSON.
//!
//! Invariant: no redirect is followed, no proxy is used, and no body is longer than its limit, packed or unpacked.
//! Unless the operator allows others, only public addresses are connected to, and the address checked is the one
//! dialled. Deadlines are up to the caller.

use std::error::Error;
use std::fmt;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;
use url::{Host, Url};

use crate::net::max_age;
use crate::net::public_address::is_public;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Below the 60 to 75 s after which common servers close connections.
const IDLE_MAX: Duration = Duration::from_secs(50);

/// Reason why there is no document; contains no text of the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("a URL that HTTP cannot carry")]
    Url,
    #[error("a host outside of the public internet")]
    NotPublic,
    #[error("no connection, or one that broke")]
    Unreachable,
    #[error("HTTP status {0}")]
    Status(u16),
    #[error("a body that is too large")]
    TooLarge,
    #[error("a body that broke off")]
    Body,
    #[error("a body in an encoding that was not requested, or in broken gzip")]
    Encoding,
}

/// Resolves a host's name.
pub type HostLookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// Returns the system's resolver.
pub fn system_lookup() -> HostLookup {
    Arc::new(|name| async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) }.boxed())
}

/// Limits on requests and responses.
#[derive(Clone, Copy, Debug)]
pub struct HttpOptions {
    /// True if private addresses may be connected to, because the operator names the hosts.
    pub allow_private: bool,
    /// Maximum bytes of a body, packed or unpacked.
    pub body_bytes_max: usize,
    /// True if bodies may be packed with gzip.
    pub gzip: bool,
    /// Maximum idle connections to one host.
    pub idle_connections_max: usize,
}

/// A body and its entity tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedBody {
    pub body: Bytes,
    pub etag: Option<String>,
}

/// A body, its age, and the time for which its server allows caching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheableBody {
    pub(crate) body: Bytes,
    pub(crate) age: Duration,
    pub(crate) max_age: Option<Duration>,
}

/// HTTP client with fixed options.
pub struct HttpClient {
    client: Client<HttpsConnector<HttpConnector<AddressFilter>>, Full<Bytes>>,
    options: HttpOptions,
}

impl HttpClient {
    pub fn new(options: HttpOptions, lookup: HostLookup) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(AddressFilter { lookup, allow_private: options.allow_private });
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(options.idle_connections_max)
            .build(tls);
        Self { client, options }
    }

    pub async fn get(&self, url: &str) -> Result<Bytes, HttpError> {
        self.body_of_success(self.send(url, Request::new(Full::default())).await?).await
    }

    pub(crate) async fn get_cacheable(&self, url: &str) -> Result<CacheableBody, HttpError> {
        let response = self.send(url, Request::new(Full::default())).await?;
        let (age, max_age) = (max_age::age(response.headers()), max_age::max_age(response.headers()));
        Ok(CacheableBody { body: self.body_of_success(response).await?, age, max_age })
    }

    pub async fn post(&self, url: &str, json: Bytes) -> Result<Bytes, HttpError> {
        let mut request = Request::new(Full::new(json));
        *request.method_mut() = Method::POST;
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        self.body_of_success(self.send(url, request).await?).await
    }

    /// Gets a document; `None` if it still has the entity tag `etag`.
    pub async fn get_if_changed(&self, url: &str, etag: Option<&str>) -> Result<Option<TaggedBody>, HttpError> {
        let etag = etag.and_then(|etag| HeaderValue::from_str(etag).ok());
        let mut request = Request::new(Full::default());
        request.headers_mut().extend(etag.clone().map(|etag| (IF_NONE_MATCH, etag)));
        let response = self.send(url, request).await?;
        match response.status() {
            StatusCode::OK => {
                let etag = text_of(&response, ETAG).map(ToOwned::to_owned);
                Ok(Some(TaggedBody { body: self.body(response).await?, etag }))
            }
            StatusCode::NOT_MODIFIED if etag.is_some() => Ok(None),
            status => Err(HttpError::Status(status.as_u16())),
        }
    }

    async fn send(&self, url: &str, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, HttpError> {
        *request.uri_mut() = self.target(url)?;
        request.headers_mut().extend([
            (ACCEPT, JSON),
            (USER_AGENT, HeaderValue::from_static(concat!("portolan/", env!("CARGO_PKG_VERSION")))),
        ]);
        if self.options.gzip {
            request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        }
        self.client.request(request).await.map_err(|error| classify_error(&error))
    }

    async fn body_of_success(&self, response: Response<Incoming>) -> Result<Bytes, HttpError> {
        if !response.status().is_success() {
            return Err(HttpError::Status(response.status().as_u16()));
        }
        self.body(response).await
    }

    async fn body(&self, response: Response<Incoming>) -> Result<Bytes, HttpError> {
        let encoding = text_of(&response, CONTENT_ENCODING).map(str::to_ascii_lowercase);
        let body = Limited::new(response.into_body(), self.options.body_bytes_max).collect().await;
        let is_too_large = |error: &(dyn Error + 'static)| error.is::<LengthLimitError>();
        let body = body.map(http_body_util::Collected::to_bytes).map_err(|error| match is_too_large(&*error) {
            true => HttpError::TooLarge,
            false => HttpError::Body,
        })?;
        match encoding.as_deref().filter(|_| self.options.gzip) {
            None | Some("identity") => Ok(body),
            Some("gzip" | "x-gzip") => gunzip(body, self.options.body_bytes_max).await,
            Some(_) => Err(HttpError::Encoding),
        }
    }

    /// Checks hosts that are written as addresses, which the resolver never sees.
    fn target(&self, url: &str) -> Result<Uri, HttpError> {
        let url = Url::parse(url).map_err(|_| HttpError::Url)?;
        let address = match url.host().ok_or(HttpError::Url)? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        if !self.options.allow_private && address.is_some_and(|address| !is_public(address)) {
            return Err(HttpError::NotPublic);
        }
        url.as_str().parse().map_err(|_| HttpError::Url)
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("options", &self.options).finish_non_exhaustive()
    }
}

fn text_of(response: &Response<Incoming>, name: HeaderName) -> Option<&str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Unpacks on a blocking thread, since a large body takes longer than a task may hold its worker.
async fn gunzip(packed: Bytes, bytes_max: usize) -> Result<Bytes, HttpError> {
    let unpack = move || {
        let mut plain = Vec::new();
        // One byte more than allowed distinguishes a body of the allowed length from a longer one.
        let bound = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
        let read = MultiGzDecoder::new(&*packed).take(bound).read_to_end(&mut plain);
        read.map_err(|_| HttpError::Encoding)?;
        if plain.len() > bytes_max { Err(HttpError::TooLarge) } else { Ok(Bytes::from(plain)) }
    };
    tokio::task::spawn_blocking(unpack).await.unwrap_or(Err(HttpError::Body))
}

/// Classifies an error; the address filter's refusal is somewhere below the client's own error.
fn classify_error(error: &(dyn Error + 'static)) -> HttpError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is_some_and(|inner| inner.is::<NotPublic>()) {
            return HttpError::NotPublic;
        }
        cause = error.source();
    }
    HttpError::Unreachable
}

#[derive(Debug, thiserror::Error)]
#[error("the name leads to no public address")]
struct NotPublic;

/// Filters the addresses that are connected to, since a name may resolve differently at the next lookup.
#[derive(Clone)]
struct AddressFilter {
    lookup: HostLookup,
    allow_private: bool,
}

impl Service<Name> for AddressFilter {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (lookup, allow_private) = ((self.lookup)(name.as_str().to_owned()), self.allow_private);
        async move {
            let mut found = lookup.await?;
            found.retain(|address| allow_private || is_public(address.ip()));
            if found.is_empty() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, NotPublic));
            }
            Ok(found.into_iter())
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: HttpOptions =
        HttpOptions { allow_private: false, body_bytes_max: 1024, gzip: false, idle_connections_max: 0 };
    const PRIVATE: HttpOptions = HttpOptions { allow_private: true, ..PUBLIC };

    fn leading_to(address: &'static str) -> HostLookup {
        Arc::new(move |_| async move { Ok(vec![address.parse().unwrap()]) }.boxed())
    }

    #[tokio::test]
    async fn a_host_of_the_own_network_is_refused_however_it_is_written() {
        let client = HttpClient::new(PUBLIC, system_lookup());
        for host in [
            "127.0.0.1",
            "[::1]",
            "[::ffff:10.0.0.1]",
            "[::ffff:7f00:1]",
            "169.254.169.254",
            "0x7f000001",
            "2130706433",
            "127.1",
            "0.0.0.0",
            "[fd00::1]",
            "[64:ff9b::7f00:1]",
        ] {
            for scheme in ["https", "http"] {
                let url = format!("{scheme}://{host}:1/");
                assert_eq!(client.get(&url).await, Err(HttpError::NotPublic), "{url}");
            }
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_the_own_network_is_refused() {
        for address in ["127.0.0.1:0", "[::ffff:127.0.0.1]:0", "[fe80::1]:0"] {
            let client = HttpClient::new(PUBLIC, leading_to(address));
            assert_eq!(client.get("https://gateway.example:1/").await, Err(HttpError::NotPublic), "{address}");
        }
    }

    #[tokio::test]
    async fn what_the_operator_names_may_be_anywhere() {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let own = HttpClient::new(PRIVATE, leading_to("127.0.0.1:0"));
        for host in ["127.0.0.1", "gateway.example"] {
            assert_eq!(own.get(&format!("http://{host}:{port}/")).await, Err(HttpError::Unreachable), "{host}");
        }
    }

    #[tokio::test]
    async fn a_text_that_is_no_url_is_refused() {
        let client = HttpClient::new(PUBLIC, system_lookup());
        for url in ["", "gateway.example", "https://", "data:,x", "https://exa mple/"] {
            assert_eq!(client.get(url).await, Err(HttpError::Url), "{url}");
        }
    }
}
