//! The order in which the endpoints of a network are tried.
//!
//! Invariant: every endpoint has a rank, so that a single one is tried even if it failed. The primary keeps its rank
//! until it is unhealthy or another has been better by a margin for a while.
//!
//! An endpoint's score is 1 minus the weighted sum of its penalties, each from 0 to 1, by [`WEIGHTS`]. Latency and
//! lag are relative to the peers; an endpoint that was never measured gets the average of those that were.

use std::cmp::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::endpoints::health::{Health, HealthState, Latency, Metrics};
use crate::endpoints::status::EndpointState;

type Penalty = fn(&Penalties) -> Option<f64>;

/// Maximum loss of score by each penalty.
const WEIGHTS: [(Penalty, f64); 5] = [
    // Each error costs a wait for the next endpoint; no speed makes up for a third of errors.
    (|penalties| Some(penalties.errors), 0.6),
    // A throttled request is refused at once and costs a round trip; the pause does the rest.
    (|penalties| Some(penalties.throttled), 0.3),
    // A read at an unknown block is sent again up to twice before the next endpoint is tried.
    (|penalties| Some(penalties.behind), 0.3),
    // A quarter for every doubling: four times as slow loses the first rank, twice as slow does not.
    (|penalties| penalties.latency, 0.4),
    // Answers are at the newest block or the one before: an endpoint behind that cannot serve them.
    (|penalties| penalties.lag, 0.6),
];

/// Number of doublings of the best peer's latency that have the whole penalty.
const LATENCY_DOUBLINGS: f64 = 4.0;
/// Added to both sides, because below that a difference in speed does not matter.
const LATENCY_FLOOR_MS: f64 = 10.0;
/// Lag that has half of the penalty: one block of Ethereum.
const LAG_HALF_S: f64 = 12.0;
/// An endpoint this far behind its peers has stopped, or still catches up: others come first, however slow.
const LAG_MAX_S: u64 = 60;
/// Older reports of heads are not compared.
const HEAD_AGE_MAX: Duration = Duration::from_secs(60);

/// Minimum gain in score by which another endpoint replaces the primary.
const MARGIN: f64 = 0.2;
/// Minimum gain of an endpoint that is configured before the primary: it may even be a little worse. The sum with
/// [`MARGIN`] must be above zero, or the two would alternate.
const MARGIN_OF_PREFERRED: f64 = -0.1;
/// Time for which it must be better; longer than a garbage collection or a new block takes.
const BETTER_FOR: Duration = Duration::from_secs(10);

/// Ranks the endpoints of one network.
#[derive(Debug, Default)]
pub(crate) struct EndpointSelector(Mutex<StickyPrimary>);

/// The primary, which changes only after another endpoint has been better for a while.
#[derive(Debug, Default)]
struct StickyPrimary {
    primary: Option<usize>,
    /// The endpoint that is better, and since when.
    challenger: Option<(usize, Instant)>,
}

/// The rank of an endpoint, for operators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub(crate) state: EndpointState,
    pub(crate) score: f64,
    /// Seconds.
    pub(crate) lag_s: Option<u64>,
}

impl EndpointSelector {
    /// Returns the indices of `endpoints` (in the configured order), each once, in the order in which to try them:
    /// healthy, suspect, paused by the end of their pause, excluded, syncing, of a wrong chain. A healthy one whose
    /// head is old while its peers report new ones counts as suspect.
    pub(crate) fn ranked(&self, now: Instant, endpoints: &[&Health]) -> Vec<usize> {
        if let [_] = endpoints {
            return vec![0];
        }
        let candidates = candidates(now, endpoints);
        let primary = self.0.lock().choose(now, &candidates);
        let mut ranked: Vec<usize> = (0..candidates.len()).collect();
        ranked.sort_by(|one, other| match (candidates.get(*one), candidates.get(*other)) {
            (Some(a), Some(b)) => {
                a.tier(primary == Some(*one)).cmp(&b.tier(primary == Some(*other))).then(a.by_score(b))
            }
            _ => Ordering::Equal,
        });
        ranked
    }

