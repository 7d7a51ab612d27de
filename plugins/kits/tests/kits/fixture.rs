//! Shared by the tests of the mechanisms: plugins of one kit, and the account and the time of their jobs.

use portolan_plugin_api::embedded::EmbeddedProtocol;
use portolan_plugin_api::testing::Outcome;
use portolan_plugin_api::testing::map::{SettingsKey, SettingsRow};
use portolan_plugin_api::{Address, LegRole, Position, Protocol, Settings, SettingsValue, U256};

pub(crate) const ACCOUNT: Address = Address::repeat_byte(0xac);
/// The time of the block of a `JobTest`.
pub(crate) const NOW_S: u64 = 1_700_000_000;

pub(crate) fn n(number: u64) -> U256 {
    U256::from(number)
}

/// A key of a settings row with a text.
pub(crate) fn text(key: &str, value: impl ToString) -> SettingsKey {
    SettingsKey { key: key.to_owned(), value: SettingsValue::Text(value.to_string()) }
}

/// A key of a settings row with a list of texts.
pub(crate) fn list<T: ToString>(key: &str, values: impl IntoIterator<Item = T>) -> SettingsKey {
    let values = values.into_iter().map(|value| SettingsValue::Text(value.to_string())).collect();
    SettingsKey { key: key.to_owned(), value: SettingsValue::List(values) }
}

pub(crate) fn flag(key: &str, value: bool) -> SettingsKey {
    SettingsKey { key: key.to_owned(), value: SettingsValue::Bool(value) }
}

/// A settings file with one row of a protocol of the plugin, without the rows that ship.
pub(crate) fn one_row(protocol: &str, chain_id: u64, keys: Vec<SettingsKey>) -> Settings {
    Settings::from_rows(false, Vec::new(), vec![row(protocol, chain_id, "main", keys)])
}

/// A settings file that adds the market `side` to a protocol of the plugin.
pub(crate) fn added_row(protocol: &str, chain_id: u64, keys: Vec<SettingsKey>) -> Settings {
    Settings::from_rows(true, Vec::new(), vec![row(protocol, chain_id, "side", keys)])
}

/// A settings file that adds a protocol `fork` with one row.
pub(crate) fn fork(chain_id: u64, keys: Vec<SettingsKey>) -> Settings {
    let fork = Protocol::new("fork", "FORK", "https://example.org", &[]);
    Settings::from_rows(true, vec![fork], vec![row("fork", chain_id, "main", keys)])
}

fn row(protocol: &str, chain_id: u64, market: &str, keys: Vec<SettingsKey>) -> SettingsRow {
    SettingsRow { protocol: protocol.to_owned(), chain_id, market: market.to_owned(), keys }
}

/// An operator's row that lets claims call a bound function on these contracts, which no row that ships has.
pub(crate) fn bound(call: &str, contracts: &[Address]) -> String {
    let contracts: Vec<String> = contracts.iter().map(|contract| format!("\"{contract}\"")).collect();
    format!("{call:?} = {{ source = \"https://example.org\", contracts = [{}] }}\n", contracts.join(", "))
}

/// Token and amount of each payment.
pub(crate) fn paid(outcome: &Outcome) -> Vec<(Address, U256)> {
    outcome.payments().iter().map(|row| (row.token, row.amount)).collect()
}

/// Target of the claim, token and amount of each payment.
pub(crate) fn claimed(outcome: &Outcome) -> Vec<(Address, Address, U256)> {
    outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect()
}

/// Number, token and amount of each payment.
pub(crate) fn by_number(outcome: &Outcome) -> Vec<(Option<U256>, Address, U256)> {
    outcome.payments().iter().map(|row| (row.number, row.token, row.amount)).collect()
}

/// Role, token, amount and collateral flag of each leg.
pub(crate) fn legs(position: &Position) -> Vec<(LegRole, Address, U256, Option<bool>)> {
    position.legs.iter().map(|leg| (leg.role, leg.token, leg.amount, leg.is_collateral)).collect()
}

/// A protocol that ships.
pub(crate) const fn protocol(slug: &'static str, name: &'static str) -> EmbeddedProtocol {
    let website = "https://example.org";
    EmbeddedProtocol { slug, name, website, logo: None, primitives: &[], company: (name, slug) }
}

/// The rows of these protocols, with their names, and of these deployments, as in a settings file.
macro_rules! shipped {
    ([$($slug:literal = $name:literal),+ $(,)?], $deployments:literal) => {{
        use portolan_plugin_api::embedded::{EmbeddedProtocol, RowFile};

        const DEPLOYMENTS: &[RowFile] = portolan_plugin_api::rows!($deployments).embedded();
        const PROTOCOLS: &[EmbeddedProtocol] = &[$($crate::fixture::protocol($slug, $name)),+];
        const FILES: &[RowFile] = &[RowFile { protocols: PROTOCOLS, ..DEPLOYMENTS[0] }];
        portolan_plugin_api::Rows::new(FILES)
    }};
}

/// Declares a plugin of one kit: its type, the kit, its protocols with their names, and its deployments as in a settings
/// file; then titles, if names of findings do not begin with the protocol's name.
macro_rules! plugin {
    ($(#[$doc:meta])* $plugin:ident: $kit:expr, $protocols:tt, $deployments:literal $(, $titles:expr)?) => {
        $(#[$doc])*
        struct $plugin;

        impl portolan_kits::accounts::AccountProtocols for $plugin {
            const ROWS: portolan_plugin_api::Rows = $crate::fixture::shipped!($protocols, $deployments);
            const KITS: &'static [&'static dyn portolan_kits::kit::Kit] = &[$kit];
            $(const TITLES: &'static [(&'static str, &'static str)] = $titles;)?
        }

        portolan_plugin_api::exported!($plugin as portolan_kits::accounts::Accounts<$plugin>);
    };
}

pub(crate) use {plugin, shipped};
