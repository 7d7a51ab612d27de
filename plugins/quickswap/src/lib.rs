//! QuickSwap on Polygon: claimable rewards and stakes of its farms, stakes of QUICK in the Dragon's Lair, and what its
//! share (dQUICK) redeems to; events of its pools.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It does not answer positions in pools, v3 farms, or other networks than the rows name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Quickswap;

impl AccountProtocols for Quickswap {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::LAIRS, &deployments::FARMS];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, tables::STAKING_REWARDS];
}

portolan_plugin_api::export!(Accounts<Quickswap>);
