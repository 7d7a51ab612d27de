//! Precedence of layers, and tables of refused configurations.

mod reference;
mod refusals;

use std::path::PathBuf;
use std::time::Duration;

use bigdecimal::BigDecimal;
use portolan_assets::price;
use portolan_assets::token_list::ListLocation;
use portolan_base::net::off_chain::{HostGrants, Mirror};
use portolan_plugins::limits::PluginLimits;
use portolan_reader::RpcUrl;
use portolan_store::StoreSecret;

pub(super) use self::reference::Row;
use super::*;
use crate::budget::AnswerLimits;

const TOKEN: &str = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

fn merge(flags: &Flags, environment: &Environment, file: &str) -> Result<Config, ConfigError> {
    Config::merge(flags, environment, ConfigFile::parse("p.toml", file)?)
}

fn of_file(file: &str) -> Config {
    merge(&Flags::default(), &Environment::default(), file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the one line with which `file` is refused.
fn refusal(file: &str) -> String {
    let text = match merge(&Flags::default(), &Environment::default(), file) {
        Ok(_) => panic!("accepted: {file}"),
        Err(error) => error.to_string(),
    };
    assert!(!text.contains('\n'), "{text}");
    text
}

fn rpc(flags: &[&str]) -> Flags {
    Flags { rpc: flags.iter().map(ToString::to_string).collect(), ..Flags::default() }
}

/// Returns chain ids and hosts.
fn hosts(config: &Config) -> Vec<(u64, Vec<String>)> {
    let host = |url: &RpcUrl| url.to_string();
    config.gateway.rpc.iter().map(|(chain_id, urls)| (*chain_id, urls.iter().map(host).collect())).collect()
}

#[test]
fn nothing_set_means_the_defaults() {
    let config = of_file("");
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.claimables_listen.to_string(), "127.0.0.1:8081");
    assert_eq!(config.operators_listen.to_string(), "127.0.0.1:9090");
    assert_eq!(config.gateway.state_dir, PathBuf::from("portolan-state"));
    assert_eq!(config.gateway.plugins_dir, PathBuf::from("portolan-plugins"));
    assert_eq!(config.log_format, LogFormat::Text);
    assert_eq!((config.deadline_ms, config.gateway.in_flight_max, config.gateway.logs_max), (8000, 256, 5000));
    assert_eq!((config.gateway.logs_bytes_max, config.gateway.accounts_max), (16 << 20, 100));
    let answer = AnswerLimits {
        time: Duration::from_secs(8),
        reads_max: 200_000,
        node_requests_max: 500,
        outgoing_max: 16,
        outgoing_per_host_max: 4,
        events_max: 20_000,
        body_bytes_max: 16 << 20,
    };
    assert_eq!(config.gateway.answer_limits, answer);
    assert_eq!((config.gateway.rpc_limits.in_flight_max, config.gateway.rpc_limits.per_second_max), (64, 500));
    assert_eq!(config.gateway.rpc_limits.replies_max_bytes, 128 * 1024 * 1024);
    let connections = ConnectionLimits {
        max: 2048,
        per_client_max: 256,
        head: Duration::from_secs(10),
        idle: Duration::from_secs(75),
        send: Duration::from_secs(30),
        unready: Duration::from_secs(1),
        unsent_bytes_max: 64 << 20,
        streams_per_client_max: 256,
        streams_max: 2048,
    };
    assert_eq!(config.connections, connections);
    assert_eq!(config.gateway.limits, PluginLimits::default());
    assert_eq!(config.gateway.limits.of("x").resume_ms, 1000);
    assert_eq!(config.gateway.limits.of("x").job_ms, 5000);
    assert!(
        config.gateway.prices.fixed.is_empty()
            && config.gateway.prices.feeds.is_empty()
            && config.gateway.prices.http.is_none()
    );
    assert_eq!(config.gateway.token_lists.locations, [ListLocation::Shipped]);
    assert_eq!(config.gateway.token_lists.refresh, Duration::from_secs(3600));
}

#[test]
fn folders_are_beside_the_configuration_or_in_the_users_state_directory() {
    let folders = |variables: &Environment, file: Option<(&str, &str)>| {
        let file = file.map_or_else(|| Ok(ConfigFile::default()), |(name, text)| ConfigFile::parse(name, text));
        let config = file.and_then(|file| Config::merge(&Flags::default(), variables, file))?;
        Ok::<_, ConfigError>((config.gateway.state_dir, config.gateway.plugins_dir))
    };
    let in_folder = |state: &str, plugins: &str| Ok((PathBuf::from(state), PathBuf::from(plugins)));
    let home = Environment::from([("HOME", "/users/alice"), ("XDG_STATE_HOME", "relative")]);
    let xdg = Environment::from([("HOME", "/users/alice"), ("XDG_STATE_HOME", "/xdg")]);
    let beside = in_folder("/etc/portolan/portolan-state", "/etc/portolan/portolan-plugins");
    assert_eq!(folders(&xdg, Some(("/etc/portolan/p.toml", ""))), beside);
    let named = "state_dir = '/var/lib/portolan'\nplugins.dir = 'here'";
    assert_eq!(folders(&xdg, Some(("/etc/p.toml", named))), in_folder("/var/lib/portolan", "/etc/here"));
    assert_eq!(folders(&xdg, None), in_folder("/xdg/portolan-state", "/xdg/portolan-plugins"));
    let of_home = in_folder("/users/alice/.local/state/portolan-state", "/users/alice/.local/state/portolan-plugins");
    assert_eq!(folders(&home, None), of_home);
    let nowhere = folders(&Environment::default(), None).unwrap_err().to_string();
    assert_eq!(nowhere, "--state: is required, as there is no configuration file, XDG_STATE_HOME or HOME");
    assert!(refusal("state_dir = ''").contains("is not a directory"));
}

#[test]
fn book_and_explorer_are_beside_the_configuration_unless_folders_are_named() {
    let folders = |variables: &Environment, text: &str| {
        let file = ConfigFile::parse("/etc/portolan/p.toml", text).unwrap();
        let config = Config::merge(&Flags::default(), variables, file).unwrap();
        [config.docs, config.explorer].map(|folder| (folder.dir.unwrap(), folder.is_named))
    };
    let at = |docs: &str, explorer: &str, is_named| [docs, explorer].map(|folder| (PathBuf::from(folder), is_named));
    let none = Environment::default();
    let unnamed = at("/etc/portolan/portolan-docs", "/etc/portolan/portolan-explorer", false);
    assert_eq!(folders(&none, ""), unnamed);
    let text = "docs.dir = 'book'\nexplorer.dir = 'page'";
    assert_eq!(folders(&none, text), at("/etc/portolan/book", "/etc/portolan/page", true));
    let variables = [("PORTOLAN_DOCS_DIR", "/srv/book"), ("PORTOLAN_EXPLORER_DIR", "/srv/page")];
    let variables = Environment::from(variables);
    assert_eq!(folders(&variables, text), at("/srv/book", "/srv/page", true));
    let flags = Flags { docs: Some("flag".into()), explorer: Some("other".into()), ..Flags::default() };
    let merged = merge(&flags, &variables, "").unwrap();
    assert_eq!([merged.docs.dir, merged.explorer.dir], [Some(PathBuf::from("flag")), Some(PathBuf::from("other"))]);
    // Commands without a server name their folders, and have no pages.
    let flags = Flags { state: Some("state".into()), plugins: Some("plugins".into()), ..Flags::default() };
    let merged = Config::merge(&flags, &none, ConfigFile::default()).unwrap();
    assert_eq!([merged.docs.dir, merged.explorer.dir], [None, None]);
    assert!(refusal("docs.dir = ''").contains("is not a directory"));
    assert!(refusal("explorer.dir = ''").contains("is not a directory"));
}

#[test]
fn a_group_may_be_trusted() {
    assert_eq!(of_file("").gateway.writers, TrustedOwners::of_process(None));
    assert_eq!(of_file("trusted_group = 2000").gateway.writers, TrustedOwners::of_process(Some(2000)));
    assert!(refusal("trusted_group = 4294967295").contains("is not a whole number from 0 to 4294967294"));
}

#[test]
fn flags_go_before_environment_before_file_before_defaults() {
    let file = "listen = '127.0.0.1:1'\nclaimables_listen = '127.0.0.1:1'\noperators_listen = '127.0.0.1:1'\n\
                state_dir = 'file'\nlog_format = 'json'\n[answers]\ndeadline_ms = 1000\n[plugins]\ndir = 'file'";
    let environment = Environment::from([
        ("PORTOLAN_LISTEN", "127.0.0.1:2"),
        ("PORTOLAN_CLAIMABLES_LISTEN", "127.0.0.1:2"),
        ("PORTOLAN_STATE_DIR", "environment"),
        ("PORTOLAN_PLUGINS_DIR", "environment"),
        ("PORTOLAN_ANSWERS_DEADLINE_MS", "2000"),
        ("PORTOLAN_OPERATORS_LISTEN", ""),
    ]);
    let flags = Flags { listen: Some("[::1]:3".into()), plugins: Some("flag".into()), ..Flags::default() };
    let config = merge(&flags, &environment, file).unwrap();
    assert_eq!(config.listen.to_string(), "[::1]:3");
    assert_eq!(config.claimables_listen.port(), 2);
    assert_eq!(config.operators_listen.to_string(), "127.0.0.1:1");
    assert_eq!(config.gateway.plugins_dir, PathBuf::from("flag"));
    assert_eq!(config.gateway.state_dir, PathBuf::from("environment"));
    assert_eq!(config.deadline_ms, 2000);
    assert_eq!(config.log_format, LogFormat::Json);
}

#[test]
fn a_shared_store_has_a_url_and_a_secret_that_are_not_shown() {
    let secret = "hidden-words-of-thirty-two-bytes";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{secret}\n")).unwrap();
    let url = "store.url = 'rediss://u:hidden-password@store.example:7000/2'";
    let named = format!("{url}\nstore.secret_file = '{}'", file.path().display());
    let store = |config: &Config| config.gateway.shared_store.clone();
    assert!(store(&of_file("")).is_none());
    let config = of_file(&format!("{named}\nstore.wait_ms = 20"));
    let settings = store(&config).unwrap();
    assert_eq!(settings.secret, StoreSecret::new(secret.as_bytes()).unwrap());
    assert_eq!((settings.url.to_string().as_str(), settings.wait), ("store.example:7000", Duration::from_millis(20)));
    assert!(!format!("{config:?}").contains("hidden"));

    let environment = Environment::from([("PORTOLAN_STORE_SECRET", secret), ("PORTOLAN_STORE_URL", "valkey://other")]);
    let settings = store(&merge(&Flags::default(), &environment, url).unwrap()).unwrap();
    assert_eq!((settings.url.to_string().as_str(), settings.wait), ("other:6379", Duration::from_millis(5)));

    let short = Environment::from([("PORTOLAN_STORE_SECRET", &secret[1..])]);
    let empty = Environment::default();
    let refusals = [
        (merge(&Flags::default(), &empty, url), "store.url: needs a secret"),
        (merge(&Flags::default(), &short, url), "PORTOLAN_STORE_SECRET: is shorter than 32 bytes"),
        (merge(&Flags::default(), &environment, &named), "is set too"),
        (merge(&Flags::default(), &empty, &format!("{url}\nstore.secret_file = '/nowhere/x'")), "gives no secret"),
        (merge(&Flags::default(), &empty, &format!("{named}\nstore.ca_file = '/dev/null'")), "gives no certificates"),
        (merge(&Flags::default(), &empty, "store.url = 'http://hidden.example'"), "the URL cannot be used"),
    ];
    for (refusal, part) in refusals {
        let error = refusal.unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains("hidden"), "{part}: {error}");
    }
}

