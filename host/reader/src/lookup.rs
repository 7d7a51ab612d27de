//! Reads that were looked up in the cache.
//!
//! Invariant: hits and misses together are all reads that were looked up, each at its place.

use crate::{Outcome, Read, ReadFailure, ReadSet, Reply, ReplySet};

/// Reads, with the replies to those that are in the cache. Whoever has it fetches the others without another look-up.
#[derive(Debug, Default)]
pub struct Lookup {
    /// By the place of their read, rising.
    hits: Vec<(usize, Reply)>,
    /// The other reads, in their order.
    misses: ReadSet,
}

impl Lookup {
    /// Needs rising places in `hits`.
    pub(crate) fn new(reads: ReadSet, hits: Vec<(usize, Reply)>) -> Self {
        if hits.is_empty() {
            return Self { hits, misses: reads };
        }
        let mut places = hits.iter().map(|(place, _)| *place).peekable();
        let misses = reads.pick((0..reads.len()).filter(|place| places.next_if_eq(place).is_none()));
        Self { hits, misses }
    }

    /// Reads that are not made.
    pub(crate) fn failed(reads: &ReadSet, failure: ReadFailure) -> Self {
        let reply = Reply::fresh(Outcome::Failed(failure));
        Self { hits: (0..reads.len()).map(|place| (place, reply.clone())).collect(), misses: ReadSet::default() }
    }

    /// How many reads were looked up.
    pub fn len(&self) -> usize {
        self.hits.len() + self.misses.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the cache has all of them.
    pub fn is_complete(&self) -> bool {
        self.misses.is_empty()
    }

    /// Returns the replies in the order of the reads.
    ///
    /// # Errors
    /// The lookup as it is, if the cache does not have all of them.
    pub fn into_replies(self) -> Result<Vec<Reply>, Self> {
        if self.is_complete() { Ok(self.hits.into_iter().map(|(_, reply)| reply).collect()) } else { Err(self) }
    }

    /// Returns the hits alone, each with the place of its read, rising.
    pub fn into_hits(self) -> Vec<(usize, Reply)> {
        self.hits
    }

    /// Copies of the reads that the cache does not have.
    pub fn misses(&self) -> impl Iterator<Item = Read> {
        self.misses.iter()
    }

    /// Adds another lookup's reads behind its own.
    pub fn append(&mut self, other: Self) {
        let behind = self.len();
        self.hits.extend(other.hits.into_iter().map(|(place, reply)| (behind + place, reply)));
        self.misses.append(other.misses);
    }

    /// Takes the misses out; replies to them complete the rest.
    pub(crate) fn split(self) -> (Hits, ReadSet) {
        (Hits(self.hits), self.misses)
    }
}

/// Replies from the cache, by the place of their read.
#[derive(Debug)]
pub(crate) struct Hits(Vec<(usize, Reply)>);

impl Hits {
    /// Puts them between those that were fetched for the other reads.
    pub(crate) fn merge(self, fetched: impl IntoIterator<Item = Reply>) -> Vec<Reply> {
        let (mut all, mut fetched) = (Vec::new(), fetched.into_iter());
        for (place, hit) in self.0 {
            all.extend(fetched.by_ref().take(place - all.len()));
            all.push(hit);
        }
        all.extend(fetched);
        all
    }

    /// The same, for thousands of replies.
    pub(crate) fn merge_set(self, fetched: ReplySet) -> ReplySet {
        if self.0.is_empty() { fetched } else { self.merge(fetched).into_iter().collect() }
    }
}
