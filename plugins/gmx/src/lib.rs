//! Events of GMX v1 and of its forks, and of GMX v2: swaps, liquidity, stakes and rewards.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of forks are reported without
//! one. Positions are not reported: the vocabulary has no word for them. The plugin answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Gmx;

impl EventFamily for Gmx {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Gmx>);
