//! Swaps through aggregators and order books: what was sold and bought in all, whatever pools lay on the way.
//!
//! Events alone, those of forks without a protocol. Invariant: a protocol is named only for a router that
//! `protocols/` lists.

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
pub struct Aggregators;

impl EventFamily for Aggregators {
    const ROWS: Rows = rows!("protocols", KEYS);
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Aggregators>);
