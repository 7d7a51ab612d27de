//! How one endpoint has been doing: its window of requests, its breaker, its pause, the blocks that it told.
//!
//! Invariant: what is no fault of the endpoint (a revert, a block on its way, a request too large for it, a time-out
//! of one that had hardly any time) never counts against it. It asks nothing itself and reads no clock.

mod breaker;
mod heads;
mod pause;
mod window;

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use self::breaker::Breaker;
use self::heads::Heads;
use self::pause::Pause;
use self::window::{End, Window};
pub(crate) use self::window::{Measures, Took};
use crate::error::EndpointError;

/// A request that had less time than that says nothing by being late.
pub(crate) const BLAMED_FROM: Duration = Duration::from_millis(500);
/// One that takes so many times as long as nine of ten others will hardly come any more.
const PATIENCE: u32 = 8;
/// Not below [`BLAMED_FROM`], for an endpoint that is left out of impatience must be blamed for it.
const PATIENCE_MIN: Duration = BLAMED_FROM;
/// Longer than any answer waits.
const PATIENCE_MAX: Duration = Duration::from_secs(30);

/// Whether an endpoint should be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Sound,
    /// Its last request failed a moment ago: the others are asked first.
    Shaken,
    /// It asked for fewer requests, and should get none until then.
    Paused(Instant),
    /// Until a probe of it succeeds.
    Excluded,
    WrongChain,
}

/// Requests since the process started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) requests: u64,
    pub(crate) errors: u64,
    pub(crate) throttled: u64,
}

/// One endpoint's. Shared by all who ask it.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    window: Window,
    breaker: Breaker,
    pause: Pause,
    heads: Heads,
    totals: Totals,
}

impl Health {
    /// The end of a request for reads; a call that reverted was answered. `took` of a time-out is the time it had.
    pub(crate) fn note(&self, now: Instant, took: Duration, result: Result<(), EndpointError>) {
        self.0.lock().note(now, took, result, Of::Reads);
    }

    /// The end of a small request: a head, a chain id, the probe of an excluded endpoint. It can open and close the
    /// breaker, but one that answers these and fails all reads is not sound.
    pub(crate) fn note_probe(&self, now: Instant, took: Duration, result: Result<(), EndpointError>) {
        self.0.lock().note(now, took, result, Of::Probe);
    }

    /// The end of a request for a transaction. As [`Health::note_probe`], but how long it took is compared with nothing:
    /// receipts differ in length, and hardly any but the first endpoint is asked for them.
    pub(crate) fn note_receipt(&self, now: Instant, took: Duration, result: Result<(), EndpointError>) {
        self.0.lock().note(now, took, result, Of::Receipt);
    }

    /// It told a block of this time as its newest.
    pub(crate) fn saw_head(&self, now: Instant, timestamp_s: u64) {
        self.0.lock().heads.saw(now, timestamp_s);
    }

    /// Whether it is time to probe this excluded endpoint. Who gets `true` has the turn, and notes the probe's end.
    pub(crate) fn may_probe(&self, now: Instant) -> bool {
        let mut state = self.0.lock();
        state.pause.until(now).is_none() && state.breaker.may_probe(now)
    }

    pub(crate) fn standing(&self, now: Instant) -> Standing {
        let state = self.0.lock();
        match (state.breaker.is_open(), state.pause.until(now)) {
            (true, _) if state.breaker.is_wrong_chain() => Standing::WrongChain,
            (true, _) => Standing::Excluded,
            (false, Some(until)) => Standing::Paused(until),
            (false, None) if state.breaker.is_shaken(now) => Standing::Shaken,
            (false, None) => Standing::Sound,
        }
    }

    /// Whether it is asked after all others, and needs a probe or an answer to come back.
    pub(crate) fn is_excluded(&self, now: Instant) -> bool {
        matches!(self.standing(now), Standing::Excluded | Standing::WrongChain)
    }

    /// Nothing should be sent to it before that, whatever its standing.
    pub(crate) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.0.lock().pause.until(now)
    }

    /// How long to wait for a request before the next endpoint is tried as well; `None` until some were answered.
    pub(crate) fn patience(&self) -> Option<Duration> {
        let reads = self.0.lock().window.last_measures().reads?;
        Some(reads.p90.saturating_mul(PATIENCE).clamp(PATIENCE_MIN, PATIENCE_MAX))
    }

    pub(crate) fn measures(&self, now: Instant) -> Measures {
        self.0.lock().window.measures(now)
    }

    pub(crate) fn totals(&self) -> Totals {
        self.0.lock().totals
    }

    /// When it last told its newest block, and that block's time.
    pub(crate) fn head(&self) -> Option<(Instant, u64)> {
        self.0.lock().heads.last()
    }

    /// How long ago that was.
    pub(crate) fn head_age(&self, now: Instant) -> Option<Duration> {
        Some(now.saturating_duration_since(self.head()?.0))
    }

    /// The time of the newest block that it had told at this instant.
    pub(crate) fn head_at(&self, at: Instant) -> Option<u64> {
        self.0.lock().heads.at(at)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Reads,
    Probe,
    Receipt,
}

impl State {
    fn note(&mut self, now: Instant, took: Duration, result: Result<(), EndpointError>, of: Of) {
        let started = now.checked_sub(took);
        let end = end(took, result);
        self.totals.requests = self.totals.requests.saturating_add(1);
        self.window.push(now, took, end, of);
        match (end, result) {
            (End::Answered, _) => {
                self.pause.answered(started);
                if self.breaker.answered(now, started, of == Of::Reads) {
                    // The probe stands for what it would do now; what it did before has been paid for.
                    self.window.forget_errors();
                }
            }
            (End::Throttled, Err(EndpointError::Throttled(wait))) => {
                self.totals.throttled = self.totals.throttled.saturating_add(1);
                self.pause.throttled(now, started, wait);
            }
            (_, Err(EndpointError::WrongChain(_))) => self.breaker.wrong_chain(now),
            (End::Error, _) => {
                self.totals.errors = self.totals.errors.saturating_add(1);
                self.breaker.failed(now, started, self.window.mostly_errors());
            }
            _ => {}
        }
    }
}

/// What a request's end says about the endpoint.
fn end(took: Duration, result: Result<(), EndpointError>) -> End {
    match result {
        Ok(()) => End::Answered,
        Err(EndpointError::Throttled(_)) => End::Throttled,
        Err(EndpointError::UnknownBlock) => End::Behind,
        Err(EndpointError::TooLarge | EndpointError::WrongChain(_)) => End::Excused,
        Err(EndpointError::Timeout) if took < BLAMED_FROM => End::Excused,
        Err(_) => End::Error,
    }
}

#[cfg(test)]
mod tests;
