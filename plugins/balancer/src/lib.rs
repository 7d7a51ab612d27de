//! Balancer, three versions: swaps and liquidity, those of forks without a protocol.
//!
//! Events alone. Invariant: a protocol is named only for a vault that `deployments.rs` lists, or a pool that its
//! factory knows.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Balancer;

impl EventFamily for Balancer {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Balancer>);
