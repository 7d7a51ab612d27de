//! A reader of scripted chains, for tests.
//!
//! It caches as readers do: pinned reads until the next block, all others for ever. Invariant: a read returns what
//! the script says at that moment; the cache decides only if it takes a request.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes};
use alloy::sol_types::{SolCall, SolValue};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::endpoints::round_trips::LINGER_MIN;
use crate::{
    ApprovalQuery, ApprovedPair, Block, BlockRef, ClientId, FoundApprovals, Freshness, GasPrice, Outcome, Read,
    ReadBudget, ReadFailure, ReadSet, Reader, Reply, ReplySet, SearchEnd, Session, SharedListPart, TransactionLookup,
};

/// The first block of every scripted chain. Later ones differ only in their number.
pub const BLOCK: Block = Block {
    number: 21_000_000,
    hash: B256::repeat_byte(1),
    parent: B256::repeat_byte(2),
    timestamp: 1_700_000_000,
    evm_number: 21_000_000,
};

/// Chain id of a chain that is scripted alone.
const ETHEREUM: u64 = 1;

type Script = Arc<dyn Fn(&Read) -> Outcome + Send + Sync>;

/// Returns true if a read has to be made at the answer's own block.
pub fn is_pinned(read: &Read) -> bool {
    matches!(read.freshness, Freshness::Pinned | Freshness::Proven)
}

/// The script of one chain, and a record of what was read. Copies share the record.
#[derive(Clone)]
pub struct ScriptedChain {
    outcomes: HashMap<(Address, Bytes), Outcome>,
    other: Script,
    pin_failure: Option<ReadFailure>,
    lost_below: u64,
    pins_behind: u64,
    transaction: Result<TransactionLookup, ReadFailure>,
    logs_native: bool,
    /// Approvals in logs, each with its block.
    approvals: Vec<(u64, ApprovedPair)>,
    /// Lowest block with logs.
    logs_from: u64,
    record: Arc<Mutex<Record>>,
}

#[derive(Debug, Default)]
struct Record {
    /// Number of blocks after the first.
    blocks: u64,
    /// Reads that are cached, by target and calldata; true if they were made since the last block.
    cached: HashMap<(Address, Bytes), bool>,
    /// Replies that were put into the cache.
    put: HashMap<(Address, Bytes), Outcome>,
    lookups: Vec<Vec<Read>>,
    requests: Vec<Vec<Read>>,
    /// Parts of lists that are shared, by key.
    list_parts: HashMap<Vec<u8>, SharedListPart>,
    /// Searches for approvals.
    searches: Vec<ApprovalQuery>,
}

impl ScriptedChain {
    /// Scripts the outcome of a call, or of another read of this target and data.
    pub fn outcome(&mut self, to: Address, data: &[u8], outcome: Outcome) -> &mut Self {
        self.outcomes.insert((to, Bytes::copy_from_slice(data)), outcome);
        self
    }

    /// Scripts the return value of a call.
    pub fn call(&mut self, to: Address, call: &impl SolCall, returned: impl SolValue) -> &mut Self {
        self.outcome(to, &call.abi_encode(), Outcome::Ok(returned.abi_encode().into()))
    }

    /// Scripts all other reads, which revert by default, as a contract without the function does.
    #[must_use]
    pub fn otherwise(self, other: impl Fn(&Read) -> Outcome + Send + Sync + 'static) -> Self {
        Self { other: Arc::new(other), ..self }
    }

    /// Scripts the lookup of every transaction hash.
    pub fn transaction(&mut self, transaction: Result<TransactionLookup, ReadFailure>) -> &mut Self {
        self.transaction = transaction;
        self
    }

    /// Makes each movement of the native token leave a log.
    pub fn logs_native(&mut self) -> &mut Self {
        self.logs_native = true;
        self
    }

    /// Adds a log of an approval, whoever the owner is.
    pub fn approval(&mut self, block: u64, token: Address, spender: Address) -> &mut Self {
        self.approvals.push((block, (token, spender)));
        self
    }

