//! Metrics for Prometheus: events are counted where they happen, states are sampled at each scrape.
//!
//! Invariant: labels are names of plugins, protocols, networks, endpoints and routes, and words of fixed sets; none
//! comes from a client.

#[cfg(feature = "without-figures")]
use std::env;
use std::fs;
#[cfg(feature = "without-figures")]
use std::sync::LazyLock;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metrics::{counter, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use metrics_util::MetricKindMask;
use portolan_plugins::PluginStatus;
use portolan_store::SharedStoreStatus;
use rustix::time::{ClockId, clock_gettime};
use tokio::time::sleep;

use super::metrics::{METRICS, Metric};
use super::zeros;
use crate::clients::Clients;
use crate::gateway::AdminHandles;
use crate::memory_used;

/// Histogram buckets in seconds, from cached answers to those that no client waits for.
const BUCKETS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0];
const SUM_UP_EVERY: Duration = Duration::from_secs(5);
/// Metrics without an update for this long are dropped, as those of removed plugins or endpoints.
const IDLE: Duration = Duration::from_secs(3600);

/// Returns the metrics of the process; the first call starts counting.
pub(crate) fn handle() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(install).clone()
}

/// Returns true if metrics are counted, as in every gateway except one of the benchmarks.
pub(crate) fn are_counted() -> bool {
    #[cfg(feature = "without-figures")]
    {
        static ARE_COUNTED: LazyLock<bool> = LazyLock::new(|| env::var_os("BENCH_WITHOUT_FIGURES").is_none());
        *ARE_COUNTED
    }
    #[cfg(not(feature = "without-figures"))]
    true
}

/// Sums up recorded durations periodically; without scrapes, each would stay in memory.
pub(crate) async fn keep_small(metrics: PrometheusHandle) {
    loop {
        sleep(SUM_UP_EVERY).await;
        metrics.run_upkeep();
    }
}

fn recorder() -> PrometheusRecorder {
    let suffix = Matcher::Suffix("_seconds".to_owned());
    let builder = PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(IDLE));
    // Only an empty list of buckets is refused.
    let builder = builder.set_buckets_for_metric(suffix, &BUCKETS).unwrap_or_else(|_| PrometheusBuilder::new());
    builder.build_recorder()
}

fn install() -> PrometheusHandle {
    let recorder = recorder();
    let handle = recorder.handle();
    if !are_counted() {
        return handle;
    }
    if metrics::set_global_recorder(recorder).is_err() {
        tracing::error!("another recorder counts the metrics of this process");
    }
    METRICS.iter().for_each(Metric::describe);
    sample_process();
    handle
}

/// Samples the current state.
pub(crate) fn sample(admin: &AdminHandles, clients: &Clients) {
    let (in_flight, max) = admin.in_flight();
    gauge!("portolan_answers_in_flight").set(float(in_flight));
    gauge!("portolan_answers_in_flight_max").set(float(max));
    let readiness = admin.monitor.readiness();
    gauge!("portolan_ready").set(float(usize::from(readiness.reasons.is_empty())));
    gauge!("portolan_degraded").set(float(readiness.degraded.len()));
    gauge!("portolan_memory_limit_bytes").set(wide(admin.memory.limit_bytes()));
    admin.registry.status().iter().for_each(|plugin| sample_plugin(admin, plugin));
    sample_networks(admin);
    if let Some(store) = &admin.shared_store {
        sample_store(&store.status());
    }
    sample_process();
    zeros::write(admin, clients);
}

fn sample_store(status: &SharedStoreStatus) {
    gauge!("portolan_store_up").set(float(usize::from(status.connected && !status.paused)));
    for (outcome, count) in [("hit", status.hits), ("miss", status.misses), ("refused", status.refused)] {
        counter!("portolan_store_lookups_total", "outcome" => outcome).absolute(count);
    }
    counter!("portolan_store_late_total").absolute(status.late);
    counter!("portolan_store_written_total").absolute(status.written);
    counter!("portolan_store_dropped_total").absolute(status.dropped);
}

