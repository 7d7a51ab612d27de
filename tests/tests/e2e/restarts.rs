//! Restarts that nobody notices: sockets of a service manager, and the last connections of a process.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{self, RawConnection};
use portolan_tests::wait;

const CLIENTS: usize = 4;
const RESTARTS: usize = 2;
const SOON: Duration = Duration::from_secs(20);
const REQUEST: &[u8] = b"GET /networks HTTP/1.1\r\nhost: x\r\n\r\n";

fn bound() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn is_logged(gateway: &Gateway, text: &str) -> Result<()> {
    let log = gateway.log();
    ensure!(log.contains(text), "{text} is not in {log}");
    Ok(())
}

/// Opens one connection after the other, with a request on each, until `stop`; returns what was not answered with 200.
fn request_until(base: SocketAddr, stop: &AtomicBool, answered: &AtomicUsize) -> Vec<String> {
    let mut failed = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        match http::get(base, "/networks") {
            Ok(response) if response.status == 200 => {
                answered.fetch_add(1, Ordering::Relaxed);
            }
            Ok(response) => failed.push(response.status.to_string()),
            Err(error) => failed.push(format!("{error:#}")),
        }
    }
    failed
}

#[test]
fn connections_made_during_restarts_are_all_answered_if_the_manager_holds_the_socket() {
    let setup = Setup::default().socket(bound()).config("[connections]\nunready_ms = 100");
    let mut gateway = setup.listening().unwrap();
    let base = gateway.base;
    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            thread::spawn(move || request_until(base, &stop, &answered))
        })
        .collect();
    let more = |than: usize| {
        let enough = || match answered.load(Ordering::Relaxed) {
            count if count >= than + 10 * CLIENTS => Ok(count),
            count => Err(format!("{count} answers")),
        };
        wait::until("answers", SOON, enough).unwrap().0
    };
    let mut count = more(0);
    for _ in 0..RESTARTS {
        gateway.restart().unwrap();
        assert_eq!(gateway.base, base);
        count = more(count.max(answered.load(Ordering::Relaxed)));
    }
    stop.store(true, Ordering::Relaxed);
    let failed: Vec<String> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
    assert!(failed.is_empty(), "{} of {count}: {failed:?}", failed.len());
}

#[test]
fn a_connection_that_waits_while_nothing_runs_is_answered_by_the_next_process() {
    let socket = bound();
    let base = socket.local_addr().unwrap();
    let mut waiting = RawConnection::open(base).unwrap();
    waiting.send(REQUEST).unwrap();
    let gateway = Setup::default().socket(socket).listening().unwrap();
    assert_eq!(waiting.answer().unwrap().unwrap().status, 200, "{}", gateway.log());
}

#[test]
fn a_socket_at_another_address_ends_the_start() {
    let error = Setup::default().socket(bound()).arg("--listen").arg("127.0.0.1:0").listening().unwrap_err();
    let said = format!("{error:#}");
    assert!(said.contains("the service manager passed a socket at 127.0.0.1:"), "{said}");
    assert!(said.contains("which is the address of no listener"), "{said}");
}

#[test]
fn a_connection_that_was_just_accepted_is_answered_while_the_gateway_drains() {
    let mut gateway = Setup::default().config("[connections]\nunready_ms = 0").listening().unwrap();
    let mut last = RawConnection::open(gateway.base).unwrap();
    // Connections are accepted in their order.
    gateway.get("/networks").unwrap();
    gateway.sigterm().unwrap();
    wait::until("the drain", SOON, || is_logged(&gateway, "draining")).unwrap();
    last.send(REQUEST).unwrap();
    let answer = last.answer().unwrap().unwrap();
    assert_eq!((answer.status.as_u16(), answer.header("connection")), (200, Some("close")));
    assert!(last.answer().unwrap().is_none(), "it ends the connection");
    assert!(gateway.exited().unwrap().success(), "{}", gateway.log());
}

#[test]
fn answers_end_their_connections_as_soon_as_the_gateway_is_not_ready() {
    let mut gateway = Setup::default().config("[connections]\nunready_ms = 3000").listening().unwrap();
    let mut reused = RawConnection::open(gateway.base).unwrap();
    for _ in 0..2 {
        reused.send(REQUEST).unwrap();
        assert_eq!(reused.answer().unwrap().unwrap().header("connection"), None);
    }
    gateway.sigterm().unwrap();
    wait::until("the end of readiness", SOON, || is_logged(&gateway, "it is not ready any more")).unwrap();
    reused.send(REQUEST).unwrap();
    let answer = reused.answer().unwrap().unwrap();
    assert_eq!((answer.status.as_u16(), answer.header("connection")), (200, Some("close")));
    assert!(reused.answer().unwrap().is_none(), "it ends the connection");
    assert!(gateway.exited().unwrap().success(), "{}", gateway.log());
}
