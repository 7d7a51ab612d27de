//! SpookySwap on Fantom: claimable rewards and stakes of its three generations of farms, and events of these and
//! of its pairs.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It does not answer xBOO, positions in pools, or other networks than the rows name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Spookyswap;

impl AccountProtocols for Spookyswap {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::CHEFS];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Spookyswap>);
