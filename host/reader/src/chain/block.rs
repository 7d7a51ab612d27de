//! A block, and how callers name one.

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
