//! Markets of Compound v3 and v2, and of the forks of v2, Venus among them; and their events.
//!
//! Invariant: a protocol is named only where its comptroller lists the market, or where the contract is listed here;
//! the same events of other forks are reported without one.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Compound;

impl AccountProtocols for Compound {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] =
        &[&deployments::COMETS, &deployments::COMPTROLLERS, &KnownGaps, &EventSources];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Accounts<Compound>);
