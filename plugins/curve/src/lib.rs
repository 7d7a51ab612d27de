//! Curve: gauges, locks, loans and shares of pools, and events of pools of all generations, of its routers, its DAO and its
//! lending; and of Saddle's pools, which are like them.
//!
//! Events of forks are reported without a protocol. Invariant: a protocol is named only for a contract that
//! `protocols/` lists, or that a registry there knows.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::curve_gauges::CurveGaugesKit;
use portolan_kits::curve_pools::CurvePoolsKit;
use portolan_kits::events::Source;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::llamalend::LlamaLendKit;
use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Gauges.
const GAUGES: CurveGaugesKit = CurveGaugesKit { gauge: "curve-gauge" };

/// Locks of CRV, and the fees that they earn.
const LOCKS: VoteEscrowKit = VoteEscrowKit { lock: "curve-lock", fee: "curve-fees" };

/// Loans of crvUSD and of LlamaLend.
const LOANS: LlamaLendKit = LlamaLendKit { loan: "curve-loan", vault: "llamalend-vault" };

/// Shares of pools.
const POOLS: CurvePoolsKit = CurvePoolsKit { share: "CURVE", pool: "curve-pool" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    CurveGaugesKit::KEYS,
    VoteEscrowKit::KEYS,
    LlamaLendKit::KEYS,
    CurvePoolsKit::KEYS,
    KnownGapsKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Curve;

impl AccountProtocols for Curve {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&GAUGES, &LOCKS, &LOANS, &POOLS, &KnownGapsKit, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Curve>);
