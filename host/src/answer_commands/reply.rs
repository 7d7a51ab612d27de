//! What a gateway replied: a document, "not modified", or a problem.
//!
//! Invariant: whatever is not an answer of a Portolan gateway is an error that says so.

use std::time::Duration;

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::ClientError;
use crate::terminal;

const PROBLEM: &str = "application/problem+json";
/// The last parts of the types of problems about something that does not exist.
const NOT_FOUND: [&str; 2] = ["name-not-found", "transaction-not-found"];

/// A reply that is no failure.
#[derive(Debug)]
pub(super) enum Reply {
    Document(AnswerDocument),
    /// The last document still holds.
    NotModified {
        holds: Holds,
    },
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerDocument {
    pub(super) body: Bytes,
    /// The header `portolan-partial`; `None` if nothing is missing.
    pub(super) partial: Option<String>,
    /// The header `portolan-blocks`.
    pub(super) blocks: Option<String>,
    /// The address that a name resolved to.
    pub(super) account: Option<String>,
    pub(super) tag: Option<HeaderValue>,
    pub(super) holds: Holds,
}

/// How long an answer is what a new one would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Unknown,
    For(Duration),
    Ever,
}

impl Holds {
    fn of(headers: &HeaderMap) -> Self {
        let control = text(headers, &CACHE_CONTROL).unwrap_or_default();
        let mut words = control.split(',').map(str::trim);
        if words.clone().any(|word| word == "immutable") {
            return Self::Ever;
        }
        let seconds = words.find_map(|word| word.strip_prefix("max-age=")?.parse().ok());
        seconds.map_or(Self::Unknown, |seconds| Self::For(Duration::from_secs(seconds)))
    }
}

/// A problem document (RFC 9457).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProblemDocument {
    r#type: String,
    title: String,
    #[serde(default)]
    detail: String,
    request_id: Option<String>,
}

impl Reply {
    /// Reads a response of `from`, the words for the gateway in errors.
    ///
    /// # Errors
    /// It is a problem, or not a response of a Portolan gateway.
    pub(super) fn of(response: Response<Bytes>, from: &str) -> Result<Self, ClientError> {
        let (head, body) = response.into_parts();
        let (status, headers) = (head.status, &head.headers);
        let is_problem = text(headers, &CONTENT_TYPE).is_some_and(|media| media.starts_with(PROBLEM));
        match status {
            StatusCode::NOT_MODIFIED => Ok(Self::NotModified { holds: Holds::of(headers) }),
            StatusCode::OK if serde_json::from_slice::<IgnoredAny>(&body).is_ok() => {
                let own = |name: &'static str| text(headers, &HeaderName::from_static(name)).map(terminal::clean);
                Ok(Self::Document(AnswerDocument {
                    partial: own("portolan-partial"),
                    blocks: own("portolan-blocks"),
                    account: own("portolan-account"),
                    tag: headers.get(ETAG).cloned(),
                    holds: Holds::of(headers),
                    body,
                }))
            }
            _ if is_problem => Err(problem(status, headers, &body, from)),
            _ if status.is_redirection() => {
                Err(ClientError::NothingRead(format!("{from} redirects elsewhere; give that URL with --url")))
            }
            _ => Err(ClientError::NothingRead(format!(
                "{from} answered {status} without JSON of a Portolan gateway; check --url"
            ))),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn problem(status: StatusCode, headers: &HeaderMap, body: &[u8], from: &str) -> ClientError {
    let Ok(problem) = serde_json::from_slice::<ProblemDocument>(body) else {
        return ClientError::NothingRead(format!("{from} answered {status} with an unreadable problem"));
    };
    let name = problem.r#type.rsplit(':').next().unwrap_or_default();
    let again = text(headers, &RETRY_AFTER).map(|seconds| format!("; try again in {seconds} s"));
    let id = problem.request_id.as_ref().map(|id| format!(" (request {id})"));
    let words = [&problem.title, ": ", &problem.detail, &again.unwrap_or_default(), &id.unwrap_or_default()];
    let words = terminal::clean(&words.map(ToString::to_string).concat());
    match status {
        StatusCode::NOT_FOUND if NOT_FOUND.contains(&name) => ClientError::Failed(words),
        // The request itself is not wrong.
        StatusCode::UNAUTHORIZED
        | StatusCode::FORBIDDEN
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::TOO_MANY_REQUESTS => ClientError::NothingRead(words),
        _ if status.is_client_error() => ClientError::Misuse(words),
        _ => ClientError::NothingRead(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, headers: &[(&'static str, &str)], body: &str) -> Result<Reply, ClientError> {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        Reply::of(response.body(Bytes::copy_from_slice(body.as_bytes())).unwrap(), "the gateway at x")
    }

    #[test]
    fn an_answer_is_taken_with_its_headers() {
        let headers =
            [("portolan-partial", "a/b;reason=timeout"), ("cache-control", "private, max-age=2"), ("etag", "W/\"1\"")];
        let Ok(Reply::Document(document)) = reply(200, &headers, "[1.50]") else { panic!("not taken") };
        assert_eq!(document.body, "[1.50]");
        assert_eq!(document.partial.as_deref(), Some("a/b;reason=timeout"));
        assert_eq!(
            (document.holds, document.tag.unwrap().to_str().unwrap()),
            (Holds::For(Duration::from_secs(2)), "W/\"1\"")
        );
        let long = "protocol_000/ethereum;reason=not-configured, ".repeat(80);
        let Ok(Reply::Document(document)) = reply(200, &[("portolan-partial", &long)], "[]") else {
            panic!("not taken")
        };
        assert_eq!(document.partial.as_ref(), Some(&long), "it is whole");
        let cases = [
            ("private, max-age=31536000, immutable", Holds::Ever),
            ("private, no-cache", Holds::Unknown),
            ("no-store", Holds::Unknown),
        ];
        for (control, expected) in cases {
            let Ok(Reply::NotModified { holds }) = reply(304, &[("cache-control", control)], "") else {
                panic!("{control}")
            };
            assert_eq!(holds, expected, "{control}");
        }
    }

    #[test]
    fn a_problem_has_the_exit_code_of_its_cause() {
        let media = [("content-type", "application/problem+json")];
        let cases = [
            (400, "invalid-address", 2),
            (404, "unknown-protocol", 2),
            (404, "unknown-block", 2),
            (413, "too-many-logs", 2),
            (404, "name-not-found", 1),
            (404, "transaction-not-found", 1),
            (403, "host-not-allowed", 4),
            (502, "upstream", 4),
            (503, "overloaded", 4),
            (504, "deadline", 4),
            (500, "internal", 4),
        ];
        for (status, name, code) in cases {
            let body = format!(
                r#"{{"type":"urn:portolan:problem:{name}","title":"T","status":{status},"detail":"d\u001b[2J"}}"#
            );
            let error = reply(status, &media, &body).unwrap_err();
            assert_eq!(error.code(), code, "{status} {name}");
            assert!(error.to_string().starts_with("T: d") && !error.to_string().contains('\u{1b}'), "{error}");
        }
    }

    #[test]
    fn what_is_not_an_answer_of_a_gateway_is_refused() {
        for (status, body) in
            [(200, "<html>"), (200, ""), (301, ""), (404, "not found"), (502, "bad gateway"), (204, "")]
        {
            let error = reply(status, &[("content-type", "text/html")], body).unwrap_err();
            assert!(matches!(&error, ClientError::NothingRead(text) if text.contains("--url")), "{status}: {error}");
        }
    }
}
