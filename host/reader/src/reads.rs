//! Reads, their sets, their outcomes, and the budget that they are charged to.
//!
//! The lowest floor: values that all others share. It may use none of them.

pub(crate) mod outcomes;
pub(crate) mod read_budget;
pub(crate) mod read_set;
pub(crate) mod reply_set;

use alloy::primitives::{Address, Bytes};

/// The kinds of reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `eth_call`; the reply is the returned bytes.
    Call,
    /// The reply is a 32-byte word.
    NativeBalance,
    /// The reply is a 32-byte word.
    CodeSize,
    /// Made by [`Simulation::read`](crate::Simulation::read); its reply is read by
    /// [`Simulation::run`](crate::Simulation::run).
    Simulation(Effort),
}

/// The cost that a simulation may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// Run only together with others of the account.
    Packed,
    /// Run by any method that the endpoint supports, alone if need be.
    Any,
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
    /// The next [`Reader::pin`](crate::Reader::pin) returns another block.
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
    #[error("no endpoint has a block as new as the one that was named")]
    Behind,
    #[error("the answer's budget of reads or requests is used up")]
    OverBudget,
}
