//! Each row of the table decodes a log that another encoder made.

use portolan_plugin_api::testing::EventCases;

use super::{Balancer, TABLE};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");

#[test]
fn every_row_decodes_a_log_of_balancer() {
    let cases = EventCases::load(CASES);
    cases.cover(TABLE);
    cases.check::<Balancer>();
}
