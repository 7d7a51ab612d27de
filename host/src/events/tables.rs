//! The host's tables: what any contract may emit, whoever made it.
//!
//! Invariant: they were read before the process serves. The core is never told otherwise by a plugin.

use portolan_events::{Table, TableError};

const CORE: &str = include_str!("core.events");
const FURTHER: &str = include_str!("further.events");

/// The tables, parsed. One for the process.
#[derive(Debug)]
pub(crate) struct Tables {
    /// What wins over every plugin: transfers and approvals of the token standards, and the like.
    pub(super) core: Table,
    /// What tells logs that no plugin does.
    pub(super) further: Table,
}

/// Which table is wrong, and where.
#[derive(Debug, thiserror::Error)]
#[error("the table of events {name}: {error}")]
pub(crate) struct TablesError {
    name: &'static str,
    error: TableError,
}

impl Tables {
    /// # Errors
    /// The first line that is wrong.
    pub(crate) fn read() -> Result<Self, TablesError> {
        let table = |name, text| Table::parse(text).map_err(|error| TablesError { name, error });
        Ok(Self { core: table("core", CORE)?, further: table("further", FURTHER)? })
    }
}

#[cfg(test)]
mod tests {
    use portolan_plugin_api::testing::EventCases;

    use super::*;

    #[test]
    fn every_row_tells_what_another_encoder_made() {
        for (name, table) in [("core", CORE), ("further", FURTHER)] {
            let cases = EventCases::load(format!("{}/src/events/{name}.cases.json", env!("CARGO_MANIFEST_DIR")));
            assert!(cases.check_table(table) > 0);
            cases.cover(table);
        }
    }
}
