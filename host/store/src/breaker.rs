//! A breaker: after some misses in a row the store is left alone, each time for longer, until it answers in time.
//!
//! Invariant: while it pauses, one request at the end of each pause finds out if the store is back.

use std::time::Duration;

use tokio::time::Instant;

/// Misses in a row that begin a pause.
const MISSES_MAX: u32 = 3;
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// So that a store that is back is used again within seconds.
const PAUSE_MAX: Duration = Duration::from_secs(4);

/// Counts misses in a row, and says when the store may be used.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    misses: u32,
    pause: Option<Pause>,
}

#[derive(Debug)]
struct Pause {
    until: Instant,
    length: Duration,
    /// True while the request that ends it is under way.
    is_tried: bool,
}

impl Breaker {
    /// Returns true if the store may be used. At the end of a pause that holds for one caller, whose result ends the
    /// pauses or begins a longer one.
    pub(crate) fn allows(&mut self, now: Instant) -> bool {
        let Some(pause) = &mut self.pause else { return true };
        let is_over = pause.until <= now;
        if is_over {
            // A caller that goes away without a result is followed by another one.
            *pause = Pause { until: now + pause.length, is_tried: true, ..*pause };
        }
        is_over
    }

    pub(crate) fn is_open(&self) -> bool {
        self.pause.is_some()
    }

    /// Notes the result of a request; returns true if a pause begins.
    pub(crate) fn note(&mut self, is_good: bool, now: Instant) -> bool {
        if is_good {
            *self = Self::default();
            return false;
        }
        self.misses = self.misses.saturating_add(1);
        let length = match &self.pause {
            None if self.misses < MISSES_MAX => return false,
            None => PAUSE_MIN,
            Some(pause) if pause.is_tried => (pause.length * 2).min(PAUSE_MAX),
            // It was under way when the pause began.
            Some(_) => return false,
        };
        self.pause = Some(Pause { until: now + length, length, is_tried: false });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_begin_after_three_misses_in_a_row_and_double_up_to_four_seconds() {
        let (mut breaker, mut now) = (Breaker::default(), Instant::now());
        for good in [false, false, true, false, false] {
            assert!(breaker.allows(now) && !breaker.note(good, now));
        }
        assert!(breaker.note(false, now) && breaker.is_open());
        for seconds in [1, 2, 4, 4] {
            let pause = Duration::from_secs(seconds);
            assert!(!breaker.allows(now + pause - Duration::from_millis(1)), "{seconds} s");
            now += pause;
            assert!(breaker.allows(now) && !breaker.allows(now), "one request ends a pause of {seconds} s");
            assert!(breaker.note(false, now));
        }
        now += PAUSE_MAX;
        assert!(breaker.allows(now) && !breaker.note(true, now));
        assert!(breaker.allows(now) && breaker.allows(now) && !breaker.is_open());
    }

    #[test]
    fn late_misses_do_not_make_a_pause_longer() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        let begun: Vec<bool> = (0..100).map(|_| breaker.note(false, now)).collect();
        assert_eq!(begun.iter().filter(|begun| **begun).count(), 1);
        assert!(breaker.allows(now + PAUSE_MIN));
    }
}
