//! Exchanges of a make of their own: Liquidity Book, Maverick, DODO, KyberSwap, Bancor, Wombat, Fluid, WOOFi, Trident.
//!
//! Events alone, those of forks without a protocol. Invariant: a protocol is named only for a contract that
//! `deployments.rs` lists, or that a factory there knows.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Exchanges;

impl EventFamily for Exchanges {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Exchanges>);
