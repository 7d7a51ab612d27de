//! Bridges: what left a network and what arrived on it, as events; and the farms of Stargate with locks of its token.
//!
//! Invariant: an event names the network at the other end only where its log does, or where its contract belongs to a
//! bridge between two networks.

mod other_end;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::events::{Source, tables};
use portolan_kits::kit::Kit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_kits::stargate_staking::StargateStakingKit;
use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_plugin_api::events::Event;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The chefs.
const CHEFS: MasterChefKit = MasterChefKit { v1: "lp-staking", v2: "lp-staking", mini: "lp-staking" };

/// The farms of the second version.
const FARMS_V2: StargateStakingKit = StargateStakingKit { stake: "stargate-staking", share: "STARGATE" };

/// Locks of STG, which pay nothing by themselves.
const LOCKS: VoteEscrowKit = VoteEscrowKit { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[MasterChefKit::KEYS, StargateStakingKit::KEYS, VoteEscrowKit::KEYS, Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Bridges;

impl AccountProtocols for Bridges {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[&CHEFS, &FARMS_V2, &LOCKS, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
    const SHARED_TABLES: &'static [&'static str] = &[tables::MASTER_CHEF];

    fn complete(event: Event, network: u64) -> Event {
        other_end::added(event, network)
    }
}

portolan_plugin_api::export!(Accounts<Bridges>);
