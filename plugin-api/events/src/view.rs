//! Calls of view functions, and their results.

use alloy::primitives::{Address, Bytes};

/// A view call that a row needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewCall {
    /// Contract.
    pub to: Address,
    /// Calldata.
    pub data: Bytes,
}

/// Result of a [`ViewCall`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewResult {
    /// Returned bytes.
    Returned(Bytes),
    /// Reverted, or no contract.
    Reverted,
    /// The chain could not be read.
    ReadFailed,
}
