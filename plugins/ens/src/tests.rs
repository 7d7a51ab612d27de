//! The plugin through the real binary interface: what it makes of logs that another encoder made.

use portolan_kits::family::EventFamily;
use portolan_plugin_api::testing::{self, EventCases};

use crate::{Names, TABLE};

fn cases() -> EventCases {
    EventCases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json"))
}

#[test]
fn logs_are_reported_as_what_they_mean() {
    assert!(cases().check::<Names>() >= 10);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    cases().cover(TABLE);
}

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Names>(&[&[("contracts", "[0x1111111111111111111111111111111111111111]")]]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Names>(Names::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
