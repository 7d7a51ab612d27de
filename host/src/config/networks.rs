//! Networks of the configuration: endpoints for the built-in ones, whole tables for others.
//!
//! A whole table may replace a built-in network that needs an endpoint. Invariant: slug, name and chain id are each
//! unique, and safe in headers, variables and log lines.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use alloy::primitives::Address;
use portolan_base::network::{CAIP2_PREFIX, Network, Networks};
use portolan_networks::DataFee;
use serde::Deserialize;

use super::ConfigError;
use super::layers::Layers;
use crate::address;
use crate::head_age::HeadAgeMax;
use portolan_reader::RpcUrl;

/// More chains than anyone serves from one gateway; keeps `portolan-blocks` short enough for proxies.
const ADDED_MAX: usize = 64;

/// Default maximum age of a network's newest block in seconds: far above the longest gaps between blocks of running
/// chains.
const HEAD_AGE_S: u64 = 1_800;
/// A year; whoever wants more can have no limit.
const HEAD_AGE_S_MAX: u64 = 31_536_000;

/// Maximum length of a slug, name or symbol.
const WORD_BYTES_MAX: usize = 32;

/// Maximum length of a logo's URL.
const LOGO_BYTES_MAX: usize = 1024;

/// The table of a network.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NetworkTable {
    /// Its key in the file, for error texts.
    #[serde(skip)]
    key: String,
    name: Option<String>,
    chain_id: Option<u64>,
    logo: Option<String>,
    native: Option<String>,
    wrapped_native: Option<String>,
    /// `none`, `op-stack`, `arbitrum`, `mantle` or `scroll`.
    data_fee: Option<String>,
    pub(super) rpc: Option<Vec<String>>,
    head_age_max_s: Option<u64>,
    verify_receipts: Option<bool>,
}

/// Returns the tables by slug. A table of a built-in network may also have its chain id or its CAIP-2 id as the key.
pub(super) fn by_slug(
    written: BTreeMap<String, NetworkTable>,
    layers: &Layers<'_>,
) -> Result<BTreeMap<String, NetworkTable>, ConfigError> {
    let built_in = Networks::new([]);
    let mut tables = BTreeMap::new();
    for (key, table) in written {
        let is_id = key.starts_with(|first: char| first.is_ascii_digit()) || key.starts_with(CAIP2_PREFIX);
        let network = built_in.named(&key).filter(|_| is_id);
        let slug = network.map_or_else(|| key.clone(), |network| network.slug.clone());
        let place = if key.contains(':') { format!("networks.\"{key}\"") } else { format!("networks.{key}") };
        if tables.contains_key(&slug) {
            return Err(ConfigError::new(layers.place(&place), format!("is a second table of {slug}")));
        }
        tables.insert(slug, NetworkTable { key: place, ..table });
    }
    Ok(tables)
}

/// Reads the networks: the built-in ones, then those that `tables` add, in the order of slugs.
pub(super) fn read(tables: &BTreeMap<String, NetworkTable>, layers: &Layers<'_>) -> Result<Networks, ConfigError> {
    let mut added: Vec<Network> = Vec::new();
    let built_in = Networks::new([]);
    for (slug, table) in tables {
        let reader = Reader { slug, table, layers };
        match (built_in.iter().find(|network| network.slug == *slug), reader.first_fact()) {
            (Some(_), None) => continue,
            (Some(network), Some(key)) if !network.needs_endpoint => {
                return Err(reader.bad(key, "cannot be set: the network is built in"));
            }
            _ => {}
        }
        let network = reader.network()?;
        let fixed = built_in.iter().map(AsRef::as_ref).filter(|other| !other.needs_endpoint);
        for other in fixed.chain(&added) {
            reader.differs(&network, other)?;
        }
        added.push(network);
    }
    if added.len() > ADDED_MAX {
        return Err(ConfigError::new(layers.place("networks"), format!("adds more than {ADDED_MAX} networks")));
    }
    Ok(Networks::new(added))
}

/// Reads the maximum age of each network's newest block. Without a setting, a chain with only local endpoints counts
/// as a test chain and has no limit; 0 also means none.
pub(super) fn head_age_max(
    tables: &BTreeMap<String, NetworkTable>,
    networks: &Networks,
    rpc: &[(u64, Vec<RpcUrl>)],
    layers: &Layers<'_>,
) -> Result<HeadAgeMax, ConfigError> {
    let mut bounds = HeadAgeMax::default();
    for network in networks.iter() {
        let set = tables.get(&network.slug).and_then(|table| Some((table, table.head_age_max_s?)));
        let endpoints = rpc.iter().find(|(chain_id, _)| *chain_id == network.chain_id).map(|(_, urls)| urls.as_slice());
        let is_local = endpoints.unwrap_or_default().iter().all(RpcUrl::is_loopback);
        let seconds = match set {
            Some((table, seconds)) if seconds > HEAD_AGE_S_MAX => {
                let place = table.place("head_age_max_s", layers);
                return Err(ConfigError::new(place, format!("is more than {HEAD_AGE_S_MAX}")));
            }
            Some((_, seconds)) => seconds,
            None if is_local => 0,
            None => HEAD_AGE_S,
        };
        if seconds > 0 {
            bounds.0.insert(network.chain_id, Duration::from_secs(seconds));
        }
    }
    Ok(bounds)
}

