//! Rows of `/protocols/coverage`, and the value that they are about.

use portolan_abi::Question;
use schemars::JsonSchema;
use serde::Serialize;

use super::schema::Word;
use crate::gateway::answer::{CoverageRow, HeldValue, NetworkValue, Reach};
use crate::gateway::coverage::value_held::{DATE, SOURCE};

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

/// What the largest protocols hold on each network, and how much of it is answered about.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ValueHeld")]
pub(super) struct ValueHeldView<'a> {
    /// Day of the list of protocols and their value, in UTC.
    date: &'static str,
    /// The list.
    source: &'static str,
    /// The gateway's networks that are in the list.
    networks: Vec<NetworkValueView<'a>>,
}

/// What the largest protocols hold on a network: fifty at most.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NetworkValue")]
struct NetworkValueView<'a> {
    /// Slug of the network.
    network: &'a str,
    /// Chain id of the network.
    chain_id: u64,
    /// What these protocols hold.
    dollars: u64,
    /// What those hold about which all is answered.
    in_reach: u64,
    /// What those hold about which a part is answered.
    in_part: u64,
    /// The protocols, the largest first.
    protocols: Vec<HeldValueView<'a>>,
}

/// What a protocol holds on a network.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProtocolValue")]
struct HeldValueView<'a> {
    /// Its name in the list.
    name: &'a str,
    /// Its slug in the list.
    listed: &'a str,
    /// Its slug here; null if nothing is answered about it.
    slug: Option<&'a str>,
    /// What it holds.
    dollars: u64,
    /// How much of that is answered about.
    reach: ReachView,
    /// What is answered about accounts.
    #[schemars(with = "Vec<Word<Question>>")]
    questions: Vec<&'static str>,
    /// Why nothing is answered; null if something is.
    reason: Option<&'a str>,
}

/// How much of a protocol's value is answered about: all of it, a part that the list does not tell apart, or nothing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Reach")]
enum ReachView {
    Whole,
    Part,
    Nothing,
}

impl ReachView {
    fn of(reach: Reach) -> Self {
        match reach {
            Reach::Whole => Self::Whole,
            Reach::Part => Self::Part,
            Reach::Nothing => Self::Nothing,
        }
    }
}

impl<'a> ValueHeldView<'a> {
    pub(super) fn of(networks: &'a [NetworkValue]) -> Self {
        Self { date: DATE, source: SOURCE, networks: networks.iter().map(NetworkValueView::of).collect() }
    }
}

impl<'a> NetworkValueView<'a> {
    fn of(value: &'a NetworkValue) -> Self {
        Self {
            network: &value.network.slug,
            chain_id: value.network.chain_id,
            dollars: value.dollars(|_| true),
            in_reach: value.dollars(|held| held.reach == Reach::Whole),
            in_part: value.dollars(|held| held.reach == Reach::Part),
            protocols: value.protocols.iter().map(HeldValueView::of).collect(),
        }
    }
}

impl<'a> HeldValueView<'a> {
    fn of(value: &'a HeldValue) -> Self {
        Self {
            name: value.name,
            listed: value.listed,
            slug: value.slug,
            dollars: value.dollars,
            reach: ReachView::of(value.reach),
            questions: value.questions.iter().map(|question| question.name()).collect(),
            reason: value.reason,
        }
    }
}
