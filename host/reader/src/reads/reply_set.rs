//! The replies to a set of reads, by place. Most are a zero word, which takes no memory of its own.

use crate::reads::outcomes::Outcomes;
use crate::reads::read_set::{count, index};
use crate::{Outcome, Reply};

/// Replies by place.
#[derive(Clone, Debug, Default)]
pub struct ReplySet {
    outcomes: Outcomes,
    /// Places of replies that are older than the request, rising, each with its age in seconds.
    cached: Vec<(u32, u32)>,
    /// Places of replies that another gateway has read, rising.
    shared: Vec<u32>,
}

impl ReplySet {
    /// Makes a set. Every place must have an outcome, and the places in `cached` must be rising.
    pub(crate) fn new(outcomes: Outcomes, cached: Vec<(u32, u32)>) -> Self {
        Self { outcomes, cached, shared: Vec::new() }
    }

    /// Repeats an outcome for this many reads.
    pub(crate) fn all(count: usize, outcome: Outcome) -> Self {
        let mut outcomes = Outcomes::open(count);
        outcomes.close(outcome);
        Self::new(outcomes, Vec::new())
    }

    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the outcomes other than a zero word, with their places.
    pub fn besides_zeros(&self) -> impl Iterator<Item = (usize, &Outcome)> {
        self.outcomes.besides_zeros()
    }

    pub(crate) fn contains(&self, outcome: &Outcome) -> bool {
        self.outcomes.contains(outcome)
    }

    pub(crate) fn outcome(&self, place: usize) -> Option<&Outcome> {
        self.outcomes.get(place)
    }

    /// Returns the index of the endpoint that gave an outcome, if it was recorded.
    pub(crate) fn endpoint(&self, place: usize) -> Option<u8> {
        self.outcomes.endpoint(place)
    }

    pub fn push(&mut self, reply: Reply) {
        let Reply { outcome, cached, shared, age_s } = reply;
        if cached {
            self.cached.push((count(self.len()), age_s));
        }
        if shared {
            self.shared.push(count(self.len()));
        }
        self.outcomes.push(outcome);
    }
}

impl Extend<Reply> for ReplySet {
    fn extend<T: IntoIterator<Item = Reply>>(&mut self, replies: T) {
        replies.into_iter().for_each(|reply| self.push(reply));
    }
}

impl FromIterator<Reply> for ReplySet {
    fn from_iter<T: IntoIterator<Item = Reply>>(replies: T) -> Self {
        let mut set = Self::default();
        set.extend(replies);
        set
    }
}

impl IntoIterator for ReplySet {
    type Item = Reply;
    type IntoIter = std::vec::IntoIter<Reply>;

    fn into_iter(self) -> Self::IntoIter {
        let Self { outcomes, cached, shared } = self;
        let mut replies: Vec<Reply> = outcomes.into_all().map(Reply::fresh).collect();
        for (place, age_s) in cached {
            if let Some(reply) = replies.get_mut(index(place)) {
                (reply.cached, reply.age_s) = (true, age_s);
            }
        }
        for place in shared {
            if let Some(reply) = replies.get_mut(index(place)) {
                reply.shared = true;
            }
        }
        replies.into_iter()
    }
}
