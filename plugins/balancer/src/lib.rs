//! Balancer, three versions: gauges, locks and shares of pools, Beethoven X' chef, and events of swaps and liquidity, those
//! of forks without a protocol.
//!
//! Invariant: a protocol is named only for a vault that `deployments.rs` lists, or a pool that its
//! factory knows.

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
pub struct Balancer;

impl AccountProtocols for Balancer {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] =
        &[&deployments::GAUGES, &deployments::LOCKS, &deployments::POOLS, &deployments::CHEFS, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Balancer>);
