//! Errors of a job or one of its reads.

use alloy::primitives::{Address, Bytes};

/// Why a job cannot answer. Operators and `detail=full` see the text; plain answers never contain it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call failed on chain; [`JobContext::try_call`](crate::JobContext::try_call) returns this as a value.
    #[error("{to}: {revert}")]
    Reverted {
        /// Target of the call.
        to: Address,
        /// How it failed.
        revert: Revert,
    },
    /// No reply: the network did not answer in time, or the job's budget is used up.
    #[error("{to}: {reason}")]
    Unavailable {
        /// Target of the read.
        to: Address,
        /// Reason.
        reason: &'static str,
    },
    /// The server has no such document, or the operator does not allow the host;
    /// [`JobContext::try_http_get`](crate::JobContext::try_http_get) returns this as a value.
    #[error("{host}: {reason}")]
    NoDocument {
        /// Host of the URL.
        host: String,
        /// Reason.
        reason: NoDocument,
    },
    /// The off-chain read failed: the server sent no document in time, or the budget is used up.
    #[error("{host}: {reason}")]
    OffChain {
        /// Host of the URL.
        host: String,
        /// Reason.
        reason: &'static str,
    },
    /// A message of the plugin.
    #[error("{0}")]
    Message(String),
}

impl Error {
    /// Creates an error with the plugin's message: lower case, what and where.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// Returns true if the called address has no contract. If it was one of several contracts that hold stakes, it is
    /// gone and nobody has anything there. If it lists other contracts, treat it as a failure.
    pub fn is_no_contract(&self) -> bool {
        matches!(self, Self::Reverted { revert: Revert::NoCode, .. })
    }
}

/// Why there is no off-chain document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoDocument {
    /// Status 404 or 410.
    #[error("the server has no such document")]
    NotFound,
    /// The operator does not allow this plugin to read the host.
    #[error("the operator does not allow this host")]
    NotAllowed,
}

/// Why a call returned no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Revert {
    /// It reverted with this data.
    #[error("reverted with {} bytes", .0.len())]
    Data(Bytes),
    /// No contract at this address.
    #[error("no contract")]
    NoCode,
    /// It ran out of gas.
    #[error("used up its gas")]
    Gas,
    /// It returned this many bytes, which do not decode.
    #[error("answered {0} bytes that do not decode")]
    Undecodable(usize),
}
