//! What the jobs of an instance came to: their number, how many failed, and how long the latest ones took.
//!
//! Invariant: memory is bounded, however many jobs there are.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;

/// Enough for the 99th percentile.
const LATEST_MAX: usize = 256;

/// The figures of one instance.
#[derive(Debug, Default)]
pub struct JobFigures(Mutex<Figures>);

#[derive(Debug, Default)]
struct Figures {
    count: u64,
    failed: u64,
    /// Milliseconds of the latest jobs that ran, the newest last.
    latest_ms: VecDeque<u64>,
}

/// The member `jobs` of a row of `/plugins`. The serialized names are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobFiguresStatus {
    count: u64,
    /// Jobs of which something is missing.
    failed: u64,
    /// How long the latest jobs that ran took; `None` before the first.
    latency_ms: Option<JobLatency>,
}

/// Quantiles by the nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct JobLatency {
    p50: u64,
    p99: u64,
}

impl JobFigures {
    /// Counts a job. One that did not run took no time.
    pub fn note(&self, took: Duration, failed: bool) {
        let mut figures = self.0.lock();
        figures.count += 1;
        figures.failed += u64::from(failed);
        if took.is_zero() {
            return;
        }
        if figures.latest_ms.len() >= LATEST_MAX {
            figures.latest_ms.pop_front();
        }
        figures.latest_ms.push_back(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    }

    pub(crate) fn status(&self) -> JobFiguresStatus {
        let figures = self.0.lock();
        let (count, failed, mut sorted_ms) = (figures.count, figures.failed, Vec::from(figures.latest_ms.clone()));
        drop(figures);
        sorted_ms.sort_unstable();
        let quantile =
            |percent: usize| sorted_ms.get((sorted_ms.len() * percent).div_ceil(100).checked_sub(1)?).copied();
        let latency = || Some(JobLatency { p50: quantile(50)?, p99: quantile(99)? });
        JobFiguresStatus { count, failed, latency_ms: latency() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(figures: &JobFigures) -> String {
        serde_json::to_string(&figures.status()).unwrap()
    }

    #[test]
    fn jobs_are_counted_and_the_latest_are_timed() {
        let figures = JobFigures::default();
        assert_eq!(shown(&figures), r#"{"count":0,"failed":0,"latencyMs":null}"#);
        figures.note(Duration::ZERO, true);
        assert_eq!(shown(&figures), r#"{"count":1,"failed":1,"latencyMs":null}"#, "it did not run");
        for ms in 1..=100 {
            figures.note(Duration::from_millis(ms), ms == 7);
        }
        // Of a hundred, the 50th and the 99th.
        assert_eq!(shown(&figures), r#"{"count":101,"failed":2,"latencyMs":{"p50":50,"p99":99}}"#);
    }

    #[test]
    fn only_the_latest_are_remembered() {
        let figures = JobFigures::default();
        (0..1_000).for_each(|_| figures.note(Duration::from_millis(900), false));
        (0..256).for_each(|_| figures.note(Duration::from_millis(3), false));
        assert_eq!(shown(&figures), r#"{"count":1256,"failed":0,"latencyMs":{"p50":3,"p99":3}}"#);
        assert_eq!(figures.0.lock().latest_ms.len(), LATEST_MAX);
    }
}
