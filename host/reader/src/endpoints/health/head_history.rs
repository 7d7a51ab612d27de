//! The newest blocks that one endpoint reported, and when.
//!
//! Invariant: the times of the blocks rise. A time that goes back (the chain was set back, or a node of a pool lags)
//! replaces all reports before it.

use std::collections::VecDeque;

use tokio::time::Instant;

/// Half a minute of a network with two blocks a second. Peers whose head is requested less often are not compared.
const HEADS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct HeadHistory {
    /// When each block was first reported, and its time in Unix seconds.
    reports: VecDeque<(Instant, u64)>,
    /// When the newest block was last reported.
    last_at: Option<Instant>,
}

impl HeadHistory {
    pub(super) fn record(&mut self, now: Instant, timestamp_s: u64) {
        match self.reports.back() {
            Some((_, last)) if *last == timestamp_s => {}
            Some((_, last)) if *last > timestamp_s => {
                self.reports.clear();
                self.reports.push_back((now, timestamp_s));
            }
            _ => self.reports.push_back((now, timestamp_s)),
        }
        if self.reports.len() > HEADS_MAX {
            self.reports.pop_front();
        }
        self.last_at = Some(now);
    }

    pub(super) fn last(&self) -> Option<(Instant, u64)> {
        Some((self.last_at?, self.reports.back()?.1))
    }

    pub(super) fn at(&self, at: Instant) -> Option<u64> {
        self.reports.iter().rev().find(|(reported_at, _)| *reported_at <= at).map(|(_, timestamp_s)| *timestamp_s)
    }
}

#[cfg(test)]
impl HeadHistory {
    pub(super) fn len(&self) -> usize {
        self.reports.len()
    }
}
