//! Tables of valid and invalid requests.

mod accounts;
mod events;

use alloy::primitives::{Address, address, b256};

use super::*;

const A: &str = "0xf18adf71266411ff39ffc268843c9a64b3292d86";
const ACCOUNT: Address = address!("f18adf71266411ff39ffc268843c9a64b3292d86");
const H: &str = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060";
const HASH: B256 = b256!("5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060");
const LOGS_MAX: usize = 5000;
const LIMITS: InputLimits = InputLimits { logs_max: LOGS_MAX, accounts_max: 3 };

fn parse(listener: Listener, target: &str) -> Result<Request, Problem> {
    let target = target.replace("{A}", A).replace("{H}", H);
    let (path, search) = match target.split_once('?') {
        Some((path, search)) => (path, Some(search)),
        None => (target.as_str(), None),
    };
    route(listener, path, search, &Networks::new([]), LIMITS)
}

fn query(target: &str) -> Query {
    parse(Listener::Base, target).unwrap_or_else(|problem| panic!("{target}: {problem:?}")).query
}

/// Returns status and detail of the problem document for `target`.
fn problem(listener: Listener, target: &str) -> (u16, String) {
    let problem = parse(listener, target).expect_err(target);
    (problem.response().status().as_u16(), problem.to_string())
}

fn about(slug: &str, list: List) -> Query {
    Query::Of(Account::Address(ACCOUNT), About::Rows(AboutRows::Protocol { slug: slug.into(), chain_id: None, list }))
}

fn balances(assets: Assets, chain_id: Option<u64>) -> Query {
    Query::Of(Account::Address(ACCOUNT), About::Balances { assets, chain_id })
}

