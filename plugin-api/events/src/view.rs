//! Calls of view functions, and what they returned.

use alloy::primitives::{Address, Bytes};

/// A call of a contract's view function that a row needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewCall {
    /// Contract.
    pub to: Address,
    /// Calldata.
    pub data: Bytes,
}

/// The result of a [`ViewCall`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewResult {
    /// The returned bytes.
    Returned(Bytes),
    /// The call reverted, or the contract does not exist.
    Reverted,
    /// The chain could not be read.
    ReadFailed,
}
