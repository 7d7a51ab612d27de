//! Gateways by EIP-3668 on the loopback interface: the first part of a path says how one answers, the second which name
//! it is for.
//!
//! Invariant: a request is counted before it is answered. They prove to the resolver on the chain that they were
//! sent its question; a wrong proof is one of the ways.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll};

use alloy::hex;
use alloy::primitives::{Address, B256, Bytes, keccak256};
use alloy::sol_types::{SolCall as _, SolValue as _};
use anyhow::{Context as _, Result, ensure};
use bytes::Bytes as Chunk;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use portolan_tests::json::Json;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

alloy::sol! {
    function resolve(bytes name, bytes data) returns (bytes);
}

const ADDR: [u8; 4] = [0x3b, 0x3b, 0x57, 0xde]; // addr(bytes32)
const COIN_ADDR: [u8; 4] = [0xf1, 0xcb, 0x7e, 0x06]; // addr(bytes32,uint256)
/// Far more than an answer is, far less than would hurt this machine.
const FLOOD_BYTES: usize = 64 << 20;
const FLOOD_PART: &[u8] = &[b' '; 64 << 10];

type Sent = BoxBody<Chunk, io::Error>;

/// The server; ends with the value.
pub(super) struct Gateways {
    pub(super) address: SocketAddr,
    seen: Arc<Seen>,
    // Ends its tasks when it goes.
    _runtime: Runtime,
}

struct Seen {
    /// The address of every name.
    account: Address,
    /// The sender, in the words of a URL.
    sender: String,
    /// Requests by way and name.
    requested: Mutex<BTreeMap<(String, String), usize>>,
    flooded: AtomicUsize,
}

impl Gateways {
    pub(super) fn start(expected: &Json) -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let seen = Arc::new(Seen {
            account: expected.text_at("names/gateways/account")?.parse()?,
            sender: expected.text_at("names/gateways/resolver")?.to_owned(),
            requested: Mutex::default(),
            flooded: AtomicUsize::new(0),
        });
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(async { TcpListener::from_std(listener) })?;
        runtime.spawn(accept(listener, Arc::clone(&seen)));
        Ok(Self { address, seen, _runtime: runtime })
    }

    /// The URL of one that takes GET.
    pub(super) fn url(&self, way: &str, label: &str) -> String {
        format!("http://{}/{way}/{label}/{{sender}}/{{data}}.json", self.address)
    }

    /// The URL of one that takes POST.
    pub(super) fn post_url(&self, label: &str) -> String {
        format!("http://{}/post/{label}", self.address)
    }

    /// How often one was requested for a name since the last call.
    pub(super) fn take(&self, way: &str, label: &str) -> usize {
        self.seen.requested().remove(&(way.to_owned(), label.to_owned())).unwrap_or_default()
    }

    /// Returns the bytes that were sent of answers that are too long.
    pub(super) fn flooded(&self) -> usize {
        self.seen.flooded.load(Ordering::SeqCst)
    }
}

async fn accept(listener: TcpListener, seen: Arc<Seen>) {
    while let Ok((stream, _)) = listener.accept().await {
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, Arc::clone(&seen)));
            // Whoever hangs up had enough.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(request: Request<Incoming>, seen: Arc<Seen>) -> Result<Response<Sent>> {
    let path = request.uri().path().trim_matches('/').to_owned();
    let mut parts = path.split('/');
    let (way, label) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let times = seen.count(way, label);
    if way == "post" {
        ensure!(request.method() == hyper::Method::POST, "{} of {path}", request.method());
        let body = request.into_body().collect().await?.to_bytes();
        let body = Json::parse(std::str::from_utf8(&body)?)?;
        return seen.judge(body.text_at("sender")?, body.text_at("data")?, true);
    }
    ensure!(request.method() == hyper::Method::GET, "{} of {path}", request.method());
    let sender = parts.next().context("no sender")?;
    let data = parts.next().and_then(|part| part.strip_suffix(".json")).context("no data")?;
    match way {
        "slow" => std::future::pending().await,
        "huge" => Ok(json(StatusCode::OK).body(Flood { left: FLOOD_BYTES, seen }.boxed())?),
        "redirect" => {
            let there = path.replacen("redirect", "get", 1);
            Ok(json(StatusCode::FOUND).header("location", format!("/{there}")).body(whole(String::new()))?)
        }
        "garbage" => Ok(json(StatusCode::OK).body(whole("<html>busy</html>".into()))?),
        "refused" => Ok(json(StatusCode::NOT_FOUND).body(whole(r#"{"message":"no such name"}"#.into()))?),
        "broken" => out_of_order(),
        "moody" if times == 1 => out_of_order(),
        "wrong" => seen.judge(sender, data, false),
        _ => seen.judge(sender, data, true),
    }
}

fn out_of_order() -> Result<Response<Sent>> {
    Ok(json(StatusCode::INTERNAL_SERVER_ERROR).body(whole(r#"{"message":"out of order"}"#.into()))?)
}

fn json(status: StatusCode) -> hyper::http::response::Builder {
    Response::builder().status(status).header("content-type", "application/json")
}

fn whole(text: String) -> Sent {
    Full::new(Chunk::from(text)).map_err(|never| match never {}).boxed()
}

impl Seen {
    fn requested(&self) -> std::sync::MutexGuard<'_, BTreeMap<(String, String), usize>> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, way: &str, label: &str) -> usize {
        let mut requested = self.requested();
        let times = requested.entry((way.to_owned(), label.to_owned())).or_default();
        *times += 1;
        *times
    }

    /// Returns the reply to the resolver, if it is the sender.
    fn judge(&self, sender: &str, data: &str, honest: bool) -> Result<Response<Sent>> {
        if !sender.eq_ignore_ascii_case(&self.sender) {
            return Ok(json(StatusCode::BAD_REQUEST).body(whole(r#"{"message":"who requests?"}"#.into()))?);
        }
        let question = hex::decode(data)?;
        let result = self.result(&resolveCall::abi_decode(&question)?.data)?;
        let proven = if honest { keccak256(&question) } else { B256::ZERO };
        let proof = keccak256((proven, result.clone()).abi_encode_params());
        let response = hex::encode_prefixed((result, proof).abi_encode_params());
        Ok(json(StatusCode::OK).body(whole(format!(r#"{{"data":"{response}"}}"#)))?)
    }

    fn result(&self, question: &[u8]) -> Result<Bytes> {
        match question.first_chunk::<4>() {
            Some(&ADDR) => Ok(self.account.abi_encode().into()),
            Some(&COIN_ADDR) => Ok(Bytes::copy_from_slice(self.account.as_slice()).abi_encode().into()),
            // Any other record is text, and there is none.
            Some(_) => Ok(String::new().abi_encode().into()),
            None => anyhow::bail!("a question without a function"),
        }
    }
}

/// A body that does not end soon.
struct Flood {
    left: usize,
    seen: Arc<Seen>,
}

impl Body for Flood {
    type Data = Chunk;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Chunk>, io::Error>>> {
        let Some(left) = self.left.checked_sub(FLOOD_PART.len()) else { return Poll::Ready(None) };
        self.left = left;
        self.seen.flooded.fetch_add(FLOOD_PART.len(), Ordering::SeqCst);
        Poll::Ready(Some(Ok(Frame::data(Chunk::from_static(FLOOD_PART)))))
    }
}

/// Returns true if only a part was sent of a body that is too long for anyone.
pub(super) fn is_part_of_flood(bytes: usize) -> bool {
    bytes > 0 && bytes < FLOOD_BYTES
}
