//! A node of a chain on which every address has a contract with every function that is declared, and no account has
//! anything; it counts what is requested of it.
//!
//! It runs no EVM: it reads the packed calls of `host/reader/src/methods/packed/call.yul`, and replies as that program would.
//! Every [`BLOCK_S`] seconds there is a new block.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use alloy::hex;
use alloy::primitives::{Address, B256, U64};
use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::declared::Declared;

/// Between two blocks.
pub(super) const BLOCK_S: u64 = 2;
/// How far below the newest block the last final one is.
const FINAL_BELOW: u64 = 32;
/// The first bytes of a block's hash; the last ones are its number.
const HASH_PREFIX: [u8; 24] = [0xb1; 24];
/// The gas at the program's start, and what each read takes of it.
const GAS: u64 = 50_000_000;
const READ_GAS: u64 = 8_000;
const CODE_BYTES: u64 = 1_000;
const BASE_FEE: &str = "0x3b9aca00"; // 1 gwei
/// The longest reply that is told word by word.
const WORDS_MAX: usize = 32;

/// A request with reads.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) arrived: Instant,
    pub(super) answered: Instant,
    pub(super) reads: usize,
    pub(super) up_bytes: usize,
    pub(super) down_bytes: usize,
}

/// The node; ends with the value.
#[derive(Debug)]
pub(super) struct StandIn {
    address: SocketAddr,
    chain: Arc<StandInChain>,
    // Ends its tasks when it goes.
    _runtime: Runtime,
}

#[derive(Debug)]
struct StandInChain {
    id: u64,
    declared: Arc<Declared>,
    readings: Mutex<Vec<Reading>>,
}

