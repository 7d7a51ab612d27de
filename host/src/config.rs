//! The configuration: flags over `PORTOLAN_*` environment over file over defaults.
//!
//! Invariant: a [`Config`] is complete and valid, and every error is one line that names its place and repeats no URL.

mod answers;
mod connections;
mod file;
mod folders;
mod handover;
mod layer;
mod limits;
mod names;
mod networks;
mod operators;
mod plugins;
mod prices;
mod rpc;
mod signatures;
mod spans;
mod tokens;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use portolan_base::files::Writers;
use portolan_base::net::off_chain::CACHE_BYTES_MAX;
use portolan_base::sanitize;
use portolan_plugins::limits::FACT_LISTS_BYTES;
use tracing_subscriber::EnvFilter;
use url::Url;

pub(crate) use self::connections::ConnectionLimits;
use self::file::File;
pub(crate) use self::layer::Environment;
use self::layer::{Key, Layers, Setting};
pub(crate) use self::operators::{ListenAddress, OperatorAccess, OperatorToken};
use crate::cli::Flags;
use crate::gateway::GatewaySettings;
use crate::gateway::query::SimulateWhen;
use crate::log::{self, LogFormat};
use crate::memory::MemoryLimit;

/// Time for an answer. No chain answers within a tenth of a second, and no client waits longer than two minutes.
const DEADLINE_MS: (u64, std::ops::RangeInclusive<u64>) = (8000, 100..=120_000);

/// Answers in flight. Each holds its replies and rows in memory.
const IN_FLIGHT: (u64, std::ops::RangeInclusive<u64>) = (256, 1..=65_536);

/// Maximum logs of a decoded transaction. Decoding more than a hundred thousand takes longer than any answer may.
const LOGS: (u64, std::ops::RangeInclusive<u64>) = (5000, 1..=100_000);

/// Maximum bytes of the logs of all transactions being decoded: a hundred of 500 logs, or four of the largest that fit
/// into a block.
const LOGS_BYTES: (u64, std::ops::RangeInclusive<u64>) = (16 << 20, 1 << 20..=1 << 30);

/// Requests in flight to one endpoint. More than a thousand only queue inside the node.
const RPC_IN_FLIGHT: (u64, std::ops::RangeInclusive<u64>) = (64, 1..=1024);

/// Requests per second to one endpoint; 0 means no limit. No node answers a million.
const RPC_PER_SECOND: (u64, std::ops::RangeInclusive<u64>) = (500, 0..=1_000_000);

/// Lifetime of a stored fact in days. Proxies change what was immutable, so it is read again after a month.
const FACT_DAYS: (u64, std::ops::RangeInclusive<u64>) = (30, 1..=365);

/// Seconds before a network's only endpoint must confirm a fact for it to be stored, so that a momentary lie or
/// mistake of a node is not stored.
const FACT_AGAIN_AFTER_S: (u64, std::ops::RangeInclusive<u64>) = (900, 1..=604_800);

const OPERATORS_DEFAULT: ListenAddress = ListenAddress::Tcp(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9090));

/// Mebibytes of nodes' replies held at once: at least half for all endpoints, the rest for the one that may always
/// proceed.
const RPC_REPLIES_MIB: (u64, std::ops::RangeInclusive<u64>) = (128, 64..=65_536);

/// Default shares of the process's memory: one part in this many.
const REPLIES_PARTS: u64 = 4;
const LOGS_PARTS: u64 = 32;
const FACT_LISTS_PARTS: u64 = 5;
const CACHED_REPLIES_PARTS: u64 = 8;
const CACHED_BLOCKS_PARTS: u64 = 8;
const DOCUMENTS_PARTS: u64 = 16;

/// Memory of the process in mebibytes. With less, not even one large answer has room.
const PROCESS_MEMORY: std::ops::RangeInclusive<u64> = 256..=1 << 24;

const LISTEN: Key = Key { file: "listen", flag: Some("--listen") };
const CLAIMABLES_LISTEN: Key = Key { file: "claimables_listen", flag: Some("--claimables-listen") };
const OPERATORS_LISTEN: Key = Key { file: "operators_listen", flag: Some("--operators-listen") };
const PUBLIC_URL: Key = Key { file: "public_url", flag: None };
/// Group ids; `u32::MAX` means none.
const GROUPS: std::ops::RangeInclusive<u32> = 0..=u32::MAX - 1;

