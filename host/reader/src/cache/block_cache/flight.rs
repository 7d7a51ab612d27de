//! Reads that are fetched together, and their outcomes.

use std::sync::OnceLock;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::Outcome;
use crate::reads::outcomes::Outcomes;
use crate::reads::read_set::{ReadSet, index};

static NO_READS: ReadSet = ReadSet::new();

/// Reads that are fetched together.
#[derive(Default)]
pub(super) struct Flight {
    reads: OnceLock<ReadSet>,
    outcomes: OnceLock<Outcomes>,
    completed: Notify,
}

impl Flight {
    /// Sets the reads, once.
    pub(super) fn carry(&self, reads: ReadSet) {
        drop(self.reads.set(reads));
    }

    /// Returns the reads; empty before they are set.
    pub(super) fn reads(&self) -> &ReadSet {
        self.reads.get().unwrap_or(&NO_READS)
    }

    /// Returns the outcomes; `None` until the flight is completed.
    pub(super) fn outcomes(&self) -> Option<&Outcomes> {
        self.outcomes.get()
    }

    pub(super) fn outcome(&self, place: u32) -> Option<&Outcome> {
        self.outcomes.get()?.get(index(place))
    }

    pub(super) fn has_failed(&self, place: u32) -> bool {
        matches!(self.outcome(place), Some(Outcome::Failed(_)))
    }

    pub(super) fn complete(&self, outcomes: Outcomes) {
        if self.outcomes.set(outcomes).is_ok() {
            self.completed.notify_waiters();
        }
    }

    pub(super) async fn completed(&self, until: Instant) {
        let completed = self.completed.notified();
        if self.outcomes.get().is_none() {
            // An outcome that is still missing then is a failure for this subscriber.
            drop(timeout_at(until, completed).await);
        }
    }
}
