//! The turns of one round over the endpoints: which is next, and how long it may take.
//!
//! Invariant: an endpoint that answers has as much time as it would have alone, less what others that answer may need
//! and a moment for unproven ones, which are not known to answer. Unproven ones never take more of its time.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::endpoints::endpoint::Endpoint;

/// Time of an endpoint that answered nothing recently while another did: enough for a connection and a few reads.
const UNPROVEN_MAX: Duration = Duration::from_secs(1);

/// The turn of one endpoint.
pub(super) struct Turn<'a> {
    pub(super) endpoint: &'a Arc<Endpoint>,
    /// True if it answered recently and is not excluded.
    pub(super) is_promising: bool,
    /// Promising endpoints that may still answer: those after it, and one for those before it, which have another
    /// round.
    others: u32,
    /// True if some endpoints are not known to answer.
    has_unproven: bool,
    /// Number of endpoints left in this round, including this one.
    left: u32,
    is_first_round: bool,
}

/// Makes the turns of a round, counted from 1, for endpoints in order.
pub(super) fn turns<'a>(ranked: &[&'a Arc<Endpoint>], round: u32) -> Vec<Turn<'a>> {
    let now = Instant::now();
    let promising: Vec<bool> = ranked.iter().map(|endpoint| endpoint.health.is_promising(now)).collect();
    let (mut left, mut after, mut before) = (count(ranked.len()), count(promising.iter().filter(|is| **is).count()), 0);
    let (has_unproven, is_first_round) = (promising.contains(&false), round == 1);
    let turn = |(endpoint, is_promising): (&&'a Arc<Endpoint>, &bool)| {
        after -= u32::from(*is_promising);
        let others = after + before;
        let turn = Turn { endpoint, is_promising: *is_promising, others, has_unproven, left, is_first_round };
        before = before.max(u32::from(*is_promising));
        left -= 1;
        turn
    };
    ranked.iter().zip(&promising).map(turn).collect()
}

impl Turn<'_> {
    /// Returns when to give up on the endpoint.
    pub(super) fn until(&self, deadline: Instant) -> Instant {
        let now = Instant::now();
        now + self.patience(deadline.saturating_duration_since(now), self.endpoint.health.attempt_timeout())
    }

    /// Returns how much of the remaining time this turn may take. `expected` is how long the endpoint takes at most,
    /// if that is known.
    fn patience(&self, time: Duration, expected: Option<Duration>) -> Duration {
        let expected = expected.unwrap_or(Duration::MAX);
        match (self.others, self.is_promising) {
            (0, true) if !self.has_unproven => time,
            (0, true) if self.is_first_round => (time - UNPROVEN_MAX.min(time / 4)).min(expected),
            (0, true) => time - UNPROVEN_MAX.min(time / 4),
            // No endpoint is known to answer.
            (0, false) if self.left > 1 => (time / self.left).min(expected),
            (0, false) => time,
            (others, true) if self.is_first_round => (time / (others + 1)).min(expected),
            // A request that nobody answered in the usual time takes longer.
            (_, true) => time - time / 4,
            (others, false) => (time / (others + 1)).min(expected).min(UNPROVEN_MAX),
        }
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::health::RequestKind;
    use crate::endpoints::limit::Limits;
    use crate::wire::transport::Pool;

    const SECOND: Duration = Duration::from_secs(1);

    fn endpoints(promising: &[bool]) -> Vec<Arc<Endpoint>> {
        let (url, pool) = ("http://127.0.0.1:1".parse::<crate::RpcUrl>().unwrap(), Pool::default());
        let endpoint = |is_promising: &bool| {
            let endpoint = Endpoint::new(1, url.clone(), &pool, Limits::default());
            if *is_promising {
                endpoint.health.record(RequestKind::Probe, Instant::now(), Duration::ZERO, Ok(()));
            }
            Arc::new(endpoint)
        };
        promising.iter().map(endpoint).collect()
    }

    /// Returns the seconds of each turn if all earlier turns take all of theirs.
    fn shares(promising: &[bool], round: u32, expected: Option<Duration>) -> Vec<f64> {
        let endpoints = endpoints(promising);
        let mut time = 12 * SECOND;
        let share = |turn: &Turn<'_>| {
            let share = turn.patience(time, expected);
            time -= share;
            share.as_secs_f64()
        };
        turns(&endpoints.iter().collect::<Vec<_>>(), round).iter().map(share).collect()
    }

    #[tokio::test]
    async fn one_that_answers_has_all_the_time_but_a_moment_where_no_other_does() {
        for (promising, expected) in [
            (&[true][..], &[12.0][..]),
            (&[false], &[12.0]),
            (&[true, false], &[11.0, 0.5]),
            (&[true, false, false], &[11.0, 0.5, 0.25]),
            (&[false, true], &[1.0, 10.0]),
            (&[false, false], &[6.0, 6.0]),
            (&[false, false, false], &[4.0, 4.0, 4.0]),
            (&[true, true], &[6.0, 3.0]),
            (&[true, true, false], &[6.0, 3.0, 1.0]),
        ] {
            assert_eq!(shares(promising, 1, None), expected, "{promising:?}");
        }
    }

    #[tokio::test]
    async fn one_is_left_sooner_than_it_ever_took_only_for_another() {
        for (promising, expected) in [
            (&[true][..], &[12.0][..]),
            (&[true, false], &[0.5, 0.5]),
            (&[true, true], &[0.5, 0.5]),
            (&[false, true], &[0.5, 0.5]),
            (&[false, false], &[0.5, 11.5]),
        ] {
            assert_eq!(shares(promising, 1, Some(SECOND / 2)), expected, "{promising:?}");
        }
    }

    #[tokio::test]
    async fn a_later_round_gives_most_of_the_time_to_the_first_that_answers() {
        assert_eq!(shares(&[true, true], 2, Some(SECOND / 2)), [9.0, 2.25]);
        assert_eq!(shares(&[true, false], 2, Some(SECOND / 2)), [11.0, 0.5]);
    }
}
