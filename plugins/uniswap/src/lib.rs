//! Uniswap, all versions, and PancakeSwap: swaps, liquidity and fees of their pools and positions, those of forks
//! without a protocol; and PancakeSwap's chefs.
//!
//! Invariant: a protocol is named only for a pool whose address follows from its factory, or a contract
//! that `deployments.rs` lists.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::protocol::ProtocolRow;

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Uniswap;

impl AccountProtocols for Uniswap {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] =
        &[&deployments::CHEFS, &deployments::POSITION_CHEFS, &KnownGaps, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, OWN_TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Uniswap>);
