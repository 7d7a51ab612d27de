//! The plugin through the real binary interface: a case for each row of the table, and a transaction that was recorded
//! on a chain.

use portolan_plugin_api::testing::{self, EventCases};

use crate::*;

fn cases() -> EventCases {
    EventCases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json"))
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Acme>(ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}

#[test]
fn logs_of_listed_contracts_are_reported_as_what_they_mean() {
    assert_eq!(cases().check::<Acme>(), 4);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    cases().cover(TABLE);
}

#[test]
fn recorded_transactions_are_decoded_to_what_was_moved() {
    let records = testing::replay_all::<Acme>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert_eq!(records, 1);
}
