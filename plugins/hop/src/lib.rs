//! Hop: claimable rewards and stakes of its liquidity providers' staking on Optimism, Arbitrum and Polygon, and events
//! of that staking and of the bridges.
//!
//! Invariant: each deployment of staking is a part of its own, whose failure leaves the others' rows in the answer and
//! is reported there. It does not answer pools, or other networks than the rows name.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::staking_rewards::{FarmTypes, StakingRewardsKit};
use portolan_plugin_api::{Rows, rows};

/// Events of bridges; those of farms are shared.
const TABLE: &str = include_str!("table.events");

/// The staking contracts.
const FARMS: StakingRewardsKit = StakingRewardsKit { single: FARM_TYPES, dual: FARM_TYPES };
const FARM_TYPES: FarmTypes = FarmTypes { reward_type: "hop-reward", vault_type: "hop-staking-rewards" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[StakingRewardsKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Hop;

impl AccountProtocols for Hop {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&FARMS, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::STAKING_REWARDS];
}

portolan_plugin_api::export!(Accounts<Hop>);
