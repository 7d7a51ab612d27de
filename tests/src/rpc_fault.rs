//! A loopback JSON-RPC endpoint that stands before a chain and goes wrong on command.
//!
//! A [`Fault`] is what is done with a request instead of answering it; [`Flaws`] are what the node behind it cannot do
//! or does wrong. Invariant: what it does with a request follows what is in force when it answers, so a held request
//! goes on as soon as the fault changes. It counts what arrives, and keeps what it forwards, to compare.

mod flaws;
mod node;
mod reply;
mod request;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
mod transactions;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

pub use self::flaws::{BATCHES, Flaws, Gas, Hashes, Overrides, Replies, Reverts};
use self::node::Node;
use self::reply::{Reply, Sent};
use self::request::Request;
pub use self::request::Way;
pub use self::transactions::Transactions;
use crate::http;
use crate::json::Json;
use crate::wait;

/// The treatment of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: the chain answers.
    #[default]
    None,
    /// The connection is closed without an answer.
    Close,
    /// Nothing comes back until the fault changes.
    Hold,
    /// 200 with a body that is no JSON.
    Garbage,
    /// JSON of another shape than was requested.
    WrongShape,
    /// An HTTP status without JSON-RPC.
    Status(u16),
    /// A JSON-RPC error object.
    Error(i64),
    /// `eth_chainId` returns this one; the rest is the chain's.
    ChainId(u64),
    /// The chain answers, so much later.
    Late(Duration),
    /// HTTP status 429, with the seconds to wait if it names them.
    Throttled(Option<u64>),
}

/// The endpoint; ends with the value.
#[derive(Debug)]
pub struct RpcFault {
    address: SocketAddr,
    state: watch::Sender<State>,
    counts: Arc<Counts>,
    // Ends its tasks when it goes.
    _runtime: Runtime,
}

/// The chain, and the faults and flaws in force.
#[derive(Clone, Debug)]
struct State {
    chain: SocketAddr,
    /// Another chain, and the requests of a hundred that go there.
    other: Option<(SocketAddr, usize)>,
    fault: Fault,
    flaws: Flaws,
    transactions: Arc<Transactions>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicUsize,
    held: AtomicUsize,
    in_flight: AtomicUsize,
    in_flight_max: AtomicUsize,
    seen: Mutex<Vec<SeenRequest>>,
    forwarded: Mutex<Vec<Exchange>>,
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct SeenRequest {
    pub at: Instant,
    pub method: String,
    /// How an `eth_call` reads.
    pub way: Option<Way>,
    /// The gas that an `eth_call` names.
    pub gas: Option<u64>,
    pub bytes: usize,
}

/// A request to the chain, and the size of its reply.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub requested: Bytes,
    pub answered: usize,
}

impl RpcFault {
    /// Stands before the chain at `url` and does nothing wrong yet.
    ///
    /// # Errors
    /// No free port.
    pub fn before(url: &str) -> Result<Self> {
        let chain = address_of(url)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let state =
            State { chain, other: None, fault: Fault::None, flaws: Flaws::default(), transactions: Arc::default() };
        let (state, _) = watch::channel(state);
        let counts = Arc::new(Counts::default());
        runtime.spawn(accept(listener, state.clone(), Arc::clone(&counts)));
        Ok(Self { address, state, counts, _runtime: runtime })
    }

    /// Where the gateway sends its requests.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on, it stands before the chain at `url`, and its own address stays.
    ///
    /// # Errors
    /// No URL of a chain.
    pub fn lead_to(&self, url: &str) -> Result<()> {
        let chain = address_of(url)?;
        self.state.send_modify(|state| state.chain = chain);
        Ok(())
    }

    /// From now on, so many requests of a hundred go to the chain at `url`.
    ///
    /// # Errors
    /// No URL of a chain.
    pub fn lead_partly_to(&self, url: &str, percent: usize) -> Result<()> {
        let other = address_of(url)?;
        self.state.send_modify(|state| state.other = Some((other, percent)));
        Ok(())
    }

    /// From now on.
    pub fn set(&self, fault: Fault) {
        self.state.send_modify(|state| state.fault = fault);
    }

    /// From now on, in place of the flaws before.
    pub fn flawed(&self, flaws: Flaws) {
        self.state.send_modify(|state| state.flaws = flaws);
    }

