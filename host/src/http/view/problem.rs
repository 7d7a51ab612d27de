//! The body of a problem document.

use portolan_base::sanitize::output;
use serde::Serialize;

use crate::gateway::problem::FailedJob;
use crate::http::problem::types::ProblemType;
use crate::http::request_id;

/// Beginning of every `type`.
const URN: &str = "urn:portolan:problem:";

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    /// Equal to `detail`, for clients of the original API.
    message: &'a str,
    /// The request's id, as in its header and in the log.
    #[serde(rename = "requestId", skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    jobs: &'a [FailedJob],
}

/// Writes a problem document. Without jobs, the member `jobs` is absent.
pub(in crate::http) fn problem(of: &ProblemType, status: u16, detail: &str, jobs: &[FailedJob]) -> Vec<u8> {
    let (kind, title) = (format!("{URN}{}", of.name), of.title);
    let document = Document { kind, title, status, detail, message: detail, request_id: request_id::id(), jobs };
    // Texts and a number always serialize; otherwise the status alone would still be right.
    output::json(&document).unwrap_or_default()
}
