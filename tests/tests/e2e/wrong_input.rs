//! Wrong input of every kind, as tables: the right problem document each time, and one clear line on the command line.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use hyper::Method;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::description::Description;
use portolan_tests::gateway::{self, Gateway, Setup};
use portolan_tests::http::{self, RawConnection, Response, Version};
use portolan_tests::problem;
use portolan_tests::rpc_fault;
use portolan_tests::wait;
use portolan_tests::world::Shared;

/// An account of the chains, in lower case.
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// An address of EIP-55's own list.
const CHECKSUMMED: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const HASH: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

struct Fixture {
    gateway: Gateway,
    description: Description,
    _chain: Chain,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("polygon")?;
        let plugin = build::built()?.plugin("libquickswap.so");
        let gateway = Setup::default().rpc("eip155:137", &chain.url).plugin(&plugin, &["quickswap"]).start()?;
        Ok(Self { description: Description::of(&gateway)?, gateway, _chain: chain })
    }

    fn fetch(&self, method: &Method, path: &str) -> Response {
        http::request(self.gateway.base, Version::Http1, method, path, &[], Bytes::new()).unwrap()
    }

    /// Requests each path and compares status, problem and a part of the detail. The document is as it is described,
    /// where the path is.
    fn assert_refused(&self, cases: &[(String, u16, &str, &str)]) {
        for (path, status, name, part) in cases {
            let response = self.gateway.get(path).unwrap();
            self.assert_problem(path, &response, *status, name, part);
            if *name != "unknown-path" {
                self.description.check(path, &response).unwrap();
            }
            assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{path:.300}");
        }
    }

    fn assert_problem(&self, what: &str, response: &Response, status: u16, name: &str, part: &str) {
        let detail = problem::detail(response, status, name).unwrap_or_else(|error| panic!("{what:.300}: {error:#}"));
        assert!(detail.contains(part), "{what:.300}: {detail:?} does not contain {part:?}");
        assert!(detail.chars().count() < 1_000 && !detail.contains(char::is_control), "{what:.300}: {detail:?}");
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// Each kind of malformed address.
fn malformed() -> Vec<String> {
    let mut wrong: Vec<String> = [
        "0x",
        "0x123",
        "vitalik",
        "0",
        "null",
        "0x%00",
        "%F0%9F%90%99",
        "70997970c51812dc3a010c7d01b50e0d17dc79c8",
        "0X70997970c51812dc3a010c7d01b50e0d17dc79c8",
        "0x70997970c51812dc3a010c7d01b50e0d17dc79c",
        "0x70997970c51812dc3a010c7d01b50e0d17dc79c8f",
        "0x70997970c51812dc3a010c7d01b50e0d17dc79cg",
        "0x70997970c51812dc3a010c7d01b50e0d17dc79c8%20",
    ]
    .map(str::to_owned)
    .to_vec();
    wrong.push(CHECKSUMMED.replace("0x5aAe", "0x5AAe"));
    wrong.push(CHECKSUMMED.replace("BeAed", "beAed"));
    wrong.push(HASH.to_owned());
    wrong
}

#[test]
fn malformed_addresses_are_refused_wherever_one_stands() {
    let fixture = fixture();
    for wrong in malformed() {
        let cases = [
            format!("/claimables/{wrong}"),
            format!("/quickswap/{wrong}/claimables"),
            format!("/quickswap/farming/{wrong}/positions"),
            format!("/quickswap/lending/{wrong}/positions"),
            format!("/ens/by-address/{wrong}"),
            format!("/{wrong}/native-balance?network=POLYGON"),
            format!("/balance/{wrong}/native-balance"),
            format!("/balance/{wrong}/token-balances"),
            format!("/{wrong}/approvals"),
            format!("/{wrong}/approvals/plan?network=polygon"),
        ];
        fixture.assert_refused(&cases.map(|path| (path, 400, "invalid-address", "")));
        let own = fixture.gateway.aggregate(&format!("/{wrong}")).unwrap();
        fixture.assert_problem(&wrong, &own, 400, "invalid-address", "");
    }
}

#[test]
fn well_formed_addresses_are_taken_in_every_letter_case() {
    let fixture = fixture();
    let digits = &CHECKSUMMED[2..];
    for right in
        [CHECKSUMMED.to_owned(), format!("0x{}", digits.to_lowercase()), format!("0x{}", digits.to_uppercase())]
    {
        let response = fixture.gateway.get(&format!("/quickswap/{right}/claimables")).unwrap();
        assert_eq!((response.status.as_u16(), response.body.trim()), (200, "[]"), "{right}");
    }
}

#[test]
fn a_wrong_checksum_is_reported_as_such() {
    let wrong = CHECKSUMMED.replace("0x5aAe", "0x5AAe");
    fixture().assert_refused(&[(format!("/claimables/{wrong}"), 400, "invalid-address", "checksum")]);
}

#[test]
fn unknown_protocols_are_not_found() {
    let cases = ["quickswop", "QUICKSWAP", "quickswap%20", "aave_v3", "a.b", "%2e%2e", "constructor"];
    for slug in cases {
        fixture().assert_refused(&[
            (format!("/{slug}/{ACCOUNT}/claimables"), 404, "unknown-protocol", ""),
            (format!("/{slug}/clear-signing.json"), 404, "unknown-protocol", ""),
            (format!("/{slug}/farming/{ACCOUNT}/positions"), 404, "unknown-protocol", ""),
            (format!("/{slug}/lending/{ACCOUNT}/positions"), 404, "unknown-protocol", ""),
        ]);
    }
}

#[test]
fn wrong_filters_are_refused() {
    let path = |query: &str| format!("/claimables/{ACCOUNT}?{query}");
    fixture().assert_refused(&[
        (path("include=quickswap&exclude=quickswap"), 400, "invalid-filter", ""),
        (path("include=a&exclude=b"), 400, "invalid-filter", ""),
        (path("include=quickswap,quickswop"), 400, "invalid-filter", "quickswop"),
        (path("exclude=quickswop"), 400, "invalid-filter", "quickswop"),
        (path("include=Quickswap"), 400, "invalid-filter", "Quickswap"),
        (path("include=quick%00swap"), 400, "invalid-filter", ""),
    ]);
}

#[test]
fn unknown_networks_are_refused_with_the_valid_ones() {
    let path = |query: &str| format!("/balance/{ACCOUNT}/token-balances?{query}");
    for valid in ["ETHEREUM", "POLYGON_MUMBAI"] {
        fixture().assert_refused(&[
            (path("network=mars"), 400, "invalid-network", valid),
            (path("network=31337"), 400, "invalid-network", valid),
            (path("network=polygon,ethereum"), 400, "invalid-network", valid),
            (format!("/claimables/{ACCOUNT}?network=mars"), 400, "invalid-network", valid),
            (format!("/positions/{ACCOUNT}?network=mars"), 400, "invalid-network", valid),
            (format!("/quickswap/{ACCOUNT}/claimables?network=mars"), 400, "invalid-network", valid),
            (format!("/quickswap/farming/{ACCOUNT}/positions?network=mars"), 400, "invalid-network", valid),
            (format!("/{ACCOUNT}/native-balance?network=mars"), 400, "invalid-network", valid),
            (format!("/balance/{ACCOUNT}/native-balance?network=mars"), 400, "invalid-network", valid),
            (format!("/events/decode/{HASH}?network=mars"), 400, "invalid-network", valid),
        ]);
    }
}

#[test]
fn parameters_that_a_path_does_not_take_are_refused_with_those_that_it_takes() {
    let fixture = fixture();
    let cases = [
        ("/networks?network=polygon".to_owned(), "takes detail"),
        ("/protocols?include=quickswap".to_owned(), "takes detail"),
        ("/protocols/coverage?protocol=quickswap".to_owned(), "takes detail"),
        ("/quickswap/clear-signing.json?network=polygon".to_owned(), "takes detail"),
        (format!("/claimables/{ACCOUNT}?netwrk=polygon"), "did you mean network?"),
        (format!("/positions/{ACCOUNT}?kinds=staked"), "did you mean kind?"),
        (format!("/{ACCOUNT}/claim-plan?network=polygon&kind=staked"), "takes network, include"),
        (format!("/{ACCOUNT}/approvals?network=polygon&kind=staked"), "takes network"),
        (format!("/quickswap/{ACCOUNT}/claimables?include=quickswap"), "takes network, simulate"),
        (format!("/quickswap/farming/{ACCOUNT}/positions?chainId=137"), "takes network, block"),
        (format!("/ens/by-address/{ACCOUNT}?chain=polygon"), "takes network, block"),
        (format!("/events/decode/{HASH}?network=polygon&kind=swap"), "takes network, type"),
        (format!("/{ACCOUNT}/native-balance?token=usdc"), "takes network, block"),
        (format!("/balance/{ACCOUNT}/token-balances?%00=1"), "takes network, block"),
    ];
    fixture.assert_refused(&cases.map(|(path, part)| (path, 400, "unknown-parameter", part)));
    let own = fixture.gateway.aggregate(&format!("/{ACCOUNT}?networks=polygon")).unwrap();
    fixture.assert_problem("claimables", &own, 400, "unknown-parameter", "did you mean network?");
    for path in ["/plugins", "/lists", "/networks", "/metrics", "/history"] {
        let refused = fixture.gateway.operate(&format!("{path}?network=polygon")).unwrap();
        fixture.assert_problem(path, &refused, 400, "unknown-parameter", "takes none");
        assert_eq!(fixture.gateway.operate(&format!("{path}?_=1")).unwrap().status, 200, "{path}");
    }
    for path in ["/healthz?verbose", "/readyz?exclude=x"] {
        assert_eq!(fixture.gateway.operate(path).unwrap().status, 200, "{path}");
    }
    for path in ["/networks?_=1700000000", &format!("/claimables/{ACCOUNT}?_&__x=y&network=polygon")] {
        assert_eq!(fixture.gateway.get(path).unwrap().status, 200, "{path}");
    }
}

#[test]
fn a_caip_10_id_of_another_network_or_form_is_refused() {
    let on = |chain: &str| format!("eip155:{chain}:{ACCOUNT}");
    let contradicts = "is on eip155:137, and the parameter network names eip155:1";
    let forms = "an account is an address, eip155:CHAIN_ID:ADDRESS or an ENS name";
    fixture().assert_refused(&[
        (format!("/claimables/{}?network=ethereum", on("137")), 400, "invalid-network", contradicts),
        (format!("/{}/native-balance?network=1", on("137")), 400, "invalid-network", contradicts),
        (format!("/events/decode/{HASH}?network=eip155:1&account={}", on("137")), 400, "invalid-network", contradicts),
        (format!("/claimables/{}", on("31337")), 400, "invalid-network", "a chain id or eip155:CHAIN_ID"),
        (format!("/claimables/{}", on("polygon")), 400, "invalid-network", "unknown network eip155:polygon"),
        (format!("/claimables/{}", on("250")), 503, "network-not-configured", "fantom"),
        ("/claimables/eip155:137:0x12".to_owned(), 400, "invalid-address", forms),
        (format!("/claimables/bip122:137:{ACCOUNT}"), 400, "invalid-address", forms),
        (
            format!("/ens/by-address/eip155:137:{}", CHECKSUMMED.replace("0x5aAe", "0x5AAe")),
            400,
            "invalid-address",
            "checksum",
        ),
        (format!("/claimables/{ACCOUNT}?block=eip155:137"), 400, "invalid-block", "NETWORK:BLOCK"),
        (format!("/claimables/{ACCOUNT}?block=eip155:31337:5"), 400, "invalid-network", "eip155:31337"),
        (format!("/claimables/{ACCOUNT}?block=polygon:5,137:6"), 400, "invalid-block", "two blocks of polygon"),
    ]);
}

#[test]
fn caip_ids_are_taken_as_other_names_are_and_stand_in_the_full_answer() {
    let gateway = &fixture().gateway;
    let get = |path: &str| {
        let response = gateway.get(path).unwrap();
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        response
    };
    let expected = get(&format!("/{ACCOUNT}/native-balance?network=polygon"));
    let block = expected.header("portolan-blocks").unwrap().replace("polygon=", "");
    for path in [
        format!("/eip155:137:{ACCOUNT}/native-balance"),
        format!("/eip155%3A137%3A{ACCOUNT}/native-balance?network=137"),
        format!("/{ACCOUNT}/native-balance?network=eip155:137&block=eip155:137:{block}"),
        format!("/eip155:137:{ACCOUNT}/native-balance?block=137:{block}"),
        format!("/eip155:137:{ACCOUNT}/native-balance?block={block}"),
    ] {
        let response = get(&path);
        assert_eq!(response.body, expected.body, "{path}");
        assert_eq!(response.header("portolan-blocks"), expected.header("portolan-blocks"), "{path}");
    }
    assert!(!expected.body.contains("caip") && !expected.body.contains("eip155"), "{}", expected.body);
    let full = get(&format!("/eip155:137:{ACCOUNT}/native-balance?detail=full")).json().unwrap();
    // POL has the coin type 966 in SLIP-44.
    for (member, id) in [
        ("network/caip2", "eip155:137"),
        ("token/caip19", "eip155:137/slip44:966"),
        ("caip10", "eip155:137:0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
    ] {
        let row = &full.at("items").unwrap().items().unwrap()[0];
        assert_eq!(row.text_at(member).unwrap(), id, "{row}");
    }
}

#[test]
fn a_network_without_an_endpoint_is_told_wherever_it_is_named() {
    let cases = [
        format!("/claimables/{ACCOUNT}?network=fantom"),
        format!("/positions/{ACCOUNT}?network=eip155:250"),
        format!("/quickswap/{ACCOUNT}/claimables?network=250"),
        format!("/quickswap/lending/{ACCOUNT}/positions?network=FANTOM"),
        format!("/{ACCOUNT}/native-balance?network=fantom"),
    ];
    fixture().assert_refused(&cases.map(|path| (path, 503, "network-not-configured", "fantom")));
}

#[test]
fn malformed_hashes_are_refused() {
    for wrong in ["0x12", "12", &HASH[2..], &format!("{HASH}0"), &HASH.replace("0xd", "0xz"), ACCOUNT] {
        fixture().assert_refused(&[(format!("/events/decode/{wrong}?network=polygon"), 400, "invalid-hash", "")]);
    }
}

#[test]
fn an_unknown_transaction_and_what_is_wrong_beside_its_hash_are_reported() {
    let path = |query: &str| format!("/events/decode/{HASH}?network=polygon{query}");
    fixture().assert_refused(&[
        (path(""), 404, "transaction-not-found", "POLYGON"),
        (path("&max-logs=none"), 400, "invalid-filter", "none"),
        (path("&type=transfer&type=swop"), 400, "invalid-filter", "swop"),
        (format!("/events/decode/{HASH}"), 400, "invalid-network", "POLYGON"),
        (format!("/events/decode/{HASH}?network=fantom"), 503, "network-not-configured", ""),
        ("/events/decode".to_owned(), 404, "unknown-path", ""),
    ]);
}

#[test]
fn unknown_paths_are_not_found() {
    let fixture = fixture();
    for path in [
        "//",
        "/nothing",
        "/quickswap",
        "/quickswap/claimables",
        "/networks/polygon",
        "/protocols/quickswap",
        "/protocols/coverage/quickswap",
        "/clear-signing.json",
        "/quickswap/clear-signing",
        "/quickswap/clear-signing.json/1",
        "/networks/clear-signing.json",
        "/claimables/0x1/x",
        "/plugins",
        "/healthz",
        "/%ff",
        "/quickswap/farming",
        "/ens",
        "/ens/by-name",
        "/balance",
        "/..",
        "/../networks/x",
    ] {
        fixture.assert_refused(&[(path.to_owned(), 404, "unknown-path", "")]);
    }
    for path in ["/", "/networks/polygon", &format!("/{ACCOUNT}/claimables"), &format!("/claimables/{ACCOUNT}")] {
        fixture.assert_problem(path, &fixture.gateway.aggregate(path).unwrap(), 404, "unknown-path", "");
    }
    for path in ["/", "/nothing", "/protocols"] {
        fixture.assert_problem(path, &fixture.gateway.operate(path).unwrap(), 404, "unknown-path", "");
    }
    for reserved in ["networks", "protocols", "ens", "events", "balance", "openapi.json", "docs"] {
        fixture.assert_refused(&[(format!("/{reserved}/farming/{ACCOUNT}/positions"), 404, "unknown-path", "")]);
    }
}

#[test]
fn other_methods_are_not_allowed_anywhere() {
    let fixture = fixture();
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE] {
        for path in [
            "/networks",
            "/nothing",
            "/quickswap/clear-signing.json",
            "/claimables/0x123",
            &format!("/claimables/{ACCOUNT}"),
        ] {
            let response = fixture.fetch(&method, path);
            fixture.assert_problem(&format!("{method} {path}"), &response, 405, "method-not-allowed", "");
            let allow = response.header("allow").unwrap();
            assert_eq!(allow.replace(' ', ""), "GET,HEAD,OPTIONS", "{method} {path}");
        }
        let on = |to| http::request(to, Version::Http1, &method, "/plugins", &[], Bytes::new()).unwrap();
        for to in [fixture.gateway.claimables, fixture.gateway.operators] {
            fixture.assert_problem("/plugins", &on(to), 405, "method-not-allowed", "");
        }
    }
}

#[test]
fn too_long_requests_are_refused_with_their_own_status() {
    let fixture = fixture();
    let base = fixture.gateway.base;
    let long = format!("/claimables/{ACCOUNT}?_x={}", "y".repeat(9 * 1024));
    let big = "z".repeat(33 * 1024);
    let many: Vec<(String, String)> = (0..90).map(|n| (format!("x-{n}"), "z".repeat(400))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    for version in [Version::Http1, Version::H2c] {
        let send = |method: &Method, path: &str, headers: &[(&str, &str)], body: &'static str| {
            http::request(base, version, method, path, headers, Bytes::from_static(body.as_bytes())).unwrap()
        };
        let what = format!("{version:?}");
        fixture.assert_problem(&what, &send(&Method::GET, &long, &[], ""), 414, "request-too-large", "");
        fixture.assert_problem(
            &what,
            &send(&Method::GET, "/networks", &[("x-big", &big)], ""),
            431,
            "request-too-large",
            "",
        );
        fixture.assert_problem(&what, &send(&Method::GET, "/networks", &many, ""), 431, "request-too-large", "");
        fixture.assert_problem(&what, &send(&Method::GET, "/networks", &[], "{}"), 413, "request-too-large", "");
        // Whatever else is wrong, the method comes first, then size, then the path, then the rest.
        fixture.assert_problem(&what, &send(&Method::POST, &long, &[], "{}"), 405, "method-not-allowed", "");
        fixture.assert_problem(&what, &send(&Method::GET, "/nothing", &[], "{}"), 413, "request-too-large", "");
        fixture.assert_problem(&what, &send(&Method::GET, "/claimables/0x1", &[], "{}"), 413, "request-too-large", "");
        fixture.assert_problem(
            &what,
            &send(&Method::GET, "/quickswop/0x1/claimables", &[], ""),
            400,
            "invalid-address",
            "",
        );
    }
}

#[test]
fn what_just_fits_is_answered() {
    let fixture = fixture();
    let path = format!("/networks?_x={}", "y".repeat(7 * 1024));
    assert_eq!(fixture.gateway.get(&path).unwrap().status, 200);
    let big = "z".repeat(24 * 1024);
    let response = http::request(
        fixture.gateway.base,
        Version::Http1,
        &Method::GET,
        "/networks",
        &[("x-big", &big)],
        Bytes::new(),
    );
    assert_eq!(response.unwrap().status, 200);
}

#[test]
fn chunked_and_announced_bodies_are_refused_before_they_come() {
    let fixture = fixture();
    for head in ["transfer-encoding: chunked", "content-length: 5", "content-length: 99999999999"] {
        let request = format!("GET /networks HTTP/1.1\r\nhost: x\r\n{head}\r\n\r\n");
        let response = http::raw(fixture.gateway.base, request.as_bytes()).unwrap();
        fixture.assert_problem(head, &response, 413, "request-too-large", "");
    }
}

/// The beginning of a request, and a head around further lines.
const BEGINNING: &str = "GET /networks HTTP/1.1\r\nhost: 127.0.0.1\r\n";

fn with_lines(lines: &str) -> Vec<u8> {
    format!("{BEGINNING}{lines}\r\n").into_bytes()
}

/// Heads that never become requests, with their status.
fn broken_heads() -> Vec<(Vec<u8>, u16, &'static str)> {
    let invalid = [
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"hello\r\n\r\n".to_vec(),
        b"G\x01T /networks HTTP/1.1\r\n\r\n".to_vec(),
        b"GET /\x01 HTTP/1.1\r\n\r\n".to_vec(),
        b"GET /networks HTTP/9.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".to_vec(),
        with_lines("a b: c\r\n"),
        with_lines("a: \x01\r\n"),
        with_lines("no colon\r\n"),
        with_lines("content-length: 1\r\ncontent-length: 2\r\n"),
    ];
    let fields: String = (0..600).map(|n| format!("x-{n}: y\r\n")).collect();
    let large = [
        with_lines(&fields),
        with_lines(&format!("x: {}\r\n", "y".repeat(300_000))),
        format!("GET /{} HTTP/1.1\r\n\r\n", "y".repeat(300_000)).into_bytes(),
        // It has no end.
        format!("{BEGINNING}x: {}", "y".repeat(100_000)).into_bytes(),
    ];
    let invalid = invalid.into_iter().map(|head| (head, 400, "invalid-request"));
    invalid.chain(large.into_iter().map(|head| (head, 431, "request-too-large"))).collect()
}

/// Checks that a problem comes next, and nothing else.
fn assert_last_problem(what: &str, connection: &mut RawConnection, status: u16, name: &str) -> Response {
    let response = connection.answer().unwrap_or_else(|error| panic!("{what}: {error:#}"));
    let response = response.unwrap_or_else(|| panic!("{what}: no answer"));
    fixture().assert_problem(what, &response, status, name, "");
    assert!(response.header("x-request-id").is_some_and(|id| id.len() == 32), "{what}: {response:?}");
    assert_eq!(response.header("connection"), Some("close"), "{what}");
    assert_eq!(response.header("cache-control"), Some("no-store"), "{what}");
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{what}");
    assert!(response.header("date").is_some(), "{what}");
    let further = connection.answer().unwrap_or_else(|error| panic!("{what}: {error:#}"));
    assert!(further.is_none(), "{what}: {further:?}");
    response
}

#[test]
fn a_head_that_is_no_request_is_answered_with_a_problem_on_every_listener() {
    let fixture = fixture();
    let Gateway { base, claimables, operators, .. } = fixture.gateway;
    for (head, status, name) in broken_heads() {
        let what = String::from_utf8_lossy(&head[..head.len().min(80)]).into_owned();
        for to in [base, claimables, operators] {
            let mut connection = RawConnection::open(to).unwrap();
            connection.send(&head).unwrap();
            let response = assert_last_problem(&what, &mut connection, status, name);
            let origin = response.header("access-control-allow-origin");
            assert_eq!(origin, (to != operators).then_some("*"), "{what}");
        }
        assert_eq!(fixture.gateway.get("/networks").unwrap().status, 200);
    }
    let figures = fixture.gateway.operate("/metrics").unwrap().body;
    let row = r#"portolan_http_requests_total{listener="claimables",route="none",status="431"} 4"#;
    assert!(figures.contains(row), "{figures}");
}

#[test]
fn a_broken_head_ends_a_connection_whose_other_requests_are_answered() {
    let fixture = fixture();
    let (good, broken) = (with_lines(""), with_lines("no colon\r\n"));
    let unknown = b"GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n".to_vec();
    let networks = fixture.gateway.get("/networks").unwrap().body;
    for at_once in [true, false] {
        let mut connection = RawConnection::open(fixture.gateway.base).unwrap();
        if at_once {
            connection.send(&[good.as_slice(), &unknown, &broken, &good].concat()).unwrap();
        } else {
            connection.send(&good).unwrap();
        }
        let first = connection.answer().unwrap().unwrap();
        assert_eq!((first.status.as_u16(), &first.body), (200, &networks));
        if !at_once {
            connection.send(&unknown).unwrap();
        }
        assert_eq!(connection.answer().unwrap().unwrap().status, 404);
        if !at_once {
            broken.chunks(20).for_each(|piece| connection.send(piece).unwrap());
        }
        assert_last_problem("the last", &mut connection, 400, "invalid-request");
    }
}

/// Runs `portolan` to its end: exit code, stdout, stderr.
fn run(config: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("portolan.toml"), config).unwrap();
    fs::create_dir(dir.path().join("plugins")).unwrap();
    run_in(dir.path(), args)
}

