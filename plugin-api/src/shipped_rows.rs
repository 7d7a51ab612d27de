//! Rows that a plugin ships with. The macro [`rows!`](crate::rows!) embeds them from files in the format of the
//! operator's settings file, and they are read like its rows.

use portolan_abi::map::{Company, Protocol, SettingsError, SettingsKey, SettingsRow, SettingsValue};

use crate::deployment::Deployment;
use crate::keys::Keys;

/// Rows that a plugin ships with, as [`rows!`](crate::rows!) embeds them.
///
/// ```
/// use portolan_plugin_api::{Rows, networks, rows};
///
/// const ROWS: Rows = rows!(
///     r#"
///     [[protocol]]
///     slug = "acme"
///     name = "ACME"
///     website = "https://acme.example"
///     primitives = ["FARMING"]
///     company = { name = "Acme", slug = "acme" }
///
///     [[deployment]]
///     protocol = "acme"
///     network = "polygon"
///     farm = "0x1111111111111111111111111111111111111111"
///     "#
/// );
/// assert_eq!(ROWS.networks("acme").collect::<Vec<_>>(), [networks::POLYGON]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rows(&'static [embedded::RowFile]);

impl Rows {
    /// No rows.
    pub const NONE: Self = Self(&[]);

    /// Creates the rows of these files.
    #[doc(hidden)]
    pub const fn new(files: &'static [embedded::RowFile]) -> Self {
        Self(files)
    }

    /// Returns the files.
    #[doc(hidden)]
    pub const fn embedded(self) -> &'static [embedded::RowFile] {
        self.0
    }

    /// Iterates over the files that were embedded, by their paths from the plugin's `Cargo.toml`.
    pub fn files(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|file| file.path)
    }

    /// Returns the protocols, in the order of the files.
    pub fn protocols(self) -> Vec<Protocol> {
        self.0.iter().flat_map(|file| file.protocols).map(embedded::EmbeddedProtocol::owned).collect()
    }

    /// Returns the deployments, in the order of the files, with what `read` makes of their keys.
    ///
    /// # Errors
    /// [`SettingsError`] names the file, the line and the key: the rows of a plugin are wrong. A test of the plugin finds
    /// it first, with `testing::check_rows`.
    pub fn deployments<M>(
        self,
        read: impl Fn(&Keys<'_>) -> Result<M, SettingsError>,
    ) -> Result<Vec<Deployment<M>>, SettingsError> {
        let rows = self.0.iter().flat_map(|file| file.rows);
        let networks = rows.flat_map(|row| row.networks.iter().map(move |network| (row, *network)));
        let deployment = |(row, network): (&embedded::EmbeddedRow, u64)| {
            let located =
                |error: SettingsError| SettingsError { message: format!("{}: {}", row.place, error.message), ..error };
            Keys::deployment(&row.settings(network), &read).map_err(located)
        };
        networks.map(deployment).collect()
    }

    /// Iterates over the networks of a protocol's deployments, in the order of the rows; a network may appear twice.
    pub fn networks(self, protocol: &str) -> impl Iterator<Item = u64> {
        let rows = self.0.iter().flat_map(|file| file.rows).filter(move |row| row.protocol == protocol);
        rows.flat_map(|row| row.networks.iter().copied())
    }
}

/// Constants that [`rows!`](crate::rows!) writes.
#[doc(hidden)]
pub mod embedded {
    use super::{Company, SettingsKey, SettingsRow, SettingsValue};

    pub use super::Rows;

    /// A file.
    #[derive(Clone, Copy, Debug)]
    pub struct RowFile {
        pub path: &'static str,
        pub protocols: &'static [EmbeddedProtocol],
        pub rows: &'static [EmbeddedRow],
    }

    /// A `[[protocol]]`.
    #[derive(Clone, Copy, Debug)]
    pub struct EmbeddedProtocol {
        pub slug: &'static str,
        pub name: &'static str,
        pub website: &'static str,
        pub logo: Option<&'static str>,
        pub primitives: &'static [&'static str],
        /// Name and slug.
        pub company: (&'static str, &'static str),
    }

    /// A `[[deployment]]`.
    #[derive(Clone, Copy, Debug)]
    pub struct EmbeddedRow {
        /// File and line.
        pub place: &'static str,
        pub protocol: &'static str,
        pub networks: &'static [u64],
        pub market: &'static str,
        pub keys: &'static [RowKey],
    }

    /// A key of a mechanism.
    #[derive(Clone, Copy, Debug)]
    pub struct RowKey {
        pub key: &'static str,
        pub value: RowValue,
    }

    /// Its value.
    #[derive(Clone, Copy, Debug)]
    pub enum RowValue {
        Text(&'static str),
        Integer(i64),
        Bool(bool),
        List(&'static [RowValue]),
    }

    /// Returns the chain id of a network; `unknown` is the error of compilation.
    #[allow(clippy::panic, reason = "it runs in the compiler")]
    pub const fn chain_id(network: &str, unknown: &str) -> u64 {
        match portolan_networks::named(network) {
            Some(chain_id) => chain_id,
            None => panic!("{}", unknown),
        }
    }

    /// Refuses a key that no list has; `unknown` is the error of compilation.
    #[allow(clippy::panic, reason = "it runs in the compiler")]
    pub const fn known(lists: &[&[&str]], key: &str, unknown: &str) {
        let mut list = 0;
        while list < lists.len() {
            let mut place = 0;
            while place < lists[list].len() {
                if is_same(lists[list][place].as_bytes(), key.as_bytes()) {
                    return;
                }
                place += 1;
            }
            list += 1;
        }
        panic!("{}", unknown)
    }

    const fn is_same(one: &[u8], other: &[u8]) -> bool {
        let mut place = 0;
        while place < one.len() && place < other.len() && one[place] == other[place] {
            place += 1;
        }
        place == one.len() && place == other.len()
    }

    impl EmbeddedProtocol {
        pub(super) fn owned(&self) -> super::Protocol {
            let (name, slug) = self.company;
            super::Protocol {
                slug: self.slug.to_owned(),
                name: self.name.to_owned(),
                website: self.website.to_owned(),
                logo: self.logo.map(str::to_owned),
                primitives: self.primitives.iter().map(|primitive| (*primitive).to_owned()).collect(),
                company: Company { name: name.to_owned(), slug: slug.to_owned() },
            }
        }
    }

    impl EmbeddedRow {
        pub(super) fn settings(&self, network: u64) -> SettingsRow {
            let key = |key: &RowKey| SettingsKey { key: key.key.to_owned(), value: key.value.owned() };
            SettingsRow {
                protocol: self.protocol.to_owned(),
                chain_id: network,
                market: self.market.to_owned(),
                keys: self.keys.iter().map(key).collect(),
            }
        }
    }

    impl RowValue {
        fn owned(&self) -> SettingsValue {
            match self {
                Self::Text(text) => SettingsValue::Text((*text).to_owned()),
                Self::Integer(number) => SettingsValue::Integer(*number),
                Self::Bool(flag) => SettingsValue::Bool(*flag),
                Self::List(list) => SettingsValue::List(list.iter().map(Self::owned).collect()),
            }
        }
    }
}
