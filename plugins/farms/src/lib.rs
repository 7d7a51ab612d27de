//! Farms of many protocols: chefs, staking contracts, boosters with the pools that they reward, lockers, gauges, vaults.
//! And events of farms, reward pools, lockers and vaults: MasterChef and StakingRewards with all their forks, Convex and
//! Aura, Stargate, Yearn, Pendle.
//!
//! Invariant: an event that anyone may emit (`Staked`, `Deposit`) is reported only with evidence: a view of the
//! contract, or the transfer beside it. A protocol is named only for contracts that are listed.

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
pub struct Farms;

impl AccountProtocols for Farms {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[
        &deployments::CHEFS,
        &deployments::FARMS,
        &deployments::POSITION_POOLS,
        &deployments::BOOSTERS,
        &deployments::SIDE_BOOSTERS,
        &deployments::LOCKERS,
        &deployments::OWN_STAKES,
        &deployments::SAFETY_MODULES,
        &deployments::FEE_STAKINGS,
        &deployments::GAUGES,
        &deployments::LOCKS,
        &deployments::YEARN_VAULTS,
        &deployments::YEARN_GAUGES,
        &KnownGaps,
        &EventSources,
    ];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[tables::MASTER_CHEF, tables::STAKING_REWARDS, OWN_TABLE];
}

portolan_plugin_api::export!(Accounts<Farms>);
