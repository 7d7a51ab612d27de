//! The question of a job, the blocks that it reads at, and what a read may have beside its row.

use alloy::primitives::{Address, B256, Bytes, U256};
use minicbor::{Decode, Encode};

use crate::{Question, primitive};

/// The start of a job: its question, and the blocks that it reads at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Start {
    /// What it is about.
    #[n(0)]
    pub question: Question,
    /// Protocol slug; empty for [`Question::EVENTS`], which is about all protocols of the plugin.
    #[n(1)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(2)]
    pub chain_id: u64,
    /// Whom it is about; zero, and without meaning, where the question is about tokens or a transaction.
    #[cbor(n(3), with = "primitive")]
    pub account: Address,
    /// The block that pinned reads of the job's network are at.
    #[n(4)]
    pub block: Block,
    /// The blocks of the other networks that this job may read.
    #[n(5)]
    pub pins: Vec<Pin>,
    /// What the host knows of [`crate::capability`].
    #[n(6)]
    pub capabilities: u64,
    /// For [`Question::COMPOSITION`]: the tokens that it is about.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub tokens: Option<Vec<Address>>,
    /// For [`Question::EVENTS`]: the transaction that it is about.
    #[n(8)]
    pub transaction: Option<Transaction>,
}

/// What a host has of a fact list: the reply to a read of [`crate::row::kind::FACTS`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct FactList {
    /// The entries from the first on, as [`crate::facts`] writes them.
    #[cbor(n(0), with = "primitive")]
    pub entries: Bytes,
    /// Number of the latest block that any of them was read at; 0 where there is none.
    #[n(1)]
    pub block: u64,
    /// Whether this job may go on with the list; while it runs, no other one may.
    #[n(2)]
    pub may_walk: bool,
    /// Reads that it may make for that.
    #[n(3)]
    pub reads: u32,
    /// The place of entries that are due to be read again, where there are some.
    #[n(4)]
    pub again_from: Option<u32>,
    /// How many they are.
    #[n(5)]
    pub again_count: Option<u32>,
}

/// A transaction that succeeded, on the job's network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Transaction {
    /// Hash.
    #[cbor(n(0), with = "primitive")]
    pub hash: B256,
    /// Who sent it.
    #[cbor(n(1), with = "primitive")]
    pub from: Address,
    /// Whom it called; absent where it created a contract.
    #[cbor(n(2), with = "primitive", has_nil)]
    pub to: Option<Address>,
    /// Native value in wei.
    #[cbor(n(3), with = "primitive")]
    pub value: U256,
    /// All its logs, in the order of the receipt, as [`crate::log`] writes them.
    #[cbor(n(4), with = "primitive")]
    pub logs: Bytes,
    /// The ERC-20 that wraps the network's native token, where the host knows it.
    #[cbor(n(5), with = "primitive", has_nil)]
    pub wrapped_native: Option<Address>,
}

/// A block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Block {
    /// Height, as JSON-RPC counts it.
    #[n(0)]
    pub number: u64,
    /// Hash.
    #[cbor(n(1), with = "primitive")]
    pub hash: B256,
    /// Unix seconds.
    #[n(2)]
    pub timestamp: u64,
    /// What contracts see as `block.number`; another one than `number` on Arbitrum.
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
    /// What is wrong.
    #[n(0)]
    pub message: String,
}

/// What a plugin says of itself when the host asks it to try its own machinery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Selftest {
    /// All is well.
    #[n(0)]
    pub ok: bool,
    /// What is not.
    #[n(1)]
    pub message: String,
}

/// What is rarely said of a read; the host answers `unsupported` to what it does not know.
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
    /// The signature of the function that it calls, where the host has [`crate::capability::READ_FUNCTIONS`].
    #[n(3)]
    pub function: Option<String>,
}
