//! What is recorded of each request: its figures, a line of the access log where that is on, and its id.
//!
//! Invariant: labels are of a fixed set, whatever clients request, and an id of a client's own is visible ASCII.

use std::time::Instant;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use metrics::{counter, histogram};

use super::route;
use super::view;
use crate::paths;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Longer ids of clients are not taken over.
const ID_BYTES_MAX: usize = 128;
/// Of paths that are none.
const NO_ROUTE: &str = "none";
const OPERATORS: [&str; 6] = ["healthz", "readyz", "metrics", "plugins", "networks", "lists"];

tokio::task_local! {
    /// Of the request that is being answered.
    static ID: HeaderValue;
}

/// What a request is called in logs and answers.
#[derive(Clone, Debug)]
pub(super) struct RequestIds {
    pub(super) id: HeaderValue,
    /// Of the trace that it belongs to, by W3C's `traceparent`: 32 digits of hex.
    pub(super) trace: Option<String>,
}

impl RequestIds {
    /// Those that the request brings, or an id of its own.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_id = |id: &&HeaderValue| {
            (1..=ID_BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
        };
        let id = headers.get(REQUEST_ID).filter(is_id).cloned();
        let trace = headers.get(TRACEPARENT).and_then(|header| trace_id(header.to_str().ok()?));
        Self { id: id.unwrap_or_else(new_id), trace }
    }
}

fn new_id() -> HeaderValue {
    let text = format!("{:032x}", fastrand::u128(..));
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("0"))
}

/// The trace of a `traceparent`: version, trace, parent and flags, of which the trace must not be zero.
fn trace_id(text: &str) -> Option<String> {
    let mut parts = text.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_valid = is_hex(version, 2) && is_hex(trace, 32) && is_hex(parent, 16) && is_hex(flags, 2);
    let is_set =
        version != "ff" && trace.bytes().any(|digit| digit != b'0') && parent.bytes().any(|digit| digit != b'0');
    (is_valid && is_set).then(|| trace.to_owned())
}

/// Does work for a request of that id.
pub(super) async fn within<T>(id: HeaderValue, work: impl Future<Output = T>) -> T {
    ID.scope(id, work).await
}

/// The id of the request that is being answered, if there is one.
pub(super) fn id() -> Option<String> {
    ID.try_with(|id| id.to_str().ok().map(str::to_owned)).ok().flatten()
}

/// The listener and what was requested there, as a label.
pub(super) fn route(listener: &str, path: &str) -> &'static str {
    let segments = route::segments(path);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match (listener, segments.as_slice()) {
        ("operators", [word]) => OPERATORS.into_iter().find(|known| known == word).unwrap_or(NO_ROUTE),
        ("base", segments) => paths::find(segments).map_or(NO_ROUTE, |(endpoint, _)| endpoint.as_str()),
        ("claimables", [_]) => "aggregate",
        _ => NO_ROUTE,
    }
}

/// An answered request.
pub(super) struct Answered<'a> {
    pub(super) listener: &'static str,
    pub(super) head: &'a Parts,
    pub(super) status: u16,
    pub(super) headers: &'a HeaderMap,
    pub(super) bytes: usize,
    pub(super) began: Instant,
    pub(super) ids: &'a RequestIds,
    /// Whether each request is a line of the log.
    pub(super) is_logged: bool,
}

impl Answered<'_> {
    pub(super) fn record(&self) {
        let (listener, path) = (self.listener, self.head.uri.path());
        let (route, took) = (route(listener, path), self.began.elapsed());
        let partial = self.headers.get(view::PARTIAL).and_then(|partial| partial.to_str().ok());
        let status = self.status.to_string();
        counter!("portolan_http_requests_total", "listener" => listener, "route" => route, "status" => status)
            .increment(1);
        histogram!("portolan_http_request_seconds", "listener" => listener, "route" => route)
            .record(took.as_secs_f64());
        if partial.is_some() {
            counter!("portolan_answers_partial_total", "route" => route).increment(1);
        }
        if !self.is_logged {
            return;
        }
        let id = self.ids.id.to_str().unwrap_or_default();
        let trace = self.ids.trace.as_deref();
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let (method, status, bytes) = (self.head.method.as_str(), self.status, self.bytes);
        tracing::info!(target: "portolan::access", listener, method, path, status, bytes, duration_ms, partial, id, trace, "answered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(name: HeaderName, value: &str) -> RequestIds {
        RequestIds::of(&[(name, HeaderValue::from_str(value).unwrap())].into_iter().collect())
    }

    #[test]
    fn an_id_is_taken_over_if_it_can_be_printed_and_made_otherwise() {
        assert_eq!(ids(REQUEST_ID, "abc-1").id, "abc-1");
        for odd in [String::new(), "a b".to_owned(), "a".repeat(ID_BYTES_MAX + 1)] {
            let made = ids(REQUEST_ID, &odd).id;
            assert!(made.len() == 32 && made != ids(REQUEST_ID, &odd).id, "{made:?}");
        }
    }

    #[test]
    fn a_trace_is_taken_over_from_a_sound_traceparent_alone() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let sound = format!("00-{trace}-00f067aa0ba902b7-01");
        assert_eq!(ids(TRACEPARENT, &sound).trace.as_deref(), Some(trace));
        let zero = sound.replace(trace, &"0".repeat(32));
        for odd in [&sound.replace("00-4", "ff-4"), &sound.to_uppercase(), &zero, trace, "00-1-2-3"] {
            assert_eq!(ids(TRACEPARENT, odd).trace, None, "{odd}");
        }
    }

    #[test]
    fn labels_are_of_a_fixed_set() {
        let account = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
        assert_eq!(route("base", &format!("/acme/{account}/claimables")), "claimables");
        assert_eq!(route("base", "/acme/whatever"), NO_ROUTE);
        assert_eq!(route("claimables", &format!("/{account}")), "aggregate");
        assert_eq!(route("operators", "/readyz"), "readyz");
        assert_eq!(route("operators", "/else"), NO_ROUTE);
    }
}