#[test]
fn operators_have_an_address_or_a_socket_and_may_have_hosts_and_a_token() {
    let token = "c0ffee-c0ffee-c0ffee";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{token}\n")).unwrap();
    let named = format!("operators.token_file = '{}'", file.path().display());
    let config = of_file(&format!(
        "operators_listen = 'unix:/run/o.sock'\noperators.allowed_hosts = ['Monitor.example', '[2001:db8::1]']\n{named}"
    ));
    assert_eq!(config.operators_listen, ListenAddress::Unix("/run/o.sock".into()));
    assert_eq!(config.operators.allowed_hosts, ["monitor.example", "[2001:db8::1]"]);
    let is_token = |config: &Config, text: &str| config.operators.token.as_ref().unwrap().is(text.as_bytes());
    assert!(is_token(&config, token) && !is_token(&config, "c0ffee-c0ffee-c0ffef") && !is_token(&config, ""));
    assert!(!format!("{config:?}").contains(token));

    assert_eq!(of_file("operators.allowed_hosts = ['', ' ']").operators.allowed_hosts, [""; 0]);
    let environment =
        Environment::from([("PORTOLAN_OPERATORS_TOKEN", token), ("PORTOLAN_OPERATORS_ALLOWED_HOSTS", "a, b.example")]);
    let config = merge(&Flags::default(), &environment, "").unwrap();
    assert!(is_token(&config, token));
    assert_eq!(config.operators.allowed_hosts, ["a", "b.example"]);

    let short = Environment::from([("PORTOLAN_OPERATORS_TOKEN", "short-secret")]);
    let refusals = [
        merge(&Flags::default(), &short, ""),
        merge(&Flags::default(), &environment, &named),
        merge(&Flags::default(), &Environment::default(), "operators.token_file = '/nowhere/token'"),
        merge(&Flags::default(), &Environment::default(), "operators.token_file = '/dev/null'"),
        merge(&Flags::default(), &Environment::default(), "operators.allowed_hosts = ['http://a/']"),
        merge(&Flags::default(), &Environment::default(), "operators_listen = 'unix:'"),
    ];
    let parts = [
        "PORTOLAN_OPERATORS_TOKEN: is not a token",
        "is set too",
        "gives no token: cannot read it",
        "gives no token: it is a device",
        "host names",
        "the path of a socket",
    ];
    for (refusal, part) in refusals.into_iter().zip(parts) {
        let text = refusal.unwrap_err().to_string();
        assert!(text.contains(part) && !text.contains("secret") && !text.contains(token), "{text}");
    }
}

