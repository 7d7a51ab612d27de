//! Stakes, rewards and vesting of GMX v1, and of a fork; funding fees, collateral and shares of GMX v2; staking of Gains and of MUX; and events of all forks, and of GMX v2: swaps, liquidity, stakes, rewards.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of forks are reported without
//! one. Positions are not reported: the vocabulary has no word for them.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::events::Source;
use portolan_kits::gains_staking::GainsStakingKit;
use portolan_kits::gmx_v2::GmxV2Kit;
use portolan_kits::kit::Kit;
use portolan_kits::mux_staking::MuxStakingKit;
use portolan_kits::reward_trackers::RewardTrackersKit;
use portolan_kits::vester::VesterKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Stakes in reward trackers.
const TRACKERS: RewardTrackersKit = RewardTrackersKit { stake: "reward-tracker" };

/// Deposits in vesters.
const VESTERS: VesterKit = VesterKit { vester: "vester" };

/// Open positions, and shares of markets, of the second version.
const SYNTHETICS: GmxV2Kit = GmxV2Kit { perpetual: "gmx-v2-position", share: "gmx-v2-share" };

/// Stakes and vests of GNS.
const GAINS: GainsStakingKit = GainsStakingKit { stake: "gns-staking" };

/// Stakes and locks of MUX.
const MUX: MuxStakingKit = MuxStakingKit { stake: "mux-staking", lock: "mux-lock" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    RewardTrackersKit::KEYS,
    VesterKit::KEYS,
    GmxV2Kit::KEYS,
    GainsStakingKit::KEYS,
    MuxStakingKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Gmx;

impl AccountProtocols for Gmx {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&TRACKERS, &VESTERS, &SYNTHETICS, &GAINS, &MUX, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Gmx>);
