//! Settings that are refused, each with its name and what is wrong.

use super::*;

#[test]
fn a_bad_file_is_reported_with_its_name_and_key() {
    let cases = [
        ("lisen = 'x'", "lisen"),
        ("[plugin]\ndir = 'x'", "plugin"),
        ("[plugins]\ndirs = 'x'", "plugins.dirs"),
        ("[answers]\nx = 1", "answers.x"),
        ("[answers]\ndeadline_ms = '8s'", "answers.deadline_ms"),
        ("[answers]\ndeadline_ms = -1", "answers.deadline_ms"),
        ("[answers]\ndeadline_ms = 1.5", "answers.deadline_ms"),
        ("[answers]\ndeadline_ms = 0", "answers.deadline_ms"),
        ("[answers]\nin_flight_max = 0", "answers.in_flight_max"),
        ("[answers]\nlogs_max = 0", "answers.logs_max"),
        ("[answers]\nin_flight_max = 1000000", "answers.in_flight_max"),
        ("[answers]\nlogs_bytes_max = 0", "answers.logs_bytes_max"),
        ("[answers]\nevents_max = 0", "answers.events_max"),
        ("[answers]\nreads_max = 0", "answers.reads_max"),
        ("[answers]\nnode_requests_max = 1.5", "answers.node_requests_max"),
        ("[answers]\noutgoing_max = 1001", "answers.outgoing_max"),
        ("[answers]\noutgoing_per_host_max = '4'", "answers.outgoing_per_host_max"),
        ("[answers]\nbody_bytes_max = 1023", "answers.body_bytes_max"),
        ("[clients]\nx = 1", "clients.x"),
        ("[clients]\ntrusted_proxies = ['10.0.0.0/33']", "clients.trusted_proxies"),
        ("[clients]\ntrusted_proxies = ['10.0.0.1/8']", "clients.trusted_proxies"),
        ("[clients]\ntrusted_proxies = ['proxy.internal']", "clients.trusted_proxies"),
        ("[clients]\nproxy_header = 'x-real-ip'", "clients.proxy_header"),
        ("[clients]\nipv6_prefix = 129", "clients.ipv6_prefix"),
        ("[clients]\nkeys = 'required'", "clients.keys"),
        ("[clients]\nkeys = 'never'", "clients.keys"),
        ("[connections]\nx = 1", "connections.x"),
        ("[connections]\nmax = 0", "connections.max"),
        ("[connections]\nper_client_max = 0", "connections.per_client_max"),
        ("[connections]\nstreams_per_client_max = 0", "connections.streams_per_client_max"),
        ("[connections]\nstreams_max = 0", "connections.streams_max"),
        ("[process]\nmemory_mib = 255", "process.memory_mib"),
        ("[process]\nmemory = 512", "process.memory"),
        ("[connections]\nhead_ms = 99", "connections.head_ms"),
        ("[connections]\nidle_ms = '1s'", "connections.idle_ms"),
        ("[connections]\nsend_ms = 600001", "connections.send_ms"),
        ("[connections]\nunsent_bytes_max = 1000", "connections.unsent_bytes_max"),
        ("[rpc]\nx = 1", "rpc.x"),
        ("[rpc]\nin_flight_max = 0", "rpc.in_flight_max"),
        ("[rpc]\nin_flight_max = 1025", "rpc.in_flight_max"),
        ("[rpc]\nper_second_max = -1", "rpc.per_second_max"),
        ("[rpc]\nper_second_max = 1000001", "rpc.per_second_max"),
        ("[rpc]\nreplies_mib_max = 63", "rpc.replies_mib_max"),
        ("[rpc]\nreplies_mib_max = 65537", "rpc.replies_mib_max"),
        ("[rpc]\nverify_receipts = 'yes'", "rpc.verify_receipts"),
        ("[networks.polygon]\nverify_receipts = 1", "networks.polygon.verify_receipts"),
        ("listen = 'localhost'", "listen"),
        ("listen = '127.0.0.1'", "listen"),
        ("listen = '127.0.0.1:70000'", "listen"),
        ("listen = 8080", "listen"),
        ("log_format = 'xml'", "log_format"),
        ("state_dir = ''", "state_dir"),
        ("[plugins]\nsandbox_may_lack = ['walls']", "plugins.sandbox_may_lack"),
        ("[plugins]\nisolation = 'none'", "plugins.isolation"),
        ("[claims]\nsimulate = 'sometimes'", "claims.simulate"),
        ("[plugins.limits]\nresum_ms = 5", "resum_ms"),
        ("[plugins.limits]\nresume_ms = 0", "plugins.limits.resume_ms"),
        ("[plugins.limits]\njob_ms = 'x'", "plugins.limits.job_ms"),
        ("[plugins.limits]\nanswer_mib = 33", "plugins.limits.answer_mib"),
        ("[plugins.limits.x]\ncpu_percent = 9", "plugins.limits.x.cpu_percent"),
        ("[plugins.limits.x]\njobs_max = 0", "plugins.limits.x.jobs_max"),
        ("[plugins.limits.aave-v3]\nx = 5", "plugins.limits.aave-v3.x"),
        ("[plugins.limits.aave-v3]\njob_ms = 1000000", "plugins.limits.aave-v3.job_ms"),
        ("[plugins.limits.Aave]\njob_ms = 1", "Aave"),
        ("[plugins.merkle]\nhost = 'a.example'", "plugins.merkle.host"),
        ("[plugins.merkle]\nhosts = 'a.example'", "plugins.merkle.hosts"),
        ("[plugins.merkle]\nhosts = ['https://a.example']", "plugins.merkle.hosts"),
        ("[plugins.merkle]\nhosts = ['127.0.0.1']", "plugins.merkle.hosts"),
        ("[plugins.merkle]\nhosts = ['*.example']", "plugins.merkle.hosts"),
        ("[plugins.merkle]\nmirrors = { 'a.example' = 'http://x' }", "plugins.merkle.mirrors.a.example"),
        (
            "[plugins.merkle]\nhosts = ['a.example']\nmirrors = { 'a.example' = 'http://x/y' }",
            "plugins.merkle.mirrors.a.example",
        ),
        ("[plugins.Merkle]\nhosts = []", "Merkle"),
        ("[networks.ethereum]\nurl = 'x'", "networks.ethereum.url"),
        ("[networks.ethereum]\nchain_id = 5", "networks.ethereum.chain_id"),
        ("[networks.ethereum]\nrpc = 'http://x'", "networks.ethereum.rpc"),
        ("[networks.ethereum]\nrpc = ['ftp://x']", "networks.ethereum.rpc"),
        ("[networks.ETHEREUM]\nrpc = ['http://x']", "networks.ETHEREUM"),
        ("[networks.ours]\nrpc = ['http://x']", "networks.ours.name"),
        ("[networks.base]\nname = 'base'", "networks.base.name"),
        ("[networks.base]\nname = 'BASE'", "networks.base.chain_id"),
        ("[networks.base]\nname = 'BASE'\nchain_id = 8453", "networks.base.logo"),
        ("[networks.base]\nname = 'BASE'\nchain_id = 8453\nlogo = 'x'", "networks.base.logo"),
        ("[networks.base]\nname = 'BASE'\nchain_id = 8453\nlogo = 'https://x'", "networks.base.native"),
        ("[networks.base]\nname = 'BASE'\nchain_id = 1\nlogo = 'https://x'\nnative = 'ETH'", "networks.base.chain_id"),
        ("[networks.base]\nname = 'BSC'\nchain_id = 8453\nlogo = 'https://x'\nnative = 'ETH'", "networks.base.name"),
        ("[networks.'a,b']\nname = 'BASE'", "networks.a,b"),
        ("[networks.'eip155:1']\nrpc = ['ftp://x']", "networks.\"eip155:1\".rpc"),
        ("[networks.1]\nchain_id = 5", "networks.1.chain_id"),
        ("[networks.1]\nhead_age_max_s = 31536001", "networks.1.head_age_max_s"),
        ("[networks.ethereum]\nrpc = []\n[networks.1]\nrpc = []", "networks.ethereum: is a second table of ethereum"),
        ("[networks.4242]\nrpc = ['http://x']", "networks.4242: is not a slug"),
        ("[networks.'eip155:4242']\nrpc = ['http://x']", "networks.\"eip155:4242\": is not a slug"),
        ("[prices]\nx = 1", "prices.x"),
        ("[prices.http]\nallow_private = true", "base_url"),
        ("[prices.http]\nbase_url = 'http://prices.example/s3cret'", "prices.http.base_url"),
        ("[prices.http]\nbase_url = 's3cret'", "prices.http.base_url"),
        ("[prices.http]\nbase_url = 'https://a'\nx = 1", "prices.http.x"),
        ("[prices.static]\nsolana.'0x1' = '1'", "prices.static.solana"),
        ("[prices.static]\nethereum.'0x1' = '1'", "prices.static.ethereum.\"0x1\""),
        ("[prices.static]\nethereum.'0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' = '-1'", "prices.static.ethereum"),
        ("[prices.static]\nethereum.'0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' = 'NaN'", "prices.static.ethereum"),
        ("[prices.static]\nethereum.'0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' = 1.5", "prices.static.ethereum"),
        ("[tokens]\nlist = []", "tokens.list"),
        ("[tokens]\nlists = './a.json'", "tokens.lists"),
        ("[tokens]\nlists = ['']", "tokens.lists"),
        ("[tokens]\nlists = ['ftp://l.example/a']", "tokens.lists"),
        ("[tokens]\nlists = ['https://me:KEY@l.example/a']", "tokens.lists"),
        ("[tokens]\nlists = ['a', 'a']", "tokens.lists: list 2 is named twice"),
        ("[tokens]\nlists = ['1','2','3','4','5','6','7','8','9','10','11','12','13','14','15','16','17']", "16 lists"),
        ("[tokens]\nshipped = 'yes'", "tokens.shipped"),
        ("[tokens]\nrefresh_s = 0", "tokens.refresh_s"),
        ("[tokens]\nrefresh_s = 604801", "tokens.refresh_s"),
        ("listen = ", "line 1"),
        ("a = 1\n\nb = [", "line 3"),
        ("listen = 'a:1'\nlisten = 'b:1'", "listen"),
    ];
    for (file, key) in cases {
        let text = refusal(file);
        assert!(text.starts_with("p.toml") && text.contains(key), "{file}: {text}");
    }
}

