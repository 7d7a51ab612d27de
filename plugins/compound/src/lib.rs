//! Events of Compound v2 and v3 and of the forks of v2, Venus among them.
//!
//! Invariant: a protocol is named only where its comptroller lists the market, or where the contract is listed here;
//! the same events of other forks are reported without one. The plugin answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Compound;

impl EventFamily for Compound {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Compound>);
