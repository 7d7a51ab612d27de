//! Each row of the tables decodes a log that another encoder made, and pools are known by their addresses.

use portolan_kits::events::tables;
use portolan_plugin_api::testing::EventCases;

use super::{OWN_TABLE, Uniswap};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_row_decodes_a_log_of_uniswap_and_its_forks() {
    let shared = "../kits/src/events/tables";
    let files = [
        (format!("{shared}/uniswap_v2"), tables::UNISWAP_V2),
        (format!("{shared}/uniswap_v3"), tables::UNISWAP_V3),
        ("src/events".to_owned(), OWN_TABLE),
    ];
    for (file, table) in files {
        let cases = EventCases::load(format!("{HERE}/{file}.cases.json"));
        cases.cover(table);
        cases.check::<Uniswap>();
    }
}

#[test]
fn a_pool_belongs_to_the_factory_that_its_address_follows_from() {
    EventCases::load(format!("{HERE}/src/attribution.cases.json")).check::<Uniswap>();
}
