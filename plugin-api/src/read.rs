//! Reads of one contract or many: request, freshness, and decoding of the reply.

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use alloy::primitives::Address;
use portolan_abi::row::{freshness, mode};

use crate::error::Error;
use crate::job_state::JobState;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;
use crate::request_rows::CallList;

/// A read that is made when it is awaited; set its options before.
///
/// ```
/// # use portolan_plugin_api::*;
/// # sol! {
/// #     function earned(address account) external view returns (uint256);
/// #     function token() external view returns (address);
/// #     function balanceOf(address account) external view returns (uint256);
/// # }
/// async fn stake(cx: &JobContext, farm: Address, account: Address) -> Result<(Address, U256), Error> {
///     let token = cx.call(farm, tokenCall {}).immutable(); // May come from an earlier answer.
///     let stake = cx.call(farm, balanceOfCall { account }).gas_cap(500_000); // At the answer's block.
///     cx.join((token, stake)).await
/// }
/// ```
#[must_use = "a read is made when it is awaited"]
pub struct Read<'c, T, Of = Single> {
    state: &'c JobState,
    /// `None` once it is queued. Boxed because futures hold hundreds of reads and are moved.
    request: Option<Box<ReadRequest>>,
    of: Of,
    decode: Decode<T>,
}

/// Marks a [`Read`] with one value.
#[derive(Debug)]
pub struct Single {
    to: Address,
    /// Index among the job's reads.
    number: usize,
    /// Signature of the function, if a fork has it under another name.
    renamed: Option<Box<str>>,
}

/// Marks a [`Read`] of many calls of one function, with an outcome per call, in order.
///
/// ```
/// # use portolan_plugin_api::*;
/// # sol! {
/// #     function earned(address account) external view returns (uint256);
/// #     function token() external view returns (address);
/// #     function balanceOf(address account) external view returns (uint256);
/// # }
/// /// One outcome for each farm, so that one that reverts does not hide the others.
/// async fn stakes(cx: &JobContext, farms: &[Address], account: Address) -> Vec<Result<U256, Error>> {
///     cx.call_each(farms.iter().map(|farm| (*farm, balanceOfCall { account }))).await
/// }
/// ```
#[derive(Debug)]
pub struct Each {
    calls: CallList,
    /// Indices among the job's reads.
    numbers: Range<usize>,
}

/// Decodes a result; the address is the read's target.
type Decode<T> = fn(Address, ReadResult) -> Result<T, Error>;

impl<T, Of: fmt::Debug> fmt::Debug for Read<'_, T, Of> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("of", &self.of).field("request", &self.request).finish_non_exhaustive()
    }
}

impl<'c, T> Read<'c, T> {
    pub(crate) fn new(state: &'c JobState, request: ReadRequest, decode: Decode<T>) -> Self {
        let of = Single { to: request.to, number: 0, renamed: None };
        Self { state, request: Some(Box::new(request)), of, decode }
    }

    /// Names the function in errors.
    pub(crate) fn renamed(mut self, signature: String) -> Self {
        self.of.renamed = Some(signature.into());
        self
    }
}

impl<'c, T> Read<'c, T, Each> {
    /// Target and calldata of the request are ignored.
    pub(crate) fn each(state: &'c JobState, request: ReadRequest, calls: CallList, decode: Decode<T>) -> Self {
        Self { state, request: Some(Box::new(request)), of: Each { calls, numbers: 0..0 }, decode }
    }
}

impl<T, Of> Read<'_, T, Of> {
    /// Never changes once set, such as the token of a pool; may be cached from any earlier answer. An unset value
    /// (zero, empty, a revert) is read again at each block. Do not use it for a token's `decimals()`: a proxy may get
    /// other code, which would scale amounts wrongly.
    pub fn immutable(self) -> Self {
        self.fresh(freshness::IMMUTABLE, 0)
    }

    /// May be up to `seconds` old, such as the length of a list.
    pub fn within(self, seconds: u32) -> Self {
        self.fresh(freshness::WITHIN, seconds)
    }

    /// A zero may be up to `seconds` old; anything else is read at the answer's block.
    pub fn zero_within(self, seconds: u32) -> Self {
        self.fresh(freshness::ZERO_WITHIN, seconds)
    }

    /// Runs in its own call frame: for functions that are read like views but write.
    pub fn isolated(self) -> Self {
        self.with(|request| request.mode = mode::ISOLATED)
    }

    /// Sets the call's `msg.sender`.
    pub fn from(self, sender: Address) -> Self {
        self.with(|request| request.from = Some(sender))
    }

    /// Sets the gas limit of the call; the host has a default.
    pub fn gas_cap(self, gas: u32) -> Self {
        self.with(|request| request.gas_cap = gas)
    }

    /// Reads another network, at the block that is pinned there.
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
        if let Some(mut request) = read.request.take() {
            read.of.number = read.state.request(&mut request, cx);
            return Poll::Pending;
        }
        let result = ready!(read.state.poll_result(read.of.number, cx));
        let decoded = (read.decode)(read.of.to, result);
        Poll::Ready(match &read.of.renamed {
            Some(signature) => decoded.map_err(|error| error.of_function(signature.to_string())),
            None => decoded,
        })
    }
}

impl<T> Future for Read<'_, T, Each> {
    type Output = Vec<Result<T, Error>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Read { state, request, of: Each { calls, numbers }, decode } = self.get_mut();
        if let Some(mut request) = request.take().filter(|_| !calls.is_empty()) {
            *numbers = state.request_each(&mut request, calls, cx);
            return Poll::Pending;
        }
        let results = ready!(state.poll_results(numbers.clone(), cx));
        Poll::Ready(calls.targets().zip(results).map(|(to, result)| decode(to, result)).collect())
    }
}
