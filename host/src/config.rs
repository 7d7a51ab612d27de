//! The configuration: flags over `PORTOLAN_*` environment over file over defaults.
//!
//! Invariant: a [`Config`] is complete and valid, and every error is one line that names its place and repeats no URL.

mod clients;
mod connections;
mod env_scrub;
mod file;
mod folders;
mod form;
mod layers;
mod mcp;
mod names;
mod networks;
mod operators;
mod plugins;
mod prices;
mod proxies;
mod rpc;
mod secrets;
mod settings;
mod signatures;
mod store;
mod tokens;
mod values;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use portolan_assets::names::NameSettings;
use portolan_assets::token_list::{ListLocation, ListSettings};
use portolan_base::files::TrustedOwners;
use portolan_base::net::off_chain::CACHE_BYTES_MAX;
use portolan_base::sanitize;
use portolan_plugins::limits::{FACT_LISTS_BYTES, Limits as OnePluginLimits, NewCapabilities, PluginLimits};
use portolan_plugins::signature::{SignatureMode, SignatureSettings};
use portolan_reader::{Limits, StoreSettings};
use tracing_subscriber::EnvFilter;
use url::Url;

pub(crate) use self::connections::{ConnectionLimits, PortfolioWatchLimits};
use self::file::ConfigFile;
pub(crate) use self::folders::BuiltFolder;
pub(crate) use self::layers::Environment;
use self::layers::Layers;
pub(crate) use self::mcp::McpAccess;
pub(crate) use self::operators::{ListenAddress, OperatorAccess, OperatorToken};
use self::settings::{KEYS, Settings};
use crate::budget::AnswerLimits;
use crate::cli::Flags;
use crate::clients::ClientSettings;
use crate::gateway::GatewaySettings;
use crate::log::{self, LogFormat};
use crate::memory::MemoryLimit;

/// Shares of the process's memory that are not settings: one part in this many.
const FACT_LISTS_PARTS: u64 = 5;
const CACHED_REPLIES_PARTS: u64 = 8;
const CACHED_BLOCKS_PARTS: u64 = 8;
const DOCUMENTS_PARTS: u64 = 16;

/// Folders of the built book and of the built explorer that nobody named.
const DOCS: &str = "portolan-docs";
const EXPLORER: &str = "portolan-explorer";

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
    pub(crate) watches: PortfolioWatchLimits,
    pub(crate) clients: ClientSettings,
    /// `None` if assistants are not served.
    pub(crate) mcp: Option<McpAccess>,
    pub(crate) deadline_ms: u64,
    /// The settings that the gateway starts with.
    pub(crate) gateway: GatewaySettings,
    /// The built book.
    pub(crate) docs: BuiltFolder,
    /// The built explorer.
    pub(crate) explorer: BuiltFolder,
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
        let Some(path) = flags.config.as_deref().or_else(|| environment.get("PORTOLAN_CONFIG")) else {
            return Self::merge(flags, environment, ConfigFile::default());
        };
        Self::merge(flags, environment, ConfigFile::parse(path, &file::read(path)?)?)
    }

    /// Refuses a folder of plugins that the operator named and that is not there.
    pub(crate) fn check_plugins_dir(&self) -> Result<(), ConfigError> {
        let folder = &self.gateway.plugins_dir;
        let is_missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        if self.plugins_dir_is_named && folder.symlink_metadata().map_err(is_missing).err().unwrap_or_default() {
            let reason = format!("the folder {} is not there: make it, or correct its name", folder.display());
            return Err(ConfigError::new("plugins.dir", reason));
        }
        Ok(())
    }

    fn merge(flags: &Flags, environment: &Environment, mut document: ConfigFile<'_>) -> Result<Self, ConfigError> {
        let layers = Layers { flags, environment, file: document.name };
        let settings = Settings::read(&layers, &mut document)?;
        let tables = NamedTables::take(&mut document, &layers)?;
        let memory = MemoryLimit::new(settings.memory_mib);
        let docs = BuiltFolder::new(settings.docs_dir.as_ref(), DOCS, "--docs", &layers)?;
        let explorer = BuiltFolder::new(settings.explorer_dir.as_ref(), EXPLORER, "--explorer", &layers)?;
        Ok(Self {
            listen: settings.listen,
            claimables_listen: settings.claimables_listen,
            operators_listen: settings.operators_listen.clone(),
            public_url: settings.public_url.clone(),
            operators: OperatorAccess {
                allowed_hosts: settings.allowed_hosts.clone(),
                token: operators::token(settings.token_file.as_ref(), environment)?,
                degraded_is_unready: settings.degraded_is_unready,
            },
            plugins_dir_is_named: settings.plugins_dir.place.is_some(),
            log_format: settings.log_format,
            log_filter: log_filter(environment)?,
            access_log: settings.access_log,
            collector: settings.collector.clone(),
            connections: connection_limits(&settings, &memory),
            watches: PortfolioWatchLimits::new(
                settings.watched_portfolios_max,
                settings.watches_per_client_max,
                settings.idle,
            ),
            clients: clients::settings(&settings, &layers)?,
            mcp: settings
                .is_mcp_enabled
                .then(|| McpAccess::new(&settings.mcp_hosts, &settings.mcp_origins, settings.public_url.as_deref())),
            deadline_ms: settings.deadline_ms,
            gateway: gateway(settings, &tables, memory, &layers)?,
            docs,
            explorer,
        })
    }
}

