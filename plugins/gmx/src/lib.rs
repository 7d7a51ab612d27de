//! Stakes, rewards and vesting of GMX v1, and of a fork; and events of all forks, and of GMX v2: swaps, liquidity, stakes, rewards.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of forks are reported without
//! one. Positions are not reported: the vocabulary has no word for them.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Gmx;

impl AccountProtocols for Gmx {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[&deployments::TRACKERS, &deployments::VESTERS, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Gmx>);
