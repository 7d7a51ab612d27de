//! Exchanges of a make of their own: Liquidity Book, Maverick, DODO, KyberSwap, Bancor, Wombat, Fluid, WOOFi, Trident.
//!
//! Events alone, those of forks without a protocol. Invariant: a protocol is named only for a contract that
//! `protocols/` lists, or that a factory there knows.

#[cfg(test)]
mod tests;

use portolan_kits::events::Source;
use portolan_kits::family::{EventFamily, Family};
use portolan_plugin_api::{Rows, rows};

/// Events, and what their members are made of.
const TABLE: &str = include_str!("table.events");

/// Keys of the rows.
const KEYS: &[&[&str]] = &[Source::KEYS];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Exchanges;

impl EventFamily for Exchanges {
    const ROWS: Rows = rows!("protocols", KEYS);
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Exchanges>);
