//! HTTP under alloy's JSON-RPC client: one pool of warm connections for all endpoints.
//!
//! Invariant: no redirect is followed, no proxy is asked, no body is longer than its bound, and no error or request
//! line holds more of an endpoint's URL than HTTP itself needs. Deadlines of requests are the endpoint's business.

use std::task::{Context, Poll};
use std::time::Duration;

use alloy::rpc::json_rpc::{RequestPacket, ResponsePacket};
use alloy::transports::{Authorization, TransportError, TransportErrorKind, TransportFut};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use crate::rpc_url::RpcUrl;

/// A full chunk of words answers in 0.2 MiB; the most that 40 million gas can return is 9 MiB in hex.
pub(super) const RESPONSE_MAX_BYTES: usize = 16 << 20;
/// Name lookup, TCP and TLS; three losses of the first packet take 7 s.
const CONNECT_MAX: Duration = Duration::from_secs(8);
/// Below the 60 to 75 s after which common servers close.
const IDLE_MAX: Duration = Duration::from_secs(50);
/// As many as one answer keeps in flight, twice.
const IDLE_CONNECTIONS_MAX: usize = 32;
/// A dead peer is found out by TCP itself.
const TCP_KEEPALIVE: Duration = Duration::from_secs(20);
/// A dead HTTP/2 connection is found out before many requests wait on it.
const PING_EVERY: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(4);

/// What can go wrong below JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TransportFault {
    #[error("no connection, or one that broke")]
    Unreachable,
    #[error("HTTP status {0}")]
    Status(u16),
    #[error("no JSON-RPC reply to this request")]
    Malformed,
    #[error("reply longer than {RESPONSE_MAX_BYTES} bytes, or request longer than the endpoint takes")]
    TooLarge,
}

impl TransportFault {
    /// The fault inside of alloy's error, where it is one of these.
    pub(super) fn of(kind: &TransportErrorKind) -> Option<Self> {
        match kind {
            TransportErrorKind::Custom(error) => error.downcast_ref().copied(),
            _ => None,
        }
    }
}

impl From<TransportFault> for TransportError {
    fn from(fault: TransportFault) -> Self {
        TransportErrorKind::custom(fault)
    }
}

/// The connections to all endpoints.
#[derive(Clone)]
pub(super) struct Pool(Client<Timed, Full<Bytes>>);

impl Pool {
    pub(super) fn new() -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(TCP_KEEPALIVE));
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_all_versions().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .http2_keep_alive_interval(PING_EVERY)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .build(Timed(connector));
        Self(client)
    }
}

/// The connector with a time limit over all of its steps; TCP's own leaves out TLS.
#[derive(Clone)]
struct Timed(HttpsConnector<HttpConnector>);

impl Service<Uri> for Timed {
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

/// One endpoint's side of the pool.
#[derive(Clone)]
pub(super) struct Transport {
    pool: Pool,
    /// Without user and password: those travel in a header, so that the pool's own logs do not hold them.
    target: url::Url,
    authorization: Option<HeaderValue>,
}

impl Transport {
    pub(super) fn new(pool: Pool, url: &RpcUrl) -> Self {
        let mut target = url.expose().clone();
        let authorization = Authorization::extract_from_url(&target).and_then(|authorization| {
            let mut value = HeaderValue::from_str(&authorization.to_string()).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        // Neither can fail for a URL that has a host, as http and https URLs do.
        let _ = target.set_username("");
        let _ = target.set_password(None);
        Self { pool, target, authorization }
    }

    async fn exchange(self, packet: RequestPacket) -> Result<ResponsePacket, TransportError> {
        let asked = packet.as_single().map(|request| request.id().clone());
        let body = packet.serialize().map_err(TransportError::ser_err)?;
        let body = Bytes::from(Box::<str>::from(body).into_string());
        let (status, reply) = self.post(body).await?;
        let parsed: Result<ResponsePacket, _> = serde_json::from_slice(&reply);
        match parsed {
            // An error may come without an id and under any status; a result may not.
            Ok(ResponsePacket::Single(reply)) if reply.is_error() => Ok(ResponsePacket::Single(reply)),
            _ if !status.is_success() => Err(TransportFault::Status(status.as_u16()).into()),
            Ok(ResponsePacket::Single(reply)) if asked.as_ref() == Some(&reply.id) => Ok(ResponsePacket::Single(reply)),
            _ => Err(TransportFault::Malformed.into()),
        }
    }

    async fn post(&self, body: Bytes) -> Result<(StatusCode, Bytes), TransportFault> {
        let mut request = Request::post(self.target.as_str()).header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(Full::new(body)).map_err(|_| TransportFault::Unreachable)?;
        let response = self.pool.0.request(request).await.map_err(|_| TransportFault::Unreachable)?;
        if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
            return Err(TransportFault::TooLarge);
        }
        let status = response.status();
        Ok((status, bounded(response).await?))
    }
}

async fn bounded(response: Response<hyper::body::Incoming>) -> Result<Bytes, TransportFault> {
    match Limited::new(response.into_body(), RESPONSE_MAX_BYTES).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(TransportFault::TooLarge),
        Err(_) => Err(TransportFault::Unreachable),
    }
}

impl Service<RequestPacket> for Transport {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, packet: RequestPacket) -> Self::Future {
        Box::pin(self.clone().exchange(packet))
    }
}
