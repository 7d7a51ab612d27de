//! One endpoint of a network: its requests, and what was learned about it.
//!
//! Invariants: only `eth_chainId` is requested before the endpoint has reported the network's chain id. Every request
//! ends by its deadline and is recorded in the endpoint's health. A URL may lead to a node of another chain at any
//! time: a reply that does not prove its chain is used only if the chain id is reported again after it.

mod approval_logs;
mod batches;
mod blocks;
mod contract_logs;
mod gas_price;
mod probe;
mod receipt_proof;
mod simulate;
mod single;
mod status;
mod syncing;
mod transaction;

use std::collections::VecDeque;
use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U64, U256};
use futures_util::future::{Either, select};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout_at};

pub(crate) use self::approval_logs::LogsEnd;
pub(crate) use self::simulate::Simulated;
pub(crate) use self::single::SingleReply;
use crate::chain::native_logs::NativeLogs;
use crate::chain::next_block::NextBlock;
use crate::endpoints::chunk_sizer::ChunkSizer;
use crate::endpoints::health::{Health, RequestKind};
use crate::endpoints::limit::{Limits, Permit, RequestLimiter};
use crate::endpoints::log_window::LogWindow;
use crate::endpoints::status::BatchMethod;
use crate::methods::multicall::CHUNK_READS_MAX;
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::{BlockId, CHAIN_ID, EthCall, JsonRpc};
use crate::wire::transport::Pool;
use crate::{Block, RpcUrl};

/// A chain id reported within this time is a sign of life.
const FRESH_FOR: Duration = Duration::from_secs(10);
/// Delay before a node that lacked the state of a block is asked again for it, or for older ones.
const STATELESS_FOR: Duration = Duration::from_secs(900);
/// Delay before an endpoint of a wrong chain is checked again, so that a corrected host takes effect.
const WRONG_CHAIN_FOR: Duration = Duration::from_secs(60);
/// Minimum time between log lines about wrong replies of one endpoint. Each reply is counted.
const BLAME_EVERY: Duration = Duration::from_secs(600);
/// Pauses before a read is repeated at an unknown block, which is mostly on its way.
const UNKNOWN_BLOCK_PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(150)];
/// Pauses before a throttled request is repeated; it is mostly answered a moment later. A request that is refused
/// after all of them pauses the whole endpoint.
const REFUSED_PAUSES: [Duration; 3] = [Duration::from_millis(2), Duration::from_millis(10), Duration::from_millis(50)];

pub(crate) struct Endpoint {
    pub(crate) chain_id: u64,
    url: RpcUrl,
    /// Host and port; nothing else of the URL may be shown or stored.
    pub(crate) host: Arc<str>,
    rpc: JsonRpc,
    pub(crate) limiter: RequestLimiter,
    pub(crate) health: Health,
    pub(crate) chunk_sizer: ChunkSizer,
    /// How it takes requests for logs.
    log_window: Mutex<LogWindow>,
    learned: Mutex<Learned>,
    probing: tokio::sync::Mutex<()>,
    /// Held by the one small call that may run beside slow reads.
    calling_beside: tokio::sync::Mutex<()>,
}

/// State learned from the requests to the endpoint.
#[derive(Default)]
struct Learned {
    chain: ChainCheck,
    /// Hash of the last head that was confirmed to be of the chain.
    head: Option<B256>,
    /// With the instant at which they expire.
    capabilities: Option<(Capabilities, Instant)>,
    /// True if it has answered at a block hash.
    answers_at_hash: bool,
    /// True if Multicall3 was found on the network's chain; a chain never loses it.
    has_multicall: bool,
    /// No further wrong reply is logged before this instant.
    blamed_until: Option<Instant>,
    /// `eth_simulateV1` is not requested before this instant.
    no_simulations_until: Option<Instant>,
    /// Expected properties of the blocks after the last reported ones, by the hash of the latter; oldest first.
    next_blocks: VecDeque<(B256, NextBlock)>,
    native_logs: NativeLogs,
    /// Priority fee of its last gas price, in wei.
    tip: Option<u128>,
    /// No JSON-RPC batch is sent before this instant.
    no_batches_until: Option<Instant>,
    /// Highest block whose state it lacked. That and lower ones are not requested before the instant.
    stateless: Option<(u64, Instant)>,
}

/// The comparison of the endpoint's chain id with the network's.
#[derive(Clone, Copy, Default)]
enum ChainCheck {
    #[default]
    Unknown,
    Right {
        checked_at: Instant,
    },
    Wrong {
        chain_id: u64,
        checked_at: Instant,
    },
}

