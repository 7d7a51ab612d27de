//! The health of one endpoint: its latest requests, its circuit breaker, its throttle pause, and the heads that it
//! reported.
//!
//! Invariant: an event that is not the endpoint's fault never counts against it: a revert, a block on its way, a
//! request too large for it, a timeout of a request that had hardly any time. Nothing here makes requests or reads a
//! clock.

mod breaker;
mod head_history;
mod pause;
mod window;

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use self::breaker::CircuitBreaker;
use self::head_history::HeadHistory;
use self::pause::ThrottlePause;
pub(crate) use self::window::{Latency, Metrics};
use self::window::{RequestWindow, ResultClass};
use crate::wire::error::EndpointError;

/// Minimum time of a request whose timeout says something about the endpoint.
pub(crate) const TIMEOUT_COUNTS_FROM: Duration = Duration::from_millis(500);
/// A request that takes this many times the 90th percentile will hardly be answered any more.
const ATTEMPT_TIMEOUT_FACTOR: u32 = 8;
/// Not below [`TIMEOUT_COUNTS_FROM`], because an endpoint that is given up must be blamed for it.
const ATTEMPT_TIMEOUT_MIN: Duration = TIMEOUT_COUNTS_FROM;
/// Number of reads in a row that may take too long for their own sake. After that, an endpoint that answers only
/// small calls is blamed.
const EXCUSED_MAX: u32 = 8;
/// Longer than any answer waits.
const ATTEMPT_TIMEOUT_MAX: Duration = Duration::from_secs(30);

/// State of an endpoint, which decides if it gets requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HealthState {
    Healthy,
    /// Its last request failed recently: healthy peers come first.
    Suspect,
    /// It throttles, and should get no requests until then.
    Paused(Instant),
    /// Excluded until a probe of it succeeds.
    Excluded,
    /// It reports that its node is still syncing.
    Syncing,
    WrongChain,
}

/// The purpose of a request, which decides what its result says about the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// Reads at a block.
    Read,
    /// A small request: a head, a chain id, the probe of an excluded endpoint. It can open and close the breaker, but
    /// does not make an endpoint healthy that fails all reads.
    Probe,
    /// A request that many good endpoints reject: for a transaction, a receipt, or a simulation. Counts as a probe,
    /// but its duration is not compared: replies differ in length, and endpoints other than the first rarely get one.
    Optional,
}

/// Requests since the process started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) requests: u64,
    pub(crate) errors: u64,
    pub(crate) throttled: u64,
}

/// The health of one endpoint, shared by all who send requests to it.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Signals>);

#[derive(Debug, Default)]
struct Signals {
    window: RequestWindow,
    breaker: CircuitBreaker,
    pause: ThrottlePause,
    heads: HeadHistory,
    totals: Totals,
    /// When the last answered call was sent.
    answered: Option<Instant>,
    /// Number of reads, since one was answered, that took too long for their own sake.
    excused: u32,
    failures: Failures,
    /// When it was last asked for its sync status, while it reports to be syncing.
    syncing: Option<Instant>,
}

/// Failed requests, for operators.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failures {
    /// The last failure.
    pub(crate) last: Option<(Instant, EndpointError)>,
    /// Failures in a row, since a request was answered.
    pub(crate) in_a_row: u64,
}

impl Health {
    /// Records the result of a request; a call that reverted was answered. For a timeout, `took` is the time that the
    /// request had.
    pub(crate) fn record(&self, kind: RequestKind, now: Instant, took: Duration, result: Result<(), EndpointError>) {
        self.0.lock().record(kind, now, took, result);
    }

    /// Records that a small call that was sent at this instant was answered.
    pub(crate) fn record_beside(&self, sent: Instant) {
        let answered = &mut self.0.lock().answered;
        *answered = (*answered).max(Some(sent));
    }

    /// Returns true if a call that was sent at this instant or later was answered.
    pub(crate) fn has_answered_since(&self, since: Instant) -> bool {
        self.0.lock().answered.is_some_and(|sent| sent >= since)
    }

    /// Returns true if a slow read at an endpoint that answers other calls is not held against it. Counts the read.
    pub(crate) fn excuse(&self) -> bool {
        let excused = &mut self.0.lock().excused;
        *excused = excused.saturating_add(1);
        *excused <= EXCUSED_MAX
    }

    /// Records the time of the block that the endpoint reported as its newest.
    pub(crate) fn record_head(&self, now: Instant, timestamp_s: u64) {
        self.0.lock().heads.record(now, timestamp_s);
    }

    /// Records the sync status; returns true if it changed.
    pub(crate) fn record_syncing(&self, now: Instant, is_syncing: bool) -> bool {
        let syncing = &mut self.0.lock().syncing;
        let was_syncing = syncing.is_some();
        *syncing = is_syncing.then_some(now);
        was_syncing != is_syncing
    }

    /// Returns true if it last reported to be syncing.
    pub(crate) fn is_syncing(&self) -> bool {
        self.0.lock().syncing.is_some()
    }

    /// Returns true if a syncing endpoint is due to be asked again. A caller that gets `true` has the turn.
    pub(crate) fn may_request_syncing(&self, now: Instant, after: Duration) -> bool {
        let mut signals = self.0.lock();
        let is_due = signals.syncing.is_some_and(|asked| now.saturating_duration_since(asked) >= after);
        if is_due {
            signals.syncing = Some(now);
        }
        is_due
    }

