//! Immutable replies that wait for the disk until the block that they were read at is final.
//!
//! Invariant: they never take more than [`PENDING_MAX_BYTES`]. A reply that does not fit stays in memory only, and
//! costs a request after a restart. The store decides which block is final, and which replies are confirmed.

use std::collections::VecDeque;
use std::sync::Arc;

use alloy::primitives::{B256, Bytes};
use parking_lot::Mutex;

use crate::{Block, Read};

/// Room for some 60,000 words, as many as are read within a quarter of an hour.
const PENDING_MAX_BYTES: usize = 16 << 20;
/// The size of a reply without its data and its read's.
const ROW_BYTES: usize = 200;
/// The size of a block without its replies.
const BLOCK_BYTES: usize = 200;

/// A reply that never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) chain_id: u64,
    pub(crate) read: Read,
    /// Height and timestamp of the block at which it was read.
    pub(crate) number: u64,
    pub(crate) timestamp: u64,
    /// Host and port of the endpoint that gave it.
    pub(crate) endpoint: Arc<str>,
    pub(crate) reply: Bytes,
}

impl Row {
    fn bytes(&self) -> usize {
        ROW_BYTES + self.read.data.len() + self.reply.len()
    }
}

/// The replies of one endpoint at one block.
#[derive(Clone, Debug)]
pub(crate) struct PendingBlock {
    pub(crate) chain_id: u64,
    pub(crate) endpoint: Arc<str>,
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) timestamp: u64,
    /// Unix seconds; 0 until the store has seen it.
    pub(crate) since_s: u64,
    /// Unix seconds.
    pub(crate) not_before_s: u64,
    /// Number of times that no endpoint could say if the block is canonical.
    pub(crate) tries: u32,
    pub(crate) rows: Vec<Row>,
}

impl PendingBlock {
    fn bytes(&self) -> usize {
        BLOCK_BYTES + self.rows.iter().map(Row::bytes).sum::<usize>()
    }

    /// Returns true if a reply belongs to this block. Partly confirmed blocks take no more replies.
    fn takes(&self, block: &Block, row: &Row) -> bool {
        self.is(row.chain_id, block.hash) && self.endpoint == row.endpoint && self.since_s == 0
    }

    fn is(&self, chain_id: u64, hash: B256) -> bool {
        self.hash == hash && self.chain_id == chain_id
    }
}

/// The blocks that wait, longest first.
#[derive(Debug, Default)]
pub(crate) struct Pending(Mutex<Blocks>);

#[derive(Debug, Default)]
struct Blocks {
    list: VecDeque<PendingBlock>,
    bytes: usize,
    /// True if the disk has failed, so that nothing waits any more.
    closed: bool,
}

impl Pending {
    pub(super) fn add(&self, block: &Block, row: Row) {
        let mut blocks = self.0.lock();
        if blocks.closed || blocks.bytes + BLOCK_BYTES + row.bytes() > PENDING_MAX_BYTES {
            return;
        }
        blocks.bytes += row.bytes();
        // The newest blocks are last.
        if let Some(waiting) = blocks.list.iter_mut().rev().find(|waiting| waiting.takes(block, &row)) {
            waiting.rows.push(row);
            return;
        }
        blocks.bytes += BLOCK_BYTES;
        let Block { number, hash, timestamp, .. } = *block;
        blocks.list.push_back(PendingBlock {
            chain_id: row.chain_id,
            endpoint: Arc::clone(&row.endpoint),
            number,
            hash,
            timestamp,
            since_s: 0,
            not_before_s: 0,
            tries: 0,
            rows: vec![row],
        });
    }

    /// Sets the start of waiting for blocks that came since the last call.
    pub(crate) fn note_since(&self, now_s: u64) {
        self.0
            .lock()
            .list
            .iter_mut()
            .filter(|waiting| waiting.since_s == 0)
            .for_each(|waiting| waiting.since_s = now_s);
    }

