//! The key of a cached reply: the network, the question, and the kind of fact.
//!
//! Invariant: two reads have equal keys if and only if the reply to one is good for the other. A key is looked up
//! without copying the read.

use std::hash::{Hash, Hasher};

use alloy::primitives::Bytes;
use quick_cache::Equivalent;

use crate::reads::read_set::{Question, ReadRef};
use crate::{Freshness, Read};

/// The kind of fact in a reply. A reply that is cached for one kind does not serve another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fact {
    /// It never changes.
    Immutable,
    /// It changes slowly.
    Slow,
    /// It is zero, as it is for most accounts.
    Zero,
}

impl Fact {
    /// Returns the kind of fact; `None` for reads whose replies are valid only at their block.
    pub(super) fn of(freshness: Freshness) -> Option<Self> {
        match freshness {
            Freshness::Pinned | Freshness::Proven => None,
            Freshness::Immutable => Some(Self::Immutable),
            Freshness::Within(_) => Some(Self::Slow),
            Freshness::ZeroWithin(_) => Some(Self::Zero),
        }
    }
}

/// A key that owns its read.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) chain_id: u64,
    pub(super) fact: Fact,
    pub(super) read: Read,
}

/// A key that borrows its read, for lookups.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyRef<'a> {
    pub(super) chain_id: u64,
    pub(super) fact: Fact,
    pub(super) read: ReadRef<'a>,
}

impl<'a> KeyRef<'a> {
    pub(super) fn of(chain_id: u64, read: ReadRef<'a>) -> Option<Self> {
        Some(Self { chain_id, fact: Fact::of(read.like.freshness)?, read })
    }

    /// Copies the read's data, because it may be a small part of something large.
    pub(super) fn to_key(self) -> Key {
        let read = self.read.to_read();
        Key {
            chain_id: self.chain_id,
            fact: self.fact,
            read: Read { data: Bytes::copy_from_slice(&read.data), ..read },
        }
    }

    fn parts(&self) -> (u64, Fact, Question<'a>) {
        (self.chain_id, self.fact, self.read.question())
    }
}

impl Key {
    fn parts(&self) -> (u64, Fact, Question<'_>) {
        (self.chain_id, self.fact, ReadRef::from(&self.read).question())
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for Key {}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.parts() == key.parts()
    }
}
