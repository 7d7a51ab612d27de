//! The replies of all networks that serve later answers: immutable ones for days, slow facts and zeros for seconds.
//!
//! Invariant: a reply that is served was right at the block that it is served for, and is never newer than the block
//! if its age matters. Absence is not a fact: a contract without code, or that returns nothing, is read again at the
//! next block. Losing a reply costs a request, never correctness. Short-lived replies, such as most of those about an
//! account, never evict facts. Replies for a single block are in `block_cache.rs`.

mod filter;
mod key;
mod passing;
mod pending;
mod shared_facts;
mod shared_lists;
mod shared_replies;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use alloy::primitives::{B256, Bytes};
use portolan_store::SharedStore;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

pub use self::filter::StoredReplyFilter;
use self::key::{Fact, Key, KeyRef};
use self::passing::{Passing, is_passing};
pub(crate) use self::pending::{Pending, PendingBlock, Row};
pub(crate) use self::shared_facts::SharedFact;
use self::shared_facts::SharedFacts;
pub use self::shared_lists::SharedListPart;
pub(crate) use self::shared_lists::SharedLists;
use self::shared_replies::SharedReplies;
pub(crate) use self::shared_replies::{Group, SharedGroup};
use crate::reads::outcomes::Outcomes;
use crate::reads::read_set::{ReadRef, ReadSet};
use crate::reads::reply_set::ReplySet;
use crate::{Block, Freshness, Outcome, Read, Reply};

/// Upper bound of the cache. It holds some 105,000 words of facts with their keys; all shipped plugins need 75,000
/// for ten networks with 300 entries in each list. Besides, it holds the passing replies of several answers over all
/// networks, of which each reads some 37,000 about one account.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// Share of the bytes for facts, in eighths; the rest is for passing replies.
const FACTS_EIGHTHS: u64 = 5;
/// A reply that may serve for at most this long is passing, not a fact.
const PASSING_FOR_S: u32 = 60;
/// Share of the facts for replies that were requested more than once.
const FACTS_PROVEN: f64 = 0.97;
/// Expected number of facts, for the initial size of their table.
const EXPECTED_ENTRIES: usize = 25_000;
/// Size of key and value with the overhead of the allocator and the cache.
const ENTRY_BYTES: u64 = 320;
/// Lifetime of an immutable reply that only one endpoint gave, or only once. It ends the life of a lie, and of a
/// reply from a block that was reorganised away.
const UNCONFIRMED_FOR_S: u64 = 6 * 3_600;
/// The lifetime of confirmed replies in tests.
#[cfg(test)]
const MONTH_S: u64 = 30 * 86_400;

/// Maximum lifetime of a zero and of a refusal (a missing function, an index beyond the end of a list): a list grows,
/// and a proxy gets its code. A refusal shows that there is code, because a call without code succeeds and returns
/// nothing.
const ABSENCE_FOR_S: u64 = 300;

/// Replies that serve later answers.
pub(crate) struct ReplyCache {
    facts: Facts,
    /// Replies that last for seconds and differ by account.
    passing: Passing,
    /// Lifetime of a confirmed immutable reply, in seconds.
    immutable_for_s: u64,
    /// Number of times that facts were dropped.
    drops: AtomicU64,
    /// Replies that wait for the disk, if there is one.
    pending: OnceLock<Arc<Pending>>,
    /// What other gateways share, if there is a store.
    shared: Option<SharedCache>,
}

/// What gateways share through a store.
pub(crate) struct SharedCache {
    pub(crate) facts: SharedFacts,
    pub(crate) replies: SharedReplies,
    pub(crate) lists: SharedLists,
}

type Facts = Cache<Key, Entry, Weight>;

#[derive(Clone)]
struct Entry {
    outcome: Outcome,
    /// Timestamp of the block at which it was read.
    timestamp: u64,
    /// Height of the same block; 0 for a reply from the disk, which no lost block removes.
    number: u64,
    /// Host and port of the endpoint that gave it.
    endpoint: Option<Arc<str>>,
    /// True if it was read again with the same outcome, at a final block.
    is_confirmed: bool,
}

/// A cached reply, and the block at which it was read.
struct Known {
    outcome: Outcome,
    timestamp: u64,
    number: u64,
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
    /// Makes an empty cache of at most this many bytes. Confirmed immutable replies last for `immutable_for_s`.
    pub(crate) fn new(max_bytes: u64, immutable_for_s: u64) -> Self {
        let facts_bytes = max_bytes.min(MAX_BYTES) / 8 * FACTS_EIGHTHS;
        let passing_bytes = max_bytes.min(MAX_BYTES) - facts_bytes;
        let (facts, passing) = (facts(facts_bytes), Passing::new(passing_bytes));
        Self { facts, passing, immutable_for_s, drops: AtomicU64::default(), pending: OnceLock::new(), shared: None }
    }

