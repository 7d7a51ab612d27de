//! Reads that were looked up in the cache.
//!
//! Invariant: hits and misses together are all reads that were looked up, each at its place.

use crate::cache::reply_cache::Group;
use crate::{Outcome, ReadFailure, ReadSet, Reply, ReplySet};

/// Reads, with the replies to those that are cached. Its owner fetches the others without another look-up.
#[derive(Debug, Default)]
pub struct Lookup {
    /// Cached replies with the places of their reads, rising.
    hits: Vec<(usize, Reply)>,
    /// The other reads, in order.
    misses: ReadSet,
}

/// What other gateways share of a set of reads.
#[derive(Debug, Default)]
pub struct SharedLookup {
    /// Replies with the places of their reads, rising.
    pub(crate) hits: Vec<(usize, Reply)>,
    pub(crate) open: OpenGroups,
}

/// Groups of reads that nobody shares yet, by their places among the reads that are still to be fetched.
#[derive(Debug, Default)]
pub struct OpenGroups(pub(crate) Vec<Group>);

impl Lookup {
    /// Makes a lookup. The places in `hits` must be rising.
    pub(crate) fn new(reads: ReadSet, hits: Vec<(usize, Reply)>) -> Self {
        if hits.is_empty() {
            return Self { hits, misses: reads };
        }
        let mut places = hits.iter().map(|(place, _)| *place).peekable();
        let misses = reads.pick((0..reads.len()).filter(|place| places.next_if_eq(place).is_none()));
        Self { hits, misses }
    }

    /// Makes a lookup of reads that all failed and are not fetched.
    pub(crate) fn failed(reads: &ReadSet, failure: ReadFailure) -> Self {
        let reply = Reply::fresh(Outcome::Failed(failure));
        Self { hits: (0..reads.len()).map(|place| (place, reply.clone())).collect(), misses: ReadSet::default() }
    }

    /// Returns the number of reads that were looked up.
    pub fn len(&self) -> usize {
        self.hits.len() + self.misses.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if all reads are cached.
    pub fn is_complete(&self) -> bool {
        self.misses.is_empty()
    }

    /// Returns the replies in the order of the reads.
    ///
    /// # Errors
    /// Returns the unchanged lookup if some reads are not cached.
    pub fn into_replies(self) -> Result<Vec<Reply>, Self> {
        if self.is_complete() { Ok(self.hits.into_iter().map(|(_, reply)| reply).collect()) } else { Err(self) }
    }

    /// Returns the hits alone, each with the place of its read, rising.
    pub fn into_hits(self) -> Vec<(usize, Reply)> {
        self.hits
    }

    /// Returns the reads that are not cached.
    pub fn misses(&self) -> &ReadSet {
        &self.misses
    }

    /// Appends another lookup.
    pub fn append(&mut self, other: Self) {
        let behind = self.len();
        self.hits.extend(other.hits.into_iter().map(|(place, reply)| (behind + place, reply)));
        self.misses.append(other.misses);
    }

    /// Separates the hits from the misses, which are still to be fetched.
    pub(crate) fn split(self) -> (Hits, ReadSet) {
        (Hits(self.hits), self.misses)
    }
}

/// Replies from the cache, by the place of their read.
#[derive(Debug)]
pub(crate) struct Hits(Vec<(usize, Reply)>);

impl Hits {
    /// Merges the hits with the fetched replies, in the order of all reads.
    pub(crate) fn merge(self, fetched: impl IntoIterator<Item = Reply>) -> Vec<Reply> {
        let (mut all, mut fetched) = (Vec::new(), fetched.into_iter());
        for (place, hit) in self.0 {
            all.extend(fetched.by_ref().take(place - all.len()));
            all.push(hit);
        }
        all.extend(fetched);
        all
    }

    /// Like [`Self::merge`], for thousands of replies.
    pub(crate) fn merge_set(self, fetched: ReplySet) -> ReplySet {
        if self.0.is_empty() { fetched } else { self.merge(fetched).into_iter().collect() }
    }
}
