//! Velodrome, Aerodrome and other heirs of Solidly: gauges, locks and rebases, and events of pools, gauges, locks and
//! votes.
//!
//! Their first pairs and their concentrated pools emit what Uniswap's do. Of those, only events of pools that a factory
//! here knows are reported, as the plugin `uniswap` reports the rest. Invariant: a protocol is named only for a
//! contract that is listed, or that a factory or voter knows.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Solidly;

impl AccountProtocols for Solidly {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::TYPES, &deployments::AIRDROPS, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3];
}

portolan_plugin_api::export!(Accounts<Solidly>);
