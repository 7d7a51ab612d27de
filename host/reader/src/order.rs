//! Which endpoint of a network is asked first, and which next.
//!
//! Invariant: every endpoint has a place, so that the only one is asked though it failed. The first one keeps its place
//! until it is unsound or another has been better by a margin for a while.
//!
//! An endpoint's score is 1 less the sum of its flaws, each from 0 to 1 and times its weight in [`WEIGHTS`]. Latency
//! and lag are told against the peers; one that was never measured has the average of those that were.

use std::cmp::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::health::{Health, Measures, Standing, Took};
use crate::status::EndpointState;

type Flaw = fn(&Flaws) -> Option<f64>;

/// What each flaw costs at its worst.
const WEIGHTS: [(Flaw, f64); 5] = [
    // Each error is a wait for the next endpoint; a third of them is more than any speed makes up for.
    (|flaws| Some(flaws.errors), 0.6),
    // Refused at once, so it costs a round trip; the pause does the rest.
    (|flaws| Some(flaws.throttled), 0.3),
    // It is asked again up to twice before the next one is.
    (|flaws| Some(flaws.behind), 0.3),
    // A quarter for every doubling: four times as slow loses the place, twice as slow does not.
    (|flaws| flaws.latency, 0.4),
    // Answers are at the newest block or the one before: who is later than that cannot serve them.
    (|flaws| flaws.lag, 0.6),
];

/// Doublings of the best peer's latency that are the worst.
const LATENCY_DOUBLINGS: f64 = 4.0;
/// Added to both sides, for below that nobody notices which is faster.
const LATENCY_FLOOR_MS: f64 = 10.0;
/// The lag that is half of the worst: one block of Ethereum.
const LAG_HALF_S: f64 = 12.0;
/// What was told of heads before is not compared.
const HEAD_AGE_MAX: Duration = Duration::from_secs(60);

/// By how much one must be better than the first to take its place.
const MARGIN: f64 = 0.2;
/// By how much one that is configured before the first may be worse and takes its place back; less than [`MARGIN`], or
/// the two would take turns.
const MARGIN_OF_PREFERRED: f64 = -0.1;
/// And for how long. Longer than what a garbage collection or a new block takes.
const BETTER_FOR: Duration = Duration::from_secs(10);

/// The order of one network's endpoints.
#[derive(Debug, Default)]
pub(crate) struct Order(Mutex<Sticky>);

#[derive(Debug, Default)]
struct Sticky {
    first: Option<usize>,
    /// Who has been better since when.
    better: Option<(usize, Instant)>,
}

/// Where an endpoint stands, for operators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) state: EndpointState,
    pub(crate) score: f64,
    /// Seconds.
    pub(crate) lag_s: Option<u64>,
}

impl Order {
    /// Places in `endpoints` (which are in the configured order), each once, in the order in which to ask them: the
    /// sound ones, those that are paused by the end of their pause, those that are excluded.
    pub(crate) fn in_turn(&self, now: Instant, endpoints: &[&Health]) -> Vec<usize> {
        if let [_] = endpoints {
            return vec![0];
        }
        let ranked: Vec<Ranked> = rank(now, endpoints);
        let first = self.0.lock().choose(now, &ranked);
        let mut turn: Vec<usize> = (0..ranked.len()).collect();
        turn.sort_by(|one, other| match (ranked.get(*one), ranked.get(*other)) {
            (Some(a), Some(b)) => a.group(first == Some(*one)).cmp(&b.group(first == Some(*other))).then(a.by_score(b)),
            _ => Ordering::Equal,
        });
        turn
    }

    /// As [`Order::in_turn`] last left it; in the order of `endpoints`.
    pub(crate) fn placed(&self, now: Instant, endpoints: &[&Health]) -> Vec<Placed> {
        let ranked = rank(now, endpoints);
        let is_sound = |place: &usize| {
            ranked.get(*place).is_some_and(|ranked| matches!(ranked.standing, Standing::Sound | Standing::Shaken))
        };
        let first = self.0.lock().first.filter(is_sound).or_else(|| (0..ranked.len()).find(is_sound));
        let placed = |(place, (ranked, health)): (usize, (&Ranked, &&Health))| {
            let state = match ranked.standing {
                Standing::WrongChain => EndpointState::WrongChain,
                Standing::Excluded => EndpointState::Excluded,
                Standing::Paused(_) => EndpointState::Paused,
                Standing::Sound if health.totals().requests == 0 => EndpointState::Unknown,
                Standing::Sound | Standing::Shaken if first == Some(place) => EndpointState::Primary,
                Standing::Sound | Standing::Shaken => EndpointState::Standby,
            };
            Placed { state, score: ranked.score, lag_s: ranked.lag_s }
        };
        ranked.iter().zip(endpoints).enumerate().map(placed).collect()
    }
}

