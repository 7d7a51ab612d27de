//! What is decoded: a transaction and its logs.

use alloy::primitives::{Address, B256, Bytes, U256};

/// One log of a receipt. Nothing is promised of the number of its topics or the length of its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Place in its block, as JSON-RPC's `logIndex`.
    pub index: u64,
    /// The contract that emitted it.
    pub address: Address,
    /// The indexed part; the first is the event's hash unless the event is anonymous.
    pub topics: Vec<B256>,
    /// The rest.
    pub data: Bytes,
}

/// A transaction that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Hash.
    pub hash: B256,
    /// Who sent it.
    pub from: Address,
    /// Whom it called; `None` where it created a contract.
    pub to: Option<Address>,
    /// Native value in wei.
    pub value: U256,
    /// In the order of the receipt.
    pub logs: Vec<Log>,
}
