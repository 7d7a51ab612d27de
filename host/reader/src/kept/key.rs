//! What a kept reply is found by: the network, the question, and what makes its reply worth keeping.
//!
//! Invariant: two reads have equal keys if and only if the reply to one is good for the other. A key is looked up
//! without copying the read.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use alloy::primitives::Bytes;
use quick_cache::Equivalent;

use crate::{Freshness, Read};

/// What makes a reply worth keeping. What is kept for one is not good enough for another.
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
    /// `None` for reads whose replies are good for their block alone.
    pub(super) fn of(freshness: Freshness) -> Option<Self> {
        match freshness {
            Freshness::Pinned => None,
            Freshness::Immutable => Some(Self::Immutable),
            Freshness::Within(_) => Some(Self::Slow),
            Freshness::ZeroWithin(_) => Some(Self::Zero),
        }
    }
}

/// With a read of its own in the cache, with another's to look it up.
#[derive(Clone, Debug)]
pub(super) struct Key<R> {
    pub(super) chain_id: u64,
    pub(super) fact: Fact,
    pub(super) read: R,
}

impl<'a> Key<&'a Read> {
    pub(super) fn of(chain_id: u64, read: &'a Read) -> Option<Self> {
        Some(Self { chain_id, fact: Fact::of(read.freshness)?, read })
    }

    /// With bytes of its own, for the read's may be a small part of something large.
    pub(super) fn own(&self) -> Key<Read> {
        let read = Read { data: Bytes::copy_from_slice(&self.read.data), ..self.read.clone() };
        Key { chain_id: self.chain_id, fact: self.fact, read }
    }
}

impl<R: Borrow<Read>> Hash for Key<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.chain_id, self.fact, self.read.borrow().question()).hash(state);
    }
}

impl<R: Borrow<Read>> Key<R> {
    fn is<Q: Borrow<Read>>(&self, other: &Key<Q>) -> bool {
        let (one, two) = (self.read.borrow(), other.read.borrow());
        (self.chain_id, self.fact) == (other.chain_id, other.fact) && one.question() == two.question()
    }
}

impl<R: Borrow<Read>> PartialEq for Key<R> {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl<R: Borrow<Read>> Eq for Key<R> {}

impl Equivalent<Key<Read>> for Key<&Read> {
    fn equivalent(&self, key: &Key<Read>) -> bool {
        self.is(key)
    }
}
