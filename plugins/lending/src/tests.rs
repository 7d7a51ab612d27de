//! The plugin through the real binary interface: markets, vaults and troves.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_plugin_api::testing::{self, EventCases, map};
use portolan_plugin_api::{Question, Settings, SettingsValue};

use portolan_kits::accounts::AccountProtocols;

use crate::Lending;

/// The file has more; a test of an empty one would say nothing.
const CASES_MIN: usize = 70;

#[test]
fn every_case_is_reported_as_it_is_written() {
    let cases = EventCases::load("src/events.cases.json");
    assert!(cases.check::<Lending>() >= CASES_MIN);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    EventCases::load("src/events.cases.json").cover(&Lending::TABLES.join("\n"));
}

/// A settings row with these keys.
fn row(keys: &[(&str, SettingsValue)]) -> map::SettingsRow {
    let key = |(key, value): &(&str, SettingsValue)| map::SettingsKey { key: (*key).to_owned(), value: value.clone() };
    let keys = keys.iter().map(key).collect();
    map::SettingsRow { protocol: "morpho".to_owned(), chain_id: 43_114, market: "fork".to_owned(), keys }
}

#[test]
fn a_settings_row_belongs_to_the_mechanism_of_which_it_has_keys() {
    let address = || SettingsValue::Text("0x1111111111111111111111111111111111111111".to_owned());
    let list = || SettingsValue::List(vec![address()]);
    let questions = |keys: &[(&str, SettingsValue)]| {
        let settings = Settings::from_rows(false, Vec::new(), vec![row(keys)]);
        testing::catalogue::<Lending>(&settings).deployments[0].questions.clone()
    };
    assert_eq!(questions(&[("morpho", address()), ("vaults", list())]), [Question::LENDING]);
    assert_eq!(questions(&[("evc", address()), ("evault_factory", address())]), [Question::LENDING]);
    assert_eq!(questions(&[("lending_factory", address())]), [Question::LENDING]);
    assert_eq!(questions(&[("umbrella_rewards", address())]), [Question::CLAIMABLES, Question::FARMING]);
    assert_eq!(questions(&[("silo_configs", list())]), [Question::LENDING]);
    let all = [Question::CLAIMABLES, Question::FARMING, Question::LENDING];
    assert_eq!(questions(&[("collateral_registry", address())]), all);
    assert_eq!(questions(&[("trove_factory", address())]), all);
    assert_eq!(questions(&[("lockstake_engine", address())]), [Question::CLAIMABLES, Question::LENDING]);
    for key in ["market_configurators", "alchemists"] {
        assert_eq!(questions(&[(key, list())]), [Question::LENDING], "{key}");
    }
    for key in ["dolomite_margin", "spoke", "debt_manager", "mono_cooler"] {
        assert_eq!(questions(&[(key, address())]), [Question::LENDING], "{key}");
    }
    assert_eq!(questions(&[("tokenized_vaults", list())]), [Question::FARMING, Question::COMPOSITION]);
    let maker = ["cdp_manager", "cdp_lister", "ilk_registry", "jug", "debt_token"].map(|key| (key, address()));
    assert_eq!(questions(&maker), [Question::LENDING]);
    assert_eq!(questions(&[("pool", address()), ("data_provider", address())])[0], Question::LENDING);
    assert_eq!(questions(&[("staked_aave_token", address())]), [Question::CLAIMABLES, Question::FARMING]);
    assert_eq!(questions(&[("contracts", list())]), [Question::EVENTS]);
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Lending>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Lending>(&[
        &[("trove_manager", FORKED)],
        &[("trove_manager", FORKED), ("surplus_pool", FORKED)],
        &[("trove_manager", FORKED), ("debt_token", FORKED), ("reward_token", FORKED)],
        &[("collateral_registry", FORKED)],
        &[("collateral_registry", FORKED), ("price_feeds", FORKED_LIST), ("surplus_pools", FORKED_LIST)],
        &[("trove_factory", FORKED), ("stability_pool", FORKED)],
        &[("interaction", FORKED), ("collaterals", FORKED_LIST)],
        &[("lockstake_engine", FORKED)],
        &[("dolomite_margin", FORKED)],
        &[("pool", FORKED), ("data_provider", FORKED), ("rewards_controller", FORKED)],
        &[("staked_aave_token", FORKED)],
        &[("umbrella_rewards", FORKED)],
        &[("morpho", FORKED), ("vaults", FORKED_LIST)],
        &[("morpho", FORKED), ("vaults_v2", FORKED_LIST)],
        &[("moolah", FORKED), ("vaults", FORKED_LIST)],
        &[("evc", FORKED), ("evault_factory", FORKED), ("earn_factory", FORKED)],
        &[("lending_factory", FORKED), ("vault_resolver", FORKED), ("dex_resolver", FORKED)],
        &[("silo_configs", FORKED_LIST)],
        &[("liquid_token", FORKED), ("rate_contract", FORKED), ("value_view", "convertSnBnbToBnb")],
        &[("request_queue", FORKED), ("requested_token", FORKED), ("queue_kind", "lista")],
        &[("spoke", FORKED)],
        &[("tokenized_vaults", FORKED_LIST)],
        &[("debt_manager", FORKED)],
        &[("alchemists", FORKED_LIST)],
        &[("market_configurators", FORKED_LIST), ("address_provider", FORKED)],
        &[("mono_cooler", FORKED)],
        &[("known_gaps", FORKED_LIST)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Lending>(Lending::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