const PROCESS_MEMORY_MIB: Key = Key { file: "process.memory_mib", flag: None };
const STATE_DIR: Key = Key { file: "state_dir", flag: Some("--state") };
const LOG_FORMAT: Key = Key { file: "log_format", flag: Some("--log-format") };
const ACCESS_LOG: Key = Key { file: "access_log", flag: None };
const PLUGINS_DIR: Key = Key { file: "plugins.dir", flag: Some("--plugins") };
const TRUSTED_GROUP: Key = Key { file: "trusted_group", flag: None };
const ISOLATION: Key = Key { file: "plugins.isolation", flag: None };
const ANSWER_DEADLINE: Key = Key { file: "answers.deadline_ms", flag: None };
const ANSWERS_IN_FLIGHT: Key = Key { file: "answers.in_flight_max", flag: None };
const ANSWERS_LOGS: Key = Key { file: "answers.logs_max", flag: None };
const ANSWERS_LOGS_BYTES: Key = Key { file: "answers.logs_bytes_max", flag: None };

const RPC_IN_FLIGHT_MAX: Key = Key { file: "rpc.in_flight_max", flag: None };
const RPC_PER_SECOND_MAX: Key = Key { file: "rpc.per_second_max", flag: None };
const RPC_REPLIES_MIB_MAX: Key = Key { file: "rpc.replies_mib_max", flag: None };
const RPC_VERIFY_RECEIPTS: Key = Key { file: "rpc.verify_receipts", flag: None };

const SIMULATE: Key = Key { file: "claims.simulate", flag: None };

const FACTS_DAYS: Key = Key { file: "facts.days", flag: None };
const FACTS_AGAIN_AFTER_S: Key = Key { file: "facts.again_after_s", flag: None };

/// The configuration of the process.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) claimables_listen: SocketAddr,
    pub(crate) operators_listen: ListenAddress,
    /// URL of the base listener for clients, without a trailing slash.
    pub(crate) public_url: Option<String>,
    pub(crate) operators: OperatorAccess,
    /// True if the operator named it; then it is not created.
    pub(crate) plugins_dir_is_named: bool,
    pub(crate) log_format: LogFormat,
    pub(crate) log_filter: EnvFilter,
    /// True if every request is logged.
    pub(crate) access_log: bool,
    /// The collector of spans.
    pub(crate) collector: Option<Url>,
    pub(crate) connections: ConnectionLimits,
    pub(crate) deadline_ms: u64,
    /// What the gateway starts with.
    pub(crate) gateway: GatewaySettings,
}

/// Error in the configuration; always one line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub(crate) struct ConfigError {
    /// File and key, flag, or variable.
    place: String,
    reason: String,
}

impl ConfigError {
    fn new(place: impl AsRef<str>, reason: impl AsRef<str>) -> Self {
        Self { place: sanitize::single_line(place.as_ref()), reason: sanitize::single_line(reason.as_ref()) }
    }
}

impl Config {
    /// Reads the file named by flags or environment, if any, and merges all layers.
    pub(crate) fn load(flags: &Flags, environment: &Environment) -> Result<Self, ConfigError> {
        let path = flags.config.as_deref().or_else(|| environment.get("PORTOLAN_CONFIG"));
        let file = path.map(File::read).transpose()?.unwrap_or_default();
        Self::merge(flags, environment, file)
    }

