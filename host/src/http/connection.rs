//! One connection: HTTP/1.1 or h2c, with a bound on everything that a client can make it wait for or hold.
//!
//! Invariant: a connection ends by itself: when its client is silent, does not take what is sent, is too old, or the
//! process drains. It never sees what an answer means.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, EXPECT};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use super::operators::Operators;
use super::respond::{Front, allow_origins};
use crate::gateway::problem::Problem;

/// From the end of an answer (or the start of the connection) to the end of the next request's head in HTTP/1.1: long
/// enough that clients find their connection again, short enough for those that dribble bytes.
const HEADER_READ: Duration = Duration::from_secs(30);

/// Silence on top of an answer's deadline, while which the client has nothing to say; as long as proxies keep
/// connections that they do not use.
const IDLE: Duration = Duration::from_secs(60);

/// A client that takes nothing for this long is gone.
const WRITE: Duration = Duration::from_secs(10);

/// Against clients that keep a connection busy without ever taking an answer.
const AGE_MAX: Duration = Duration::from_secs(3600);

/// The bytes of a request's head in HTTP/1.1, and of header lists in HTTP/2. Far above the limits of `limit.rs`, which can
/// answer with a document; past this the connection answers 431 without one.
const HEAD_BYTES_MAX: u32 = 256 * 1024;

/// Fields of a head in HTTP/1.1: many more than any client sends; past this the connection answers 431 without a document.
const HEADERS_MAX: usize = 512;

/// As many answers as one client can sensibly wait for on one connection.
const STREAMS_MAX: u32 = 64;

/// For each stream of HTTP/2; what does not fit waits with its answer.
const SEND_BYTES_MAX: usize = 64 * 1024;

/// A refused body is read this far, and this long, so that the client sees the answer and not a reset connection.
const REFUSED_BODY_BYTES_MAX: usize = 1024 * 1024;
const REFUSED_BODY: Duration = Duration::from_millis(500);

/// Reports when the process drains.
#[derive(Clone, Debug)]
pub(super) struct Drain(pub(super) watch::Receiver<bool>);

impl Drain {
    /// Ends when the drain begins, also when it began before.
    pub(super) async fn begun(&mut self) {
        // A sender that is gone means the same.
        let _ = self.0.wait_for(|begun| *begun).await;
    }
}

/// What the requests of a connection are answered by.
pub(super) enum Service {
    Front(Front),
    Operators(Operators),
}

impl Service {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Front(front) => front.listener.as_str(),
            Self::Operators(_) => "operators",
        }
    }

    /// The most that an answer takes.
    fn deadline(&self) -> Duration {
        match self {
            Self::Front(front) => front.deadline,
            Self::Operators(operators) => operators.deadline,
        }
    }

    async fn handle(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (head, body) = request.into_parts();
        let has_body = !body.is_end_stream();
        let work = async {
            match self {
                Self::Front(front) => front.respond(&head, has_body).await,
                Self::Operators(operators) => operators.respond(&head, has_body).await,
            }
        };
        let mut response = guarded(work).await;
        if matches!(self, Self::Front(_)) {
            allow_origins(&mut response);
        }
        if has_body && !head.headers.contains_key(EXPECT) {
            read_refused(body).await;
        }
        tracing::debug!(
            listener = self.name(),
            path = head.uri.path(),
            status = response.status().as_u16(),
            "answered"
        );
        Ok(finished(response, &head.method))
    }
}

/// A panic is a fault of one answer, not of the others on its connection. The hook of `log.rs` tells people about it.
async fn guarded(work: impl Future<Output = Response<Full<Bytes>>>) -> Response<Full<Bytes>> {
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    outcome.unwrap_or_else(|_| Problem::Internal("the request could not be answered".into()).response())
}

/// With its length, and for HEAD without its body.
fn finished(mut response: Response<Full<Bytes>>, method: &Method) -> Response<Full<Bytes>> {
    if response.status() != StatusCode::NO_CONTENT
        && let Some(length) = response.body().size_hint().exact()
    {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    if method == Method::HEAD { response.map(|_| Full::default()) } else { response }
}

async fn read_refused(mut body: Incoming) {
    let read = async {
        let mut room_bytes = REFUSED_BODY_BYTES_MAX;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match room_bytes.checked_sub(bytes) {
                Some(left) => room_bytes = left,
                None => return,
            }
        }
    };
    // However it ends, the answer is sent.
    let _ = timeout(REFUSED_BODY, read).await;
}

/// Serves a connection to its end; `drain` changing asks it to end after the answers that are under way.
pub(super) async fn serve(stream: TcpStream, service: Arc<Service>, mut drain: Drain, drain_time: Duration) {
    // Answers are written at once, so waiting to fill packets only delays them. A refusal is seen when it is used.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_read_timeout(Some(service.deadline() + IDLE));
    stream.set_write_timeout(Some(WRITE));
    let builder = builder();
    let handler = service_fn(|request| {
        let service = service.clone();
        async move { service.handle(request).await }
    });
    let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), handler);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = drain.begun() => None,
        () = sleep(AGE_MAX) => None,
    };
    let ended = match ended {
        Some(ended) => Ok(ended),
        None => {
            connection.as_mut().graceful_shutdown();
            timeout(drain_time, connection).await
        }
    };
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(listener = service.name(), reason = %error, "connection broken"),
        Err(_) => tracing::warn!(listener = service.name(), "connection cut while draining"),
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_READ)
        .max_buf_size(HEAD_BYTES_MAX as usize)
        .max_headers(HEADERS_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD_BYTES_MAX)
        .max_concurrent_streams(STREAMS_MAX)
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

    #[tokio::test]
    async fn an_answer_to_head_keeps_its_length_and_loses_its_body() {
        let response = || Response::new(Full::from("four"));
        let to_head = finished(response(), &Method::HEAD);
        assert_eq!(to_head.headers()[CONTENT_LENGTH], "4");
        assert!(to_head.into_body().collect().await.unwrap().to_bytes().is_empty());
        assert_eq!(finished(response(), &Method::GET).into_body().collect().await.unwrap().to_bytes(), "four");
    }
}
