//! Thousands of contract reads in a handful of JSON-RPC requests, each at a proven block.
//!
//! A caller pins a block ([`Reader::pin`]), opens a [`Session`] at it, and reads: replies come in the order of the
//! reads. Caching, coalescing and batching are behind the session. Invariant: a read's reply never depends on which
//! other reads share its request, and nothing waits past the caller's deadline. How reads become requests is private
//! to this crate.

mod session;

mod chain_reader;

mod endpoints;

mod cache;
mod methods;

mod chain;
mod wire;

mod reads;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes};
use futures_util::future::BoxFuture;
use tokio::time::Instant;

pub use self::cache::facts::{FactFilter, Facts, FactsError, StoredFact};
pub use self::cache::lookup::Lookup;
pub use self::cache::store::FactSettings;
pub use self::chain::gas_price::GasPrice;
pub use self::chain::transaction::{GasPaid, Log, Receipt, TransactionLookup, TransactionStatus};
pub use self::chain_reader::ChainReader;
pub use self::endpoints::limit::Limits;
pub use self::endpoints::network::Upstream;
pub use self::endpoints::status::{
    BatchMethod, EndpointFailure, EndpointState, EndpointStatus, NetworkStatus, Quantiles,
};
pub use self::methods::simulation::{
    AccountCode, AccountLog, Approval, Changes, Effort, LogKind, Run, RunStep, Sender, Simulation, SimulationMethod,
    StepEnd, TRANSACTION_GAS_MAX, Watched,
};
pub use self::reads::read_budget::{Meter, ReadBudget};
pub use self::reads::read_set::ReadSet;
pub use self::reads::reply_set::ReplySet;
pub use self::session::{Participant, Session};
pub use self::wire::rpc_url::{RpcUrl, RpcUrlError};

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

/// The kinds of reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `eth_call`; the reply is the returned bytes.
    Call,
    /// The reply is a 32-byte word.
    NativeBalance,
    /// The reply is a 32-byte word.
    CodeSize,
    /// Made by [`Simulation::read`]; the reply is read by [`Simulation::run`].
    Simulation(Effort),
}

/// How old a reply may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// Read at the pinned block.
    Pinned,
    /// Read once and then kept: the reply cannot change.
    Immutable,
    /// Read at most this many seconds before the pinned block.
    Within(u32),
    /// Read at the pinned block, unless it was zero at most this many seconds before.
    ZeroWithin(u32),
}

/// One read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    pub kind: Kind,
    pub to: Address,
    pub data: Bytes,
    /// `msg.sender`. `None` means Multicall3's address, so that a read has the same reply alone and in a batch.
    pub from: Option<Address>,
    pub freshness: Freshness,
    /// True if the read runs in a frame of its own, whose writes no other read sees.
    pub isolated: bool,
    /// Gas limit of the call; the outcome of a call that uses it up is [`Outcome::GasCap`].
    pub gas_cap: Option<u32>,
}

impl Read {
    /// Makes a static call at the pinned block.
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

    /// Returns the read with another freshness.
    #[must_use]
    pub fn fresh(self, freshness: Freshness) -> Self {
        Self { freshness, ..self }
    }
}

/// The outcome of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The returned bytes, or a word.
    Ok(Bytes),
    /// The revert data.
    Reverted(Bytes),
    /// The target has no code, and returned nothing.
    NoCode,
    /// The read used up its gas.
    GasCap,
    /// The job's budget is used up. Readers never return this outcome.
    OverBudget,
    /// The host does not support this kind of read, or no endpoint runs this simulation with so little effort.
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
    /// Wraps an outcome that was read just now.
    pub fn fresh(outcome: Outcome) -> Self {
        Self { outcome, cached: false, age_s: 0 }
    }
}

/// Reason why a read has no outcome.
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
    /// The next [`Reader::pin`] returns another block.
    #[error("no endpoint knows the pinned block any more")]
    BlockLost,
    #[error("no endpoint knows the block that was named")]
    UnknownBlock,
    #[error("no endpoint has the state of the block that was named")]
    NoState,
    #[error("no endpoint proves the transaction's receipt by the header of its block")]
    Unproven,
    #[error("the node of every endpoint is still syncing")]
    Syncing,
    #[error("the newest block of the network is older than its configuration allows")]
    Stale,
    #[error("the answer's budget of reads or requests is used up")]
    OverBudget,
}

/// Pinned block of each network, or why it has none, by chain id.
pub type Pins = BTreeMap<u64, Result<Block, ReadFailure>>;

/// Reads networks, which are identified by their EIP-155 chain ids. Callers read through a [`Session`], which caches
/// and batches.
pub trait Reader: Send + Sync {
    /// Returns true if at least one endpoint of any network serves the right chain.
    fn is_usable(&self, deadline: Instant) -> BoxFuture<'_, bool>;

    /// Waits until a client may cause this many requests besides those of reads, which wait by themselves. Fails with
    /// [`ReadFailure::Timeout`] if that is not in time.
    fn wait_for_turn(
        &self,
        chain_id: u64,
        client: Option<IpAddr>,
        requests: u32,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<(), ReadFailure>>;

    /// Returns the block that an answer which starts now is read at.
    fn pin(&self, chain_id: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// Returns the block with this hash. Fails with [`ReadFailure::BlockLost`] if no endpoint knows it.
    fn block(&self, chain_id: u64, hash: B256, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// Returns a named block whose state some endpoint has. Fails with [`ReadFailure::UnknownBlock`] or
    /// [`ReadFailure::NoState`] otherwise.
    fn named_block(
        &self,
        chain_id: u64,
        named: BlockRef,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// Returns the cached replies that are fresh enough at this block, each with the place of its read, in order.
    /// Replies at this very block may be left out unless all reads are cached; fetching them costs no request. With
    /// `is_past`, replies that were read after the block are ignored.
    fn cached(&self, chain_id: u64, block: &Block, is_past: bool, reads: &ReadSet) -> Vec<(usize, Reply)>;

    /// Drops the cached reply to a read, because the chain contradicts it.
    fn refute(&self, chain_id: u64, read: &Read);

    /// Returns the number of reads that fit well into one request of this network.
    fn chunk_reads(&self, chain_id: u64) -> usize;

    /// Returns how long a batch of this network waits for further reads.
    fn linger(&self, chain_id: u64) -> Duration;

    /// Fetches the replies to reads that are not cached: one for each, in the order of `reads`, before `deadline`.
    /// Requests are charged to the budget.
    fn fetch(
        &self,
        chain_id: u64,
        block: Block,
        reads: ReadSet,
        deadline: Instant,
        budget: Arc<ReadBudget>,
    ) -> BoxFuture<'_, ReplySet>;

    /// Returns the gas price after a block. Charges a request to the budget unless the price is cached.
    fn gas_price(
        &self,
        chain_id: u64,
        block: Block,
        deadline: Instant,
        budget: Arc<ReadBudget>,
    ) -> BoxFuture<'_, Result<GasPrice, ReadFailure>>;

    /// Looks up a transaction. Reports that it is in no block only if all endpoints do; otherwise the lookup fails.
    fn transaction(
        &self,
        chain_id: u64,
        hash: B256,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<TransactionLookup, ReadFailure>>;

    /// Returns true if each movement of the native token in a block left a log (EIP-7708). The headers that were read
    /// answer for all blocks except those near the fork, whose own header is requested.
    fn logs_native(
        &self,
        chain_id: u64,
        number: u64,
        hash: B256,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<bool, ReadFailure>>;
}
