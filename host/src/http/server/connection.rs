//! One connection: HTTP/1.1 or h2c, with a bound on everything that a client can make it hold.
//!
//! Invariant: every connection ends: by its guard, by its age or when the process drains. Nothing here interprets an
//! answer.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use metrics::{Gauge, counter, gauge};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::{Instrument, Span};

use crate::clients::Caller;
use crate::gateway::problem::{FIELDS_MAX, HEADERS_BYTES_MAX, Problem, REQUEST_LINE_BYTES_MAX, TooLarge};
use crate::http::admin::operators::Operators;
use crate::http::content::Content;
use crate::http::public::mcp::{self, McpEndpoint};
use crate::http::public::respond::{PublicApi, allow_origins};
use crate::http::request_id::{self, REQUEST_ID, RequestIds};
use crate::http::server::access_log::{self, AccessRecord};
use crate::http::server::guard::{
    AnswerBody, Connection, ConnectionSlot, ConnectionStream, Expiry, NoRoom, RequestClient, Streams, in_turn,
    is_of_refused_stream,
};
use crate::http::server::malformed_request::MalformedRequestStream;
use crate::http::view;
use crate::spans;

/// Maximum age of a connection, so that no fault of a connection lasts longer.
const AGE_MAX: Duration = Duration::from_secs(3600);

/// Grace period for closing an idle connection, and for the first request of one that was accepted just before a drain.
const GOODBYE: Duration = Duration::from_secs(1);

/// Maximum bytes of a request head: the API's limits and the line ends. `limit.rs` answers oversized heads up to this;
/// beyond it the connection does, without buffering more.
const HEAD_BYTES_MAX: usize = REQUEST_LINE_BYTES_MAX + HEADERS_BYTES_MAX + 1024;

/// Overhead of a field that HTTP/2 adds to its name and value (RFC 9113, 6.5.2).
const FIELD_BYTES: usize = 32;

/// Flow-control window for request bodies, which no endpoint needs: the smallest that HTTP/2 allows for a connection.
const WINDOW_BYTES: u32 = 65_535;

/// Maximum concurrent HTTP/2 streams, as many answers as a client can sensibly await on one connection.
const STREAMS_MAX: u32 = 64;

/// Number of streams reset for a client's errors after which its connection ends.
const RESETS_MAX: usize = 64;

/// Send buffer of each HTTP/2 stream; the rest of a body waits with its answer.
const SEND_BYTES_MAX: usize = 64 * 1024;

/// Bounds on reading the rest of a refused request, so that the client sees the answer and not a connection reset.
const REFUSED_BYTES_MAX: usize = 1024 * 1024;
const REFUSED: Duration = Duration::from_millis(500);

/// How far the process is on the way to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum ServingPhase {
    Serving,
    /// `/readyz` is 503. Connections end after their next answer, so that clients and proxies use them no more.
    Leaving,
    /// Nothing new is accepted.
    Draining,
}

/// Signals that the process leaves, then drains.
#[derive(Clone, Debug)]
pub(in crate::http) struct Drain(pub(in crate::http) watch::Receiver<ServingPhase>);

impl Drain {
    /// Completes once the drain has begun.
    pub(in crate::http) async fn begun(&mut self) {
        // A dropped sender also means draining.
        let _ = self.0.wait_for(|phase| *phase == ServingPhase::Draining).await;
    }

    fn has_begun(&self) -> bool {
        *self.0.borrow() == ServingPhase::Draining
    }

    /// Returns true if connections end after their next answer.
    fn ends_connections(&self) -> bool {
        *self.0.borrow() != ServingPhase::Serving
    }
}

/// Handler of a connection's requests.
pub(in crate::http) enum Service {
    PublicApi {
        api: PublicApi,
        /// What serves assistants, if they are served here.
        mcp: Option<McpEndpoint>,
    },
    Operators(Operators),
}

