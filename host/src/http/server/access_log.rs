//! Records each answered request: in the metrics, and in the access log if that is on.
//!
//! Invariant: labels come from a fixed set, whatever clients request.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use hyper::http::request::Parts;
use metrics::{Counter, Histogram, counter, histogram};

use crate::clients::Caller;
use crate::clients::keys::NO_KEY;
use crate::http::admin::prometheus;
use crate::http::public::route;
use crate::http::request_id::RequestIds;
use crate::http::view;
use crate::paths::{self, Endpoint};

/// Label of unknown paths.
const NO_ROUTE: &str = "none";
/// Far below the time after which idle metrics are dropped; a dropped one must be looked up again.
const FOUND_FOR: Duration = Duration::from_secs(60);
const OPERATORS: [&str; 7] = ["healthz", "readyz", "metrics", "plugins", "networks", "lists", "history"];

/// Returns the label for a path of a listener.
pub(in crate::http) fn route(listener: &str, path: &str) -> &'static str {
    let segments = route::segments(path);
    let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
    match (listener, segments.as_slice()) {
        ("operators", [""] | ["assets", ..]) => Endpoint::Explorer.as_str(),
        ("operators", [word]) => OPERATORS.into_iter().find(|known| known == word).unwrap_or(NO_ROUTE),
        ("base", ["mcp"]) => "mcp",
        ("base", segments) => paths::find(segments).map_or(NO_ROUTE, |(endpoint, _)| endpoint.as_str()),
        ("claimables", [_]) => "aggregate",
        _ => NO_ROUTE,
    }
}

/// Metrics of one listener, route and status, stored because finding them takes longer than counting.
struct RouteMetrics {
    found: Instant,
    requests: Counter,
    without_key: Counter,
    seconds: Histogram,
}

impl RouteMetrics {
    fn find(listener: &'static str, route: &'static str, status: u16) -> Self {
        let text = status.to_string();
        Self {
            found: Instant::now(),
            requests: counter!("portolan_http_requests_total", "listener" => listener, "route" => route, "status" => text),
            without_key: counter!("portolan_client_requests_total", "key" => NO_KEY),
            seconds: histogram!("portolan_http_request_seconds", "listener" => listener, "route" => route),
        }
    }
}

thread_local! {
    /// Bounded, because labels come from a fixed set.
    static METRICS: RefCell<HashMap<(&'static str, &'static str, u16), RouteMetrics>> = RefCell::default();
}

fn count(listener: &'static str, route: &'static str, status: u16, caller: Option<&Caller>, took: Duration) {
    METRICS.with_borrow_mut(|known| {
        let metrics =
            known.entry((listener, route, status)).or_insert_with(|| RouteMetrics::find(listener, route, status));
        if metrics.found.elapsed() > FOUND_FOR {
            *metrics = RouteMetrics::find(listener, route, status);
        }
        metrics.requests.increment(1);
        match caller.map(Caller::key_name) {
            Some(Some(key)) => {
                counter!("portolan_client_requests_total", "key" => key.to_owned()).increment(1);
            }
            Some(None) => metrics.without_key.increment(1),
            None => {}
        }
        metrics.seconds.record(took.as_secs_f64());
    });
}

/// An answered request.
pub(in crate::http) struct AccessRecord<'a> {
    pub(in crate::http) listener: &'static str,
    /// `None` if there was no valid request.
    pub(in crate::http) head: Option<&'a Parts>,
    /// `None` if nobody looked who it is, because the head or the stream was refused.
    pub(in crate::http) caller: Option<&'a Caller>,
    pub(in crate::http) status: u16,
    pub(in crate::http) headers: &'a HeaderMap,
    pub(in crate::http) bytes: usize,
    pub(in crate::http) began: Instant,
    pub(in crate::http) ids: &'a RequestIds,
    /// True if the access log is on.
    pub(in crate::http) is_logged: bool,
}

impl AccessRecord<'_> {
    pub(in crate::http) fn record(&self) {
        let (listener, path) = (self.listener, self.head.map(|head| head.uri.path()));
        if !prometheus::are_counted() && !self.is_logged {
            return;
        }
        let (route, took) = (path.map_or(NO_ROUTE, |path| route(listener, path)), self.began.elapsed());
        let partial = self.headers.get(view::PARTIAL).and_then(|partial| partial.to_str().ok());
        count(listener, route, self.status, self.caller, took);
        if partial.is_some() {
            counter!("portolan_answers_partial_total", "route" => route).increment(1);
        }
        if !self.is_logged {
            return;
        }
        let id = self.ids.id.to_str().unwrap_or_default();
        let trace = self.ids.trace.as_deref();
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let (method, status, bytes) = (self.head.map(|head| head.method.as_str()), self.status, self.bytes);
        let client = self.caller.and_then(|caller| caller.address).map(tracing::field::display);
        let key = self.caller.and_then(Caller::key_name);
        tracing::info!(target: "portolan::access", listener, client, key, method, path, status, bytes, duration_ms, partial, id, trace, "answered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_of_a_fixed_set() {
        let account = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
        assert_eq!(route("base", &format!("/acme/{account}/claimables")), "claimables");
        assert_eq!(route("base", "/acme/whatever"), NO_ROUTE);
        assert_eq!(route("claimables", &format!("/{account}")), "aggregate");
        assert_eq!((route("base", "/mcp"), route("claimables", "/mcp")), ("mcp", "aggregate"));
        assert_eq!(route("operators", "/readyz"), "readyz");
        assert_eq!(route("operators", "/else"), NO_ROUTE);
        for listener in ["base", "operators"] {
            assert_eq!(route(listener, "/"), "explorer");
            assert_eq!(route(listener, "/assets/main-a1.js"), "explorer");
        }
    }
}