    fn merge(flags: &Flags, environment: &Environment, file: File) -> Result<Self, ConfigError> {
        let File { name, tables } = file;
        let layers = Layers { environment, file: &name };
        let limits = tables.plugins.limits(&layers)?;
        let address = |key, flag: &Option<String>, setting: Option<String>, default: u16| {
            let default = SocketAddr::from(([127, 0, 0, 1], default));
            layers.pick(key, flag.clone(), setting).map_or(Ok(default), |setting| socket_address(&setting))
        };
        let folder = |key, flag: &Option<String>, setting: Option<String>, default: &str| {
            let setting = setting.map(|text| folders::of_file(&name, text));
            let setting = layers.pick(key, flag.clone(), setting);
            setting.map_or_else(|| folders::default(&layers, key, default), |setting| folders::named(&setting))
        };
        let trusted_group = layers.pick(TRUSTED_GROUP, None, tables.trusted_group.map(|group| group.to_string()));
        let number = |key, setting: Option<u64>, (default, range)| {
            layers
                .pick(key, None, setting.map(|setting| setting.to_string()))
                .map_or(Ok(default), |setting| setting.number(&range))
        };
        if let Some(setting) = layers.pick(ISOLATION, None, tables.plugins.isolation) {
            isolation(&setting)?;
        }
        let memory = layers.pick(PROCESS_MEMORY_MIB, None, tables.process.memory_mib.map(|mib| mib.to_string()));
        let memory = MemoryLimit::new(memory.map(|setting| setting.number(&PROCESS_MEMORY)).transpose()?);
        // Default of a bound: its share of the memory, at most its maximum default.
        let shared = |(max, range), parts| (memory.share(parts, max), range);
        let networks = networks::read(&tables.networks, &layers)?;
        let rpc = rpc::read(&flags.rpc, &tables.networks, &networks, &layers)?;
        let head_age_max = networks::head_age_max(&tables.networks, &networks, &rpc, &layers)?;
        let deadline_ms = number(ANSWER_DEADLINE, tables.answers.deadline_ms, DEADLINE_MS)?;
        let in_flight_max = number(ANSWERS_IN_FLIGHT, tables.answers.in_flight_max, IN_FLIGHT)?;
        let logs_max = number(ANSWERS_LOGS, tables.answers.logs_max, LOGS)?;
        let logs_bytes_max = number(ANSWERS_LOGS_BYTES, tables.answers.logs_bytes_max, shared(LOGS_BYTES, LOGS_PARTS))?;
        let rpc_in_flight_max = number(RPC_IN_FLIGHT_MAX, tables.rpc.in_flight_max, RPC_IN_FLIGHT)?;
        let rpc_per_second_max = number(RPC_PER_SECOND_MAX, tables.rpc.per_second_max, RPC_PER_SECOND)?;
        let (replies_mib, range) = RPC_REPLIES_MIB;
        let replies = ((memory.share(REPLIES_PARTS, replies_mib << 20) >> 20).max(*range.start()), range);
        let rpc_replies_mib_max = number(RPC_REPLIES_MIB_MAX, tables.rpc.replies_mib_max, replies)?;
        let verify_receipts = layers
            .pick(RPC_VERIFY_RECEIPTS, None, tables.rpc.verify_receipts.map(|is_on| is_on.to_string()))
            .map_or(Ok(false), |setting| on_or_off(&setting))?;
        let state_dir = folder(STATE_DIR, &flags.state, tables.state_dir, "portolan-state")?;
        let fact_days = number(FACTS_DAYS, tables.facts.days, FACT_DAYS)?;
        let fact_again_after_s = number(FACTS_AGAIN_AFTER_S, tables.facts.again_after_s, FACT_AGAIN_AFTER_S)?;
        Ok(Self {
            listen: address(LISTEN, &flags.listen, tables.listen, 8080)?,
            claimables_listen: address(CLAIMABLES_LISTEN, &flags.claimables_listen, tables.claimables_listen, 8081)?,
            operators_listen: layers
                .pick(OPERATORS_LISTEN, flags.operators_listen.clone(), tables.operators_listen)
                .map_or(Ok(OPERATORS_DEFAULT), |setting| operators::address(&setting))?,
            public_url: layers
                .pick(PUBLIC_URL, None, tables.public_url)
                .map(|setting| public_url(&setting))
                .transpose()?,
            operators: operators::access(&tables.operators, &layers)?,
            plugins_dir_is_named: layers.pick(PLUGINS_DIR, flags.plugins.clone(), tables.plugins.dir.clone()).is_some(),
            log_format: layers
                .pick(LOG_FORMAT, flags.log_format.clone(), tables.log_format)
                .map_or(Ok(LogFormat::Text), |setting| log_format(&setting))?,
            log_filter: log_filter(environment)?,
            access_log: layers
                .pick(ACCESS_LOG, None, tables.access_log.map(|is_on| is_on.to_string()))
                .map_or(Ok(false), |setting| on_or_off(&setting))?,
            collector: spans::read(tables.spans, &layers)?,
            connections: connections::read(&tables.connections, &memory, &layers)?,
            deadline_ms,
            gateway: GatewaySettings {
                facts: portolan_reader::StoreSettings {
                    folder: state_dir.clone(),
                    lifetime: Duration::from_secs(fact_days * 86_400),
                    again_after: Duration::from_secs(fact_again_after_s),
                },
                state_dir,
                plugins_dir: folder(PLUGINS_DIR, &flags.plugins, tables.plugins.dir, "portolan-plugins")?,
                writers: Writers::of_process(trusted_group.map(|group| group.number(&GROUPS)).transpose()?),
                head_age_max,
                rpc_limits: portolan_reader::Limits {
                    in_flight_max: usize::try_from(rpc_in_flight_max).unwrap_or(usize::MAX),
                    per_second_max: u32::try_from(rpc_per_second_max).unwrap_or(u32::MAX),
                    replies_max_bytes: usize::try_from(rpc_replies_mib_max << 20).unwrap_or(usize::MAX),
                    cached_replies_max_bytes: memory.share(CACHED_REPLIES_PARTS, u64::MAX),
                    cached_blocks_max_bytes: memory.share(CACHED_BLOCKS_PARTS, u64::MAX),
                },
                verify_receipts: networks::verify_receipts(&tables.networks, &networks, verify_receipts),
                prices: prices::read(&tables.prices, &networks, &layers)?,
                token_lists: tokens::read(tables.tokens, &layers)?,
                names: names::read(&tables.names, &layers)?,
                limits: limits.with_fact_lists(memory.share(FACT_LISTS_PARTS, FACT_LISTS_BYTES)),
                documents_bytes_max: memory.share(DOCUMENTS_PARTS, CACHE_BYTES_MAX),
                signatures: signatures::read(&tables.signatures, &layers)?,
                memory,
                simulate_claims: layers
                    .pick(SIMULATE, None, tables.claims.simulate)
                    .map_or(Ok(SimulateWhen::default()), |setting| simulate_when(&setting))?,
                answer_limits: answers::read(&tables.answers, Duration::from_millis(deadline_ms), &layers)?,
                in_flight_max: usize::try_from(in_flight_max).unwrap_or(usize::MAX),
                logs_max: usize::try_from(logs_max).unwrap_or(usize::MAX),
                logs_bytes_max: u32::try_from(logs_bytes_max).unwrap_or(u32::MAX),
                networks: networks.listed(|chain_id| rpc.iter().any(|(configured, _)| *configured == chain_id)),
                rpc,
            },
        })
    }
}

