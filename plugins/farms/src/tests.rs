//! The plugin through the real binary interface: stakes, rewards, locks and vaults.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_plugin_api::testing::EventCases;

use portolan_kits::accounts::AccountProtocols;

use crate::Farms;

/// The file has more; a test of an empty one would say nothing.
const CASES_MIN: usize = 50;

#[test]
fn every_case_is_reported_as_it_is_written() {
    let cases = EventCases::load("src/events.cases.json");
    assert!(cases.check::<Farms>() >= CASES_MIN);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    EventCases::load("src/events.cases.json").cover(&Farms::TABLES.join("\n"));
}
