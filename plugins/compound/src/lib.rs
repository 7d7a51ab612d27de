//! Markets of Compound v3 and v2, and of the forks of v2, Venus among them; staked AVAX of Benqi; and events of markets.
//!
//! Invariant: a protocol is named only where its comptroller lists the market, or where the contract is listed here;
//! the same events of other forks are reported without one.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::comet::CometKit;
use portolan_kits::compound_v2::CompoundV2Kit;
use portolan_kits::events::Source;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::liquid_staking::LiquidStakingKit;
use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The words for markets of Compound v3 and their rewards.
const COMETS: CometKit = CometKit { market: "compound-v3", reward: "compound-v3-rewards" };

/// The words for markets of Compound v2 and its forks, and their rewards.
const COMPTROLLERS: CompoundV2Kit = CompoundV2Kit { market: "compound-v2", reward: "compound-v2-rewards" };

/// Staked AVAX.
const LIQUID: LiquidStakingKit = LiquidStakingKit { stake: "liquid-staking" };

/// AVAX that is unlocked.
const REQUESTS: WithdrawRequestsKit = WithdrawRequestsKit { request: "withdraw-request" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    CometKit::KEYS,
    CompoundV2Kit::KEYS,
    LiquidStakingKit::KEYS,
    WithdrawRequestsKit::KEYS,
    KnownGapsKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Compound;

impl AccountProtocols for Compound {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] =
        &[&COMETS, &COMPTROLLERS, &LIQUID, &REQUESTS, &KnownGapsKit, &EventSourcesKit];
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Compound>);
