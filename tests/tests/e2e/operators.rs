//! Access to the operators' listener: hosts, a token, a Unix socket.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{self, Response, Version};
use portolan_tests::problem;

const PATHS: [&str; 6] = ["/healthz", "/readyz", "/plugins", "/networks", "/lists", "/history"];
const TOKEN: &str = "c0ffee-c0ffee-c0ffee-c0ffee";

fn gateway(config: &str) -> Gateway {
    Setup::default().config(config).listening().unwrap()
}

/// Sends the request that a browser sends once a page's name leads to `to`.
fn as_host(to: SocketAddr, path: &str, host: &str) -> Response {
    http::raw(to, format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n").as_bytes()).unwrap()
}

fn with_token(to: SocketAddr, version: Version, authorization: &str) -> Response {
    let headers = [("authorization", authorization)];
    http::request(to, version, &Method::GET, "/plugins", &headers, Bytes::new()).unwrap()
}

#[test]
fn a_page_whose_name_leads_to_the_operators_address_reads_nothing() {
    let gateway = gateway("[operators]\nallowed_hosts = ['monitor.example']");
    let port = gateway.operators.port();
    for path in PATHS {
        for host in ["evil.example".to_owned(), format!("evil.example:{port}"), "127.0.0.1.evil.example".to_owned()] {
            let refusal = as_host(gateway.operators, path, &host);
            let detail = problem::detail(&refusal, 403, "host-not-allowed").unwrap();
            assert!(detail.contains(&host), "{detail}");
        }
    }
    for host in
        ["localhost", &format!("127.0.0.1:{port}"), "[::1]", "monitor.example", &format!("MONITOR.example:{port}")]
    {
        assert_eq!(as_host(gateway.operators, "/healthz", host).status, 200, "{host}");
    }
    assert_eq!(as_host(gateway.base, "/networks", "any.example").status, 200, "answers are for pages of any origin");
}

#[test]
fn balancers_check_without_a_host_and_by_any_address() {
    let gateway = gateway("");
    let port = gateway.operators.port();
    let status = |request: &str| http::raw(gateway.operators, request.as_bytes()).unwrap().status.as_u16();
    for path in ["/healthz", "/readyz"] {
        // It may not be ready yet.
        let is_answered = |request: &str| {
            let status = status(request);
            assert!(status == 200 || path == "/readyz" && status == 503, "{status} for {request}");
        };
        // HAProxy's `option httpchk`, with and without a method.
        is_answered(&format!("GET {path} HTTP/1.0\r\n\r\n"));
        is_answered(&format!("OPTIONS {path} HTTP/1.0\r\n\r\n"));
        // A pod's address, and one that is translated on the way.
        for host in [format!("127.0.0.1:{port}"), "192.0.2.7:30090".to_owned(), "[2001:db8::7]:9090".to_owned()] {
            is_answered(&format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n"));
        }
        assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nhost: evil.example:{port}\r\n\r\n")), 403, "{path}");
    }
    for path in ["/plugins", "/networks", "/metrics", "/lists", "/history", "/"] {
        assert_eq!(status(&format!("GET {path} HTTP/1.0\r\n\r\n")), 403, "{path}");
        assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nhost: 192.0.2.7:30090\r\n\r\n")), 403, "{path}");
        assert_eq!(status(&format!("OPTIONS {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")), 405, "{path}");
    }
}

#[test]
fn operators_need_the_token_if_there_is_one() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), format!("{TOKEN}\n")).unwrap();
    let gateway = gateway(&format!("[operators]\ntoken_file = '{}'", file.path().display()));
    // A probe of the process has none.
    assert_eq!(gateway.operate("/healthz").unwrap().status, 200);
    for path in PATHS.into_iter().filter(|path| *path != "/healthz") {
        let refusal = gateway.operate(path).unwrap();
        problem::detail(&refusal, 401, "unauthorized").unwrap();
        assert_eq!(refusal.header("www-authenticate"), Some("Bearer"));
    }
    for version in [Version::Http1, Version::H2c] {
        for wrong in
            [TOKEN, "Basic abc", "Bearer", "Bearer ", &format!("Bearer {TOKEN}x"), &format!("Bearer {}", &TOKEN[1..])]
        {
            assert_eq!(with_token(gateway.operators, version, wrong).status, 401, "{wrong}");
        }
        for right in [format!("Bearer {TOKEN}"), format!("bearer {TOKEN}")] {
            assert_eq!(with_token(gateway.operators, version, &right).status, 200, "{right}");
        }
    }
    assert_eq!(gateway.get("/networks").unwrap().status, 200, "clients need none");
    assert!(!gateway.log().contains(TOKEN));
}

#[test]
fn operators_may_listen_at_a_unix_socket() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("operators.sock");
    // Of a process that was killed.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let address = format!("unix:{}", path.display());
    let mut gateway = Setup::default().arg("--operators-listen").arg(address).listening().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o660);
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: operators\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    gateway.sigterm().unwrap();
    assert!(gateway.exited().unwrap().success());
    assert!(!path.exists(), "the socket is left behind");
}
