//! One endpoint of a network: its requests, and what is remembered of it.
//!
//! Invariant: nothing but `eth_chainId` is asked before the endpoint has told the network's chain id, every request
//! ends at the instant it was given, and each is noted in the endpoint's health.

mod probe;
mod transaction;

use std::fmt;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U64, U256};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::budget::Budget;
use crate::error::{EndpointError, RequestError};
use crate::health::Health;
use crate::limit::{Limit, Limits, Permit};
use crate::multicall::CHUNK_READS_MAX;
use crate::order::Placed;
use crate::rpc::{At, Call, Rpc};
use crate::status::{EndpointStatus, Rung};
use crate::transport::Pool;
use crate::{Block, RpcUrl};

/// How old a chain id may be to count as a sign of life.
const ALIVE_FOR: Duration = Duration::from_secs(10);
/// An operator who corrects a wrong URL behind a name sees it in force after that.
const WRONG_CHAIN_FOR: Duration = Duration::from_secs(60);
/// A block that is unknown is mostly on its way.
const LAG_PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(150)];

pub(crate) struct Endpoint {
    chain_id: u64,
    url: RpcUrl,
    rpc: Rpc,
    limit: Limit,
    pub(crate) health: Health,
    pub(crate) budget: Budget,
    memory: Mutex<Memory>,
    probing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Memory {
    chain: Chain,
    ways: Option<(Ways, Instant)>,
    /// Until when it is asked one by one.
    no_batches: Option<Instant>,
}

#[derive(Clone, Copy, Default)]
enum Chain {
    #[default]
    Unknown,
    Right {
        told_at: Instant,
    },
    Wrong {
        chain_id: u64,
        told_at: Instant,
    },
}

/// How the endpoint can be asked, as found by probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ways {
    pub(crate) rung: Rung,
    /// Whether it refuses hashes that it does not know; one that answers them is asked by number.
    pub(crate) by_hash: bool,
    /// Whether contracts see the hash of the parent, as its header tells it.
    pub(crate) tells_parent: bool,
}

/// What a request is for.
#[derive(Clone, Copy)]
enum Of {
    Reads,
    Endpoint,
    Receipt,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    number: U64,
    hash: B256,
    parent_hash: B256,
    timestamp: U64,
    /// Arbitrum's: what contracts there see as `block.number`.
    l1_block_number: Option<U64>,
}

