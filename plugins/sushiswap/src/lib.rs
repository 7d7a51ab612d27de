//! SushiSwap: claimable rewards and stakes of its MasterChefs (Ethereum) and MiniChefs (six networks), SUSHI in the
//! SushiBar, and what its share (xSUSHI) redeems to; events of its pools and chefs.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It does not answer positions in pools, or other networks than the rows name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Sushiswap;

impl AccountProtocols for Sushiswap {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::BARS, &deployments::CHEFS];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Sushiswap>);