impl ChainCheck {
    /// Returns true if the right chain id was reported within [`FRESH_FOR`].
    fn is_fresh(self) -> bool {
        matches!(self, Self::Right { checked_at } if checked_at.elapsed() < FRESH_FOR)
    }
}

/// How the endpoint can be read, as found by probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    pub(crate) batch_method: BatchMethod,
    /// True if it answers at block hashes and rejects unknown ones. Otherwise it is read by block number.
    pub(crate) checks_block_hash: bool,
    /// True if contracts see the parent hash that the block's header reports.
    pub(crate) sees_parent_hash: bool,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

impl Endpoint {
    pub(crate) fn new(chain_id: u64, url: RpcUrl, pool: &Pool, limits: Limits) -> Self {
        let rpc = JsonRpc::new(pool.clone(), &url);
        Self {
            chain_id,
            host: url.to_string().into(),
            url,
            rpc,
            limiter: RequestLimiter::new(limits),
            health: Health::default(),
            chunk_sizer: ChunkSizer::default(),
            log_window: Mutex::default(),
            learned: Mutex::default(),
            probing: tokio::sync::Mutex::default(),
            calling_beside: tokio::sync::Mutex::default(),
        }
    }

    /// Fails if the endpoint is known to serve another chain. Requests the chain id if it is unknown, and again
    /// [`WRONG_CHAIN_FOR`] after a wrong one.
    pub(crate) async fn ensure_chain(&self, until: Instant) -> Result<(), EndpointError> {
        let chain = self.learned.lock().chain;
        match chain {
            ChainCheck::Right { .. } => Ok(()),
            ChainCheck::Wrong { chain_id, checked_at } if checked_at.elapsed() < WRONG_CHAIN_FOR => {
                Err(EndpointError::WrongChain(chain_id))
            }
            ChainCheck::Wrong { .. } | ChainCheck::Unknown => self.check_chain(until).await,
        }
    }

    /// Returns true if it confirmed its chain id or answered a read recently, and is not excluded. A check of the
    /// chain id could starve under load.
    pub(crate) fn is_known_alive(&self) -> bool {
        let now = Instant::now();
        let lately = now.checked_sub(FRESH_FOR).unwrap_or(now);
        let is_fresh = self.learned.lock().chain.is_fresh() || self.health.has_answered_since(lately);
        is_fresh && !self.health.is_excluded(now)
    }

    /// Requests the chain id, even if it is known.
    pub(crate) async fn check_chain(&self, until: Instant) -> Result<(), EndpointError> {
        let reply: Result<U64, _> = self.request(CHAIN_ID, &(), until).await;
        self.confirm_chain(reply.map_err(RequestError::into_endpoint_error)?.to())?;
        self.learned.lock().chain = ChainCheck::Right { checked_at: Instant::now() };
        Ok(())
    }

    /// Compares a reported chain id with the network's.
    pub(crate) fn confirm_chain(&self, reported: u64) -> Result<(), EndpointError> {
        if reported == self.chain_id { Ok(()) } else { Err(self.wrong_chain(reported)) }
    }

    /// Records that it serves another chain, and so is another node. Forgets what was learned, except for Multicall3.
    pub(crate) fn wrong_chain(&self, chain_id: u64) -> EndpointError {
        let checked_at = Instant::now();
        let mut learned = self.learned.lock();
        let (chain, has_multicall) = (ChainCheck::Wrong { chain_id, checked_at }, learned.has_multicall);
        let before = std::mem::replace(&mut *learned, Learned { chain, has_multicall, ..Learned::default() }).chain;
        drop(learned);
        if !matches!(before, ChainCheck::Wrong { chain_id: same, .. } if same == chain_id) {
            tracing::warn!(endpoint = %self, chain_id, expected = self.chain_id, "endpoint serves another chain, not used");
        }
        let error = EndpointError::WrongChain(chain_id);
        self.health.record(RequestKind::Probe, checked_at, Duration::ZERO, Err(error));
        error
    }

    /// Counts a reply against the endpoint that proved to be of another block or chain, or forged. Logs it, but not
    /// each time.
    pub(crate) fn blame(&self, kind: RequestKind, error: EndpointError) -> EndpointError {
        let now = Instant::now();
        self.health.record(kind, now, Duration::ZERO, Err(error));
        let mut learned = self.learned.lock();
        if learned.blamed_until.is_none_or(|until| now >= until) {
            learned.blamed_until = Some(now + BLAME_EVERY);
            drop(learned);
            tracing::warn!(endpoint = %self, %error, "endpoint gives replies that prove to be wrong, they are not used");
        }
        error
    }

