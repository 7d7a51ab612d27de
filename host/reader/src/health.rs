//! The health of one endpoint: its latest requests, its circuit breaker, its throttle pause, and the heads that it
//! reported.
//!
//! Invariant: what is not the endpoint's failure (a revert, a block on its way, a request too large for it, a timeout
//! of a request that had hardly any time) never counts against it. Nothing here makes requests or reads a clock.

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
use crate::error::EndpointError;

/// A timeout of a request that had less time than this says nothing about the endpoint.
pub(crate) const TIMEOUT_COUNTS_FROM: Duration = Duration::from_millis(500);
/// A request that takes so many times as long as nine of ten others will hardly be answered any more.
const ATTEMPT_TIMEOUT_FACTOR: u32 = 8;
/// Not below [`TIMEOUT_COUNTS_FROM`], because an endpoint that is given up must be blamed for it.
const ATTEMPT_TIMEOUT_MIN: Duration = TIMEOUT_COUNTS_FROM;
/// So many reads in a row may take too long for their own sake; after that, an endpoint that answers only small calls is
/// blamed.
const EXCUSED_MAX: u32 = 8;
/// Longer than any answer waits.
const ATTEMPT_TIMEOUT_MAX: Duration = Duration::from_secs(30);

/// Whether requests should go to an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HealthState {
    Healthy,
    /// Its last request failed a moment ago: healthy peers come first.
    Suspect,
    /// It asked for fewer requests, and should get none until then.
    Paused(Instant),
    /// Until a probe of it succeeds.
    Excluded,
    /// It says that its node is still syncing.
    Syncing,
    WrongChain,
}

/// The purpose of a request, which decides what its end says about the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// Reads at a block.
    Read,
    /// A small request: a head, a chain id, the probe of an excluded endpoint. It can open and close the breaker, but
    /// an endpoint that answers these and fails all reads is not healthy.
    Probe,
    /// A request that many good endpoints reject: for a transaction, a receipt, or a simulation. As a probe, but how long
    /// it took is compared with nothing: replies differ in length, and hardly any endpoint but the first has such
    /// requests.
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
    /// When the last call that was answered had been sent.
    answered: Option<Instant>,
    /// Reads that took too long for their own sake, since one was answered.
    excused: u32,
    failures: Failures,
    /// When it was last asked whether it is still syncing, while it says so.
    syncing: Option<Instant>,
}

/// Failed requests, for operators.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failures {
    /// The last one.
    pub(crate) last: Option<(Instant, EndpointError)>,
    /// Since one was answered.
    pub(crate) in_a_row: u64,
}

impl Health {
    /// Records the end of a request; a call that reverted was answered. For a timeout, `took` is the time that the
    /// request had.
    pub(crate) fn record(&self, kind: RequestKind, now: Instant, took: Duration, result: Result<(), EndpointError>) {
        self.0.lock().record(kind, now, took, result);
    }

    /// Records that a small call was answered, which was sent at this instant.
    pub(crate) fn record_beside(&self, sent: Instant) {
        let answered = &mut self.0.lock().answered;
        *answered = (*answered).max(Some(sent));
    }

    /// Whether a call that was sent at this instant or later was answered.
    pub(crate) fn has_answered_since(&self, since: Instant) -> bool {
        self.0.lock().answered.is_some_and(|sent| sent >= since)
    }

    /// Whether a read that took too long, at an endpoint that answers other calls, is not held against it.
    pub(crate) fn excuse(&self) -> bool {
        let excused = &mut self.0.lock().excused;
        *excused = excused.saturating_add(1);
        *excused <= EXCUSED_MAX
    }

    /// Records the time of the block that the endpoint reported as its newest.
    pub(crate) fn record_head(&self, now: Instant, timestamp_s: u64) {
        self.0.lock().heads.record(now, timestamp_s);
    }

    /// Records whether it says that it is still syncing, and returns whether that is news.
    pub(crate) fn record_syncing(&self, now: Instant, is_syncing: bool) -> bool {
        let syncing = &mut self.0.lock().syncing;
        let was_syncing = syncing.is_some();
        *syncing = is_syncing.then_some(now);
        was_syncing != is_syncing
    }

    /// Whether it last said that it is still syncing.
    pub(crate) fn is_syncing(&self) -> bool {
        self.0.lock().syncing.is_some()
    }

    /// Whether it is time to ask again an endpoint that is still syncing. A caller that gets `true` has the turn.
    pub(crate) fn may_request_syncing(&self, now: Instant, after: Duration) -> bool {
        let mut signals = self.0.lock();
        let is_due = signals.syncing.is_some_and(|asked| now.saturating_duration_since(asked) >= after);
        if is_due {
            signals.syncing = Some(now);
        }
        is_due
    }

    /// Whether it is time to probe this excluded endpoint. A caller that gets `true` has the turn, and must record the
    /// end of its probe.
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

    /// Whether it is tried after all others, and needs a successful request to come back.
    pub(crate) fn is_excluded(&self, now: Instant) -> bool {
        matches!(self.state(now), HealthState::Excluded | HealthState::Syncing | HealthState::WrongChain)
    }

    /// Whether it answered lately, and is not excluded.
    pub(crate) fn is_promising(&self, now: Instant) -> bool {
        !self.is_excluded(now) && self.0.lock().window.metrics(now).has_answers()
    }

    /// The end of its pause, before which nothing should be sent to it whatever its state.
    pub(crate) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.0.lock().pause.until(now)
    }

    /// How long to wait for a request before the next endpoint is tried; `None` until some were answered.
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

    /// When it last reported its newest block, and that block's time.
    pub(crate) fn head(&self) -> Option<(Instant, u64)> {
        self.0.lock().heads.last()
    }

    /// How long ago it last reported its newest block.
    pub(crate) fn head_age(&self, now: Instant) -> Option<Duration> {
        Some(now.saturating_duration_since(self.head()?.0))
    }

    /// The time of the newest block that it had reported at this instant.
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
                    // The probe shows what the endpoint does now; the errors before it have had their effect.
                    self.window.forget_errors();
                }
            }
            (ResultClass::Throttled, Err(EndpointError::Throttled(wait))) => {
                self.totals.throttled = self.totals.throttled.saturating_add(1);
                self.pause.on_throttled(now, started, wait);
            }
            (_, Err(EndpointError::WrongChain(_))) => {
                // What was measured is another node's.
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

/// Decides what the end of a request says about the endpoint.
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
