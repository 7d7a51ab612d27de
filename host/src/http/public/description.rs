//! The description of the API as an answer.
//!
//! Invariant: the document is made once, when the first client takes it, and all clients share it.

use hyper::http::request::Parts;

use crate::gateway::problem::Problem;
use crate::http::problem::unwritable;
use crate::http::public::route::{self, Verb, check_none};
use crate::http::{limit, openapi};
use crate::paths::{self, Endpoint};

/// Returns true for a request of the document, which is well-formed; false for other paths and preflights.
pub(in crate::http) fn is_wanted(head: &Parts, has_body: bool) -> Result<bool, Problem> {
    let segments = route::segments(head.uri.path());
    let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
    let Some((Endpoint::Description, _)) = paths::find(&segments) else { return Ok(false) };
    if route::verb(&head.method)? == Verb::Preflight {
        return Ok(false);
    }
    limit::check(head, has_body)?;
    check_none(head.uri.query().unwrap_or_default())?;
    Ok(true)
}

/// Returns the document as it is sent.
pub(in crate::http) fn body() -> Result<Vec<u8>, Problem> {
    openapi::body().map_err(|error| unwritable(&error))
}
