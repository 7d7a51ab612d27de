//! The last hour in points, for the operators' page: what the metrics counted in each step.
//!
//! Invariant: the number of points is bounded. Counts are those of a step, and a figure that is not known is missing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metrics_exporter_prometheus::PrometheusHandle;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::time::{MissedTickBehavior, interval_at};

use crate::gateway::AdminHandles;
use crate::memory_used;
use crate::step_counts::{Counters, StepCounts};

/// Time of one point.
pub(crate) const STEP: Duration = Duration::from_secs(15);
/// An hour.
const POINTS_MAX: usize = 240;

/// The latest points.
#[derive(Debug, Default)]
pub(crate) struct History(Mutex<VecDeque<HistoryPoint>>);

/// What happened in one step. The serialized names are stable.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryPoint {
    /// The end of the step.
    pub(crate) at: u64,
    #[serde(flatten)]
    pub(crate) counted: StepCounts,
    pub(crate) in_flight: usize,
    pub(crate) memory_bytes: u64,
    pub(crate) node_requests: u64,
    pub(crate) node_errors: u64,
}

/// What is not a metric until it is scraped.
#[derive(Clone, Copy, Debug, Default)]
struct Sampled {
    at: u64,
    in_flight: usize,
    memory_bytes: u64,
    /// Since the start.
    node_requests: u64,
    node_errors: u64,
}

impl Sampled {
    fn of(admin: &AdminHandles) -> Self {
        let networks = admin.reader.status();
        let endpoints = || networks.iter().flat_map(|network| &network.endpoints);
        Self {
            at: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            in_flight: admin.in_flight().0,
            memory_bytes: memory_used::resident_bytes(),
            node_requests: endpoints().map(|endpoint| endpoint.requests).sum(),
            node_errors: endpoints().map(|endpoint| endpoint.errors).sum(),
        }
    }
}

impl History {
    /// Returns the points, the oldest first.
    pub(crate) fn points(&self) -> Vec<HistoryPoint> {
        self.0.lock().iter().cloned().collect()
    }

    fn push(&self, point: HistoryPoint) {
        let mut points = self.0.lock();
        if points.len() >= POINTS_MAX {
            points.pop_front();
        }
        points.push_back(point);
    }
}

/// Adds a point at the end of each step, for ever.
pub(crate) async fn record(history: Arc<History>, metrics: PrometheusHandle, admin: AdminHandles) {
    sample(&history, &metrics, || Sampled::of(&admin)).await;
}

async fn sample(history: &History, metrics: &PrometheusHandle, sampled: impl Fn() -> Sampled) {
    let mut steps = interval_at(tokio::time::Instant::now() + STEP, STEP);
    // After a pause of the machine, one point has all of it.
    steps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut counters, mut before) = (Counters::default(), Sampled::default());
    loop {
        steps.tick().await;
        let now = sampled();
        history.push(HistoryPoint {
            at: now.at,
            counted: counters.step(&metrics.render()),
            in_flight: now.in_flight,
            memory_bytes: now.memory_bytes,
            node_requests: now.node_requests.saturating_sub(before.node_requests),
            node_errors: now.node_errors.saturating_sub(before.node_errors),
        });
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use metrics::{counter, with_local_recorder};
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_step_adds_a_point_of_its_own_counts_and_the_oldest_of_an_hour_go() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let (history, steps) = (History::default(), Cell::new(0));
        // In step n, n requests are answered, and a node is asked twice for each.
        let sampled = || {
            let n: u64 = steps.get() + 1;
            steps.set(n);
            with_local_recorder(&recorder, || {
                counter!("portolan_http_requests_total", "listener" => "base", "status" => "200").increment(n);
            });
            Sampled { at: 1000 + 15 * n, in_flight: 3, memory_bytes: n, node_requests: n * (n + 1), node_errors: n }
        };
        let ended = timeout(STEP * 300 + STEP / 2, sample(&history, &recorder.handle(), sampled)).await;
        assert!(ended.is_err(), "it goes on");
        let points = history.points();
        assert_eq!(points.len(), 240);
        // Of 300 points, the last 240 are left.
        for (n, point) in (61..=300).zip(&points) {
            let shown = (point.at, point.counted.answers, point.in_flight, point.memory_bytes, point.node_requests);
            assert_eq!(shown, (1000 + 15 * n, n, 3, n, 2 * n));
            assert_eq!(point.node_errors, 1);
        }
    }
}
