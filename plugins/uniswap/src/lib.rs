//! Uniswap, all versions, PancakeSwap, and the pools of SushiSwap and QuickSwap: positions and fees in concentrated
//! pools, liquidity of pairs, PancakeSwap's chefs; and swaps, liquidity and fees of pools and positions, those of forks
//! without a protocol.
//!
//! Invariant: a protocol is named only for a pool whose address follows from its factory, or a contract
//! that `protocols/` lists.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::concentrated_positions::ConcentratedPositionsKit;
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::liquidity_pairs::LiquidityPairsKit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_kits::position_chef::PositionChefKit;
use portolan_plugin_api::{Rows, rows};

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The chefs of staked tokens.
const CHEFS: MasterChefKit = MasterChefKit { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// The chefs of positions.
const POSITION_CHEFS: PositionChefKit = PositionChefKit { reward: "master-chef-v3" };

/// The managers of concentrated positions.
const POSITIONS: ConcentratedPositionsKit = ConcentratedPositionsKit { position: "concentrated-position" };

/// Pairs whose shares an account holds itself.
const PAIRS: LiquidityPairsKit = LiquidityPairsKit { pair: "liquidity-pair" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    MasterChefKit::KEYS,
    PositionChefKit::KEYS,
    ConcentratedPositionsKit::KEYS,
    LiquidityPairsKit::KEYS,
    KnownGapsKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Uniswap;

impl AccountProtocols for Uniswap {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] =
        &[&CHEFS, &POSITION_CHEFS, &POSITIONS, &PAIRS, &KnownGapsKit, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[tables::UNISWAP_V2, tables::UNISWAP_V3, OWN_TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Uniswap>);