    /// Returns the placements in the order of `endpoints`, with the primary that [`EndpointSelector::ranked`] chose
    /// last.
    pub(crate) fn placements(&self, now: Instant, endpoints: &[&Health]) -> Vec<Placement> {
        let candidates = candidates(now, endpoints);
        let is_usable = |place: &usize| {
            let candidate = candidates.get(*place);
            candidate.is_some_and(|candidate| matches!(candidate.state, HealthState::Healthy | HealthState::Suspect))
        };
        let primary = self.0.lock().primary.filter(is_usable).or_else(|| (0..candidates.len()).find(is_usable));
        let placement = |(place, (candidate, health)): (usize, (&Candidate, &&Health))| {
            let state = match candidate.state {
                HealthState::WrongChain => EndpointState::WrongChain,
                HealthState::Syncing => EndpointState::Syncing,
                HealthState::Excluded => EndpointState::Excluded,
                HealthState::Paused(_) => EndpointState::Paused,
                HealthState::Healthy if health.totals().requests == 0 => EndpointState::Unknown,
                HealthState::Healthy | HealthState::Suspect if primary == Some(place) => EndpointState::Primary,
                HealthState::Healthy | HealthState::Suspect => EndpointState::Standby,
            };
            Placement { state, score: candidate.score, lag_s: candidate.lag_s }
        };
        candidates.iter().zip(endpoints).enumerate().map(placement).collect()
    }
}

impl StickyPrimary {
    /// Returns the present primary; `None` if no endpoint is healthy.
    fn choose(&mut self, now: Instant, candidates: &[Candidate]) -> Option<usize> {
        let healthy = || candidates.iter().enumerate().filter(|(_, one)| one.state == HealthState::Healthy);
        let primary = self.primary.and_then(|place| healthy().find(|(healthy, _)| *healthy == place));
        let Some((place, primary)) = primary else {
            // Among equals, the one that is configured first.
            self.primary = healthy().min_by(|(_, a), (_, b)| a.by_score(b)).map(|(place, _)| place);
            self.challenger = None;
            return self.primary;
        };
        let gain = |other: usize, candidate: &Candidate| {
            candidate.score - primary.score - if other < place { MARGIN_OF_PREFERRED } else { MARGIN }
        };
        let better = healthy().filter(|(other, candidate)| *other != place && gain(*other, candidate) >= 0.0);
        let best = better.min_by(|(a, one), (b, other)| gain(*b, other).total_cmp(&gain(*a, one)));
        self.challenger = match (best, self.challenger) {
            (None, _) => None,
            (Some((best, _)), Some((same, since))) if best == same => Some((same, since)),
            (Some((best, _)), _) => Some((best, now)),
        };
        if let Some((best, since)) = self.challenger
            && now.saturating_duration_since(since) >= BETTER_FOR
        {
            *self = Self { primary: Some(best), challenger: None };
        }
        self.primary
    }
}

/// The penalties of an endpoint, each from 0 (none) to 1; `None` if it was not measured.
#[derive(Clone, Copy, Debug)]
struct Penalties {
    errors: f64,
    throttled: f64,
    behind: f64,
    latency: Option<f64>,
    lag: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    state: HealthState,
    score: f64,
    lag_s: Option<u64>,
}

impl Candidate {
    /// The first sort key; the lowest is tried first.
    fn tier(&self, is_primary: bool) -> (u8, Option<Instant>) {
        match self.state {
            HealthState::Healthy if is_primary => (0, None),
            HealthState::Healthy => (1, None),
            HealthState::Suspect => (2, None),
            HealthState::Paused(until) => (3, Some(until)),
            HealthState::Excluded => (4, None),
            HealthState::Syncing => (5, None),
            HealthState::WrongChain => (6, None),
        }
    }

