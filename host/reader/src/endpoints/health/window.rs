//! The latest requests to one endpoint, their results, and their metrics.
//!
//! Invariant: the window is bounded in number and age. The metrics are computed when a request ends, so that reading
//! them is free.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::RequestKind;

/// Maximum samples: enough for the 99th percentile, few enough to scan whenever a request ends.
const SAMPLES_MAX: usize = 256;
/// Maximum age of a sample: an older one says little about the present.
const AGE_MAX: Duration = Duration::from_secs(120);
/// Answered requests that every endpoint is credited with, so that one error of two does not decide.
const PRIOR: u32 = 4;
/// Number of requests from which a half of errors opens the breaker, however they are spread.
const MOSTLY_FROM: u32 = 10;

/// Meaning of a request's result for the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultClass {
    Answered,
    Error,
    Throttled,
    /// The endpoint did not know the block.
    Behind,
    /// The result says nothing about the endpoint.
    Ignored,
}

/// Quantiles of the time that answered requests took, by the nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Latency {
    pub(crate) p50: Duration,
    pub(crate) p90: Duration,
    pub(crate) p99: Duration,
}

/// Metrics of the requests in the window; all shares are from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Metrics {
    pub(crate) errors: f64,
    pub(crate) throttled: f64,
    pub(crate) behind: f64,
    pub(crate) reads: Option<Latency>,
    /// The latency of small requests, which all endpoints get alike.
    pub(crate) probes: Option<Latency>,
}

impl Metrics {
    /// Returns true if any read or probe was answered.
    pub(super) fn has_answers(&self) -> bool {
        self.reads.is_some() || self.probes.is_some()
    }
}

#[derive(Debug, Default)]
pub(super) struct RequestWindow {
    samples: VecDeque<Sample>,
    metrics: Metrics,
    mostly_errors: bool,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    /// Microseconds, saturating at more than an hour.
    took_us: u32,
    class: ResultClass,
    kind: RequestKind,
}

impl RequestWindow {
    pub(super) fn push(&mut self, at: Instant, took: Duration, class: ResultClass, kind: RequestKind) {
        let took_us = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.samples.push_back(Sample { at, took_us, class, kind });
        let is_old = |sample: &Sample| at.saturating_duration_since(sample.at) >= AGE_MAX;
        while self.samples.len() > SAMPLES_MAX || self.samples.front().is_some_and(is_old) {
            self.samples.pop_front();
        }
        self.update_metrics();
    }

    /// Forgets errors and throttling, but not the times of answered requests.
    pub(super) fn forget_errors(&mut self) {
        self.samples.retain(|sample| sample.class == ResultClass::Answered);
        self.update_metrics();
    }

    /// Returns the metrics; all zero if no request ended recently.
    pub(super) fn metrics(&self, now: Instant) -> Metrics {
        let newest = self.samples.back().filter(|sample| now.saturating_duration_since(sample.at) < AGE_MAX);
        newest.map_or_else(Metrics::default, |_| self.metrics)
    }

    /// Returns the metrics as of the end of the last request.
    pub(super) fn last_metrics(&self) -> Metrics {
        self.metrics
    }

    pub(super) fn mostly_errors(&self) -> bool {
        self.mostly_errors
    }

    fn update_metrics(&mut self) {
        let (mut reads, mut probes) = (Vec::with_capacity(self.samples.len()), Vec::new());
        let (mut counted, mut errors, mut throttled, mut behind) = (0_u32, 0_u32, 0_u32, 0_u32);
        for Sample { class, kind, took_us, .. } in &self.samples {
            match (kind, class) {
                (RequestKind::Probe, ResultClass::Answered) => probes.push(*took_us),
                (RequestKind::Probe | RequestKind::Optional, _) | (_, ResultClass::Ignored) => continue,
                (RequestKind::Read, ResultClass::Answered) => reads.push(*took_us),
                (RequestKind::Read, ResultClass::Error) => errors += 1,
                (RequestKind::Read, ResultClass::Throttled) => throttled += 1,
                (RequestKind::Read, ResultClass::Behind) => behind += 1,
            }
            counted += u32::from(*kind == RequestKind::Read);
        }
        let share = |part: u32| f64::from(part) / f64::from(counted + PRIOR);
        self.mostly_errors = counted >= MOSTLY_FROM && errors * 2 >= counted;
        self.metrics = Metrics {
            errors: share(errors),
            throttled: share(throttled),
            behind: share(behind),
            reads: latency(&mut reads),
            probes: latency(&mut probes),
        };
    }
}

fn latency(unsorted_us: &mut [u32]) -> Option<Latency> {
    let count = unsorted_us.len();
    let rank = |percent: usize| (count * percent).div_ceil(100).checked_sub(1);
    let (p50, p90, p99) = (rank(50)?, rank(90)?, rank(99)?);
    // From the highest down, so that each search covers only the values below the one before.
    let mut quantile = |at: usize, below: usize| {
        let (_, found, _) = unsorted_us.get_mut(..below)?.select_nth_unstable(at);
        Some(Duration::from_micros(u64::from(*found)))
    };
    let high = quantile(p99, count)?;
    let middle = quantile(p90, p99 + 1)?;
    Some(Latency { p50: quantile(p50, p90 + 1)?, p90: middle, p99: high })
}
