//! The body of a problem document.

use std::borrow::Cow;

use portolan_base::sanitize::output;
use schemars::JsonSchema;
use serde::Serialize;

use super::schema::{Word, WordSet};
use crate::gateway::problem::FailedJob;
use crate::http::problem_types::{PROBLEM_TYPES, ProblemType};
use crate::http::request_id;

/// Beginning of every `type`.
const URN: &str = "urn:portolan:problem:";

/// A problem document (RFC 9457).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct Document<'a> {
    /// Type of the problem. More types may follow.
    #[serde(rename = "type")]
    #[schemars(with = "Word<ProblemType>")]
    kind: String,
    /// The type in words.
    title: &'a str,
    /// The status of the response.
    status: u16,
    /// What is wrong in this case.
    detail: &'a str,
    /// Equal to `detail`, for clients of the original API.
    message: &'a str,
    /// The request's id, as in its header and in the log.
    #[serde(rename = "requestId", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    request_id: Option<String>,
    /// With `detail=full`: the jobs that failed.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    jobs: &'a [FailedJob],
}

/// Returns the values of `type`.
pub(super) fn types() -> impl Iterator<Item = String> {
    PROBLEM_TYPES.into_iter().map(urn)
}

fn urn(of: &ProblemType) -> String {
    format!("{URN}{}", of.name)
}

/// Writes a problem document. Without jobs, the member `jobs` is absent.
pub(in crate::http) fn problem(of: &ProblemType, status: u16, detail: &str, jobs: &[FailedJob]) -> Vec<u8> {
    let (kind, title) = (urn(of), of.title);
    let document = Document { kind, title, status, detail, message: detail, request_id: request_id::id(), jobs };
    // Texts and a number always serialize; otherwise the status alone would still be right.
    output::json(&document).unwrap_or_default()
}

impl WordSet for ProblemType {
    const NAME: &str = "ProblemType";
    const ABOUT: &str = "Type of a problem. More may follow.";

    fn words() -> Vec<Cow<'static, str>> {
        types().map(Cow::Owned).collect()
    }
}