impl StandIn {
    pub(super) fn start(id: u64, declared: &Arc<Declared>) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let chain = Arc::new(StandInChain { id, declared: Arc::clone(declared), readings: Mutex::default() });
        let served = Arc::clone(&chain);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let chain = Arc::clone(&served);
                let service = service_fn(move |request| serve(request, Arc::clone(&chain)));
                // A client that goes away ends only its own connection.
                tokio::spawn(
                    async move { http1::Builder::new().serve_connection(TokioIo::new(stream), service).await },
                );
            }
        });
        Ok(Self { address, chain, _runtime: runtime })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests with reads since the last call of this.
    pub(super) fn take(&self) -> Vec<Reading> {
        std::mem::take(&mut self.chain.readings.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn serve(request: Request<Incoming>, chain: Arc<StandInChain>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let body = request.into_body().collect().await?.to_bytes();
    let arrived = Instant::now();
    let (reply, reads) = chain.reply(&body);
    if reads > 0 {
        let (up_bytes, down_bytes) = (body.len(), reply.len());
        let reading = Reading { arrived, answered: Instant::now(), reads, up_bytes, down_bytes };
        chain.readings.lock().unwrap_or_else(PoisonError::into_inner).push(reading);
    }
    Ok(Response::new(Full::new(reply.into())))
}

impl StandInChain {
    /// The reply to a body, and the reads in it.
    fn reply(&self, body: &[u8]) -> (String, usize) {
        let mut reads = 0;
        let mut one = |request: &Value| {
            let mut reply = json!({"jsonrpc": "2.0", "id": request["id"]});
            match self.result(request) {
                Ok((result, count)) => {
                    reads += count;
                    reply["result"] = result;
                }
                Err(error) => reply["error"] = json!({"code": -32000, "message": format!("{error:#}")}),
            }
            reply
        };
        let reply = match serde_json::from_slice(body) {
            Ok(Value::Array(requests)) => requests.iter().map(one).collect(),
            Ok(request) => one(&request),
            Err(_) => Value::Null,
        };
        (reply.to_string(), reads)
    }

    fn result(&self, request: &Value) -> Result<(Value, usize)> {
        let params = &request["params"];
        let result = match request["method"].as_str().context("no method")? {
            "eth_chainId" => json!(U64::from(self.id)),
            "eth_blockNumber" => json!(U64::from(newest())),
            "eth_getBlockByNumber" => header(number_at(&params[0])?),
            "eth_getBlockByHash" => header(number_of(&params[0])?),
            "eth_getBalance" => json!("0x0"),
            "eth_getCode" => json!("0x00"),
            "eth_feeHistory" => {
                let oldest = number_at(&params[1])?;
                json!({"oldestBlock": U64::from(oldest), "baseFeePerGas": [BASE_FEE, BASE_FEE], "reward": [[BASE_FEE]]})
            }
            "eth_call" => return self.call(params),
            method => bail!("no method {method}"),
        };
        Ok((result, 0))
    }

    /// A packed call, whose program stands in its state override, or a single one.
    fn call(&self, params: &Value) -> Result<(Value, usize)> {
        let number = match &params[1] {
            Value::Object(at) => number_of(at.get("blockHash").context("no hash")?)?,
            at => number_at(at)?,
        };
        let data = hex::decode(params[0]["data"].as_str().context("no data")?)?;
        if !params[2].is_object() {
            let to: Address = serde_json::from_value(params[0]["to"].clone())?;
            let reply = self.declared.reply(to, &data).context("execution reverted")?;
            return Ok((json!(hex::encode_prefixed(reply)), 1));
        }
        let mut entries = Entries::default();
        let mut rest = Rest(data.get(11..).context("no packed call")?);
        let (mut to, mut before) = (Address::ZERO, &[][..]);
        while !rest.0.is_empty() {
            let flags = rest.take(1)?[0];
            if flags & 0x04 == 0 {
                to = Address::from_slice(rest.take(20)?);
            }
            rest.take(if flags & 0x10 == 0 { 0 } else { 4 })?;
            if flags & 0x08 == 0 {
                let length = u16::from_be_bytes(rest.take(2)?.try_into()?);
                before = rest.take(length.into())?;
            }
            let reply = match flags & 3 {
                2 => Some(vec![0; 32]),
                3 => Some([&[0; 24][..], &CODE_BYTES.to_be_bytes()].concat()),
                _ => self.declared.reply(to, before),
            };
            entries.push(flags == 0x08, reply.as_deref());
        }
        let mut reply = b"PTNC".to_vec();
        let gas_left = GAS.saturating_sub(READ_GAS * u64::try_from(entries.count)?);
        for figure in [number, number * BLOCK_S, GAS, gas_left] {
            reply.extend(&figure.to_be_bytes()[3..]);
        }
        reply.extend(&entries.count.to_be_bytes()[5..]);
        reply.extend(self.id.to_be_bytes());
        reply.extend(hash_of(number - 1));
        let count = entries.count;
        reply.extend(entries.end());
        Ok((json!(hex::encode_prefixed(reply)), count))
    }
}

/// The replies of a packed call.
#[derive(Default)]
struct Entries {
    bytes: Vec<u8>,
    count: usize,
    /// Replies of one zero word that stand at the end and are not written yet.
    zeros: u16,
}

impl Entries {
    /// Adds the reply to a read, or that it reverted; the program has a loop of its own for common reads.
    fn push(&mut self, is_common: bool, reply: Option<&[u8]>) {
        self.count += 1;
        if is_common && reply == Some(&[0; 32]) && self.zeros < u16::MAX {
            self.zeros += 1;
            return;
        }
        self.write_zeros();
        let (kind, data) = reply.map_or((0x23, &[][..]), |data| (0x22, data));
        if kind == 0x22 && data.len().is_multiple_of(32) && (1..=WORDS_MAX).contains(&(data.len() / 32)) {
            self.bytes.extend((data.len() / 32).to_be_bytes().last());
            for word in data.chunks(32) {
                let zeros = word.iter().take_while(|byte| **byte == 0).count();
                self.bytes.extend((word.len() - zeros).to_be_bytes().last());
                self.bytes.extend(&word[zeros..]);
            }
        } else {
            self.bytes.push(kind);
            self.bytes.extend(&data.len().to_be_bytes()[5..]);
            self.bytes.extend(data);
        }
    }

    fn write_zeros(&mut self) {
        if self.zeros > 0 {
            self.bytes.push(0);
            self.bytes.extend(self.zeros.to_be_bytes());
            self.zeros = 0;
        }
    }

    fn end(mut self) -> Vec<u8> {
        self.write_zeros();
        self.bytes
    }
}

/// The rest of a packed call.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes).context("a record is cut")?;
        self.0 = rest;
        Ok(taken)
    }
}

/// The newest block of all such chains.
pub(super) fn newest() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    since.as_secs() / BLOCK_S
}

fn hash_of(number: u64) -> B256 {
    B256::from_slice(&[&HASH_PREFIX[..], &number.to_be_bytes()].concat())
}

fn number_of(hash: &Value) -> Result<u64> {
    let hash: B256 = serde_json::from_value(hash.clone())?;
    let (prefix, number) = hash.split_at(HASH_PREFIX.len());
    ensure!(prefix == HASH_PREFIX, "header not found");
    Ok(u64::from_be_bytes(number.try_into()?))
}

fn number_at(tag: &Value) -> Result<u64> {
    Ok(match tag.as_str().context("no block")? {
        "latest" | "pending" => newest(),
        "safe" | "finalized" => newest() - FINAL_BELOW,
        _ => serde_json::from_value::<U64>(tag.clone())?.to(),
    })
}

fn header(number: u64) -> Value {
    let (hash, parent) = (hash_of(number), hash_of(number - 1));
    json!({"number": U64::from(number), "hash": hash, "parentHash": parent, "timestamp": U64::from(number * BLOCK_S)})
}
