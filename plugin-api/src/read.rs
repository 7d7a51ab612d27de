//! One read: what it asks, how fresh it must be, and what becomes of its reply.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use alloy::sol_types::abi::AbiDecoderConfig;
use portolan_abi::row::{freshness, kind, mode, status};

use crate::chain::Chain;
use crate::error::{Error, Revert};

/// Bytes that a reply's value may take for each of its own: arrays that share their elements are small as a reply and
/// huge as a value, and a contract may be hostile; an honest one takes about twice its size.
const DECODED_PER_BYTE: usize = 8;
/// Bytes that any value may take, as small ones have fixed parts.
const DECODED_FLOOR_BYTES: usize = 4_096;

/// A read that is made when it is awaited. The methods before that say how.
#[must_use = "a read is made when it is awaited"]
pub struct Read<'c, T> {
    chain: &'c Chain,
    ask: Option<Ask>,
    number: usize,
    to: Address,
    decode: Decode<T>,
}

/// Makes a value of a reply; the address is the read's target.
type Decode<T> = fn(Address, &RawReply) -> Result<T, Error>;

impl<T> fmt::Debug for Read<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("to", &self.to).field("ask", &self.ask).finish_non_exhaustive()
    }
}

/// What a read asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) kind: u8,
    pub(crate) mode: u8,
    pub(crate) freshness: u8,
    pub(crate) freshness_s: u32,
    pub(crate) gas_cap: u32,
    pub(crate) network: Option<u64>,
    pub(crate) to: Address,
    pub(crate) from: Option<Address>,
    pub(crate) data: Vec<u8>,
}

impl Ask {
    fn new(kind: u8, to: Address, data: Vec<u8>) -> Self {
        Self {
            kind,
            mode: mode::STATIC,
            freshness: freshness::PINNED,
            freshness_s: 0,
            gas_cap: 0,
            network: None,
            to,
            from: None,
            data,
        }
    }

    pub(crate) fn call(to: Address, data: Vec<u8>) -> Self {
        Self::new(kind::CALL, to, data)
    }

    pub(crate) fn native_balance(account: Address) -> Self {
        Self::new(kind::NATIVE_BALANCE, account, Vec::new())
    }

    pub(crate) fn code_size(at: Address) -> Self {
        Self::new(kind::CODE_SIZE, at, Vec::new())
    }
}

impl<'c, T> Read<'c, T> {
    pub(crate) fn new(chain: &'c Chain, ask: Ask, decode: Decode<T>) -> Self {
        Self { chain, to: ask.to, ask: Some(ask), number: 0, decode }
    }

    /// A fact that never changes (`decimals()`, the token of a pool): may come from any earlier answer.
    pub fn immutable(self) -> Self {
        self.fresh(freshness::IMMUTABLE, 0)
    }

    /// A slow fact (the length of a list): at most `seconds` old.
    pub fn within(self, seconds: u32) -> Self {
        self.fresh(freshness::WITHIN, seconds)
    }

    /// A zero may be that many seconds old; anything else is at the answer's block.
    pub fn zero_within(self, seconds: u32) -> Self {
        self.fresh(freshness::ZERO_WITHIN, seconds)
    }

    /// For a function that is not a view though one reads it: its writes are seen by no other read.
    pub fn isolated(self) -> Self {
        self.with(|ask| ask.mode = mode::ISOLATED)
    }

    /// The call's `msg.sender`.
    pub fn from(self, sender: Address) -> Self {
        self.with(|ask| ask.from = Some(sender))
    }

    /// Gas that the call may use; without it the host's default.
    pub fn gas_cap(self, gas: u32) -> Self {
        self.with(|ask| ask.gas_cap = gas)
    }

    /// Reads another network than the job's, at the block that this answer has pinned there.
    pub fn on(self, network: u64) -> Self {
        self.with(|ask| ask.network = Some(network))
    }

    fn fresh(self, freshness: u8, seconds: u32) -> Self {
        self.with(|ask| (ask.freshness, ask.freshness_s) = (freshness, seconds))
    }

    fn with(mut self, change: impl FnOnce(&mut Ask)) -> Self {
        self.ask.as_mut().map(change);
        self
    }

    pub(crate) fn poll_read(&mut self, cx: &Context<'_>) -> Poll<Result<T, Error>> {
        if let Some(ask) = self.ask.take() {
            self.number = self.chain.ask(ask);
        }
        let reply = ready!(self.chain.poll_reply(self.number, cx));
        Poll::Ready((self.decode)(self.to, &reply))
    }
}

/// A reply, still in the frame that it came in.
#[derive(Clone, Debug)]
pub(crate) struct RawReply {
    pub(crate) status: u8,
    pub(crate) frame: Arc<[u8]>,
    pub(crate) range: Range<usize>,
}

impl RawReply {
    fn bytes(&self) -> &[u8] {
        self.frame.get(self.range.clone()).unwrap_or_default()
    }

    /// The decoded answer, or what the contract did instead.
    pub(crate) fn decoded<C: SolCall>(&self, to: Address) -> Result<Result<C::Return, Revert>, Error> {
        Ok(self.answered(to)?.and_then(|bytes| {
            let limit = DECODED_FLOOR_BYTES.saturating_add(bytes.len().saturating_mul(DECODED_PER_BYTE));
            let config = AbiDecoderConfig::new().memory_limit(limit);
            C::abi_decode_returns_with_config(bytes, config).map_err(|_| Revert::Undecodable(bytes.len()))
        }))
    }

    /// The returned bytes, or what the contract did instead.
    pub(crate) fn returned(&self, to: Address) -> Result<Result<Bytes, Revert>, Error> {
        Ok(self.answered(to)?.map(Bytes::copy_from_slice))
    }

    fn answered(&self, to: Address) -> Result<Result<&[u8], Revert>, Error> {
        let bytes = self.bytes();
        Ok(match self.status {
            status::OK => Ok(bytes),
            status::REVERTED => Err(Revert::Data(Bytes::copy_from_slice(bytes))),
            status::NO_CODE => Err(Revert::NoCode),
            status::GAS_CAP => Err(Revert::Gas),
            other => return Err(unavailable(to, other)),
        })
    }

    /// The word that balances and code sizes are answered with.
    pub(crate) fn word(&self, to: Address) -> Result<U256, Error> {
        match (self.status, <[u8; 32]>::try_from(self.bytes())) {
            (status::OK, Ok(word)) => Ok(U256::from_be_bytes(word)),
            (other, _) => Err(unavailable(to, other)),
        }
    }
}

fn unavailable(to: Address, status: u8) -> Error {
    let reason = match status {
        status::UNAVAILABLE => "no endpoint answered in time",
        status::OVER_BUDGET => "the job's budget of reads is used up",
        status::UNSUPPORTED => "this host does not make such a read",
        _ => "the host answered something unknown",
    };
    Error::Unavailable { to, reason }
}
