//! Names: their registrations and renewals, as events.
//!
//! Invariant: a name is what the event logs; an event that logs only its hash has no name. The plugin answers nothing
//! else.

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
pub struct Names;

impl EventFamily for Names {
    const ROWS: Rows = rows!("protocols", KEYS);
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::export!(Family<Names>);
