//! A search for an account's approvals in logs: from the newest block to the oldest, in requests of as many blocks as
//! each endpoint takes.
//!
//! Invariant: requests, time and what is kept are bounded. What was searched is a range that ends at the newest block,
//! so that a later search can go on where this one stopped.

use std::collections::BTreeSet;
use std::time::Duration;

use alloy::primitives::Address;
use tokio::time::Instant;

use crate::ReadFailure;
use crate::chain::approval_log::ApprovedPair;
use crate::reads::read_budget::ReadBudget;

/// Number of pairs at which a search stops: four hundred kilobytes, and at most one reply more.
const PAIRS_MAX: usize = 10_000;

/// Time that one request for logs gets. One that takes longer is too wide.
pub(crate) const REQUEST_TIME: Duration = Duration::from_millis(1_500);

/// What to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalQuery {
    /// The owner of what is approved.
    pub account: Address,
    /// Lowest block.
    pub from: u64,
    /// Highest block, where the search begins.
    pub to: u64,
    /// Maximum number of requests.
    pub requests_max: u32,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundApprovals {
    /// Tokens and spenders that logs name. Anybody can write such a log, so they are hints.
    pub pairs: BTreeSet<ApprovedPair>,
    /// Lowest block that was searched; all above it were, too. `None` if none was.
    pub from: Option<u64>,
    /// Number of requests that were made.
    pub requests: u32,
    pub end: SearchEnd,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// All blocks were searched.
    Whole,
    /// The bound on requests or pairs, the budget or the time.
    Bound,
    /// No endpoint has the logs of the next blocks.
    NoLogs,
    Failed(ReadFailure),
}

/// A search under way.
pub(crate) struct ApprovalSearch<'a> {
    pub(crate) query: ApprovalQuery,
    pub(crate) budget: &'a ReadBudget,
    found: FoundApprovals,
}

impl<'a> ApprovalSearch<'a> {
    pub(crate) fn new(query: ApprovalQuery, budget: &'a ReadBudget) -> Self {
        let found = FoundApprovals { pairs: BTreeSet::new(), from: None, requests: 0, end: SearchEnd::Bound };
        Self { query, budget, found }
    }

    /// Returns the highest block that is not searched yet; `None` if all are.
    pub(crate) fn next(&self) -> Option<u64> {
        let next = self.found.from.map_or(Some(self.query.to), |from| from.checked_sub(1))?;
        (next >= self.query.from).then_some(next)
    }

    /// Returns true if no more pairs should be searched for, with so many that are not added yet.
    pub(crate) fn is_full(&self, further: usize) -> bool {
        self.found.pairs.len() + further >= PAIRS_MAX
    }

    /// Takes one request from the budget, of which at least half stays for reads. Returns false if none is left.
    pub(crate) fn take_request(&mut self, until: Instant) -> bool {
        let is_in_time = Instant::now() + REQUEST_TIME <= until;
        let is_taken = is_in_time && self.found.requests < self.query.requests_max && self.budget.take_spare_request();
        self.found.requests += u32::from(is_taken);
        is_taken
    }

    /// Adds what the blocks from `from` on have, up to those that were searched before.
    pub(crate) fn add(&mut self, from: u64, pairs: BTreeSet<ApprovedPair>) {
        self.found.pairs.extend(pairs);
        self.found.from = Some(from);
    }

    pub(crate) fn end(self, end: SearchEnd) -> FoundApprovals {
        FoundApprovals { end, ..self.found }
    }
}
