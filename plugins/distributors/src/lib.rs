//! Streams, vesting plans and lists of rewards: what was locked and what was claimed, as events.
//!
//! Invariant: an amount is in units of its token, or is left out. The plugin answers nothing else.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Distributors;

impl EventFamily for Distributors {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Distributors>);
