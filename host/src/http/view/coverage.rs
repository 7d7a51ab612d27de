//! Rows of `/protocols/coverage`.

use portolan_abi::Question;
use schemars::JsonSchema;
use serde::Serialize;

use super::schema::Word;
use crate::gateway::answer::CoverageRow;

/// A question that a protocol answers on a network.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CoverageRow")]
pub(super) struct CoverageView<'a> {
    /// Slug of the protocol.
    protocol: &'a str,
    /// Slug of the network.
    network: &'a str,
    /// Chain id of the network.
    chain_id: u64,
    /// What is answered.
    #[schemars(with = "Word<Question>")]
    question: &'static str,
    /// The plugin that answers.
    plugin: PluginView<'a>,
    /// Number of deployments that answer it.
    markets: usize,
}

/// A plugin and its version.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PluginVersion")]
struct PluginView<'a> {
    /// Name of the plugin.
    name: &'a str,
    /// Version by SemVer.
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
