//! Bodies of the operators' listener. Rows are serialized by the structs in which the figures are counted.

use std::borrow::Cow;

use portolan_assets::token_list::ListStatus;
use portolan_base::network::Network;
use portolan_base::sanitize::output;
use portolan_plugins::{IsolationStatus, PluginStatus};
use portolan_reader::NetworkStatus;
use serde::Serialize;

use super::report::BlockView;
use crate::history::{HistoryPoint, STEP};
use crate::monitor::Readiness;

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

#[derive(Serialize)]
struct ReadinessView<'a> {
    ready: bool,
    reasons: &'a [String],
    degraded: &'a [String],
    plugins: IsolationStatus,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EndpointsView<'a> {
    name: &'a str,
    slug: &'a str,
    chain_id: u64,
    /// The pinned block; `None` before the first answer.
    block: Option<BlockView>,
    #[serde(flatten)]
    status: Cow<'a, NetworkStatus>,
}

impl<'a> EndpointsView<'a> {
    fn of(network: &'a Network, status: Option<&'a NetworkStatus>) -> Self {
        let status = status.map_or_else(Cow::default, Cow::Borrowed);
        Self {
            name: &network.name,
            slug: &network.slug,
            chain_id: network.chain_id,
            block: status.pinned.as_ref().map(BlockView::of),
            status,
        }
    }
}

/// `/healthz`
pub(in crate::http) fn health() -> Result<Vec<u8>, serde_json::Error> {
    output::json(&Health { status: "ok" })
}

/// `/readyz`
pub(in crate::http) fn readiness(
    ready: bool,
    known: &Readiness,
    plugins: IsolationStatus,
) -> Result<Vec<u8>, serde_json::Error> {
    output::json(&ReadinessView { ready, reasons: &known.reasons, degraded: &known.degraded, plugins })
}

/// `/plugins`
pub(in crate::http) fn plugins(plugins: &[PluginStatus]) -> Result<Vec<u8>, serde_json::Error> {
    output::json(plugins)
}

/// `/networks`: each network with the status of its endpoints.
pub(in crate::http) fn networks<'a>(
    networks: impl Iterator<Item = &'a Network>,
    upstreams: &[NetworkStatus],
) -> Result<Vec<u8>, serde_json::Error> {
    let status = |chain_id| upstreams.iter().find(|status| status.chain_id == chain_id);
    let view = |network: &'a Network| EndpointsView::of(network, status(network.chain_id));
    output::json(&networks.map(view).collect::<Vec<_>>())
}

/// `/lists`: the token lists by precedence.
pub(in crate::http) fn lists(lists: &[ListStatus]) -> Result<Vec<u8>, serde_json::Error> {
    output::json(lists)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HistoryView<'a> {
    step_seconds: u64,
    points: &'a [HistoryPoint],
}

