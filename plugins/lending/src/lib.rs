//! Events of lending protocols: Aave in all versions with any fork, Morpho, Euler, Silo, Fraxlend, Fluid, Liquity.
//!
//! Invariant: a protocol is named only for contracts that are listed, or that its registry knows; the same events of
//! other contracts are reported without one. The plugin answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::tables;
use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Lending;

impl EventFamily for Lending {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[tables::AAVE, OWN_TABLE];
}

portolan_plugin_api::export!(Family<Lending>);
