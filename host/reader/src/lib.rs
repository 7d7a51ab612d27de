//! Thousands of contract reads in a handful of JSON-RPC requests, each at a proven block.
//!
//! A caller pins a block ([`Reader::pin`]), opens a [`Session`] at it, and reads: replies come in the order of the reads.
//! Caching, coalescing and batching are behind the session. Invariant: a read's reply never depends on which other reads
//! share its request, and nothing waits past the deadline that the caller gives. What leaves for a node, and how, is
//! nobody's business outside of this crate.

mod session;

mod round_trips;

mod chain_reader;

mod asked;
mod kept;
mod store;

mod heads;

mod endpoints;
mod health;
mod limit;
mod selector;
mod status;

mod endpoint;

mod transaction;

mod ask;
mod batch;
mod budget;
mod heavy_calls;
mod outcomes;

mod multicall;
mod packed;
mod scan;

mod error;
mod rpc;
mod rpc_url;
mod transport;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U256};
use futures_util::future::BoxFuture;
use tokio::time::Instant;

pub use self::chain_reader::ChainReader;
pub use self::endpoints::Upstream;
pub use self::limit::Limits;
pub use self::rpc_url::{RpcUrl, RpcUrlError};
pub use self::session::{Participant, Session};
pub use self::status::{BatchMethod, EndpointState, EndpointStatus, NetworkStatus, Quantiles};
pub use self::transaction::{Log, Receipt, Told};

/// A block that an answer's reads are at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Height, as JSON-RPC counts it.
    pub number: u64,
    pub hash: B256,
    /// Hash of the block before it: contracts can prove it, their own block's hash they cannot.
    pub parent: B256,
    /// Unix seconds.
    pub timestamp: u64,
    /// What contracts see as `block.number`.
    pub evm_number: u64,
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `eth_call`; the reply is the returned bytes.
    Call,
    /// The reply is a 32-byte word.
    NativeBalance,
    /// The reply is a 32-byte word.
    CodeSize,
}

/// How old a reply may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freshness {
    Pinned,
    Immutable,
    /// Seconds.
    Within(u32),
    /// Seconds that a zero may stand.
    ZeroWithin(u32),
}

/// One read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    pub kind: Kind,
    pub to: Address,
    pub data: Bytes,
    /// `msg.sender`; Multicall3's address where there is none, so that a read alone and one among others are alike.
    pub from: Option<Address>,
    pub freshness: Freshness,
    /// In a frame of its own whose writes no other read sees.
    pub isolated: bool,
    /// Gas that the call may use; one that uses it up comes to [`Outcome::GasCap`].
    pub gas_cap: Option<u32>,
}

impl Read {
    /// A static call at the pinned block.
    pub fn call(to: Address, data: impl Into<Bytes>) -> Self {
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
    #[must_use]
    pub fn fresh(self, freshness: Freshness) -> Self {
        Self { freshness, ..self }
    }

    /// What is asked, however fresh the reply has to be: reads with equal questions have one reply at a block.
    pub(crate) fn question(&self) -> (Address, &Bytes, Kind, Option<Address>, bool, Option<u32>) {
        let Self { kind, to, data, from, freshness: _, isolated, gas_cap } = self;
        (*to, data, *kind, *from, *isolated, *gas_cap)
    }
}

/// What became of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
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
pub struct Reply {
    pub outcome: Outcome,
    pub cached: bool,
    /// Seconds since it was read; 0 for the pinned block.
    pub age_s: u32,
}

impl Reply {
    /// Just read.
    pub fn fresh(outcome: Outcome) -> Self {
        Self { outcome, cached: false, age_s: 0 }
    }
}

/// Why a network did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ReadFailure {
    #[error("no endpoint answered in time")]
    Timeout,
    #[error("every endpoint refused or answered wrongly")]
    Upstream,
    #[error("every endpoint serves another chain")]
    WrongChain,
    #[error("no endpoint is configured")]
    NotConfigured,
    /// The next [`Reader::pin`] gives another block.
    #[error("no endpoint knows the pinned block any more")]
    BlockLost,
}

/// Balances of one account in many tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The balances that are not zero, by the token's place.
    pub held: Vec<(usize, U256)>,
    /// The tokens that told no balance, by place.
    pub failed: Vec<(usize, ScanFault)>,
}

/// Why a token told no balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanFault {
    /// It reverted, has no code, or answered less than a word.
    Refused,
    Unread(ReadFailure),
}

/// Each asked network's pinned block, or why it has none; by chain id.
pub type Pins = BTreeMap<u64, Result<Block, ReadFailure>>;

/// Reads networks, named by their EIP-155 chain id. Reads go through a [`Session`], which looks into the cache and
/// batches.
pub trait Reader: Send + Sync {
    /// Whether some endpoint of some network answered its own chain id.
    fn is_usable(&self, deadline: Instant) -> BoxFuture<'_, bool>;

    /// The block that an answer which starts now is at.
    fn pin(&self, chain_id: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// The replies that need no request, for they are cached and fresh enough at this block: by the place of their
    /// read, in order. What is known at this very block may be left out unless all of the reads are known; it costs
    /// no request when it is fetched.
    fn cached(&self, chain_id: u64, block: &Block, reads: &[Read]) -> Vec<(usize, Reply)>;

    /// How many reads one request of this network carries well.
    fn chunk_reads(&self, chain_id: u64) -> usize;

    /// How long a batch of this network's reads may wait for more of them.
    fn linger(&self, chain_id: u64) -> Duration;

    /// Fetches replies to reads that are not cached, in the order of `reads` and as many; all of them before `deadline`.
    fn fetch(&self, chain_id: u64, block: Block, reads: Vec<Read>, deadline: Instant) -> BoxFuture<'_, Vec<Reply>>;

    /// What the account holds of these ERC-20 tokens.
    fn scan(
        &self,
        chain_id: u64,
        block: Block,
        account: Address,
        tokens: Vec<Address>,
        deadline: Instant,
    ) -> BoxFuture<'_, Scan>;

    /// What became of a transaction. Who was not told by all endpoints that they do not have it in a block gets a
    /// failure instead.
    fn transaction(&self, chain_id: u64, hash: B256, deadline: Instant) -> BoxFuture<'_, Result<Told, ReadFailure>>;
}
