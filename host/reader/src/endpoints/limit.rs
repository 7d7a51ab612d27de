//! The limits of one endpoint: concurrent requests, and requests a second.
//!
//! Invariant: no caller waits here past the instant that it gives. The rate falls in proportion to the throttled
//! requests, if they are many, and rises again slowly, never above the configured one.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::cache::reply_cache;
use crate::wire::transport::REPLIES_MAX_BYTES;

/// Length of the period whose requests decide about the rate.
const PERIOD: Duration = Duration::from_secs(1);
/// Share of throttled requests, one in this many, that is tolerated: a lower rate would cost more than repeating
/// them.
const TOLERATED_PART: u32 = 5;
/// Maximum fall of the rate in a period, one part in this many.
const LOWERED_PART_MAX: u32 = 2;
/// Time between rises: by then a lowered rate has shown if it is low enough.
const RAISED_EVERY: Duration = Duration::from_secs(5);
/// Each rise is one part in this many of the configured rate: from the half to the whole in about two minutes.
const RAISED_PART: u32 = 50;
/// Lower bound of the learned rate. A limit below it, such as one per day, is not learned.
const PER_SECOND_MIN: u32 = 1;
/// The length of the burst, and the unit of the rate.
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// The configured limits of each endpoint, and of all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum concurrent requests; 0 counts as 1.
    pub in_flight_max: usize,
    /// Maximum requests a second, after a burst of as many; 0 means no limit.
    pub per_second_max: u32,
    /// Maximum bytes of replies from all endpoints that are held at once. A single reply of maximum length always has
    /// room.
    pub replies_max_bytes: usize,
    /// Maximum bytes of the replies that serve later answers.
    pub cached_replies_max_bytes: u64,
    /// Maximum bytes of what was read at the last blocks of all networks, which have equal shares.
    pub cached_blocks_max_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        // The largest batches of four concurrent answers (more would queue inside the node), and a rate that public
        // endpoints bear.
        Self {
            in_flight_max: 64,
            per_second_max: 500,
            replies_max_bytes: REPLIES_MAX_BYTES,
            cached_replies_max_bytes: reply_cache::MAX_BYTES,
            cached_blocks_max_bytes: u64::MAX,
        }
    }
}

/// Enforces the limits of one endpoint, and lowers its rate while the endpoint throttles.
#[derive(Debug)]
pub(crate) struct RequestLimiter {
    slots: Arc<Semaphore>,
    slots_max: usize,
    rate: Option<Mutex<TokenBucket>>,
}

/// Permission to send one request, while it lives.
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

    /// Waits for permission to send one request; `None` if there is none before `until`.
    pub(crate) async fn acquire(&self, until: Instant) -> Option<Permit> {
        let slot = timeout_at(until, Arc::clone(&self.slots).acquire_owned()).await.ok()?.ok()?;
        let now = Instant::now();
        let turn = self.rate().map_or(Some(now), |mut rate| rate.reserve(now, until)).filter(|turn| *turn <= until)?;
        // The timer's tick is a millisecond, so it is used only if there is something to wait for.
        if turn > now {
            sleep_until(turn).await;
        }
        Some(Permit { _slot: slot })
    }

    /// Counts a request that ended, throttled or not.
    pub(crate) fn on_end(&self, now: Instant, is_throttled: bool) {
        if let Some(mut rate) = self.rate() {
            rate.count(now, is_throttled);
        }
    }

    /// Returns the number of requests under way, including those that wait for their turn in the rate.
    pub(crate) fn in_flight(&self) -> usize {
        self.slots_max.saturating_sub(self.slots.available_permits())
    }

    /// Returns the present rate a second; `None` without a limit.
    pub(crate) fn per_second(&self) -> Option<u32> {
        self.rate().map(|rate| rate.per_second)
    }

    fn rate(&self) -> Option<MutexGuard<'_, TokenBucket>> {
        self.rate.as_ref().map(Mutex::lock)
    }
}

/// Returns when this many requests may be sent, and reserves that turn if it is not after `until`. The token bucket
/// holds one second's worth and is stored as the instant at which it is full again (generic cell rate algorithm).
/// More requests than that wait for it to be full.
pub(crate) fn reserve(
    full_at: &mut Instant,
    per_second: u32,
    requests: u32,
    now: Instant,
    until: Instant,
) -> Option<Instant> {
    let taken = SECOND / per_second * requests;
    let from = (*full_at).max(now);
    let turn = from.checked_sub(SECOND.saturating_sub(taken)).map_or(now, |turn| turn.max(now));
    if turn > until {
        return None;
    }
    *full_at = from + taken;
    Some(turn)
}