/// The tables of the file whose keys are names.
struct NamedTables {
    networks: BTreeMap<String, networks::NetworkTable>,
    prices: prices::PricesTable,
    keys: BTreeMap<String, signatures::KeyTable>,
    limits: BTreeMap<String, plugins::LimitsTable>,
    plugins: BTreeMap<String, plugins::GrantTable>,
}

impl NamedTables {
    const KEYS: [&str; 5] = ["networks", "prices", "signatures.keys", "plugins.limits.<plugin>", "plugins.<plugin>"];

    /// Takes the tables out of a document without settings; nothing else may be left in it.
    fn take(document: &mut ConfigFile<'_>, layers: &Layers<'_>) -> Result<Self, ConfigError> {
        document.refuse_unknown(&[KEYS, &Self::KEYS].concat())?;
        Ok(Self {
            networks: networks::by_slug(document.take("networks")?.unwrap_or_default(), layers)?,
            prices: document.take("prices")?.unwrap_or_default(),
            keys: document.take("signatures.keys")?.unwrap_or_default(),
            limits: document.take("plugins.limits")?.unwrap_or_default(),
            plugins: document.take("plugins")?.unwrap_or_default(),
        })
    }
}

fn gateway(
    settings: Settings,
    tables: &NamedTables,
    memory: MemoryLimit,
    layers: &Layers<'_>,
) -> Result<GatewaySettings, ConfigError> {
    let networks = networks::read(&tables.networks, layers)?;
    let rpc = rpc::read(&tables.networks, &networks, layers)?;
    let all = OnePluginLimits {
        resume_ms: settings.resume_ms,
        job_ms: settings.job_ms,
        memory_mib: settings.plugin_memory_mib,
        cpu_percent: settings.cpu_percent,
        jobs_max: settings.jobs_max,
        answer_mib: settings.answer_mib,
    };
    let plugin_limits = plugins::read(all, &tables.limits, &tables.plugins, layers)?;
    let state_dir = folders::folder(&settings.state_dir, "--state", layers)?;
    let new_capabilities = settings.new_capabilities.unwrap_or(match settings.signature_mode {
        SignatureMode::Require => NewCapabilities::Wait,
        SignatureMode::Off | SignatureMode::Warn => NewCapabilities::Log,
    });
    Ok(GatewaySettings {
        plugins_dir: folders::folder(&settings.plugins_dir, "--plugins", layers)?,
        writers: TrustedOwners::of_process(settings.trusted_group),
        head_age_max: networks::head_age_max(&tables.networks, &networks, &rpc, layers)?,
        rpc_limits: rpc_limits(&settings, &memory),
        verify_receipts: networks::verify_receipts(&tables.networks, &networks, settings.verify_receipts),
        facts: StoreSettings {
            folder: state_dir.clone(),
            lifetime: settings.fact_lifetime,
            again_after: settings.fact_again_after,
        },
        shared_store: store::read(
            settings.store_url.clone(),
            settings.store_secret_file.as_ref(),
            settings.store_ca_file.as_ref(),
            settings.store_wait,
            layers.environment,
        )?,
        prices: prices::read(&tables.prices, &networks, layers)?,
        answer_limits: answer_limits(&settings),
        logs_bytes_max: u32::try_from(settings.logs_bytes_max.bytes(&memory)).unwrap_or(u32::MAX),
        records: None,
        token_lists: ListSettings {
            locations: [
                settings.token_lists,
                settings.is_list_shipped.then_some(ListLocation::Shipped).into_iter().collect(),
            ]
            .concat(),
            refresh: settings.list_refresh,
        },
        names: NameSettings { universal_resolver: settings.universal_resolver, gateway_hosts: settings.gateway_hosts },
        limits: PluginLimits {
            isolation: settings.isolation,
            new_capabilities,
            sandbox_may_lack: settings.sandbox_may_lack,
            ..plugin_limits.with_fact_lists(memory.share(FACT_LISTS_PARTS, FACT_LISTS_BYTES))
        },
        documents_bytes_max: memory.share(DOCUMENTS_PARTS, CACHE_BYTES_MAX),
        signatures: SignatureSettings {
            mode: settings.signature_mode,
            keys: signatures::keys(settings.signature_mode, &tables.keys, layers)?,
            revoked_builds: settings.revoked_builds,
        },
        simulate_claims: settings.simulate_claims,
        in_flight_max: settings.answers_in_flight_max,
        logs_max: settings.logs_max,
        accounts_max: settings.accounts_max,
        networks: networks.listed(|chain_id| rpc.iter().any(|(configured, _)| *configured == chain_id)),
        state_dir,
        memory,
        rpc,
    })
}

