//! The operators' listener: their page, health, readiness, metrics, plugins, networks, token lists, the last hour.
//!
//! Invariant: nothing here changes state or shows more of an endpoint's URL than its host, and access is checked first
//! (`access.rs`).

use std::net::IpAddr;
use std::sync::Arc;

use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, VARY};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use metrics_exporter_prometheus::PrometheusHandle;

use crate::clients::Clients;
use crate::config::OperatorAccess;
use crate::gateway::AdminHandles;
use crate::gateway::problem::{Problem, quoted};
use crate::history::History;
use crate::http::admin::access;
use crate::http::admin::prometheus;
use crate::http::content::Content;
use crate::http::problem::{ALLOW_OPERATORS, unwritable};
use crate::http::public::pages::Pages;
use crate::http::public::respond::json;
use crate::http::public::{caching, route};
use crate::http::{limit, view};
use crate::paths::WITHOUT_PARAMETERS;

/// Answers the requests of the operators' listener.
pub(in crate::http) struct Operators {
    pub(in crate::http) admin: AdminHandles,
    pub(in crate::http) clients: Arc<Clients>,
    pub(in crate::http) access: OperatorAccess,
    pub(in crate::http) pages: Pages,
    pub(in crate::http) history: Arc<History>,
    pub(in crate::http) access_log: bool,
    pub(in crate::http) metrics: PrometheusHandle,
}

impl Operators {
    /// Never fails: errors become problem documents. `local` is the address at which the request arrived, if any.
    pub(in crate::http) fn respond(&self, head: &Parts, has_body: bool, local: Option<IpAddr>) -> Response<Content> {
        self.answer(head, has_body, local).unwrap_or_else(|problem| problem.response())
    }

    fn answer(&self, head: &Parts, has_body: bool, local: Option<IpAddr>) -> Result<Response<Content>, Problem> {
        access::check(&self.access, head, local)?;
        let path = head.uri.path();
        let path = path.strip_suffix('/').unwrap_or(path);
        // HAProxy's checks are OPTIONS unless they name another method.
        let is_check = head.method == Method::OPTIONS && access::PROBES.contains(&path);
        if head.method != Method::GET && head.method != Method::HEAD && !is_check {
            return Err(Problem::MethodNotAllowed { allow: ALLOW_OPERATORS });
        }
        limit::check(head, has_body)?;
        if access::is_of_page(head.uri.path()) {
            return self.page(head);
        }
        if WITHOUT_PARAMETERS.contains(&path) {
            route::check_none(head.uri.query().unwrap_or_default())?;
        }
        let (status, body) = match path {
            "/healthz" => (StatusCode::OK, view::health()),
            "/readyz" => {
                let known = self.admin.monitor.readiness();
                let is_whole = known.degraded.is_empty() || !self.access.degraded_is_unready;
                let ready = known.reasons.is_empty() && is_whole;
                let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
                (status, view::readiness(ready, &known, self.admin.registry.isolation()))
            }
            "/metrics" => return Ok(self.metrics()),
            "/plugins" => (StatusCode::OK, view::plugins(&self.admin.registry.status())),
            "/history" => (StatusCode::OK, view::history(&self.history.points())),
            "/lists" => (StatusCode::OK, view::lists(&self.admin.token_lists.status())),
            "/networks" => (StatusCode::OK, self.networks()),
            _ => return Err(Problem::UnknownPath(format!("there is nothing at {}", quoted(path)))),
        };
        let body = body.map_err(|error| unwritable(&error))?;
        let mut response = json(Content::from(body));
        *response.status_mut() = status;
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }

    /// Returns the operators' page, or a file that it loads.
    fn page(&self, head: &Parts) -> Result<Response<Content>, Problem> {
        let path = head.uri.path();
        let (mut response, body) = self.pages.get(path).ok_or_else(|| Pages::none(path))?.into_parts();
        if caching::is_known(&head.headers, &response) {
            caching::make_not_modified(&mut response);
            return Ok(Response::from_parts(response, Content::default()));
        }
        // It is not compressed: operators are near.
        response.headers.remove(VARY);
        Ok(Response::from_parts(response, Content::of(body.bytes.clone(), true)))
    }

    fn metrics(&self) -> Response<Content> {
        prometheus::sample(&self.admin, &self.clients);
        let mut response = Response::new(self.metrics.render().into());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    fn networks(&self) -> Result<Vec<u8>, serde_json::Error> {
        view::operators_networks(self.admin.networks.iter().map(AsRef::as_ref), &self.admin.reader.status())
    }
}
