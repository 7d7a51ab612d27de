//! A reader that answers from a table, and keeps what it was asked.

use std::collections::HashMap;
use std::sync::Mutex;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::{SolCall, SolValue};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_reader::{Block, Freshness, Outcome, Read, ReadFailure, Reader, Reply, Scan};
use tokio::time::Instant;

use super::feeds::Aggregator;

pub(crate) const BLOCK: Block = Block {
    number: 21_000_000,
    hash: alloy::primitives::B256::repeat_byte(1),
    parent: alloy::primitives::B256::repeat_byte(2),
    timestamp: 1_700_000_000,
    evm_number: 21_000_000,
};

/// What is not in the table reverts, as a contract without the function does.
#[derive(Debug, Default)]
pub(crate) struct Script {
    answers: HashMap<(Address, Bytes), Outcome>,
    waves: Mutex<Vec<Vec<Read>>>,
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

    /// The batches that were asked so far.
    pub(crate) fn waves(&self) -> Vec<Vec<Read>> {
        self.waves.lock().unwrap().clone()
    }
}

impl Reader for Script {
    fn is_usable(&self, _: Instant) -> BoxFuture<'_, bool> {
        async { true }.boxed()
    }

    fn pin(&self, _: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async { Ok(BLOCK) }.boxed()
    }

    fn kept(&self, _: u64, _: &Block, _: &Read) -> Option<Reply> {
        None
    }

    fn chunk_reads(&self, _: u64) -> usize {
        500
    }

    fn read(&self, _: u64, block: Block, reads: Vec<Read>, _: Instant) -> BoxFuture<'_, Vec<Reply>> {
        assert_eq!(block, BLOCK);
        let answer = |read: &Read| self.answers.get(&(read.to, read.data.clone())).cloned();
        let reverted = || Outcome::Reverted(Bytes::new());
        let replies = reads.iter().map(|read| Reply::fresh(answer(read).unwrap_or_else(reverted))).collect();
        self.waves.lock().unwrap().push(reads);
        async move { replies }.boxed()
    }

    fn scan(&self, _: u64, _: Block, _: Address, _: Vec<Address>, _: Instant) -> BoxFuture<'_, Scan> {
        async { Scan::default() }.boxed()
    }
}

/// Whether anything that may change within a block was asked for at another time than the block's.
pub(crate) fn is_pinned(read: &Read) -> bool {
    read.freshness == Freshness::Pinned
}
