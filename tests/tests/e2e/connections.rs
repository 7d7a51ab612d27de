//! Clients that hold connections without using them, or answers without taking them: others are served, memory stays
//! bounded, and operators see in.

use std::io::Read as _;
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::{Method, Request};
use hyper_util::rt::{TokioExecutor, TokioIo};
use portolan_tests::build;
use portolan_tests::crowd::{connect, connections, raise_files, stalled_requests};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http;
use portolan_tests::wait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The time that another client waits at most, whatever the others do.
const SERVED_WITHIN: Duration = Duration::from_secs(8);
/// An answer that each client gets a body of its own for.
const OWN_BODY: &str = "/networks?detail=full";

fn gateway(config: &str) -> Gateway {
    Setup::default().config(config).listening().unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn assert_served(gateway: &Gateway) {
    for (to, path) in [(gateway.base, "/networks"), (gateway.claimables, "/0x12"), (gateway.operators, "/healthz")] {
        let start = Instant::now();
        let response = http::get(to, path).unwrap();
        assert!(matches!(response.status.as_u16(), 200 | 400), "{path}: {} {}", response.status, response.body);
        let waited = start.elapsed();
        assert!(waited < SERVED_WITHIN, "{path} after {waited:?}");
    }
}

/// Until the gateway has closed a connection.
fn closed(stream: TcpStream) -> Duration {
    let start = Instant::now();
    let mut stream = stream.into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut chunk = [0; 4096];
    loop {
        match stream.read(&mut chunk) {
            Ok(1..) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("still open after {:?}", start.elapsed())
            }
            // An end or a reset.
            _ => return start.elapsed(),
        }
    }
}

#[test]
fn a_client_is_served_while_one_byte_connections_take_all_slots() {
    raise_files().unwrap();
    let gateway = gateway("");
    let held = runtime().block_on(connections(gateway.base, 1..=9, 256, b"P"));
    println!("{} connections are held", held.len());
    assert_served(&gateway);
    drop(held);
}