#[test]
fn names_have_the_proxy_of_the_dao_unless_another_contract_or_none_is_set() {
    let other = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
    for (file, expected) in [
        (String::new(), Some("0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe")),
        ("names.gateway_hosts = []".to_owned(), Some("0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe")),
        (format!("names.universal_resolver = '{other}'"), Some(other)),
        ("names.universal_resolver = 'none'".to_owned(), None),
    ] {
        let found = of_file(&file).gateway.names.universal_resolver;
        assert_eq!(found, expected.map(|address| address.parse().unwrap()), "{file}");
    }
    for text in ["", "None", "0x12"] {
        let refused = refusal(&format!("names.universal_resolver = '{text}'"));
        assert!(refused.contains("universal_resolver"), "{refused}");
    }
}

#[test]
fn one_layer_names_all_endpoints_of_a_network() {
    let file = "[networks.ethereum]\nrpc = ['http://f1', 'http://f2']\n[networks.polygon]\nrpc = ['http://f3']\n\
                [networks.optimism]\nrpc = ['http://f4']";
    let environment = Environment::from([
        ("PORTOLAN_RPC_ETHEREUM", "http://e1,http://e2, "),
        ("PORTOLAN_RPC_BSC", "http://e3"),
        ("PORTOLAN_RPC_POLYGON", "http://e4"),
    ]);
    let flags = rpc(&["POLYGON=http://g1/?a=b", "polygon=http://g2"]);
    let config = merge(&flags, &environment, file).unwrap();
    let setting = |hosts: &[&str]| hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected =
        [(1, setting(&["e1", "e2"])), (10, setting(&["f4"])), (56, setting(&["e3"])), (137, setting(&["g1", "g2"]))];
    assert_eq!(hosts(&config), expected);
}

