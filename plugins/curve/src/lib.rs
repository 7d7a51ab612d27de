//! Curve: gauges, locks, loans and shares of pools, and events of pools of all generations, of its routers, its DAO and its
//! lending; and of Saddle's pools, which are like them.
//!
//! Events of forks are reported without a protocol. Invariant: a protocol is named only for a contract that
//! `protocols/` lists, or that a registry there knows.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSources};
use portolan_kits::curve_gauges::CurveGaugeTypes;
use portolan_kits::curve_pools::CurvePools;
use portolan_kits::events::Source;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::llamalend::LlamaLendTypes;
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Gauges.
const GAUGES: CurveGaugeTypes = CurveGaugeTypes { gauge: "curve-gauge" };

/// Locks of CRV, and the fees that they earn.
const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "curve-lock", fee: "curve-fees" };

/// Loans of crvUSD and of LlamaLend.
const LOANS: LlamaLendTypes = LlamaLendTypes { loan: "curve-loan", vault: "llamalend-vault" };

/// Shares of pools.
const POOLS: CurvePools = CurvePools { share: "CURVE" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    CurveGaugeTypes::KEYS,
    VoteEscrowTypes::KEYS,
    LlamaLendTypes::KEYS,
    CurvePools::KEYS,
    KnownGaps::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Curve;

impl AccountProtocols for Curve {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&GAUGES, &LOCKS, &LOANS, &POOLS, &KnownGaps, &EventSources];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Curve>);