    /// Removes the logs of all blocks below this one.
    pub fn logs_from(&mut self, block: u64) -> &mut Self {
        self.logs_from = block;
        self
    }

    /// Returns the searches for approvals.
    pub fn searches(&self) -> Vec<ApprovalQuery> {
        self.record.lock().searches.clone()
    }

    /// Puts a reply into the cache, whatever the chain answers.
    pub fn cache(&mut self, to: Address, data: &[u8], outcome: Outcome) -> &mut Self {
        let mut record = self.record.lock();
        record.cached.insert((to, Bytes::copy_from_slice(data)), false);
        record.put.insert((to, Bytes::copy_from_slice(data)), outcome);
        drop(record);
        self
    }

    /// Makes every pin fail.
    pub fn pin_failure(&mut self, failure: ReadFailure) -> &mut Self {
        self.pin_failure = Some(failure);
        self
    }

    /// Makes reads at lower blocks fail as if no endpoint knew them; after that the next block is pinned.
    pub fn lost_below(&mut self, number: u64) -> &mut Self {
        self.lost_below = number;
        self
    }

    /// Pins this many blocks below the chain's head.
    pub fn pins_behind(&mut self, blocks: u64) -> &mut Self {
        self.pins_behind = blocks;
        self
    }

    /// Adds a block; earlier reads then belong to an older one.
    pub fn next_block(&self) {
        let mut record = self.record.lock();
        record.blocks += 1;
        record.cached.values_mut().for_each(|is_of_block| *is_of_block = false);
    }

    /// Returns a reader of this chain alone, as Ethereum.
    pub fn reader(&self) -> Arc<dyn Reader> {
        Arc::new(ScriptedReader([(ETHEREUM, self.clone())].into()))
    }

    /// Opens a session of this chain alone, as Ethereum, at its last block.
    pub fn session(&self, deadline: Instant) -> Arc<Session> {
        self.session_within(deadline, ReadBudget::unbounded())
    }

    /// Opens such a session with a budget.
    pub fn session_within(&self, deadline: Instant, budget: ReadBudget) -> Arc<Session> {
        Session::open(self.reader(), ETHEREUM, self.head(), deadline, Arc::new(budget))
    }

    /// Returns the reads that were looked up in the cache, by lookup.
    pub fn lookups(&self) -> Vec<Vec<Read>> {
        self.record.lock().lookups.clone()
    }

    /// Returns the reads that were requested of a node, by request.
    pub fn requests(&self) -> Vec<Vec<Read>> {
        self.record.lock().requests.clone()
    }

    fn head(&self) -> Block {
        let number = BLOCK.number + self.record.lock().blocks;
        Block { number, evm_number: number, ..BLOCK }
    }

    fn pin(&self) -> Result<Block, ReadFailure> {
        let number = self.head().number.saturating_sub(self.pins_behind).max(BLOCK.number);
        self.pin_failure.map_or(Ok(Block { number, evm_number: number, ..BLOCK }), Err)
    }

    fn search(&self, query: ApprovalQuery) -> FoundApprovals {
        self.record.lock().searches.push(query);
        let from = query.from.max(self.logs_from);
        let is_found = |block: u64| (from..=query.to).contains(&block);
        let pairs = self.approvals.iter().filter(|(block, _)| is_found(*block)).map(|(_, pair)| *pair).collect();
        let end = if from > query.from { SearchEnd::NoLogs } else { SearchEnd::Whole };
        FoundApprovals { pairs, from: (from <= query.to).then_some(from), requests: 1, end }
    }

    fn scripted(&self, read: &Read) -> Reply {
        let outcome = self.outcomes.get(&key(read)).cloned();
        Reply::fresh(outcome.unwrap_or_else(|| (self.other)(read)))
    }

