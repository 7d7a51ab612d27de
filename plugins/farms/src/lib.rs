//! Farms of many protocols: chefs, staking contracts, boosters with the pools that they reward, lockers, gauges, vaults.
//! And events of farms, reward pools, lockers and vaults: MasterChef and StakingRewards with all their forks, Convex and
//! Aura, Stargate, Yearn, Pendle.
//!
//! Invariant: an event that anyone may emit (`Staked`, `Deposit`) is reported only with evidence: a view of the
//! contract, or the transfer beside it. A protocol is named only for contracts that are listed.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSources};
use portolan_kits::booster::BoosterTypes;
use portolan_kits::convex_stakes::ConvexStakes;
use portolan_kits::curve_gauges::CurveGaugeTypes;
use portolan_kits::events::{Source, tables};
use portolan_kits::fee_staking::FeeStakings;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::master_chef::MasterChefs;
use portolan_kits::position_pools::PositionPools;
use portolan_kits::safety_module::SafetyModules;
use portolan_kits::side_booster::SideBoosterTypes;
use portolan_kits::staking_rewards::{FarmTypes, StakingFarms};
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_kits::vote_locker::VoteLockers;
use portolan_kits::yearn_gauges::YearnGaugeTypes;
use portolan_kits::yearn_vaults::YearnVaultTypes;
use portolan_plugin_api::{Rows, rows};

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The chefs.
const CHEFS: MasterChefs = MasterChefs { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// The staking contracts.
const FARMS: StakingFarms = StakingFarms { single: FARM_TYPES, dual: FARM_TYPES };
const FARM_TYPES: FarmTypes = FarmTypes { reward_type: "staking-rewards", vault_type: "staking-rewards" };

/// The pools of Convex, of Aura and of their forks.
const BOOSTERS: BoosterTypes = BoosterTypes { pool: "booster" };

/// Convex's pools on networks but Ethereum.
const SIDE_BOOSTERS: SideBoosterTypes = SideBoosterTypes { pool: "side-booster" };

/// The lockers of Convex, of Aura and of their forks.
const LOCKERS: VoteLockers = VoteLockers { lock: "vote-lock" };

/// The other stakes of Convex's tokens.
const OWN_STAKES: ConvexStakes = ConvexStakes("convex-stake");

/// The gauges of Angle, and those of Stake DAO's liquid lockers, which are copies of these.
const GAUGES: CurveGaugeTypes = CurveGaugeTypes { gauge: "curve-gauge" };

/// Locks of its own token, and the fees that they earn.
const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// The staking contracts that pay what arrives.
const FEE_STAKINGS: FeeStakings = FeeStakings { stake: "fee-staking" };

/// The pools of staking positions.
const POSITION_POOLS: PositionPools = PositionPools { stake: "nft-pool", nitro: "nitro-pool" };

/// Staked LYRA, a copy of Aave's safety module.
const SAFETY_MODULES: SafetyModules = SafetyModules { stake: "safety-module" };

/// Yearn's vaults.
const YEARN_VAULTS: YearnVaultTypes = YearnVaultTypes { vault: "yearn-vault", share: "YEARN" };

/// Yearn's gauges.
const YEARN_GAUGES: YearnGaugeTypes = YearnGaugeTypes { gauge: "yearn-gauge" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    MasterChefs::KEYS,
    StakingFarms::KEYS,
    PositionPools::KEYS,
    BoosterTypes::KEYS,
    SideBoosterTypes::KEYS,
    VoteLockers::KEYS,
    ConvexStakes::KEYS,
    SafetyModules::KEYS,
    FeeStakings::KEYS,
    CurveGaugeTypes::KEYS,
    VoteEscrowTypes::KEYS,
    YearnVaultTypes::KEYS,
    YearnGaugeTypes::KEYS,
    KnownGaps::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Farms;

impl AccountProtocols for Farms {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[
        &CHEFS,
        &FARMS,
        &POSITION_POOLS,
        &BOOSTERS,
        &SIDE_BOOSTERS,
        &LOCKERS,
        &OWN_STAKES,
        &SAFETY_MODULES,
        &FEE_STAKINGS,
        &GAUGES,
        &LOCKS,
        &YEARN_VAULTS,
        &YEARN_GAUGES,
        &KnownGaps,
        &EventSources,
    ];
    const TABLES: &'static [&'static str] = &[tables::MASTER_CHEF, tables::STAKING_REWARDS, OWN_TABLE];
}

portolan_plugin_api::export!(Accounts<Farms>);
