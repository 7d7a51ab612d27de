//! A reader of scripted networks: what is not scripted is zero, or reverts as a contract without the function does.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U256};
use alloy::sol_types::{SolCall, SolValue};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::map::{Catalogue, Deployment, Protocol};
use portolan_reader::{
    Block, Freshness, Kind, Outcome, Read, ReadFailure, ReadSet, Reader, Reply, ReplySet, TransactionLookup,
};
use tokio::time::Instant;

use super::missing_tokens::BalanceFailure;
use crate::assets::metadata::Erc20;
use crate::registry::Instance;
use crate::registry::limits::DEFAULT;
use crate::registry::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};

alloy::sol! {
    function symbol() external view returns (string);
    function decimals() external view returns (uint8);
}

/// Height of each network's first block.
pub(super) const FIRST: u64 = 100;

/// What one network does.
#[derive(Clone, Debug, Default)]
struct Chain {
    /// Why it gives no block.
    down: Option<ReadFailure>,
    native: U256,
    balances: HashMap<Address, Outcome>,
    calls: HashMap<(Address, Bytes), Outcome>,
    /// Heights that no endpoint knows when they are read at.
    lost_below: u64,
}

/// Networks by chain id; one that is not there has no endpoint. A copy counts with the original.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    chains: BTreeMap<u64, Chain>,
    heads: Arc<Mutex<BTreeMap<u64, u64>>>,
    cached: Arc<Mutex<HashSet<(u64, Address, Bytes)>>>,
    /// Requests to each network.
    requests: Arc<Mutex<BTreeMap<u64, usize>>>,
}

fn block(number: u64) -> Block {
    let hash = B256::with_last_byte(7);
    Block { number, hash, parent: hash, timestamp: 1_700_000_000, evm_number: number }
}

impl Script {
    fn chain(&mut self, chain_id: u64) -> &mut Chain {
        self.chains.entry(chain_id).or_default()
    }

    /// Networks with an endpoint.
    pub(super) fn with_endpoint(&self) -> BTreeSet<u64> {
        self.chains.keys().copied().collect()
    }

    pub(super) fn native(mut self, chain_id: u64, wei: u64) -> Self {
        self.chain(chain_id).native = U256::from(wei);
        self
    }

    pub(super) fn holds(mut self, chain_id: u64, token: Address, symbol: &str, decimals: u8, raw: u64) -> Self {
        let returns = |value: Vec<u8>| Outcome::Ok(value.into());
        let chain = self.chain(chain_id);
        chain.balances.insert(token, returns(U256::from(raw).abi_encode()));
        chain.calls.insert((token, symbolCall {}.abi_encode().into()), returns(symbol.abi_encode()));
        chain.calls.insert((token, decimalsCall {}.abi_encode().into()), returns(U256::from(decimals).abi_encode()));
        self
    }

    pub(super) fn fails(mut self, chain_id: u64, token: Address, failure: BalanceFailure) -> Self {
        let outcome = match failure {
            BalanceFailure::Refused => Outcome::Reverted(Bytes::new()),
            BalanceFailure::Unread(failure) => Outcome::Failed(failure),
        };
        self.chain(chain_id).balances.insert(token, outcome);
        self
    }

    /// The token has a balance, but no endpoint returns its symbol.
    pub(super) fn silent(mut self, chain_id: u64, token: Address, failure: ReadFailure) -> Self {
        let symbol = (token, symbolCall {}.abi_encode().into());
        self.chain(chain_id).calls.insert(symbol, Outcome::Failed(failure));
        self
    }

    pub(super) fn down(mut self, chain_id: u64, failure: ReadFailure) -> Self {
        self.chain(chain_id).down = Some(failure);
        self
    }

    /// Reads at lower blocks find that no endpoint knows them; the next pin is one higher.
    pub(super) fn lost_below(mut self, chain_id: u64, number: u64) -> Self {
        self.chain(chain_id).lost_below = number;
        self
    }