fn socket_address(setting: &Setting) -> Result<SocketAddr, ConfigError> {
    setting.text.parse().map_err(|_| setting.bad("is not an address and a port, like 127.0.0.1:8080"))
}

/// Logo URLs begin with it, and clients must be able to open the longest.
const PUBLIC_URL_BYTES_MAX: usize = 512;

fn public_url(setting: &Setting) -> Result<String, ConfigError> {
    let text = setting.text.trim_end_matches('/');
    let is_base = |url: Url| {
        matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    };
    let is_short = text.len() <= PUBLIC_URL_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_short && Url::parse(text).is_ok_and(is_base) {
        return Ok(text.to_owned());
    }
    Err(setting.bad("is not the http or https URL that clients know the gateway by, like https://portolan.example"))
}

fn log_format(setting: &Setting) -> Result<LogFormat, ConfigError> {
    match setting.text.as_str() {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(setting.bad("is neither text nor json")),
    }
}

fn on_or_off(setting: &Setting) -> Result<bool, ConfigError> {
    setting.text.parse().map_err(|_| setting.bad("is neither true nor false"))
}

fn simulate_when(setting: &Setting) -> Result<SimulateWhen, ConfigError> {
    match setting.text.as_str() {
        "always" => Ok(SimulateWhen::Always),
        "asked" => Ok(SimulateWhen::Asked),
        _ => Err(setting.bad("is neither always nor asked")),
    }
}

fn isolation(setting: &Setting) -> Result<(), ConfigError> {
    match setting.text.as_str() {
        "in-process" => Ok(()),
        "worker" => Err(setting.bad("is not available yet; use in-process")),
        _ => Err(setting.bad("is not an isolation mode; use in-process")),
    }
}

fn log_filter(environment: &Environment) -> Result<EnvFilter, ConfigError> {
    let setting = ["PORTOLAN_LOG", "RUST_LOG"].into_iter().find_map(|name| Some((name, environment.get(name)?)));
    let (name, text) = setting.map_or(("PORTOLAN_LOG", None), |(name, text)| (name, Some(text)));
    log::filter(text).map_err(|error| ConfigError::new(name, error.to_string()))
}

#[cfg(test)]
mod tests;
