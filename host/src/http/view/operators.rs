//! Bodies of the operators' listener.

use humantime::format_rfc3339_seconds;
use serde::Serialize;

use crate::network::Network;
use crate::registry::PluginStatus;

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

#[derive(Serialize)]
struct Readiness {
    ready: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Plugin<'a> {
    plugin: &'a str,
    file: &'a str,
    digest: &'a str,
    version: &'a str,
    api_rev: u32,
    state: &'static str,
    reason: Option<&'a str>,
    protocols: &'a [String],
    generation: u64,
    isolation: &'static str,
    /// RFC 3339, UTC.
    loaded_at: Option<String>,
}

impl<'a> Plugin<'a> {
    fn of(status: &'a PluginStatus) -> Self {
        Self {
            plugin: &status.plugin,
            file: &status.file,
            digest: &status.digest,
            version: &status.version,
            api_rev: status.api_rev,
            state: status.state,
            reason: status.reason.as_deref(),
            protocols: &status.protocols,
            generation: status.generation,
            isolation: status.isolation,
            loaded_at: status.loaded_at.map(|time| format_rfc3339_seconds(time).to_string()),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NetworkStatus<'a> {
    name: &'a str,
    slug: &'a str,
    chain_id: u64,
    /// Hosts alone: the URLs hold keys.
    endpoints: &'a [String],
}

/// `/healthz`
pub(in crate::http) fn health() -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Health { status: "ok" })
}

/// `/readyz`
pub(in crate::http) fn readiness(ready: bool) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Readiness { ready })
}

/// `/plugins`
pub(in crate::http) fn plugins(plugins: &[PluginStatus]) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&plugins.iter().map(Plugin::of).collect::<Vec<_>>())
}

/// `/networks`: each network with the hosts of its endpoints.
pub(in crate::http) fn networks<'a>(
    networks: impl Iterator<Item = (&'a Network, &'a [String])>,
) -> Result<Vec<u8>, serde_json::Error> {
    let view = |(network, endpoints): (&'a Network, &'a [String])| NetworkStatus {
        name: &network.name,
        slug: &network.slug,
        chain_id: network.chain_id,
        endpoints,
    };
    serde_json::to_vec(&networks.map(view).collect::<Vec<_>>())
}