impl From<Header> for Block {
    fn from(header: Header) -> Self {
        let number = header.number.to();
        Self {
            number,
            hash: header.hash,
            parent: header.parent_hash,
            timestamp: header.timestamp.to(),
            evm_number: header.l1_block_number.map_or(number, |number| number.to()),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

impl Endpoint {
    pub(crate) fn new(chain_id: u64, url: RpcUrl, pool: &Pool, limits: Limits) -> Self {
        let rpc = Rpc::new(pool.clone(), &url);
        Self {
            chain_id,
            url,
            rpc,
            limit: Limit::new(limits),
            health: Health::default(),
            budget: Budget::default(),
            memory: Mutex::default(),
            probing: tokio::sync::Mutex::default(),
        }
    }

    /// Makes sure that it serves the network's chain; asked once, a wrong one again after [`WRONG_CHAIN_FOR`].
    pub(crate) async fn on_chain(&self, until: Instant) -> Result<(), EndpointError> {
        let chain = self.memory.lock().chain;
        match chain {
            Chain::Right { .. } => Ok(()),
            Chain::Wrong { chain_id, told_at } if told_at.elapsed() < WRONG_CHAIN_FOR => {
                Err(EndpointError::WrongChain(chain_id))
            }
            Chain::Wrong { .. } | Chain::Unknown => self.ask_chain(until).await,
        }
    }

    /// Whether it told the right chain id a moment ago, or tells it now.
    pub(crate) async fn is_alive(&self, until: Instant) -> bool {
        let chain = self.memory.lock().chain;
        let fresh = matches!(chain, Chain::Right { told_at } if told_at.elapsed() < ALIVE_FOR);
        (fresh && !self.health.is_excluded(Instant::now())) || self.ask_chain(until).await.is_ok()
    }

    async fn ask_chain(&self, until: Instant) -> Result<(), EndpointError> {
        let told: U64 = self.small("eth_chainId", &(), until).await.map_err(RequestError::into_endpoint_error)?;
        let (chain_id, told_at) = (told.to::<u64>(), Instant::now());
        let right = chain_id == self.chain_id;
        self.memory.lock().chain = if right { Chain::Right { told_at } } else { Chain::Wrong { chain_id, told_at } };
        if right {
            return Ok(());
        }
        tracing::warn!(endpoint = %self, chain_id, expected = self.chain_id, "endpoint serves another chain, not used");
        self.health.note_probe(told_at, Duration::ZERO, Err(EndpointError::WrongChain(chain_id)));
        Err(EndpointError::WrongChain(chain_id))
    }

    /// Its newest block.
    pub(crate) async fn newest(&self, until: Instant) -> Result<Block, EndpointError> {
        self.on_chain(until).await?;
        let asked = self.small("eth_getBlockByNumber", &("latest", false), until).await;
        let header: Header = asked.map_err(RequestError::into_endpoint_error)?;
        let block = Block::from(header);
        self.health.saw_head(Instant::now(), block.timestamp);
        Ok(block)
    }

    /// A block by its hash; `None` where the endpoint does not know it.
    pub(crate) async fn block(&self, hash: B256, until: Instant) -> Result<Option<Block>, EndpointError> {
        self.on_chain(until).await?;
        let asked = self.small("eth_getBlockByHash", &(hash, false), until).await;
        header_if_known(asked)
    }

    /// The block that the endpoint's chain has at this height.
    pub(crate) async fn block_at(&self, number: u64, until: Instant) -> Result<Option<Block>, EndpointError> {
        self.on_chain(until).await?;
        let asked = self.small("eth_getBlockByNumber", &(U64::from(number), false), until).await;
        header_if_known(asked)
    }

    /// Its newest block, and by the way what rung it serves, where that is not known.
    pub(crate) async fn introduce(&self, until: Instant) -> Result<Block, EndpointError> {
        if self.known_ways().is_some() {
            return self.newest(until).await;
        }
        self.on_chain(until).await?;
        let (newest, ways) = self.probe(until).await;
        self.learn(ways);
        newest
    }

    pub(crate) fn status(&self, placed: Placed) -> EndpointStatus {
        let rung = self.known_ways().map(|ways| ways.rung);
        EndpointStatus::of(&self.url, rung, &self.health, placed, &self.limit, Instant::now())
    }

    /// How many reads one request to it carries well.
    pub(crate) fn chunk_reads(&self) -> usize {
        match self.known_ways().map(|ways| ways.rung) {
            Some(Rung::Multicall3 | Rung::Single) => CHUNK_READS_MAX,
            Some(Rung::Override) | None => self.budget.plan().reads,
        }
    }

    /// What was found of its ways and has not expired.
    pub(crate) fn known_ways(&self) -> Option<Ways> {
        self.memory.lock().ways.filter(|(_, until)| Instant::now() < *until).map(|(ways, _)| ways)
    }

    /// It answered otherwise than it did when it was probed: it is probed again.
    pub(crate) fn forget_ways(&self) {
        self.memory.lock().ways = None;
    }

    pub(crate) async fn call(&self, call: &Call<'_>, block: &Block, until: Instant) -> Result<Bytes, RequestError> {
        let at = self.at(block);
        let mut lagged = 0;
        loop {
            match self.noted(Of::Reads, until, self.rpc.call(call, at)).await {
                Err(RequestError::UnknownBlock) => self.lagged(&mut lagged, until).await?,
                told => return told,
            }
        }
    }

    pub(crate) async fn balance(&self, of: Address, block: &Block, until: Instant) -> Result<U256, RequestError> {
        self.request_at("eth_getBalance", of, block, until).await
    }

    pub(crate) async fn code(&self, of: Address, block: &Block, until: Instant) -> Result<Bytes, RequestError> {
        self.request_at("eth_getCode", of, block, until).await
    }

    async fn request_at<R: DeserializeOwned>(
        &self,
        method: &'static str,
        of: Address,
        block: &Block,
        until: Instant,
    ) -> Result<R, RequestError> {
        let at = self.at(block);
        let mut lagged = 0;
        loop {
            match self.noted(Of::Reads, until, self.rpc.request(method, &(of, at))).await {
                Err(RequestError::UnknownBlock) => self.lagged(&mut lagged, until).await?,
                told => return told,
            }
        }
    }

    fn at(&self, block: &Block) -> At {
        let by_hash = self.memory.lock().ways.is_none_or(|(ways, _)| ways.by_hash);
        if by_hash { At::Hash(block.hash) } else { At::Number(block.number) }
    }

    /// Waits before a block that the endpoint does not know is asked for again, a few times.
    async fn lagged(&self, times: &mut usize, until: Instant) -> Result<(), RequestError> {
        let pause = LAG_PAUSES.get(*times).ok_or(EndpointError::UnknownBlock)?;
        *times += 1;
        sleep_until((Instant::now() + *pause).min(until)).await;
        Ok(())
    }

    /// A request that is no read: about the chain, its blocks, or the endpoint.
    async fn small<R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        until: Instant,
    ) -> Result<R, RequestError> {
        self.noted(Of::Endpoint, until, self.rpc.request(method, params)).await
    }

    /// The right to send one request, outside of the endpoint's pauses. A pause is waited for where that leaves time
    /// for the request; else the failure is told at once.
    async fn turn(&self, until: Instant) -> Result<Permit, EndpointError> {
        loop {
            let Some(permit) = self.limit.acquire(until).await else { return Err(EndpointError::Timeout) };
            // A pause may have begun while this one waited for its turn.
            let now = Instant::now();
            let Some(paused) = self.health.paused_until(now) else { return Ok(permit) };
            drop(permit);
            if paused.saturating_duration_since(now) > until.saturating_duration_since(now) / 2 {
                return Err(EndpointError::Throttled(None));
            }
            sleep_until(paused).await;
        }
    }

    /// Makes a request within the endpoint's limits and the time, and notes how it went.
    async fn noted<R>(
        &self,
        of: Of,
        until: Instant,
        asking: impl Future<Output = Result<R, RequestError>>,
    ) -> Result<R, RequestError> {
        let _permit = self.turn(until).await?;
        let start = Instant::now();
        let told = timeout_at(until, asking).await.unwrap_or(Err(RequestError::Endpoint(EndpointError::Timeout)));
        let took = start.elapsed();
        let result = match &told {
            // Many nodes serve reads well and keep no receipts, or not for long.
            Err(RequestError::Endpoint(error)) if matches!(of, Of::Receipt) && error.rejects_request_kind() => Ok(()),
            Err(RequestError::Endpoint(error)) => Err(*error),
            Err(RequestError::UnknownBlock) if matches!(of, Of::Reads) => Err(EndpointError::UnknownBlock),
            Err(RequestError::TooLarge) => Err(EndpointError::TooLarge),
            // The contract's or the chain's answer.
            _ => Ok(()),
        };
        if let Err(EndpointError::Throttled(_)) = result {
            self.limit.throttled(Instant::now());
        }
        match of {
            Of::Reads => self.health.note(Instant::now(), took, result),
            Of::Endpoint => self.health.note_probe(Instant::now(), took, result),
            Of::Receipt => self.health.note_receipt(Instant::now(), took, result),
        }
        told
    }
}

fn header_if_known(asked: Result<Option<Header>, RequestError>) -> Result<Option<Block>, EndpointError> {
    match asked {
        Ok(header) => Ok(header.map(Block::from)),
        Err(RequestError::UnknownBlock) => Ok(None),
        Err(error) => Err(error.into_endpoint_error()),
    }
}