/// `/history`: the last hour, the oldest point first.
pub(in crate::http) fn history(points: &[HistoryPoint]) -> Result<Vec<u8>, serde_json::Error> {
    output::json(&HistoryView { step_seconds: STEP.as_secs(), points })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use alloy::primitives::B256;
    use portolan_assets::token_list::ListVersion;
    use portolan_base::network::Networks;
    use portolan_reader::{BatchMethod, Block, EndpointFailure, EndpointState, EndpointStatus, Quantiles};

    use super::*;

    fn shown(upstreams: &[NetworkStatus]) -> String {
        let networks = Networks::new([]);
        let two = [1, 137].map(|chain_id| networks.with_chain_id(chain_id).unwrap().as_ref());
        String::from_utf8(super::networks(two.into_iter(), upstreams).unwrap()).unwrap()
    }

    #[test]
    fn a_network_without_endpoints_has_an_empty_list() {
        let row = |name: &str, slug: &str, chain_id: u64| {
            format!(
                r#"{{"name":"{name}","slug":"{slug}","chainId":{chain_id},"block":null,"blockTimeMs":null,"endpoints":[]}}"#
            )
        };
        assert_eq!(shown(&[]), format!("[{},{}]", row("ETHEREUM", "ethereum", 1), row("POLYGON", "polygon", 137)));
    }

    #[test]
    fn an_endpoint_is_shown_with_its_place_and_its_figures() {
        let unknown = EndpointStatus {
            host: "two.example:8545".into(),
            state: EndpointState::Unknown,
            batch_method: None,
            score: 1.0,
            lag_s: None,
            latency_ms: None,
            requests: 0,
            errors: 0,
            throttled: 0,
            in_flight: 0,
            last_failure: None,
        };
        let primary = EndpointStatus {
            host: "one.example".into(),
            state: EndpointState::Primary,
            batch_method: Some(BatchMethod::Multicall3),
            score: 0.987_654,
            lag_s: Some(2),
            latency_ms: Some(Quantiles { p50: 12.0, p90: 50.25, p99: 99.999 }),
            requests: 1000,
            errors: 3,
            throttled: 1,
            in_flight: 2,
            last_failure: Some(EndpointFailure {
                reason: "no reply in time".into(),
                at: SystemTime::UNIX_EPOCH,
                in_a_row: 4,
            }),
        };
        let hash = B256::repeat_byte(7);
        let pinned = Block { number: 70, hash, parent: B256::ZERO, timestamp: 9, evm_number: 70 };
        let polygon = NetworkStatus {
            chain_id: 137,
            pinned: Some(pinned),
            block_time_ms: Some(2000),
            endpoints: vec![primary, unknown],
        };
        let expected = format!(
            "{{\"name\":\"POLYGON\",\"slug\":\"polygon\",\"chainId\":137,\
             \"block\":{{\"number\":70,\"hash\":\"{hash}\",\"timestamp\":9}},\"blockTimeMs\":2000,\"endpoints\":[\
             {{\"host\":\"one.example\",\"state\":\"primary\",\"rung\":\"multicall3\",\"score\":0.99,\"lagSeconds\":2,\
             \"latencyMs\":{{\"p50\":12.0,\"p90\":50.25,\"p99\":100.0}},\"requests\":1000,\"errors\":3,\
             \"throttled\":1,\"inFlight\":2,\
             \"lastFailure\":{{\"reason\":\"no reply in time\",\"at\":\"1970-01-01T00:00:00Z\",\"count\":4}}}},\
             {{\"host\":\"two.example:8545\",\"state\":\"unknown\",\"rung\":null,\"score\":1.0,\
             \"lagSeconds\":null,\"latencyMs\":null,\"requests\":0,\"errors\":0,\"throttled\":0,\"inFlight\":0,\"lastFailure\":null}}]}}]"
        );
        let body = shown(&[polygon]);
        assert!(body.ends_with(&expected), "{body}\n{expected}");
    }

    #[test]
    fn a_list_is_shown_with_its_version_and_age_or_with_what_is_wrong() {
        let confirmed_at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let good = ListStatus {
            number: 1,
            location: "./my.json".into(),
            version: Some(ListVersion::default()),
            tokens: 5000,
            confirmed_at: Some(confirmed_at),
            age_s: None,
            error: None,
        };
        let bad = ListStatus {
            number: 2,
            location: "tokens.example".into(),
            version: None,
            tokens: 0,
            confirmed_at: None,
            age_s: None,
            error: Some("status 500".into()),
        };
        let body = lists(&[good, bad].map(|list| list.at(confirmed_at + Duration::from_secs(61)))).unwrap();
        let expected = concat!(
            r#"[{"number":1,"place":"./my.json","version":"0.0.0","tokens":5000,"#,
            r#""confirmedAt":"2023-11-14T22:13:20Z","ageSeconds":61,"error":null},"#,
            r#"{"number":2,"place":"tokens.example","version":null,"tokens":0,"#,
            r#""confirmedAt":null,"ageSeconds":null,"error":"status 500"}]"#
        );
        assert_eq!(String::from_utf8(body).unwrap(), expected);
    }
}
