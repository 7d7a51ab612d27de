//! A block, how callers name one, and the clock that block times are compared with.

use std::time::{SystemTime, UNIX_EPOCH};

use alloy::primitives::B256;

/// The block at which an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Height, as JSON-RPC counts it.
    pub number: u64,
    pub hash: B256,
    /// Hash of the parent block. Contracts can see it, but not the hash of their own block.
    pub parent: B256,
    /// Unix seconds.
    pub timestamp: u64,
    /// Block number that contracts see as `block.number`.
    pub evm_number: u64,
}

/// A reference to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockRef {
    Number(u64),
    Hash(B256),
    Safe,
    Finalized,
    /// The last block at or before this time, in Unix seconds.
    At(u64),
}

/// Returns Unix seconds by the local clock, which may be wrong: no wait depends on it. A clock before 1970 reads 0.
pub(crate) fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
