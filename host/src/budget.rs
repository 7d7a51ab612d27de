//! The budget of one answer: reads, requests to nodes and to other hosts, events, bytes, time.
//!
//! Invariant: all work for an answer draws from its budget. The amounts shown do not depend on other clients: a cached
//! read counts as if it had been sent.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portolan_reader::{Meter, ReadBudget};
use tokio::time::Instant;

use crate::client_share::ClientShare;

/// Limits of one answer. The configuration has the defaults and their reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnswerLimits {
    pub(crate) time: Duration,
    pub(crate) reads_max: u64,
    pub(crate) node_requests_max: u64,
    /// HTTP requests to hosts that names or plugins refer to.
    pub(crate) outgoing_max: u64,
    /// HTTP requests to any one host that the operator does not name.
    pub(crate) outgoing_per_host_max: u64,
    pub(crate) events_max: u64,
    pub(crate) body_bytes_max: u64,
}

/// The limits of an answer and its use of them.
#[derive(Debug)]
pub(crate) struct AnswerBudget {
    pub(crate) limits: AnswerLimits,
    pub(crate) client: Arc<ClientShare>,
    began: Instant,
    /// Shared by all sessions of the answer.
    pub(crate) reads: Arc<ReadBudget>,
    pub(crate) outgoing: OutgoingBudget,
    /// Events of all sources, before they are merged.
    pub(crate) events: Meter,
}

/// The HTTP requests of an answer to hosts that names or plugins refer to.
#[derive(Debug)]
pub(crate) struct OutgoingBudget {
    all: Meter,
    per_host_max: u64,
    by_host: Mutex<HashMap<String, u64>>,
    /// Requests that were counted once for the whole answer.
    once: Mutex<BTreeSet<String>>,
}

impl AnswerBudget {
    /// Starts the budget of an answer to this client.
    pub(crate) fn new(limits: AnswerLimits, client: Arc<ClientShare>) -> Arc<Self> {
        let reads = ReadBudget::new(limits.reads_max, limits.node_requests_max).of_client(client.address);
        Arc::new(Self {
            limits,
            client,
            began: Instant::now(),
            reads: Arc::new(reads),
            outgoing: OutgoingBudget::new(limits.outgoing_max, limits.outgoing_per_host_max),
            events: Meter::new(limits.events_max),
        })
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl OutgoingBudget {
    pub(crate) fn new(max: u64, per_host_max: u64) -> Self {
        Self { all: Meter::new(max), per_host_max, by_host: Mutex::default(), once: Mutex::default() }
    }

    /// Takes a request; returns false if none is left.
    pub(crate) fn take(&self) -> bool {
        self.all.take(1)
    }

    /// Takes a request if `rest` are left after it; otherwise returns false.
    pub(crate) fn take_leaving(&self, rest: u64) -> bool {
        self.all.take_leaving(1, rest)
    }

    /// Takes a request unless one for the same `what` was taken before; returns false if none is left.
    pub(crate) fn take_once(&self, what: &str) -> bool {
        let mut once = self.once.lock();
        once.contains(what) || (self.take() && once.insert(what.to_owned()))
    }

    /// Takes a request to this host, in addition to [`Self::take`]; returns false if none is left.
    pub(crate) fn take_of_host(&self, host: &str) -> bool {
        let mut by_host = self.by_host.lock();
        let made = by_host.entry(host.to_owned()).or_default();
        let is_left = *made < self.per_host_max;
        *made += u64::from(is_left);
        is_left
    }

    pub(crate) fn all(&self) -> &Meter {
        &self.all
    }
}

#[cfg(any(test, feature = "fuzzing"))]
impl AnswerBudget {
    /// The budget of tests that reach no limit.
    pub(crate) fn ample() -> Arc<Self> {
        Self::new(AnswerLimits::AMPLE, ClientShare::new(None))
    }
}

#[cfg(any(test, feature = "fuzzing"))]
impl AnswerLimits {
    /// Limits that no test reaches.
    pub(crate) const AMPLE: Self = Self {
        time: Duration::from_secs(60),
        reads_max: 1 << 40,
        node_requests_max: 1 << 40,
        outgoing_max: 1 << 20,
        outgoing_per_host_max: 1 << 20,
        events_max: 1 << 20,
        body_bytes_max: 1 << 30,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_gets_no_more_than_its_part() {
        let outgoing = OutgoingBudget::new(3, 2);
        assert!(outgoing.take_of_host("a") && outgoing.take_of_host("a") && !outgoing.take_of_host("a"));
        assert!(outgoing.take_of_host("b"));
        assert!(outgoing.take() && outgoing.take() && outgoing.take() && !outgoing.take());
        assert_eq!((outgoing.all().used(), outgoing.all().max()), (3, 3));
        let outgoing = OutgoingBudget::new(3, 2);
        assert!(outgoing.take_leaving(2) && !outgoing.take_leaving(2) && outgoing.take_leaving(1) && outgoing.take());
        assert!(!OutgoingBudget::new(3, 2).take_leaving(4));
    }

    #[test]
    fn what_many_need_is_taken_once() {
        let outgoing = OutgoingBudget::new(2, 1);
        assert!(outgoing.take_once("a") && outgoing.take_once("a") && outgoing.take_once("b"));
        assert!(!outgoing.take_once("c") && !outgoing.take());
        assert!(outgoing.take_once("a"));
    }
}
