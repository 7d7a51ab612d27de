//! The circuit breaker of one endpoint: opens after errors, for longer each time, and is closed by one probe.
//!
//! Invariant: while it is open, at most one probe at a time has the turn, and a turn that is never given back
//! expires.

use std::time::Duration;

use tokio::time::Instant;

/// Errors in a row that open the breaker: one may be chance, a second one bad luck.
const ERRORS_MAX: u32 = 3;
const OPEN_FOR: Duration = Duration::from_secs(5);
/// 5, 10, 20, 40, 80 seconds.
const DOUBLINGS_MAX: u32 = 4;
/// An endpoint that fails sooner than this after its probe answers only probes.
const STEADY_FROM: Duration = Duration::from_secs(60);
/// Time after an error for which healthy peers are tried first.
const SUSPECT_FOR: Duration = Duration::from_secs(5);
/// Time for which an endpoint of a wrong chain is excluded, so that a corrected host takes effect.
const WRONG_CHAIN_FOR: Duration = Duration::from_secs(60);
/// Time after which a probe without a recorded result was given up.
const PROBE_FOR: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    open: Option<OpenPeriod>,
    /// Errors in a row.
    errors: u32,
    error_at: Option<Instant>,
    doublings: u32,
    closed_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct OpenPeriod {
    since: Instant,
    until: Instant,
    is_wrong_chain: bool,
    probed_at: Option<Instant>,
}

impl CircuitBreaker {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns true if an error has followed the last answered read, recently.
    pub(super) fn is_suspect(&self, now: Instant) -> bool {
        self.errors > 0 && self.error_at.is_some_and(|at| now.saturating_duration_since(at) < SUSPECT_FOR)
    }

    pub(super) fn is_wrong_chain(&self) -> bool {
        self.open.is_some_and(|open| open.is_wrong_chain)
    }

    /// Takes the turn to probe, if it is due and free.
    pub(super) fn may_probe(&mut self, now: Instant) -> bool {
        let Some(open) = &mut self.open else { return false };
        let is_taken = open.probed_at.is_some_and(|at| now.saturating_duration_since(at) < PROBE_FOR);
        if now < open.until || is_taken {
            return false;
        }
        open.probed_at = Some(now);
        true
    }

    /// Counts an answered request; returns true if that closes the breaker.
    pub(super) fn on_success(&mut self, now: Instant, started: Option<Instant>, is_read: bool) -> bool {
        if let Some(open) = self.open {
            // A request from before the breaker opened says nothing new, and a node of another chain may well answer.
            let is_set = open.is_wrong_chain && now < open.until;
            if is_set || started.is_none_or(|started| started < open.since) {
                return false;
            }
            *self = Self { closed_at: Some(now), doublings: self.doublings, ..Self::default() };
            return true;
        }
        if is_read {
            self.errors = 0;
        }
        false
    }

    /// Counts a request that ended in an error of the endpoint.
    pub(super) fn on_error(&mut self, now: Instant, started: Option<Instant>, mostly_errors: bool) {
        match self.open {
            Some(open) if now >= open.until && started.is_some_and(|started| started >= open.since) => {
                self.trip(now, self.doublings.saturating_add(1));
            }
            Some(_) => {}
            None => {
                self.errors = self.errors.saturating_add(1);
                self.error_at = Some(now);
                if self.errors >= ERRORS_MAX || mostly_errors {
                    let is_steady = self.closed_at.is_none_or(|at| now.saturating_duration_since(at) >= STEADY_FROM);
                    self.trip(now, if is_steady { 0 } else { self.doublings.saturating_add(1) });
                }
            }
        }
    }

    pub(super) fn on_wrong_chain(&mut self, now: Instant) {
        let until = now + WRONG_CHAIN_FOR;
        self.open = Some(OpenPeriod { since: now, until, is_wrong_chain: true, probed_at: None });
    }

    fn trip(&mut self, now: Instant, doublings: u32) {
        self.doublings = doublings.min(DOUBLINGS_MAX);
        let until = now + OPEN_FOR * 2_u32.pow(self.doublings);
        self.open = Some(OpenPeriod { since: now, until, is_wrong_chain: false, probed_at: None });
    }
}