    fn look_up(&self, reads: &ReadSet) -> Vec<(usize, Reply)> {
        let mut record = self.record.lock();
        if !reads.is_empty() {
            record.lookups.push(reads.iter().collect());
        }
        let hits = reads.iter().enumerate().filter(|(_, read)| record.is_cached(read));
        let put = |read: &Read| record.put.get(&key(read)).filter(|_| !is_pinned(read)).cloned();
        let known = |read: &Read| Some(Reply { cached: true, age_s: 12, ..Reply::fresh(put(read)?) });
        hits.map(|(place, read)| (place, known(&read).unwrap_or_else(|| self.scripted(&read)))).collect()
    }

    fn fetch(&self, block: &Block, reads: &ReadSet) -> ReplySet {
        let is_lost = block.number < self.lost_below;
        let lost = || Reply::fresh(Outcome::Failed(ReadFailure::BlockLost));
        let replies: Vec<Reply> =
            reads.iter().map(|read| if is_lost { lost() } else { self.scripted(&read) }).collect();
        let mut record = self.record.lock();
        if is_lost {
            record.blocks = record.blocks.max(block.number + 1 - BLOCK.number);
        }
        // Another request may have fetched some of them since they were looked up.
        let missing = reads.iter().zip(&replies).filter(|(read, _)| !record.is_cached(read)).collect::<Vec<_>>();
        let known = missing.iter().filter(|(_, reply)| !matches!(reply.outcome, Outcome::Failed(_)));
        record.cached.extend(known.map(|(read, _)| (key(read), true)));
        if !missing.is_empty() {
            record.requests.push(missing.into_iter().map(|(read, _)| read).collect());
        }
        replies.into_iter().collect()
    }
}

impl Default for ScriptedChain {
    fn default() -> Self {
        Self {
            outcomes: HashMap::new(),
            other: Arc::new(|_| Outcome::Reverted(Bytes::new())),
            pin_failure: None,
            lost_below: 0,
            pins_behind: 0,
            transaction: Err(ReadFailure::NotConfigured),
            logs_native: false,
            approvals: Vec::new(),
            logs_from: 0,
            record: Arc::default(),
        }
    }
}

impl fmt::Debug for ScriptedChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedChain").field("record", &self.record).finish_non_exhaustive()
    }
}

impl Record {
    fn is_cached(&self, read: &Read) -> bool {
        self.cached.get(&key(read)).is_some_and(|is_of_block| *is_of_block || !is_pinned(read))
    }
}

fn key(read: &Read) -> (Address, Bytes) {
    (read.to, read.data.clone())
}

/// Reads scripted chains by their chain id; a missing one has no endpoint.
#[derive(Clone, Debug, Default)]
pub struct ScriptedReader(pub BTreeMap<u64, ScriptedChain>);

impl ScriptedReader {
    /// Returns the chain, which must have the block.
    fn at(&self, chain_id: u64, block: &Block) -> &ScriptedChain {
        let (chain, number) = (&self.0[&chain_id], block.number);
        assert_eq!(*block, Block { number, evm_number: number, ..BLOCK });
        assert!((BLOCK.number..=chain.head().number).contains(&number), "the chain has no block {number}");
        chain
    }
}