#[test]
fn a_bad_flag_or_variable_is_reported_by_its_name() {
    let variables = [
        ("PORTOLAN_LISTEN", "x", "PORTOLAN_LISTEN"),
        ("PORTOLAN_ANSWERS_IN_FLIGHT_MAX", "many", "PORTOLAN_ANSWERS_IN_FLIGHT_MAX"),
        ("PORTOLAN_RPC_IN_FLIGHT_MAX", "0", "PORTOLAN_RPC_IN_FLIGHT_MAX"),
        ("PORTOLAN_RPC_PER_SECOND_MAX", "-1", "PORTOLAN_RPC_PER_SECOND_MAX"),
        ("PORTOLAN_RPC_VERIFY_RECEIPTS", "1", "PORTOLAN_RPC_VERIFY_RECEIPTS"),
        ("PORTOLAN_PLUGINS_ISOLATION", "none", "PORTOLAN_PLUGINS_ISOLATION"),
        ("PORTOLAN_RPC_ETHERUM", "http://x", "PORTOLAN_RPC_ETHERUM"),
        ("PORTOLAN_RPC_ETHEREUM", "http://x,y", "PORTOLAN_RPC_ETHEREUM"),
        ("PORTOLAN_TOKENS_LISTS", "./a,ftp://x", "PORTOLAN_TOKENS_LISTS"),
        ("PORTOLAN_TOKENS_SHIPPED", "1", "PORTOLAN_TOKENS_SHIPPED"),
        ("PORTOLAN_TOKENS_REFRESH_S", "1h", "PORTOLAN_TOKENS_REFRESH_S"),
        ("PORTOLAN_LOG", "a=b=c", "PORTOLAN_LOG"),
    ];
    for (name, value, expected) in variables {
        let error = merge(&Flags::default(), &Environment::from([(name, value)]), "").unwrap_err().to_string();
        assert!(error.starts_with(expected) && !error.contains('\n'), "{name}: {error}");
    }
    for flag in ["x", "solana=http://x", "polygon=", "polygon=ws://x", "=http://x"] {
        let error = merge(&rpc(&[flag]), &Environment::default(), "").unwrap_err().to_string();
        assert!(error.starts_with("--rpc") && !error.contains('\n'), "{flag}: {error}");
    }
    let both = Environment::from([("PORTOLAN_RPC_BSC", "http://x"), ("PORTOLAN_RPC_SMARTCHAIN", "http://y")]);
    assert!(merge(&Flags::default(), &both, "").is_err());
    let other = Environment::from([("PORTOLAN_SERVICE_HOST", "10.0.0.1"), ("PORTOLAN_PORT", "tcp://10.0.0.1:80")]);
    assert!(merge(&Flags::default(), &other, "").is_ok());
}

