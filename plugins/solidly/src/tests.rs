//! Each row of the table decodes a log that another encoder made, and what it shares with Uniswap is reported for its
//! own pools alone.

use portolan_plugin_api::testing::EventCases;

use super::{Solidly, TABLE};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_row_decodes_a_log_of_an_heir_of_solidly() {
    let cases = EventCases::load(format!("{HERE}/src/events.cases.json"));
    cases.cover(TABLE);
    cases.check::<Solidly>();
}

#[test]
fn what_uniswap_emits_too_is_reported_of_known_pools_alone() {
    EventCases::load(format!("{HERE}/src/attribution.cases.json")).check::<Solidly>();
}
