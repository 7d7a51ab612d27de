//! QuickSwap on Polygon: claimable rewards and stakes of its farms, stakes of QUICK in the Dragon's Lair, and what its
//! share (dQUICK) redeems to; events of its pools.
//!
//! Invariant: each deployment is a part of its own, whose failure leaves the others' rows in the answer and is reported
//! there. It does not answer positions in pools, v3 farms, or other networks than the rows name.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts};
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::share_vault::ShareVaultKit;
use portolan_kits::staking_rewards::{FarmTypes, StakingRewardsKit};
use portolan_plugin_api::{Rows, rows};

/// The farms.
const FARMS: StakingRewardsKit = StakingRewardsKit {
    single: FarmTypes { reward_type: SINGLE_TYPE, vault_type: SINGLE_TYPE },
    dual: FarmTypes { reward_type: DUAL_TYPE, vault_type: DUAL_TYPE },
};
const SINGLE_TYPE: &str = "quickswap-reward-rewardPool";
const DUAL_TYPE: &str = "quickswap-dual-reward-pool";

/// The Dragon's Lairs.
const LAIRS: ShareVaultKit = ShareVaultKit { key: "lair", vault_type: "quickswap-dquick" };

/// Keys of a row for a Dragon's Lair, which is a vault of one token:
/// - `lair` (address): the lair
const LAIR: &[&str] = &["lair"];

/// Keys of the rows.
const KEYS: &[&[&str]] = &[LAIR, ShareVaultKit::KEYS, StakingRewardsKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Quickswap;

impl AccountProtocols for Quickswap {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&LAIRS, &FARMS];
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, tables::STAKING_REWARDS];
}

portolan_plugin_api::export!(Accounts<Quickswap>);
