//! Requested calls of a decoding, and their results.

use std::collections::HashMap;

use alloy::primitives::{Address, Bytes};

use crate::view::{ViewCall, ViewResult};

/// Calls per decoding. A transaction of a thousand logs needs two thousand. Further calls count as failed reads.
const CALLS_MAX: usize = 4_096;

/// Results by contract and calldata.
#[derive(Debug, Default)]
pub(crate) struct ViewCache {
    /// `None` while pending.
    results: HashMap<Address, HashMap<Bytes, Option<ViewResult>>>,
    count: usize,
    /// Requested calls without a result.
    pending: Vec<ViewCall>,
    /// True if no more is read: calls without a result count as failed reads.
    closed: bool,
}

impl ViewCache {
    /// Returns the result of a call; `None` if it must be requested or is pending.
    pub(crate) fn result(&self, to: Address, data: &[u8]) -> Option<&ViewResult> {
        match self.results.get(&to).and_then(|of_contract| of_contract.get(data)) {
            Some(Some(result)) => Some(result),
            None | Some(None) if self.closed => Some(&ViewResult::ReadFailed),
            None if self.count >= CALLS_MAX => Some(&ViewResult::ReadFailed),
            None | Some(None) => None,
        }
    }

    /// Marks calls as pending. Returns those not requested before, in order.
    pub(crate) fn request(&mut self, calls: Vec<ViewCall>) -> Vec<ViewCall> {
        let mut fresh = Vec::new();
        for call in calls {
            let of_contract = self.results.entry(call.to).or_default();
            if self.count < CALLS_MAX && !of_contract.contains_key(&call.data) {
                of_contract.insert(call.data.clone(), None);
                self.count += 1;
                fresh.push(call);
            }
        }
        self.pending.extend(fresh.iter().cloned());
        fresh
    }

    /// Records the results of the pending calls, in order. Missing results count as failed reads.
    pub(crate) fn record(&mut self, results: Vec<ViewResult>) {
        let results = results.into_iter().chain(std::iter::repeat(ViewResult::ReadFailed));
        for (call, result) in self.pending.drain(..).zip(results) {
            self.results.entry(call.to).or_default().insert(call.data, Some(result));
        }
    }

    /// Ends reading; no more results will be recorded.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }
}
