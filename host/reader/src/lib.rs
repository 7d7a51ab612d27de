//! Thousands of contract reads in a handful of JSON-RPC requests, each at a proven block.
//!
//! A caller pins a block ([`Reader::pin`]), opens a [`Session`] at it, and reads: replies come in the order of the
//! reads. Invariant: a read's reply never depends on which other reads share its request, and nothing waits past the
//! caller's deadline. How reads become requests is private to this crate.
//!
//! A read goes down one floor after another, each of which names only those below it:
//!
//! 1. `session` looks it up, and collects the reads of all jobs of an answer that wait at the same moment.
//! 2. `chain_reader` finds the network, and fetches equal reads once.
//! 3. `endpoints` choose who answers, cut the reads into chunks, and send to the next endpoint what one left open.
//! 4. `cache` has what was read before, in memory, on disk, and by other gateways; `methods` encode a chunk as one
//!    request and decode its reply.
//! 5. `chain` knows blocks, transactions and gas prices; `wire` sends the request and reads the reply.
//! 6. `reads` are the values that all floors share.

mod session;

mod read_joiner;

mod chain_reader;
mod reader;

mod endpoints;

mod cache;
mod methods;

mod chain;
mod wire;

mod reads;

mod client_id;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use self::cache::lookup::{Lookup, OpenGroups, SharedLookup};
pub use self::cache::reply_cache::{SharedListPart, StoredReplyFilter};
pub use self::cache::store::StoreSettings;
pub use self::cache::stored_replies::{StoredReplies, StoredRepliesError, StoredReply};
pub use self::chain::approval_log::ApprovedPair;
pub use self::chain::block::{Block, BlockRef};
pub use self::chain::contract_log::ContractLog;
pub use self::chain::gas_price::GasPrice;
pub use self::chain::transaction::{GasPaid, Log, Receipt, TransactionLookup, TransactionStatus};
pub use self::chain_reader::ChainReader;
pub use self::client_id::ClientId;
pub use self::endpoints::approval_search::{ApprovalQuery, FoundApprovals, SearchEnd};
pub use self::endpoints::limit::Limits;
pub use self::endpoints::network::Upstream;
pub use self::endpoints::status::{
    BatchMethod, EndpointFailure, EndpointState, EndpointStatus, NetworkStatus, Quantiles,
};
pub use self::methods::simulation::{
    AccountCode, AccountLog, Approval, Changes, LogKind, Run, RunStep, Sender, Simulation, SimulationMethod, StepEnd,
    TRANSACTION_GAS_MAX, Watched,
};
pub use self::read_joiner::ReadJoiner;
pub use self::reader::{Pins, Reader};
pub use self::reads::read_budget::{Meter, ReadBudget};
pub use self::reads::read_set::ReadSet;
pub use self::reads::reply_set::ReplySet;
pub use self::reads::{Effort, Freshness, Kind, Outcome, Read, ReadFailure, Reply};
pub use self::session::{Participant, Session};
pub use self::wire::rpc_url::{RpcUrl, RpcUrlError};