#[test]
fn one_client_takes_no_more_than_its_share() {
    let gateway = gateway("[connections]\nmax = 100\nper_client_max = 10\nhead_ms = 60000");
    let runtime = runtime();
    let mut other = runtime.block_on(connect(2, gateway.base)).unwrap();
    let mut first = runtime.block_on(connect(1, gateway.base)).unwrap();
    // Once all of its answer is here, the gateway knows it: connections that it takes at the same moment are in no
    // order.
    runtime.block_on(first.write_all(b"HEAD /networks HTTP/1.1\r\nhost: x\r\n\r\n")).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(runtime.block_on(first.read_u8()).unwrap());
    }
    // Twice its share: the request may end a little later than its answer is here, and until then others are closed.
    let held = runtime.block_on(connections(gateway.base, [1], 20, b"P"));
    let after = closed(first);
    assert!(after < SERVED_WITHIN, "{after:?}");
    runtime.block_on(other.write_all(b"GET /networks HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).unwrap();
    let mut answer = String::new();
    runtime.block_on(other.read_to_string(&mut answer)).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(held);
}

#[test]
fn a_request_that_does_not_come_ends_its_connection() {
    let gateway = gateway("[connections]\nhead_ms = 500\nidle_ms = 1500");
    let runtime = runtime();
    for bytes in [&b""[..], b"P", b"GET /networks HTTP/1.1\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let stream = runtime.block_on(connections(gateway.base, [1], 1, bytes)).pop().unwrap();
        let after = closed(stream);
        assert!(after < SERVED_WITHIN, "{bytes:?}: {after:?}");
    }
    let whole = b"GET /networks HTTP/1.1\r\nhost: x\r\n\r\nGET /";
    let start = Instant::now();
    let stream = runtime.block_on(connections(gateway.base, [1], 1, whole)).pop().unwrap();
    closed(stream);
    let after = start.elapsed();
    assert!((Duration::from_millis(1400)..SERVED_WITHIN).contains(&after), "{after:?}");
}

#[test]
fn unfinished_heads_are_bounded() {
    raise_files().unwrap();
    let gateway = gateway("");
    let before = gateway.memory_peak_mib().unwrap();
    let mut head = b"GET /networks HTTP/1.1\r\nx: ".to_vec();
    head.resize(250_000, b'y');
    let held = runtime().block_on(connections(gateway.base, 1..=4, 250, &head));
    assert_served(&gateway);
    let grown = gateway.memory_peak_mib().unwrap() - before;
    println!("{} unfinished heads of {} bytes: {grown:.1} MiB", held.len(), head.len());
    assert!(grown < 64.0, "{grown:.1} MiB");
}

/// Networks whose list is a large body.
fn large_networks() -> String {
    let network = |n: u64| {
        let logo = format!("https://logos.example/{}", "l".repeat(950));
        format!("[networks.n{n}]\nname = \"N{n}\"\nchain_id = {}\nlogo = \"{logo}\"\nnative = \"N\"\n", 900_000 + n)
    };
    (0..64).map(network).collect()
}

#[test]
fn answers_that_nobody_takes_do_not_pin_memory() {
    raise_files().unwrap();
    let gateway = gateway(&large_networks());
    let body = gateway.get("/networks").unwrap().body.len();
    assert!(body > 60_000, "{body}");
    let before = gateway.memory_peak_mib().unwrap();
    let runtime = runtime();
    for (path, grown_max) in [("/networks", 64.0), (OWN_BODY, 128.0)] {
        let held = runtime.block_on(connections(gateway.base, 1..=10, 10, &stalled_requests(path, 64)));
        assert_served(&gateway);
        let grown = gateway.memory_peak_mib().unwrap() - before;
        println!("{path}: {} connections, 64 streams each, bodies of {body} bytes: {grown:.1} MiB", held.len());
        assert!(grown < grown_max, "{grown:.1} MiB");
    }
}

#[test]
fn streams_of_http_2_are_bounded_whatever_they_wait_for() {
    raise_files().unwrap();
    let gateway = gateway("");
    let before = gateway.memory_peak_mib().unwrap();
    let runtime = runtime();
    for path in ["/networks", "/nothing", OWN_BODY] {
        let held = runtime.block_on(connections(gateway.base, 1..=8, 250, &stalled_requests(path, 64)));
        assert_served(&gateway);
        let grown = gateway.memory_peak_mib().unwrap() - before;
        println!("{path}: {} connections, 64 streams each: {grown:.1} MiB", held.len());
        assert!(grown < 192.0, "{grown:.1} MiB");
    }
    drop(runtime);
    wait::until("the memory that is given back", Duration::from_secs(60), || {
        let mib = gateway.memory_mib()?;
        ensure!(mib < before + 64.0, "{mib:.1} MiB, {before:.1} before");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

#[test]
fn a_stream_beyond_its_clients_share_is_refused_at_once() {
    let gateway = gateway("[connections]\nstreams_per_client_max = 3");
    runtime().block_on(async {
        let client = zero_window(gateway.base).await;
        let get = || Request::get(format!("http://{}/networks", gateway.base)).body(Empty::new()).unwrap();
        // Heads come, and nothing takes the bodies.
        let mut held = Vec::new();
        for place in 0..4 {
            let answer = client.clone().send_request(get()).await.unwrap();
            let expected = if place < 3 { 200 } else { 503 };
            assert_eq!(answer.status(), expected, "{place}");
            held.push(answer);
        }
        let refused = held.pop().unwrap();
        assert!(refused.headers().contains_key("retry-after"), "{:?}", refused.headers());
        assert!(refused.into_body().collect().await.unwrap().to_bytes().is_empty());
    });
}

/// A client of HTTP/2 that takes no body.
async fn zero_window(to: SocketAddr) -> SendRequest<Empty<Bytes>> {
    let stream = TokioIo::new(connect(1, to).await.unwrap());
    let mut client = Builder::new(TokioExecutor::new());
    client.initial_stream_window_size(0);
    let (sender, connection) = client.handshake(stream).await.unwrap();
    tokio::spawn(connection);
    sender
}

fn of(method: Method, path: &str) -> Request<Empty<Bytes>> {
    Request::builder().method(method).uri(format!("http://x{path}")).body(Empty::new()).unwrap()
}

#[test]
fn a_client_that_takes_nothing_is_refused_more_and_loses_its_streams_alone() {
    let limits = "[connections]\nunsent_bytes_max = 4194304\nsend_ms = 2000\n";
    let gateway = gateway(&format!("{limits}{}", large_networks()));
    runtime().block_on(async {
        let mut client = zero_window(gateway.base).await;
        let mut requests = JoinSet::new();
        for _ in 0..60 {
            let mut client = client.clone();
            requests.spawn(async move { client.send_request(of(Method::GET, OWN_BODY)).await });
        }
        let responses = requests.join_all().await.into_iter().filter_map(Result::ok);
        let (answers, refusals): (Vec<_>, Vec<_>) = responses.partition(|response| response.status() == 200);
        println!("{} answers, {} refusals", answers.len(), refusals.len());
        assert!(!answers.is_empty() && !refusals.is_empty());
        for refusal in refusals {
            assert_eq!(refusal.status(), 503);
            assert_eq!(refusal.headers()["retry-after"], "1");
        }
        for answer in answers {
            let taken = tokio::time::timeout(Duration::from_secs(10), answer.into_body().collect()).await;
            assert!(taken.expect("the stream ends").is_err(), "a truncated body is not a whole one");
        }
        let after = client.send_request(of(Method::HEAD, OWN_BODY)).await.unwrap();
        assert_eq!(after.status(), 200, "the connection lives");
    });
}

#[test]
fn few_open_files_mean_few_connections_and_a_line_in_the_log() {
    let script = tempfile::tempdir().unwrap();
    let program = script.path().join("portolan");
    let host = build::built().unwrap().host();
    // Written by another process, so that none of this one's children holds it open when it is run.
    let write = r#"printf '%s\n' '#!/bin/sh' 'ulimit -n 200' "exec $1 \"\$@\"" > "$0" && chmod 700 "$0""#;
    let written = Command::new("sh").arg("-c").arg(write).arg(&program).arg(&host).status().unwrap();
    assert!(written.success());
    let gateway = Setup::default().host(&program).listening().unwrap();
    let lines = || gateway.log().contains("open files are limited").then_some(()).ok_or("no line");
    wait::until("the line", SERVED_WITHIN, lines).unwrap();
    let held = runtime().block_on(connections(gateway.base, 1..=2, 100, b"P"));
    assert_served(&gateway);
    drop(held);
}
