//! The plugin through the real binary interface: stakes, rewards, locks and vaults.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_plugin_api::testing::{self, EventCases, map};
use portolan_plugin_api::{Question, Settings};

use portolan_kits::accounts::AccountProtocols;

use crate::Farms;

/// The file has more; a test of an empty one would say nothing.
const CASES_MIN: usize = 50;

#[test]
fn every_case_is_reported_as_it_is_written() {
    let cases = EventCases::load("src/events.cases.json");
    assert!(cases.check::<Farms>() >= CASES_MIN);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    EventCases::load("src/events.cases.json").cover(&Farms::TABLES.join("\n"));
}

/// A settings row with these keys.
fn row(keys: &[(&str, map::SettingsValue)]) -> map::SettingsRow {
    let key =
        |(key, value): &(&str, map::SettingsValue)| map::SettingsKey { key: (*key).to_owned(), value: value.clone() };
    let keys = keys.iter().map(key).collect();
    map::SettingsRow { protocol: "biswap".to_owned(), chain_id: 137, market: "fork".to_owned(), keys }
}

#[test]
fn a_settings_row_belongs_to_the_mechanism_of_which_it_has_keys() {
    let text = |text: &str| map::SettingsValue::Text(text.to_owned());
    let address = || text("0x1111111111111111111111111111111111111111");
    let list = || map::SettingsValue::List(vec![address()]);
    let questions = |keys: &[(&str, map::SettingsValue)]| {
        let settings = Settings::from_rows(false, Vec::new(), vec![row(keys)]);
        testing::catalogue::<Farms>(&settings).deployments[0].questions.clone()
    };
    let account = [Question::CLAIMABLES, Question::FARMING];
    assert_eq!(questions(&[("kind", text("mini-chef")), ("chef", address())])[..2], account);
    assert_eq!(questions(&[("farms", list())])[..2], account);
    assert_eq!(questions(&[("booster", address())])[..2], account);
    let locks = [Question::CLAIMABLES, Question::LOCKED];
    assert_eq!(questions(&[("locker", address()), ("boosted", map::SettingsValue::Bool(true))])[..2], locks);
    assert_eq!(questions(&[("cvx_staking", address())])[..2], account);
    assert_eq!(questions(&[("cvx_crv_wrapper", address())])[..2], account);
    assert_eq!(questions(&[("contracts", list())]), [Question::EVENTS]);
    let refused = |keys: &[(&str, map::SettingsValue)]| {
        let settings = Settings::from_rows(false, Vec::new(), vec![row(keys)]);
        testing::settings_error::<Farms>(&settings).and_then(|error| error.key)
    };
    assert_eq!(refused(&[("chef", address())]).as_deref(), Some("kind"));
    assert_eq!(refused(&[("farms", list()), ("chef", address())]).as_deref(), Some("kind"));
    let both = [("cvx_staking", address()), ("cvx_crv_wrapper", address())];
    assert_eq!(refused(&both).as_deref(), Some("cvx_crv_wrapper"));
}
