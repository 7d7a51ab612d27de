//! Each row of the table tells a log that another encoder made, and what it shares with Uniswap is told of its own
//! pools alone.

use portolan_plugin_api::testing::EventCases;

use super::{Solidly, TABLE};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_row_tells_a_log_of_an_heir_of_solidly() {
    let cases = EventCases::load(format!("{HERE}/src/events.cases.json"));
    cases.cover(TABLE);
    cases.check::<Solidly>();
}

#[test]
fn what_uniswap_emits_too_is_told_of_known_pools_alone() {
    EventCases::load(format!("{HERE}/src/attribution.cases.json")).check::<Solidly>();
}
