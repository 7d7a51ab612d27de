//! The pause of an endpoint that asked for fewer requests: as long as it asked for, or else longer each time.
//!
//! Invariant: all requests that are throttled together lengthen it once.

use std::time::Duration;

use tokio::time::Instant;

/// Where the endpoint names no time: 1, 2, 4, 8, 16, 30 seconds.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const DOUBLINGS_MAX: u32 = 5;
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// An operator who raises the limit at the provider sees it in force after that, whatever the endpoint asked for.
const REQUESTED_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct ThrottlePause {
    since: Option<Instant>,
    until: Option<Instant>,
    /// Pauses in a row for which the endpoint named no time.
    unspecified: u32,
}

impl ThrottlePause {
    pub(super) fn until(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| now < *until)
    }

    /// Counts a request that was throttled, with the wait that the endpoint asked for.
    pub(super) fn on_throttled(&mut self, now: Instant, started: Option<Instant>, wait: Option<Duration>) {
        let wait = match wait.filter(|wait| !wait.is_zero()) {
            Some(requested) => requested.min(REQUESTED_MAX),
            // The request was under way when the pause began.
            None if self.since.is_some_and(|since| started.is_none_or(|started| started < since)) => return,
            None => {
                let doublings = self.unspecified.min(DOUBLINGS_MAX);
                self.unspecified = self.unspecified.saturating_add(1);
                (PAUSE_MIN * 2_u32.pow(doublings)).min(PAUSE_MAX)
            }
        };
        self.since = Some(now);
        self.until = self.until.max(Some(now + wait));
    }

    /// Counts a request that was answered.
    pub(super) fn on_success(&mut self, started: Option<Instant>) {
        if self.until.is_some_and(|until| started.is_some_and(|started| started >= until)) {
            *self = Self::default();
        }
    }
}
