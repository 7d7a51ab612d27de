//! Uniswap, all versions, and PancakeSwap: swaps, liquidity and fees of their pools and positions, those of forks
//! without a protocol.
//!
//! Events alone. Invariant: a protocol is named only for a pool whose address follows from its factory, or a contract
//! that `deployments.rs` lists.

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
pub struct Uniswap;

impl EventFamily for Uniswap {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, OWN_TABLE];
}

portolan_plugin_api::export!(Family<Uniswap>);