impl Service {
    pub(in crate::http) fn name(&self) -> &'static str {
        match self {
            Self::PublicApi { api, .. } => api.listener.as_str(),
            Self::Operators(_) => "operators",
        }
    }

    /// Returns what serves assistants, if the request is for it.
    fn mcp(&self, uri: &Uri) -> Option<&McpEndpoint> {
        match self {
            Self::PublicApi { mcp, .. } if mcp::is_at(uri) => mcp.as_ref(),
            Self::PublicApi { .. } | Self::Operators(_) => None,
        }
    }

    fn logs_access(&self) -> bool {
        match self {
            Self::PublicApi { api, .. } => api.access_log,
            Self::Operators(operators) => operators.access_log,
        }
    }

    /// Returns the span of an answer to a client.
    fn span(&self, head: &Parts, ids: &RequestIds) -> Span {
        match self {
            // Creating a span costs a good part of sending a stored body, and it would have no children.
            Self::PublicApi { .. } if ids.trace.is_none() && is_of_a_list(&head.uri) => Span::none(),
            Self::PublicApi { .. } => {
                let route = || access_log::route(self.name(), head.uri.path());
                spans::of_answer(route, &ids.id, &head.headers)
            }
            Self::Operators(_) => Span::none(),
        }
    }

    async fn handle(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
        local: Option<IpAddr>,
    ) -> Result<Response<AnswerBody>, NoRoom> {
        let (_under_way, began) = (connection.begin(), Instant::now());
        let (head, body) = request.into_parts();
        let ids = RequestIds::of(&head.headers);
        let request_client = RequestClient::new(connection, &head.headers);
        let has_body = !body.is_end_stream();
        let (mcp, mut unread) = (self.mcp(&head.uri), Some(body));
        let taken = mcp.and_then(|_| unread.take());
        let work = async {
            let host = || ConnectionStream::new(connection, &head.headers, ids.id.clone());
            match (self, mcp.zip(taken)) {
                (_, Some((mcp, body))) => Box::pin(mcp.respond(&head, body, &request_client.caller, local, host)).await,

                (Self::PublicApi { api, .. }, None) => api.respond(&head, has_body, &request_client.caller, host).await,
                (Self::Operators(operators), None) => operators.respond(&head, has_body, local),
            }
        };
        let span = self.span(&head, &ids);
        let work = request_client.run(guarded(work));
        let response = request_id::within(ids.id.clone(), work).instrument(span.clone()).await;
        let partial = response.headers().get(view::PARTIAL).and_then(|partial| partial.to_str().ok());
        spans::end_answer(&span, response.status().as_u16(), partial);
        drop(span);
        let bytes = response.body().bytes.len();
        let mut response = counted(finished(response, &head.method), connection)?;
        self.label(&mut response, &ids);
        if mcp.is_none() {
            self.open_to_pages(&mut response);
        }
        if let Some(body) = unread.filter(|_| has_body && !head.headers.contains_key(EXPECT)) {
            read_refused(body).await;
        }
        self.record(Some(&head), Some(&request_client.caller), &response, &ids, bytes, began);
        Ok(response)
    }

    /// Answers a head that hyper refused with `status`.
    fn refuse(&self, status: StatusCode) -> Response<Content> {
        let (ids, began) = (&RequestIds::of(&HeaderMap::new()), Instant::now());
        let problem = match status {
            StatusCode::BAD_REQUEST => Problem::InvalidRequest,
            _ => Problem::RequestTooLarge(TooLarge::Head),
        };
        let response = request_id::within_now(ids.id.clone(), || problem.response());
        let mut response = finished(response, &Method::GET);
        self.label(&mut response, ids);
        self.open_to_pages(&mut response);
        self.record(None, None, &response, ids, response.body().bytes.len(), began);
        response
    }

    /// Answers a request on a stream beyond the limit. The answer has no body, which would have to wait for its
    /// client.
    fn refuse_stream(&self, request: Request<Incoming>) -> Response<AnswerBody> {
        let (head, _) = request.into_parts();
        let (ids, began) = (&RequestIds::of(&head.headers), Instant::now());
        let mut response = Problem::Overloaded.response().map(|_| AnswerBody::default());
        response.headers_mut().remove(CONTENT_TYPE);
        response.headers_mut().insert(CONTENT_LENGTH, 0.into());
        self.label(&mut response, ids);
        self.open_to_pages(&mut response);
        self.record(Some(&head), None, &response, ids, 0, began);
        response
    }

    /// Records an answer's size and duration; `head` is `None` if there was no valid request.
    fn record<B>(
        &self,
        head: Option<&Parts>,
        caller: Option<&Caller>,
        response: &Response<B>,
        ids: &RequestIds,
        bytes: usize,
        began: Instant,
    ) {
        let (listener, status, headers) = (self.name(), response.status().as_u16(), response.headers());
        let is_logged = self.logs_access();
        AccessRecord { listener, head, caller, status, headers, bytes, began, ids, is_logged }.record();
    }

    fn label<B>(&self, response: &mut Response<B>, ids: &RequestIds) {
        response.headers_mut().insert(REQUEST_ID, ids.id.clone());
    }

    /// Lets web pages of all origins read a response; assistants are served to some alone.
    fn open_to_pages<B>(&self, response: &mut Response<B>) {
        if matches!(self, Self::PublicApi { .. }) {
            allow_origins(response);
        }
    }
}

