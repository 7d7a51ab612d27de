//! The last requests to one endpoint and how they ended, and the measures of them.
//!
//! Invariant: bounded in number and age. The measures are made when a request ends, so that reading them is free.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::Of;

/// Enough for a 99th of a hundred, little enough to look through whenever a request ends.
const ENDS_MAX: usize = 256;
/// What an endpoint did before says little of what it does now.
const AGE_MAX: Duration = Duration::from_secs(120);
/// Answered requests that every endpoint is thought to have had, so that one fault of two is no rule.
const PRIOR: u32 = 4;
/// From so many on, a half of errors opens the breaker, however they lie among the answered.
const MOSTLY_FROM: u32 = 10;

/// What the end of a request says about the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Answered,
    Error,
    Throttled,
    /// It did not know the block.
    Behind,
    /// Nothing.
    Excused,
}

/// Quantiles of the time that answered requests took, by the nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Took {
    pub(crate) p50: Duration,
    pub(crate) p90: Duration,
    pub(crate) p99: Duration,
}

/// Of the requests in the window; all shares are from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measures {
    pub(crate) errors: f64,
    pub(crate) throttled: f64,
    pub(crate) behind: f64,
    pub(crate) reads: Option<Took>,
    /// Of small requests, which all endpoints get alike.
    pub(crate) probes: Option<Took>,
}

#[derive(Debug, Default)]
pub(super) struct Window {
    ends: VecDeque<Entry>,
    measures: Measures,
    mostly_errors: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Instant,
    /// Microseconds; an hour and more are alike.
    took_us: u32,
    end: End,
    of: Of,
}

impl Window {
    pub(super) fn push(&mut self, at: Instant, took: Duration, end: End, of: Of) {
        let took_us = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.ends.push_back(Entry { at, took_us, end, of });
        let is_old = |entry: &Entry| at.saturating_duration_since(entry.at) >= AGE_MAX;
        while self.ends.len() > ENDS_MAX || self.ends.front().is_some_and(is_old) {
            self.ends.pop_front();
        }
        self.measure();
    }

    /// Errors and throttling, not how long the answered took.
    pub(super) fn forget_errors(&mut self) {
        self.ends.retain(|entry| entry.end == End::Answered);
        self.measure();
    }

    /// None of them where nothing ended lately.
    pub(super) fn measures(&self, now: Instant) -> Measures {
        let newest = self.ends.back().filter(|entry| now.saturating_duration_since(entry.at) < AGE_MAX);
        newest.map_or_else(Measures::default, |_| self.measures)
    }

    /// As they were when the last request ended.
    pub(super) fn last_measures(&self) -> Measures {
        self.measures
    }

    pub(super) fn mostly_errors(&self) -> bool {
        self.mostly_errors
    }

    fn measure(&mut self) {
        let (mut reads, mut probes) = (Vec::with_capacity(self.ends.len()), Vec::new());
        let (mut counted, mut errors, mut throttled, mut behind) = (0_u32, 0_u32, 0_u32, 0_u32);
        for Entry { end, of, took_us, .. } in &self.ends {
            match (of, end) {
                (Of::Probe, End::Answered) => probes.push(*took_us),
                (Of::Probe | Of::Receipt, _) | (_, End::Excused) => continue,
                (Of::Reads, End::Answered) => reads.push(*took_us),
                (Of::Reads, End::Error) => errors += 1,
                (Of::Reads, End::Throttled) => throttled += 1,
                (Of::Reads, End::Behind) => behind += 1,
            }
            counted += u32::from(*of == Of::Reads);
        }
        let share = |part: u32| f64::from(part) / f64::from(counted + PRIOR);
        self.mostly_errors = counted >= MOSTLY_FROM && errors * 2 >= counted;
        self.measures = Measures {
            errors: share(errors),
            throttled: share(throttled),
            behind: share(behind),
            reads: took(&mut reads),
            probes: took(&mut probes),
        };
    }
}

fn took(unsorted_us: &mut [u32]) -> Option<Took> {
    let count = unsorted_us.len();
    let rank = |percent: usize| (count * percent).div_ceil(100).checked_sub(1);
    let (p50, p90, p99) = (rank(50)?, rank(90)?, rank(99)?);
    // From the highest down, so that each looks only at what lies below the one before.
    let mut quantile = |at: usize, below: usize| {
        let (_, found, _) = unsorted_us.get_mut(..below)?.select_nth_unstable(at);
        Some(Duration::from_micros(u64::from(*found)))
    };
    let high = quantile(p99, count)?;
    let middle = quantile(p90, p99 + 1)?;
    Some(Took { p50: quantile(p50, p90 + 1)?, p90: middle, p99: high })
}
