//! Curve, pools of all generations, its routers, its DAO and its lending; Saddle's pools, which are like them.
//!
//! Events alone, those of forks without a protocol. Invariant: a protocol is named only for a contract that
//! `deployments.rs` lists, or that a registry there knows.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::family::{EventFamily, Family};
use portolan_kits::protocol::ProtocolRow;

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Curve;

impl EventFamily for Curve {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Curve>);
