//! The limits of one endpoint: how many requests it gets at the same time, and in a second.
//!
//! Invariant: no caller waits here past the instant that it gives. The rate is halved when the endpoint throttles and
//! rises again slowly, never above the configured one.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout_at};

/// The rate is halved once for all requests that are throttled together.
const HALVED_EVERY: Duration = Duration::from_secs(1);
/// By then a halved rate has shown whether it is low enough.
const RAISED_EVERY: Duration = Duration::from_secs(5);
/// Each rise is this part of the configured rate: from the half to the whole in about two minutes.
const RAISED_PART: u32 = 50;
/// A limit below this, such as one per day, is not learned here.
const PER_SECOND_MIN: u32 = 1;
/// The length of the burst, and the unit of the rate.
const SECOND: Duration = Duration::from_secs(1);

/// The configured limits of each endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests at the same time; 0 counts as 1.
    pub in_flight_max: usize,
    /// Requests in a second, after a burst of as many; 0 is no limit.
    pub per_second_max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        // The largest batches of four answers at once, as more would queue inside of the node; and a rate that public
        // endpoints bear.
        Self { in_flight_max: 64, per_second_max: 500 }
    }
}

/// Enforces the limits of one endpoint, and lowers its rate while the endpoint throttles.
#[derive(Debug)]
pub(crate) struct RequestLimiter {
    slots: Arc<Semaphore>,
    slots_max: usize,
    rate: Option<Mutex<TokenBucket>>,
}

/// A request may be sent while this lives.
#[derive(Debug)]
pub(crate) struct Permit {
    _slot: OwnedSemaphorePermit,
}

impl RequestLimiter {
    pub(crate) fn new(limits: Limits) -> Self {
        let slots_max = limits.in_flight_max.clamp(1, Semaphore::MAX_PERMITS);
        let rate =
            (limits.per_second_max > 0).then(|| Mutex::new(TokenBucket::new(limits.per_second_max, Instant::now())));
        Self { slots: Arc::new(Semaphore::new(slots_max)), slots_max, rate }
    }

    /// Waits for the right to send one request; `None` where there is none before `until`.
    pub(crate) async fn acquire(&self, until: Instant) -> Option<Permit> {
        let slot = timeout_at(until, Arc::clone(&self.slots).acquire_owned()).await.ok()?.ok()?;
        let now = Instant::now();
        let turn = self.rate().map_or(Some(now), |mut rate| rate.reserve(now, until)).filter(|turn| *turn <= until)?;
        // The timer's tick is a millisecond, so it is used only where there is something to wait for.
        if turn > now {
            sleep_until(turn).await;
        }
        Some(Permit { _slot: slot })
    }

    /// Lowers the rate, because the endpoint asked for fewer requests.
    pub(crate) fn on_throttled(&self, now: Instant) {
        if let Some(mut rate) = self.rate() {
            rate.halve(now);
        }
    }

    /// The number of requests under way, those that wait for their turn in the rate included.
    pub(crate) fn in_flight(&self) -> usize {
        self.slots_max.saturating_sub(self.slots.available_permits())
    }

    fn rate(&self) -> Option<MutexGuard<'_, TokenBucket>> {
        self.rate.as_ref().map(Mutex::lock)
    }
}

/// A token bucket of one second's worth, kept as the instant at which it is full again (the generic cell rate
/// algorithm).
#[derive(Debug)]
struct TokenBucket {
    max: u32,
    per_second: u32,
    full_at: Instant,
    changed_at: Instant,
    halved_at: Option<Instant>,
}

impl TokenBucket {
    fn new(max: u32, now: Instant) -> Self {
        Self { max, per_second: max, full_at: now, changed_at: now, halved_at: None }
    }

    /// Returns when the next request may be sent, and reserves that turn if it is not after `until`.
    fn reserve(&mut self, now: Instant, until: Instant) -> Option<Instant> {
        self.raise(now);
        let each = SECOND / self.per_second;
        let full_at = self.full_at.max(now);
        let turn = full_at.checked_sub(SECOND.saturating_sub(each)).map_or(now, |turn| turn.max(now));
        if turn > until {
            return None;
        }
        self.full_at = full_at + each;
        Some(turn)
    }

    fn halve(&mut self, now: Instant) {
        if self.halved_at.is_some_and(|at| now.saturating_duration_since(at) < HALVED_EVERY) {
            return;
        }
        self.raise(now);
        self.per_second = (self.per_second / 2).max(PER_SECOND_MIN);
        self.halved_at = Some(now);
        self.changed_at = now;
    }

