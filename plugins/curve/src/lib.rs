//! Curve: gauges, locks, loans and shares of pools, and events of pools of all generations, of its routers, its DAO and its
//! lending; and of Saddle's pools, which are like them.
//!
//! Events of forks are reported without a protocol. Invariant: a protocol is named only for a contract that
//! `deployments.rs` lists, or that a registry there knows.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Curve;

impl AccountProtocols for Curve {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[
        &deployments::GAUGES,
        &deployments::LOCKS,
        &deployments::LOANS,
        &deployments::POOLS,
        &KnownGaps,
        &EventSources,
    ];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Curve>);
