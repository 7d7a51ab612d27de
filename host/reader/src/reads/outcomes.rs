//! The outcomes of a batch's reads, by place. Most are a zero word, which takes no memory of its own.

use alloy::primitives::Bytes;

use crate::Outcome;
use crate::reads::read_set::{count, index};

/// The word that most reads return.
pub(crate) static ZERO_WORD: [u8; 32] = [0; 32];

/// The outcome of most reads.
static ZERO: Outcome = Outcome::Ok(Bytes::from_static(&ZERO_WORD));

/// Outcomes by place; a place is open until its outcome is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes {
    slots: Vec<OutcomeSlot>,
    others: Vec<Outcome>,
    /// Index of the endpoint that gave all of them, unless `endpoints` has entries.
    endpoint: Option<u8>,
    /// Index of the endpoint that gave each outcome, if not all came from one.
    endpoints: Vec<Option<u8>>,
    /// Index of the first endpoint that did not fail as a whole.
    answering: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
enum OutcomeSlot {
    Open,
    Zero,
    /// A place in `others`.
    Other(u32),
}

impl Outcomes {
    /// Makes open places for this many reads.
    pub(crate) fn open(reads: usize) -> Self {
        Self { slots: vec![OutcomeSlot::Open; reads], ..Self::default() }
    }

    /// Makes no places yet, but room for this many.
    pub(crate) fn with_capacity(reads: usize) -> Self {
        Self { slots: Vec::with_capacity(reads), ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the outcome at a place; `None` if it is open.
    pub(crate) fn get(&self, place: usize) -> Option<&Outcome> {
        match *self.slots.get(place)? {
            OutcomeSlot::Open => None,
            OutcomeSlot::Zero => Some(&ZERO),
            OutcomeSlot::Other(other) => self.others.get(index(other)),
        }
    }

    /// Adds this many open places.
    pub(crate) fn extend_open(&mut self, reads: usize) {
        self.slots.resize(self.slots.len() + reads, OutcomeSlot::Open);
    }

    /// Returns true if no place has an outcome.
    pub(crate) fn is_all_open(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot, OutcomeSlot::Open))
    }

    pub(crate) fn put(&mut self, place: usize, outcome: Outcome) {
        self.slots[place] = self.slot(outcome);
    }

    pub(crate) fn put_zero(&mut self, place: usize) {
        self.slots[place] = OutcomeSlot::Zero;
    }

    /// Opens a place again.
    pub(crate) fn take_back(&mut self, place: usize) {
        self.slots[place] = OutcomeSlot::Open;
    }

    /// Adds a place.
    pub(crate) fn push(&mut self, outcome: Outcome) {
        let slot = self.slot(outcome);
        self.push_slot(slot, None);
    }

    fn push_slot(&mut self, slot: OutcomeSlot, endpoint: Option<u8>) {
        if self.slots.is_empty() {
            self.endpoint = endpoint;
        } else if !self.endpoints.is_empty() || endpoint != self.endpoint {
            self.each_endpoint().push(endpoint);
        }
        self.slots.push(slot);
    }

    /// Adds a place with the outcome that another batch has at `place`, or with `missing` if it has none.
    pub(crate) fn push_from(&mut self, from: Option<&Self>, place: usize, missing: &Outcome) {
        let endpoint = from.and_then(|from| from.endpoint(place));
        let slot = match from.and_then(|from| from.slots.get(place)) {
            Some(OutcomeSlot::Zero) => OutcomeSlot::Zero,
            _ => self.slot(from.and_then(|from| from.get(place)).unwrap_or(missing).clone()),
        };
        self.push_slot(slot, endpoint);
    }

    /// Records which endpoint, by its index in the network, gave the outcomes at those of these places that have one
    /// now.
    pub(crate) fn note_endpoint(&mut self, places: &[usize], endpoint: u8) {
        let is_open = |slot: &OutcomeSlot| matches!(slot, OutcomeSlot::Open);
        if places.len() == self.slots.len() && !self.slots.iter().any(is_open) {
            (self.endpoint, self.endpoints) = (Some(endpoint), Vec::new());
            return;
        }
        let given: Vec<usize> = places.iter().copied().filter(|place| self.get(*place).is_some()).collect();
        let endpoints = self.each_endpoint();
        given.into_iter().for_each(|place| endpoints[place] = Some(endpoint));
    }

    fn each_endpoint(&mut self) -> &mut Vec<Option<u8>> {
        if self.endpoints.is_empty() {
            self.endpoints = vec![self.endpoint; self.slots.len()];
        }
        &mut self.endpoints
    }

    /// Records an endpoint that did not fail as a whole; the first one counts.
    pub(crate) fn note_answering(&mut self, endpoint: u8) {
        self.answering.get_or_insert(endpoint);
    }

    /// Returns the index of the first endpoint that did not fail as a whole, if it was recorded.
    pub(crate) fn answering(&self) -> Option<u8> {
        self.answering
    }