    /// Checks that it has the state of a block. Fails at once if it is known to lack it.
    pub(crate) async fn check_state(&self, block: Block, until: Instant) -> Result<(), EndpointError> {
        if !self.may_have_state(&block) {
            return Err(EndpointError::NoState);
        }
        self.ensure_usable(until).await?;
        // A capability decides how a block is named in requests.
        self.capabilities(until).await?;
        let params = (Address::ZERO, self.block_id(&block));
        let request = || self.rpc.request::<U256>("eth_getBalance", &params);
        match self.send_until_taken(RequestKind::Optional, until, request).await {
            Ok(_) => Ok(()),
            Err(RequestError::Endpoint(error)) if !error.rejects_request_kind() => Err(error),
            Err(_) => {
                let mut learned = self.learned.lock();
                let before = learned.stateless.filter(|(number, _)| *number > block.number);
                let number = before.map_or(block.number, |(number, _)| number);
                learned.stateless = Some((number, Instant::now() + STATELESS_FOR));
                Err(EndpointError::NoState)
            }
        }
    }

    /// Returns true unless it is known to lack the state of a block.
    pub(crate) fn may_have_state(&self, block: &Block) -> bool {
        let stateless = self.learned.lock().stateless;
        stateless.is_none_or(|(number, until)| block.number > number || Instant::now() >= until)
    }

    /// Returns its newest block. Probes its capabilities along with it if they are not known.
    pub(crate) async fn newest_block_and_probe(&self, until: Instant) -> Result<Block, EndpointError> {
        self.ensure_usable(until).await?;
        if self.known_capabilities().is_some() {
            return self.newest_block(until).await;
        }
        let (newest, capabilities) = self.probe(until).await;
        self.learn(capabilities);
        self.ensure_usable(until).await?;
        newest
    }

    /// Polls an endpoint that gets no other requests: its newest block, and whether it has begun to sync.
    pub(crate) async fn poll_idle(&self, until: Instant) -> Result<Block, EndpointError> {
        let is_probed = self.known_capabilities().is_some();
        let newest = self.newest_block_and_probe(until).await?;
        if is_probed {
            self.request_syncing(until).await;
        }
        self.ensure_usable(until).await?;
        Ok(newest)
    }

    /// Returns the number of reads that fit well into one request.
    pub(crate) fn chunk_reads(&self) -> usize {
        match self.known_capabilities().map(|capabilities| capabilities.batch_method) {
            Some(BatchMethod::Multicall3 | BatchMethod::Single) => CHUNK_READS_MAX,
            Some(BatchMethod::Override) | None => self.chunk_sizer.plan().reads,
        }
    }

    /// Returns the capabilities, if they were found and have not expired.
    pub(crate) fn known_capabilities(&self) -> Option<Capabilities> {
        let known = self.learned.lock().capabilities;
        known.filter(|(_, until)| Instant::now() < *until).map(|(capabilities, _)| capabilities)
    }

    /// Forgets the capabilities, so that the endpoint is probed again.
    pub(crate) fn forget_capabilities(&self) {
        self.learned.lock().capabilities = None;
    }

    pub(crate) async fn call(&self, call: &EthCall<'_>, block: &Block, until: Instant) -> Result<Bytes, RequestError> {
        self.read(block, until, |at| self.rpc.call(call, at)).await
    }

    fn block_id(&self, block: &Block) -> BlockId {
        let by_hash = self.learned.lock().capabilities.is_none_or(|(capabilities, _)| capabilities.checks_block_hash);
        if by_hash { BlockId::Hash(block.hash) } else { BlockId::Number(block.number) }
    }

    /// Sends a read at a block. Repeats it a few times if the endpoint does not know the block yet, or turns out to
    /// know none by its hash.
    async fn read<R, F: Future<Output = Result<R, RequestError>>>(
        &self,
        block: &Block,
        until: Instant,
        request: impl Fn(BlockId) -> F,
    ) -> Result<R, RequestError> {
        let mut pauses = UNKNOWN_BLOCK_PAUSES.iter();
        loop {
            let at = self.block_id(block);
            let reply = self.send_until_taken(RequestKind::Read, until, || request(at)).await;
            if !matches!(reply, Err(RequestError::UnknownBlock)) {
                if reply.is_ok() && matches!(at, BlockId::Hash(_)) {
                    self.learned.lock().answers_at_hash = true;
                }
                return reply;
            }
            match pauses.next() {
                Some(pause) => sleep_until((Instant::now() + *pause).min(until)).await,
                None if matches!(at, BlockId::Hash(_)) && Box::pin(self.turns_out_to_refuse_hashes(until)).await => {}
                None => return Err(EndpointError::UnknownBlock.into()),
            }
        }
    }