#[test]
fn bounds_that_nobody_names_are_shares_of_the_memory() {
    let bounds = |file: &str| {
        let config = merge(&Flags::default(), &Environment::default(), file).unwrap();
        let mib = |bytes: usize| bytes >> 20;
        let (replies, lists) = (config.gateway.rpc_limits.replies_max_bytes, config.gateway.limits.fact_lists_bytes);
        let logs = usize::try_from(config.gateway.logs_bytes_max).unwrap();
        let Limits { cached_replies_max_bytes, cached_blocks_max_bytes, .. } = config.gateway.rpc_limits;
        let cached = [cached_replies_max_bytes, cached_blocks_max_bytes, config.gateway.documents_bytes_max];
        let bounds = [replies, lists, config.connections.unsent_bytes_max, logs].map(mib);
        (bounds, cached.map(|bytes| bytes >> 20))
    };
    assert_eq!(bounds("[process]\nmemory_mib = 320"), ([80, 64, 40, 10], [40, 40, 20]));
    assert_eq!(bounds("[process]\nmemory_mib = 65536"), ([128, 256, 64, 16], [8192, 8192, 64]));
    let named = bounds("[process]\nmemory_mib = 320\n[rpc]\nreplies_mib_max = 200");
    assert_eq!(named, ([200, 64, 40, 10], [40, 40, 20]));
}