    /// Shares facts and replies with other gateways through a store.
    pub(crate) fn share_through(self, store: Arc<SharedStore>) -> Self {
        let (facts, replies) = (SharedFacts::new(Arc::clone(&store)), SharedReplies::new(Arc::clone(&store)));
        Self { shared: Some(SharedCache { facts, replies, lists: SharedLists::new(store) }), ..self }
    }

    pub(crate) fn shared(&self) -> Option<&SharedCache> {
        self.shared.as_ref()
    }

    #[cfg(test)]
    pub(crate) fn for_a_month() -> Self {
        Self::new(MAX_BYTES, MONTH_S)
    }

    /// Returns the replies to these reads that are fresh enough at the block, each with the place of its read, rising. At a
    /// block of the past (`is_past`), replies from later blocks are ignored, whose state may not have existed yet.
    pub(crate) fn get_all(&self, chain_id: u64, block: &Block, is_past: bool, reads: &ReadSet) -> Vec<(usize, Reply)> {
        let mut hits = Vec::new();
        for (places, like) in reads.rows().filter(|(_, read)| !read.freshness.is_of_block()) {
            let first = places.start;
            let targets = reads.targets(places);
            if is_passing(like.freshness) {
                self.passing.find(chain_id, like, targets, |place, known| {
                    let reply = self.fresh_reply(like.freshness, block, is_past, known);
                    hits.extend(reply.map(|reply| (first + place, reply)));
                });
                continue;
            }
            for (place, to) in targets.iter().enumerate() {
                let reply = self.get_fact(chain_id, block, is_past, ReadRef { to: *to, like });
                hits.extend(reply.map(|reply| (first + place, reply)));
            }
        }
        hits
    }

    /// Like [`Self::get_all`], for one read that is not passing.
    pub(crate) fn get_fact(&self, chain_id: u64, block: &Block, is_past: bool, read: ReadRef<'_>) -> Option<Reply> {
        let Entry { outcome, timestamp, number, endpoint: _, is_confirmed } =
            self.facts.get(&KeyRef::of(chain_id, read)?)?;
        let known = Known { outcome, timestamp, number, is_confirmed };
        self.fresh_reply(read.like.freshness, block, is_past, known)
    }

    /// Returns a reply if it is fresh enough at the block, and, if that is one of the past, not from a later one.
    fn fresh_reply(&self, freshness: Freshness, block: &Block, is_past: bool, known: Known) -> Option<Reply> {
        let Known { outcome, timestamp, number, is_confirmed } = known;
        let age_s = block.timestamp.saturating_sub(timestamp);
        let is_newer = timestamp > block.timestamp || number > block.number;
        let stands = match freshness {
            Freshness::Pinned | Freshness::Proven => false,
            Freshness::Immutable if is_confirmed => age_s <= self.immutable_for_s,
            Freshness::Immutable => age_s <= UNCONFIRMED_FOR_S.min(self.immutable_for_s),
            Freshness::Within(most_s) if is_absence(&outcome) => !is_newer && age_s <= ABSENCE_FOR_S.min(most_s.into()),
            Freshness::Within(most_s) | Freshness::ZeroWithin(most_s) => !is_newer && age_s <= most_s.into(),
        };
        let age_s = u32::try_from(age_s).unwrap_or(u32::MAX);
        (stands && !(is_past && is_newer)).then_some(Reply { cached: true, age_s, ..Reply::fresh(outcome) })
    }

    /// Returns the reply to a read, if it is fresh enough at the block.
    #[cfg(test)]
    pub(crate) fn get(&self, chain_id: u64, block: &Block, read: &Read) -> Option<Reply> {
        self.get_all(chain_id, block, false, &vec![read.clone()].into()).pop().map(|(_, reply)| reply)
    }

    #[cfg(test)]
    pub(crate) fn get_past(&self, chain_id: u64, block: &Block, read: &Read) -> Option<Reply> {
        self.get_all(chain_id, block, true, &vec![read.clone()].into()).pop().map(|(_, reply)| reply)
    }