    /// Requests to a network since the last call.
    pub(super) fn take_requests(&self, chain_id: u64) -> usize {
        self.requests.lock().remove(&chain_id).unwrap_or_default()
    }

    /// The network, and whether it knows the block; one that does not gives the next one from then on.
    fn request(&self, chain_id: u64, block: &Block) -> Option<&Chain> {
        *self.requests.lock().entry(chain_id).or_default() += 1;
        let chain = &self.chains[&chain_id];
        if block.number < chain.lost_below {
            self.heads.lock().insert(chain_id, block.number + 1);
            return None;
        }
        Some(chain)
    }
}

impl Chain {
    fn outcome(&self, read: &Read) -> Outcome {
        match read.kind {
            Kind::NativeBalance => Outcome::Ok(self.native.to_be_bytes::<32>().into()),
            _ if read.data.starts_with(&Erc20::balanceOfCall::SELECTOR) => {
                self.balances.get(&read.to).cloned().unwrap_or(Outcome::Ok(vec![0; 32].into()))
            }
            _ => self.calls.get(&(read.to, read.data.clone())).cloned().unwrap_or(Outcome::Reverted(Bytes::new())),
        }
    }
}

impl Reader for Script {
    fn is_usable(&self, _: Instant) -> BoxFuture<'_, bool> {
        async { true }.boxed()
    }

    fn pin(&self, chain_id: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        let pinned = match self.chains.get(&chain_id).map(|chain| chain.down) {
            Some(None) => Ok(block(self.heads.lock().get(&chain_id).copied().unwrap_or(FIRST))),
            Some(Some(failure)) => Err(failure),
            None => Err(ReadFailure::NotConfigured),
        };
        async move { pinned }.boxed()
    }

    fn cached(&self, _: u64, _: &Block, _: &ReadSet) -> Vec<(usize, Reply)> {
        Vec::new()
    }

    fn chunk_reads(&self, _: u64) -> usize {
        500
    }

    fn linger(&self, _: u64) -> Duration {
        Duration::from_millis(2)
    }

    fn fetch(&self, chain_id: u64, block: Block, reads: ReadSet, _: Instant) -> BoxFuture<'_, ReplySet> {
        let mut cached = self.cached.lock();
        let is_new: Vec<bool> = reads
            .iter()
            .map(|read| {
                let stands = read.freshness != Freshness::Pinned;
                !stands || cached.insert((chain_id, read.to, read.data.clone()))
            })
            .collect();
        let chain = if is_new.contains(&true) { self.request(chain_id, &block) } else { self.chains.get(&chain_id) };
        let lost = || Outcome::Failed(ReadFailure::BlockLost);
        let outcome = |read: &Read| chain.map_or_else(lost, |chain| chain.outcome(read));
        let replies = reads.iter().map(|read| Reply::fresh(outcome(&read))).collect();
        async move { replies }.boxed()
    }

    fn transaction(&self, _: u64, _: B256, _: Instant) -> BoxFuture<'_, Result<TransactionLookup, ReadFailure>> {
        async { Err(ReadFailure::NotConfigured) }.boxed()
    }
}

/// A plugin that has a deployment on this network, and answers nothing.
pub(super) fn deployed(chain_id: u64) -> Arc<Instance> {
    let protocol = Protocol { slug: "acme".to_owned(), ..Protocol::default() };
    let deployment = Deployment { protocol: protocol.slug.clone(), chain_id, ..Deployment::default() };
    let catalogue = Catalogue { protocols: vec![protocol], deployments: vec![deployment], ..Catalogue::default() };
    Arc::new(Instance::run_by(Arc::new(Idle), "acme@1.0.0", DEFAULT, catalogue))
}

#[derive(Debug)]
struct Idle;

impl Runner for Idle {
    fn configure(self: Arc<Self>, _: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn begin(
        self: Arc<Self>,
        _: InstanceId,
        _: Vec<u8>,
        _: Vec<u8>,
        _: IsLast,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn resume(self: Arc<Self>, _: JobId, _: Vec<u8>, _: IsLast) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}
