//! Delegations to Polygon's validators, locks of FXS and stakes in Frax' farms; and events of staked ether and of what is built on it: Lido, Rocket Pool,
//! EigenLayer, ether.fi and others, deposits on the beacon chain, and those delegations.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of other contracts are reported
//! without one.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSources};
use portolan_kits::events::Source;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::unified_farms::UnifiedFarmTypes;
use portolan_kits::validator_shares::ValidatorShares;
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Delegations to validators.
const VALIDATOR_SHARES: ValidatorShares = ValidatorShares { delegation: "validator-shares" };

/// Locks of FXS.
const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// Frax' farms.
const FRAX_FARMS: UnifiedFarmTypes = UnifiedFarmTypes { farm: "frax-unified-farm" };

/// Keys of the rows.
const KEYS: &[&[&str]] =
    &[ValidatorShares::KEYS, VoteEscrowTypes::KEYS, UnifiedFarmTypes::KEYS, KnownGaps::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Staking;

impl AccountProtocols for Staking {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&VALIDATOR_SHARES, &LOCKS, &FRAX_FARMS, &KnownGaps, &EventSources];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Staking>);
