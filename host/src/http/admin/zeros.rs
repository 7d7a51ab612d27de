//! Counters before their first event: each whose labels are of known sets stands at zero.
//!
//! Prometheus' `increase` sees an event that raises a counter, and misses one that makes it. Invariant: the zeros are
//! written at each scrape, because a counter without an update is dropped after a while and would be made anew.

use std::collections::BTreeSet;

use metrics::{Label, counter};
use portolan_plugins::PluginStatus;

use super::metrics::{METRICS, Metric, MetricKind};
use crate::clients::Clients;
use crate::clients::usage::LimitReached;
use crate::gateway::AdminHandles;
use crate::paths::PATHS;

const LISTENERS: [&str; 3] = ["base", "claimables", "operators"];
/// Limits of connections.
const BOUNDS: [&str; 2] = ["per_client_max", "max"];
/// Where replies come from.
const PLACES: [&str; 2] = ["cache", "node"];
/// The one path of the claimables listener.
const AGGREGATE: &str = "aggregate";

/// Writes a zero into every counter whose labels have known values; a counter that is above zero stays as it is.
pub(super) fn write(admin: &AdminHandles, clients: &Clients) {
    let plugins = admin.registry.status().into_iter().map(|row| row.plugin).filter(|name| !name.is_empty());
    let networks = admin.reader.status().into_iter().filter_map(|status| {
        let network = admin.networks.with_chain_id(status.chain_id)?;
        Some(network.slug.clone())
    });
    let (plugins, networks): (BTreeSet<String>, BTreeSet<String>) = (plugins.collect(), networks.collect());
    write_all(|label| match label {
        "plugin" => plugins.clone(),
        "network" => networks.clone(),
        "route" => owned(PATHS.iter().map(|(_, endpoint)| endpoint.as_str()).chain([AGGREGATE])),
        "listener" => owned(LISTENERS),
        "bound" => owned(BOUNDS),
        "key" => clients.key_names().collect(),
        "limit" => owned(LimitReached::ALL.map(LimitReached::as_str)),
        "step" => owned(PluginStatus::REFUSAL_STEPS),
        "from" => owned(PLACES),
        _ => BTreeSet::new(),
    });
}

fn owned(words: impl IntoIterator<Item = &'static str>) -> BTreeSet<String> {
    words.into_iter().map(ToOwned::to_owned).collect()
}

/// `values` returns what a label may be; nothing if that is not known before the event.
fn write_all(values: impl Fn(&str) -> BTreeSet<String>) {
    for metric in METRICS.iter().filter(|metric| metric.kind == MetricKind::Counter) {
        for labels in combinations(metric, &values) {
            counter!(metric.name, labels).increment(0);
        }
    }
}

/// Returns all labels that a metric may have, in the order of its row; one empty list for a metric without labels.
fn combinations(metric: &Metric, values: impl Fn(&str) -> BTreeSet<String>) -> Vec<Vec<Label>> {
    metric.labels.iter().fold(vec![Vec::new()], |begun, label| {
        let values = values(label);
        let with = |labels: &Vec<Label>, value: &String| [&labels[..], &[Label::new(*label, value.clone())]].concat();
        begun.iter().flat_map(|labels| values.iter().map(move |value| with(labels, value))).collect()
    })
}

#[cfg(test)]
mod tests {
    use metrics::with_local_recorder;
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn a_counter_of_known_labels_is_zero_until_its_first_event_and_stays_what_it_became() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let known = |label: &str| match label {
            "listener" => owned(["base", "claimables"]),
            "bound" => owned(["max", "per_client_max"]),
            "plugin" => owned(["acme"]),
            _ => BTreeSet::new(),
        };
        with_local_recorder(&recorder, || {
            write_all(known);
            counter!("portolan_connections_refused_total", "listener" => "base", "bound" => "max").increment(3);
            write_all(known);
        });
        let text = recorder.handle().render();
        for row in [
            "portolan_answers_shed_total 0",
            "portolan_connections_refused_total{listener=\"base\",bound=\"max\"} 3",
            "portolan_connections_refused_total{listener=\"base\",bound=\"per_client_max\"} 0",
            "portolan_connections_refused_total{listener=\"claimables\",bound=\"max\"} 0",
            "portolan_connections_refused_total{listener=\"claimables\",bound=\"per_client_max\"} 0",
            "portolan_plugin_fallbacks_total{plugin=\"acme\"} 0",
        ] {
            assert!(text.contains(&format!("\n{row}\n")), "{row}\n{text}");
        }
        // Statuses, outcomes and endpoints are not known before.
        for metric in ["portolan_http_requests_total", "portolan_plugin_jobs_total", "portolan_endpoint_errors_total"] {
            assert!(!text.contains(metric), "{text}");
        }
    }
}
