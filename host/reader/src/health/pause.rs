//! The pause of an endpoint that asked for fewer requests: as long as it told, else longer each time.
//!
//! Invariant: all requests that are refused together lengthen it once.

use std::time::Duration;

use tokio::time::Instant;

/// Where it told no time: 1, 2, 4, 8, 16, 30 seconds.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_DOUBLED_MAX: u32 = 5;
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Who raises the limit at the provider sees it in force after that, whatever was told.
const TOLD_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Pause {
    since: Option<Instant>,
    until: Option<Instant>,
    /// Pauses in a row for which it told no time.
    untold: u32,
}

impl Pause {
    pub(super) fn until(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| now < *until)
    }

    /// A request that started then was refused; with the time that the endpoint asked to wait.
    pub(super) fn throttled(&mut self, now: Instant, started: Option<Instant>, wait: Option<Duration>) {
        let wait = match wait.filter(|wait| !wait.is_zero()) {
            Some(told) => told.min(TOLD_MAX),
            // It was under way when the pause began.
            None if self.since.is_some_and(|since| started.is_none_or(|started| started < since)) => return,
            None => {
                let doubled = self.untold.min(PAUSE_DOUBLED_MAX);
                self.untold = self.untold.saturating_add(1);
                (PAUSE * 2_u32.pow(doubled)).min(PAUSE_MAX)
            }
        };
        self.since = Some(now);
        self.until = self.until.max(Some(now + wait));
    }

    /// A request that started then was answered.
    pub(super) fn answered(&mut self, started: Option<Instant>) {
        if self.until.is_some_and(|until| started.is_some_and(|started| started >= until)) {
            *self = Self::default();
        }
    }
}
