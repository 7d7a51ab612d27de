//! Reasons why a request has no result: the contract's own answer, a limit of the endpoint that the request exceeds,
//! or a failure of the endpoint.
//!
//! Invariant: a revert never counts against an endpoint, and a failure of an endpoint never looks like a revert.

mod payload;

use std::time::Duration;

use alloy::primitives::Bytes;

pub(crate) use self::payload::ErrorPayload;
use crate::ReadFailure;

/// Maximum wait that an endpoint is granted at once; it can ask again for more.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(60);

/// Reason to leave an endpoint for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EndpointError {
    #[error("no reply in time")]
    Timeout,
    #[error("it serves chain {0}")]
    WrongChain(u64),
    #[error("its node is still syncing")]
    Syncing,
    #[error("no connection, or one that broke")]
    Unreachable,
    #[error("HTTP status {0}")]
    Http(u16),
    #[error("JSON-RPC error {0}")]
    Rpc(i64),
    /// Carries the wait that the endpoint asked for, if any.
    #[error("it demands fewer requests")]
    Throttled(Option<Duration>),
    #[error("a reply of the wrong shape")]
    Malformed,
    /// One of the nodes behind its address may lag.
    #[error("a transaction that is in a block, without its receipt")]
    HalfKnown,
    #[error("a receipt that contradicts itself or its chain")]
    Inconsistent,
    #[error("no proof of a receipt: its block's header or receipts are not there, or hashed otherwise")]
    Unproven,
    #[error("it does not know the pinned block")]
    UnknownBlock,
    #[error("it has no state of the block")]
    NoState,
    #[error("it answered at another block than the pinned one")]
    IgnoredBlock,
    #[error("a reply or request too large for it")]
    TooLarge,
    /// The limit is ours, not the endpoint's.
    #[error("no room for its reply beside others")]
    NoRoom,
}

impl EndpointError {
    /// Sums up the errors of all endpoints. No errors at all means that single reads were left unanswered.
    pub(crate) fn summarize(errors: &[Self]) -> ReadFailure {
        if !errors.is_empty() && errors.iter().all(|error| matches!(error, Self::WrongChain(_))) {
            ReadFailure::WrongChain
        } else if !errors.is_empty() && errors.iter().all(|error| error.is_not_counted()) {
            ReadFailure::Syncing
        } else if errors.contains(&Self::UnknownBlock)
            && errors.iter().all(|error| matches!(error, Self::UnknownBlock | Self::Timeout) || error.is_not_counted())
        {
            // A timeout says nothing about the block.
            ReadFailure::BlockLost
        } else if errors.contains(&Self::NoState)
            && errors.iter().all(|error| *error == Self::NoState || error.is_not_counted())
        {
            ReadFailure::NoState
        } else if errors.contains(&Self::Unproven)
            && errors.iter().all(|error| matches!(error, Self::Unproven | Self::Inconsistent) || error.is_not_counted())
        {
            ReadFailure::Unproven
        } else if errors.contains(&Self::Timeout) {
            ReadFailure::Timeout
        } else {
            ReadFailure::Upstream
        }
    }

    /// Returns true if the endpoint cannot speak for the network's chain as it is now.
    pub(crate) fn is_not_counted(&self) -> bool {
        matches!(self, Self::WrongChain(_) | Self::Syncing)
    }

    /// Returns true if the next attempt may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable | Self::Http(500..) | Self::Rpc(_) | Self::Throttled(_) | Self::Malformed => true,
            // One URL may lead to many nodes: the next one may heed the block.
            Self::IgnoredBlock => true,
            Self::HalfKnown => true,
            // If time is left, the attempt was cut short for another endpoint.
            Self::Timeout => true,
            // Other replies soon free their room.
            Self::NoRoom => true,
            _ => false,
        }
    }

    /// Returns true if the endpoint rejects this kind of request, and may still answer another kind.
    pub(crate) fn rejects_request_kind(self) -> bool {
        matches!(self, Self::Rpc(_) | Self::TooLarge | Self::Http(400 | 402..=428 | 430..=499))
    }
}