    /// Applies the rises since the rate last changed.
    fn raise(&mut self, now: Instant) {
        let rises = now.saturating_duration_since(self.changed_at).as_secs() / RAISED_EVERY.as_secs();
        if rises == 0 {
            return;
        }
        let step = (self.max / RAISED_PART).max(1);
        let by = u32::try_from(rises).unwrap_or(u32::MAX).saturating_mul(step);
        self.per_second = self.per_second.saturating_add(by).min(self.max);
        self.changed_at = now;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const FAR: Duration = Duration::from_secs(3600);

    fn limit(in_flight_max: usize, per_second_max: u32) -> RequestLimiter {
        RequestLimiter::new(Limits { in_flight_max, per_second_max })
    }

    /// Counts the requests that are sent within `time` if as many as possible are wanted.
    async fn sent(limit: &RequestLimiter, time: Duration) -> u32 {
        let until = Instant::now() + time;
        let mut sent = 0;
        while limit.acquire(until).await.is_some() {
            sent += 1;
        }
        sleep_until(until).await;
        sent
    }

    #[tokio::test(start_paused = true)]
    async fn the_bucket_gives_a_second_at_once_and_then_its_rate() {
        for (per_second, seconds, expected) in [(10, 0, 10), (10, 3, 40), (1, 5, 6), (500, 2, 1500), (3, 1, 6)] {
            let limit = limit(1, per_second);
            assert_eq!(sent(&limit, Duration::from_secs(seconds)).await, expected, "{per_second} for {seconds} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_bucket_that_rested_holds_one_second_and_no_more() {
        let limit = limit(1, 10);
        advance(FAR).await;
        assert_eq!(sent(&limit, Duration::ZERO).await, 10);
        advance(Duration::from_millis(500)).await;
        assert_eq!(sent(&limit, Duration::ZERO).await, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn no_caller_waits_past_its_instant_and_a_refusal_takes_nothing() {
        let limit = limit(2, 1);
        let start = Instant::now();
        assert!(limit.acquire(start).await.is_some());
        for _ in 0..100 {
            assert!(limit.acquire(start + Duration::from_millis(999)).await.is_none());
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
        assert!(limit.acquire(start + SECOND).await.is_some());
        assert_eq!(start.elapsed(), SECOND);
        assert!(limit.acquire(start).await.is_none(), "an instant that is over");
    }

    #[tokio::test(start_paused = true)]
    async fn as_many_are_in_flight_as_the_limit_says() {
        let limit = limit(2, 0);
        let start = Instant::now();
        let first = limit.acquire(start).await.unwrap();
        let second = limit.acquire(start).await.unwrap();
        assert_eq!(limit.in_flight(), 2);
        assert!(limit.acquire(start + SECOND).await.is_none());
        assert_eq!(start.elapsed(), SECOND);
        drop(first);
        assert_eq!(limit.in_flight(), 1);
        assert!(limit.acquire(start + 2 * SECOND).await.is_some());
        drop(second);
        assert_eq!(limit.in_flight(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_gives_up_waiting_frees_its_slot() {
        let limit = limit(1, 1);
        let start = Instant::now();
        assert!(limit.acquire(start).await.is_some());
        let given_up = tokio::time::timeout(Duration::from_millis(10), limit.acquire(start + SECOND)).await;
        assert!(given_up.is_err());
        assert_eq!(limit.in_flight(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_only_the_slots_count() {
        let limit = limit(1, 0);
        limit.on_throttled(Instant::now());
        for _ in 0..10_000 {
            assert!(limit.acquire(Instant::now()).await.is_some());
        }
    }

    #[test]
    fn throttling_halves_the_rate_once_a_second_and_time_raises_it_again() {
        let start = Instant::now();
        let mut rate = TokenBucket::new(500, start);
        // Milliseconds, whether it throttled then, requests per second afterwards.
        for (at_ms, throttled, expected) in [
            (0, true, 250),
            (999, true, 250),
            (1000, true, 125),
            (2000, true, 62),
            (6999, false, 62),
            (7000, false, 72),
            (17_000, false, 92),
            (10_000_000, false, 500),
        ] {
            let now = start + Duration::from_millis(at_ms);
            if throttled {
                rate.halve(now);
            } else {
                rate.raise(now);
            }
            assert_eq!(rate.per_second, expected, "at {at_ms} ms");
        }
    }

    #[test]
    fn a_rate_never_falls_below_one_a_second() {
        let start = Instant::now();
        let mut rate = TokenBucket::new(5, start);
        for (second, expected) in [(1, 2), (2, 1), (3, 1), (4, 1)] {
            rate.halve(start + SECOND * second);
            assert_eq!(rate.per_second, expected, "second {second}");
        }
        rate.raise(start + SECOND * 9);
        assert_eq!(rate.per_second, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_largest_limits_overflow_nothing() {
        let limit = limit(usize::MAX, u32::MAX);
        assert!(limit.acquire(Instant::now()).await.is_some());
        limit.on_throttled(Instant::now());
        advance(FAR).await;
        assert!(limit.acquire(Instant::now()).await.is_some());
    }
}