/// Samples the standard process metrics, under their usual names.
fn sample_process() {
    static BEGAN: OnceLock<SystemTime> = OnceLock::new();
    let began = BEGAN.get_or_init(SystemTime::now).duration_since(UNIX_EPOCH).unwrap_or_default();
    gauge!("process_start_time_seconds").set(began.as_secs_f64());
    gauge!("portolan_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let cpu = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    gauge!("process_cpu_seconds_total").set(cpu.as_secs_f64());
    gauge!("process_resident_memory_bytes").set(wide(memory_used::resident_bytes()));
    // One of them is the open folder itself.
    let files = fs::read_dir("/proc/self/fd").map_or(0, |files| files.count().saturating_sub(1));
    gauge!("process_open_fds").set(float(files));
}

fn sample_plugin(admin: &AdminHandles, row: &PluginStatus) {
    let name = if row.plugin.is_empty() { &row.file } else { &row.plugin };
    for state in PluginStatus::STATES {
        let has = float(usize::from(row.state == state));
        let state = gauge!("portolan_plugin_state", "plugin" => name.clone(), "version" => row.version.clone(), "state" => state);
        state.set(has);
    }
    for breaker in &row.breakers {
        let network = admin.networks.with_chain_id(breaker.chain_id);
        let network = network.map_or_else(|| breaker.chain_id.to_string(), |network| network.slug.clone());
        let open = gauge!("portolan_plugin_breaker_open", "plugin" => name.clone(), "network" => network);
        open.set(float(usize::from(breaker.is_open())));
    }
}

fn sample_networks(admin: &AdminHandles) {
    for status in admin.reader.status() {
        let Some(network) = admin.networks.with_chain_id(status.chain_id) else { continue };
        let network = &network.slug;
        if let Some(block) = &status.pinned {
            gauge!("portolan_network_block", "network" => network.clone()).set(wide(block.number));
            gauge!("portolan_network_block_timestamp_seconds", "network" => network.clone()).set(wide(block.timestamp));
        }
        for endpoint in &status.endpoints {
            let labels = [("network", network.clone()), ("endpoint", endpoint.host.clone())];
            counter!("portolan_endpoint_requests_total", &labels).absolute(endpoint.requests);
            counter!("portolan_endpoint_errors_total", &labels).absolute(endpoint.errors);
            counter!("portolan_endpoint_throttled_total", &labels).absolute(endpoint.throttled);
            gauge!("portolan_endpoint_in_flight", &labels).set(float(endpoint.in_flight));
            gauge!("portolan_endpoint_up", &labels).set(float(usize::from(endpoint.state.is_used())));
            if let Some(lag) = endpoint.lag_s {
                gauge!("portolan_endpoint_lag_seconds", &labels).set(wide(lag));
            }
        }
    }
}

fn float(number: usize) -> f64 {
    wide(number as u64)
}

#[expect(clippy::cast_precision_loss, reason = "figures for people; blocks and times are far below 2^53")]
fn wide(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use metrics::{histogram, with_local_recorder};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_timed_is_summed_up_again_and_again_though_nobody_reads_it() {
        let recorder = recorder();
        let handle = recorder.handle();
        let time = || with_local_recorder(&recorder, || (0..1_000).for_each(|_| histogram!("a_seconds").record(0.25)));
        // Rendering would sum it up too.
        let is = |sum: &str| format!("{handle:?}").contains(sum);
        let keeping = tokio::spawn(keep_small(handle.clone()));
        for sum in ["sum: 250.0", "sum: 500.0"] {
            time();
            sleep(Duration::from_secs(3)).await;
            assert!(!is(sum), "{handle:?}");
            sleep(Duration::from_secs(3)).await;
            assert!(is(sum), "{handle:?}");
        }
        keeping.abort();
    }
}
