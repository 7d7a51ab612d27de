//! The reads at a network's last blocks: equal reads at one block are fetched once, while under way and as long as
//! the block is among the last.
//!
//! Invariants: a subscriber of a flight gets its outcome or waits no longer than its own deadline. A flight completes
//! even if its first subscriber went away; failed reads are fetched again. Replies of different endpoints are not
//! mixed: when another endpoint begins to answer, the block is read anew.

mod flight;
mod table;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy::primitives::B256;
use parking_lot::Mutex;
use tokio::time::Instant;

use self::flight::Flight;
use self::table::Table;
use crate::reads::outcomes::Outcomes;
use crate::reads::read_set::{ReadRef, ReadSet, count, index};
use crate::reads::reply_set::ReplySet;
use crate::{Block, Outcome, ReadFailure, Reply};

/// Number of blocks whose replies are cached: answers under way seldom span more pins.
const BLOCKS_MAX: usize = 4;
/// Upper bound of the cache, enough for all reads at those blocks: 300,000 balances that are mostly zero, or some
/// 40,000 reads that have nothing in common.
const CACHED_MAX_BYTES: usize = 16 << 20;
/// The size of a read: target, hash, number, and the slot of its outcome.
const READ_BYTES: usize = 50;
/// The size of a row of reads that differ only in their target, without its data.
const ROW_BYTES: usize = 210;
/// The size of an outcome other than a zero word, without its data.
const OUTCOME_BYTES: usize = 100;
/// Maximum attempts of a subscriber whose flights fail.
const TRIES_MAX: u32 = 3;

/// The reads at one network's last blocks.
pub(crate) struct BlockCache {
    blocks: Mutex<VecDeque<Arc<BlockEntry>>>,
    answering: Arc<Answering>,
    max_bytes: usize,
}

/// The endpoint that answers, and how often it changed.
#[derive(Default)]
struct Answering {
    endpoint: Mutex<Option<u8>>,
    changes: AtomicUsize,
}

