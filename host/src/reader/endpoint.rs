//! One endpoint of a network: its requests, and what is remembered of it.
//!
//! Invariant: nothing but `eth_chainId` is asked before the endpoint has told the network's chain id, and every
//! request ends at the instant it was given.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U64, U256};
use alloy::rpc::client::RpcClient;
use alloy::rpc::json_rpc::{RpcRecv, RpcSend};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Block;
use super::fault::{Fault, Refusal};
use super::multicall::MULTICALL3;
use super::transport::{Pool, Transport};
use crate::network::Network;
use crate::rpc_url::RpcUrl;

/// Of all answers together: four batches at their most; more would only queue inside of the node.
const IN_FLIGHT_MAX: usize = 64;
/// An operator who corrects a wrong URL behind a name sees it in force after that.
const WRONG_CHAIN_FOR: Duration = Duration::from_secs(60);
/// A contract that was not there may be deployed.
const NO_MULTICALL_FOR: Duration = Duration::from_secs(60);
/// How long an endpoint that failed is asked after the others; doubled with each failure that follows.
const FAILING_FOR: Duration = Duration::from_secs(5);
const FAILING_DOUBLED_MAX: u32 = 4;
/// One that had less time than that is not to blame for being late.
const BLAMED_FROM: Duration = Duration::from_millis(500);
/// How old a chain id may be to count as a sign of life.
const ALIVE_FOR: Duration = Duration::from_secs(10);
/// A block that is unknown is mostly on its way.
const LAG_PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(150)];

pub(super) struct Endpoint {
    chain_id: u64,
    url: RpcUrl,
    client: RpcClient,
    slots: Semaphore,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    chain: Chain,
    multicall: Option<Seen>,
    failing_until: Option<Instant>,
    failures: u32,
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

#[derive(Clone, Copy)]
enum Seen {
    Present,
    Absent { at: Instant },
}

/// The transaction object of `eth_call`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Call {
    pub(super) from: Address,
    pub(super) to: Address,
    pub(super) data: Bytes,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gas: Option<U64>,
}

/// A block by its hash: EIP-1898.
#[derive(Clone, Copy, Debug, Serialize)]
struct AtHash {
    #[serde(rename = "blockHash")]
    hash: B256,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    number: U64,
    hash: B256,
    timestamp: U64,
    /// Arbitrum's: what contracts there see as `block.number`.
    l1_block_number: Option<U64>,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

impl Endpoint {
    pub(super) fn new(network: &Network, url: RpcUrl, pool: &Pool) -> Self {
        let client = RpcClient::new(Transport::new(pool.clone(), &url), false);
        let slots = Semaphore::new(IN_FLIGHT_MAX);
        Self { chain_id: network.chain_id, url, client, slots, memory: Mutex::default() }
    }

    /// Whether it failed lately, and is asked after those that did not.
    pub(super) fn is_failing(&self) -> bool {
        self.memory().failing_until.is_some_and(|until| Instant::now() < until)
    }

    pub(super) fn succeeded(&self) {
        let mut memory = self.memory();
        memory.failing_until = None;
        memory.failures = 0;
    }

    /// Remembers a failure, unless the endpoint had too little time or is merely behind. Whether it is news.
    pub(super) fn failed(&self, fault: Fault, had: Duration) -> bool {
        let excused = match fault {
            Fault::Timeout => had < BLAMED_FROM,
            Fault::Lag | Fault::TooLarge | Fault::WrongChain(_) => true,
            _ => false,
        };
        if excused {
            return false;
        }
        let mut memory = self.memory();
        let doubled = memory.failures.min(FAILING_DOUBLED_MAX);
        memory.failures = memory.failures.saturating_add(1);
        memory.failing_until = Some(Instant::now() + FAILING_FOR * 2_u32.pow(doubled));
        memory.failures == 1
    }

    /// Makes sure that it serves the network's chain; asked once, a wrong one again after [`WRONG_CHAIN_FOR`].
    pub(super) async fn on_chain(&self, until: Instant) -> Result<(), Fault> {
        let chain = self.memory().chain;
        match chain {
            Chain::Right { .. } => Ok(()),
            Chain::Wrong { chain_id, told_at } if told_at.elapsed() < WRONG_CHAIN_FOR => {
                Err(Fault::WrongChain(chain_id))
            }
            Chain::Wrong { .. } | Chain::Unknown => self.ask_chain(until).await,
        }
    }

