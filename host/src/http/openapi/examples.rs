//! Examples of answers. The demo recorded each, and answers the same again.

use hyper::StatusCode;
use serde_json::Value;

use crate::paths::Endpoint;

/// Returns the recorded answer of an endpoint.
pub(super) fn of(_: Endpoint) -> Option<Value> {
    None
}

/// Returns the recorded problem of a status.
pub(super) fn of_problem(_: StatusCode) -> Option<Value> {
    None
}