    /// Returns the index of the endpoint that gave an outcome, if it was recorded.
    pub(crate) fn endpoint(&self, place: usize) -> Option<u8> {
        self.endpoints.get(place).copied().unwrap_or(self.endpoint)
    }

    /// Returns all outcomes in order. No place may be open.
    pub(crate) fn into_all(self) -> impl ExactSizeIterator<Item = Outcome> {
        let Self { slots, others, .. } = self;
        slots.into_iter().map(move |slot| match slot {
            OutcomeSlot::Other(other) => others[index(other)].clone(),
            OutcomeSlot::Zero | OutcomeSlot::Open => ZERO.clone(),
        })
    }

    /// Sets this outcome at all open places.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        let slot = self.slot(outcome);
        self.slots.iter_mut().filter(|open| matches!(open, OutcomeSlot::Open)).for_each(|open| *open = slot);
    }

    /// Returns the known outcomes other than a zero word, with their places.
    pub(crate) fn besides_zeros(&self) -> impl Iterator<Item = (usize, &Outcome)> {
        let other = |(place, slot): (usize, &OutcomeSlot)| match slot {
            OutcomeSlot::Other(_) => self.get(place).map(|outcome| (place, outcome)),
            OutcomeSlot::Open | OutcomeSlot::Zero => None,
        };
        self.slots.iter().enumerate().filter_map(other)
    }

    /// Returns true if a place has this outcome, which must not be a zero word.
    pub(crate) fn contains(&self, outcome: &Outcome) -> bool {
        // Most batches have so few other outcomes that comparing them is faster than visiting all places.
        self.others.contains(outcome) && self.besides_zeros().any(|(_, other)| other == outcome)
    }

    /// Returns the outcomes that take memory; some may have no place any more.
    pub(crate) fn stored(&self) -> &[Outcome] {
        &self.others
    }

    fn slot(&mut self, outcome: Outcome) -> OutcomeSlot {
        if outcome == ZERO {
            return OutcomeSlot::Zero;
        }
        self.others.push(outcome);
        OutcomeSlot::Other(count(self.others.len() - 1))
    }
}
#[cfg(test)]
impl From<Vec<Outcome>> for Outcomes {
    fn from(all: Vec<Outcome>) -> Self {
        let mut outcomes = Self::open(all.len());
        all.into_iter().enumerate().for_each(|(place, outcome)| outcomes.put(place, outcome));
        outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadFailure;

    fn endpoints(outcomes: &Outcomes) -> Vec<Option<u8>> {
        (0..outcomes.len()).map(|place| outcomes.endpoint(place)).collect()
    }

    #[test]
    fn each_place_has_the_endpoint_that_gave_it() {
        let mut all = Outcomes::open(3);
        (0..3).for_each(|place| all.put_zero(place));
        all.note_endpoint(&[0, 1, 2], 4);
        assert_eq!(endpoints(&all), [Some(4); 3]);
        let mut parts = Outcomes::open(3);
        parts.put_zero(1);
        parts.note_endpoint(&[0, 1, 2], 4);
        assert_eq!(endpoints(&parts), [None, Some(4), None]);
        parts.put_zero(2);
        parts.note_endpoint(&[0, 2], 5);
        assert_eq!(endpoints(&parts), [None, Some(4), Some(5)]);
        let mut joined = Outcomes::with_capacity(6);
        for (from, place) in [(&all, 0), (&all, 1), (&parts, 2), (&parts, 0)] {
            joined.push_from(Some(from), place, &ZERO);
        }
        joined.push(ZERO.clone());
        joined.push_from(None, 0, &ZERO);
        assert_eq!(endpoints(&joined), [Some(4), Some(4), Some(5), None, None, None]);
    }

    #[test]
    fn each_place_has_what_was_put_last() {
        let word = |last: u8| Outcome::Ok([&[0; 31][..], &[last]].concat().into());
        let mut outcomes = Outcomes::open(6);
        outcomes.put(0, word(1));
        outcomes.put(1, word(0));
        outcomes.put_zero(2);
        outcomes.put(3, Outcome::Ok(vec![0; 31].into()));
        outcomes.put(4, word(2));
        outcomes.take_back(4);
        let all = |outcomes: &Outcomes| (0..7).map(|place| outcomes.get(place).cloned()).collect::<Vec<_>>();
        let known = [Some(word(1)), Some(word(0)), Some(word(0)), Some(Outcome::Ok(vec![0; 31].into()))];
        assert_eq!(all(&outcomes), [&known[..], &[None, None, None]].concat());
        outcomes.put(1, word(3));
        let failed = Outcome::Failed(ReadFailure::Timeout);
        outcomes.close(failed.clone());
        let besides: Vec<_> = outcomes.besides_zeros().map(|(place, outcome)| (place, outcome.clone())).collect();
        let short = Outcome::Ok(vec![0; 31].into());
        assert_eq!(besides, [(0, word(1)), (1, word(3)), (3, short), (4, failed.clone()), (5, failed)]);
    }
}
