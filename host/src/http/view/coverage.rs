//! Rows of `/protocols/coverage`.

use serde::Serialize;

use crate::gateway::answer::CoverageRow;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CoverageView<'a> {
    /// Slug.
    protocol: &'a str,
    /// Slug.
    network: &'a str,
    chain_id: u64,
    question: &'static str,
    plugin: PluginView<'a>,
    /// Number of deployments that answer it.
    markets: usize,
}

#[derive(Serialize)]
struct PluginView<'a> {
    name: &'a str,
    version: &'a str,
}

impl<'a> CoverageView<'a> {
    pub(super) fn of(row: &'a CoverageRow) -> Self {
        let (name, version) = row.plugin.split_once('@').unwrap_or((&row.plugin, ""));
        Self {
            protocol: &row.protocol.slug,
            network: &row.network.slug,
            chain_id: row.network.chain_id,
            question: row.question.name(),
            plugin: PluginView { name, version },
            markets: row.markets,
        }
    }
}
