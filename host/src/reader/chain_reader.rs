//! The reader of the process: equal reads are asked once, immutable and slow ones are kept, networks are told apart.
//!
//! Invariant: as many replies as reads, in their order, before the deadline. How a network is asked is the business
//! of its endpoints.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::Instant;

use super::endpoints::Endpoints;
use super::known::Replies;
use super::transport::Pool;
use super::{Block, Freshness, Outcome, Read, ReadFailure, Reader, Reply};
use crate::network::Network;
use crate::rpc_url::RpcUrl;

/// Kept back from every deadline, so that a reply that is too late is told in time.
const TELLING: Duration = Duration::from_millis(20);
/// Of a short deadline no more than this part.
const TELLING_PART: u32 = 10;

/// Reads networks through their configured endpoints.
pub(crate) struct ChainReader {
    /// By chain id; only networks that have an endpoint.
    networks: BTreeMap<u64, Endpoints>,
    kept: Replies,
}

impl ChainReader {
    /// Preferred endpoints first. Nothing is connected yet.
    pub(crate) fn new(endpoints: Vec<(Arc<Network>, Vec<RpcUrl>)>) -> Self {
        let pool = Pool::new();
        let with_endpoints = endpoints.into_iter().filter(|(_, urls)| !urls.is_empty());
        let networks =
            with_endpoints.map(|(network, urls)| (network.chain_id, Endpoints::new(network, urls, &pool))).collect();
        Self { networks, kept: Replies::new() }
    }

    async fn answer(&self, network: &Network, block: &Block, reads: Vec<Read>, deadline: Instant) -> Vec<Reply> {
        let chain_id = network.chain_id;
        let Some(endpoints) = self.networks.get(&chain_id) else {
            let failed = Reply::fresh(Outcome::Failed(ReadFailure::NotConfigured));
            return vec![failed; reads.len()];
        };
        let kept: Vec<_> = reads.iter().map(|read| self.kept.get(chain_id, block, read)).collect();
        let mut asked = Asked::default();
        let places: Vec<_> =
            kept.iter().zip(&reads).map(|(kept, read)| kept.is_none().then(|| asked.place(read))).collect();
        let outcomes = endpoints.read(block, &asked.reads, in_time(deadline)).await;
        let fresh = |(read, place): (&Read, Option<usize>)| {
            let outcome = place.and_then(|place| outcomes.get(place))?;
            self.kept.keep(chain_id, block, read, outcome);
            Some(Reply::fresh(outcome.clone()))
        };
        let missing = || Reply::fresh(Outcome::Failed(ReadFailure::Upstream));
        let all = kept.into_iter().zip(reads.iter().zip(places));
        all.map(|(kept, asked)| kept.or_else(|| fresh(asked)).unwrap_or_else(missing)).collect()
    }
}

/// Each question once.
#[derive(Default)]
struct Asked {
    reads: Vec<Read>,
    places: HashMap<Read, usize>,
}

impl Asked {
    /// Where the read's question stands. All are asked at the pinned block: it is as fresh as any freshness allows.
    fn place(&mut self, read: &Read) -> usize {
        let question = Read { freshness: Freshness::Pinned, ..read.clone() };
        let next = self.reads.len();
        let place = *self.places.entry(question).or_insert(next);
        if place == next {
            self.reads.push(read.clone());
        }
        place
    }
}

fn in_time(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub(TELLING.min(left / TELLING_PART)).unwrap_or(deadline)
}

impl Reader for ChainReader {
    fn is_usable<'a>(&'a self, deadline: Instant) -> BoxFuture<'a, bool> {
        async move {
            let until = in_time(deadline);
            let all = self.networks.values().flat_map(Endpoints::iter);
            let mut asked: FuturesUnordered<_> = all.map(|endpoint| endpoint.is_alive(until)).collect();
            while let Some(alive) = asked.next().await {
                if alive {
                    return true;
                }
            }
            false
        }
        .boxed()
    }

    fn pin<'a>(&'a self, network: &'a Arc<Network>, deadline: Instant) -> BoxFuture<'a, Result<Block, ReadFailure>> {
        async move {
            let endpoints = self.networks.get(&network.chain_id).ok_or(ReadFailure::NotConfigured)?;
            endpoints.pin(in_time(deadline)).await
        }
        .boxed()
    }

    fn kept(&self, network: &Network, block: &Block, read: &Read) -> Option<Reply> {
        self.kept.get(network.chain_id, block, read)
    }

    fn read<'a>(
        &'a self,
        network: &'a Arc<Network>,
        block: &'a Block,
        reads: Vec<Read>,
        deadline: Instant,
    ) -> BoxFuture<'a, Vec<Reply>> {
        self.answer(network, block, reads, deadline).boxed()
    }
}
