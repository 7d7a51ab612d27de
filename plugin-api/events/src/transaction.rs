//! A transaction with its logs, and its network.

use alloy::primitives::{Address, B256, U256};
pub use portolan_abi::log::Log;

/// A transaction that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Hash.
    pub hash: B256,
    /// Account that sent it.
    pub from: Address,
    /// Account that it called; `None` if it created a contract.
    pub to: Option<Address>,
    /// Native value in wei.
    pub value: U256,
    /// In the order of the receipt.
    pub logs: Vec<Log>,
}

/// The network of a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    /// EIP-155.
    pub chain_id: u64,
    /// The ERC-20 token that wraps the native token, if it is known.
    pub wrapped_native: Option<Address>,
}
