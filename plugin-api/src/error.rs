//! Why a job, or one of its reads, gave no value.

use alloy::primitives::{Address, Bytes};

/// Why a job cannot answer. The text reaches the operator and `detail=full`, never the plain answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The contract did not answer the call; [`Chain::try_call`](crate::Chain::try_call) gives this as a value.
    #[error("{to}: {revert}")]
    Reverted {
        /// The target.
        to: Address,
        /// What it did instead.
        revert: Revert,
    },
    /// The read was not made: the network did not answer in time, or the job's budget is used up.
    #[error("{to}: {reason}")]
    Unavailable {
        /// The target.
        to: Address,
        /// Why.
        reason: &'static str,
    },
    /// The server has no such document, or the operator does not allow to request it;
    /// [`Chain::try_http_get`](crate::Chain::try_http_get) gives this as a value.
    #[error("{host}: {reason}")]
    NoDocument {
        /// The URL's.
        host: String,
        /// Why.
        reason: NoDocument,
    },
    /// The off-chain read gave nothing: the server did not answer in time with a document, or the budget is used up.
    #[error("{host}: {reason}")]
    OffChain {
        /// The URL's.
        host: String,
        /// Why.
        reason: &'static str,
    },
    /// The plugin's own words.
    #[error("{0}")]
    Message(String),
}

impl Error {
    /// An error in the plugin's own words: lower case, what and where.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// Whether there is no contract where one was called. One of several that hold what accounts have is gone then, and
    /// nobody has anything there; of a contract that says where others are it is a failure.
    pub fn is_no_contract(&self) -> bool {
        matches!(self, Self::Reverted { revert: Revert::NoCode, .. })
    }
}

/// Why there is no off-chain document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoDocument {
    /// The server says that it has nothing there: status 404 or 410.
    #[error("the server has no such document")]
    NotFound,
    /// The operator does not allow this plugin to read that host.
    #[error("the operator does not allow this host")]
    NotAllowed,
}

/// What a contract did instead of answering.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Revert {
    /// It reverted, with this data.
    #[error("reverted with {} bytes", .0.len())]
    Data(Bytes),
    /// Nothing at this address answers calls.
    #[error("no contract")]
    NoCode,
    /// The call used up its gas.
    #[error("used up its gas")]
    Gas,
    /// It answered bytes that are not what the call returns.
    #[error("answered {0} bytes that do not decode")]
    Undecodable(usize),
}
