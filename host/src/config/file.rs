//! The configuration file as written: TOML in which an unknown key is an error. The modules that use the values check
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use serde::Deserialize;
use serde_path_to_error::Segment;

use super::ConfigError;
use super::plugins::PluginsTable;

/// Maximum size; a configuration of every network and a thousand prices has a tenth of it.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A file and its name.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) tables: ConfigTables,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ConfigTables {
    pub(super) listen: Option<String>,
    pub(super) claimables_listen: Option<String>,
    pub(super) operators_listen: Option<String>,
    pub(super) public_url: Option<String>,
    pub(super) state_dir: Option<String>,
    pub(super) trusted_group: Option<u64>,
    pub(super) log_format: Option<String>,
    pub(super) access_log: Option<bool>,
    pub(super) plugins: PluginsTable,
    pub(super) signatures: SignaturesTable,
    pub(super) answers: AnswersTable,
    pub(super) connections: ConnectionsTable,
    pub(super) process: ProcessTable,
    pub(super) claims: ClaimsTable,
    pub(super) operators: OperatorsTable,
    pub(super) rpc: RpcTable,
    pub(super) facts: FactsTable,
    /// By slug.
    pub(super) networks: BTreeMap<String, NetworkTable>,
    pub(super) prices: PricesTable,
    pub(super) tokens: TokensTable,
    pub(super) names: NamesTable,
    pub(super) spans: SpansTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SignaturesTable {
    /// `off`, `warn` or `require`.
    pub(super) mode: Option<String>,
    pub(super) revoked_builds: Vec<String>,
    /// By name.
    pub(super) keys: BTreeMap<String, KeyTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyTable {
    pub(super) key: String,
    pub(super) slugs: Vec<String>,
    pub(super) plugins: Option<Vec<String>>,
    pub(super) until: Option<String>,
    #[serde(default)]
    pub(super) revoked: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AnswersTable {
    pub(super) deadline_ms: Option<u64>,
    pub(super) in_flight_max: Option<u64>,
    pub(super) logs_max: Option<u64>,
    pub(super) logs_bytes_max: Option<u64>,
    pub(super) events_max: Option<u64>,
    pub(super) reads_max: Option<u64>,
    pub(super) node_requests_max: Option<u64>,
    pub(super) outgoing_max: Option<u64>,
    pub(super) outgoing_per_host_max: Option<u64>,
    pub(super) body_bytes_max: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ConnectionsTable {
    pub(super) max: Option<u64>,
    pub(super) per_client_max: Option<u64>,
    pub(super) head_ms: Option<u64>,
    pub(super) idle_ms: Option<u64>,
    pub(super) send_ms: Option<u64>,
    pub(super) unready_ms: Option<u64>,
    pub(super) unsent_bytes_max: Option<u64>,
    pub(super) streams_per_client_max: Option<u64>,
    pub(super) streams_max: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProcessTable {
    pub(super) memory_mib: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClaimsTable {
    /// `always` or `asked`.
    pub(super) simulate: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OperatorsTable {
    pub(super) allowed_hosts: Vec<String>,
    pub(super) token_file: Option<String>,
    pub(super) degraded_is_unready: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RpcTable {
    pub(super) in_flight_max: Option<u64>,
    pub(super) per_second_max: Option<u64>,
    pub(super) replies_mib_max: Option<u64>,
    pub(super) verify_receipts: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FactsTable {
    pub(super) days: Option<u64>,
    pub(super) again_after_s: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NetworkTable {
    pub(super) name: Option<String>,
    pub(super) chain_id: Option<u64>,
    pub(super) logo: Option<String>,
    pub(super) native: Option<String>,
    pub(super) wrapped_native: Option<String>,
    /// `none`, `op-stack` or `arbitrum`.
    pub(super) data_fee: Option<String>,
    pub(super) rpc: Option<Vec<String>>,
    pub(super) head_age_max_s: Option<u64>,
    pub(super) verify_receipts: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PricesTable {
    /// By slug, then by address.
    #[serde(rename = "static")]
    pub(super) fixed: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) feeds: Vec<FeedTable>,
    /// By slug.
    pub(super) issuers: BTreeMap<String, Vec<String>>,
    pub(super) http: Option<HttpPricesTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedTable {
    pub(super) network: String,
    pub(super) token: String,
    pub(super) feed: String,
    pub(super) heartbeat_s: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpPricesTable {
    pub(super) base_url: String,
    #[serde(default)]
    pub(super) allow_private: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TokensTable {
    pub(super) lists: Option<Vec<String>>,
    pub(super) shipped: Option<bool>,
    pub(super) refresh_s: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SpansTable {
    pub(super) collector: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NamesTable {
    /// An address, or `none`.
    pub(super) universal_resolver: Option<String>,
    pub(super) gateway_hosts: Vec<String>,
}

impl File {
    pub(super) fn read(path: &str) -> Result<Self, ConfigError> {
        let unreadable = |error: std::io::Error| ConfigError::new(path, format!("cannot be read: {error}"));
        let mut text = String::new();
        let file = fs::File::open(path).map_err(unreadable)?;
        file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > FILE_BYTES_MAX {
            return Err(ConfigError::new(path, format!("is larger than {FILE_BYTES_MAX} bytes")));
        }
        Self::parse(path, &text)
    }

    pub(super) fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let document = toml::Deserializer::parse(text).map_err(|error| refusal(name, text, &error, None))?;
        let tables = serde_path_to_error::deserialize(document)
            .map_err(|error| refusal(name, text, error.inner(), Some(key(error.path()))))?;
        Ok(Self { name: name.to_owned(), tables })
    }
}

/// Formats `file, line 3: key: …`. A parse error has no path, and gets the key at the start of its line.
fn refusal(name: &str, text: &str, error: &toml::de::Error, path: Option<String>) -> ConfigError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line_number = before.matches('\n').count();
    let of_line = || text.lines().nth(line_number).and_then(|line| line.split_once('=')).map(|(key, _)| key.trim());
    let key = path.or_else(|| of_line().filter(|key| is_plain(key)).map(ToOwned::to_owned)).unwrap_or_default();
    let colon = if key.is_empty() { "" } else { ": " };
    ConfigError::new(format!("{name}, line {}{colon}{key}", line_number + 1), error.message())
}

fn is_plain(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Formats the dotted key; empty at the top of the file.
fn key(path: &serde_path_to_error::Path) -> String {
    let parts = path.iter().filter(|segment| !matches!(segment, Segment::Unknown)).map(ToString::to_string);
    parts.collect::<Vec<_>>().join(".")
}
