//! The outcomes of a batch, filled in by all of its concurrent requests.
//!
//! Invariant: an outcome whose reply does not prove its chain stays unproven until a chain id requested after it
//! arrives. At most one chain check is under way.

use parking_lot::{Mutex, MutexGuard};

use super::Request;
use crate::Outcome;
use crate::reads::outcomes::Outcomes;

/// The outcomes of a batch by place, shared by its concurrent requests.
pub(super) struct SharedOutcomes<'a>(Mutex<Filling<'a>>);

pub(super) struct Filling<'a> {
    outcomes: &'a mut Outcomes,
    any: bool,
    /// Places whose outcomes do not prove their chain, in order of arrival.
    unproven: Vec<usize>,
    /// True while the chain id is being requested.
    checking: bool,
}

impl<'a> SharedOutcomes<'a> {
    pub(super) fn new(outcomes: &'a mut Outcomes) -> Self {
        Self(Mutex::new(Filling { outcomes, any: false, unproven: Vec::new(), checking: false }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Filling<'a>> {
        self.0.lock()
    }

    /// Returns true if any request brought an outcome.
    pub(super) fn any(&self) -> bool {
        self.lock().any
    }

    /// Returns a chain check if one is due and none is under way.
    pub(super) fn next_check(&self) -> Option<Request> {
        let mut filled = self.lock();
        if filled.checking || filled.unproven.is_empty() {
            return None;
        }
        filled.checking = true;
        Some(Request::ChainCheck(filled.unproven.len()))
    }

    /// Removes the outcomes whose chain is not proven.
    pub(super) fn clear_unproven(&self) {
        let unproven = std::mem::take(&mut self.lock().unproven);
        self.clear(&unproven);
    }

    /// Removes the outcomes at these places.
    pub(super) fn clear(&self, places: &[usize]) {
        let mut filled = self.lock();
        places.iter().for_each(|place| filled.take_back(*place));
    }
}

impl Filling<'_> {
    pub(super) fn put(&mut self, place: usize, outcome: Outcome) {
        self.outcomes.put(place, outcome);
        self.any = true;
    }

    /// Puts the outcome of a single request. Its reply may or may not prove the chain.
    pub(super) fn put_single(&mut self, place: usize, outcome: Outcome, proves_chain: bool) {
        self.put(place, outcome);
        if !proves_chain {
            self.unproven.push(place);
        }
    }

    /// Marks the chain of the first `count` unproven outcomes as proven.
    pub(super) fn prove(&mut self, count: usize) {
        self.unproven.drain(..count);
        self.checking = false;
    }

    pub(super) fn put_zero(&mut self, place: usize) {
        self.outcomes.put_zero(place);
        self.any = true;
    }

    pub(super) fn take_back(&mut self, place: usize) {
        self.outcomes.take_back(place);
    }
}