    /// Sends a request about the chain, its blocks, or the endpoint.
    async fn request<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        until: Instant,
    ) -> Result<R, RequestError> {
        self.send_until_taken(RequestKind::Probe, until, || self.rpc.request(method, params)).await
    }

    /// Sends a request, and repeats it a few times while the endpoint throttles it and is not paused.
    async fn send_until_taken<R, F: Future<Output = Result<R, RequestError>>>(
        &self,
        kind: RequestKind,
        until: Instant,
        request: impl Fn() -> F,
    ) -> Result<R, RequestError> {
        let mut pauses = REFUSED_PAUSES.iter();
        loop {
            let reply = self.send(kind, until, request()).await;
            let is_refused = matches!(reply, Err(RequestError::Endpoint(EndpointError::Throttled(_))));
            let now = Instant::now();
            match pauses.next() {
                // Jittered, because many may have been refused together.
                Some(pause) if is_refused && self.health.paused_until(now).is_none() => {
                    sleep_until((now + pause.mul_f64(0.5 + fastrand::f64())).min(until)).await;
                }
                _ => return reply,
            }
        }
    }

    /// Makes a request within the endpoint's limits and the given time, and records its result.
    async fn send<R>(
        &self,
        kind: RequestKind,
        until: Instant,
        request: impl Future<Output = Result<R, RequestError>>,
    ) -> Result<R, RequestError> {
        let _permit = self.permit(until).await?;
        let start = Instant::now();
        let (reply, answers_others) = self.wait(kind, until, Box::pin(request)).await;
        let took = start.elapsed();
        let result = match &reply {
            // The read itself takes too long, on any endpoint.
            Err(RequestError::Endpoint(EndpointError::Timeout)) if answers_others && self.health.excuse() => {
                Err(EndpointError::TooLarge)
            }
            // Many nodes serve reads well but do not keep receipts for long or do not simulate.
            Err(RequestError::Endpoint(error)) if kind == RequestKind::Optional && error.rejects_request_kind() => {
                Ok(())
            }
            Err(RequestError::Endpoint(error)) => Err(*error),
            Err(RequestError::UnknownBlock) if kind == RequestKind::Read => Err(EndpointError::UnknownBlock),
            Err(RequestError::TooLarge) => Err(EndpointError::TooLarge),
            // No chain has an error for its newest block or its id.
            Err(RequestError::Ambiguous(code)) if kind == RequestKind::Probe => Err(EndpointError::Rpc(*code)),
            // An answer of the contract or the chain.
            _ => Ok(()),
        };
        self.limiter.on_end(Instant::now(), matches!(result, Err(EndpointError::Throttled(_))));
        self.health.record(kind, Instant::now(), took, result);
        reply
    }

    /// Waits for the reply until the deadline. If a read takes more than half of its time, the second value is true
    /// if the endpoint answers other calls meanwhile.
    async fn wait<R>(
        &self,
        kind: RequestKind,
        until: Instant,
        request: Pin<Box<impl Future<Output = Result<R, RequestError>>>>,
    ) -> (Result<R, RequestError>, bool) {
        let start = Instant::now();
        let in_time = |reply: Result<_, Elapsed>| reply.unwrap_or(Err(EndpointError::Timeout.into()));
        let mut reply = pin!(timeout_at(until, request));
        let half = start + until.saturating_duration_since(start) / 2;
        if let Ok(reply) = timeout_at(half, &mut reply).await {
            return (in_time(reply), false);
        }
        if kind != RequestKind::Read {
            return (in_time(reply.await), false);
        }
        match select(reply, Box::pin(self.probe_while_waiting(start, until))).await {
            Either::Left((reply, _)) => (in_time(reply), false),
            Either::Right((answers, reply)) => (in_time(reply.await), answers),
        }
    }

    /// Waits for permission to send one request outside of the endpoint's pauses. Fails at once if a pause takes more
    /// than half of the remaining time.
    async fn permit(&self, until: Instant) -> Result<Permit, EndpointError> {
        loop {
            let Some(permit) = self.limiter.acquire(until).await else { return Err(EndpointError::Timeout) };
            // A pause may have begun during the wait for the permit.
            let now = Instant::now();
            let Some(paused) = self.health.paused_until(now) else { return Ok(permit) };
            drop(permit);
            if paused.saturating_duration_since(now) > until.saturating_duration_since(now) / 2 {
                return Err(EndpointError::Throttled(None));
            }
            sleep_until(paused).await;
        }
    }
}
