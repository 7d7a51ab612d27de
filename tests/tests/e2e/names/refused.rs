//! Texts that are not names are refused before any contract is read, and those that are too long before they are read.

use portolan_tests::http;

use super::{assert_problem, by_name, fixture};

/// By ENSIP-15.
const NO_NAMES: [&str; 25] = [
    ".",
    "..",
    ".eth",
    "alice..eth",
    "alice.eth.",
    "a b.eth",
    "al\0ice.eth",
    "a_b.eth",
    "ab--c.eth",
    "xn--bcher-kva.eth",
    "\u{430}lice.eth",                         // Latin, but for a Cyrillic letter.
    "\u{430}\u{440}\u{440}\u{4cf}\u{435}.eth", // All Cyrillic, and looks like "apple".
    "\u{5d0}a.eth",
    "0\u{660}.eth",
    "a\u{200d}b.eth",
    "a\u{202e}b.eth",
    "a\u{fffd}b.eth",
    "\u{2019}a.eth",
    "\u{1f680}\u{301}.eth",
    "o\u{308}\u{308}\u{308}\u{308}\u{308}.eth",
    "alice\u{3002}eth",
    "\u{375}.eth",
    "a/b.eth",
    "a%b.eth",
    "?",
];
/// By the service's contract.
const LINE_BYTES_MAX: usize = 8 << 10;
const MEGABYTE: usize = 1 << 20;
/// One more than a DNS-encoded name has room for; nobody can have registered it here.
const LABEL_BYTES: usize = 256;

#[test]
fn what_is_no_name_is_refused() {
    let fixture = fixture();
    for name in NO_NAMES {
        fixture.fetch(&by_name(name, None), |what, response| {
            assert_problem(&format!("{name:?}, {what}"), response, 400, "invalid-name");
        });
    }
    for path in ["/ens/by-name/%FF.eth", "/ens/by-name/a%C3%28.eth", "/ens/by-name/%ED%A0%80.eth"] {
        fixture.fetch(path, |what, response| assert_problem(what, response, 400, "invalid-name"));
    }
}

#[test]
fn a_network_that_does_not_exist_is_refused() {
    let fixture = fixture();
    fixture.fetch(&by_name("alice.eth", Some("atlantis")), |what, response| {
        assert_problem(what, response, 400, "invalid-network");
    });
}

#[test]
fn a_name_that_no_request_line_holds_is_refused_unread() {
    let fixture = fixture();
    fixture.fetch(&by_name(&"a.".repeat(LINE_BYTES_MAX / 2), None), |what, response| {
        assert_problem(what, response, 414, "request-too-large");
    });
    let long = format!("GET /ens/by-name/{}.eth HTTP/1.1\r\nHost: portolan\r\n\r\n", "a".repeat(MEGABYTE));
    for (path, gateway) in &fixture.paths {
        let response = http::raw(gateway.base, long.as_bytes()).unwrap();
        assert_problem(path, &response, 431, "request-too-large");
        assert_eq!(gateway.get("/ens/by-name/alice.eth").unwrap().status, 200, "{path} after");
    }
}

#[test]
fn a_label_that_dns_has_no_room_for_names_nobody() {
    let fixture = fixture();
    fixture.fetch(&by_name(&format!("{}.eth", "a".repeat(LABEL_BYTES)), None), |what, response| {
        match response.status.as_u16() {
            400 => assert_problem(what, response, 400, "invalid-name"),
            _ => assert_problem(what, response, 404, "name-not-found"),
        }
    });
}
