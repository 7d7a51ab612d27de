//! The host's own tables: events of any contract.
//!
//! Invariant: they are parsed before the process serves. A plugin never replaces an event of the core table.

use portolan_events::{Table, TableError};

const CORE: &str = include_str!("core.events");
const FURTHER: &str = include_str!("further.events");

/// The parsed tables. One instance per process.
#[derive(Debug)]
pub(crate) struct Tables {
    /// Preferred over every plugin: transfers and approvals of the token standards, and similar.
    pub(crate) core: Table,
    /// Decodes the logs that no plugin decodes.
    pub(crate) further: Table,
}

/// An error in one of the tables.
#[derive(Debug, thiserror::Error)]
#[error("the tables of events: {0}")]
pub(crate) struct TablesError(#[from] TableError);

impl Tables {
    /// Parses the tables.
    ///
    /// # Errors
    /// Returns the first invalid line.
    pub(crate) fn read() -> Result<Self, TablesError> {
        Ok(Self { core: Table::parse(CORE)?, further: Table::parse(FURTHER)? })
    }
}

#[cfg(test)]
mod tests {
    use portolan_plugin_api::testing::EventCases;

    use super::*;

    #[test]
    fn every_row_decodes_what_another_encoder_made() {
        for (name, table) in [("core", CORE), ("further", FURTHER)] {
            let cases = EventCases::load(format!("{}/src/events/{name}.cases.json", env!("CARGO_MANIFEST_DIR")));
            assert!(cases.check_table(table) > 0);
            cases.cover(table);
        }
    }
}
