//! Hop: claimable rewards and stakes of its liquidity providers' staking on Optimism, Arbitrum and Polygon, and events
//! of that staking and of the bridges.
//!
//! Invariant: each deployment of staking is a part of its own, whose failure leaves the others' rows in the answer and
//! is reported there. It does not answer pools, or other networks than the rows name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;

/// Events of bridges; those of farms are shared.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Hop;

impl AccountProtocols for Hop {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::FARMS, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::STAKING_REWARDS];
}

portolan_plugin_api::export!(Accounts<Hop>);