impl Reader for ScriptedReader {
    fn is_usable(&self, _: Instant) -> BoxFuture<'_, bool> {
        ready(true).boxed()
    }

    fn wait_for_turn(&self, _: u64, _: Option<ClientId>, _: u32, _: Instant) -> BoxFuture<'_, Result<(), ReadFailure>> {
        ready(Ok(())).boxed()
    }

    fn shares_lists(&self) -> bool {
        true
    }

    fn shared_list_parts<'a>(
        &'a self,
        chain_id: u64,
        keys: &'a [Vec<u8>],
    ) -> BoxFuture<'a, Vec<(usize, SharedListPart)>> {
        let record = self.0[&chain_id].record.lock();
        let part = |(place, key): (usize, &Vec<u8>)| Some((place, record.list_parts.get(key)?.clone()));
        let parts = keys.iter().enumerate().filter_map(part).collect();
        drop(record);
        ready(parts).boxed()
    }

    fn share_list_part(&self, chain_id: u64, key: &[u8], block: &Block, bytes: &[u8]) {
        let part = SharedListPart { number: block.number, bytes: Bytes::copy_from_slice(bytes) };
        self.0[&chain_id].record.lock().list_parts.insert(key.to_vec(), part);
    }

    fn pin(&self, chain_id: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        ready(self.0.get(&chain_id).map_or(Err(ReadFailure::NotConfigured), ScriptedChain::pin)).boxed()
    }

    fn pin_from(&self, chain_id: u64, min: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        let pinned = self.0.get(&chain_id).map_or(Err(ReadFailure::NotConfigured), ScriptedChain::pin);
        let is_new_enough = |block: Block| if block.number < min { Err(ReadFailure::Behind) } else { Ok(block) };
        ready(pinned.and_then(is_new_enough)).boxed()
    }

    fn approvals<'a>(
        &'a self,
        chain_id: u64,
        query: ApprovalQuery,
        _: Instant,
        _: &'a ReadBudget,
    ) -> BoxFuture<'a, FoundApprovals> {
        ready(self.0[&chain_id].search(query)).boxed()
    }

    /// All blocks have one hash, so this returns the newest.
    fn block(&self, chain_id: u64, hash: B256, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        let chain = self.0.get(&chain_id).ok_or(ReadFailure::NotConfigured);
        let head = chain.map(ScriptedChain::head);
        ready(head.and_then(|head| if head.hash == hash { Ok(head) } else { Err(ReadFailure::BlockLost) })).boxed()
    }

    /// Only the newest block can be named.
    fn named_block(&self, chain_id: u64, named: BlockRef, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        let chain = self.0.get(&chain_id).ok_or(ReadFailure::NotConfigured);
        let head = chain.map(ScriptedChain::head);
        let is_head = |head: &Block| named == BlockRef::Number(head.number);
        ready(head.and_then(|head| Some(head).filter(is_head).ok_or(ReadFailure::UnknownBlock))).boxed()
    }

    fn cached(&self, chain_id: u64, block: &Block, _: bool, reads: &ReadSet) -> Vec<(usize, Reply)> {
        self.at(chain_id, block).look_up(reads)
    }

    fn refute(&self, chain_id: u64, read: &Read) {
        let mut record = self.0[&chain_id].record.lock();
        record.cached.remove(&key(read));
        record.put.remove(&key(read));
    }

    fn chunk_reads(&self, _: u64) -> usize {
        500
    }

    fn linger(&self, _: u64) -> Duration {
        LINGER_MIN
    }

    fn fetch(
        &self,
        chain_id: u64,
        block: Block,
        reads: ReadSet,
        _: Instant,
        _: Arc<ReadBudget>,
    ) -> BoxFuture<'_, ReplySet> {
        ready(self.at(chain_id, &block).fetch(&block, &reads)).boxed()
    }

    /// A unit of gas costs two wei.
    fn gas_price(
        &self,
        _: u64,
        _: Block,
        _: Instant,
        _: Arc<ReadBudget>,
    ) -> BoxFuture<'_, Result<GasPrice, ReadFailure>> {
        ready(Ok(GasPrice { base_fee: Some(1), tip: 1 })).boxed()
    }

    fn transaction(&self, chain_id: u64, _: B256, _: Instant) -> BoxFuture<'_, Result<TransactionLookup, ReadFailure>> {
        let chain = self.0.get(&chain_id);
        ready(chain.map_or(Err(ReadFailure::NotConfigured), |chain| chain.transaction.clone())).boxed()
    }

    fn logs_native(&self, chain_id: u64, _: u64, _: B256, _: Instant) -> BoxFuture<'_, Result<bool, ReadFailure>> {
        let chain = self.0.get(&chain_id);
        ready(chain.map_or(Err(ReadFailure::NotConfigured), |chain| Ok(chain.logs_native))).boxed()
    }
}