/// Reason why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    /// The contract reverted with this data.
    Reverted(Bytes),
    /// The EVM stopped at an invalid opcode, a bad jump or similar. All gas is used up, and there is no data.
    Halted,
    OutOfGas,
    /// The endpoint allows less gas than the request gives.
    GasTooHigh,
    /// The request, its reply or its running time is too much for the endpoint.
    TooLarge,
    UnknownBlock,
    /// A JSON-RPC error code that may be about this request alone or about the endpoint.
    Ambiguous(i64),
    Endpoint(EndpointError),
}

impl From<EndpointError> for RequestError {
    fn from(error: EndpointError) -> Self {
        Self::Endpoint(error)
    }
}

impl RequestError {
    /// Returns true if the endpoint failed, so that its reply says nothing about the request.
    pub(crate) fn is_of_endpoint(&self) -> bool {
        matches!(self, Self::Endpoint(_))
    }

    /// Converts to an error of the endpoint, for a request whose result no contract can influence.
    pub(crate) fn into_endpoint_error(self) -> EndpointError {
        match self {
            Self::Endpoint(error) => error,
            Self::Ambiguous(code) => EndpointError::Rpc(code),
            Self::TooLarge => EndpointError::TooLarge,
            Self::UnknownBlock => EndpointError::UnknownBlock,
            Self::Reverted(_) | Self::Halted | Self::OutOfGas | Self::GasTooHigh => EndpointError::Malformed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_names_the_worst_error_that_is_true_of_all() {
        use EndpointError::{Http, Timeout, WrongChain};
        assert_eq!(EndpointError::summarize(&[WrongChain(5), WrongChain(6)]), ReadFailure::WrongChain);
        assert_eq!(EndpointError::summarize(&[WrongChain(5), Http(500)]), ReadFailure::Upstream);
        assert_eq!(EndpointError::summarize(&[Http(500), Timeout, WrongChain(5)]), ReadFailure::Timeout);
        assert_eq!(EndpointError::summarize(&[]), ReadFailure::Upstream);
        assert_eq!(EndpointError::summarize(&[EndpointError::Syncing, WrongChain(5)]), ReadFailure::Syncing);
        assert_eq!(EndpointError::summarize(&[EndpointError::Syncing, Http(500)]), ReadFailure::Upstream);
        assert_eq!(EndpointError::summarize(&[EndpointError::Syncing, EndpointError::NoState]), ReadFailure::NoState);
        assert_eq!(EndpointError::summarize(&[WrongChain(5), EndpointError::UnknownBlock]), ReadFailure::BlockLost);
        assert_eq!(EndpointError::summarize(&[EndpointError::UnknownBlock, Http(500)]), ReadFailure::Upstream);
        assert_eq!(EndpointError::summarize(&[EndpointError::UnknownBlock, Timeout]), ReadFailure::BlockLost);
        let (unproven, inconsistent) = (EndpointError::Unproven, EndpointError::Inconsistent);
        assert_eq!(EndpointError::summarize(&[unproven, inconsistent, WrongChain(5)]), ReadFailure::Unproven);
        assert_eq!(EndpointError::summarize(&[unproven, Http(500)]), ReadFailure::Upstream);
        assert_eq!(EndpointError::summarize(&[inconsistent]), ReadFailure::Upstream);
    }

    #[test]
    fn some_errors_reject_only_this_kind_of_request() {
        for (error, rejects_request_kind) in [
            (EndpointError::Rpc(-32602), true),
            (EndpointError::Http(400), true),
            (EndpointError::Http(413), true),
            (EndpointError::TooLarge, true),
            (EndpointError::Http(401), false),
            (EndpointError::Http(429), false),
            (EndpointError::Http(500), false),
            (EndpointError::Throttled(None), false),
            (EndpointError::Timeout, false),
            (EndpointError::Unreachable, false),
            (EndpointError::Malformed, false),
        ] {
            assert_eq!(error.rejects_request_kind(), rejects_request_kind, "{error}");
        }
    }
}
