//! Balancer, three versions: gauges, locks and shares of pools, Beethoven X' chef, and events of swaps and liquidity, those
//! of forks without a protocol.
//!
//! Invariant: a protocol is named only for a vault that `protocols/` lists, or a pool that its
//! factory knows.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::balancer_pools::BalancerPoolsKit;
use portolan_kits::curve_gauges::CurveGaugesKit;
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Gauges.
const GAUGES: CurveGaugesKit = CurveGaugesKit { gauge: "balancer-gauge" };

/// Locks of pool shares with BAL, and the fees that they earn.
const LOCKS: VoteEscrowKit = VoteEscrowKit { lock: "balancer-lock", fee: "balancer-fees" };

/// Shares of pools.
const POOLS: BalancerPoolsKit = BalancerPoolsKit { share: "BALANCER" };

/// Chefs.
const CHEFS: MasterChefKit = MasterChefKit { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// Keys of the rows.
const KEYS: &[&[&str]] =
    &[CurveGaugesKit::KEYS, VoteEscrowKit::KEYS, BalancerPoolsKit::KEYS, MasterChefKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Balancer;

impl AccountProtocols for Balancer {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&GAUGES, &LOCKS, &POOLS, &CHEFS, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::MASTER_CHEF];
}

portolan_plugin_api::export!(Accounts<Balancer>);