    /// From now on, it also knows these transactions, in place of others that it knew beside its chain's.
    pub fn knows(&self, transactions: Transactions) {
        self.state.send_modify(|state| state.transactions = Arc::new(transactions));
    }

    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::SeqCst)
    }

    /// The requests so far, in the order of their arrival.
    pub fn seen(&self) -> Vec<SeenRequest> {
        self.counts.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many requests so far were of a method.
    pub fn requested(&self, method: &str) -> usize {
        self.seen().iter().filter(|requested| requested.method == method).count()
    }

    /// How many calls so far were made in a way.
    pub fn calls(&self, way: Way) -> usize {
        self.seen().iter().filter(|requested| requested.way == Some(way)).count()
    }

    /// The most requests that were under way at one time.
    pub fn in_flight_max(&self) -> usize {
        self.counts.in_flight_max.load(Ordering::SeqCst)
    }

    /// Takes the exchanges with the chain since the last call of this.
    pub fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.counts.forwarded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until a method was requested more often than so many times.
    ///
    /// # Errors
    /// Where it is not.
    pub fn wait_until_requested(&self, method: &str, more_than: usize) -> Result<()> {
        let requested = || match self.requested(method) {
            times if times > more_than => Ok(()),
            times => bail!("{method} was requested {times} times"),
        };
        wait::until("a request", http::DEADLINE, requested).map(drop)
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

fn address_of(url: &str) -> Result<SocketAddr> {
    Ok(url.strip_prefix("http://").context("no http URL")?.parse()?)
}

async fn accept(listener: TcpListener, state: watch::Sender<State>, counts: Arc<Counts>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, state.subscribe(), Arc::clone(&counts)));
    }
}

async fn serve(stream: TcpStream, state: watch::Receiver<State>, counts: Arc<Counts>) {
    let service = service_fn(|request| answer(request, state.clone(), Arc::clone(&counts)));
    // A refused request ends its connection; that is the fault that was requested.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    request: hyper::Request<Incoming>,
    mut state: watch::Receiver<State>,
    counts: Arc<Counts>,
) -> Result<Response<Sent>> {
    let number = counts.requests.fetch_add(1, Ordering::SeqCst);
    let _under_way = UnderWay::count(&counts);
    let body = request.into_body().collect().await?.to_bytes();
    let request = Request::parse(&body)?;
    counts.saw(request.as_ref(), body.len());
    if state.borrow().fault == Fault::Hold {
        let _held = Held::count(&counts);
        state.wait_for(|state| state.fault != Fault::Hold).await?;
    }
    let State { chain, other, fault, flaws, transactions } = state.borrow().clone();
    // Spread over the hundred, so that a few in a row go to both.
    let chain = other.filter(|(_, percent)| number * 37 % 100 < *percent).map_or(chain, |(other, _)| other);
    let node = Node { chain, flaws: &flaws, transactions: &transactions };
    let reply = match fault {
        Fault::None | Fault::Hold => forward(&node, body, request, &counts).await?,
        Fault::Close => bail!("closed on command"),
        Fault::Garbage => Reply::whole("<html>busy</html>"),
        Fault::WrongShape => {
            Reply::whole(each(&body, |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":[1]}}}}"#))?)
        }
        Fault::Status(status) => Reply::status(StatusCode::from_u16(status)?),
        Fault::Throttled(retry_after_s) => Reply::too_many(retry_after_s),
        Fault::Error(code) => {
            let error = format!(r#"{{"code":{code},"message":"try again later"}}"#);
            Reply::whole(each(&body, |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))?)
        }
        Fault::ChainId(chain_id) if body.windows(11).any(|window| window == b"eth_chainId") => {
            Reply::whole(each(&body, |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"{chain_id:#x}"}}"#))?)
        }
        Fault::ChainId(_) => forward(&node, body, request, &counts).await?,
        Fault::Late(by) => {
            tokio::time::sleep(by).await;
            forward(&node, body, request, &counts).await?
        }
    };
    reply.into_response()
}

async fn forward(node: &Node<'_>, requested: Bytes, request: Option<Request>, counts: &Counts) -> Result<Reply> {
    let (reply, of_chain) = node.answer(requested.clone(), request).await?;
    if of_chain {
        let exchange = Exchange { requested, answered: reply.len() };
        counts.forwarded.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    }
    Ok(reply)
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

impl Counts {
    fn saw(&self, request: Option<&Request>, bytes: usize) {
        let method = request.map_or("batch", |request| &request.method).to_owned();
        let (way, gas) = (request.and_then(Request::way), request.and_then(Request::gas));
        let requested = SeenRequest { at: Instant::now(), method, way, gas, bytes };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(requested);
    }
}

/// Counts a request for as long as it is under way.
struct UnderWay<'a>(&'a Counts);

impl<'a> UnderWay<'a> {
    fn count(counts: &'a Counts) -> Self {
        let now = counts.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        counts.in_flight_max.fetch_max(now, Ordering::SeqCst);
        Self(counts)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
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
