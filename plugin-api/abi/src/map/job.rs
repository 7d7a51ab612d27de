//! Start of a job, the blocks it reads at, and the options of a read beside its row.

use alloy::primitives::{Address, B256, Bytes, U256};
use minicbor::{Decode, Encode};

use crate::{Question, primitive};

/// The start of a job: its question and its blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Start {
    /// Question to answer.
    #[n(0)]
    pub question: Question,
    /// Protocol slug; empty for [`Question::EVENTS`], which covers all protocols of the plugin.
    #[n(1)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(2)]
    pub chain_id: u64,
    /// Account of the question; zero if the question is about tokens or a transaction.
    #[cbor(n(3), with = "primitive")]
    pub account: Address,
    /// Block of pinned reads on the job's network.
    #[n(4)]
    pub block: Block,
    /// Blocks of other networks that this job may read.
    #[n(5)]
    pub pins: Vec<Pin>,
    /// Bits of [`crate::capability`] that the host supports.
    #[n(6)]
    pub capabilities: u64,
    /// For [`Question::COMPOSITION`]: tokens in question.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub tokens: Option<Vec<Address>>,
    /// For [`Question::EVENTS`]: transaction in question.
    #[n(8)]
    pub transaction: Option<Transaction>,
}

/// The host's copy of a fact list: the reply to a read of [`crate::row::kind::FACTS`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct FactList {
    /// Entries from the first on, as [`crate::fact_entries`] writes them.
    #[cbor(n(0), with = "primitive")]
    pub entries: Bytes,
    /// Latest block that an entry was read at; 0 for an empty list.
    #[n(1)]
    pub block: u64,
    /// True if this job may extend the list; no other job may while it runs.
    #[n(2)]
    pub may_walk: bool,
    /// Reads that it may use for that.
    #[n(3)]
    pub reads: u32,
    /// Index of the first entry that must be read again, if any.
    #[n(4)]
    pub again_from: Option<u32>,
    /// Number of entries to read again.
    #[n(5)]
    pub again_count: Option<u32>,
}

/// A successful transaction on the job's network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Transaction {
    /// Hash.
    #[cbor(n(0), with = "primitive")]
    pub hash: B256,
    /// Sender.
    #[cbor(n(1), with = "primitive")]
    pub from: Address,
    /// Called address; absent for contract creation.
    #[cbor(n(2), with = "primitive", has_nil)]
    pub to: Option<Address>,
    /// Native value in wei.
    #[cbor(n(3), with = "primitive")]
    pub value: U256,
    /// All logs, in the order of the receipt, as [`crate::log`] writes them.
    #[cbor(n(4), with = "primitive")]
    pub logs: Bytes,
    /// ERC-20 that wraps the native token of the network, if the host knows it.
    #[cbor(n(5), with = "primitive", has_nil)]
    pub wrapped_native: Option<Address>,
}

/// A block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Block {
    /// Block number, as JSON-RPC reports it.
    #[n(0)]
    pub number: u64,
    /// Hash.
    #[cbor(n(1), with = "primitive")]
    pub hash: B256,
    /// Unix seconds.
    #[n(2)]
    pub timestamp: u64,
    /// `block.number` as contracts see it; differs from `number` on Arbitrum.
    #[n(3)]
    pub evm_number: u64,
}

/// A network's pinned block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Pin {
    /// EIP-155 chain id.
    #[n(0)]
    pub chain_id: u64,
    /// Block.
    #[n(1)]
    pub block: Block,
}

/// Why a job could not be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct StartError {
    /// Error message.
    #[n(0)]
    pub message: String,
}

/// Result of a plugin's check of its own machinery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Selftest {
    /// True if the check passed.
    #[n(0)]
    pub ok: bool,
    /// Why the check failed.
    #[n(1)]
    pub message: String,
}

/// Rarely used options of a read; the host answers `unsupported` to unknown ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct ReadExtension {
    /// `msg.sender` of the call.
    #[cbor(n(0), with = "primitive", has_nil)]
    pub from: Option<Address>,
    /// Reserved: another block, by number.
    #[n(1)]
    pub block: Option<u64>,
    /// Reserved: state overrides, as a CBOR map of its own.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub overrides: Option<Vec<u8>>,
    /// Signature of the called function, if the host has [`crate::capability::READ_FUNCTIONS`].
    #[n(3)]
    pub function: Option<String>,
}
