//! The budget of one answer: reads, and requests to nodes.
//!
//! Invariant: the figures shown to clients do not depend on what is cached or on how nodes are read. The bound on
//! requests applies to those that are sent, which are not shown.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::client_id::ClientId;

/// Number of reads that count as one request, whatever method the endpoint has: as many as a chunk of Multicall3.
const REQUEST_READS: u64 = 500;

/// A counter with a bound.
#[derive(Debug)]
pub struct Meter {
    used: AtomicU64,
    max: u64,
}

impl Meter {
    pub const fn new(max: u64) -> Self {
        Self { used: AtomicU64::new(0), max }
    }

    /// Takes this many. Takes nothing and returns false if fewer are left.
    pub fn take(&self, count: u64) -> bool {
        self.take_leaving(count, 0)
    }

    /// Like [`Self::take`], but leaves at least `rest`.
    pub fn take_leaving(&self, count: u64, rest: u64) -> bool {
        let max = self.max.saturating_sub(rest);
        let fitting = |used: u64| used.checked_add(count).filter(|used| *used <= max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fitting).is_ok()
    }

    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub fn max(&self) -> u64 {
        self.max
    }
}

/// The budget that all sessions of one answer share.
#[derive(Debug)]
pub struct ReadBudget {
    reads: Meter,
    sent: Meter,
    /// True once a read of the answer failed.
    has_failures: AtomicBool,
    client: Option<ClientId>,
}

impl ReadBudget {
    /// Makes a budget whose reads are bounded by what the requests can carry, too.
    pub const fn new(reads_max: u64, requests_max: u64) -> Self {
        let carried = requests_max.saturating_mul(REQUEST_READS);
        let reads_max = if carried < reads_max { carried } else { reads_max };
        Self {
            reads: Meter::new(reads_max),
            sent: Meter::new(requests_max),
            has_failures: AtomicBool::new(false),
            client: None,
        }
    }

    /// Sets the client that the answer is for.
    pub fn of_client(self, client: Option<ClientId>) -> Self {
        Self { client, ..self }
    }

    /// Makes a budget without bounds.
    pub const fn unbounded() -> Self {
        Self::new(u64::MAX, u64::MAX)
    }

    /// Returns the count of reads, including those that needed no request.
    pub fn reads(&self) -> &Meter {
        &self.reads
    }

    /// Returns the number of requests that these reads would fill.
    pub fn requests(&self) -> u64 {
        self.reads.used().div_ceil(REQUEST_READS)
    }

    /// Returns the bound on requests that are sent.
    pub fn requests_max(&self) -> u64 {
        self.sent.max()
    }

    /// Returns true if any read of the answer failed: read again, the answer may have more.
    pub fn has_failures(&self) -> bool {
        self.has_failures.load(Ordering::Relaxed)
    }

    /// Notes that a read of the answer failed.
    pub fn note_failure(&self) {
        self.has_failures.store(true, Ordering::Relaxed);
    }

    /// Returns the client that the answer is for; `None` if no client waits for it.
    pub(crate) fn client(&self) -> Option<&ClientId> {
        self.client.as_ref()
    }

    /// Takes this many reads; returns false if they do not fit.
    pub(crate) fn take_reads(&self, reads: usize) -> bool {
        self.reads.take(u64::try_from(reads).unwrap_or(u64::MAX))
    }

    /// Takes a request that is about to be sent; returns false if none is left.
    pub(crate) fn take_request(&self) -> bool {
        self.sent.take(1)
    }

    /// Takes a request that an answer can do without; returns false if less than half would be left.
    pub(crate) fn take_spare_request(&self) -> bool {
        self.sent.take_leaving(1, self.sent.max() / 2)
    }

    /// Returns true if no further request may be sent.
    pub(crate) fn is_spent(&self) -> bool {
        self.sent.used() >= self.sent.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_takes_nothing() {
        let meter = Meter::new(10);
        assert!(meter.take(7) && !meter.take(4) && meter.take(3) && meter.take(0) && !meter.take(1));
        assert!(!meter.take(u64::MAX));
        assert_eq!((meter.used(), meter.max()), (10, 10));
    }

    #[test]
    fn requests_are_shown_as_if_nothing_were_cached_and_bounded_as_they_are_sent() {
        let budget = ReadBudget::new(1_200, 2);
        assert!(budget.take_reads(3));
        assert_eq!((budget.reads().used(), budget.requests()), (3, 1));
        assert!(budget.take_reads(498) && !budget.take_reads(500), "two requests carry no more");
        assert_eq!((budget.reads().used(), budget.requests(), budget.requests_max()), (501, 2, 2));
        assert!(budget.take_request() && !budget.is_spent() && budget.take_request());
        assert!(budget.is_spent() && !budget.take_request());
        assert_eq!(budget.requests(), 2, "what is sent is not shown");
    }
}
