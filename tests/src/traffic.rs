//! The cost of an answer at a network's RPC: requests of each sort, the reads in them, and bytes.
//!
//! It reads the JSON-RPC requests that a [`RpcFault`] forwarded; nothing is taken from the gateway's own report.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::json::Json;
use crate::rpc_fault::{Exchange, RpcFault};

/// The round trip to an endpoint near by. Costs are counted with it: the time for which a batch waits for a job that
/// still runs is a part of the round trip.
pub const LATE: Duration = Duration::from_millis(60);
/// A plugin that gets no processor for longer than a batch lingers misses it: on a busy machine, that is no fault. Half
/// of the answers of an unoptimized build miss one somewhere.
pub const TRIES: usize = 20;

/// The same on every network that has it.
const MULTICALL3: &str = "0xca11bde05977b3631167028862be2a173976ca11";
/// Hex digits of `0x`, a selector and the offset of the only argument, before the number of calls.
const BEFORE_COUNT: usize = 2 + 8 + 64;
/// Calls of every chunk that are no reads: three that prove chain and block, and those that prove that no gas was short.
const CHUNK_PROOFS: usize = 3 + 16;
/// The bytes of a packed call before its records: a mode, the gas of a call, and the length of the longest calldata.
const PACKED_HEAD: usize = 1 + 4 + 6;

/// The requests to one network, or to several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Which chain, which block, and in which ways the endpoint can be read.
    pub heads: usize,
    /// Requests that carry many reads.
    pub chunks: usize,
    /// The reads in them.
    pub chunked: usize,
    /// Requests that carry one read.
    pub singles: usize,
    /// Requests that simulate claims.
    pub simulations: usize,
    /// Requests for whether there is code at an address.
    pub codes: usize,
    pub sent_bytes: usize,
    pub received_bytes: usize,
}

impl Traffic {
    /// Counts the requests since the last call of this.
    ///
    /// # Errors
    /// A request that is no JSON-RPC.
    pub fn take(rpc: &RpcFault) -> Result<Self> {
        rpc.take().iter().map(Self::of).sum()
    }

    fn of(exchange: &Exchange) -> Result<Self> {
        let request = match Json::parse(std::str::from_utf8(&exchange.requested)?)? {
            // A read that is made alone, with the chain id behind it.
            Json::Array(batch) if has_chain_id(&batch) => batch.into_iter().next().context("an empty batch")?,
            request => request,
        };
        let bytes = Self { sent_bytes: exchange.requested.len(), received_bytes: exchange.answered, ..Self::default() };
        let is_of_multicall =
            || Ok::<_, anyhow::Error>(request.text_at("params/0/to")?.eq_ignore_ascii_case(MULTICALL3));
        if let Json::Array(batch) = &request {
            let is_simulation =
                |request: &Json| request.text_at("method").is_ok_and(|method| method == "eth_simulateV1");
            return Ok(match batch.iter().all(is_simulation) {
                true => Self { simulations: 1, ..bytes },
                false => Self { heads: 1, ..bytes },
            });
        }
        Ok(match request.text_at("method")? {
            "eth_simulateV1" => Self { simulations: 1, ..bytes },
            "eth_call" if request.at("params/2").is_ok() && !is_of_multicall()? => Self { simulations: 1, ..bytes },
            "eth_call" if request.at("params/2").is_ok() => match packed(&calldata(&request)?)? {
                0 => Self { heads: 1, ..bytes },
                count => Self { chunks: 1, chunked: count, ..bytes },
            },
            "eth_call" if is_of_multicall()? => {
                let data = request.text_at("params/0/data").or_else(|_| request.text_at("params/0/input"))?;
                let count = data.get(BEFORE_COUNT..BEFORE_COUNT + 64).context("no chunk")?;
                let count = usize::from_str_radix(count.trim_start_matches('0'), 16)?;
                Self { chunks: 1, chunked: count.checked_sub(CHUNK_PROOFS).context("no proofs")?, ..bytes }
            }
            "eth_call" | "eth_getBalance" => Self { singles: 1, ..bytes },
            "eth_getCode" if request.text_at("params/0")?.eq_ignore_ascii_case(MULTICALL3) => {
                Self { heads: 1, ..bytes }
            }
            "eth_getCode" => Self { codes: 1, ..bytes },
            _ => Self { heads: 1, ..bytes },
        })
    }

    /// All reads of contracts.
    pub fn reads(&self) -> usize {
        self.chunked + self.singles
    }

    /// All HTTP requests.
    pub fn requests(&self) -> usize {
        self.heads + self.chunks + self.singles + self.simulations + self.codes
    }
}

fn has_chain_id(batch: &[Json]) -> bool {
    batch.last().is_some_and(|last| last.text_at("method").is_ok_and(|method| method == "eth_chainId"))
}

fn calldata(request: &Json) -> Result<Vec<u8>> {
    let data = request.text_at("params/0/data").or_else(|_| request.text_at("params/0/input"))?;
    let digits = data.strip_prefix("0x").context("no bytes")?;
    (0..digits.len() / 2).map(|place| Ok(u8::from_str_radix(&digits[place * 2..place * 2 + 2], 16)?)).collect()
}

/// The records of a packed call: flags, then what the flags say follows.
fn packed(calldata: &[u8]) -> Result<usize> {
    let mut rest = calldata.get(PACKED_HEAD..).context("no packed call")?;
    let mut count = 0;
    while let Some((flags, after)) = rest.split_first() {
        let own = |flag: u8, bytes: usize| if flags & flag == 0 { 0 } else { bytes };
        let target = if flags & 0x04 == 0 { 20 } else { 0 };
        rest = after.get(target + own(0x10, 4)..).context("a record is cut")?;
        if flags & 0x08 == 0 {
            let (length, data) = rest.split_first_chunk::<2>().context("a length is cut")?;
            rest = data.get(usize::from(u16::from_be_bytes(*length))..).context("calldata is cut")?;
        }
        count += 1;
    }
    Ok(count)
}

impl Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            heads: self.heads + other.heads,
            chunks: self.chunks + other.chunks,
            chunked: self.chunked + other.chunked,
            singles: self.singles + other.singles,
            simulations: self.simulations + other.simulations,
            codes: self.codes + other.codes,
            sent_bytes: self.sent_bytes + other.sent_bytes,
            received_bytes: self.received_bytes + other.received_bytes,
        }
    }
}

impl Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heads, chunks, singles, simulations, codes, sent_bytes, received_bytes, .. } = self;
        write!(f, "{} reads in {} requests ", self.reads(), self.requests())?;
        write!(
            f,
            "({heads} for the block, {chunks} of many reads, {singles} of one, {simulations} simulations, {codes} for code), "
        )?;
        write!(f, "{sent_bytes} B sent, {received_bytes} B received")
    }
}
