//! Forks as an operator's settings file has them.

use portolan_abi::map::{Protocol, SettingsKey, SettingsRow, SettingsValue};

use super::job_test::{catalogue, settings_error};
use crate::export::Exported;
use crate::settings::Settings;

/// The most lines of a row beside its protocol, network and market.
const LINES_MAX: usize = 3;

/// The settings of one row, of a protocol `fork` that the file adds on Optimism, without anything that ships.
///
/// A value is a text, unless it is a list of texts in brackets: `[0x…, 0x…]`.
pub fn fork(keys: &[(&str, &str)]) -> Settings {
    let keys = keys.iter().map(|(key, text)| SettingsKey { key: (*key).to_owned(), value: value(text) }).collect();
    let row = SettingsRow { protocol: "fork".to_owned(), chain_id: 10, market: "main".to_owned(), keys };
    Settings::from_rows(false, vec![Protocol::new("fork", "FORK", "https://fork.example", &[])], vec![row])
}

fn value(text: &str) -> SettingsValue {
    let word = |text: &str| SettingsValue::Text(text.trim().to_owned());
    match text.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => SettingsValue::List(list.split(',').map(word).collect()),
        None => word(text),
    }
}

/// Sees that an instance serves each of these rows by itself, and refuses it with a key that it does not know.
///
/// # Panics
/// With the first row that is longer than three lines, is not served, or takes an unknown key.
pub fn serves_forks<P: Exported>(rows: &[&[(&str, &str)]]) {
    for keys in rows {
        assert!(keys.len() <= LINES_MAX, "{keys:?} are more than {LINES_MAX} lines");
        let refused = settings_error::<P>(&fork(keys));
        assert!(refused.is_none(), "{keys:?}: {refused:?}");
        let served = catalogue::<P>(&fork(keys));
        let rows: Vec<_> = served.deployments.iter().map(|row| (row.protocol.as_str(), row.chain_id)).collect();
        assert_eq!(rows, [("fork", 10)], "{keys:?}");
        let typed = [*keys, &[("fork_key", "1")]].concat();
        let refused = settings_error::<P>(&fork(&typed)).and_then(|refused| refused.key);
        assert_eq!(refused.as_deref(), Some("fork_key"), "{keys:?} take any key");
    }
}