impl Sticky {
    /// Who is first now; `None` where nobody is sound.
    fn choose(&mut self, now: Instant, ranked: &[Ranked]) -> Option<usize> {
        let sound = || ranked.iter().enumerate().filter(|(_, one)| one.standing == Standing::Sound);
        let first = self.first.and_then(|place| sound().find(|(sound, _)| *sound == place));
        let Some((place, first)) = first else {
            // Of equals the one that is configured first.
            self.first = sound().min_by(|(_, a), (_, b)| a.by_score(b)).map(|(place, _)| place);
            self.better = None;
            return self.first;
        };
        let gain = |other: usize, ranked: &Ranked| {
            ranked.score - first.score - if other < place { MARGIN_OF_PREFERRED } else { MARGIN }
        };
        let better = sound().filter(|(other, ranked)| *other != place && gain(*other, ranked) >= 0.0);
        self.better =
            match (better.min_by(|(a, one), (b, other)| gain(*b, other).total_cmp(&gain(*a, one))), self.better) {
                (None, _) => None,
                (Some((best, _)), Some((same, since))) if best == same => Some((same, since)),
                (Some((best, _)), _) => Some((best, now)),
            };
        if let Some((best, since)) = self.better
            && now.saturating_duration_since(since) >= BETTER_FOR
        {
            *self = Self { first: Some(best), better: None };
        }
        self.first
    }
}

/// What is told of an endpoint, each from 0 (none) to 1; `None` where it was not measured.
#[derive(Clone, Copy, Debug)]
struct Flaws {
    errors: f64,
    throttled: f64,
    behind: f64,
    latency: Option<f64>,
    lag: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Ranked {
    standing: Standing,
    score: f64,
    lag_s: Option<u64>,
}

impl Ranked {
    fn group(&self, is_first: bool) -> (u8, Option<Instant>) {
        match self.standing {
            Standing::Sound if is_first => (0, None),
            Standing::Sound => (1, None),
            Standing::Shaken => (2, None),
            Standing::Paused(until) => (3, Some(until)),
            Standing::Excluded => (4, None),
            Standing::WrongChain => (5, None),
        }
    }

    /// The better one is less.
    fn by_score(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score)
    }
}

fn rank(now: Instant, endpoints: &[&Health]) -> Vec<Ranked> {
    let standings: Vec<Standing> = endpoints.iter().map(|health| health.standing(now)).collect();
    let lags: Vec<Option<u64>> = endpoints.iter().map(|health| lag_s(now, health, endpoints, &standings)).collect();
    let measures: Vec<Measures> = endpoints.iter().map(|health| health.measures(now)).collect();
    let reads = slower(&measures, &standings, |measures| measures.reads);
    let probes = slower(&measures, &standings, |measures| measures.probes);
    let flaws = measures.iter().zip(&lags).zip(reads.into_iter().zip(probes));
    let flaws: Vec<Flaws> = flaws
        .map(|((measures, lag), (reads, probes))| Flaws {
            errors: measures.errors,
            throttled: measures.throttled,
            behind: measures.behind,
            latency: average(reads.into_iter().chain(probes)),
            lag: lag.map(lag_flaw),
        })
        .collect();
    let scores = scores(&flaws);
    let all = standings.into_iter().zip(scores).zip(lags);
    all.map(|((standing, score), lag_s)| Ranked { standing, score, lag_s }).collect()
}

fn scores(flaws: &[Flaws]) -> Vec<f64> {
    let averages = WEIGHTS.map(|(flaw, _)| average(flaws.iter().filter_map(flaw)).unwrap_or(0.0));
    let cost = |flaws: &Flaws| -> f64 {
        WEIGHTS.iter().zip(averages).map(|((flaw, weight), average)| weight * flaw(flaws).unwrap_or(average)).sum()
    };
    flaws.iter().map(|flaws| 1.0 - cost(flaws)).collect()
}

/// How much slower each is than the best of the sound ones; none where there is no one to compare with.
fn slower(measures: &[Measures], standings: &[Standing], took: impl Fn(&Measures) -> Option<Took>) -> Vec<Option<f64>> {
    let ms = |took: Took| took.p50.as_secs_f64() * 1000.0 + LATENCY_FLOOR_MS;
    let measured = measures.iter().zip(standings).filter(|(_, standing)| **standing == Standing::Sound);
    let measured: Vec<f64> = measured.filter_map(|(measures, _)| took(measures).map(ms)).collect();
    let best = measured.iter().copied().min_by(f64::total_cmp).filter(|_| measured.len() > 1);
    let flaw = |own: f64, best: f64| ((own / best).log2() / LATENCY_DOUBLINGS).clamp(0.0, 1.0);
    measures.iter().map(|measures| Some(flaw(took(measures).map(ms)?, best?))).collect()
}

/// How far it was behind the newest block of its peers when it last told its own.
fn lag_s(now: Instant, health: &Health, endpoints: &[&Health], standings: &[Standing]) -> Option<u64> {
    let (at, own) = health.head().filter(|(at, _)| now.saturating_duration_since(*at) < HEAD_AGE_MAX)?;
    let sound = endpoints.iter().zip(standings).filter(|(_, standing)| **standing == Standing::Sound);
    let newest = sound.filter_map(|(peer, _)| peer.head_at(at)).max().unwrap_or(own);
    Some(newest.saturating_sub(own))
}

fn lag_flaw(lag_s: u64) -> f64 {
    let lag_s = u32::try_from(lag_s).map_or(f64::from(u32::MAX), f64::from);
    lag_s / (lag_s + LAG_HALF_S)
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests;
