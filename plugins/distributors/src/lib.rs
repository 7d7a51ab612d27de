//! Streams, vesting plans and lists of rewards: what was locked and what was claimed, as events.
//!
//! Invariant: an amount is in units of its token, or is left out. The plugin answers nothing else.

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
pub struct Distributors;

impl EventFamily for Distributors {
    const ROWS: Rows = rows!("protocols", KEYS);
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Distributors>);