#[test]
fn limits_of_endpoints_are_set_by_file_or_variable_and_name_no_network() {
    let limits = |environment: Environment, file: &str| {
        let config = merge(&Flags::default(), &environment, file).unwrap();
        // A limit is not an endpoint: the public ones still apply.
        assert_eq!(config.gateway.rpc.len(), 7);
        (config.gateway.rpc_limits.in_flight_max, config.gateway.rpc_limits.per_second_max)
    };
    let variable = |name, value| Environment::from([(name, value)]);
    assert_eq!(limits(Environment::default(), "[rpc]\nin_flight_max = 1\nper_second_max = 0"), (1, 0));
    assert_eq!(limits(variable("PORTOLAN_RPC_IN_FLIGHT_MAX", "1024"), "[rpc]\nin_flight_max = 1"), (1024, 500));
    assert_eq!(limits(variable("PORTOLAN_RPC_PER_SECOND_MAX", "1000000"), ""), (64, 1_000_000));
    let replies = merge(&Flags::default(), &variable("PORTOLAN_RPC_REPLIES_MIB_MAX", "256"), "").unwrap();
    assert_eq!(replies.gateway.rpc_limits.replies_max_bytes, 256 << 20);
    let connections =
        merge(&Flags::default(), &variable("PORTOLAN_CONNECTIONS_MAX", "9"), "[connections]\nidle_ms = 500");
    let connections = connections.unwrap().connections;
    assert_eq!((connections.max, connections.idle), (9, Duration::from_millis(500)));
}

#[test]
fn receipts_are_verified_as_a_network_says_or_all_do() {
    let verified = |environment: &Environment, file: &str| {
        merge(&Flags::default(), environment, file).unwrap().gateway.verify_receipts.into_iter().collect::<Vec<_>>()
    };
    let (unset, on) = (Environment::default(), Environment::from([("PORTOLAN_RPC_VERIFY_RECEIPTS", "true")]));
    assert_eq!(verified(&unset, ""), [0; 0]);
    assert_eq!(verified(&unset, "[networks.polygon]\nverify_receipts = true"), [137]);
    let all = verified(&on, "[rpc]\nverify_receipts = false");
    assert!(all.contains(&1) && all.contains(&137) && all.contains(&250), "{all:?}");
    let others = verified(&unset, "[rpc]\nverify_receipts = true\n[networks.fantom]\nverify_receipts = false");
    assert_eq!(others, all.into_iter().filter(|chain_id| *chain_id != 250).collect::<Vec<_>>());
    // This is not an endpoint: the public ones still apply.
    assert_eq!(merge(&Flags::default(), &on, "").unwrap().gateway.rpc.len(), 7);
}

