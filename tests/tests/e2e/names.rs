//! Names over HTTP against the real registry, resolver and registrars, and resolvers of every other kind: each answer
//! is what the chain's build set up, by the universal resolver and by the registry alone.

mod counted;
mod gateways;
mod outside;
mod refused;
mod resolved_by;
mod viem;
mod wrapped;

use std::sync::Arc;

use anyhow::Result;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::world::Shared;

use self::gateways::Gateways;

const PROFILE: &str = "names";

/// The chain, the gateways outside that its resolvers name, and Portolan in front of it: by each path a gateway of its
/// own.
struct Fixture {
    chain: Chain,
    expected: Json,
    outside: Gateways,
    paths: Vec<(&'static str, Gateway)>,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start(PROFILE)?;
        let expected = Json::parse(&chain.expected.to_string())?;
        let outside = Gateways::start(&expected)?;
        outside::set_ways(&chain, &expected, &outside)?;
        let start = |universal| Ok((path(universal), setup(&chain.url, &outside, universal).start()?));
        let paths = [false, true].into_iter().map(start).collect::<Result<_>>()?;
        Ok(Self { chain, expected, outside, paths })
    }

    fn rows(&self, kind: &str) -> &[Json] {
        self.expected.at(&format!("names/{kind}")).unwrap().items().unwrap()
    }

    /// Requests every path; whatever fails names the path.
    fn fetch(&self, request: &str, judge: impl Fn(&str, &Response)) {
        for (path, gateway) in &self.paths {
            let response = gateway.get(request).unwrap();
            judge(&format!("{request:.200} by the {path}"), &response);
        }
    }
}

/// Portolan in front of the chain: it may request from the gateways outside, though they are on this machine.
/// With the universal resolver as it comes, or without any.
fn setup(url: &str, outside: &Gateways, universal: bool) -> Setup {
    let config = format!("[names]\ngateway_hosts = [\"{}\"]\n", outside.address);
    let config = if universal { config } else { config + "universal_resolver = \"none\"\n" };
    Setup::default().config(&config).rpc("ethereum", url)
}

/// As `detail=full` calls it.
fn path(universal: bool) -> &'static str {
    if universal { "universal-resolver" } else { "registry" }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |path, byte| match byte {
        b'.' | b'_' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
            path + char::from(byte).encode_utf8(&mut [0; 4])
        }
        _ => format!("{path}%{byte:02X}"),
    })
}

fn by_name(name: &str, network: Option<&str>) -> String {
    format!("/ens/by-name/{}{}", encoded(name), query(network))
}

fn by_address(address: &str, network: Option<&str>) -> String {
    format!("/ens/by-address/{address}{}", query(network))
}

fn query(network: Option<&str>) -> String {
    network.map(|network| format!("?network={network}")).unwrap_or_default()
}

fn forward_path(row: &Json) -> String {
    by_name(row.text_at("requested").unwrap(), row.text_at("network").ok())
}

fn reverse_path(row: &Json) -> String {
    by_address(row.text_at("address").unwrap(), row.text_at("network").ok().filter(|network| *network != "ethereum"))
}

fn record(name: &str, address: &str) -> Json {
    Json::object([("name", Json::text(name)), ("address", Json::text(address))])
}

fn assert_record(what: &str, response: &Response, expected: &Json) {
    assert_eq!(response.status, 200, "{what}: {}", response.body);
    assert_eq!(response.header("content-type"), Some("application/json"), "{what}");
    assert_eq!(response.json().unwrap().differences(expected), [""; 0], "{what}");
}

fn assert_problem(what: &str, response: &Response, status: u16, name: &str) {
    let detail = problem::detail(response, status, name).unwrap_or_else(|error| panic!("{what}: {error:#}"));
    assert!(detail.chars().count() < 1_000 && !detail.contains(char::is_control), "{what}: {detail:?}");
}

/// A contract's nonsense is no answer; whether it is nothing or a failure is not the test's to say.
fn assert_nothing_reported(what: &str, response: &Response) {
    match response.status.as_u16() {
        404 => assert_problem(what, response, 404, "name-not-found"),
        _ => assert_problem(what, response, 502, "upstream"),
    }
}

