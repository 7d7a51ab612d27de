//! The metrics, in words.
//!
//! Invariant: every metric that the gateway counts has one row here, from which its description for a scraper and its
//! row of the reference are made.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// A metric.
#[derive(Debug)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: MetricKind,
    /// The unit in words; empty for counts.
    pub(crate) unit: &'static str,
    pub(crate) labels: &'static [&'static str],
    /// What it counts or measures.
    pub(crate) meaning: &'static str,
}

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

impl MetricKind {
    #[cfg(test)]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

impl Metric {
    /// Describes the metric to the recorder.
    pub(super) fn describe(&self) {
        let unit = match self.unit {
            "s" | "Unix s" => Unit::Seconds,
            "bytes" => Unit::Bytes,
            _ => Unit::Count,
        };
        match self.kind {
            MetricKind::Counter => describe_counter!(self.name, unit, self.meaning),
            MetricKind::Gauge => describe_gauge!(self.name, unit, self.meaning),
            MetricKind::Histogram => describe_histogram!(self.name, unit, self.meaning),
        }
    }
}

/// All metrics.
pub(crate) static METRICS: [Metric; 47] = [
    counter("portolan_http_requests_total", "", &["listener", "route", "status"], "requests"),
    histogram("portolan_http_request_seconds", "s", &["listener", "route"], "from a request's head to its answer"),
    counter("portolan_answers_partial_total", "", &["route"], "answers of which something is missing"),
    counter("portolan_answers_shed_total", "", &[], "answers refused because too many were under way"),
    gauge("portolan_answers_in_flight", "", &[], "answers under way"),
    gauge("portolan_answers_in_flight_max", "", &[], "the most answers that may be under way"),
    gauge("portolan_connections", "", &["listener"], "open connections"),
    counter(
        "portolan_connections_refused_total",
        "",
        &["listener", "bound"],
        "connections that found all slots busy; `bound` is `per_client_max` or `max`",
    ),
    counter(
        "portolan_connections_displaced_total",
        "",
        &["listener"],
        "connections closed because others needed their place",
    ),
    counter("portolan_client_requests_total", "", &["key"], "requests by the name of their API key, or `none`"),
    counter(
        "portolan_client_refusals_total",
        "",
        &["key", "limit"],
        "requests of clients at their limits; `key` is its name or `none`, `limit` is `requests`, `answers`, `reads` or `watches`",
    ),
    gauge("portolan_watches", "", &[], "portfolios that are watched"),
    counter(
        "portolan_watch_jobs_total",
        "",
        &["outcome"],
        "jobs of watched portfolios at new blocks; `outcome` is `run`, or `skipped` if no log says that anything changed",
    ),
    gauge("portolan_client_keys", "", &[], "API keys in force"),
    gauge("portolan_client_keys_file_broken", "", &[], "1 if the file of API keys cannot be read, and older keys stay"),
    gauge("portolan_ready", "", &[], "1 if `/readyz` has no reason"),
    gauge("portolan_degraded", "", &[], "number of sentences in `degraded`"),
    gauge("portolan_build_info", "", &["version"], "always 1"),
    gauge("portolan_memory_limit_bytes", "bytes", &[], "what the process may use"),
    gauge("process_resident_memory_bytes", "bytes", &[], "what it has in memory"),
    gauge("process_cpu_seconds_total", "s", &[], "processor time that it took"),
    gauge("process_open_fds", "", &[], "open files"),
    gauge("process_start_time_seconds", "Unix s", &[], "when it began"),
    counter(
        "portolan_plugin_jobs_total",
        "",
        &["plugin", "network", "outcome"],
        "jobs; `outcome` is `ok` or the reason for what is missing",
    ),
    histogram("portolan_plugin_job_seconds", "s", &["plugin"], "jobs from start to end, reads included"),
    histogram("portolan_plugin_call_seconds", "s", &["plugin"], "calls into a plugin, without reads"),
    counter("portolan_plugin_batches_total", "", &["plugin"], "batches of reads of jobs"),
    counter("portolan_plugin_reads_total", "", &["plugin"], "reads of jobs, cached or not"),
    counter("portolan_plugin_loads_total", "", &["plugin"], "builds and settings that came in force"),
    counter(
        "portolan_plugin_rejections_total",
        "",
        &["step"],
        "files and settings that were refused; `step` is `load`, `settings`, `slug`, `signature`, `quarantine`, `disabled` or `pin`",
    ),
    counter("portolan_plugin_fallbacks_total", "", &["plugin"], "last known good builds served instead"),
    gauge(
        "portolan_plugin_state",
        "",
        &["plugin", "version", "state"],
        "1 for each state that a plugin has a build in",
    ),
    gauge("portolan_plugin_breaker_open", "", &["plugin", "network"], "1 where jobs of a plugin pause"),
    counter("portolan_endpoint_requests_total", "", &["network", "endpoint"], "requests that have ended"),
    counter(
        "portolan_endpoint_errors_total",
        "",
        &["network", "endpoint"],
        "requests that ended in an error of the endpoint",
    ),
    counter(
        "portolan_endpoint_throttled_total",
        "",
        &["network", "endpoint"],
        "requests refused because they were too many",
    ),
    gauge("portolan_endpoint_in_flight", "", &["network", "endpoint"], "requests under way"),
    gauge("portolan_endpoint_up", "", &["network", "endpoint"], "0 if it is excluded, syncing or of another chain"),
    gauge(
        "portolan_endpoint_lag_seconds",
        "s",
        &["network", "endpoint"],
        "how far its newest block is behind its peers'",
    ),
    gauge("portolan_network_block", "", &["network"], "the block that answers are at"),
    gauge("portolan_network_block_timestamp_seconds", "Unix s", &["network"], "the time of that block"),
    counter(
        "portolan_replies_total",
        "",
        &["network", "from"],
        "replies to reads of jobs; `from` is `cache` or `node`",
    ),
    gauge("portolan_store_up", "", &[], "1 if the shared store is connected and answers in time"),
    counter(
        "portolan_store_lookups_total",
        "",
        &["outcome"],
        "keys looked up in the shared store; `outcome` is `hit`, `miss` or `refused`",
    ),
    counter(
        "portolan_store_late_total",
        "",
        &[],
        "look-ups that the shared store did not answer within `store.wait_ms`",
    ),
    counter("portolan_store_written_total", "", &[], "entries written to the shared store"),
    counter("portolan_store_dropped_total", "", &[], "entries that the shared store did not take"),
];

const fn counter(
    name: &'static str,
    unit: &'static str,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> Metric {
    Metric { name, kind: MetricKind::Counter, unit, labels, meaning }
}

const fn gauge(
    name: &'static str,
    unit: &'static str,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> Metric {
    Metric { name, kind: MetricKind::Gauge, unit, labels, meaning }
}

const fn histogram(
    name: &'static str,
    unit: &'static str,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> Metric {
    Metric { name, kind: MetricKind::Histogram, unit, labels, meaning }
}