/// The rate of one endpoint.
#[derive(Debug)]
struct TokenBucket {
    max: u32,
    per_second: u32,
    full_at: Instant,
    changed_at: Instant,
    period: Period,
}

/// The requests that ended since the period began.
#[derive(Debug)]
struct Period {
    since: Instant,
    ended: u32,
    throttled: u32,
}

impl TokenBucket {
    fn new(max: u32, now: Instant) -> Self {
        let period = Period { since: now, ended: 0, throttled: 0 };
        Self { max, per_second: max, full_at: now, changed_at: now, period }
    }

    /// Returns when the next request may be sent, and reserves that turn if it is not after `until`.
    fn reserve(&mut self, now: Instant, until: Instant) -> Option<Instant> {
        self.raise(now);
        reserve(&mut self.full_at, self.per_second, 1, now, until)
    }

    /// Counts the end of a request. Lowers the rate after a period with many throttled ones.
    fn count(&mut self, now: Instant, is_throttled: bool) {
        if now.saturating_duration_since(self.period.since) >= PERIOD {
            self.lower(now);
            self.period = Period { since: now, ended: 0, throttled: 0 };
        }
        self.period.ended = self.period.ended.saturating_add(1);
        self.period.throttled = self.period.throttled.saturating_add(u32::from(is_throttled));
    }

    fn lower(&mut self, now: Instant) {
        let Period { ended, throttled, .. } = self.period;
        if throttled.saturating_mul(TOLERATED_PART) <= ended {
            return;
        }
        self.raise(now);
        let by = u64::from(self.per_second) * u64::from(throttled) / u64::from(ended.max(1));
        let by = u32::try_from(by).unwrap_or(u32::MAX).min(self.per_second.div_ceil(LOWERED_PART_MAX));
        self.per_second = self.per_second.saturating_sub(by).max(PER_SECOND_MIN);
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
        RequestLimiter::new(Limits { in_flight_max, per_second_max, ..Limits::default() })
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
        limit.on_end(Instant::now(), true);
        for _ in 0..10_000 {
            assert!(limit.acquire(Instant::now()).await.is_some());
        }
    }

    /// Ends a period of this many requests, some of them throttled; the next one begins with an answer.
    fn period(rate: &mut TokenBucket, at: Instant, throttled: u32, ended: u32) {
        for request in 0..ended {
            rate.count(at, request < throttled);
        }
        rate.count(at + PERIOD, false);
    }

    #[test]
    fn the_rate_falls_by_the_part_that_is_throttled_and_by_half_at_most() {
        for (throttled, ended, expected) in [
            (0, 100, 500),
            (10, 100, 500),
            (20, 100, 500),
            (21, 100, 395),
            (30, 100, 350),
            (50, 100, 250),
            (90, 100, 250),
            (1, 1, 250),
        ] {
            let start = Instant::now();
            let mut rate = TokenBucket::new(500, start);
            period(&mut rate, start, throttled, ended);
            assert_eq!(rate.per_second, expected, "{throttled} of {ended}");
        }
    }

    #[test]
    fn time_raises_a_lowered_rate_again() {
        let start = Instant::now();
        let mut rate = TokenBucket::new(500, start);
        period(&mut rate, start, 9, 10);
        // Seconds since it was lowered, requests per second.
        for (second, expected) in [(0, 250), (4, 250), (5, 260), (15, 280), (10_000, 500)] {
            rate.raise(start + PERIOD + SECOND * second);
            assert_eq!(rate.per_second, expected, "after {second} s");
        }
    }

    #[test]
    fn a_rate_never_falls_below_one_a_second() {
        let start = Instant::now();
        let mut rate = TokenBucket::new(5, start);
        for (second, expected) in [(1, 2), (2, 1), (3, 1), (4, 1)] {
            rate.count(start + SECOND * second, true);
            rate.lower(start + SECOND * second);
            assert_eq!(rate.per_second, expected, "second {second}");
        }
        rate.raise(start + SECOND * 9);
        assert_eq!(rate.per_second, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_largest_limits_overflow_nothing() {
        let limit = limit(usize::MAX, u32::MAX);
        assert!(limit.acquire(Instant::now()).await.is_some());
        limit.on_end(Instant::now(), true);
        advance(FAR).await;
        limit.on_end(Instant::now(), true);
        assert!(limit.acquire(Instant::now()).await.is_some());
    }
}
