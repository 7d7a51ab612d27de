//! The outcomes of a batch, which all of its requests under way fill in.
//!
//! Invariant: an outcome whose reply does not prove its chain is remembered as unproven until the chain id was requested
//! after it, and one check of the chain is under way at a time.

use parking_lot::{Mutex, MutexGuard};

use super::Request;
use crate::Outcome;
use crate::outcomes::Outcomes;

/// The outcomes of a batch by place, which the requests under way fill in.
pub(super) struct SharedOutcomes<'a>(Mutex<Filling<'a>>);

pub(super) struct Filling<'a> {
    outcomes: &'a mut Outcomes,
    any: bool,
    /// The places whose outcomes do not prove their chain, in the order in which they came.
    unproven: Vec<usize>,
    /// The chain id is being requested.
    checking: bool,
}

impl<'a> SharedOutcomes<'a> {
    pub(super) fn new(outcomes: &'a mut Outcomes) -> Self {
        Self(Mutex::new(Filling { outcomes, any: false, unproven: Vec::new(), checking: false }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Filling<'a>> {
        self.0.lock()
    }

    /// Whether any request brought an outcome.
    pub(super) fn any(&self) -> bool {
        self.lock().any
    }

    /// Returns a check of the chain where one is due and none is under way.
    pub(super) fn next_check(&self) -> Option<Request> {
        let mut filled = self.lock();
        if filled.checking || filled.unproven.is_empty() {
            return None;
        }
        filled.checking = true;
        Some(Request::ChainCheck(filled.unproven.len()))
    }

    /// Takes back the outcomes whose chain is not proven.
    pub(super) fn clear_unproven(&self) {
        let unproven = std::mem::take(&mut self.lock().unproven);
        self.clear(&unproven);
    }

    /// Takes back all that was put at these places.
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

    /// Puts the outcome of a single request, whose reply may prove its chain.
    pub(super) fn put_single(&mut self, place: usize, outcome: Outcome, proves_chain: bool) {
        self.put(place, outcome);
        if !proves_chain {
            self.unproven.push(place);
        }
    }

    /// Notes that the chain of the first outcomes that were unproven is proven.
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