fn claimables(filter: Filter) -> Query {
    Query::Of(
        Account::Address(ACCOUNT),
        About::Rows(AboutRows::Claimables { filter, chain_id: None, options: ClaimOptions::default() }),
    )
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn every_path_of_the_api_is_a_query() {
    let cases = [
        ("/networks", Query::Networks),
        ("/protocols", Query::Protocols),
        ("/protocols/coverage", Query::Coverage),
        ("/aave_v3/clear-signing.json", Query::ClearSigning("aave_v3".into())),
        ("/claimables/{A}", claimables(Filter::All)),
        ("/aave_v3/{A}/claimables", about("aave_v3", List::Claimables(ClaimOptions::default()))),
        ("/aave_v3/farming/{A}/positions", about("aave_v3", List::Farming)),
        ("/aave_v3/lending/{A}/positions", about("aave_v3", List::Lending)),
        ("/liquity/borrowing/{A}/positions", about("liquity", List::Borrowing)),
        ("/uniswap_v3/pooling/{A}/positions", about("uniswap_v3", List::Pooling)),
        ("/curve/locked/{A}/positions", about("curve", List::Locked)),
        ("/farming/{A}/claimables", about("farming", List::Claimables(ClaimOptions::default()))),
        ("/{A}/native-balance", balances(Assets::Native, None)),
        ("/balance/{A}/native-balance", balances(Assets::Native, None)),
        ("/balance/{A}/token-balances", balances(Assets::Tokens, None)),
    ];
    for (target, expected) in cases {
        assert_eq!(query(target), expected, "{target}");
        assert_eq!(query(&format!("{target}/")), expected, "{target} with a slash");
        assert_eq!(query(&format!("{target}?_=17&_x&")), expected, "{target} with parameters for others");
    }
}

#[test]
fn balances_are_of_the_network_that_is_named_by_slug_name_or_chain_id() {
    let cases = [
        ("/{A}/native-balance?network=bsc", Assets::Native, 56),
        ("/balance/{A}/native-balance?network=SmartChain", Assets::Native, 56),
        ("/balance/{A}/token-balances/?network=polygon", Assets::Tokens, 137),
        ("/balance/{A}/token-balances?network=AVALANCHE&network=AVALANCHE", Assets::Tokens, 43114),
        ("/balance/{A}/token-balances?network=eip155:137", Assets::Tokens, 137),
        ("/{A}/native-balance?network=1", Assets::Native, 1),
    ];
    for (target, assets, chain_id) in cases {
        assert_eq!(query(target), balances(assets, Some(chain_id)), "{target}");
    }
}

#[test]
fn the_claimables_address_takes_an_account_and_a_filter() {
    let request = parse(Listener::Claimables, "/{A}?include=a&detail=full").unwrap();
    let query = claimables(Filter::Include(names(&["a"])));
    let options = AnswerOptions { is_traced: true, ..AnswerOptions::default() };
    assert_eq!(request, Request { query, options, detail_full: true, numbers: None, is_watch: false });
}

#[test]
fn path_segments_are_percent_decoded() {
    assert_eq!(
        query("/%61ave_v3/%30xf18adf71266411ff39ffc268843c9a64b3292d86/claimables"),
        query("/aave_v3/{A}/claimables")
    );
    // An encoded slash stays within its segment.
    assert_eq!(query("/a%2Fb/{A}/claimables"), about("a/b", List::Claimables(ClaimOptions::default())));
}

#[test]
fn filters_are_joined_repeated_encoded_and_may_have_empty_members() {
    let include = |members: &[&str]| Filter::Include(names(members));
    let cases = [
        ("include=a,b", include(&["a", "b"])),
        ("include=a,b&", include(&["a", "b"])),
        ("include=a&include=b", include(&["a", "b"])),
        ("include=a,b&include=AAVE_V3", include(&["a", "b", "AAVE_V3"])),
        ("include=a%2Cb", include(&["a", "b"])),
        ("include=,a,,b,", include(&["a", "b"])),
        ("include=a,+b", include(&["a", "b"])),
        ("include=", Filter::All),
        ("include", Filter::All),
        ("exclude=a,b", Filter::Exclude(names(&["a", "b"]))),
        ("include=&exclude=a", Filter::Exclude(names(&["a"]))),
    ];
    for (search, expected) in cases {
        assert_eq!(query(&format!("/claimables/{{A}}?{search}")), claimables(expected), "{search}");
    }
}

#[test]
fn only_full_requests_all_detail() {
    for (search, expected) in [("detail=full", true), ("_a=b&detail=full&detail=full", true), ("", false)] {
        let request = parse(Listener::Base, &format!("/networks?{search}")).unwrap();
        assert_eq!(request.detail_full, expected, "{search}");
    }
    for search in ["detail=Full", "detail", "detail=", "detail=full&detail=some"] {
        let answer = parse(Listener::Base, &format!("/networks?{search}"));
        assert!(matches!(answer, Err(Problem::InvalidFilter(_))), "{search}");
    }
}

#[test]
fn amounts_are_numbers_or_strings_wherever_they_stand() {
    let numbers = |search: &str| parse(Listener::Base, &format!("/claimables/{{A}}{search}")).unwrap().numbers;
    let expected = [None, Some(Numbers::Plain), Some(Numbers::Quoted)];
    assert_eq!(["", "?amounts=number", "?detail=full&amounts=string"].map(numbers), expected);
    for path in ["/networks", "/x/farming/{A}/positions", "/balance/{A}/token-balances", "/ens/by-address/{A}"] {
        assert_eq!(parse(Listener::Base, &format!("{path}?amounts=string")).unwrap().numbers, Some(Numbers::Quoted));
        for wrong in ["amounts", "amounts=String", "amounts=text", "amounts=string&amounts=number"] {
            let answer = parse(Listener::Base, &format!("{path}?{wrong}"));
            assert!(matches!(answer, Err(Problem::InvalidFilter(_))), "{path} {wrong}");
        }
    }
}

#[test]
fn claimables_and_positions_are_of_the_network_that_is_named() {
    let chain_id = |path: &str, network: &str| match query(&format!("{path}?network={network}")) {
        Query::Of(
            _,
            About::Rows(AboutRows::Claimables { chain_id, .. }) | About::Rows(AboutRows::Positions { chain_id, .. }),
        ) => chain_id,
        Query::Of(_, About::Rows(AboutRows::Protocol { chain_id, .. })) => chain_id,
        other => panic!("{other:?}"),
    };
    for path in [
        "/claimables/{A}",
        "/positions/{A}",
        "/x/{A}/claimables",
        "/x/farming/{A}/positions",
        "/x/lending/{A}/positions",
        "/x/borrowing/{A}/positions",
        "/x/pooling/{A}/positions",
        "/x/locked/{A}/positions",
    ] {
        for network in ["POLYGON", "Polygon", "137", "eip155:137"] {
            assert_eq!(chain_id(path, network), Some(137), "{path} {network}");
        }
        for network in ["mars", "", "+137", "0x89", "eip155:", "eip155:polygon", "cosmos:137", "8675309"] {
            let answer = parse(Listener::Base, &format!("{path}?network={network}"));
            assert!(matches!(answer, Err(Problem::InvalidNetwork(_))), "{path} {network}: {answer:?}");
        }
    }
    let own = parse(Listener::Claimables, "/{A}?network=bsc").unwrap();
    let about = About::Rows(AboutRows::Claimables {
        filter: Filter::All,
        chain_id: Some(56),
        options: ClaimOptions::default(),
    });
    assert_eq!(own.query, Query::Of(Account::Address(ACCOUNT), about));
}

#[test]
fn a_parameter_that_the_endpoint_does_not_take_is_refused_with_those_that_it_takes() {
    let cases = [
        ("/networks?network=polygon", "network; this path takes detail, amounts"),
        ("/protocols?x", "x; this path takes detail"),
        ("/claimables/{A}?Include=a", "Include (did you mean include?); this path takes include, exclude, network, "),
        ("/claimables/{A}?chain=1", "chain; this path takes include"),
        ("/claimables/{A}?kind=staked", "kind; this path takes include"),
        ("/positions/{A}?netwrok=mars", "netwrok (did you mean network?); this path takes include, exclude, network, "),
        ("/{A}/claim-plan?simulate=true&network=polygon", "simulate; this path takes network"),
        ("/x/{A}/claimables?include=x", "include; this path takes network"),
        ("/x/farming/{A}/positions?worth=true", "worth; this path takes network, block, min-block, currency, detail"),
        ("/ens/by-name/vitalik.eth?coin=60", "coin; this path takes network"),
        ("/ens/by-address/{A}?coin=60", "coin; this path takes network"),
        ("/events/decode/{H}?network=bsc&types=SWAP", "types (did you mean type?); this path takes network, type, "),
        ("/events/decode/{H}?network=bsc&block=5", "block; this path takes network"),
        ("/{A}/native-balance?networks=bsc", "networks (did you mean network?); this path takes network, block"),
        ("/balance/{A}/token-balances?=5", "; this path takes network, block"),
    ];
    for (target, expected) in cases {
        assert!(matches!(parse(Listener::Base, target), Err(Problem::UnknownParameter(_))), "{target}");
        let (status, detail) = problem(Listener::Base, target);
        assert!(status == 400 && detail.starts_with(&format!("unknown parameter: {expected}")), "{target}: {detail}");
    }
    let own = parse(Listener::Claimables, "/{A}?kind=staked");
    assert!(matches!(own, Err(Problem::UnknownParameter(_))), "{own:?}");
    assert_eq!(problem(Listener::Base, "/nothing?x").0, 404, "the path comes first");
}

#[test]
fn a_parameter_with_one_value_is_refused_with_two() {
    let cases = [
        (
            "/claimables/{A}?network=polygon&network=bsc",
            "invalid-network",
            "network has one value, and polygon and bsc",
        ),
        ("/positions/{A}?block=5&block=6", "invalid-block", "block has one value, and 5 and 6"),
        ("/positions/{A}?min-block=5&min-block=6", "invalid-block", "min-block has one value, and 5 and 6"),
        ("/claimables/{A}?worth=true&worth=false", "invalid-filter", "worth has one value, and true and false"),
        ("/claimables/{A}?simulate=true&simulate=", "invalid-filter", "simulate has one value, and true and "),
        ("/events/decode/{H}?network=bsc&account=a.eth&account={A}", "invalid-address", "account has one value"),
        (
            "/events/decode/{H}?network=bsc&max-logs=1&max-logs=2",
            "invalid-filter",
            "max-logs has one value, and 1 and 2",
        ),
    ];
    for (target, name, expected) in cases {
        let problem = parse(Listener::Base, target).expect_err(target);
        assert!(problem.to_string().starts_with(expected), "{target}: {problem}");
        let body = String::from_utf8(problem.response().into_body().bytes.to_vec()).unwrap();
        assert!(body.contains(&format!("urn:portolan:problem:{name}")), "{target}: {body}");
    }
    assert_eq!(query("/x/{A}/claimables?network=bsc&network=bsc"), query("/x/{A}/claimables?network=bsc"));
}

#[test]
fn unknown_paths_are_reported_before_malformed_input() {
    let cases = [
        "/",
        "//",
        "/nothing",
        "/Networks",
        "//networks",
        "/networks//",
        "/networks/x",
        "/claimables/{A}/{A}",
        "/claimables/{A}/x",
        "/{A}",
        "/aave_v3",
        "/aave_v3/{A}",
        "/aave_v3/{A}/positions",
        "/aave_v3/0x123/claims",
        "/aave_v3/staking/{A}/positions",
        "/aave_v3/farming/{A}/positions/more",
        "/aave_v3/farming/{A}",
        "//{A}/claimables",
        "/{A}/{A}/claimables",
        "/{A}/farming/{A}/positions",
        "/networks/{A}/claimables",
        "/balance/{A}/claimables",
        "/ens/farming/{A}/positions",
        "/docs/lending/{A}/positions",
        "/openapi.json",
        "/networks/native-balance",
        "/ens/by-name",
        "/ens/by-owner/x",
        "/events/decode",
        "/balance/{A}",
        "/balance/{A}/balances",
        "*",
        "",
    ];
    for target in cases {
        let (status, detail) = problem(Listener::Base, target);
        assert_eq!(status, 404, "{target}");
        assert!(detail.starts_with("there is nothing at"), "{target}: {detail}");
    }
    for target in ["/{A}/x", "/claimables/{A}", "/aave_v3/{A}/claimables"] {
        assert_eq!(problem(Listener::Claimables, target).0, 404, "{target}");
    }
}

#[test]
fn malformed_accounts_are_refused_everywhere() {
    let bad_checksum = "0xF18adf71266411ff39ffc268843c9a64b3292d86";
    for account in ["0x123", "vitalik", bad_checksum, "%FF", "0x%00"] {
        for path in [
            "/claimables/{X}",
            "/aave_v3/{X}/claimables",
            "/aave_v3/farming/{X}/positions",
            "/aave_v3/lending/{X}/positions",
            "/ens/by-address/{X}",
            "/{X}/native-balance",
            "/balance/{X}/native-balance",
            "/balance/{X}/token-balances",
        ] {
            let target = path.replace("{X}", account);
            assert!(matches!(parse(Listener::Base, &target), Err(Problem::InvalidAddress(_))), "{target}");
        }
        let target = format!("/{account}");
        assert!(matches!(parse(Listener::Claimables, &target), Err(Problem::InvalidAddress(_))), "{target}");
    }
    let detail = problem(Listener::Base, "/claimables/0x123").1;
    let forms = "an account is an address, eip155:CHAIN_ID:ADDRESS or an ENS name";
    assert_eq!(detail, format!("0x123 is not 0x and 40 hex digits; {forms}"));
}

#[test]
fn an_account_may_be_a_caip_10_id_whose_chain_is_the_network() {
    let pairs = [
        ("/claimables/{C}?worth=true", "/claimables/{A}?worth=true&network=polygon"),
        ("/positions/{C}", "/positions/{A}?network=137"),
        ("/{C}/claim-plan", "/{A}/claim-plan?network=eip155:137"),
        ("/x/{C}/claimables", "/x/{A}/claimables?network=polygon"),
        ("/x/lending/{C}/positions", "/x/lending/{A}/positions?network=POLYGON"),
        ("/{C}/native-balance", "/{A}/native-balance?network=polygon"),
        ("/balance/{C}/token-balances", "/balance/{A}/token-balances?network=polygon"),
        ("/ens/by-address/{C}", "/ens/by-address/{A}?network=polygon"),
        ("/events/decode/{H}?account={C}", "/events/decode/{H}?account={A}&network=polygon"),
    ];
    let caip10 = format!("eip155:137:{A}");
    for (given, expected) in pairs {
        let expected = query(expected);
        for id in [&caip10, &caip10.replace(':', "%3A"), &caip10.replace(':', "%3a")] {
            let target = given.replace("{C}", id);
            assert_eq!(query(&target), expected, "{target}");
        }
        let (path, joint) = (given.replace("{C}", &caip10), if given.contains('?') { '&' } else { '?' });
        assert_eq!(query(&format!("{path}{joint}network=polygon")), expected, "{path}");
        let (status, detail) = problem(Listener::Base, &format!("{path}{joint}network=bsc"));
        let end = "is on eip155:137, and the parameter network names eip155:56";
        assert!(status == 400 && detail.ends_with(end), "{path}: {detail}");
    }
    assert_eq!(query(&format!("/claimables/eip155:0:{A}")), claimables(Filter::All), "an account on any network");
    let own = parse(Listener::Claimables, &format!("/{caip10}")).unwrap().query;
    assert_eq!(own, query("/claimables/{A}?network=polygon"));
}

#[test]
fn a_caip_10_id_of_another_form_is_refused() {
    let bad_checksum = "0xF18adf71266411ff39ffc268843c9a64b3292d86";
    let accounts = [
        "eip155:137:".to_owned(),
        "eip155:137:vitalik.eth".to_owned(),
        format!("eip155:137:{bad_checksum}"),
        format!("eip155:137:{A}:{A}"),
        format!("EIP155:137:{A}"),
        format!("bip122:137:{A}"),
        format!("137:{A}"),
        format!("{A}@eip155:137"),
        "eip155:137".to_owned(),
    ];
    for account in accounts {
        let parsed = parse(Listener::Base, &format!("/claimables/{account}"));
        assert!(matches!(parsed, Err(Problem::InvalidAddress(_))), "{account}: {parsed:?}");
    }
    for chain in ["", "polygon", "31337", "-1", "0x89", "99999999999999999999"] {
        let (status, detail) = problem(Listener::Base, &format!("/claimables/eip155:{chain}:{A}"));
        let start = format!("unknown network eip155:{chain}: give a slug, a name, a chain id or eip155:CHAIN_ID");
        assert!(status == 400 && detail.starts_with(&start), "{chain}: {detail}");
    }
}

#[test]
fn a_name_may_stand_wherever_an_account_may_and_is_normalised() {
    let vitalik = || Name::parse("vitalik.eth").unwrap();
    let cases = [
        (
            "/claimables/vitalik.eth",
            About::Rows(AboutRows::Claimables {
                filter: Filter::All,
                chain_id: None,
                options: ClaimOptions::default(),
            }),
        ),
        (
            "/x/Vitalik.ETH/claimables",
            About::Rows(AboutRows::Protocol {
                slug: "x".into(),
                chain_id: None,
                list: List::Claimables(ClaimOptions::default()),
            }),
        ),
        ("/vitalik.eth/native-balance", About::Balances { assets: Assets::Native, chain_id: None }),
        ("/ens/by-address/vitalik.eth", About::Name(Lookup { coin: CoinType::ETHEREUM, full: false })),
    ];
    for (target, about) in cases {
        assert_eq!(query(target), Query::Of(Account::Name(vitalik()), about), "{target}");
    }
    let optimism = CoinType::of_chain(10).unwrap();
    for (search, coin, full) in [
        ("", CoinType::ETHEREUM, false),
        ("?network=ethereum", CoinType::ETHEREUM, false),
        ("?network=OPTIMISM&detail=full", optimism, true),
    ] {
        let expected = Query::Address(vitalik(), Lookup { coin, full });
        assert_eq!(query(&format!("/ens/by-name/vitalik.eth{search}")), expected, "{search}");
    }
}

#[test]
fn what_cannot_be_normalised_is_no_name() {
    for name in ["a..eth", ".", "vitalik .eth", "%F0%9F%98%80%E2%80%8D.eth", "xn--ls8h.eth", "a%2Fb.eth"] {
        for path in ["/ens/by-name/{X}", "/ens/by-address/{X}", "/{X}/native-balance"] {
            let target = path.replace("{X}", name);
            assert!(matches!(parse(Listener::Base, &target), Err(Problem::InvalidName(_))), "{target}");
        }
    }
    assert!(matches!(parse(Listener::Base, "/ens/by-name/%20"), Err(Problem::InvalidName(_))));
}

#[test]
fn both_filters_at_once_are_refused() {
    for search in ["include=a&exclude=b", "exclude=a,&include=a"] {
        let answer = parse(Listener::Base, &format!("/claimables/{{A}}?{search}"));
        assert!(matches!(answer, Err(Problem::InvalidFilter(_))), "{search}");
    }
    let address_first = parse(Listener::Base, "/claimables/0x1?include=a&exclude=b");
    assert!(matches!(address_first, Err(Problem::InvalidAddress(_))));
}

#[test]
fn claims_are_simulated_as_the_client_says() {
    let simulate = |search: &str| match parse(Listener::Base, &format!("/claimables/{{A}}{search}")).unwrap().query {
        Query::Of(_, About::Rows(AboutRows::Claimables { options, .. })) => options.simulate,
        other => panic!("{other:?}"),
    };
    assert_eq!(["", "?simulate=true", "?simulate=false"].map(simulate), [None, Some(true), Some(false)]);
    let one = parse(Listener::Base, "/x/{A}/claimables?simulate=true").unwrap().query;
    let list = List::Claimables(ClaimOptions { simulate: Some(true), worth: false });
    assert_eq!(one, about("x", list));
    let worth = parse(Listener::Claimables, "/{A}?worth=true").unwrap().query;
    let options = ClaimOptions { simulate: None, worth: true };
    let about = About::Rows(AboutRows::Claimables { filter: Filter::All, chain_id: None, options });
    assert_eq!(worth, Query::Of(Account::Address(ACCOUNT), about));
    for path in ["/claimables/{A}?worth=yes", "/claimables/{A}?simulate=1", "/x/{A}/claimables?simulate="] {
        assert!(matches!(parse(Listener::Base, path), Err(Problem::InvalidFilter(_))), "{path}");
    }
}

#[test]
fn only_amounts_of_rows_are_traced_and_only_in_full() {
    let is_traced = |target: &str| parse(Listener::Base, target).unwrap().options.is_traced;
    for path in ["/claimables/{A}", "/x/{A}/claimables", "/x/farming/{A}/positions", "/positions/{A}"] {
        assert_eq!([is_traced(path), is_traced(&format!("{path}?detail=full"))], [false, true], "{path}");
    }
    for path in ["/{A}/claim-plan?network=polygon", "/balance/{A}/token-balances?_", "/networks?_"] {
        assert!(!is_traced(&format!("{path}&detail=full")), "{path}");
    }
}

#[test]
fn blocks_are_named_for_accounts_and_names() {
    let blocks = |target: &str| parse(Listener::Base, target).unwrap().options.blocks;
    let named = |text: &str| blocks(&format!("/claimables/{{A}}?block={text}"));
    let hash = "0x".to_owned() + &"ab".repeat(32);
    let cases = [
        ("21000000", BlockRef::Number(21_000_000)),
        (&hash, BlockRef::Hash(B256::repeat_byte(0xab))),
        ("safe", BlockRef::Safe),
        ("finalized", BlockRef::Finalized),
        // 56 years with 14 leap days.
        ("2026-01-01T00:00:00Z", BlockRef::At((56 * 365 + 14) * 86_400)),
    ];
    for (text, expected) in cases {
        assert_eq!(named(text), BlockChoice::Named(expected), "{text}");
        for network in ["POLYGON", "polygon", "137", "eip155:137", "eip155%3A137"] {
            let each = BlockChoice::Each([(137, expected)].into());
            assert_eq!(named(&format!("{network}:{text}")), each, "{network}:{text}");
        }
    }
    let each = [(1, BlockRef::Number(5)), (137, BlockRef::Finalized)];
    assert_eq!(named("ethereum:5,%20polygon:finalized"), BlockChoice::Each(each.into()));
    assert_eq!(named("1:5,eip155:137:finalized"), BlockChoice::Each(each.into()));
    assert_eq!([named("latest"), blocks("/claimables/{A}")], [BlockChoice::Newest, BlockChoice::Newest]);
    let refused = [
        "",
        "-1",
        "0x5",
        "early",
        "5,6",
        "ethereum:5,ethereum:6",
        "ethereum:5,eip155:1:6",
        "ethereum:",
        "eip155:1",
        "eip155:1:",
        "1:2:3",
        "2026-01-01T00:00:00Z,1:5",
        "18446744073709551616",
    ];
    for text in refused.into_iter().chain(["2026-01-01", "2026-13-01T00:00:00Z", "1960-01-01T00:00:00Z"]) {
        let parsed = parse(Listener::Base, &format!("/claimables/{{A}}?block={text}"));
        assert!(matches!(parsed, Err(Problem::InvalidBlock(_))), "{text}: {parsed:?}");
    }
    for network in ["atlantis", "31337", "eip155:31337", "bip122"] {
        let parsed = parse(Listener::Base, &format!("/claimables/{{A}}?block={network}:5"));
        assert!(matches!(parsed, Err(Problem::InvalidNetwork(_))), "{network}: {parsed:?}");
    }
}

#[test]
fn the_oldest_blocks_that_are_taken_are_numbers_of_networks_in_two_forms() {
    let parsed = |text: &str| parse(Listener::Base, &format!("/claimables/{{A}}?{text}"));
    let min_blocks = |text: &str| parsed(text).unwrap().options.min_blocks;
    assert_eq!(min_blocks(""), MinBlocks::default());
    assert_eq!(min_blocks("min-block=21000000&block=latest"), MinBlocks::OfOne(21_000_000));
    let both = MinBlocks::Each([(1, 21_000_000), (137, 7)].into());
    for text in [
        "ethereum:21000000,polygon:7",
        "1:21000000,eip155:137:7",
        // As `portolan-blocks` has it.
        "ethereum=21000000,%20polygon=7",
        "ethereum%3D21000000%2C+polygon%3D7",
    ] {
        assert_eq!(min_blocks(&format!("min-block={text}")), both, "{text}");
    }
    let wrong = ["", "-1", "0x5", "safe", "ethereum:safe", "ethereum:", "ethereum=", "5,6", "ethereum:5,ethereum=6"];
    for text in wrong.into_iter().chain(["2026-01-01T00:00:00Z", "18446744073709551616", "5&block=finalized"]) {
        let parsed = parsed(&format!("min-block={text}"));
        assert!(matches!(parsed, Err(Problem::InvalidBlock(_))), "{text}: {parsed:?}");
    }
    assert!(matches!(parsed("min-block=atlantis:5"), Err(Problem::InvalidNetwork(_))));
}

#[test]
fn a_number_without_a_network_is_of_the_one_that_is_requested() {
    let networks = Networks::new([]);
    let of = |ids: &[u64]| ids.iter().map(|id| networks.with_chain_id(*id).unwrap().clone()).collect::<Vec<_>>();
    let number = MinBlocks::OfOne(5);
    assert_eq!(number.of(137), None, "it is not known yet which network is meant");
    assert_eq!(number.clone().of_networks(&of(&[137, 137])), Ok(MinBlocks::Each([(137, 5)].into())));
    let Err(Problem::InvalidBlock(detail)) = number.of_networks(&of(&[137, 1])) else { panic!("two are requested") };
    assert!(detail.contains("ethereum, polygon are asked about; min-block=ethereum:"), "{detail}");
    let each = MinBlocks::Each([(1, 5)].into());
    assert_eq!(each.clone().of_networks(&of(&[137])), Ok(each), "other networks have no bound");
}

#[test]
fn an_unknown_network_is_reported_with_the_valid_names() {
    for target in [
        "/events/decode/{H}",
        "/events/decode/{H}?network=",
        "/events/decode/{H}?network=solana",
        "/{A}/native-balance?network=31337",
        "/balance/{A}/native-balance?network=mainnet",
        "/balance/{A}/token-balances?network=eth",
    ] {
        let (status, detail) = problem(Listener::Base, target);
        let names = "ETHEREUM, OPTIMISM, ARBITRUM, FANTOM, AVALANCHE, BSC, POLYGON, POLYGON_MUMBAI, BASE, GNOSIS, \
                     LINEA, SCROLL, ZKSYNC, MANTLE, BLAST, SONIC, CELO, UNICHAIN, WORLDCHAIN, INK, BERACHAIN";
        assert!(status == 400 && detail.ends_with(names), "{target}: {detail}");
    }
}

#[test]
fn other_methods_are_refused() {
    assert_eq!(verb(&Method::GET), Ok(Verb::Read));
    assert_eq!(verb(&Method::HEAD), Ok(Verb::Read));
    assert_eq!(verb(&Method::OPTIONS), Ok(Verb::Preflight));
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE, Method::CONNECT] {
        assert_eq!(verb(&method), Err(Problem::MethodNotAllowed { allow: ALLOW_ANSWERS }), "{method}");
    }
}