#[test]
fn public_endpoints_apply_only_where_none_is_named() {
    let chain_ids = |config: &Config| config.gateway.rpc.iter().map(|(chain_id, _)| *chain_id).collect::<Vec<_>>();
    assert_eq!(chain_ids(&of_file("")), [1, 10, 42161, 250, 43114, 56, 137]);
    assert_eq!(chain_ids(&of_file("[networks.ethereum]\nrpc = ['http://x']")), [1]);
    assert_eq!(chain_ids(&of_file("[networks.ethereum]\nrpc = []")), [0; 0]);
    let config = merge(&rpc(&["bsc=http://x"]), &Environment::default(), "").unwrap();
    assert_eq!(chain_ids(&config), [56]);
}

#[test]
fn a_further_network_is_one_table() {
    let base = format!(
        "[networks.base]\nname = 'BASE'\nchain_id = 8453\nlogo = 'https://l/b.png'\nnative = 'ETH'\n\
         wrapped_native = '{TOKEN}'\nrpc = ['http://b']\n[prices.static]\nbase.\"{TOKEN}\" = '1'"
    );
    let config = of_file(&base);
    let last = config.gateway.networks.iter().last().unwrap();
    assert_eq!((last.slug.as_str(), last.name.as_str(), last.chain_id), ("base", "BASE", 8453));
    assert_eq!(config.gateway.networks.iter().count(), 9);
    assert_eq!(hosts(&config), [(8453, vec!["b".to_owned()])]);
    assert_eq!(config.gateway.prices.fixed, [(8453, TOKEN.parse().unwrap(), BigDecimal::from(1))]);
    let named = merge(&rpc(&["BASE=http://x"]), &Environment::default(), &base).unwrap();
    assert_eq!(hosts(&named), [(8453, vec!["x".to_owned()])]);
}

#[test]
fn a_built_in_network_may_be_listed_only_with_an_endpoint() {
    let listed =
        |config: &Config| config.gateway.networks.iter().map(|network| network.slug.clone()).collect::<Vec<_>>();
    let always = listed(&of_file(""));
    assert_eq!(always.len(), 8);
    let config = of_file("[networks.linea]\nrpc = ['http://l']\n[networks.base]\nrpc = []");
    assert_eq!(listed(&config), [always.clone(), vec!["linea".to_owned()]].concat());
    let config = merge(&rpc(&["gnosis=http://g", "BASE=http://b"]), &Environment::default(), "").unwrap();
    assert_eq!(listed(&config), [always.clone(), vec!["base".to_owned(), "gnosis".to_owned()]].concat());
    assert_eq!(config.gateway.networks.named("base").unwrap().data_fee, portolan_networks::DataFee::OpStack);
    let own = "name = 'OURS'\nchain_id = 100\nlogo = 'https://l/o.png'\nnative = 'X'\nrpc = ['http://o']";
    let config = of_file(&format!("[networks.ours]\n{own}"));
    assert_eq!(listed(&config), [always, vec!["ours".to_owned()]].concat(), "in the place of Gnosis");
}

#[test]
fn a_network_is_named_by_its_chain_id_or_caip_2_id_too() {
    let expected = [(137, vec!["a".to_owned()])];
    for name in ["polygon", "POLYGON", "137", "eip155:137"] {
        let flagged = merge(&rpc(&[&format!("{name}=http://a")]), &Environment::default(), "").unwrap();
        assert_eq!(hosts(&flagged), expected, "{name}");
        let priced = of_file(&format!("[prices.static]\n'{name}'.\"{TOKEN}\" = '1'"));
        assert_eq!(priced.gateway.prices.fixed, [(137, TOKEN.parse().unwrap(), BigDecimal::from(1))], "{name}");
    }
    for key in ["polygon", "137", "eip155:137"] {
        let config = of_file(&format!("[networks.'{key}']\nrpc = ['http://a']\nverify_receipts = true"));
        assert_eq!((hosts(&config), config.gateway.verify_receipts), (expected.to_vec(), [137].into()), "{key}");
    }
    for variable in ["PORTOLAN_RPC_POLYGON", "PORTOLAN_RPC_137", "PORTOLAN_RPC_EIP155_137"] {
        let config = merge(&Flags::default(), &Environment::from([(variable, "http://a")]), "").unwrap();
        assert_eq!(hosts(&config), expected, "{variable}");
    }
    let own = "chain_id = 4242\nname = 'OURS'\nlogo = 'https://l/o.png'\nnative = 'X'\nrpc = ['http://o']";
    let both = merge(&rpc(&["eip155:4242=http://a"]), &Environment::default(), &format!("[networks.ours]\n{own}"));
    assert_eq!(hosts(&both.unwrap()), [(4242, vec!["a".to_owned()])], "a network of the file");
}

