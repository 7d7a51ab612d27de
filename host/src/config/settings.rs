//! The table of settings. A row says all about a setting but its use: its key in the file, what it must be, what holds
//! without it, its flag, and what it is for.
//!
//! The comment above a row gives the reason of its bounds; the text at its end is for operators. A test writes
//! `docs/settings.md` and the lines of `examples/portolan.toml` from the rows.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use alloy::primitives::Address;
use ipnet::IpNet;
use portolan_assets::names::{GatewayHost, UNIVERSAL_RESOLVER};
use portolan_assets::token_list::ListLocation;
use portolan_plugins::Digest;
use portolan_plugins::limits::{DEFAULT, Isolation, NewCapabilities};
use portolan_plugins::signature::SignatureMode;
use portolan_store::StoreUrl;
use url::Url;

use super::file::ConfigFile;
use super::folders::{NamedPath, path};
use super::form::{MemoryShare, choice, list, one_of, share, switch, text, whole};
use super::layers::Layers;
use super::operators::{self, ListenAddress};
use super::plugins::{ANSWER_MIB, CPU_PERCENT, JOB_MS, JOBS_MAX, MEMORY_MIB, RESUME_MS};
use super::values::{collector, public_url, socket_address};
use super::{ConfigError, mcp, names, plugins, proxies, signatures, store, tokens};
use crate::clients::addresses::ProxyHeader;
use crate::gateway::query::SimulateWhen;
use crate::log::LogFormat;

