//! Durations of a network's last round trips, which determine how long a batch lingers for more reads.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;

/// Minimum linger: the time of the first call of a plugin whose code is not in memory yet.
pub(crate) const LINGER_MIN: Duration = Duration::from_millis(2);
/// Maximum linger; a slow plugin may not cost the others more.
pub(crate) const LINGER_MAX: Duration = Duration::from_millis(5);
/// Length of the sleeps that make up a linger.
pub(crate) const LINGER_STEP: Duration = Duration::from_millis(1);
/// Maximum number of lingers of a batch, which lingers again when another participant has come: less than a round
/// trip.
pub(crate) const LINGERS_MAX: u32 = 7;
/// A linger is as long again for each further so many participants that still run, which take turns on the processor:
/// more than an answer about one account has on a network.
pub(crate) const LINGER_PARTICIPANTS: usize = 64;
/// A batch may linger for one part in this many of a round trip.
const LINGER_PART: u32 = 8;
/// Number of round trips that the median covers.
const SAMPLES_MAX: usize = 31;

/// The last round trips of one network.
#[derive(Debug, Default)]
pub(crate) struct RoundTrips(Mutex<VecDeque<Duration>>);

impl RoundTrips {
    pub(crate) fn record(&self, time: Duration) {
        let mut times = self.0.lock();
        if times.len() == SAMPLES_MAX {
            times.pop_front();
        }
        times.push_back(time);
    }

    /// Returns an eighth of the median round trip, within its bounds.
    pub(crate) fn linger(&self) -> Duration {
        let mut times: Vec<Duration> = {
            let times = self.0.lock();
            times.iter().copied().collect()
        };
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        (median / LINGER_PART).clamp(LINGER_MIN, LINGER_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_lingers_for_an_eighth_of_the_median_round_trip_within_its_bounds() {
        let trips = RoundTrips::default();
        assert_eq!(trips.linger(), LINGER_MIN);
        [24, 900, 24].into_iter().for_each(|ms| trips.record(Duration::from_millis(ms)));
        assert_eq!(trips.linger(), Duration::from_millis(3));
        (0..40).for_each(|_| trips.record(Duration::from_secs(9)));
        assert_eq!(trips.linger(), LINGER_MAX);
    }
}
