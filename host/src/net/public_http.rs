//! HTTP to hosts that others name: small documents, asked for by GET or by POST of JSON.
//!
//! Invariant: no redirect is followed, no proxy is asked, no body is longer than its bound, and unless the operator
//! said so nothing but an address of the public internet is connected to: what is checked is what is dialled.
//! Deadlines are the caller's business.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;
use url::{Host, Url};

use crate::net::public_address::is_public;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Below the 60 to 75 s after which common servers close.
const IDLE_MAX: Duration = Duration::from_secs(50);

/// Why there is no document; no text of the URL is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpFault {
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
}

/// Resolves a host's name.
pub(crate) type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The system's.
pub(crate) fn system_lookup() -> Lookup {
    Arc::new(|name| async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) }.boxed())
}

/// How much of a host's is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) body_bytes_max: usize,
    /// Connections to one host that wait for the next request.
    pub(crate) idle_max: usize,
}

/// Asks hosts that are not ours.
pub(crate) struct Stranger {
    client: Client<HttpsConnector<HttpConnector<Guarded>>, Full<Bytes>>,
    may_be_private: bool,
    bounds: Bounds,
}

impl Stranger {
    /// `may_be_private`: the operator names the hosts, wherever their names lead.
    pub(crate) fn new(may_be_private: bool, lookup: Lookup, bounds: Bounds) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(Guarded { lookup, may_be_private });
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(bounds.idle_max)
            .build(tls);
        Self { client, may_be_private, bounds }
    }

    pub(crate) async fn get(&self, url: &str) -> Result<Bytes, HttpFault> {
        self.ask(url, Request::new(Full::default())).await
    }

    pub(crate) async fn post(&self, url: &str, json: Bytes) -> Result<Bytes, HttpFault> {
        let mut request = Request::new(Full::new(json));
        *request.method_mut() = Method::POST;
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        self.ask(url, request).await
    }

    async fn ask(&self, url: &str, mut request: Request<Full<Bytes>>) -> Result<Bytes, HttpFault> {
        *request.uri_mut() = self.target(url)?;
        request.headers_mut().extend([
            (ACCEPT, JSON),
            (USER_AGENT, HeaderValue::from_static(concat!("portolan/", env!("CARGO_PKG_VERSION")))),
        ]);
        let response = self.client.request(request).await.map_err(|error| unreached(&error))?;
        if !response.status().is_success() {
            return Err(HttpFault::Status(response.status().as_u16()));
        }
        let body = Limited::new(response.into_body(), self.bounds.body_bytes_max).collect().await;
        let too_large = |error: &(dyn Error + 'static)| error.is::<LengthLimitError>();
        body.map(http_body_util::Collected::to_bytes).map_err(|error| match too_large(&*error) {
            true => HttpFault::TooLarge,
            false => HttpFault::Body,
        })
    }

    /// A host that is written as an address is never looked up, and is checked here.
    fn target(&self, url: &str) -> Result<Uri, HttpFault> {
        let url = Url::parse(url).map_err(|_| HttpFault::Url)?;
        let address = match url.host().ok_or(HttpFault::Url)? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        if !self.may_be_private && address.is_some_and(|address| !is_public(address)) {
            return Err(HttpFault::NotPublic);
        }
        url.as_str().parse().map_err(|_| HttpFault::Url)
    }
}

impl fmt::Debug for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stranger")
    }
}

/// The guard's refusal stands somewhere below the client's own error.
fn unreached(error: &(dyn Error + 'static)) -> HttpFault {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is_some_and(|inner| inner.is::<NotPublic>()) {
            return HttpFault::NotPublic;
        }
        cause = error.source();
    }
    HttpFault::Unreachable
}

#[derive(Debug, thiserror::Error)]
#[error("the name leads to no public address")]
struct NotPublic;

/// Looks at the addresses that are connected to, not at those of an earlier lookup: a name may lead elsewhere the next
/// time.
#[derive(Clone)]
struct Guarded {
    lookup: Lookup,
    may_be_private: bool,
}

impl Service<Name> for Guarded {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (looking, may_be_private) = ((self.lookup)(name.as_str().to_owned()), self.may_be_private);
        async move {
            let mut found = looking.await?;
            found.retain(|address| may_be_private || is_public(address.ip()));
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

    const BOUNDS: Bounds = Bounds { body_bytes_max: 1024, idle_max: 0 };

    fn leading_to(address: &'static str) -> Lookup {
        Arc::new(move |_| async move { Ok(vec![address.parse().unwrap()]) }.boxed())
    }

    #[tokio::test]
    async fn a_host_of_the_own_network_is_refused_however_it_is_written() {
        let stranger = Stranger::new(false, system_lookup(), BOUNDS);
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
                assert_eq!(stranger.get(&url).await, Err(HttpFault::NotPublic), "{url}");
            }
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_the_own_network_is_refused() {
        for address in ["127.0.0.1:0", "[::ffff:127.0.0.1]:0", "[fe80::1]:0"] {
            let stranger = Stranger::new(false, leading_to(address), BOUNDS);
            assert_eq!(stranger.get("https://gateway.example:1/").await, Err(HttpFault::NotPublic), "{address}");
        }
    }

    #[tokio::test]
    async fn what_the_operator_names_may_be_anywhere() {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let own = Stranger::new(true, leading_to("127.0.0.1:0"), BOUNDS);
        for host in ["127.0.0.1", "gateway.example"] {
            assert_eq!(own.get(&format!("http://{host}:{port}/")).await, Err(HttpFault::Unreachable), "{host}");
        }
    }

    #[tokio::test]
    async fn a_text_that_is_no_url_is_told() {
        let stranger = Stranger::new(false, system_lookup(), BOUNDS);
        for url in ["", "gateway.example", "https://", "data:,x", "https://exa mple/"] {
            assert_eq!(stranger.get(url).await, Err(HttpFault::Url), "{url}");
        }
    }
}
