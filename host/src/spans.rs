//! Spans of answers and look-ups, and their export. Spans of jobs and batches are created where those run.
//!
//! Invariant: spans describe work in the gateway's own words, and never hold an account, a name or a URL. Their level
//! is `debug`: without an export or debug logs, they are never created.

use std::pin::pin;

use futures_util::future::poll_immediate;
use hyper::HeaderMap;
use hyper::header::HeaderValue;
use portolan_base::network::Networks;
use tracing::field::Empty;
use tracing::{Instrument, Span, debug_span};

#[cfg(not(feature = "otlp"))]
pub(crate) use crate::no_span_export::NoSpanExport as SpanExport;
#[cfg(not(feature = "otlp"))]
use crate::no_span_export::adopt;
#[cfg(feature = "otlp")]
pub(crate) use crate::span_export::SpanExport;
#[cfg(feature = "otlp")]
use crate::span_export::adopt;

/// Status code of a failed span.
pub(crate) const ERROR: &str = "ERROR";

/// Creates the span of an answer, as a child of the client's span if the request names one.
pub(crate) fn of_answer(route: impl FnOnce() -> &'static str, id: &HeaderValue, headers: &HeaderMap) -> Span {
    let span = debug_span!(
        "answer",
        otel.kind = "server",
        route = route(),
        request_id = id.to_str().unwrap_or_default(),
        status = Empty,
        partial = Empty,
        otel.status_code = Empty,
    );
    if !span.is_disabled() {
        adopt(&span, headers);
    }
    span
}

/// Traces a look-up by one request to a network: a block, a transaction, the price of gas. A result that is ready at
/// once has no span.
pub(crate) async fn lookup<T, E>(
    what: &'static str,
    networks: &Networks,
    chain_id: u64,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut work = pin!(work);
    if let Some(found) = poll_immediate(work.as_mut()).await {
        return found;
    }
    let network = networks.with_chain_id(chain_id).map(|network| network.slug.as_str());
    let chain_id = i64::try_from(chain_id).unwrap_or(i64::MAX);
    let span = debug_span!("lookup", what, network, chain_id, otel.status_code = Empty);
    let found = work.instrument(span.clone()).await;
    if found.is_err() {
        span.record("otel.status_code", ERROR);
    }
    found
}

/// Records how an answer ended.
pub(crate) fn end_answer(span: &Span, status: u16, partial: Option<&str>) {
    if span.is_disabled() {
        return;
    }
    span.record("status", i64::from(status)).record("partial", partial);
    if status >= 500 {
        span.record("otel.status_code", ERROR);
    }
}