/// The columns: key => field: type = form, default and flag, then `is` for what a text must be, `like` for an example
/// where there is no default, and the purpose.
macro_rules! settings {
    ($($(#[$doc:meta])* $key:literal => $name:ident: $value:ty = $setting:expr $(, is $is:literal)?
        $(, like $like:literal)?, $purpose:literal;)*) => {
        /// The checked values of all settings.
        pub(super) struct Settings {
            $($(#[$doc])* pub(super) $name: $value,)*
        }

        /// The keys of all settings.
        pub(super) const KEYS: &[&str] = &[$($key),*];

        impl Settings {
            /// Takes all settings out of the document, and merges them with the layers above.
            pub(super) fn read(layers: &Layers<'_>, document: &mut ConfigFile<'_>) -> Result<Self, ConfigError> {
                Ok(Self { $($name: layers.read(document, $key, &$setting)?,)* })
            }
        }

        #[cfg(test)]
        pub(super) fn rows() -> Vec<super::tests::Row> {
            use super::tests::Row;
            vec![$(Row::new($key, &$setting, $purpose)$(.is($is))?$(.like($like))?),*]
        }
    };
}

settings! {
    "listen" => listen: SocketAddr = text(socket_address).or("127.0.0.1:8080".into())
        .flag("--listen", |flags| flags.listen.as_deref()),
        is "an address and a port", "every endpoint";
    "claimables_listen" => claimables_listen: SocketAddr = text(socket_address).or("127.0.0.1:8081".into())
        .flag("--claimables-listen", |flags| flags.claimables_listen.as_deref()),
        is "an address and a port",
        "GET /{address}: all claimables of an account";
    "operators_listen" => operators_listen: ListenAddress = text(operators::address).or("127.0.0.1:9090".into())
        .flag("--operators-listen", |flags| flags.operators_listen.as_deref()),
        is "an address and a port, or `unix:` and a path",
        "/readyz, /metrics, /plugins, /networks …: keep it private; or \"unix:/path\"";
    "public_url" => public_url: Option<String> = text(public_url).optional(), is "an http or https URL",
        like "\"https://portolan.example\"",
        "what clients know the base listener by, behind a proxy: logos are named by it";
    "state_dir" => state_dir: NamedPath = path().or("portolan-state".into())
        .flag("--state", |flags| flags.state.as_deref()),
        is "a path",
        "copies of plugins and token lists, decisions; a relative path begins at this file";
    /// The highest number means no group.
    "trusted_group" => trusted_group: Option<u32> =
        whole(0..=u64::from(u32::MAX - 1)).map(four_bytes).optional(), like "2000",
        "a group that may write the folders of state and plugins, beside root and the gateway's own user";
    "log_format" => log_format: LogFormat = choice(&[("text", LogFormat::Text), ("json", LogFormat::Json)])
        .flag("--log-format", |flags| flags.log_format.as_deref()),
        "the form of log lines, \"text\" or \"json\"";
    "access_log" => access_log: bool = switch().or(false), "true: the log has a line for each request";

    "docs.dir" => docs_dir: Option<NamedPath> = path().optional().flag("--docs", |flags| flags.docs.as_deref()),
        is "a path", like "\"portolan-docs\"",
        "the built book (`cargo book`), which /docs serves, read at the start; without it, portolan-docs beside this file";
    "explorer.dir" => explorer_dir: Option<NamedPath> =
        path().optional().flag("--explorer", |flags| flags.explorer.as_deref()),
        is "a path", like "\"portolan-explorer\"",
        "the built explorer, the page at / and the operators' page, read at the start; without it, portolan-explorer \
         beside this file";

    "spans.collector" => collector: Option<Url> = text(collector).optional(),
        is "an http or https URL without secrets", like "\"http://127.0.0.1:4318\"",
        "takes spans as OTLP over HTTP; for a build with the feature otlp";

    "plugins.dir" => plugins_dir: NamedPath = path().or("portolan-plugins".into())
        .flag("--plugins", |flags| flags.plugins.as_deref()),
        is "a path", "dylibs, and `<plugin>.toml` beside them; watched while serving";
    "plugins.isolation" => isolation: Isolation = choice(&[
        ("worker", Isolation::Worker), ("in-process", Isolation::InProcess)]),
        "where plugins run: in sandboxed processes of their own, or in the gateway's, which they can then end and read";
    "plugins.sandbox_may_lack" => sandbox_may_lack: BTreeSet<String> = list(plugins::sandbox_parts).or(Vec::new()),
        is "landlock, seccomp", "parts of the workers' sandbox that the kernel need not have";
    "plugins.new_capabilities" => new_capabilities: Option<NewCapabilities> = one_of(&[
        ("wait", NewCapabilities::Wait), ("log", NewCapabilities::Log)]).optional(), like "\"wait\"",
        "a build that may do more than the one before waits for `plugin accept`, the default where signatures are required";
    "plugins.limits.resume_ms" => resume_ms: u64 = whole(RESUME_MS).or(DEFAULT.resume_ms).file_only(),
        "time of one call into a plugin";
    "plugins.limits.job_ms" => job_ms: u64 = whole(JOB_MS).or(DEFAULT.job_ms).file_only(),
        "time of one protocol on one network, reads included";
    "plugins.limits.memory_mib" => plugin_memory_mib: u64 = whole(MEMORY_MIB).or(DEFAULT.memory_mib).file_only(),
        "mebibytes of memory of one worker";
    "plugins.limits.cpu_percent" => cpu_percent: u64 = whole(CPU_PERCENT).or(DEFAULT.cpu_percent).file_only(),
        "processor time of a plugin's workers over a second, 100 is one core; beyond: `over-budget`";
    "plugins.limits.jobs_max" => jobs_max: u64 = whole(JOBS_MAX).or(DEFAULT.jobs_max).file_only(),
        "open jobs in a plugin's workers, one for each protocol and network of an answer; beyond: `over-budget`";
    "plugins.limits.answer_mib" => answer_mib: u64 = whole(ANSWER_MIB).or(DEFAULT.answer_mib).file_only(),
        "mebibytes that a worker may answer at once; beyond, it is ended";

    "signatures.mode" => signature_mode: SignatureMode = choice(&[
            ("off", SignatureMode::Off), ("warn", SignatureMode::Warn), ("require", SignatureMode::Require),
        ]), "\"warn\": serve what no trusted key signed, and log it; \"require\": refuse it";
    "signatures.revoked_builds" => revoked_builds: BTreeSet<Digest> =
        list(signatures::revoked_builds).or(Vec::new()).file_only(), is "SHA-256 in hex",
        "dylibs that never run, in every mode";

    /// No chain answers within a tenth of a second, and no client waits longer than two minutes.
    "answers.deadline_ms" => deadline_ms: u64 = whole(100..=120_000).or(8000),
        "what is missing by then is named in `portolan-partial`";
    /// Each holds its replies and rows in memory.
    "answers.in_flight_max" => answers_in_flight_max: usize = whole(1..=65_536).map(size).or(256),
        "answers at the same time; beyond: 503 with Retry-After";
    /// A request line has room for 190 addresses, and for some more names.
    "answers.accounts_max" => accounts_max: usize = whole(1..=1_000).map(size).or(100),
        "accounts of one request; beyond: 400. Bounds of reads and requests hold for each account";
    /// Decoding more than a hundred thousand takes longer than any answer may.
    "answers.logs_max" => logs_max: usize = whole(1..=100_000).map(size).or(5000),
        "logs of one transaction; beyond: 413, never a cut list";
    /// A hundred transactions of 500 logs, or four of the largest that fit into a block.
    "answers.logs_bytes_max" => logs_bytes_max: MemoryShare = share(1 << 20..=1 << 30, 32, 1).or(16 << 20),
        "logs of all transactions decoded at once, at most 1/32 of the memory unless set; beyond: 503 with Retry-After";
    /// Balances of 5,000 listed tokens on each of eight networks are 40,000, and two hundred jobs read less.
    "answers.reads_max" => reads_max: u64 = whole(1..=100_000_000).or(200_000),
        "contract reads of one answer, cached or not; beyond: `over-budget`";
    /// The same balances are 80 requests if endpoints have nothing better than Multicall3, otherwise a tenth. Five
    /// hundred take one endpoint a second (`rpc.per_second_max`).
    "answers.node_requests_max" => node_requests_max: u64 = whole(1..=1_000_000).or(500),
        "JSON-RPC requests for them; raise it for nodes without overrides and Multicall3";
    /// A name with its avatar and its addresses on eight networks needs nine.
    "answers.outgoing_max" => outgoing_max: u64 = whole(0..=1_000).or(16),
        "requests to gateways that names refer to, and for documents that plugins read";
    /// So that nobody can make Portolan flood a host.
    "answers.outgoing_per_host_max" => outgoing_per_host_max: u64 = whole(0..=1_000).or(4),
        "to one host of a name, unless `names.gateway_hosts` has it";
    /// Before events of several sources are merged: four for each of 5,000 logs.
    "answers.events_max" => events_max: u64 = whole(1..=1_000_000).or(20_000),
        "events of one transaction; beyond: 413";
    /// 5,000 events in full detail take half.
    "answers.body_bytes_max" => body_bytes_max: u64 = whole(1 << 10..=1 << 30).or(16 << 20),
        "bytes of a body; beyond: 413";

    "claims.simulate" => simulate_claims: SimulateWhen =
        choice(&[("always", SimulateWhen::Always), ("asked", SimulateWhen::Asked)]),
        "\"always\": simulate each claim before it is shown; \"asked\": only for ?simulate=true";

    /// Above sixty thousand, a client address has no ports left.
    "connections.max" => connections_max: usize = whole(1..=65_536).map(size).or(2048),
        "beyond: the connection that has not been used for longest is closed";
    /// An eighth of all, so that no single address keeps others out.
    "connections.per_client_max" => per_client_max: usize = whole(1..=65_536).map(size).or(256),
        "connections of one address (in IPv6, of one /64), and its share of bytes; none for a trusted proxy";
    /// Clients send it at once; ten seconds allow for lost packets.
    "connections.head_ms" => head: Duration = whole(100..=120_000).map(Duration::from_millis).or(10_000),
        "from the connection to the end of its first request's head";
    /// Proxies close unused connections after 60 s, and this side must not be the first.
    "connections.idle_ms" => idle: Duration = whole(100..=3_600_000).map(Duration::from_millis).or(75_000),
        "from an answer to the end of the next head; proxies close theirs after 60 s";
    /// A piece has 16 KiB; the slowest links take one in ten seconds.
    "connections.send_ms" => send: Duration = whole(100..=600_000).map(Duration::from_millis).or(30_000),
        "an answer of which the client takes nothing for so long is given up";
    /// Load balancers that poll `/readyz` need some time to notice.
    "connections.unready_ms" => unready: Duration = whole(0..=600_000).map(Duration::from_millis).or(1_000),
        "after SIGTERM /readyz is 503 and all else is answered so long; then listeners close";
    "connections.unsent_bytes_max" => unsent_bytes_max: MemoryShare = share(1 << 20..=1 << 30, 8, 1).or(64 << 20),
        "answers that wait for their clients, at most 1/8 of the memory unless set; beyond: 503 with Retry-After";
    /// Browsers have at most a hundred on one connection.
    "connections.streams_per_client_max" => streams_per_client_max: usize = whole(1..=65_536).map(size).or(256),
        "HTTP/2 streams of one address, on all of its connections";
    /// One that waits for its turn, or for its client to take the answer, holds some kilobytes.
    "connections.streams_max" => streams_max: usize = whole(1..=1 << 20).map(size).or(2048),
        "HTTP/2 streams of all clients";

    /// Each keeps its rows, some hundred kilobytes, and at most 4 MiB.
    "watches.portfolios_max" => watched_portfolios_max: usize = whole(1..=65_536).map(size).or(256),
        "portfolios that /{address}/watch reads at each block; beyond: 503 with Retry-After";
    /// A page opens one.
    "watches.per_client_max" => watches_per_client_max: usize = whole(1..=65_536).map(size).or(32),
        "streams of /{address}/watch that one client may have; beyond: 429";

    "clients.trusted_proxies" => trusted_proxies: Vec<IpNet> = list(proxies::networks).or(Vec::new()),
        is "addresses and networks, at most 256", "proxies that name the client, like [\"10.0.0.0/8\"]; nobody else is believed";
    "clients.proxy_header" => proxy_header: ProxyHeader = choice(&[
            ("x-forwarded-for", ProxyHeader::XForwardedFor), ("forwarded", ProxyHeader::Forwarded),
        ]), "the header in which they do, and which they overwrite or extend";
    /// A customer has a /64 at least; larger networks than a /32 are whole providers.
    "clients.ipv6_prefix" => ipv6_prefix: u32 = whole(32..=128).map(four_bytes).or(64),
        "bits of an IPv6 address by which clients count: one customer has a /64, or up to a /48";

    "clients.keys_file" => keys_file: Option<NamedPath> = path().optional(), is "a path",
        like "\"keys.toml\"", "API keys of clients, which `portolan key new` makes; read again when it changes";
    "clients.keys" => are_keys_required: bool = choice(&[("optional", false), ("required", true)]),
        "\"required\": requests without a key get 401; pages, logos and preflights need none";
    /// Nobody asks a million times a second.
    "clients.per_second_max" => client_per_second_max: u32 = whole(0..=1_000_000).map(four_bytes).or(0),
        "requests a second of one client, a key or an address; beyond: 429 with Retry-After. 0: no limit";
    "clients.burst_max" => client_burst_max: u32 = whole(0..=1_000_000).map(four_bytes).or(0),
        "requests that a client may make at once after a pause; 0: those of one second";
    /// As many as there may be of all.
    "clients.answers_max" => client_answers_max: u32 = whole(0..=65_536).map(four_bytes).or(0),
        "answers of one client at the same time, one for each account; beyond: 429. 0: no limit but its share of all";
    "clients.reads_per_day_max" => client_reads_per_day_max: u64 = whole(0..=1_000_000_000_000_000).or(0),
        "contract reads of one client from midnight to midnight (UTC), cached or not; beyond: 429. 0: no limit";

    "operators.allowed_hosts" => allowed_hosts: Vec<String> = list(operators::hosts).or(Vec::new()),
        is "host names without ports, at most 64",
        "hosts of a request, like monitor.internal, beside loopback ones and its own address";
    "operators.token_file" => token_file: Option<NamedPath> = path().optional(), is "a path",
        like "\"/run/secrets/token\"",
        "then every request needs `Authorization: Bearer <content of the file>`; PORTOLAN_OPERATORS_TOKEN holds the \
         token itself";
    "operators.degraded_is_unready" => degraded_is_unready: bool = switch().or(false).file_only(),
        "true: /readyz is 503 while anything is degraded";

    "mcp.enabled" => is_mcp_enabled: bool = switch().or(false), "true: assistants call the endpoints as tools at /mcp";
    "mcp.allowed_hosts" => mcp_hosts: Vec<String> = list(operators::hosts).or(Vec::new()),
        is "host names without ports, at most 64",
        "hosts of a request to /mcp, like gateway.example, beside loopback ones, its own address and that of public_url";
    "mcp.allowed_origins" => mcp_origins: Vec<String> = list(mcp::origins).or(Vec::new()),
        is "origins like https://app.example, at most 64",
        "origins of web pages that may call tools, like https://app.example; without one, no page may";

    /// With less, not even one large answer has room.
    "process.memory_mib" => memory_mib: Option<u64> = whole(256..=1 << 24).optional(), like "512",
        "mebibytes that the process may use; without it, the lowest limit of cgroup, process and machine";

    /// More than a thousand only queue inside the node.
    "rpc.in_flight_max" => rpc_in_flight_max: usize = whole(1..=1024).map(size).or(64),
        "requests to one endpoint at the same time";
    /// No node answers a million.
    "rpc.per_second_max" => rpc_per_second_max: u32 = whole(0..=1_000_000).map(four_bytes).or(500),
        "requests to one endpoint a second; 0: no limit. Lowered by itself while the endpoint throttles";
    /// At least half for all endpoints, the rest for the one that may always proceed.
    "rpc.replies_mib_max" => rpc_replies_max: MemoryShare = share(64..=65_536, 4, 1 << 20).or(128),
        "mebibytes of replies held at once, of all endpoints together, at most 1/4 of the memory unless set";
    "rpc.verify_receipts" => verify_receipts: bool = switch().or(false),
        "true: transactions count only if the header of their block proves the receipt";

    /// Proxies change what was immutable, so it is read again after a month.
    "facts.days" => fact_lifetime: Duration = whole(1..=365).map(days).or(30),
        "replies that never change are stored for so long; proxies may change what was immutable";
    /// So that a momentary lie or mistake of a node is not stored.
    "facts.again_after_s" => fact_again_after: Duration = whole(1..=604_800).map(Duration::from_secs).or(900),
        "a network's only endpoint has to give the same reply so much later";

    "store.url" => store_url: Option<StoreUrl> = text(store::url).optional(),
        is "a redis, rediss, valkey or valkeys URL, also with +sentinel or +cluster, or a redis+unix one", like "\"redis://127.0.0.1:6379\"",
        "a Valkey or Redis through which several gateways share what they read";
    "store.secret_file" => store_secret_file: Option<NamedPath> = path().optional(), is "a path",
        like "\"/run/secrets/store\"",
        "the secret of these gateways, at least 32 bytes, which the store does not have; PORTOLAN_STORE_SECRET holds the \
         secret itself";
    "store.ca_file" => store_ca_file: Option<NamedPath> = path().optional(), is "a path",
        like "\"/etc/ssl/store-ca.pem\"",
        "who signs the store's certificate (PEM); without it, the authorities of the web";
    /// A node takes ten times as long; above a second the store delays more than it saves.
    "store.wait_ms" => store_wait: Duration = whole(1..=1_000).map(Duration::from_millis).or(5),
        "a batch of reads waits for the store so long at most, and goes to a node without it";

    "tokens.lists" => token_lists: Vec<ListLocation> = list(tokens::lists).or(Vec::new()),
        is "paths and URLs, at most 16", "like [\"./my.json\", \"https://tokens.uniswap.org\"]";
    "tokens.shipped" => is_list_shipped: bool = switch().or(true), "the built-in list, behind all others";
    /// A second suits local files; after a week a list is stale.
    "tokens.refresh_s" => list_refresh: Duration = whole(1..=604_800).map(Duration::from_secs).or(3600),
        "lists are read again after it; the last good copies are in state_dir";

    "names.gateway_hosts" => gateway_hosts: Vec<GatewayHost> = list(names::gateway_hosts).or(Vec::new()).file_only(),
        is "host names with or without ports, at most 64", "gateways that may be in the own network, and without https";
    "names.universal_resolver" => universal_resolver: Option<Address> =
        text(names::universal_resolver).or(UNIVERSAL_RESOLVER.to_string()).file_only(), is "an address, or `none`",
        "ENS's Universal Resolver; where it does not answer, the registry is read; \"none\": the registry alone";
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn four_bytes(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn days(number: u64) -> Duration {
    Duration::from_secs(number * 86_400)
}
