//! `portolan serve --check`: reports what a start with this configuration would find, without serving.
//!
//! Invariant: no address is bound, and the state folder is not touched: another gateway may be running on it.

use std::fmt::Write as _;
use std::time::Duration;

use portolan_reader::EndpointState;

use crate::config::Config;
use crate::gateway::{Gateway, StartError};
use crate::lone_gateway::{LOAD_TIME, holds_within};

/// Time for endpoints to answer after the request for a block.
const PROBE_TIME: Duration = Duration::from_secs(10);

/// Reason why a check has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeCheckError {
    #[error("cannot start: {0}")]
    Start(#[from] StartError),
    #[error("no temporary folder: {0}")]
    Folder(std::io::Error),
    #[error("the plugins were not loaded in {LOAD_TIME:?}")]
    Late,
}

/// Runs the check; returns a line per plugin and endpoint, and true if all are sound.
pub(crate) async fn run(mut config: Config) -> Result<(String, bool), ServeCheckError> {
    let folder = tempfile::tempdir().map_err(ServeCheckError::Folder)?;
    config.gateway.state_dir = folder.path().join("state");
    config.gateway.facts.folder = config.gateway.state_dir.clone();
    let gateway = Gateway::start(&config.gateway).await?;
    let admin = gateway.admin();
    if !holds_within(LOAD_TIME, || admin.registry.first_scan_done()).await {
        return Err(ServeCheckError::Late);
    }
    gateway.probe_networks().await;
    let is_known = |state: EndpointState| state != EndpointState::Unknown;
    let endpoints = || admin.reader.status().into_iter().flat_map(|network| network.endpoints);
    holds_within(PROBE_TIME, || endpoints().all(|endpoint| is_known(endpoint.state))).await;
    let (mut text, mut is_sound) = (String::new(), true);
    for row in admin.registry.status() {
        is_sound &= row.state == "active" && row.reason.is_none();
        let name = if row.plugin.is_empty() { &row.file } else { &row.plugin };
        let reason = row.reason.map_or_else(String::new, |reason| format!(": {reason}"));
        // Writing into a String does not fail.
        let _ = writeln!(text, "plugin   {name} {} {}{reason}", row.version, row.state);
    }
    for network in admin.reader.status() {
        let slug = admin.networks.with_chain_id(network.chain_id).map_or_else(String::new, |one| one.slug.clone());
        for endpoint in network.endpoints {
            is_sound &= endpoint.state.is_used() && is_known(endpoint.state) && endpoint.errors == 0;
            let failure = endpoint.last_failure.map_or_else(String::new, |failure| format!(": {}", failure.reason));
            let state = serde_json::to_string(&endpoint.state).unwrap_or_default();
            let _ = writeln!(text, "endpoint {slug} {} {}{failure}", endpoint.host, state.trim_matches('"'));
        }
    }
    text.push_str(if is_sound { "all is sound\n" } else { "something is wrong\n" });
    Ok((text, is_sound))
}
