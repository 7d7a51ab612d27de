//! Velodrome, Aerodrome and other heirs of Solidly: gauges, locks and rebases, and events of pools, gauges, locks and
//! votes.
//!
//! Their first pairs and their concentrated pools emit what Uniswap's do. Of those, only events of pools that a factory
//! here knows are reported, as the plugin `uniswap` reports the rest. Invariant: a protocol is named only for a
//! contract that is listed, or that a factory or voter knows.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::concentrated_positions::ConcentratedPositionsKit;
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::merkle_distributor::MerkleDistributorKit;
use portolan_kits::solidly::SolidlyKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The words for gauges, locks, rebases and what votes earn.
const TYPES: SolidlyKit = SolidlyKit {
    gauge: "solidly-gauge",
    pool: "solidly-pool",
    lock: "solidly-lock",
    rebase: "solidly-rebase",
    fees: "solidly-fees",
    bribe: "solidly-bribe",
};

/// The airdrops that settings add.
const AIRDROPS: MerkleDistributorKit = MerkleDistributorKit { reward_type: "solidly-airdrop" };

/// The managers of concentrated positions.
const POSITIONS: ConcentratedPositionsKit = ConcentratedPositionsKit { position: "concentrated-position" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[SolidlyKit::KEYS, ConcentratedPositionsKit::KEYS, MerkleDistributorKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Solidly;

impl AccountProtocols for Solidly {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&TYPES, &POSITIONS, &AIRDROPS, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3];
}

portolan_plugin_api::export!(Accounts<Solidly>);
