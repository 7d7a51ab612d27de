//! One read: what it requests, how fresh it must be, and what becomes of its reply.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use alloy::primitives::Address;
use portolan_abi::row::{freshness, mode};

use crate::error::Error;
use crate::job_state::JobState;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;

/// A read that is made when it is awaited. The methods before that say how.
#[must_use = "a read is made when it is awaited"]
pub struct Read<'c, T> {
    state: &'c JobState,
    to: Address,
    /// `None` once it is on the job's list. Boxed, for futures hold reads by the hundred, and are moved.
    request: Option<Box<ReadRequest>>,
    /// Its place among the job's reads.
    number: usize,
    decode: Decode<T>,
}

/// Makes a value of a result; the address is the read's target.
type Decode<T> = fn(Address, ReadResult) -> Result<T, Error>;

impl<T> fmt::Debug for Read<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("to", &self.to).field("request", &self.request).finish_non_exhaustive()
    }
}

impl<'c, T> Read<'c, T> {
    pub(crate) fn new(state: &'c JobState, request: ReadRequest, decode: Decode<T>) -> Self {
        Self { state, to: request.to, request: Some(Box::new(request)), number: 0, decode }
    }

    /// A fact that never changes once it is there (`decimals()`, the token of a pool, the gauge that a pool will get):
    /// may come from any earlier answer. What is not there yet (zero, nothing, a revert) is read again at each block.
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
        self.with(|request| request.mode = mode::ISOLATED)
    }

    /// The call's `msg.sender`.
    pub fn from(self, sender: Address) -> Self {
        self.with(|request| request.from = Some(sender))
    }

    /// Gas that the call may use; without it the host's default.
    pub fn gas_cap(self, gas: u32) -> Self {
        self.with(|request| request.gas_cap = gas)
    }

    /// Reads another network than the job's, at the block that this answer has pinned there.
    pub fn on(self, network: u64) -> Self {
        self.with(|request| request.network = network)
    }

    fn fresh(self, freshness: u8, seconds: u32) -> Self {
        self.with(|request| (request.freshness, request.freshness_s) = (freshness, seconds))
    }

    fn with(mut self, change: impl FnOnce(&mut ReadRequest)) -> Self {
        self.request.as_deref_mut().map(change);
        self
    }
}

impl<T> Future for Read<'_, T> {
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let read = self.get_mut();
        if let Some(request) = read.request.take() {
            read.number = read.state.request(*request, cx);
            return Poll::Pending;
        }
        let result = ready!(read.state.poll_result(read.number, cx));
        Poll::Ready((read.decode)(read.to, result))
    }
}
