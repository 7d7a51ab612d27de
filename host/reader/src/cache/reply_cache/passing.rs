//! Replies that last for seconds, such as most of those about an account, by the batches that they came in.
//!
//! A batch is kept as it is, with one entry for each row of reads that differ only in their target: most of its replies
//! are never looked up again. The reads of a batch are indexed once one of its rows is looked up.
//! Invariant: of several replies to a read, that of the newest block counts. The batches never take more than their
//! bound of bytes; the oldest make way.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::Arc;

use alloy::primitives::Address;
use hashbrown::{DefaultHashBuilder, HashTable};
use parking_lot::Mutex;

use super::key::Fact;
use super::{Known, StoredReplyFilter, copy, is_zero};
use crate::reads::outcomes::{Outcomes, ZERO_WORD};
use crate::reads::read_set::{ReadRef, ReadSet, count, index, shared};
use crate::reads::reply_set::ReplySet;
use crate::{Block, Freshness, Outcome, Read};

/// The size of a batch without its reads.
const BATCH_BYTES: usize = 400;
/// The size of a read: target, slot of its outcome, and its place in the index.
const READ_BYTES: usize = 44;
/// The size of a row of reads that differ only in their target, without its data.
const ROW_BYTES: usize = 190;
/// The size of an outcome other than a zero word, without its data.
const OUTCOME_BYTES: usize = 100;

/// The last batches of passing replies.
pub(super) struct Passing {
    batches: Mutex<Batches>,
    max_bytes: usize,
}

#[derive(Default)]
struct Batches {
    list: VecDeque<PassingBatch>,
    /// The number of the first batch in the list.
    first: u64,
    /// The number of each batch that has a row, by the hash of what the row shares.
    rows: HashTable<(u64, u64)>,
    bytes: usize,
    hasher: DefaultHashBuilder,
}

/// Replies of one endpoint at one block.
struct PassingBatch {
    chain_id: u64,
    number: u64,
    timestamp: u64,
    endpoint: Option<Arc<str>>,
    reads: ReadSet,
    /// Open where a reply may not serve later.
    outcomes: Outcomes,
    /// The hash of what each row shares.
    hashes: Vec<u64>,
    /// Places by the hash of the read, once one of the rows was looked up.
    places: Option<HashTable<u32>>,
    bytes: usize,
}

/// Returns true if replies to reads of this freshness are passing.
pub(super) fn is_passing(freshness: Freshness) -> bool {
    matches!(freshness, Freshness::ZeroWithin(_) | Freshness::Within(..=super::PASSING_FOR_S))
}

