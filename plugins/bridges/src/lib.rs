//! Bridges: what left a network and what arrived on it, as events.
//!
//! Invariant: an event names the network at the other end only where its log does, or where its contract belongs to a
//! bridge between two networks. The plugin answers nothing else.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;
use portolan_plugin_api::events::Event;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Bridges;

impl EventFamily for Bridges {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];

    fn complete(event: Event, network: u64) -> Event {
        deployments::with_other_end(event, network)
    }
}

portolan_plugin_api::export!(Family<Bridges>);
