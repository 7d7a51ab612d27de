//! The plugin through the real binary interface: what it makes of logs that another encoder made.

use portolan_plugin_api::testing::EventCases;

use crate::{Bridges, TABLE};

fn cases() -> EventCases {
    EventCases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json"))
}

#[test]
fn logs_are_reported_as_what_they_mean() {
    assert!(cases().check::<Bridges>() >= 120);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    cases().cover(TABLE);
}