    /// Inserts the replies that may serve later answers; `host` returns the host of the endpoint at an index.
    pub(crate) fn insert_all<'a>(
        &self,
        chain_id: u64,
        block: &Block,
        reads: &ReadSet,
        replies: &ReplySet,
        host: impl Fn(u8) -> Option<&'a Arc<str>>,
    ) {
        let is_fact = |read: &Read| !read.freshness.is_of_block() && !is_passing(read.freshness);
        for (places, like) in reads.rows().filter(|(_, read)| is_fact(read)) {
            for place in places {
                if let Some(outcome) = replies.outcome(place) {
                    let endpoint = replies.endpoint(place).and_then(&host);
                    self.insert_fact(chain_id, block, reads.at_row(place, like), outcome, endpoint);
                }
            }
        }
        self.passing.insert(chain_id, block, reads, replies, host);
    }

    #[cfg(test)]
    pub(crate) fn insert(&self, chain_id: u64, block: &Block, read: &Read, outcome: &Outcome) {
        let (reads, host) = (vec![read.clone()].into(), "node.example".into());
        let mut outcomes = Outcomes::from(vec![outcome.clone()]);
        outcomes.note_endpoint(&[0], 0);
        self.insert_all(chain_id, block, &reads, &ReplySet::new(outcomes, Vec::new()), |_| Some(&host));
    }

    /// Inserts a fact if it may serve later: for an immutable read, a success with data; for a slow fact, also a zero or a
    /// refusal.
    fn insert_fact(
        &self,
        chain_id: u64,
        block: &Block,
        read: ReadRef<'_>,
        outcome: &Outcome,
        endpoint: Option<&Arc<str>>,
    ) {
        let Some(key) = KeyRef::of(chain_id, read) else { return };
        let known = self.facts.peek(&key);
        if known.is_some_and(|known| known.number >= block.number && known.timestamp >= block.timestamp) {
            return;
        }
        let outcome = match outcome {
            Outcome::Ok(reply) if reply.is_empty() => return,
            Outcome::Ok(reply) if key.fact == Fact::Immutable && !may_be_fact(reply) => return,
            Outcome::Ok(reply) => Outcome::Ok(copy(reply)),
            Outcome::Reverted(data) if key.fact == Fact::Slow => Outcome::Reverted(copy(data)),
            Outcome::GasCap if key.fact == Fact::Slow => Outcome::GasCap,
            _ => return,
        };
        let key = key.to_key();
        let Block { number, timestamp, .. } = *block;
        let (pending, shared) = (self.pending.get(), self.shared.as_ref());
        if let (Fact::Immutable, Outcome::Ok(reply), Some(endpoint)) = (key.fact, &outcome, endpoint)
            && (pending.is_some() || shared.is_some())
        {
            let (Key { chain_id, read, .. }, endpoint) = (key.clone(), Arc::clone(endpoint));
            let row = Row { chain_id, read, number, timestamp, endpoint, reply: reply.clone() };
            if let Some(shared) = shared {
                shared.facts.put(&row, block.hash, false, UNCONFIRMED_FOR_S.min(self.immutable_for_s));
            }
            if let Some(pending) = pending {
                pending.add(block, row);
            }
        }
        let endpoint = endpoint.cloned();
        self.facts.insert(key, Entry { outcome, timestamp, number, endpoint, is_confirmed: false });
    }

    /// Marks a reply as confirmed, if it is still the cached one. `hash` is that of its block.
    pub(crate) fn confirm(&self, row: &Row, hash: B256) {
        let key = Key { chain_id: row.chain_id, fact: Fact::Immutable, read: row.read.clone() };
        let is_same = |entry: &Entry| matches!(&entry.outcome, Outcome::Ok(reply) if *reply == row.reply);
        if let Some(entry) = self.facts.peek(&key).filter(is_same) {
            self.facts.insert(key, Entry { is_confirmed: true, ..entry });
            if let Some(shared) = &self.shared {
                shared.facts.put(row, hash, true, self.immutable_for_s);
            }
        }
    }

    /// Inserts a fact of another gateway, unless a better one is cached already.
    pub(crate) fn insert_shared(&self, chain_id: u64, read: ReadRef<'_>, fact: SharedFact) {
        let SharedFact { number, timestamp, is_confirmed, endpoint, reply, .. } = fact;
        let Some(key) = KeyRef::of(chain_id, read).filter(|key| key.fact == Fact::Immutable) else { return };
        let known = self.facts.peek(&key);
        if known.is_none_or(|known| (known.is_confirmed, known.timestamp) < (is_confirmed, timestamp)) {
            let (outcome, endpoint) = (Outcome::Ok(reply), Some(endpoint));
            self.facts.insert(key.to_key(), Entry { outcome, timestamp, number, endpoint, is_confirmed });
        }
    }

    /// Takes the replies to a group that another gateway read, and returns those that are fresh enough at the block,
    /// each with its place.
    pub(crate) fn take_group(
        &self,
        chain_id: u64,
        block: &Block,
        is_past: bool,
        reads: &ReadSet,
        found: SharedGroup,
    ) -> Vec<(usize, Reply)> {
        let SharedGroup { group, number, hash, timestamp, endpoint, outcomes } = found;
        let (places, reads): (Vec<usize>, ReadSet) = (group.places().collect(), group.reads(reads));
        let mut read = Outcomes::open(places.len());
        outcomes.into_iter().enumerate().for_each(|(index, outcome)| read.put(index, outcome));
        read.note_endpoint(&(0..places.len()).collect::<Vec<_>>(), 0);
        let replies = ReplySet::new(read, Vec::new());
        let read_at = Block { number, hash, timestamp, ..*block };
        self.insert_all(chain_id, &read_at, &reads, &replies, |_| Some(&endpoint));
        if hash != block.hash {
            let known = self.get_all(chain_id, block, is_past, &reads);
            return known.into_iter().map(|(index, reply)| (places[index], reply)).collect();
        }
        let reply = |(index, place): (usize, usize)| {
            let outcome = replies.outcome(index)?.clone();
            Some((place, Reply { cached: true, shared: true, ..Reply::fresh(outcome) }))
        };
        places.into_iter().enumerate().filter_map(reply).collect()
    }

    /// Returns the host of the endpoint that gave a fact.
    pub(crate) fn endpoint_of(&self, chain_id: u64, read: &Read) -> Option<Arc<str>> {
        self.facts.peek(&KeyRef::of(chain_id, read.into())?)?.endpoint
    }

    /// Drops the replies that match, and takes no others like them from the shared store; returns the number of
    /// immutable ones among them.
    pub(crate) fn drop_where(&self, filter: &StoredReplyFilter) -> usize {
        self.drops.fetch_add(1, Ordering::Relaxed);
        if let Some(shared) = &self.shared {
            shared.facts.refuse(filter);
        }
        self.passing.drop_where(filter);
        let dropped = AtomicU64::default();
        self.facts.retain(|key, entry| {
            let stays = !filter.is_it(key.chain_id, entry.endpoint.as_deref(), key.read.to);
            dropped.fetch_add(u64::from(!stays && key.fact == Fact::Immutable), Ordering::Relaxed);
            stays
        });
        if let Some(pending) = self.pending.get() {
            pending.drop_where(|row| filter.is_it(row.chain_id, Some(&row.endpoint), row.read.to));
        }
        usize::try_from(dropped.into_inner()).unwrap_or(usize::MAX)
    }

    /// Returns how often facts were dropped. Replies taken from here before the last time must not be stored.
    pub(crate) fn drops(&self) -> u64 {
        self.drops.load(Ordering::Relaxed)
    }

    /// Drops the reply to a read.
    pub(crate) fn remove(&self, chain_id: u64, read: &Read) {
        if is_passing(read.freshness) {
            self.passing.remove(chain_id, read.into());
        } else if let Some(key) = KeyRef::of(chain_id, read.into()) {
            self.facts.remove(&key);
        }
    }

    /// Drops the replies of a block that is no longer canonical, and all others of that height.
    pub(crate) fn remove_block(&self, chain_id: u64, number: u64, hash: B256) {
        self.facts.retain(|key, entry| key.chain_id != chain_id || entry.number != number);
        self.passing.remove_block(chain_id, number);
        if let Some(pending) = self.pending.get() {
            pending.remove_block(chain_id, hash);
        }
    }

    /// Has immutable replies wait for the disk from now on. Only the first caller gets the replies to write.
    pub(crate) fn write_to_disk(&self) -> Option<Arc<Pending>> {
        let pending = Arc::new(Pending::default());
        self.pending.set(Arc::clone(&pending)).is_ok().then_some(pending)
    }

    /// Inserts a reply from the disk, unless one is cached already or there is no room.
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

fn facts(most_bytes: u64) -> Facts {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(EXPECTED_ENTRIES)
        .weight_capacity(most_bytes)
        .hot_allocation(FACTS_PROVEN)
        .build()
        .unwrap_or_else(|error| unreachable!("{error}"));
    Cache::with_options(options, Weight, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

/// Returns true if the reply to an immutable read may stand: neither nothing nor a zero, which may still be set later.
fn may_be_fact(reply: &[u8]) -> bool {
    !is_zero(reply)
}

fn is_refusal(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Reverted(_) | Outcome::GasCap)
}

/// Returns true if a reply says that there is nothing yet.
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