fn is_hostile(row: &Json) -> bool {
    row.get("hostile").is_some()
}

#[test]
fn a_name_has_the_address_that_it_was_given_and_no_other() {
    let fixture = fixture();
    let mut found = 0;
    for row in fixture.rows("forward").iter().filter(|row| !is_hostile(row)) {
        fixture.fetch(&forward_path(row), |what, response| match row.text_at("address") {
            Ok(address) => assert_record(what, response, &record(row.text_at("name").unwrap(), address)),
            Err(_) => assert_problem(what, response, 404, "name-not-found"),
        });
        found += usize::from(row.text_at("address").is_ok());
    }
    assert!(found > 20, "{found} names with an address: the rows are broken");
}

#[test]
fn full_detail_shows_where_an_address_is_from_and_until_when_the_name_is_held() {
    let fixture = fixture();
    for row in fixture.rows("forward").iter().filter(|row| row.text_at("address").is_ok()) {
        let path = forward_path(row);
        let path = format!("{path}{}detail=full", if path.contains('?') { '&' } else { '?' });
        fixture.fetch(&path, |what, response| {
            assert_eq!(response.status, 200, "{what}: {}", response.body);
            let answer = response.json().unwrap();
            for (member, expected) in [
                ("name", "name"),
                ("address", "address"),
                ("resolver", "resolver"),
                ("coinType", "coin"),
                ("expiry", "expiry"),
                ("avatar", "avatar"),
            ] {
                let reported =
                    answer.at(&format!("items/0/{member}")).unwrap_or_else(|error| panic!("{what}: {error:#}"));
                assert_eq!(reported.differences(row.at(expected).unwrap()), [""; 0], "{what}: {member}");
            }
            assert_eq!(answer.at("items/0/viaGateway").unwrap(), &Json::Bool(false), "{what}");
            let resolved_by = answer.text_at("items/0/resolvedBy").unwrap();
            assert!(what.ends_with(&format!("by the {resolved_by}")), "{what}: {resolved_by}");
        });
    }
}

#[test]
fn resolvers_that_answer_nonsense_name_nobody_and_harm_nobody_else() {
    let fixture = fixture();
    let hostile = || fixture.rows("forward").iter().filter(|row| is_hostile(row));
    assert!(hostile().count() > 5);
    for row in hostile() {
        fixture.fetch(&forward_path(row), assert_nothing_reported);
        fixture.fetch(&by_name("alice.eth", None), |what, response| assert_eq!(response.status, 200, "{what} after"));
    }
}

#[test]
fn an_account_has_a_name_only_where_the_name_is_the_accounts() {
    let fixture = fixture();
    let mut found = 0;
    for row in fixture.rows("reverse") {
        fixture.fetch(&reverse_path(row), |what, response| match row.text_at("name") {
            Ok(name) => assert_record(what, response, &record(name, row.text_at("address").unwrap())),
            Err(_) if is_hostile(row) => assert_nothing_reported(what, response),
            Err(_) => assert_problem(what, response, 404, "name-not-found"),
        });
        found += usize::from(row.text_at("name").is_ok());
    }
    assert!(found > 4, "{found} accounts with a name: the rows are broken");
}

#[test]
fn a_name_stands_wherever_an_account_may_and_the_address_is_in_a_header() {
    let fixture = fixture();
    let account = fixture.expected.text_at("accounts/farmer/address").unwrap();
    fixture.fetch("/claimables/alice.eth", |what, response| {
        assert_eq!((response.status.as_u16(), response.body.as_str()), (200, "[]"), "{what}");
        let reported = response.header("portolan-account").unwrap_or_else(|| panic!("{what}: {:?}", response.headers));
        assert!(reported.contains(account), "{what}: {reported}");
    });
    fixture.fetch("/claimables/nobody.eth", |what, response| assert_problem(what, response, 404, "name-not-found"));
    fixture.fetch("/claimables/a_b.eth", |what, response| assert_problem(what, response, 400, "invalid-name"));
    fixture.fetch(&by_address("alice.eth", None), |what, response| {
        assert_record(what, response, &record("alice.eth", account));
    });
}
