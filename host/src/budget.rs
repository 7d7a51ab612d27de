//! The budget of one answer: reads, requests to nodes and to other hosts, events, bytes, time.
//!
//! Invariant: all work for an answer draws from its budget. The amounts shown do not depend on other clients: a cached
//! read counts as if it had been sent.

use std::sync::Arc;
use std::time::Duration;

use portolan_base::net::outgoing_budget::OutgoingBudget;
use portolan_reader::{Meter, ReadBudget};
use tokio::time::Instant;

use portolan_base::client_share::ClientShare;

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

impl AnswerLimits {
    /// The limits of an answer about this many accounts. It may read as much for each as an answer about one. Time and
    /// body stay as they are, and so do requests to a host that no operator named.
    pub(crate) fn of_accounts(self, accounts: usize) -> Self {
        let all = |limit: u64| limit.saturating_mul(u64::try_from(accounts).unwrap_or(u64::MAX));
        let Self { reads_max, node_requests_max, outgoing_max, .. } = self;
        let [reads_max, node_requests_max, outgoing_max] = [reads_max, node_requests_max, outgoing_max].map(all);
        Self { reads_max, node_requests_max, outgoing_max, ..self }
    }
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

impl AnswerBudget {
    /// Starts the budget of an answer to this client.
    pub(crate) fn new(limits: AnswerLimits, client: Arc<ClientShare>) -> Arc<Self> {
        let reads = ReadBudget::new(limits.reads_max, limits.node_requests_max).of_client(client.id.clone());
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

/// The client pays for what was read, however the answer ended.
impl Drop for AnswerBudget {
    fn drop(&mut self) {
        self.client.charge_reads(self.reads.reads().used());
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