#[test]
fn a_refusal_of_the_file_has_its_line_and_one_of_a_value_its_place() {
    let cases = [
        (
            "\n\n[answers]\ndeadline_ms = '8s'",
            "p.toml, line 4: answers.deadline_ms: invalid type: string \"8s\", expected u64",
        ),
        (
            "[answers]\nx = 1",
            "p.toml, line 2: answers.x: unknown field `x`, expected one of `deadline_ms`, `in_flight_max`",
        ),
        ("[process]\nmemory = 1", "p.toml, line 2: process.memory: unknown field `memory`, expected `memory_mib`"),
        ("[facts]\nday = 1", "p.toml, line 2: facts.day: unknown field `day`, expected `days` or `again_after_s`"),
        ("'answers.deadline_ms' = 5", "p.toml, line 1: answers.deadline_ms: unknown field `answers.deadline_ms`"),
        ("[plugins.'<plugin>']\nhosts = []", "p.toml, line 1: plugins.<plugin>: unknown field `<plugin>`"),
        ("\nanswers = 5", "p.toml, line 2: answers: invalid type: integer, expected a table"),
        (
            "[plugins.limits]\nresum_ms = 5",
            "p.toml, line 2: plugins.limits.resum_ms: unknown field `resum_ms`, expected `resume_ms`, `job_ms`, `memory_mib`, \
             `cpu_percent`, `jobs_max`, `answer_mib` or the name of a plugin",
        ),
        (
            "[plugins.Merkle]\nhosts = []",
            "p.toml, line 1: plugins.Merkle: unknown field `Merkle`, expected `dir`, `isolation`, `sandbox_may_lack`, \
             `new_capabilities`, `limits` or the name of a plugin",
        ),
        ("[answers]\ndeadline_ms = 0", "p.toml: answers.deadline_ms: 0 is not a whole number from 100 to 120000"),
        ("log_format = 'xml'", "p.toml: log_format: xml is neither text nor json"),
        ("state_dir = ''", "p.toml: state_dir: is not a directory"),
    ];
    for (file, start) in cases {
        let text = refusal(file);
        assert!(text.starts_with(start), "{file}: {text}");
    }
    // A value of the wrong type is refused even where another layer counts.
    let environment = Environment::from([("PORTOLAN_ANSWERS_DEADLINE_MS", "2000")]);
    let error = merge(&Flags::default(), &environment, "answers.deadline_ms = '8s'").unwrap_err().to_string();
    assert!(error.starts_with("p.toml, line 1: answers.deadline_ms"), "{error}");
}

