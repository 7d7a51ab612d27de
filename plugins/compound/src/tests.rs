//! The plugin through the real binary interface: markets of Compound and of its forks.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_kits::accounts::AccountProtocols;
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

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Compound>(&[
        &[("comet", FORKED), ("rewards", FORKED)],
        &[("comptroller", FORKED), ("native_market", FORKED), ("rewards", "comp")],
        &[("comptroller", FORKED), ("native_market", FORKED), ("rewards", "venus")],
        &[("comptroller", FORKED), ("native_market", FORKED), ("rewards", "typed")],
        &[("comptroller", FORKED), ("rewards", "listed")],
        &[("comptroller", FORKED), ("distributor", FORKED)],
        &[("liquid_token", FORKED), ("value_view", "getPooledAvaxByShares")],
        &[("request_queue", FORKED), ("requested_token", FORKED), ("queue_kind", "benqi")],
        &[("known_gaps", FORKED_LIST)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Compound>(Compound::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