#[test]
fn token_lists_are_files_and_urls_in_their_order_and_the_built_in_one_last() {
    let places = |environment: Environment, file: &str| {
        let locations = merge(&Flags::default(), &environment, file).unwrap().gateway.token_lists.locations;
        locations.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let file = "[tokens]\nlists = ['./a,b.json', 'https://l.example:1/KEY', 'http://l.example/KEY']";
    let expected = ["./a,b.json", "l.example:1", "l.example", "built in"];
    assert_eq!(places(Environment::default(), file), expected);
    assert_eq!(places(Environment::default(), &format!("{file}\nshipped = false")), expected[..3]);
    let environment = Environment::from([
        ("PORTOLAN_TOKENS_LISTS", "/c.json, https://v.example/x,"),
        ("PORTOLAN_TOKENS_SHIPPED", "false"),
        ("PORTOLAN_TOKENS_REFRESH_S", "60"),
    ]);
    assert_eq!(places(environment.clone(), file), ["/c.json", "v.example"]);
    let config = merge(&Flags::default(), &environment, "[tokens]\nrefresh_s = 7\nshipped = true").unwrap();
    assert_eq!(config.gateway.token_lists.refresh, Duration::from_secs(60));
}

#[test]
fn names_of_token_lists_and_of_the_token_file_begin_at_the_configuration_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("operators-token"), "c0ffee-c0ffee-c0ffee\n").unwrap();
    let text = "[tokens]\nlists = ['own.json', '/etc/lists/all.json', 'https://l.example/a.json']\nshipped = false\n\
                [operators]\ntoken_file = 'operators-token'";
    let name = dir.path().join("p.toml").display().to_string();
    let merge =
        |environment| Config::merge(&Flags::default(), &environment, ConfigFile::parse(&name, text).unwrap()).unwrap();
    let shown =
        |config: &Config| config.gateway.token_lists.locations.iter().map(ToString::to_string).collect::<Vec<_>>();
    let config = merge(Environment::default());
    let own = dir.path().join("own.json").display().to_string();
    assert_eq!(shown(&config), [own.as_str(), "/etc/lists/all.json", "l.example"]);
    assert!(config.operators.token.is_some_and(|token| token.is(b"c0ffee-c0ffee-c0ffee")));
    // A path in the environment is relative to the working directory.
    let config = merge(Environment::from([("PORTOLAN_TOKENS_LISTS", "own.json")]));
    assert_eq!(shown(&config), ["own.json"]);
}

#[test]
fn limits_of_one_plugin_override_those_for_all() {
    let config = of_file("[plugins.limits]\nresume_ms = 7\n[plugins.limits.aave-v3]\njob_ms = 9");
    let of = |plugin| (config.gateway.limits.of(plugin).resume_ms, config.gateway.limits.of(plugin).job_ms);
    assert_eq!(of("aave-v3"), (7, 9));
    assert_eq!(of("other"), (7, 5000));
}

