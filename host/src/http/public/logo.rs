//! Logos as SVG: the only answers of the public listeners that are not JSON.
//!
//! Invariant: a drawing executes and loads nothing, wherever it is opened.

use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, VARY};
use hyper::http::request::Parts;
use portolan_plugins::logos;

use crate::gateway::problem::Problem;
use crate::http::content::Content;
use crate::http::limit;
use crate::http::public::caching;
use crate::http::public::route::{self, Verb};
use crate::paths::{self, Endpoint};

/// Thirty days: another version of the gateway may draw differently.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=2592000");
const SVG: HeaderValue = HeaderValue::from_static("image/svg+xml");
/// For those who open the URL itself: no script, style sheet or request, and an opaque origin.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");
const RESOURCE_POLICY: (HeaderName, HeaderValue) =
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("cross-origin"));

/// Returns the requested drawing; `None` for other paths and preflights.
pub(in crate::http) fn respond(head: &Parts, has_body: bool) -> Result<Option<Response<Content>>, Problem> {
    let segments = route::segments(head.uri.path());
    let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
    let Some((Endpoint::ProtocolLogo, values)) = paths::find(&segments) else { return Ok(None) };
    if route::verb(&head.method)? == Verb::Preflight {
        return Ok(None);
    }
    limit::check(head, has_body)?;
    let slug = values.first().and_then(|file| logos::slug_of(file));
    Ok(slug.map(|slug| drawing(logos::draw(slug))))
}

fn drawing(drawn: String) -> Response<Content> {
    let tag = caching::tag(drawn.as_bytes());
    let mut response = Response::new(drawn.into());
    let headers = response.headers_mut();
    headers.extend([(CACHE_CONTROL, CACHED), (CONTENT_SECURITY_POLICY, POLICY), RESOURCE_POLICY]);
    headers.extend([(CONTENT_TYPE, SVG), (VARY, HeaderValue::from_static("accept-encoding"))]);
    headers.extend(tag.map(|tag| (ETAG, tag)));
    response
}