    /// Returns true if this excluded endpoint is due for a probe. A caller that gets `true` has the turn, and must
    /// record the result of its probe.
    pub(crate) fn may_probe(&self, now: Instant) -> bool {
        let mut signals = self.0.lock();
        signals.pause.until(now).is_none() && signals.breaker.may_probe(now)
    }

    pub(crate) fn state(&self, now: Instant) -> HealthState {
        let signals = self.0.lock();
        match (signals.breaker.is_open(), signals.pause.until(now)) {
            (true, _) if signals.breaker.is_wrong_chain() => HealthState::WrongChain,
            (true, _) => HealthState::Excluded,
            (false, _) if signals.syncing.is_some() => HealthState::Syncing,
            (false, Some(until)) => HealthState::Paused(until),
            (false, None) if signals.breaker.is_suspect(now) => HealthState::Suspect,
            (false, None) => HealthState::Healthy,
        }
    }

    /// Returns true if it is tried after all others, and needs a successful request to come back.
    pub(crate) fn is_excluded(&self, now: Instant) -> bool {
        matches!(self.state(now), HealthState::Excluded | HealthState::Syncing | HealthState::WrongChain)
    }

    /// Returns true if it answered recently and is not excluded.
    pub(crate) fn is_promising(&self, now: Instant) -> bool {
        !self.is_excluded(now) && self.0.lock().window.metrics(now).has_answers()
    }

    /// Returns the end of its pause. Nothing should be sent to it before, whatever its state.
    pub(crate) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.0.lock().pause.until(now)
    }

    /// Returns how long to wait for a request before the next endpoint is tried; `None` until some were answered.
    pub(crate) fn attempt_timeout(&self) -> Option<Duration> {
        let reads = self.0.lock().window.last_metrics().reads?;
        Some(reads.p90.saturating_mul(ATTEMPT_TIMEOUT_FACTOR).clamp(ATTEMPT_TIMEOUT_MIN, ATTEMPT_TIMEOUT_MAX))
    }

    pub(crate) fn metrics(&self, now: Instant) -> Metrics {
        self.0.lock().window.metrics(now)
    }

    pub(crate) fn failures(&self) -> Failures {
        self.0.lock().failures
    }

    pub(crate) fn totals(&self) -> Totals {
        self.0.lock().totals
    }

    /// Returns when it last reported its newest block, and that block's time.
    pub(crate) fn head(&self) -> Option<(Instant, u64)> {
        self.0.lock().heads.last()
    }

    /// Returns the time since it last reported its newest block.
    pub(crate) fn head_age(&self, now: Instant) -> Option<Duration> {
        Some(now.saturating_duration_since(self.head()?.0))
    }

    /// Returns the time of the newest block that it had reported at this instant.
    pub(crate) fn head_at(&self, at: Instant) -> Option<u64> {
        self.0.lock().heads.at(at)
    }
}

impl Signals {
    fn record(&mut self, kind: RequestKind, now: Instant, took: Duration, result: Result<(), EndpointError>) {
        let started = now.checked_sub(took);
        let class = classify(took, result);
        self.totals.requests = self.totals.requests.saturating_add(1);
        self.window.push(now, took, class, kind);
        self.failures.record(now, class, result);
        match (class, result) {
            (ResultClass::Answered, _) => {
                if kind == RequestKind::Read {
                    self.answered = self.answered.max(started);
                    self.excused = 0;
                }
                self.pause.on_success(now, started);
                if self.breaker.on_success(now, started, kind == RequestKind::Read) {
                    // The probe shows the endpoint's present state; earlier errors have had their effect.
                    self.window.forget_errors();
                }
            }
            (ResultClass::Throttled, Err(EndpointError::Throttled(wait))) => {
                self.totals.throttled = self.totals.throttled.saturating_add(1);
                self.pause.on_throttled(now, started, wait);
            }
            (_, Err(EndpointError::WrongChain(_))) => {
                // The measurements are another node's.
                (self.window, self.heads, self.answered, self.syncing) = Default::default();
                self.breaker.on_wrong_chain(now);
            }
            (ResultClass::Error, _) => {
                self.totals.errors = self.totals.errors.saturating_add(1);
                self.breaker.on_error(now, started, self.window.mostly_errors());
            }
            _ => {}
        }
    }
}

impl Failures {
    fn record(&mut self, now: Instant, class: ResultClass, result: Result<(), EndpointError>) {
        match (class, result) {
            (ResultClass::Answered, _) => self.in_a_row = 0,
            (ResultClass::Error | ResultClass::Throttled, Err(error))
            | (ResultClass::Ignored, Err(error @ (EndpointError::WrongChain(_) | EndpointError::Syncing))) => {
                self.last = Some((now, error));
                self.in_a_row = self.in_a_row.saturating_add(1);
            }
            _ => {}
        }
    }
}

/// Classifies the result of a request by what it says about the endpoint.
fn classify(took: Duration, result: Result<(), EndpointError>) -> ResultClass {
    match result {
        Ok(()) => ResultClass::Answered,
        Err(EndpointError::Throttled(_)) => ResultClass::Throttled,
        Err(EndpointError::UnknownBlock) => ResultClass::Behind,
        Err(EndpointError::TooLarge | EndpointError::NoRoom | EndpointError::NoState) => ResultClass::Ignored,
        Err(EndpointError::WrongChain(_) | EndpointError::Syncing) => ResultClass::Ignored,
        Err(EndpointError::Timeout) if took < TIMEOUT_COUNTS_FROM => ResultClass::Ignored,
        Err(_) => ResultClass::Error,
    }
}

#[cfg(test)]
mod tests;
