//! Features that an endpoint lacks, or gets wrong, in all that it forwards.
//!
//! Flaws are of the kinds that were seen at real nodes, and combine: each field stands for itself, and none set is a
//! truthful node.

/// Among the methods that a node lacks: it takes no batch.
pub const BATCHES: &str = "batches";

/// The flaws between the reader and a truthful chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    pub overrides: Overrides,
    pub hashes: Hashes,
    pub gas: Gas,
    /// Multicall3 has no code, and a call to it returns nothing.
    pub hides_multicall: bool,
    /// HTTP status 413 to longer bodies.
    pub request_max_bytes: Option<usize>,
    /// An error in place of longer replies.
    pub reply_max_bytes: Option<usize>,
    /// So many blocks behind the chain: its head is older, and newer blocks are unknown.
    pub behind: u64,
    /// State is read so many blocks below the block that was named.
    pub off: u64,
    /// It has no states of blocks so many or more below the newest.
    pub prunes: Option<u64>,
    /// It has no logs of blocks so many or more below the newest, and says so.
    pub prunes_logs: Option<u64>,
    /// Its headers have the member that blocks have from Amsterdam on (EIP-7928).
    pub is_of_amsterdam: bool,
    /// Methods that it does not have.
    pub lacks: &'static [&'static str],
    pub reverts: Reverts,
    pub replies: Replies,
    /// The methods whose replies are spoilt; all of them where none is named.
    pub of: &'static [&'static str],
}

/// The treatment of the state override of an `eth_call`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overrides {
    #[default]
    Taken,
    /// Dropped without a word.
    Ignored,
    /// An error: too many arguments.
    Refused,
}

/// The treatment of a block that is named by its hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hashes {
    #[default]
    Known,
    /// One that no block has is answered at the newest.
    UnknownAnswered,
    /// Whatever it is, the newest block is meant.
    Ignored,
    /// An error, as of a node from before EIP-1898.
    Refused,
}

/// The treatment of the gas of an `eth_call`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gas {
    #[default]
    Unbounded,
    /// More than this is refused, as reth does.
    Refused(u64),
    /// No call has more than this, as at geth.
    Lowered(u64),
}

/// Where the error of an `eth_call` has the data of a revert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reverts {
    /// As geth and anvil.
    #[default]
    Data,
    /// As Parity and Nethermind: behind a word, in an error that is not called a revert.
    Prefixed,
    /// As Hardhat: in an object.
    Object,
    /// As wallets do: below the original error.
    OriginalError,
    /// As Ganache: by the hash of the transaction.
    ByTransaction,
    /// In the message alone.
    Message,
    /// Nowhere.
    Dropped,
}

/// The treatment of replies on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replies {
    #[default]
    Whole,
    /// The connection breaks after so many bytes of the body.
    Cut(usize),
    /// A whole HTTP response whose JSON ends in the middle.
    Truncated,
    /// The id of some other request.
    WrongId,
    /// Another id and the right one in one object.
    TwoIds,
    /// A result of zeros before the true one, in one object.
    TwoResults,
    /// A result of zeros after the true one.
    ResultTwice,
    /// So many spaces after the true reply.
    Padded(usize),
}

impl Flaws {
    /// Returns true if replies to this method are spoilt.
    pub(super) fn spoils(&self, method: &str) -> bool {
        self.replies != Replies::Whole && (self.of.is_empty() || self.of.contains(&method))
    }
}