#[test]
fn settings_of_the_file_alone_have_no_variable() {
    let environment = Environment::from([
        ("PORTOLAN_PLUGINS_LIMITS_JOB_MS", "7"),
        ("PORTOLAN_OPERATORS_DEGRADED_IS_UNREADY", "true"),
        ("PORTOLAN_NAMES_UNIVERSAL_RESOLVER", "none"),
        ("PORTOLAN_NAMES_GATEWAY_HOSTS", "a.example"),
        ("PORTOLAN_SIGNATURES_REVOKED_BUILDS", "x"),
    ]);
    let config = merge(&Flags::default(), &environment, "").unwrap();
    assert_eq!(config.gateway.limits, PluginLimits::default());
    assert!(!config.operators.degraded_is_unready && config.gateway.names.universal_resolver.is_some());
}

#[test]
#[cfg(not(feature = "otlp"))]
fn a_build_without_export_refuses_a_collector() {
    let environment = Environment::from([("PORTOLAN_SPANS_COLLECTOR", "http://127.0.0.1:4318/SECRET")]);
    let error = merge(&Flags::default(), &environment, "").unwrap_err().to_string();
    assert!(error.starts_with("PORTOLAN_SPANS_COLLECTOR: it needs a build with the feature otlp"), "{error}");
    assert!(!error.contains("SECRET"), "{error}");
}

#[test]
fn no_refusal_repeats_a_url() {
    for file in [
        "[networks.ethereum]\nrpc = 'https://h/KEY'",
        "[networks.ethereum]\nrpc = ['ftp://h/KEY']",
        "[networks.ethereum]\nrpc = [{ url = 'https://h/KEY' }]",
        "[tokens]\nlists = ['https://h/KEY', 'https://h/KEY']",
        "[tokens]\nlists = ['https://me:KEY@h/a']",
        "[tokens]\nlists = ['ftp://h/KEY']",
        "[tokens]\nlists = 'https://h/KEY'",
        "listen = 'https://h/KEY'",
        "[networks.ethereum]\nrpc = ['https://h/KEY'",
        "'https://h/KEY' = 1",
        "[networks.'https://h/KEY']\nrpc = []",
    ] {
        let text = refusal(file);
        assert!(!text.contains("KEY"), "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_reported_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.toml").display().to_string();
    let flags = Flags { config: Some(missing.clone()), ..Flags::default() };
    let error = Config::load(&flags, &Environment::default()).unwrap_err().to_string();
    assert!(error.starts_with(&missing), "{error}");

    let file = folder.path().join("p.toml");
    std::fs::write(&file, "state_dir = 'there'").unwrap();
    let environment = Environment::from([("PORTOLAN_CONFIG", file.to_str().unwrap())]);
    let config = Config::load(&Flags::default(), &environment).unwrap();
    assert_eq!(config.gateway.state_dir, folder.path().join("there"));
}