/// Returns true if a stored body answers the request.
fn is_of_a_list(uri: &Uri) -> bool {
    matches!(uri.path(), "/networks" | "/protocols" | "/protocols/coverage") && uri.query().is_none()
}

/// Turns a panic into a 500 for this request alone. The panic hook in `log.rs` reports it.
async fn guarded(work: impl Future<Output = Response<Content>>) -> Response<Content> {
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    outcome.unwrap_or_else(|_| Problem::Internal("the request could not be answered".into()).response())
}

/// Has the guard count the body until it is sent. Without room, it becomes a refusal; if too many refusals wait as
/// well, there is no response.
fn counted(response: Response<Content>, connection: &Arc<Connection>) -> Result<Response<AnswerBody>, NoRoom> {
    let (head, Content { bytes, is_shared, events }) = response.into_parts();
    if let Some(events) = events {
        return Ok(Response::from_parts(head, connection.send_events(events)));
    }
    if let Ok(body) = connection.send(bytes, is_shared) {
        return Ok(Response::from_parts(head, body));
    }
    let (head, body) = finished(Problem::Overloaded.response(), &Method::GET).into_parts();
    Ok(Response::from_parts(head, connection.send_refusal(body.bytes)?))
}

/// Adds `X-Content-Type-Options: nosniff` and, unless the status has no content, `Content-Length`; drops the body for
/// HEAD.
fn finished(mut response: Response<Content>, method: &Method) -> Response<Content> {
    let has_content = !matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if has_content && response.body().events.is_none() && !response.headers().contains_key(CONTENT_LENGTH) {
        let length = response.body().bytes.len();
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if method == Method::HEAD { response.map(|_| Content::default()) } else { response }
}

async fn read_refused(mut body: Incoming) {
    let read = async {
        let mut room_bytes = REFUSED_BYTES_MAX;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match room_bytes.checked_sub(bytes) {
                Some(left) => room_bytes = left,
                None => return,
            }
        }
    };
    // The answer is sent however this ends.
    let _ = timeout(REFUSED, read).await;
}