impl Answering {
    fn note(&self, endpoint: Option<u8>) {
        let Some(endpoint) = endpoint else { return };
        if self.endpoint.lock().replace(endpoint).is_some_and(|before| before != endpoint) {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn changes(&self) -> usize {
        self.changes.load(Ordering::Relaxed)
    }
}

struct BlockEntry {
    hash: B256,
    /// Number of endpoint changes when the entry was made.
    changes: usize,
    table: Mutex<Table>,
    bytes: AtomicUsize,
}

/// A subscriber's flights, and the slot of each of its reads, in order.
#[derive(Default)]
struct Subscriptions {
    flights: Vec<Subscription>,
    slots: Vec<Slot>,
}

struct Subscription {
    flight: Arc<Flight>,
    /// True if this subscriber started the flight.
    is_own: bool,
    /// True if the flight was complete before the subscription.
    is_cached: bool,
}

#[derive(Clone, Copy)]
struct Slot {
    flight: u32,
    place: u32,
}

/// The duty to complete a flight. If it is dropped before, the flight completes with failures.
pub(crate) struct FlightGuard {
    flight: Arc<Flight>,
    entry: Arc<BlockEntry>,
    answering: Arc<Answering>,
}

impl FlightGuard {
    /// Returns the reads to fetch.
    pub(crate) fn reads(&self) -> &ReadSet {
        self.flight.reads()
    }

    /// Completes the flight with outcomes in the order of the reads.
    pub(crate) fn complete(self, outcomes: Outcomes) {
        let bytes = |outcome: &Outcome| match outcome {
            Outcome::Ok(data) | Outcome::Reverted(data) => OUTCOME_BYTES + data.len(),
            _ => OUTCOME_BYTES,
        };
        let bytes = outcomes.stored().iter().map(bytes).sum();
        self.entry.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.answering.note(outcomes.answering());
        self.flight.complete(outcomes);
    }
}

impl Drop for FlightGuard {
    fn drop(&mut self) {
        if self.flight.outcomes().is_none() {
            let mut outcomes = Outcomes::open(self.reads().len());
            outcomes.close(Outcome::Failed(ReadFailure::Upstream));
            self.flight.complete(outcomes);
        }
    }
}

impl Subscriptions {
    async fn completed(&self, until: Instant) {
        for subscription in &self.flights {
            subscription.flight.completed(until).await;
        }
    }

    fn replies(&self) -> ReplySet {
        if let Some((Subscription { is_cached, .. }, outcomes)) = self.whole_flight() {
            let cached =
                if *is_cached { (0..count(outcomes.len())).map(|place| (place, 0)).collect() } else { Vec::new() };
            return ReplySet::new(outcomes.clone(), cached);
        }
        let missing = Outcome::Failed(ReadFailure::Timeout);
        let mut outcomes = Outcomes::with_capacity(self.slots.len());
        let mut cached = Vec::new();
        for (place, slot) in (0..).zip(&self.slots) {
            let subscription = self.flights.get(index(slot.flight));
            outcomes.push_from(subscription.and_then(|one| one.flight.outcomes()), index(slot.place), &missing);
            if subscription.is_some_and(|one| one.is_cached) {
                cached.push((place, 0));
            }
        }
        ReplySet::new(outcomes, cached)
    }

    /// Returns the only flight, if its outcomes are exactly the replies, in order.
    fn whole_flight(&self) -> Option<(&Subscription, &Outcomes)> {
        let [only] = &self.flights[..] else { return None };
        let outcomes = only.flight.outcomes()?;
        let is_whole =
            self.slots.len() == outcomes.len() && self.slots.iter().zip(0..).all(|(slot, place)| slot.place == place);
        is_whole.then_some((only, outcomes))
    }

    /// Returns the reads to fetch again, with their places here: the flight of another subscriber failed them, or
    /// (`has_changed`) another endpoint answers now than the one that gave the cached replies.
    fn failed(&self, has_changed: bool) -> (Vec<usize>, ReadSet) {
        let failed = |(place, slot): (usize, &Slot)| {
            let Subscription { flight, is_own, is_cached } = self.flights.get(index(slot.flight))?;
            let is_failed = !is_own && (flight.has_failed(slot.place) || has_changed && *is_cached);
            is_failed.then(|| (place, flight.reads().at(index(slot.place)).to_read()))
        };
        // Only flights of other subscribers are retried.
        match self.flights.iter().all(|subscription| subscription.is_own) {
            true => Default::default(),
            false => self.slots.iter().enumerate().filter_map(failed).unzip(),
        }
    }

    /// Moves these places to other flights.
    fn move_to(&mut self, places: Vec<usize>, others: Self) {
        let first = count(self.flights.len());
        self.flights.extend(others.flights);
        for (place, slot) in places.into_iter().zip(others.slots) {
            self.slots[place] = Slot { flight: first + slot.flight, ..slot };
        }
    }

    /// Returns the index of a flight here; adds the flight if it is new.
    fn number(&mut self, flight: &Arc<Flight>, is_own: bool) -> u32 {
        let known = self.flights.iter().rposition(|known| Arc::ptr_eq(&known.flight, flight));
        count(known.unwrap_or_else(|| {
            let is_cached = flight.outcomes().is_some();
            self.flights.push(Subscription { flight: Arc::clone(flight), is_own, is_cached });
            self.flights.len() - 1
        }))
    }
}

impl BlockCache {
    /// Makes an empty cache of at most this many bytes.
    pub(crate) fn new(max_bytes: u64) -> Self {
        let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX).min(CACHED_MAX_BYTES);
        Self { blocks: Mutex::default(), answering: Arc::default(), max_bytes }
    }

    /// Returns the replies to these reads, each with its place, if all of them are known at the block.
    pub(crate) fn replies<'a>(
        &self,
        block: &Block,
        reads: impl Iterator<Item = (usize, ReadRef<'a>)>,
    ) -> Option<Vec<(usize, Reply)>> {
        let changes = self.answering.changes();
        let is_it = |entry: &&Arc<BlockEntry>| entry.hash == block.hash && entry.changes == changes;
        let entry = self.blocks.lock().iter().find(is_it).cloned()?;
        let mut table = entry.table.lock();
        let known = |(place, read): (usize, ReadRef<'_>)| {
            let outcome = table.outcome(read)?.clone();
            Some((place, Reply { cached: true, ..Reply::fresh(outcome) }))
        };
        reads.map(known).collect()
    }

    /// Returns replies in the order of the reads, by `until`. Passes reads that no flight carries yet to `fetch`,
    /// which must not wait.
    pub(crate) async fn read(
        &self,
        block: &Block,
        reads: ReadSet,
        until: Instant,
        fetch: impl Fn(FlightGuard),
    ) -> ReplySet {
        let mut changes = self.answering.changes();
        let mut subscriptions = self.subscribe(block, reads, &fetch);
        for _ in 1..TRIES_MAX {
            subscriptions.completed(until).await;
            let before = std::mem::replace(&mut changes, self.answering.changes());
            let (places, again) = subscriptions.failed(before != changes);
            if again.is_empty() || Instant::now() >= until {
                break;
            }
            subscriptions.move_to(places, self.subscribe(block, again, &fetch));
        }
        subscriptions.completed(until).await;
        subscriptions.replies()
    }

    /// Finds a slot for each read. Reads that no flight carries yet start a new one.
    fn subscribe(&self, block: &Block, reads: ReadSet, fetch: &impl Fn(FlightGuard)) -> Subscriptions {
        let (entry, flight) = (self.entry(block.hash), Arc::new(Flight::default()));
        let mut subscriptions = Subscriptions { flights: Vec::new(), slots: Vec::with_capacity(reads.len()) };
        let mut table = entry.table.lock();
        let new = table.enter(&reads, |other, places| {
            let flight = subscriptions.number(other.unwrap_or(&flight), other.is_none());
            subscriptions.slots.extend(places.map(|place| Slot { flight, place }));
        });
        if new.is_empty() {
            return subscriptions;
        }
        let is_all = new.len() == reads.len();
        let reads = if is_all { reads } else { reads.pick(new.into_iter().map(index)) };
        let of_rows: usize = reads.rows().map(|(_, read)| ROW_BYTES + read.data.len()).sum();
        let bytes = READ_BYTES * reads.len() + of_rows;
        table.attach(&flight, reads);
        drop(table);
        entry.bytes.fetch_add(bytes, Ordering::Relaxed);
        fetch(FlightGuard { flight, entry, answering: Arc::clone(&self.answering) });
        self.evict();
        subscriptions
    }

    fn entry(&self, hash: B256) -> Arc<BlockEntry> {
        let (mut blocks, changes) = (self.blocks.lock(), self.answering.changes());
        if let Some(entry) = blocks.iter().find(|entry| entry.hash == hash && entry.changes == changes) {
            return Arc::clone(entry);
        }
        if blocks.len() == BLOCKS_MAX {
            blocks.pop_front();
        }
        let entry = Arc::new(BlockEntry { hash, changes, table: Mutex::default(), bytes: AtomicUsize::default() });
        blocks.push_back(Arc::clone(&entry));
        entry
    }

    /// Drops the oldest blocks while the cache is too large. Flights under way go on for their subscribers.
    fn evict(&self) {
        let mut blocks = self.blocks.lock();
        let mut bytes: usize = blocks.iter().map(|entry| entry.bytes.load(Ordering::Relaxed)).sum();
        while bytes > self.max_bytes
            && let Some(oldest) = blocks.pop_front()
        {
            bytes = bytes.saturating_sub(oldest.bytes.load(Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests;
