//! Problems: why a query has no answer, in words for the client.
//!
//! Invariant: a problem knows nothing of HTTP; only `http/problem.rs` maps it to a status code.

use portolan_base::sanitize;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clients::keys::KeyRefusal;
use crate::clients::usage::LimitReached;

/// Maximum characters of a client's input that a detail repeats: a transaction hash and a few more.
const QUOTED_CHARS_MAX: usize = 80;

/// Part of the API's contract. Counts method, target and version, without the line end.
pub(crate) const REQUEST_LINE_BYTES_MAX: usize = 8 * 1024;

/// Part of the API's contract. Counts names and values, with colon, space and line end for each.
pub(crate) const HEADERS_BYTES_MAX: usize = 32 * 1024;

/// Part of the API's contract. Maximum number of header fields, many more than clients send.
pub(crate) const FIELDS_MAX: usize = 512;

/// A response in the place of an answer; the text is the document's `detail`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("{0}")]
    InvalidAddress(String),
    #[error("{0}")]
    InvalidNetwork(String),
    #[error("{0}")]
    InvalidFilter(String),
    #[error("{0}")]
    UnknownParameter(String),
    #[error("{0}")]
    InvalidHash(String),
    #[error("{0}")]
    InvalidName(String),
    #[error("{0}")]
    InvalidBlock(String),
    #[error("{0}")]
    UnknownBlock(String),
    #[error("{0}")]
    StateUnavailable(String),
    #[error("{0}")]
    UnknownPath(String),
    #[error("{0}")]
    UnknownProtocol(String),
    #[error("{0}")]
    NameNotFound(String),
    #[error("{0}")]
    TransactionNotFound(String),
    #[error("requests here do not name the host {host:?}; {setting} names further ones")]
    HostNotAllowed { host: String, setting: &'static str },
    #[error("pages of {0:?} may not call tools; mcp.allowed_origins names those that may")]
    OriginNotAllowed(String),
    #[error("this address is for operators who have its token")]
    Unauthorized,
    #[error("{0}")]
    KeyRefused(KeyRefusal),
    #[error("{limit}")]
    TooManyRequests { limit: LimitReached, retry_s: u64 },
    #[error("this address answers {allow} only")]
    MethodNotAllowed { allow: &'static str },
    #[error("not a valid HTTP request")]
    InvalidRequest,
    #[error("{0}")]
    RequestTooLarge(TooLarge),
    #[error("the transaction has {logs} logs, more than the bound of {logs_max}")]
    TooManyLogs { logs: usize, logs_max: usize },
    #[error("the transaction's logs decode to more events than the bound of {events_max}")]
    TooManyEvents { events_max: u64 },
    #[error("the answer is longer than the bound of {bytes_max} bytes")]
    AnswerTooLarge { bytes_max: u64 },
    #[error("{0}")]
    OverBudget(String),
    #[error("as many answers as this gateway allows are under way; ask again in a moment")]
    Overloaded,
    #[error("{0}")]
    NetworkNotConfigured(String),
    #[error("{0}")]
    ProtocolUnavailable(String),
    #[error("{0}")]
    Upstream(String),
    #[error("{0}")]
    Deadline(String),
    #[error("{0}")]
    Internal(String),
    /// All jobs failed.
    #[error("{problem}")]
    OfJobs { problem: Box<Problem>, jobs: Vec<FailedJob> },
}

/// A failed job, listed in a problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FailedJob {
    /// Subject of the job's report.
    pub(crate) protocol: String,
    /// Slug of the network.
    pub(crate) network: String,
    /// A word of `portolan-partial`.
    pub(crate) reason: &'static str,
    /// The reason in a sentence.
    pub(crate) detail: String,
}

impl Problem {
    /// Returns the problem without the failed jobs, for a client that did not request details.
    pub(crate) fn without_jobs(self) -> Self {
        match self {
            Self::OfJobs { problem, .. } => *problem,
            problem => problem,
        }
    }
}

/// The part of a request that is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TooLarge {
    #[error("a request must not have a body")]
    Body,
    #[error("the request line is longer than {REQUEST_LINE_BYTES_MAX} bytes")]
    Line,
    #[error("the headers are longer than {HEADERS_BYTES_MAX} bytes")]
    Headers,
    /// The head was not read to its end.
    #[error(
        "the head of the request is too large: {REQUEST_LINE_BYTES_MAX} bytes may be in its first line, \
         {HEADERS_BYTES_MAX} in its headers, and {FIELDS_MAX} headers"
    )]
    Head,
}

/// Returns a client's input in a form fit for a detail.
pub(crate) fn quoted(input: &str) -> String {
    sanitize::cut(input, QUOTED_CHARS_MAX)
}