/// Serves a connection, accepted at `local`, until it ends. When `drain` begins, the answers under way are finished
/// first.
pub(in crate::http) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    local: Option<IpAddr>,
    slot: ConnectionSlot,
    service: Arc<Service>,
    drain: Drain,
    drain_time: Duration,
) {
    let _open = OpenGauge::new(service.name());
    let builder = builder(Streams(Arc::clone(&slot.connection)));
    let handler = service_fn(|request: Request<Incoming>| {
        let (service, connection, drain) = (service.clone(), slot.connection.clone(), drain.clone());
        async move {
            if is_of_refused_stream() {
                return Ok::<_, NoRoom>(service.refuse_stream(request));
            }
            let version = request.version();
            // Boxed: a stream holds only its request before the work begins, and only the body after it.
            let mut response = Box::pin(service.handle(request, &connection, local)).await?;
            // HTTP/2 has frames for it.
            if version < Version::HTTP_2 && drain.ends_connections() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(response)
        }
    });
    let refusing = Arc::clone(&service);
    let refuse = move |status| refusing.refuse(status);
    let stream = MalformedRequestStream::answered_by(refuse, stream, (REFUSED, REFUSED_BYTES_MAX));
    let connection = builder.serve_connection(TokioIo::new(stream), handler);
    tokio::pin!(connection);
    let mut watched = drain.clone();
    let due = async {
        tokio::select! {
            () = watched.begun() => {
                // Its first request may be on the way.
                if !slot.connection.had_request() {
                    sleep(GOODBYE).await;
                }
                Some(drain_time)
            }
            () = sleep(AGE_MAX) => Some(drain_time),
            expiry = slot.expired() => {
                tracing::debug!(listener = service.name(), reason = expiry.as_str(), "connection closed");
                if expiry == Expiry::Evicted {
                    counter!("portolan_connections_displaced_total", "listener" => service.name()).increment(1);
                }
                match expiry {
                    Expiry::Unused => Some(GOODBYE),
                    Expiry::NoRequest | Expiry::NotTaken | Expiry::Evicted => None,
                }
            }
        }
    };
    // `FuturesUnordered` polls it only when it is woken itself, not with each request.
    let mut due: FuturesUnordered<_> = [due].into_iter().collect();
    let work = async {
        slot.connection.start();
        connection.as_mut().await
    };
    let ended = tokio::select! {
        // After a wait for a worker, a request that has come counts before the time for it that is over.
        biased;
        ended = in_turn(&slot.connection, work) => Ok(ended),
        grace = due.select_next_some() => match grace {
            Some(grace) => Err(grace),
            None => return,
        }
    };
    let ended = match ended {
        Ok(ended) => Ok(ended),
        Err(grace) => {
            connection.as_mut().graceful_shutdown();
            timeout(grace, connection).await
        }
    };
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(listener = service.name(), reason = %error, "connection broken"),
        Err(_) if drain.has_begun() => tracing::warn!(listener = service.name(), "connection cut while draining"),
        Err(_) => tracing::debug!(listener = service.name(), "connection cut"),
    }
}

/// Counts an open connection in its gauge.
struct OpenGauge(Gauge);

impl OpenGauge {
    fn new(listener: &'static str) -> Self {
        let gauge = gauge!("portolan_connections", "listener" => listener);
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for OpenGauge {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

pub(in crate::http) fn builder<E>(streams: E) -> Builder<E> {
    let mut builder = Builder::new(streams);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        // Answer clients that half-close after the request.
        .half_close(true)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(FIELDS_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(HEAD_BYTES_MAX + FIELDS_MAX * FIELD_BYTES).unwrap_or(u32::MAX))
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES)
        .max_concurrent_streams(STREAMS_MAX)
        .max_local_error_reset_streams(RESETS_MAX)
        .max_send_buf_size(SEND_BYTES_MAX);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_a_problem_document() {
        let response = guarded(async { panic!("a fault") }).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[test]
    fn an_answer_to_head_keeps_its_length_and_loses_its_body() {
        let response = || Response::new(Content::from("four"));
        let to_head = finished(response(), &Method::HEAD);
        assert_eq!(to_head.headers()[CONTENT_LENGTH], "4");
        assert!(to_head.into_body().bytes.is_empty());
        assert_eq!(finished(response(), &Method::GET).into_body().bytes, "four");
    }
}