    /// Orders the better one first.
    fn by_score(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score)
    }
}

fn candidates(now: Instant, endpoints: &[&Health]) -> Vec<Candidate> {
    let states: Vec<HealthState> = endpoints.iter().map(|health| health.state(now)).collect();
    let lags: Vec<Option<u64>> = endpoints.iter().map(|health| lag_s(now, health, endpoints, &states)).collect();
    let metrics: Vec<Metrics> = endpoints.iter().map(|health| health.metrics(now)).collect();
    let reads = latency_penalties(&metrics, &states, |metrics| metrics.reads);
    let probes = latency_penalties(&metrics, &states, |metrics| metrics.probes);
    let penalties = metrics.iter().zip(&lags).zip(reads.into_iter().zip(probes));
    let penalties: Vec<Penalties> = penalties
        .map(|((metrics, lag), (reads, probes))| Penalties {
            errors: metrics.errors,
            throttled: metrics.throttled,
            behind: metrics.behind,
            latency: average(reads.into_iter().chain(probes)),
            lag: lag.map(lag_penalty),
        })
        .collect();
    let is_old = |state: &HealthState, lag: &Option<u64>| {
        *state == HealthState::Healthy && lag.is_some_and(|lag_s| lag_s >= LAG_MAX_S)
    };
    let state = |(state, lag)| if is_old(&state, lag) { HealthState::Suspect } else { state };
    let states: Vec<HealthState> = states.into_iter().zip(&lags).map(state).collect();
    let all = states.into_iter().zip(scores(&penalties)).zip(lags);
    all.map(|((state, score), lag_s)| Candidate { state, score, lag_s }).collect()
}

fn scores(penalties: &[Penalties]) -> Vec<f64> {
    let averages = WEIGHTS.map(|(penalty, _)| average(penalties.iter().filter_map(penalty)).unwrap_or(0.0));
    let cost = |own: &Penalties| -> f64 {
        WEIGHTS.iter().zip(averages).map(|((penalty, weight), average)| weight * penalty(own).unwrap_or(average)).sum()
    };
    penalties.iter().map(|own| 1.0 - cost(own)).collect()
}

/// Compares each with the fastest healthy one; `None` if there is nothing to compare with.
fn latency_penalties(
    metrics: &[Metrics],
    states: &[HealthState],
    latency: impl Fn(&Metrics) -> Option<Latency>,
) -> Vec<Option<f64>> {
    let ms = |latency: Latency| latency.p50.as_secs_f64() * 1000.0 + LATENCY_FLOOR_MS;
    let measured = metrics.iter().zip(states).filter(|(_, state)| **state == HealthState::Healthy);
    let measured: Vec<f64> = measured.filter_map(|(metrics, _)| latency(metrics).map(ms)).collect();
    let best = measured.iter().copied().min_by(f64::total_cmp).filter(|_| measured.len() > 1);
    let penalty = |own: f64, best: f64| ((own / best).log2() / LATENCY_DOUBLINGS).clamp(0.0, 1.0);
    metrics.iter().map(|metrics| Some(penalty(latency(metrics).map(ms)?, best?))).collect()
}

/// Returns how far it was behind the newest block of its healthy peers when it last reported its own.
fn lag_s(now: Instant, health: &Health, endpoints: &[&Health], states: &[HealthState]) -> Option<u64> {
    let (at, own) = health.head().filter(|(at, _)| now.saturating_duration_since(*at) < HEAD_AGE_MAX)?;
    let healthy = endpoints.iter().zip(states).filter(|(_, state)| **state == HealthState::Healthy);
    let newest = healthy.filter_map(|(peer, _)| peer.head_at(at)).max().unwrap_or(own);
    Some(newest.saturating_sub(own))
}

fn lag_penalty(lag_s: u64) -> f64 {
    let lag_s = u32::try_from(lag_s).map_or(f64::from(u32::MAX), f64::from);
    lag_s / (lag_s + LAG_HALF_S)
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests;