    /// Drops the matching replies.
    pub(super) fn drop_where(&self, is_it: impl Fn(&Row) -> bool) {
        for mut waiting in self.take(usize::MAX, |waiting| waiting.rows.iter().any(&is_it)) {
            waiting.rows.retain(|row| !is_it(row));
            if !waiting.rows.is_empty() {
                self.put_back(waiting);
            }
        }
    }

    /// Takes at most this many of the blocks that are ripe.
    pub(crate) fn take(&self, most: usize, is_ripe: impl Fn(&PendingBlock) -> bool) -> Vec<PendingBlock> {
        let mut blocks = self.0.lock();
        let (mut taken, mut left) = (Vec::new(), VecDeque::new());
        for waiting in blocks.list.drain(..) {
            if taken.len() < most && is_ripe(&waiting) {
                taken.push(waiting);
            } else {
                left.push_back(waiting);
            }
        }
        blocks.bytes = blocks.bytes.saturating_sub(taken.iter().map(PendingBlock::bytes).sum());
        blocks.list = left;
        taken
    }

    /// Puts a block back, behind the others.
    pub(crate) fn put_back(&self, waiting: PendingBlock) {
        let mut blocks = self.0.lock();
        let bytes = waiting.bytes();
        if !blocks.closed && blocks.bytes + bytes <= PENDING_MAX_BYTES {
            blocks.bytes += bytes;
            blocks.list.push_back(waiting);
        }
    }

    pub(super) fn remove_block(&self, chain_id: u64, hash: B256) {
        self.take(usize::MAX, |waiting| waiting.is(chain_id, hash));
    }

    /// Drops all blocks, and accepts no more.
    pub(crate) fn close(&self) {
        *self.0.lock() = Blocks { closed: true, ..Blocks::default() };
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;

    use super::*;

    fn block(number: u64) -> Block {
        Block {
            number,
            hash: B256::left_padding_from(&number.to_be_bytes()),
            parent: B256::ZERO,
            timestamp: number,
            evm_number: number,
        }
    }

    fn row(timestamp: u64, reply: usize) -> Row {
        let (read, endpoint) = (Read::call(Address::ZERO, [1]), "node.example".into());
        Row { chain_id: 1, read, number: timestamp, timestamp, endpoint, reply: vec![1; reply].into() }
    }

    fn numbers(taken: Vec<PendingBlock>) -> Vec<(u64, usize)> {
        taken.iter().map(|waiting| (waiting.number, waiting.rows.len())).collect()
    }

    #[test]
    fn replies_wait_by_block_and_are_taken_once() {
        let pending = Pending::default();
        for number in [1, 2, 1, 3] {
            pending.add(&block(number), row(number, 32));
        }
        pending.add(&block(1), Row { chain_id: 137, ..row(1, 32) });
        assert_eq!(numbers(pending.take(2, |waiting| waiting.number != 2)), [(1, 2), (3, 1)]);
        let left = pending.take(9, |_| true);
        assert_eq!(
            left.iter().map(|waiting| (waiting.chain_id, waiting.number)).collect::<Vec<_>>(),
            [(1, 2), (137, 1)]
        );
        assert_eq!(pending.0.lock().bytes, 0);
        left.into_iter().for_each(|waiting| pending.put_back(waiting));
        pending.remove_block(1, block(2).hash);
        assert_eq!(numbers(pending.take(9, |_| true)), [(1, 1)]);
        assert_eq!(pending.0.lock().bytes, 0);
    }

    #[test]
    fn what_waits_has_a_bound_and_nothing_waits_for_a_closed_disk() {
        let pending = Pending::default();
        for number in 0..100 {
            pending.add(&block(number), row(number, 1 << 20));
        }
        let taken = pending.take(100, |_| true);
        assert_eq!(taken.len(), 15, "16 MiB hold 15 of a little more than one");
        taken.into_iter().for_each(|waiting| pending.put_back(waiting));
        pending.close();
        pending.add(&block(1), row(1, 1));
        assert!(pending.take(100, |_| true).is_empty());
        assert_eq!(pending.0.lock().bytes, 0);
    }
}
