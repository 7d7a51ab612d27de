//! Acme's farms, as rows: what the account has staked, and the rewards that it can claim.
//!
//! The mechanism is the kit's; the files of `protocols` are the farms. A fork is a further row, here or in a settings
//! file.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts};
use portolan_kits::kit::Kit;
use portolan_kits::staking_rewards::{FarmTypes, StakingRewardsKit};
use portolan_plugin_api::{Rows, rows};

/// The answer's `type` and `vaultType`.
const TYPES: FarmTypes = FarmTypes { reward_type: "staking-rewards", vault_type: "staking-rewards" };

/// The farms, of one reward token or of two.
const FARMS: StakingRewardsKit = StakingRewardsKit { single: TYPES, dual: TYPES };

/// The plugin: its rows, and the mechanisms that read them.
#[derive(Debug)]
pub struct Acme;

impl AccountProtocols for Acme {
    const ROWS: Rows = rows!("protocols", &[StakingRewardsKit::KEYS]);
    const KITS: &'static [&'static dyn Kit] = &[&FARMS];
}

portolan_plugin_api::export!(Accounts<Acme>);
