//! Events of farms, reward pools, lockers and vaults: MasterChef and StakingRewards with all their forks, Convex and
//! Aura, Stargate, Yearn, Pendle.
//!
//! Invariant: an event that anyone may emit (`Staked`, `Deposit`) is reported only with evidence: a view of the
//! contract, or the transfer beside it. A protocol is named only for contracts that are listed. The plugin answers
//! nothing about accounts.

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
pub struct Farms;

impl EventFamily for Farms {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[tables::MASTER_CHEF, tables::STAKING_REWARDS, OWN_TABLE];
}

portolan_plugin_api::export!(Family<Farms>);
