//! Bridges: what left a network and what arrived on it, as events; and the farms of Stargate with locks of its token.
//!
//! Invariant: an event names the network at the other end only where its log does, or where its contract belongs to a
//! bridge between two networks.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;
use portolan_plugin_api::events::Event;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Bridges;

impl AccountProtocols for Bridges {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] =
        &[&deployments::CHEFS, &deployments::FARMS_V2, &deployments::LOCKS, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::MASTER_CHEF];

    fn complete(event: Event, network: u64) -> Event {
        deployments::with_other_end(event, network)
    }
}

portolan_plugin_api::export!(Accounts<Bridges>);
