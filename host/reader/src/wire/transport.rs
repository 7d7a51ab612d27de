//! HTTP to the endpoints: one pool of warm HTTP/1.1 and HTTP/2 connections for all of them.
//!
//! Invariant: no redirect is followed and no proxy is used. No body exceeds its bound before or after decompression,
//! nor do all of them together exceed theirs. No error or request line holds more of an endpoint's URL than HTTP
//! itself needs. Deadlines are left to the caller.

mod memory_limit;
mod reply;

use std::task::{Context, Poll};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::Full;
use hyper::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_rustls::builderstates::WantsSchemes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use percent_encoding::percent_decode_str;
use tower_service::Service;

#[cfg(test)]
pub(crate) use self::memory_limit::BODY_MAX_BYTES;
pub(crate) use self::memory_limit::{REPLIES_MAX_BYTES, ReplyMemory};
pub(crate) use self::reply::HttpReply;
use crate::RpcUrl;
use crate::wire::error::{EndpointError, RequestError};

/// Time for name lookup, TCP and TLS; three losses of the first packet take 7 s.
const CONNECT_MAX: Duration = Duration::from_secs(8);
/// Below the 60 to 75 s after which common servers close idle connections.
const IDLE_MAX: Duration = Duration::from_secs(50);
/// Maximum idle connections to a host: twice as many as one answer keeps in flight.
const IDLE_CONNECTIONS_MAX: usize = 32;
/// Maximum bytes of the buffer that each HTTP/1.1 connection reads into, and keeps while it is idle. A response's head
/// has to fit.
const READ_BUFFER_BYTES: usize = 64 << 10;
/// Interval of TCP's own checks for a dead peer.
const TCP_KEEPALIVE: Duration = Duration::from_secs(20);
/// Interval of pings, so that a dead HTTP/2 connection is detected before many requests wait on it.
const PING_EVERY: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(4);

/// Bytes that a server may send on one stream before they are read: a round trip of 50 ms at 10 MB/s.
const STREAM_WINDOW_BYTES: u32 = 512 << 10;
/// Bytes that a server may send on one connection before they are read.
const CONNECTION_WINDOW_BYTES: u32 = 2 << 20;

/// The connections to all endpoints, and the memory for their replies.
#[derive(Clone)]
pub(crate) struct Pool {
    client: Client<TimedConnector, Full<Bytes>>,
    memory: ReplyMemory,
}

impl Pool {
    pub(crate) fn new(memory: ReplyMemory) -> Self {
        Self::with_tls(HttpsConnectorBuilder::new().with_webpki_roots(), memory)
    }

    #[cfg(test)]
    pub(crate) fn trusting(roots: rustls::RootCertStore) -> Self {
        let tls = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Self::with_tls(HttpsConnectorBuilder::new().with_tls_config(tls), ReplyMemory::new(REPLIES_MAX_BYTES))
    }

    fn with_tls(tls: HttpsConnectorBuilder<WantsSchemes>, memory: ReplyMemory) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(TCP_KEEPALIVE));
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .http1_max_buf_size(READ_BUFFER_BYTES)
            .http2_initial_stream_window_size(STREAM_WINDOW_BYTES)
            .http2_initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .http2_keep_alive_interval(PING_EVERY)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .build(TimedConnector(tls.https_or_http().enable_all_versions().wrap_connector(tcp)));
        Self { client, memory }
    }
}

#[cfg(test)]
impl Default for Pool {
    fn default() -> Self {
        Self::new(ReplyMemory::new(REPLIES_MAX_BYTES))
    }
}

/// A connector with a time limit over all of its steps; the limit of the TCP connector does not cover TLS.
#[derive(Clone)]
struct TimedConnector(HttpsConnector<HttpConnector>);

impl Service<Uri> for TimedConnector {
    type Response = <HttpsConnector<HttpConnector> as Service<Uri>>::Response;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let connecting = tokio::time::timeout(CONNECT_MAX, self.0.call(to));
        async move { connecting.await? }.boxed()
    }
}

/// Posts requests to one endpoint. Target and headers are made once.
pub(crate) struct EndpointClient {
    pool: Pool,
    /// Without user and password, so that the pool's own logs do not hold them. `None` only for a URL that is too
    /// long, because [`RpcUrl`] checks all else; the endpoint is then unreachable.
    target: Option<Uri>,
    headers: HeaderMap,
}

impl EndpointClient {
    pub(crate) fn new(pool: Pool, url: &RpcUrl) -> Self {
        let mut target = url.expose().clone();
        let mut headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (ACCEPT_ENCODING, HeaderValue::from_static("gzip")),
        ]);
        headers.extend(authorization(&target).map(|value| (AUTHORIZATION, value)));
        // Neither can fail for a URL that has a host, as http and https URLs do.
        let _ = target.set_username("");
        let _ = target.set_password(None);
        Self { pool, target: target.as_str().parse().ok(), headers }
    }

    pub(crate) async fn post(&self, body: Vec<u8>) -> Result<HttpReply, RequestError> {
        let target = self.target.clone().ok_or(EndpointError::Unreachable)?;
        let mut request = Request::new(Full::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = target;
        request.headers_mut().clone_from(&self.headers);
        let response = self.pool.client.request(request).await.map_err(|_| EndpointError::Unreachable)?;
        HttpReply::read(response, &self.pool.memory).await
    }
}

/// Returns the basic authentication (RFC 7617) for the user and password of the URL.
fn authorization(url: &url::Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut pair: Vec<u8> = percent_decode_str(url.username()).collect();
    pair.push(b':');
    pair.extend(percent_decode_str(url.password().unwrap_or_default()));
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests;
