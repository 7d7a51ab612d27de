//! Problem documents (RFC 9457). Invariant: only here do errors become status codes, and a client's input enters a
//! document only shortened and without control characters.

use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LINK, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use portolan_base::sanitize;
use portolan_plugins::logos;

use super::content::Content;
use super::problem_types::{self, ProblemType};
use super::view;
use crate::gateway::problem::{Problem, TooLarge};

/// Maximum characters of `detail`; the longest list all networks or types of events.
const DETAIL_CHARS_MAX: usize = 1000;

/// Methods that the public listeners allow.
pub(crate) const ALLOW_ANSWERS: &str = "GET, HEAD, OPTIONS";

/// Methods that the operators' listener allows.
pub(crate) const ALLOW_OPERATORS: &str = "GET, HEAD";

impl Problem {
    /// Returns the row of its type.
    pub(crate) fn kind(&self) -> &'static ProblemType {
        match self {
            Self::InvalidAddress(_) => &problem_types::INVALID_ADDRESS,
            Self::InvalidNetwork(_) => &problem_types::INVALID_NETWORK,
            Self::InvalidFilter(_) => &problem_types::INVALID_FILTER,
            Self::UnknownParameter(_) => &problem_types::UNKNOWN_PARAMETER,
            Self::InvalidHash(_) => &problem_types::INVALID_HASH,
            Self::InvalidName(_) => &problem_types::INVALID_NAME,
            Self::InvalidBlock(_) => &problem_types::INVALID_BLOCK,
            Self::UnknownBlock(_) => &problem_types::UNKNOWN_BLOCK,
            Self::StateUnavailable(_) => &problem_types::STATE_UNAVAILABLE,
            Self::UnknownPath(_) => &problem_types::UNKNOWN_PATH,
            Self::UnknownProtocol(_) => &problem_types::UNKNOWN_PROTOCOL,
            Self::NameNotFound(_) => &problem_types::NAME_NOT_FOUND,
            Self::TransactionNotFound(_) => &problem_types::TRANSACTION_NOT_FOUND,
            Self::HostNotAllowed { .. } => &problem_types::HOST_NOT_ALLOWED,
            Self::OriginNotAllowed(_) => &problem_types::ORIGIN_NOT_ALLOWED,
            Self::Unauthorized | Self::KeyRefused(_) => &problem_types::UNAUTHORIZED,
            Self::TooManyRequests { .. } => &problem_types::TOO_MANY_REQUESTS,
            Self::MethodNotAllowed { .. } => &problem_types::METHOD_NOT_ALLOWED,
            Self::InvalidRequest => &problem_types::INVALID_REQUEST,
            Self::RequestTooLarge(_) => &problem_types::REQUEST_TOO_LARGE,
            Self::TooManyLogs { .. } => &problem_types::TOO_MANY_LOGS,
            Self::TooManyEvents { .. } => &problem_types::TOO_MANY_EVENTS,
            Self::AnswerTooLarge { .. } => &problem_types::ANSWER_TOO_LARGE,
            Self::OverBudget(_) => &problem_types::OVER_BUDGET,
            Self::Overloaded => &problem_types::OVERLOADED,
            Self::NetworkNotConfigured(_) => &problem_types::NETWORK_NOT_CONFIGURED,
            Self::ProtocolUnavailable(_) => &problem_types::PROTOCOL_UNAVAILABLE,
            Self::Upstream(_) => &problem_types::UPSTREAM,
            Self::Deadline(_) => &problem_types::DEADLINE,
            Self::Internal(_) => &problem_types::INTERNAL,
            Self::OfJobs { problem, .. } => problem.kind(),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::RequestTooLarge(part) => part.status(),
            Self::OfJobs { problem, .. } => problem.status(),
            _ => self.kind().statuses.first().copied().unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// Returns the whole document with its headers.
    pub(crate) fn response(&self) -> Response<Content> {
        let (status, kind) = (self.status(), self.kind());
        let detail = sanitize::shorten(&self.to_string(), DETAIL_CHARS_MAX);
        let jobs = if let Self::OfJobs { jobs, .. } = self { jobs.as_slice() } else { &[] };
        let body = view::problem(kind, status.as_u16(), &detail, jobs);
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.extend(HeaderValue::from_str(&help(kind)).ok().map(|link| (LINK, link)));
        match self {
            Self::MethodNotAllowed { allow } => headers.insert(ALLOW, HeaderValue::from_static(allow)),
            Self::TooManyRequests { retry_s, .. } => headers.insert(RETRY_AFTER, (*retry_s).into()),
            Self::Overloaded => headers.insert(RETRY_AFTER, HeaderValue::from_static("1")),
            Self::Unauthorized | Self::KeyRefused(_) => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
            }
            _ => None,
        };
        response
    }
}

