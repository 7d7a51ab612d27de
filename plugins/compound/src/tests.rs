//! The plugin through the real binary interface: markets of Compound and of its forks.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_plugin_api::testing::{self, EventCases};

use crate::{Compound, TABLE};

/// The file has more; a test of an empty one would say nothing.
const CASES_MIN: usize = 40;

#[test]
fn every_case_is_reported_as_it_is_written() {
    let cases = EventCases::load("src/events.cases.json");
    assert!(cases.check::<Compound>() >= CASES_MIN);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    EventCases::load("src/events.cases.json").cover(TABLE);
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Compound>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}
