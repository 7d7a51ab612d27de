//! Aave v3 and its forks Spark and Seamless: what an account has lent and borrowed, the rewards that it can claim, and
//! events of its pools and controllers. The plugin `lending` reports those of other forks and versions.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It answers nothing about accounts in Aave's safety module, older versions, or other networks than the rows
//! name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::protocol::ProtocolRow;

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct AaveV3;

impl AccountProtocols for AaveV3 {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::POOLS, &KnownGaps];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TITLES: &'static [(&'static str, &'static str)] = deployments::TITLES;
    const SHARED_TABLES: &'static [&'static str] = &[tables::AAVE];
}

portolan_plugin_api::export!(Accounts<AaveV3>);