/// Returns the link to the page of a type (RFC 8288). It is absolute, because other listeners have no such page.
fn help(of: &ProblemType) -> String {
    format!("<{}/problems/{}>; rel=\"help\"", logos::public_url(), of.name)
}

/// Logs that an answer cannot be serialized; the problem for clients does not say why.
pub(super) fn unwritable(error: &dyn std::error::Error) -> Problem {
    tracing::error!(reason = %error, "answer cannot be written");
    Problem::Internal("the answer cannot be written".into())
}

impl TooLarge {
    fn status(self) -> StatusCode {
        match self {
            Self::Body => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Line => StatusCode::URI_TOO_LONG,
            Self::Headers | Self::Head => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::keys::KeyRefusal;
    use crate::clients::usage::LimitReached;
    use crate::gateway::problem::quoted;

    fn document(problem: &Problem) -> String {
        String::from_utf8(problem.response().into_body().bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_document_has_the_members_of_the_contract() {
        let problem = Problem::InvalidAddress("0x123 is not 0x and 40 hex digits".into());
        let expected = concat!(
            r#"{"type":"urn:portolan:problem:invalid-address","title":"Invalid address","status":400,"#,
            r#""detail":"0x123 is not 0x and 40 hex digits","message":"0x123 is not 0x and 40 hex digits"}"#
        );
        assert_eq!(document(&problem), expected);
        assert_eq!(problem.response().headers()[CONTENT_TYPE], "application/problem+json");
    }

    #[test]
    fn statuses_and_headers_follow_the_contract() {
        let text = String::new;
        let cases = [
            (Problem::InvalidFilter(text()), 400),
            (Problem::UnknownParameter(text()), 400),
            (Problem::UnknownProtocol(text()), 404),
            (Problem::TransactionNotFound(text()), 404),
            (Problem::Unauthorized, 401),
            (Problem::KeyRefused(KeyRefusal::Unknown), 401),
            (Problem::HostNotAllowed { host: text(), setting: "operators.allowed_hosts" }, 403),
            (Problem::OriginNotAllowed(text()), 403),
            (Problem::MethodNotAllowed { allow: ALLOW_ANSWERS }, 405),
            (Problem::RequestTooLarge(TooLarge::Body), 413),
            (Problem::TooManyLogs { logs: 2, logs_max: 1 }, 413),
            (Problem::TooManyEvents { events_max: 1 }, 413),
            (Problem::AnswerTooLarge { bytes_max: 1 }, 413),
            (Problem::OverBudget(text()), 413),
            (Problem::RequestTooLarge(TooLarge::Line), 414),
            (Problem::RequestTooLarge(TooLarge::Headers), 431),
            (Problem::RequestTooLarge(TooLarge::Head), 431),
            (Problem::InvalidRequest, 400),
            (Problem::TooManyRequests { limit: LimitReached::Requests, retry_s: 3 }, 429),
            (Problem::Internal(text()), 500),
            (Problem::Upstream(text()), 502),
            (Problem::Overloaded, 503),
            (Problem::NetworkNotConfigured(text()), 503),
            (Problem::ProtocolUnavailable(text()), 503),
            (Problem::Deadline(text()), 504),
        ];
        for (problem, status) in cases {
            let response = problem.response();
            assert_eq!(response.status(), status, "{problem:?}");
            let page = format!("<http://127.0.0.1:8080/problems/{}>; rel=\"help\"", problem.kind().name);
            assert_eq!(response.headers()[LINK], page.as_str(), "{problem:?}");
            assert_eq!(response.headers().contains_key(ALLOW), status == 405, "{problem:?}");
            let retry = response.headers().get(RETRY_AFTER).map(|seconds| seconds.to_str().unwrap());
            let expected = match status {
                429 => Some("3"),
                503 if problem == Problem::Overloaded => Some("1"),
                _ => None,
            };
            assert_eq!(retry, expected, "{problem:?}");
        }
    }

    #[test]
    fn a_clients_input_is_cut_and_cleaned() {
        let input = format!("a\r\n\u{1b}{}", "b".repeat(100_000));
        let quoted = quoted(&input);
        assert!(quoted.starts_with("a\u{fffd}\u{fffd}\u{fffd}bbb") && quoted.chars().count() == 81, "{quoted}");
        assert!(document(&Problem::UnknownPath(input)).len() < 10_000);
    }
}