/// Returns the networks whose transactions count only with a proven receipt, by their own setting or the common one.
pub(super) fn verify_receipts(
    tables: &BTreeMap<String, NetworkTable>,
    networks: &Networks,
    of_all: bool,
) -> BTreeSet<u64> {
    let own = |network: &Network| tables.get(&network.slug).and_then(|table| table.verify_receipts);
    networks.iter().filter(|network| own(network).unwrap_or(of_all)).map(|network| network.chain_id).collect()
}

impl NetworkTable {
    /// Names a key of the table in error texts.
    pub(super) fn place(&self, key: &str, layers: &Layers<'_>) -> String {
        layers.place(&format!("{}.{key}", self.key))
    }
}

struct Reader<'a> {
    slug: &'a str,
    table: &'a NetworkTable,
    layers: &'a Layers<'a>,
}

impl Reader<'_> {
    fn bad(&self, key: &str, reason: &str) -> ConfigError {
        ConfigError::new(self.layers.place(&format!("{}{key}", self.table.key)), reason)
    }

    /// Returns the first key of the table that states a fact of the network, as an endpoint does not.
    fn first_fact(&self) -> Option<&'static str> {
        let NetworkTable {
            key: _,
            name,
            chain_id,
            logo,
            native,
            wrapped_native,
            data_fee,
            rpc: _,
            head_age_max_s: _,
            verify_receipts: _,
        } = self.table;
        let facts = [
            (".name", name.is_some()),
            (".chain_id", chain_id.is_some()),
            (".logo", logo.is_some()),
            (".native", native.is_some()),
            (".wrapped_native", wrapped_native.is_some()),
            (".data_fee", data_fee.is_some()),
        ];
        facts.into_iter().find(|(_, is_set)| *is_set).map(|(key, _)| key)
    }

    fn network(&self) -> Result<Network, ConfigError> {
        let is_slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
        // A number would be taken for a chain id.
        if !is_word(self.slug, is_slug) || self.slug.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.bad("", "is not a slug of lower-case letters, digits, _ and -, with a letter"));
        }
        let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let chain_id = self.table.chain_id.filter(|id| *id > 0);
        Ok(Network {
            slug: self.slug.to_owned(),
            name: self.word(".name", self.table.name.as_deref(), is_name, "upper-case letters, digits and _")?,
            chain_id: chain_id.ok_or_else(|| self.bad(".chain_id", "is missing or 0"))?,
            logo: self.logo()?,
            native: self.word(".native", self.table.native.as_deref(), |byte| byte.is_ascii_graphic(), "a symbol")?,
            wrapped_native: self.wrapped_native()?,
            data_fee: self.data_fee()?,
            needs_endpoint: false,
        })
    }

    fn word(
        &self,
        key: &str,
        setting: Option<&str>,
        is_allowed: impl Fn(u8) -> bool,
        expected: &str,
    ) -> Result<String, ConfigError> {
        let setting = setting.ok_or_else(|| self.bad(key, "is missing"))?;
        if is_word(setting, is_allowed) {
            Ok(setting.to_owned())
        } else {
            Err(self.bad(key, &format!("{setting} is not {expected}, up to {WORD_BYTES_MAX} of them")))
        }
    }

    fn logo(&self) -> Result<String, ConfigError> {
        let logo = self.table.logo.as_deref().ok_or_else(|| self.bad(".logo", "is missing"))?;
        let is_url = url::Url::parse(logo).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_url && logo.len() <= LOGO_BYTES_MAX && logo.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(logo.to_owned())
        } else {
            Err(self.bad(".logo", "is not an http or https URL"))
        }
    }

    fn data_fee(&self) -> Result<DataFee, ConfigError> {
        match self.table.data_fee.as_deref() {
            None | Some("none") => Ok(DataFee::None),
            Some("op-stack") => Ok(DataFee::OpStack),
            Some("arbitrum") => Ok(DataFee::Arbitrum),
            Some("mantle") => Ok(DataFee::Mantle),
            Some("scroll") => Ok(DataFee::Scroll),
            Some(other) => {
                Err(self.bad(".data_fee", &format!("{other} is neither none, op-stack, arbitrum, mantle nor scroll")))
            }
        }
    }

    fn wrapped_native(&self) -> Result<Option<Address>, ConfigError> {
        let setting = self.table.wrapped_native.as_deref();
        let read =
            |text: &str| address::parse(text).map_err(|error| self.bad(".wrapped_native", &format!("{text} {error}")));
        setting.map(read).transpose()
    }

    fn differs(&self, network: &Network, other: &Network) -> Result<(), ConfigError> {
        let names = [&other.slug, &other.name];
        let is_taken = |text: &str| names.into_iter().any(|name| name.eq_ignore_ascii_case(text));
        let key = if is_taken(&network.slug) {
            ""
        } else if is_taken(&network.name) {
            ".name"
        } else if network.chain_id == other.chain_id {
            ".chain_id"
        } else {
            return Ok(());
        };
        Err(self.bad(key, &format!("is also that of {}", other.slug)))
    }
}

fn is_word(text: &str, is_allowed: impl Fn(u8) -> bool) -> bool {
    (1..=WORD_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_allowed)
}