fn rpc_limits(settings: &Settings, memory: &MemoryLimit) -> Limits {
    Limits {
        in_flight_max: settings.rpc_in_flight_max,
        per_second_max: settings.rpc_per_second_max,
        replies_max_bytes: usize::try_from(settings.rpc_replies_max.bytes(memory)).unwrap_or(usize::MAX),
        cached_replies_max_bytes: memory.share(CACHED_REPLIES_PARTS, u64::MAX),
        cached_blocks_max_bytes: memory.share(CACHED_BLOCKS_PARTS, u64::MAX),
    }
}

fn answer_limits(settings: &Settings) -> AnswerLimits {
    AnswerLimits {
        time: Duration::from_millis(settings.deadline_ms),
        reads_max: settings.reads_max,
        node_requests_max: settings.node_requests_max,
        outgoing_max: settings.outgoing_max,
        outgoing_per_host_max: settings.outgoing_per_host_max,
        events_max: settings.events_max,
        body_bytes_max: settings.body_bytes_max,
    }
}

fn connection_limits(settings: &Settings, memory: &MemoryLimit) -> ConnectionLimits {
    ConnectionLimits {
        max: settings.connections_max,
        per_client_max: settings.per_client_max,
        head: settings.head,
        idle: settings.idle,
        send: settings.send,
        unready: settings.unready,
        unsent_bytes_max: usize::try_from(settings.unsent_bytes_max.bytes(memory)).unwrap_or(usize::MAX),
        streams_per_client_max: settings.streams_per_client_max,
        streams_max: settings.streams_max,
    }
}

fn log_filter(environment: &Environment) -> Result<EnvFilter, ConfigError> {
    let setting = ["PORTOLAN_LOG", "RUST_LOG"].into_iter().find_map(|name| Some((name, environment.get(name)?)));
    let (name, text) = setting.map_or(("PORTOLAN_LOG", None), |(name, text)| (name, Some(text)));
    log::filter(text).map_err(|error| ConfigError::new(name, error.to_string()))
}

#[cfg(test)]
mod tests;
