//! Spans of answers, and their export; the spans of jobs and waves below them are made where these are.
//!
//! Invariant: spans say what was done for whom in the gateway's own words, and never an account, a name or a URL. They are of
//! the level `debug`: where nobody exports or logs them they are never made.

use hyper::HeaderMap;
use hyper::header::HeaderValue;
use tracing::field::Empty;
use tracing::{Span, debug_span};

#[cfg(not(feature = "otlp"))]
pub(crate) use crate::no_span_export::NoSpanExport as SpanExport;
#[cfg(not(feature = "otlp"))]
use crate::no_span_export::adopt;
#[cfg(feature = "otlp")]
pub(crate) use crate::span_export::SpanExport;
#[cfg(feature = "otlp")]
use crate::span_export::adopt;

/// What a span that went wrong says.
pub(crate) const ERROR: &str = "ERROR";

/// The span of an answer, below the span of its client where the request names that.
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

/// Says how an answer ended.
pub(crate) fn end_answer(span: &Span, status: u16, partial: Option<&str>) {
    if span.is_disabled() {
        return;
    }
    span.record("status", i64::from(status)).record("partial", partial);
    if status >= 500 {
        span.record("otel.status_code", ERROR);
    }
}