fn run_in(dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = gateway::serve(dir).unwrap();
    let mut child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ended = wait::until("the refusal", http::DEADLINE, || child.try_wait()?.context("it runs"));
    if let Err(error) = ended {
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        panic!("{args:?}: {error:#}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_wrong_configuration_is_one_line_and_exit_code_2() {
    let free = "listen = \"127.0.0.1:0\"\nclaimables_listen = \"127.0.0.1:0\"\noperators_listen = \"127.0.0.1:0\"\n";
    let cases: [(&str, &str); 20] = [
        ("lisen = \"127.0.0.1:0\"", "lisen"),
        ("[plugins]\nfolder = \"x\"", "folder"),
        ("[answers]\ndeadline_s = 3", "deadline_s"),
        ("[answers]\ndeadline_ms = \"fast\"", "deadline_ms"),
        ("[answers]\ndeadline_ms = -1", "deadline_ms"),
        ("[answers]\nin_flight_max = 1.5", "in_flight_max"),
        ("log_format = \"xml\"", "log_format"),
        ("[plugins]\nisolation = \"none\"", "isolation"),
        ("[plugins]\nsandbox_may_lack = [\"walls\"]", "sandbox_may_lack"),
        ("[networks.ethereum]\nrcp = [\"http://127.0.0.1:1\"]", "rcp"),
        ("[networks.ethereum]\nrpc = [\"ftp://secret.example\"]", "ethereum"),
        ("[networks.ethereum]\nrpc = [\"no url\"]", "ethereum"),
        ("[networks.mars]\nrpc = [\"http://127.0.0.1:1\"]", "mars"),
        ("[prices.static]\nmars.\"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2\" = \"1\"", "mars"),
        ("[prices.static]\nethereum.\"0x12\" = \"1\"", "0x12"),
        ("[prices.static]\nethereum.\"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2\" = \"-1\"", "-1"),
        ("[prices.static]\nethereum.\"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2\" = \"NaN\"", "NaN"),
        ("[plugins.limits]\nresume = 3", "resume"),
        ("[plugins.limits.quickswap]\njob = 3", "job"),
        ("answers = [", "portolan.toml"),
    ];
    for (config, part) in cases {
        assert_one_line(config, &run(&format!("{free}{config}\n"), &[]), part);
    }
    assert_one_line("listen", &run("listen = \"nowhere\"\n", &[]), "listen");
}

#[test]
fn a_wrong_command_line_is_one_line_and_exit_code_2() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let busy = busy.local_addr().unwrap().to_string();
    let free = ["--claimables-listen", "127.0.0.1:0", "--operators-listen", "127.0.0.1:0"];
    let with_free = |args: &[&'static str]| [&free[..], args].concat();
    let cases: [(Vec<&str>, &str); 9] = [
        (with_free(&["--no-such-flag"]), "--no-such-flag"),
        (with_free(&["--rpc", "mars=http://127.0.0.1:1"]), "mars"),
        (with_free(&["--rpc", "http://127.0.0.1:1"]), "--rpc"),
        (with_free(&["--rpc", "polygon=gopher://key.example"]), "polygon"),
        (with_free(&["--listen", "127.0.0.1"]), "--listen"),
        (with_free(&["--listen", "127.0.0.1:99999"]), "--listen"),
        (with_free(&["--log-format", "xml"]), "--log-format"),
        (with_free(&["surplus"]), "surplus"),
        ([&free[..], &["--listen", &busy]].concat(), &busy),
    ];
    for (args, part) in cases {
        assert_one_line(&args.join(" "), &run("", &args), part);
    }
    let empty = tempfile::tempdir().unwrap();
    assert_one_line("no file", &run_in(empty.path(), &[]), "portolan.toml");
}

#[test]
fn a_refused_endpoint_is_never_repeated() {
    for url in ["gopher://user:secret@key.example/v3/s3cr3t", "s3cr3t", "ftp:/s3cr3t", "http://[s3cr3t"] {
        let (code, _, stderr) = run("", &["--listen", "127.0.0.1:0", "--rpc", &format!("polygon={url}")]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(!stderr.contains("s3cr3t") && !stderr.contains("secret"), "{stderr}");
    }
}

fn assert_one_line(what: &str, (code, stdout, stderr): &(Option<i32>, String, String), part: &str) {
    assert_eq!(*code, Some(2), "{what}: {stderr}");
    assert_eq!(stdout, "", "{what}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{what}: {stderr}");
    assert!(stderr.contains(part), "{what}: {stderr:?} does not name {part:?}");
}

#[test]
fn a_network_that_no_endpoint_is_named_for_is_left_out_and_reported() {
    // The plugin stands on polygon, and only another network has an endpoint.
    let plugin = build::built().unwrap().plugin("libquickswap.so");
    let setup = Setup::default().rpc("ethereum", &rpc_fault::refusing().unwrap()).plugin(&plugin, &["quickswap"]);
    let gateway = setup.listening().unwrap();
    let served = || gateway.serves(&["quickswap".to_owned()]);
    wait::until("the plugin", http::DEADLINE, served).unwrap();
    let response = gateway.get(&format!("/claimables/{ACCOUNT}")).unwrap();
    problem::detail(&response, 503, "network-not-configured").unwrap();
    let ready = gateway.operate("/readyz").unwrap();
    assert_eq!(ready.status, 503, "{}", ready.body);
}