    /// Whether it told the right chain id a moment ago, or tells it now.
    pub(super) async fn is_alive(&self, until: Instant) -> bool {
        let chain = self.memory().chain;
        let fresh = matches!(chain, Chain::Right { told_at } if told_at.elapsed() < ALIVE_FOR) && !self.is_failing();
        fresh || self.ask_chain(until).await.is_ok()
    }

    async fn ask_chain(&self, until: Instant) -> Result<(), Fault> {
        let told: U64 = self.request("eth_chainId", (), until).await.map_err(about_the_endpoint)?;
        let (chain_id, told_at) = (told.to::<u64>(), Instant::now());
        let right = chain_id == self.chain_id;
        self.memory().chain = if right { Chain::Right { told_at } } else { Chain::Wrong { chain_id, told_at } };
        if right {
            return Ok(());
        }
        tracing::warn!(endpoint = %self, chain_id, expected = self.chain_id, "endpoint serves another chain, not used");
        Err(Fault::WrongChain(chain_id))
    }

    /// Its newest block.
    pub(super) async fn newest(&self, until: Instant) -> Result<Block, Fault> {
        self.on_chain(until).await?;
        let asked = self.request("eth_getBlockByNumber", ("latest", false), until).await;
        let header: Header = asked.map_err(about_the_endpoint)?;
        let number = header.number.to();
        let evm_number = header.l1_block_number.map_or(number, |number| number.to());
        Ok(Block { number, hash: header.hash, timestamp: header.timestamp.to(), evm_number })
    }

    /// Whether Multicall3 is there; remembered, its absence for [`NO_MULTICALL_FOR`].
    pub(super) async fn has_multicall(&self, block: &Block, until: Instant) -> Result<bool, Fault> {
        let seen = self.memory().multicall;
        match seen {
            Some(Seen::Present) => return Ok(true),
            Some(Seen::Absent { at }) if at.elapsed() < NO_MULTICALL_FOR => return Ok(false),
            _ => {}
        }
        let present = !self.code(MULTICALL3, block, until).await.map_err(about_the_endpoint)?.is_empty();
        self.memory().multicall = Some(if present { Seen::Present } else { Seen::Absent { at: Instant::now() } });
        Ok(present)
    }

    /// Its Multicall3 answered as one that is not there: a chain that was set back.
    pub(super) fn forget_multicall(&self) {
        self.memory().multicall = None;
    }

    pub(super) async fn call(&self, call: Call, block: &Block, until: Instant) -> Result<Bytes, Refusal> {
        self.request_at("eth_call", call, block, until).await
    }

    pub(super) async fn balance(&self, of: Address, block: &Block, until: Instant) -> Result<U256, Refusal> {
        self.request_at("eth_getBalance", of, block, until).await
    }

    pub(super) async fn code(&self, of: Address, block: &Block, until: Instant) -> Result<Bytes, Refusal> {
        self.request_at("eth_getCode", of, block, until).await
    }

    /// A request at a block, repeated while the endpoint does not know the block yet.
    async fn request_at<P, R>(&self, method: &'static str, of: P, block: &Block, until: Instant) -> Result<R, Refusal>
    where
        P: RpcSend,
        R: RpcRecv,
    {
        let params = (of, AtHash { hash: block.hash });
        for pause in LAG_PAUSES {
            match self.request(method, params.clone(), until).await {
                Err(Refusal::UnknownBlock) => sleep_until((Instant::now() + pause).min(until)).await,
                told => return told,
            }
        }
        match self.request(method, params, until).await {
            Err(Refusal::UnknownBlock) => Err(Fault::Lag.into()),
            told => told,
        }
    }

    async fn request<P, R>(&self, method: &'static str, params: P, until: Instant) -> Result<R, Refusal>
    where
        P: RpcSend,
        R: RpcRecv,
    {
        let asked = async {
            let _slot = self.slots.acquire().await.map_err(|_closed| Fault::Unreachable)?;
            Ok(self.client.request(method, params).await?)
        };
        timeout_at(until, asked).await.unwrap_or(Err(Refusal::Fault(Fault::Timeout)))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Every change of it is one assignment after another: there is no half-done state to protect from.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A refusal of a request that no contract can be the cause of.
fn about_the_endpoint(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Fault(fault) => fault,
        Refusal::Unclear(code) => Fault::Rpc(code),
        Refusal::TooLarge => Fault::TooLarge,
        Refusal::UnknownBlock => Fault::Lag,
        Refusal::Reverted(_) | Refusal::Halted | Refusal::OutOfGas => Fault::Malformed,
    }
}
