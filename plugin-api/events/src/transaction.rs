//! A transaction with its logs, and its network.

use alloy::primitives::{Address, B256, U256};
pub use portolan_abi::log::Log;

/// A successful transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Hash.
    pub hash: B256,
    /// Sender.
    pub from: Address,
    /// Called account; `None` for contract creation.
    pub to: Option<Address>,
    /// Native value in wei.
    pub value: U256,
    /// Logs in the order of the receipt.
    pub logs: Vec<Log>,
}

/// The network of a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// ERC-20 that wraps the native token, if known.
    pub wrapped_native: Option<Address>,
}