impl Passing {
    /// Makes an empty cache of at most this many bytes.
    pub(super) fn new(max_bytes: u64) -> Self {
        Self { batches: Mutex::default(), max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX) }
    }

    /// Calls `found` with the newest reply to each of a row's reads, and its place in the row. All reads differ from
    /// `like` at most in their target.
    pub(super) fn find(&self, chain_id: u64, like: &Read, targets: &[Address], mut found: impl FnMut(usize, Known)) {
        let mut batches = self.batches.lock();
        let Batches { list, first, rows, hasher, .. } = &mut *batches;
        let row = hasher.hash_one((chain_id, Fact::of(like.freshness), shared(like)));
        let of_row = rows.iter_hash(row).filter(|(hash, _)| *hash == row);
        let mut numbers: Vec<usize> =
            of_row.filter_map(|(_, number)| usize::try_from(number.checked_sub(*first)?).ok()).collect();
        if numbers.is_empty() {
            return;
        }
        numbers.sort_unstable_by_key(|number| list.get(*number).map(PassingBatch::age));
        for number in &numbers {
            if let Some(batch) = list.get_mut(*number) {
                batch.index(hasher);
            }
        }
        for (place, to) in targets.iter().enumerate() {
            let hash = hasher.hash_one((row, to));
            let read = ReadRef { to: *to, like };
            let known = numbers.iter().rev().find_map(|number| list.get(*number)?.known(chain_id, hash, read));
            if let Some(known) = known {
                found(place, known);
            }
        }
    }

    /// Inserts the passing replies of a batch that may serve later. What they contradict is dropped.
    pub(super) fn insert<'a>(
        &self,
        chain_id: u64,
        block: &Block,
        reads: &ReadSet,
        replies: &ReplySet,
        host: impl Fn(u8) -> Option<&'a Arc<str>>,
    ) {
        let rows = || reads.rows().filter(|(_, like)| is_passing(like.freshness));
        let Some(endpoint) = rows().flat_map(|(places, _)| places).next().map(|place| replies.endpoint(place)) else {
            return;
        };
        let is_of_one = rows().flat_map(|(places, _)| places).all(|place| replies.endpoint(place) == endpoint);
        let mut endpoints = vec![endpoint];
        if !is_of_one {
            endpoints = rows().flat_map(|(places, _)| places).map(|place| replies.endpoint(place)).collect();
            endpoints.sort_unstable();
            endpoints.dedup();
        }
        for endpoint in endpoints {
            let mut batch = PassingBatch::new(chain_id, block, endpoint.and_then(&host).cloned());
            for (places, like) in rows() {
                let first = batch.reads.len();
                batch.reads.push_row(like, reads.targets(places.clone()));
                let mut outcomes = places.clone().map(|place| {
                    let is_of_it = is_of_one || replies.endpoint(place) == endpoint;
                    replies.outcome(place).filter(|_| is_of_it)
                });
                batch.outcomes.extend_open(places.len());
                for place in first..batch.reads.len() {
                    if let Some(outcome) = outcomes.next().flatten() {
                        batch.put(place, like, outcome);
                    }
                }
            }
            self.add(batch);
        }
        self.drop_contradicted(chain_id, block, reads, replies);
    }

    fn add(&self, mut batch: PassingBatch) {
        if batch.outcomes.is_all_open() {
            return;
        }
        let mut batches = self.batches.lock();
        let Batches { list, first, rows, bytes, hasher } = &mut *batches;
        let number = *first + u64::try_from(list.len()).unwrap_or(u64::MAX);
        let of_row = |(_, like): (_, &Read)| hasher.hash_one((batch.chain_id, Fact::of(like.freshness), shared(like)));
        batch.hashes = batch.reads.rows().map(of_row).collect();
        rows.reserve(batch.hashes.len(), |(hash, _)| *hash);
        for hash in &batch.hashes {
            rows.entry(*hash, |known| *known == (*hash, number), |(hash, _)| *hash).or_insert((*hash, number));
        }
        batch.bytes = batch.bytes();
        *bytes += batch.bytes;
        list.push_back(batch);
        while batches.bytes > self.max_bytes && batches.drop_first() {}
    }

    /// Drops zeros that a read at the same block or a later one contradicts.
    fn drop_contradicted(&self, chain_id: u64, block: &Block, reads: &ReadSet, replies: &ReplySet) {
        for (place, outcome) in replies.besides_zeros() {
            let Some(read) = reads.get(place) else { continue };
            if matches!(read.like.freshness, Freshness::ZeroWithin(_))
                && matches!(outcome, Outcome::Ok(reply) if !is_zero(reply))
            {
                let is_newer =
                    |batch: &PassingBatch| batch.number >= block.number && batch.timestamp >= block.timestamp;
                self.remove_from(chain_id, read, |batch| !is_newer(batch));
            }
        }
    }

    /// Drops the replies to a read.
    pub(super) fn remove(&self, chain_id: u64, read: ReadRef<'_>) {
        self.remove_from(chain_id, read, |_| true);
    }

    fn remove_from(&self, chain_id: u64, read: ReadRef<'_>, of: impl Fn(&PassingBatch) -> bool) {
        let mut batches = self.batches.lock();
        let Batches { list, first, rows, hasher, .. } = &mut *batches;
        let row = hasher.hash_one((chain_id, Fact::of(read.like.freshness), shared(read.like)));
        let hash = hasher.hash_one((row, &read.to));
        let of_row = rows.iter_hash(row).filter(|(hash, _)| *hash == row);
        for number in of_row.filter_map(|(_, number)| usize::try_from(number.checked_sub(*first)?).ok()) {
            let Some(batch) = list.get_mut(number).filter(|batch| of(batch)) else { continue };
            batch.index(hasher);
            if let Some(place) = batch.place(chain_id, hash, read) {
                batch.outcomes.take_back(place);
            }
        }
    }

    /// Drops the replies of all batches of a network at a height.
    pub(super) fn remove_block(&self, chain_id: u64, number: u64) {
        let is_it = |batch: &&mut PassingBatch| batch.chain_id == chain_id && batch.number == number;
        self.batches.lock().list.iter_mut().filter(is_it).for_each(PassingBatch::clear);
    }

    /// Drops the replies that match.
    pub(super) fn drop_where(&self, filter: &StoredReplyFilter) {
        for batch in &mut self.batches.lock().list {
            for place in 0..batch.reads.len() {
                if filter.is_it(batch.chain_id, batch.endpoint.as_deref(), batch.reads.target(place)) {
                    batch.outcomes.take_back(place);
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.batches.lock().bytes
    }
}

impl Batches {
    /// Drops the oldest batch; returns false if there is none.
    fn drop_first(&mut self) -> bool {
        let Some(batch) = self.list.pop_front() else { return false };
        for hash in batch.hashes {
            if let Ok(known) = self.rows.find_entry(hash, |known| *known == (hash, self.first)) {
                known.remove();
            }
        }
        self.first += 1;
        self.bytes -= batch.bytes;
        true
    }
}

impl PassingBatch {
    fn new(chain_id: u64, block: &Block, endpoint: Option<Arc<str>>) -> Self {
        let Block { number, timestamp, .. } = *block;
        let (reads, outcomes, hashes, places, bytes) = Default::default();
        Self { chain_id, number, timestamp, endpoint, reads, outcomes, hashes, places, bytes }
    }

    /// Puts an outcome if it may serve later: for a filter, also a refusal.
    fn put(&mut self, place: usize, like: &Read, outcome: &Outcome) {
        let is_zero_only = matches!(like.freshness, Freshness::ZeroWithin(_));
        match outcome {
            Outcome::Ok(reply) if reply[..] == ZERO_WORD => self.outcomes.put_zero(place),
            Outcome::Ok(reply) if reply.is_empty() => {}
            Outcome::Ok(reply) if is_zero_only && !is_zero(reply) => {}
            Outcome::Ok(reply) => self.outcomes.put(place, Outcome::Ok(copy(reply))),
            Outcome::Reverted(data) if !is_zero_only => self.outcomes.put(place, Outcome::Reverted(copy(data))),
            Outcome::GasCap if !is_zero_only => self.outcomes.put(place, Outcome::GasCap),
            _ => {}
        }
    }

    fn bytes(&self) -> usize {
        let row = |(_, like): (_, &Read)| ROW_BYTES + like.data.len();
        let outcome = |outcome: &Outcome| match outcome {
            Outcome::Ok(data) | Outcome::Reverted(data) => OUTCOME_BYTES + data.len(),
            _ => OUTCOME_BYTES,
        };
        let others: usize = self.outcomes.stored().iter().map(outcome).sum();
        BATCH_BYTES + READ_BYTES * self.reads.len() + self.reads.rows().map(row).sum::<usize>() + others
    }

    fn age(&self) -> (u64, u64) {
        (self.timestamp, self.number)
    }

    fn index(&mut self, hasher: &DefaultHashBuilder) {
        if self.places.is_some() {
            return;
        }
        let hash = |row: u64, to: &Address| hasher.hash_one((row, to));
        let mut places = HashTable::with_capacity(self.reads.len());
        for (row, (of_row, _)) in self.hashes.iter().zip(self.reads.rows()) {
            for (place, to) in (of_row.start..).zip(self.reads.targets(of_row.clone())) {
                if self.outcomes.get(place).is_some() {
                    // There is room for all, so that none is moved.
                    places.insert_unique(hash(*row, to), count(place), |_| 0);
                }
            }
        }
        self.places = Some(places);
    }

    fn place(&self, chain_id: u64, hash: u64, read: ReadRef<'_>) -> Option<usize> {
        let is_it = |place: &u32| {
            let known = self.reads.at(index(*place));
            known.question() == read.question() && Fact::of(known.like.freshness) == Fact::of(read.like.freshness)
        };
        let places = self.places.as_ref().filter(|_| self.chain_id == chain_id)?;
        places.find(hash, is_it).map(|place| index(*place))
    }

    fn known(&self, chain_id: u64, hash: u64, read: ReadRef<'_>) -> Option<Known> {
        let outcome = self.outcomes.get(self.place(chain_id, hash, read)?)?.clone();
        let Self { timestamp, number, .. } = *self;
        Some(Known { outcome, timestamp, number, is_confirmed: false })
    }

    fn clear(&mut self) {
        self.outcomes = Outcomes::open(self.reads.len());
    }
}
