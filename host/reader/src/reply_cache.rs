//! The replies of all networks that serve later answers: to immutable reads for a month, to slow facts and zeros for
//! their seconds.
//!
//! Invariant: a reply that is served was right at the block that it is served for, and is never newer than the block
//! where age matters. Losing a reply costs a request, never truth. Replies for one block alone are in `block_cache.rs`.

mod key;
mod pending;

use std::sync::{Arc, OnceLock};

use alloy::primitives::{B256, Bytes};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use self::key::{Fact, Key, KeyRef};
pub(crate) use self::pending::{Pending, PendingBlock, Row};
use crate::read_set::ReadRef;
use crate::{Block, Freshness, Outcome, Reply};

/// Some 170,000 words with their keys.
const CACHED_MAX_BYTES: u64 = 64 << 20;
/// The size of the table at the start.
const EXPECTED_ENTRIES: usize = 50_000;
/// The size of key and value with the overhead of the allocator and the cache.
const ENTRY_BYTES: u64 = 320;
/// Proxies change what was immutable, so it is read anew after a month.
pub(crate) const IMMUTABLE_FOR_S: u64 = 30 * 86_400;

/// Replies that serve later answers.
pub(crate) struct ReplyCache {
    replies: Cache<Key, Entry, Weight>,
    /// The replies that wait for the disk, where there is one.
    pending: OnceLock<Arc<Pending>>,
}

#[derive(Clone)]
struct Entry {
    outcome: Outcome,
    /// The time of the block that it was read at.
    timestamp: u64,
    /// The height of the same block; 0 for a reply from the disk, which no lost block removes.
    number: u64,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Entry> for Weight {
    fn weight(&self, key: &Key, entry: &Entry) -> u64 {
        let reply = match &entry.outcome {
            Outcome::Ok(bytes) | Outcome::Reverted(bytes) => bytes.len(),
            _ => 0,
        };
        ENTRY_BYTES + u64::try_from(key.read.data.len() + reply).unwrap_or(CACHED_MAX_BYTES)
    }
}

impl ReplyCache {
    pub(crate) fn new() -> Self {
        Self { replies: Cache::with_weighter(EXPECTED_ENTRIES, CACHED_MAX_BYTES, Weight), pending: OnceLock::new() }
    }

    /// Returns the reply to a read, if it is fresh enough at the block.
    pub(crate) fn get<'a>(&self, chain_id: u64, block: &Block, read: impl Into<ReadRef<'a>>) -> Option<Reply> {
        let read = read.into();
        let Entry { outcome, timestamp, number } = self.replies.get(&KeyRef::of(chain_id, read)?)?;
        let age_s = block.timestamp.saturating_sub(timestamp);
        let is_newer = timestamp > block.timestamp || number > block.number;
        let stands = match read.like.freshness {
            Freshness::Pinned => false,
            Freshness::Immutable => age_s <= IMMUTABLE_FOR_S,
            Freshness::Within(most_s) | Freshness::ZeroWithin(most_s) => !is_newer && age_s <= most_s.into(),
        };
        stands.then(|| Reply { outcome, cached: true, age_s: u32::try_from(age_s).unwrap_or(u32::MAX) })
    }

    /// Inserts a reply if it may serve later: to an immutable read a success with data; to a slow fact whatever the
    /// contract did, because a revert is a fact too; and zeros where the freshness allows them.
    pub(crate) fn insert<'a>(&self, chain_id: u64, block: &Block, read: impl Into<ReadRef<'a>>, outcome: &Outcome) {
        let Some(key) = KeyRef::of(chain_id, read.into()) else { return };
        let known = self.replies.peek(&key);
        if known.is_some_and(|known| known.number >= block.number && known.timestamp >= block.timestamp) {
            return;
        }
        let outcome = match outcome {
            Outcome::Ok(reply) if reply.is_empty() => return,
            Outcome::Ok(reply) if key.fact != Fact::Zero || is_zero(reply) => Outcome::Ok(copy(reply)),
            Outcome::Reverted(data) if key.fact == Fact::Slow => Outcome::Reverted(copy(data)),
            Outcome::NoCode | Outcome::GasCap if key.fact == Fact::Slow => outcome.clone(),
            // It is zero no longer.
            Outcome::Ok(_) => {
                self.replies.remove(&key);
                return;
            }
            _ => return,
        };
        let key = key.to_key();
        if let (Fact::Immutable, Outcome::Ok(reply), Some(pending)) = (key.fact, &outcome, self.pending.get()) {
            let Key { chain_id, read, .. } = key.clone();
            pending.add(block, Row { chain_id, read, timestamp: block.timestamp, reply: reply.clone() });
        }
        self.replies.insert(key, Entry { outcome, timestamp: block.timestamp, number: block.number });
    }

    /// Drops the replies of a block that is no longer canonical, and all others of that height.
    pub(crate) fn remove_block(&self, chain_id: u64, number: u64, hash: B256) {
        self.replies.retain(|key, entry| key.chain_id != chain_id || entry.number != number);
        if let Some(pending) = self.pending.get() {
            pending.remove_block(chain_id, hash);
        }
    }

    /// Has immutable replies wait for the disk from now on. Only the first caller gets them to write.
    pub(crate) fn write_to_disk(&self) -> Option<Arc<Pending>> {
        let pending = Arc::new(Pending::default());
        self.pending.set(Arc::clone(&pending)).is_ok().then_some(pending)
    }

    /// Inserts a reply from the disk, unless there is one already or no room.
    pub(crate) fn restore(&self, row: Row) {
        let Row { chain_id, read, timestamp, reply } = row;
        let key = Key { chain_id, fact: Fact::Immutable, read };
        let entry = Entry { outcome: Outcome::Ok(reply), timestamp, number: 0 };
        let has_room = self.replies.weight() + Weight.weight(&key, &entry) <= CACHED_MAX_BYTES;
        if has_room && !self.replies.contains_key(&key) {
            self.replies.insert(key, entry);
        }
    }
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
