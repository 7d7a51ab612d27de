//! Events of staked ether and of what is built on it: Lido, Rocket Pool, EigenLayer, ether.fi and others, deposits on
//! the beacon chain, and delegations on Polygon.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of other contracts are reported
//! without one. The plugin answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Staking;

impl EventFamily for Staking {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Staking>);
