//! A loopback JSON-RPC endpoint that stands before a chain and goes wrong on command.
//!
//! Invariant: what it does with a request follows the fault in force when it answers, so a held request goes on as
//! soon as the fault changes. It counts what arrives, and keeps what it forwards, to compare.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::http;
use crate::json::Json;
use crate::wait;

/// What is done with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: the chain answers.
    None,
    /// The connection is closed without an answer.
    Close,
    /// Nothing comes back until the fault changes.
    Hold,
    /// 200 with a body that is no JSON.
    Garbage,
    /// JSON of another shape than was asked for.
    WrongShape,
    /// An HTTP status without JSON-RPC.
    Status(u16),
    /// A JSON-RPC error object.
    Error(i64),
    /// `eth_chainId` tells this one; the rest is the chain's.
    ChainId(u64),
    /// The chain answers, so much later.
    Late(Duration),
}

/// The endpoint; ends with the value.
#[derive(Debug)]
pub struct RpcFault {
    address: SocketAddr,
    fault: watch::Sender<Fault>,
    counts: Arc<Counts>,
    // Ends its tasks when it goes.
    _runtime: Runtime,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicUsize,
    held: AtomicUsize,
    forwarded: Mutex<Vec<Exchange>>,
}

/// What the chain was asked and answered.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub asked: Bytes,
    pub answered: usize,
}

impl RpcFault {
    /// Stands before the chain at `url` and does nothing wrong yet.
    ///
    /// # Errors
    /// No free port.
    pub fn before(url: &str) -> Result<Self> {
        let chain: SocketAddr = url.strip_prefix("http://").context("no http URL")?.parse()?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let (fault, _) = watch::channel(Fault::None);
        let counts = Arc::new(Counts::default());
        runtime.spawn(accept(listener, chain, fault.clone(), Arc::clone(&counts)));
        Ok(Self { address, fault, counts, _runtime: runtime })
    }

    /// Where the gateway is to ask.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on.
    pub fn set(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }

    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::SeqCst)
    }

    /// What the chain was asked since the last look.
    pub fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.counts.forwarded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until a request hangs here.
    ///
    /// # Errors
    /// Where none comes.
    pub fn wait_for_held(&self) -> Result<()> {
        let held = || match self.counts.held.load(Ordering::SeqCst) {
            0 => bail!("none of {} requests is held", self.requests()),
            _ => Ok(()),
        };
        wait::until("a held request", http::DEADLINE, held).map(|_| ())
    }
}

/// A URL on which nothing listens.
///
/// # Errors
/// No free port.
pub fn refusing() -> Result<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(format!("http://{}", listener.local_addr()?))
}

async fn accept(listener: TcpListener, chain: SocketAddr, fault: watch::Sender<Fault>, counts: Arc<Counts>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, chain, fault.subscribe(), Arc::clone(&counts)));
    }
}

async fn serve(stream: TcpStream, chain: SocketAddr, fault: watch::Receiver<Fault>, counts: Arc<Counts>) {
    let service = service_fn(|request| answer(request, chain, fault.clone(), Arc::clone(&counts)));
    // A refused request ends its connection; that is the fault that was asked for.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    request: Request<Incoming>,
    chain: SocketAddr,
    mut fault: watch::Receiver<Fault>,
    counts: Arc<Counts>,
) -> Result<Response<Full<Bytes>>> {
    counts.requests.fetch_add(1, Ordering::SeqCst);
    let body = request.into_body().collect().await?.to_bytes();
    if *fault.borrow() == Fault::Hold {
        let _held = Held::count(&counts);
        fault.wait_for(|fault| *fault != Fault::Hold).await?;
    }
    let now = fault.borrow().clone();
    match now {
        Fault::None | Fault::Hold => forward(chain, body, &counts).await,
        Fault::Close => bail!("closed on command"),
        Fault::Garbage => ok("<html>busy</html>".to_owned()),
        Fault::WrongShape => ok(each(&body, |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":[1]}}}}"#))?),
        Fault::Status(status) => {
            let mut response = Response::new(Full::from("out of order"));
            *response.status_mut() = StatusCode::from_u16(status)?;
            Ok(response)
        }
        Fault::Error(code) => {
            let error = format!(r#"{{"code":{code},"message":"try again later"}}"#);
            ok(each(&body, |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))?)
        }
        Fault::ChainId(chain_id) if body.windows(11).any(|window| window == b"eth_chainId") => {
            ok(each(&body, |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"{chain_id:#x}"}}"#))?)
        }
        Fault::ChainId(_) => forward(chain, body, &counts).await,
        Fault::Late(by) => {
            tokio::time::sleep(by).await;
            forward(chain, body, &counts).await
        }
    }
}

async fn forward(chain: SocketAddr, asked: Bytes, counts: &Counts) -> Result<Response<Full<Bytes>>> {
    let body = http::post(chain, asked.clone()).await?.body;
    let exchange = Exchange { asked, answered: body.len() };
    counts.forwarded.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    ok(body)
}

fn ok(body: String) -> Result<Response<Full<Bytes>>> {
    Ok(Response::builder().header("content-type", "application/json").body(Full::from(body))?)
}

/// The same reply to every request of a body: one, or a batch.
fn each(body: &[u8], reply: impl Fn(&Json) -> String) -> Result<String> {
    match Json::parse(std::str::from_utf8(body)?)? {
        Json::Array(requests) => {
            let replies: Result<Vec<String>> = requests.iter().map(|request| Ok(reply(request.at("id")?))).collect();
            Ok(format!("[{}]", replies?.join(",")))
        }
        request => Ok(reply(request.at("id")?)),
    }
}

/// Counts a held request for as long as it is held.
struct Held<'a>(&'a Counts);

impl<'a> Held<'a> {
    fn count(counts: &'a Counts) -> Self {
        counts.held.fetch_add(1, Ordering::SeqCst);
        Self(counts)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::SeqCst);
    }
}
