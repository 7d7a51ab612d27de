//! Logos as SVG: the only answers of the public listeners that are not JSON.
//!
//! Invariant: a drawing executes and loads nothing, wherever it is opened.

use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH,
};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use portolan_plugins::logos;
use sha2::{Digest, Sha256};

use crate::gateway::problem::Problem;
use crate::http::content::Content;
use crate::http::limit;
use crate::http::problem::unwritable;
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
    slug.map(|slug| drawing(head, logos::draw(slug))).transpose()
}

fn drawing(head: &Parts, drawn: String) -> Result<Response<Content>, Problem> {
    let digest = Sha256::digest(drawn.as_bytes());
    let tag = format!("\"{:x}\"", u64::from_be_bytes(*digest.first_chunk().unwrap_or(&[0; 8])));
    let tag = HeaderValue::from_str(&tag).map_err(|error| unwritable(&error))?;
    let is_known = head.headers.get_all(IF_NONE_MATCH).iter().any(|known| knows(known, &tag));
    let mut response = Response::new(if is_known { Content::default() } else { drawn.into() });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.extend([(CACHE_CONTROL, CACHED), (ETAG, tag), (CONTENT_SECURITY_POLICY, POLICY), RESOURCE_POLICY]);
    if !is_known {
        headers.insert(CONTENT_TYPE, SVG);
    }
    Ok(response)
}

/// Returns true if `If-None-Match` has the tag (RFC 9110, weak comparison) in its list, or is `*`.
fn knows(known: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(known), Ok(tag)) = (known.to_str(), tag.to_str()) else { return false };
    known.split(',').map(str::trim).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}