#[test]
fn a_plugin_reads_the_hosts_that_its_table_grants() {
    let file = "[plugins.merkle]\nhosts = ['a.example', 'b.example']\n[plugins.merkle.mirrors]\n\
                'b.example' = 'http://127.0.0.1:8090'";
    let config = of_file(file);
    let mirror = Mirror::parse("http://127.0.0.1:8090").unwrap();
    let expected = HostGrants([("a.example".to_owned(), None), ("b.example".to_owned(), Some(mirror))].into());
    assert_eq!(config.gateway.limits.grants("merkle"), expected);
    assert_eq!(config.gateway.limits.grants("other"), HostGrants::default());
}

#[test]
fn a_plugin_leaves_out_the_protocols_that_its_table_names() {
    let config = of_file("[plugins.bridges]\nleave_out = ['across', 'hop']");
    assert_eq!(*config.gateway.limits.left_out("bridges"), ["across".to_owned(), "hop".to_owned()].into());
    assert!(config.gateway.limits.left_out("other").is_empty());
}

#[test]
fn feeds_are_read_by_network_and_token() {
    let feed = "0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419";
    let row = |network: &str, token: &str, feed: &str, heartbeat_s: &str| {
        format!(
            "[[prices.feeds]]\nnetwork = '{network}'\ntoken = '{token}'\nfeed = '{feed}'\nheartbeat_s = {heartbeat_s}\n"
        )
    };
    let config = of_file(&row("POLYGON", TOKEN, feed, "3600"));
    let setting = price::Feed { address: feed.parse().unwrap(), heartbeat_s: 3600 };
    assert_eq!(config.gateway.prices.feeds, [(137, TOKEN.parse().unwrap(), setting)]);
    let good = row("ethereum", TOKEN, feed, "60");
    for (file, named) in [
        (row("mars", TOKEN, feed, "60"), "prices.feeds.[0].network: unknown network mars"),
        (row("ethereum", "0x12", feed, "60"), "prices.feeds.[0].token: 0x12"),
        (row("ethereum", TOKEN, "0x12", "60"), "prices.feeds.[0].feed: 0x12"),
        (row("ethereum", TOKEN, feed, "0"), "prices.feeds.[0].heartbeat_s: 0"),
        (row("ethereum", TOKEN, feed, "9999999"), "prices.feeds.[0].heartbeat_s: 9999999"),
        (row("ethereum", TOKEN, feed, "-1"), "heartbeat_s"),
        (format!("{good}{good}"), "prices.feeds.[1].token"),
        (format!("{good}x = 1\n"), "prices.feeds.[0].x"),
    ] {
        assert!(refusal(&file).contains(named), "{}", refusal(&file));
    }
}

#[test]
fn the_http_source_is_off_until_it_is_named_and_its_key_is_never_shown() {
    let config = of_file("[prices.http]\nbase_url = 'https://prices.example/s3cret'");
    assert_eq!(config.gateway.prices.http.map(|base| base.to_string()), Some("prices.example".into()));
    for file in [
        "[prices.http]\nbase_url = 'http://prices.example/s3cret'",
        "[prices.http]\nbase_url = 'https://prices.example/?key=s3cret'",
    ] {
        assert!(!refusal(file).contains("s3cret"), "{}", refusal(file));
    }
    assert!(
        of_file("[prices.http]\nbase_url = 'http://prices:8080'\nallow_private = true").gateway.prices.http.is_some()
    );
}

#[test]
fn the_public_url_is_one_that_a_path_can_follow() {
    assert_eq!(of_file("").public_url, None);
    for (named, taken) in
        [("https://a.example/", "https://a.example"), ("http://a.example:81/api", "http://a.example:81/api")]
    {
        assert_eq!(of_file(&format!("public_url = '{named}'")).public_url.as_deref(), Some(taken));
    }
    let environment = Environment::from([("PORTOLAN_PUBLIC_URL", "https://b.example")]);
    let config = merge(&Flags::default(), &environment, "public_url = 'https://a.example'").unwrap();
    assert_eq!(config.public_url.as_deref(), Some("https://b.example"));
    for bad in
        ["a.example", "ftp://a.example", "https://a.example/?x=1", "https://a.example/#x", "https://u:p@a.example", ""]
    {
        assert!(refusal(&format!("public_url = '{bad}'")).contains("public_url"), "{bad}");
    }
}
