//! Delegations to Polygon's validators, locks of FXS and stakes in Frax' farms; and events of staked ether and of what is built on it: Lido, Rocket Pool,
//! EigenLayer, ether.fi and others, deposits on the beacon chain, and those delegations.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of other contracts are reported
//! without one.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Staking;

impl AccountProtocols for Staking {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] =
        &[&deployments::VALIDATOR_SHARES, &deployments::LOCKS, &deployments::FRAX_FARMS, &KnownGaps, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Staking>);
