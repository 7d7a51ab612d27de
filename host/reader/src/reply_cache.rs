//! The replies of all networks that serve later answers: to immutable reads for days, to slow facts and zeros for their
//! seconds.
//!
//! Invariant: a reply that is served was right at the block that it is served for, and is never newer than the block
//! where age matters. That something is not there is no fact: a contract without code, or that answers nothing, is read
//! again at the next block. Losing a reply costs a request, never truth. What is soon forgotten, as most of what is read
//! about an account is, drives out no fact. Replies for one block alone are in `block_cache.rs`.

mod key;
mod pending;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use alloy::primitives::{Address, B256, Bytes};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use self::key::{Fact, Key, KeyRef};
pub(crate) use self::pending::{Pending, PendingBlock, Row};
use crate::read_set::{ReadRef, ReadSet};
use crate::reply_set::ReplySet;
use crate::{Block, Freshness, Outcome, Read, Reply};

/// No more is ever needed: some 105,000 words of facts with their keys, where what all shipped plugins know of ten networks
/// with 300 entries in each list takes 75,000; and some 65,000 passing ones, as many as an answer over all of them reads
/// about one account.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// The part of the bytes that is for facts, in eighths; the rest is for what is passing.
const FACTS_EIGHTHS: u64 = 5;
/// A reply that may serve for no longer is no fact, but passing.
const PASSING_FOR_S: u32 = 60;
/// The share of each part that is for what was asked more than once. What is passing has to make way for what comes
/// after it, however often it was asked.
const FACTS_PROVEN: f64 = 0.97;
const PASSING_PROVEN: f64 = 0.25;
/// The size of each table at the start.
const EXPECTED_ENTRIES: usize = 25_000;
/// The size of key and value with the overhead of the allocator and the cache.
const ENTRY_BYTES: u64 = 320;
/// An immutable reply that only one endpoint gave, or only once, is read anew so much later: a lie does not stay, nor
/// what was read at a block that was reorganised away.
const UNCONFIRMED_FOR_S: u64 = 6 * 3_600;
/// The lifetime of confirmed replies in tests.
#[cfg(test)]
const MONTH_S: u64 = 30 * 86_400;

/// A refusal, such as for a function that a contract does not have or an index beyond the end of a list, and a zero,
/// stand for no longer: a list grows, and a proxy gets its code. A refusal shows that code is there, for a call without
/// code succeeds with nothing.
const ABSENCE_FOR_S: u64 = 300;

/// Replies that serve later answers.
pub(crate) struct ReplyCache {
    facts: Part,
    /// Replies of seconds, of which every account has others.
    passing: Part,
    /// Seconds that a confirmed immutable reply stands.
    immutable_for_s: u64,
    /// Counts the times that facts were dropped.
    drops: AtomicU64,
    /// The replies that wait for the disk, where there is one.
    pending: OnceLock<Arc<Pending>>,
}

type Part = Cache<Key, Entry, Weight>;

#[derive(Clone)]
struct Entry {
    outcome: Outcome,
    /// The time of the block that it was read at.
    timestamp: u64,
    /// The height of the same block; 0 for a reply from the disk, which no lost block removes.
    number: u64,
    /// Host and port of the endpoint that gave it.
    endpoint: Option<Arc<str>>,
    /// Whether it was read again with the same outcome, at a block that is final.
    is_confirmed: bool,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Entry> for Weight {
    fn weight(&self, key: &Key, entry: &Entry) -> u64 {
        let reply = match &entry.outcome {
            Outcome::Ok(bytes) | Outcome::Reverted(bytes) => bytes.len(),
            _ => 0,
        };
        ENTRY_BYTES + u64::try_from(key.read.data.len() + reply).unwrap_or(MAX_BYTES)
    }
}

impl ReplyCache {
    /// Makes an empty cache of at most so many bytes, in which a confirmed immutable reply stands for so many seconds.
    pub(crate) fn new(max_bytes: u64, immutable_for_s: u64) -> Self {
        let facts_bytes = max_bytes.min(MAX_BYTES) / 8 * FACTS_EIGHTHS;
        let passing_bytes = max_bytes.min(MAX_BYTES) - facts_bytes;
        let (facts, passing) = (part(facts_bytes, FACTS_PROVEN), part(passing_bytes, PASSING_PROVEN));
        Self { facts, passing, immutable_for_s, drops: AtomicU64::default(), pending: OnceLock::new() }
    }

    #[cfg(test)]
    pub(crate) fn for_a_month() -> Self {
        Self::new(MAX_BYTES, MONTH_S)
    }

