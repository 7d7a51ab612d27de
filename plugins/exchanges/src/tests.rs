//! Each row of the table decodes a log that another encoder made.

use portolan_kits::family::EventFamily;
use portolan_plugin_api::testing::{self, EventCases};

use super::{Exchanges, TABLE};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");

#[test]
fn every_row_decodes_a_log_of_an_exchange() {
    let cases = EventCases::load(CASES);
    cases.cover(TABLE);
    cases.check::<Exchanges>();
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";
/// The hash of its code.
const FORKED_HASH: &str = "0x2222222222222222222222222222222222222222222222222222222222222222";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Exchanges>(&[
        &[("contracts", FORKED_LIST)],
        &[("factory", FORKED), ("init_code_hash", FORKED_HASH), ("salt", "encoded")],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Exchanges>(Exchanges::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
