//! `/networks` at 64 connections: requests a second of the gateway beside those of a bare hyper server that answers the
//! same bytes with the same headers.
//!
//! Both are processes of their own with a runtime of as many threads, and are loaded in turn by the same client. The
//! processor time of an answer is read beside it, since it does not depend on what else the machine does.

use std::convert::Infallible;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use hyper::header::{CONTENT_LENGTH, DATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use portolan_tests::build;
use portolan_tests::gateway::Setup;
use portolan_tests::http;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::Say;
use super::load::{Round, load};
use super::meter::median;
use super::table::{Kind, Verdict, begin, number, row};

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_secs(2);
const RATIO_MIN: f64 = 0.85;
const REQUEST: &[u8] = b"GET /networks HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";

/// The bare server's process; ends with its value.
struct BareServer(Child);

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let built = build::release(&[("portolan", "portolan")])?;
    let gateway = Setup::default().host(&built.host()).listening()?;
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), answer(gateway.base)?)?;
    let (bare, bare_address) = BareServer::start(file.path())?;
    let (mut gateways, mut bares) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        gateways.push(load(gateway.base, gateway.process(), REQUEST, CONNECTIONS, ROUND)?);
        bares.push(load(bare_address, bare.0.id(), REQUEST, CONNECTIONS, ROUND)?);
    }
    let per_second = |rounds: &[Round]| median(rounds.iter().map(|round| round.per_second));
    let cpu_us = |rounds: &[Round]| median(rounds.iter().map(|round| round.cpu_us));
    let ratios = gateways.iter().zip(&bares).map(|(gateway, bare)| gateway.per_second / bare.per_second);
    begin(say, &format!("`/networks` at {CONNECTIONS} connections"), &["figure", "gateway", "bare hyper"]);
    row(say, &["requests a second", &number(per_second(&gateways)), &number(per_second(&bares))]);
    row(say, &["processor time of an answer, µs", &number(cpu_us(&gateways)), &number(cpu_us(&bares))]);
    let bound = verdict.at_least(Kind::Time, "requests a second, gateway : bare", median(ratios), RATIO_MIN);
    row(say, &["ratio, the median of the rounds", &bound, ""]);
    Ok(())
}

/// The head without what a server adds itself, an empty line, and the body.
fn answer(from: SocketAddr) -> Result<String> {
    let response = http::get(from, "/networks")?;
    ensure!(response.status == 200, "{response:?}");
    let mut text = String::new();
    for (name, value) in response.headers.iter().filter(|(name, _)| ![DATE, CONTENT_LENGTH].contains(name)) {
        text.push_str(&format!("{name}: {}\n", value.to_str()?));
    }
    Ok(format!("{text}\n{}", response.body))
}

impl BareServer {
    fn start(file: &Path) -> Result<(Self, SocketAddr)> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.arg("bare").arg(file).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("no stdout")?;
        let server = Self(child);
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        Ok((server, line.trim().parse()?))
    }
}

impl Drop for BareServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves the answer that a file holds until it is killed; prints its address first.
pub(super) fn serve(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let (head, body) = text.split_once("\n\n").context("no head")?;
    let mut response = Response::builder();
    for line in head.lines() {
        let (name, value) = line.split_once(": ").context("no header")?;
        response = response.header(name, value);
    }
    let response = response.body(Full::new(Bytes::from(body.to_owned())))?;
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let response = response.clone();
            tokio::spawn(async move {
                let service = service_fn(|_| std::future::ready(Ok::<_, Infallible>(response.clone())));
                // A client that goes away ends only its own connection.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}
