//! A reader that answers from a table, and keeps what it answered as long as readers do: what changes for its block.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U256};
use alloy::sol_types::{SolCall, SolValue};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_reader::{
    Block, Freshness, Outcome, Read, ReadFailure, ReadSet, Reader, Reply, ReplySet, Session, TransactionLookup,
};
use tokio::time::Instant;

use super::feeds::Aggregator;

pub(crate) const BLOCK: Block = Block {
    number: 21_000_000,
    hash: B256::repeat_byte(1),
    parent: B256::repeat_byte(2),
    timestamp: 1_700_000_000,
    evm_number: 21_000_000,
};

/// What is not in the table reverts, as a contract without the function does. A copy counts with the original.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    answers: HashMap<(Address, Bytes), Outcome>,
    transaction: Option<Result<TransactionLookup, ReadFailure>>,
    batches: Arc<Mutex<Vec<Vec<Read>>>>,
    requests: Arc<Mutex<Vec<Vec<Read>>>>,
    /// Whether it is of this block.
    cached: Arc<Mutex<HashMap<(Address, Bytes), bool>>>,
}

impl Script {
    pub(crate) fn outcome(&mut self, to: Address, data: &[u8], outcome: Outcome) -> &mut Self {
        self.answers.insert((to, Bytes::copy_from_slice(data)), outcome);
        self
    }

    pub(crate) fn call(&mut self, to: Address, call: &impl SolCall, returned: impl SolValue) -> &mut Self {
        self.outcome(to, &call.abi_encode(), Outcome::Ok(returned.abi_encode().into()))
    }

    /// A feed of 8 decimals that was written `age_s` before the block.
    pub(crate) fn feed(&mut self, feed: Address, answer: i64, age_s: u64) -> &mut Self {
        let at = U256::from(BLOCK.timestamp - age_s);
        let answer = alloy::primitives::I256::try_from(answer).unwrap();
        let round = (U256::from(1), answer, at, at, U256::from(1));
        self.call(feed, &Aggregator::latestRoundDataCall {}, round).call(
            feed,
            &Aggregator::decimalsCall {},
            U256::from(8),
        )
    }

    /// What every hash leads to.
    pub(crate) fn leads_to(&mut self, transaction: Result<TransactionLookup, ReadFailure>) -> &mut Self {
        self.transaction = Some(transaction);
        self
    }

    /// A session of Ethereum at the block.
    pub(crate) fn session(&self, deadline: Instant) -> Arc<Session> {
        Session::open(Arc::new(self.clone()), 1, BLOCK, deadline)
    }

    /// The batches of more than one read that were looked up so far.
    pub(crate) fn batches(&self) -> Vec<Vec<Read>> {
        self.batches.lock().clone()
    }

    /// What of them left for a node.
    pub(crate) fn requests(&self) -> Vec<Vec<Read>> {
        self.requests.lock().clone()
    }

    /// What was answered so far is of an older block from now on.
    pub(crate) fn next_block(&self) {
        self.cached.lock().values_mut().for_each(|is_of_block| *is_of_block = false);
    }

    fn is_cached(&self, read: &Read) -> bool {
        let cached = self.cached.lock();
        cached.get(&(read.to, read.data.clone())).is_some_and(|is_of_block| *is_of_block || !is_pinned(read))
    }

    fn answer(&self, read: &Read) -> Outcome {
        let known = self.answers.get(&(read.to, read.data.clone())).cloned();
        known.unwrap_or_else(|| Outcome::Reverted(Bytes::new()))
    }
}

impl Reader for Script {
    fn is_usable(&self, _: Instant) -> BoxFuture<'_, bool> {
        async { true }.boxed()
    }

    fn pin(&self, _: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async { Ok(BLOCK) }.boxed()
    }

    fn cached(&self, _: u64, block: &Block, reads: &ReadSet) -> Vec<(usize, Reply)> {
        assert_eq!(*block, BLOCK);
        if reads.len() > 1 {
            self.batches.lock().push(reads.iter().collect());
        }
        let hit = |(place, read)| self.is_cached(&read).then(|| (place, Reply::fresh(self.answer(&read))));
        reads.iter().enumerate().filter_map(hit).collect()
    }

    fn chunk_reads(&self, _: u64) -> usize {
        500
    }

    fn linger(&self, _: u64) -> Duration {
        Duration::from_millis(2)
    }

    fn fetch(&self, _: u64, block: Block, reads: ReadSet, _: Instant) -> BoxFuture<'_, ReplySet> {
        assert_eq!(block, BLOCK);
        let replies = reads.iter().map(|read| Reply::fresh(self.answer(&read))).collect();
        let open: Vec<Read> = reads.iter().filter(|read| !self.is_cached(read)).collect();
        let answered = open.iter().filter(|read| !matches!(self.answer(read), Outcome::Failed(_)));
        self.cached.lock().extend(answered.map(|read| ((read.to, read.data.clone()), true)));
        if !open.is_empty() {
            self.requests.lock().push(open);
        }
        async move { replies }.boxed()
    }

    fn transaction(&self, _: u64, _: B256, _: Instant) -> BoxFuture<'_, Result<TransactionLookup, ReadFailure>> {
        let transaction = self.transaction.clone().unwrap_or(Err(ReadFailure::NotConfigured));
        async move { transaction }.boxed()
    }
}

/// Whether anything that may change within a block was read at another time than the block's.
pub(crate) fn is_pinned(read: &Read) -> bool {
    read.freshness == Freshness::Pinned
}
