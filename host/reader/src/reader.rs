//! The trait that sessions read through: the chain reader implements it, and tests implement it with scripted chains.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use tokio::time::Instant;

use crate::cache::lookup::{OpenGroups, SharedLookup};
use crate::cache::reply_cache::SharedListPart;
use crate::endpoints::approval_search::ApprovalSearch;
use crate::{
    ApprovalQuery, Block, BlockRef, ClientId, ContractLog, FoundApprovals, GasPrice, Read, ReadBudget, ReadFailure,
    ReadSet, Reply, ReplySet, SearchEnd, TransactionLookup,
};

/// Pinned block of each network, or why it has none, by chain id.
pub type Pins = BTreeMap<u64, Result<Block, ReadFailure>>;

/// Reads networks, which are identified by their EIP-155 chain ids. Callers read through a
/// [`Session`](crate::Session), which caches and batches.
pub trait Reader: Send + Sync {
    /// Returns true if at least one endpoint of any network serves the right chain.
    fn is_usable(&self, deadline: Instant) -> BoxFuture<'_, bool>;

    /// Waits until a client may cause this many requests besides those of reads, which wait by themselves. Fails with
    /// [`ReadFailure::Timeout`] if that is not in time.
    fn wait_for_turn(
        &self,
        chain_id: u64,
        client: Option<ClientId>,
        requests: u32,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<(), ReadFailure>>;

    /// Returns the block that an answer which starts now is read at.
    fn pin(&self, chain_id: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// Returns such a block that is at least as high as `min`. Fails with [`ReadFailure::Behind`] if there is none in time.
    fn pin_from(&self, chain_id: u64, min: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// Waits for another block to read at than the one with the hash `known`. Fails with [`ReadFailure::Timeout`] if there
    /// is none in time.
    fn next_pin(&self, chain_id: u64, known: B256, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move {
            let pinned = self.pin(chain_id, deadline).await?;
            if pinned.hash == known { Err(ReadFailure::Timeout) } else { Ok(pinned) }
        }
        .boxed()
    }

    /// Returns the logs of contracts after one block, up to and with a later one. One endpoint's word is taken for it.
    fn contract_logs<'a>(
        &'a self,
        _chain_id: u64,
        _after: Block,
        _to: Block,
        _contracts: &'a Arc<[Address]>,
        _deadline: Instant,
    ) -> BoxFuture<'a, Result<Vec<ContractLog>, ReadFailure>> {
        ready(Err(ReadFailure::NotConfigured)).boxed()
    }

    /// Searches logs for the approvals of an account, from the newest block to the oldest. Requests are charged to the
    /// budget, of which half is left. One endpoint's word is taken for what logs there are.
    fn approvals<'a>(
        &'a self,
        _chain_id: u64,
        query: ApprovalQuery,
        _deadline: Instant,
        budget: &'a ReadBudget,
    ) -> BoxFuture<'a, FoundApprovals> {
        let failed = SearchEnd::Failed(ReadFailure::NotConfigured);
        ready(ApprovalSearch::new(query, budget).end(failed)).boxed()
    }

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

    /// Looks up what other gateways share and is fresh enough at this block. Waits for a few milliseconds at most.
    /// `parts` are the numbers of reads of each step, in order. The replies count as cached.
    fn shared<'a>(
        &'a self,
        _chain_id: u64,
        _block: &'a Block,
        _is_past: bool,
        _reads: &'a ReadSet,
        _parts: &'a [usize],
    ) -> BoxFuture<'a, SharedLookup> {
        ready(SharedLookup::default()).boxed()
    }

    /// Shares the replies to the reads that a look-up left open.
    fn share(&self, _chain_id: u64, _block: &Block, _open: &OpenGroups, _replies: &ReplySet) {}

    /// Returns true if there are other gateways to share lists with.
    fn shares_lists(&self) -> bool {
        false
    }

    /// Returns the parts of lists that other gateways share under these keys, each with the place of its key. Waits for
    /// a few milliseconds at most.
    fn shared_list_parts<'a>(
        &'a self,
        _chain_id: u64,
        _keys: &'a [Vec<u8>],
    ) -> BoxFuture<'a, Vec<(usize, SharedListPart)>> {
        ready(Vec::new()).boxed()
    }

    /// Shares a part of a list that was read at a block.
    fn share_list_part(&self, _chain_id: u64, _key: &[u8], _block: &Block, _bytes: &[u8]) {}

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
