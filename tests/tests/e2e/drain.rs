//! The end of a process and the limit of its answers: nobody who was let in is dropped, nobody else is let in.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::wait;

/// Longer than a test holds an answer back.
const DEADLINE_MS: u32 = 20_000;
/// Long enough to be asked in between.
const UNREADY_MS: u32 = 2_000;
const IN_FLIGHT_MAX: usize = 2;

struct Fixture {
    chain: Chain,
    rpc: RpcFault,
    gateway: Gateway,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("polygon")?;
        let rpc = RpcFault::before(&chain.url)?;
        let answers = format!("[answers]\ndeadline_ms = {DEADLINE_MS}\nin_flight_max = {IN_FLIGHT_MAX}");
        let limits = format!("[plugins.limits]\njob_ms = {DEADLINE_MS}\n[connections]\nunready_ms = {UNREADY_MS}");
        let plugin = build::built()?.plugin("libquickswap.so");
        let setup = Setup::default().config(&answers).config(&limits).rpc("polygon", &rpc.url());
        Ok(Self { chain, gateway: setup.plugin(&plugin, &["quickswap"]).start()?, rpc })
    }

    fn path(&self, account: &str) -> String {
        let account = self.chain.expected["accounts"][account]["address"].as_str().unwrap();
        format!("/quickswap/{account}/claimables")
    }

    /// An answer that the gateway did not read yet, and the path that requests it.
    fn unread(&self) -> (String, http::Response) {
        let path = self.path("whale");
        let undisturbed = Self::start().unwrap().gateway.get(&path).unwrap();
        assert_eq!(undisturbed.status, 200, "{}", undisturbed.body);
        // So that nothing but reads is left to request.
        self.gateway.get(&self.path("nothing")).unwrap();
        (path, undisturbed)
    }
}

#[test]
fn an_answer_under_way_arrives_after_sigterm_and_the_exit_is_0() {
    let mut fixture = Fixture::start().unwrap();
    let base = fixture.gateway.base;
    let (path, undisturbed) = fixture.unread();

    let requested = fixture.rpc.requested("eth_call");
    fixture.rpc.set(Fault::Hold);
    let client = thread::spawn(move || http::get(base, &path));
    fixture.rpc.wait_until_requested("eth_call", requested).unwrap();
    fixture.gateway.sigterm().unwrap();
    let refused = || match TcpStream::connect_timeout(&base, Duration::from_secs(1)) {
        Ok(_) => Err("it still takes connections"),
        Err(_) => Ok(()),
    };
    wait::until("the end of listening", Duration::from_secs(5), refused).unwrap();
    assert!(!client.is_finished(), "the answer came while its reads were held");
    fixture.rpc.set(Fault::None);

    let response = client.join().unwrap().unwrap();
    assert_eq!((response.status, response.body), (undisturbed.status, undisturbed.body));
    let status = fixture.gateway.exited().unwrap();
    assert_eq!(status.code(), Some(0), "{}", fixture.gateway.log());
}

#[test]
fn idle_connections_do_not_hold_the_exit_back() {
    let mut fixture = Fixture::start().unwrap();
    let idle: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(fixture.gateway.base).unwrap()).collect();
    fixture.gateway.get("/networks").unwrap();
    fixture.gateway.sigterm().unwrap();
    assert_eq!(fixture.gateway.exited().unwrap().code(), Some(0), "{}", fixture.gateway.log());
    drop(idle);
}

#[test]
fn a_gateway_that_stops_says_so_before_it_closes() {
    let mut fixture = Fixture::start().unwrap();
    fixture.gateway.sigterm().unwrap();
    wait::until("an unready gateway", Duration::from_secs(5), || {
        let answer = fixture.gateway.operate("/readyz")?;
        ensure!(answer.status == 503 && answer.body.contains("it stops"), "{}", answer.body);
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    assert_eq!(fixture.gateway.get("/networks").unwrap().status, 200, "it answers still");
    assert_eq!(fixture.gateway.exited().unwrap().code(), Some(0), "{}", fixture.gateway.log());
    let log = fixture.gateway.log();
    assert!(!log.contains("Panicked") && !log.contains("not dropped in time"), "{log}");
}

#[test]
fn who_closes_its_half_of_a_connection_gets_its_answer() {
    let fixture = Fixture::start().unwrap();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(fixture.gateway.base).unwrap();
        stream.write_all(b"GET /networks HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer:?}");
    }
}

#[test]
fn answers_beyond_the_limit_are_refused_and_those_within_arrive() {
    const CLIENTS: usize = 8;
    let fixture = Fixture::start().unwrap();
    let base = fixture.gateway.base;
    let (path, undisturbed) = fixture.unread();

    fixture.rpc.set(Fault::Hold);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let path = path.clone();
            thread::spawn(move || http::get(base, &path).unwrap())
        })
        .collect();
    // Reads are held, so only refusals can come back, and all of them do.
    let refused = || match clients.iter().filter(|client| client.is_finished()).count() {
        done if done == CLIENTS - IN_FLIGHT_MAX => Ok(()),
        done => Err(format!("{done} of {CLIENTS} are answered")),
    };
    wait::until("the refusals", Duration::from_secs(10), refused).unwrap();
    // A request that reads no chain is not counted.
    assert_eq!(fixture.gateway.get("/networks").unwrap().status, 200);
    assert_eq!(fixture.gateway.operate("/healthz").unwrap().status, 200);
    // A request that is wrong in itself is reported as that, however busy the gateway is.
    let wrong = |path: &str, status, name| problem::detail(&fixture.gateway.get(path).unwrap(), status, name).unwrap();
    wrong("/quickswap/0x12/claimables", 400, "invalid-address");
    wrong(&path.replace("quickswap", "quickswop"), 404, "unknown-protocol");
    fixture.rpc.set(Fault::None);

    let (answered, refused): (Vec<_>, Vec<_>) =
        clients.into_iter().map(|client| client.join().unwrap()).partition(|response| response.status == 200);
    assert_eq!((answered.len(), refused.len()), (IN_FLIGHT_MAX, CLIENTS - IN_FLIGHT_MAX));
    for response in answered {
        assert_eq!(response.body, undisturbed.body);
    }
    for response in refused {
        problem::detail(&response, 503, "overloaded").unwrap();
        let seconds: u32 = response.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds > 0);
    }
}
