//! Each row of the table decodes a log that another encoder made.

use portolan_kits::family::EventFamily;
use portolan_plugin_api::testing::{self, EventCases};

use super::{Aggregators, TABLE};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");

#[test]
fn every_row_decodes_a_log_of_an_aggregator() {
    let cases = EventCases::load(CASES);
    cases.cover(TABLE);
    cases.check::<Aggregators>();
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Aggregators>(&[
        &[("contracts", FORKED_LIST)],
        &[("registry", FORKED), ("view", "isRouter")],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Aggregators>(Aggregators::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