    /// Where the replies to reads of this freshness are.
    fn part(&self, freshness: Freshness) -> &Part {
        match freshness {
            Freshness::ZeroWithin(_) | Freshness::Within(..=PASSING_FOR_S) => &self.passing,
            Freshness::Within(_) | Freshness::Immutable | Freshness::Pinned => &self.facts,
        }
    }

    /// Returns the reply to a read, if it is fresh enough at the block.
    pub(crate) fn get<'a>(&self, chain_id: u64, block: &Block, read: impl Into<ReadRef<'a>>) -> Option<Reply> {
        self.find(chain_id, block, read.into()).map(|(reply, _)| reply)
    }

    /// Returns the same at a block of the past: what was there later may not have been there yet.
    pub(crate) fn get_past<'a>(&self, chain_id: u64, block: &Block, read: impl Into<ReadRef<'a>>) -> Option<Reply> {
        self.find(chain_id, block, read.into()).filter(|(_, is_newer)| !is_newer).map(|(reply, _)| reply)
    }

    /// The reply, and whether it was read at a later block.
    fn find(&self, chain_id: u64, block: &Block, read: ReadRef<'_>) -> Option<(Reply, bool)> {
        let entry = self.part(read.like.freshness).get(&KeyRef::of(chain_id, read)?)?;
        let Entry { outcome, timestamp, number, endpoint: _, is_confirmed } = entry;
        let age_s = block.timestamp.saturating_sub(timestamp);
        let is_newer = timestamp > block.timestamp || number > block.number;
        let stands = match read.like.freshness {
            Freshness::Pinned => false,
            Freshness::Immutable if is_confirmed => age_s <= self.immutable_for_s,
            Freshness::Immutable => age_s <= UNCONFIRMED_FOR_S.min(self.immutable_for_s),
            Freshness::Within(most_s) if is_absence(&outcome) => !is_newer && age_s <= ABSENCE_FOR_S.min(most_s.into()),
            Freshness::Within(most_s) | Freshness::ZeroWithin(most_s) => !is_newer && age_s <= most_s.into(),
        };
        let age_s = u32::try_from(age_s).unwrap_or(u32::MAX);
        stands.then_some((Reply { outcome, cached: true, age_s }, is_newer))
    }

    /// Inserts those of these replies that may serve later; `host` names the endpoint at a place.
    pub(crate) fn insert_all<'a>(
        &self,
        chain_id: u64,
        block: &Block,
        reads: &ReadSet,
        replies: &ReplySet,
        host: impl Fn(u8) -> Option<&'a Arc<str>>,
    ) {
        for (place, read) in reads.refs().enumerate() {
            if let Some(outcome) = replies.outcome(place) {
                self.insert_by(chain_id, block, read, outcome, replies.endpoint(place).and_then(&host));
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn insert<'a>(&self, chain_id: u64, block: &Block, read: impl Into<ReadRef<'a>>, outcome: &Outcome) {
        self.insert_by(chain_id, block, read, outcome, Some(&"node.example".into()));
    }

    /// Inserts a reply if it may serve later: a success with data to an immutable read and to a slow fact; to a slow
    /// fact also a refusal; and zeros where the freshness allows them.
    fn insert_by<'a>(
        &self,
        chain_id: u64,
        block: &Block,
        read: impl Into<ReadRef<'a>>,
        outcome: &Outcome,
        endpoint: Option<&Arc<str>>,
    ) {
        let read = read.into();
        let (Some(key), part) = (KeyRef::of(chain_id, read), self.part(read.like.freshness)) else { return };
        let known = part.peek(&key);
        if known.is_some_and(|known| known.number >= block.number && known.timestamp >= block.timestamp) {
            return;
        }
        let outcome = match outcome {
            Outcome::Ok(reply) if reply.is_empty() => return,
            // What is not there yet may come.
            Outcome::Ok(reply) if key.fact == Fact::Immutable && is_zero(reply) => return,
            Outcome::Ok(reply) if key.fact != Fact::Zero || is_zero(reply) => Outcome::Ok(copy(reply)),
            Outcome::Reverted(data) if key.fact == Fact::Slow => Outcome::Reverted(copy(data)),
            Outcome::GasCap if key.fact == Fact::Slow => Outcome::GasCap,
            // It is zero no longer.
            Outcome::Ok(_) => {
                part.remove(&key);
                return;
            }
            _ => return,
        };
        let key = key.to_key();
        let Block { number, timestamp, .. } = *block;
        if let (Fact::Immutable, Outcome::Ok(reply), Some(pending)) = (key.fact, &outcome, self.pending.get())
            && let Some(endpoint) = endpoint
        {
            let (Key { chain_id, read, .. }, endpoint) = (key.clone(), Arc::clone(endpoint));
            pending.add(block, Row { chain_id, read, number, timestamp, endpoint, reply: reply.clone() });
        }
        let endpoint = endpoint.cloned();
        part.insert(key, Entry { outcome, timestamp, number, endpoint, is_confirmed: false });
    }

    /// Marks a reply as confirmed, if it is still the one that is cached.
    pub(crate) fn confirm(&self, row: &Row) {
        let key = Key { chain_id: row.chain_id, fact: Fact::Immutable, read: row.read.clone() };
        let is_same = |entry: &Entry| matches!(&entry.outcome, Outcome::Ok(reply) if *reply == row.reply);
        if let Some(entry) = self.facts.peek(&key).filter(is_same) {
            self.facts.insert(key, Entry { is_confirmed: true, ..entry });
        }
    }

    /// The host of the endpoint that gave the reply to a read.
    pub(crate) fn endpoint_of(&self, chain_id: u64, read: &Read) -> Option<Arc<str>> {
        self.part(read.freshness).peek(&KeyRef::of(chain_id, read.into())?)?.endpoint
    }

    /// Drops the replies for which this is true of their network, endpoint and contract; returns how many immutable ones
    /// they were.
    pub(crate) fn drop_where(&self, is_it: impl Fn(u64, Option<&str>, Address) -> bool) -> usize {
        self.drops.fetch_add(1, Ordering::Relaxed);
        let dropped = AtomicU64::default();
        self.retain(|key, entry| {
            let stays = !is_it(key.chain_id, entry.endpoint.as_deref(), key.read.to);
            dropped.fetch_add(u64::from(!stays && key.fact == Fact::Immutable), Ordering::Relaxed);
            stays
        });
        if let Some(pending) = self.pending.get() {
            pending.drop_where(|row| is_it(row.chain_id, Some(&row.endpoint), row.read.to));
        }
        usize::try_from(dropped.into_inner()).unwrap_or(usize::MAX)
    }

    /// Counts the times that facts were dropped: what was taken from here before one of them is not to be stored.
    pub(crate) fn drops(&self) -> u64 {
        self.drops.load(Ordering::Relaxed)
    }

    /// Drops the reply to a read.
    pub(crate) fn remove(&self, chain_id: u64, read: &Read) {
        if let Some(key) = KeyRef::of(chain_id, read.into()) {
            self.part(read.freshness).remove(&key);
        }
    }

    /// Drops the replies of a block that is no longer canonical, and all others of that height.
    pub(crate) fn remove_block(&self, chain_id: u64, number: u64, hash: B256) {
        self.retain(|key, entry| key.chain_id != chain_id || entry.number != number);
        if let Some(pending) = self.pending.get() {
            pending.remove_block(chain_id, hash);
        }
    }

    fn retain(&self, stays: impl Fn(&Key, &Entry) -> bool) {
        for part in [&self.facts, &self.passing] {
            part.retain(&stays);
        }
    }

    /// Has immutable replies wait for the disk from now on. Only the first caller gets them to write.
    pub(crate) fn write_to_disk(&self) -> Option<Arc<Pending>> {
        let pending = Arc::new(Pending::default());
        self.pending.set(Arc::clone(&pending)).is_ok().then_some(pending)
    }

    /// Inserts a reply from the disk, unless there is one already or no room.
    pub(crate) fn restore(&self, row: Row) {
        let Row { chain_id, read, number: _, timestamp, endpoint, reply } = row;
        let key = Key { chain_id, fact: Fact::Immutable, read };
        let (outcome, endpoint) = (Outcome::Ok(reply), Some(endpoint));
        let entry = Entry { outcome, timestamp, number: 0, endpoint, is_confirmed: true };
        let has_room = self.facts.weight() + Weight.weight(&key, &entry) <= self.facts.capacity();
        if has_room && !self.facts.contains_key(&key) {
            self.facts.insert(key, entry);
        }
    }
}

fn part(most_bytes: u64, proven: f64) -> Part {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(EXPECTED_ENTRIES)
        .weight_capacity(most_bytes)
        .hot_allocation(proven)
        .build()
        .unwrap_or_else(|error| unreachable!("{error}"));
    Cache::with_options(options, Weight, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

fn is_refusal(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Reverted(_) | Outcome::GasCap)
}

/// Whether a reply says that there is nothing yet.
fn is_absence(outcome: &Outcome) -> bool {
    is_refusal(outcome) || matches!(outcome, Outcome::Ok(reply) if is_zero(reply))
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Copies the bytes, because they may be a small part of a large body that they would keep in memory.
fn copy(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes)
}

#[cfg(test)]
mod tests;
