//! The `Reader` seam: a pinned block and batches of reads in, replies in the order of the reads out.
//!
//! Invariant: a read's reply never depends on which other reads share its request, and nothing waits past the
//! deadline that the caller gives.

mod batch;
mod chain_reader;
mod endpoint;
mod endpoints;
mod fault;
mod known;
mod multicall;
#[cfg(test)]
mod tests;
mod transport;

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, B256, Bytes};
use futures_util::future::BoxFuture;
use tokio::time::Instant;

pub(crate) use self::chain_reader::ChainReader;
use crate::network::Network;

/// A block that an answer's reads are at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Height, as JSON-RPC counts it.
    pub(crate) number: u64,
    pub(crate) hash: B256,
    /// Unix seconds.
    pub(crate) timestamp: u64,
    /// What contracts see as `block.number`.
    pub(crate) evm_number: u64,
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// `eth_call`; the reply is the returned bytes.
    Call,
    /// The reply is a 32-byte word.
    NativeBalance,
    /// The reply is a 32-byte word.
    CodeSize,
}

/// How old a reply may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Freshness {
    Pinned,
    Immutable,
    /// Seconds.
    Within(u32),
    /// Seconds that a zero may stand.
    ZeroWithin(u32),
}

/// One read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Read {
    pub(crate) kind: Kind,
    pub(crate) to: Address,
    pub(crate) data: Bytes,
    /// `msg.sender`; Multicall3's address where there is none, so that a read alone and one among others are alike.
    pub(crate) from: Option<Address>,
    pub(crate) freshness: Freshness,
    /// In a frame of its own whose writes no other read sees.
    pub(crate) isolated: bool,
    pub(crate) gas_cap: Option<u32>,
}

impl Read {
    /// A static call at the pinned block.
    pub(crate) fn call(to: Address, data: impl Into<Bytes>) -> Self {
        Self {
            kind: Kind::Call,
            to,
            data: data.into(),
            from: None,
            freshness: Freshness::Pinned,
            isolated: false,
            gas_cap: None,
        }
    }

    /// The same, with another freshness.
    pub(crate) fn fresh(self, freshness: Freshness) -> Self {
        Self { freshness, ..self }
    }
}

/// What became of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The returned bytes, or a word.
    Ok(Bytes),
    /// The revert data.
    Reverted(Bytes),
    NoCode,
    GasCap,
    /// The job's budget is used up; no reader answers this.
    OverBudget,
    /// A kind that this host does not make; no reader answers this.
    Unsupported,
    Failed(ReadFailure),
}

/// A reply and its age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) outcome: Outcome,
    pub(crate) cached: bool,
    /// Seconds since it was read; 0 for the pinned block.
    pub(crate) age_s: u32,
}

impl Reply {
    pub(crate) fn fresh(outcome: Outcome) -> Self {
        Self { outcome, cached: false, age_s: 0 }
    }
}

/// Why a network did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadFailure {
    #[error("no endpoint answered in time")]
    Timeout,
    #[error("every endpoint refused or answered wrongly")]
    Upstream,
    #[error("every endpoint serves another chain")]
    WrongChain,
    #[error("no endpoint is configured")]
    NotConfigured,
}

/// Each asked network's pinned block, or why it has none; by chain id.
pub(crate) type Pins = BTreeMap<u64, Result<Block, ReadFailure>>;

/// Reads networks. One for the process.
pub(crate) trait Reader: Send + Sync {
    /// Whether some endpoint of some network answered its own chain id (for `/readyz`).
    fn is_usable<'a>(&'a self, deadline: Instant) -> BoxFuture<'a, bool>;

    /// The block that an answer which starts now is at.
    fn pin<'a>(&'a self, network: &'a Arc<Network>, deadline: Instant) -> BoxFuture<'a, Result<Block, ReadFailure>>;

    /// The reply to a read that needs no request: kept from before, and fresh enough at this block.
    fn kept(&self, network: &Network, block: &Block, read: &Read) -> Option<Reply>;

    /// Replies in the order of `reads`, as many as `reads`; all of them before `deadline`.
    fn read<'a>(
        &'a self,
        network: &'a Arc<Network>,
        block: &'a Block,
        reads: Vec<Read>,
        deadline: Instant,
    ) -> BoxFuture<'a, Vec<Reply>>;
}
