//! The reader of the process: what is kept needs no request, equal questions are one, networks are told apart.
//!
//! Invariant: as many replies as reads, in their order, before the deadline. How a network is asked is the business
//! of its endpoints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, U256};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::ask::{Ask, Balances, Reads, balance};
use crate::asked::{Asked, Landing};
use crate::endpoints::{Endpoints, Upstream};
use crate::heads::Heads;
use crate::kept::Kept;
use crate::limit::Limits;
use crate::outcomes::Outcomes;
use crate::round_trips::{LINGER_MIN, RoundTrips};
use crate::status::NetworkStatus;
use crate::store::{CanonicalChain, Store};
use crate::transport::Pool;
use crate::{Block, Freshness, Outcome, Read, ReadFailure, Reader, Reply, Scan, ScanFault, Told};

/// Kept back from every deadline, so that a reply that is too late is told in time.
const TELLING: Duration = Duration::from_millis(20);
/// Of a short deadline no more than this part.
const TELLING_PART: u32 = 10;

impl std::fmt::Debug for ChainReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChainReader").field("networks", &self.networks.keys()).finish_non_exhaustive()
    }
}

/// Reads networks through their endpoints.
pub struct ChainReader {
    /// By chain id; only networks that have an endpoint.
    networks: BTreeMap<u64, Network>,
    kept: Arc<Kept>,
    /// Ends with the reader.
    _writing: JoinSet<()>,
}

struct Network {
    endpoints: Arc<Endpoints>,
    heads: Arc<Heads>,
    asked: Asked,
    round_trips: Arc<RoundTrips>,
}

impl ChainReader {
    /// Nothing is connected yet. Immutable replies are kept in the folder, where there is one.
    pub fn new(upstreams: Vec<Upstream>, limits: Limits, state_dir: Option<&Path>) -> Arc<Self> {
        let pool = Pool::new();
        let with_endpoints = upstreams.into_iter().filter(|upstream| !upstream.endpoints.is_empty());
        let network = |upstream: Upstream| {
            let endpoints = Arc::new(Endpoints::new(&upstream, &pool, limits));
            let heads = Heads::new(endpoints.clone());
            (upstream.chain_id, Network { endpoints, heads, asked: Asked::default(), round_trips: Arc::default() })
        };
        let networks: BTreeMap<u64, Network> = with_endpoints.map(network).collect();
        let (kept, mut writing) = (Arc::new(Kept::new()), JoinSet::new());
        if let Some(store) = state_dir.and_then(|folder| Store::open(folder, &kept)) {
            let endpoints = |(chain_id, network): (&u64, &Network)| (*chain_id, Arc::clone(&network.endpoints));
            writing.spawn(store.run(Arc::new(Chains(networks.iter().map(endpoints).collect()))));
        }
        Arc::new(Self { networks, kept, _writing: writing })
    }

    /// What is known of the networks' endpoints, by chain id.
    pub fn status(&self) -> Vec<NetworkStatus> {
        let status = |(chain_id, network): (&u64, &Network)| NetworkStatus {
            chain_id: *chain_id,
            pinned: network.heads.pinned(),
            block_time_ms: network.heads.block_time().and_then(|time| u64::try_from(time.as_millis()).ok()),
            endpoints: network.endpoints.status(),
        };
        self.networks.iter().map(status).collect()
    }

    async fn balances(
        &self,
        chain_id: u64,
        block: Block,
        account: Address,
        tokens: Vec<Address>,
        deadline: Instant,
    ) -> Scan {
        let Some(network) = self.networks.get(&chain_id) else {
            return failed(tokens.len(), ReadFailure::NotConfigured);
        };
        let ask = Balances::new(account, &tokens);
        let outcomes = outcomes(&network.endpoints, &network.heads, &block, &ask, in_time(deadline)).await;
        let mut scan = Scan::default();
        for (place, outcome) in outcomes.besides_zeros() {
            match outcome {
                Outcome::Ok(told) => match balance(told) {
                    Some(U256::ZERO) => {}
                    Some(held) => scan.held.push((place, held)),
                    None => scan.failed.push((place, ScanFault::Refused)),
                },
                Outcome::Failed(failure) => scan.failed.push((place, ScanFault::Unread(*failure))),
                _ => scan.failed.push((place, ScanFault::Refused)),
            }
        }
        scan
    }
}

impl Network {
    async fn ask(&self, block: &Block, reads: Vec<Read>, until: Instant) -> Vec<Reply> {
        // The flight lands before those who wait for it give up, with what it has.
        let lands = in_time(until);
        self.asked.ask(block, reads, until, |landing| self.fly(*block, lands, landing)).await
    }

    /// Asks for what nobody asked yet, in a task of its own: who started it may go away, others wait as well.
    fn fly(&self, block: Block, until: Instant, landing: Landing) {
        let (endpoints, heads) = (Arc::clone(&self.endpoints), Arc::clone(&self.heads));
        let round_trips = Arc::clone(&self.round_trips);
        tokio::spawn(async move {
            let began = Instant::now();
            let outcomes = outcomes(&endpoints, &heads, &block, &Reads(landing.reads()), until).await;
            round_trips.record(began.elapsed());
            landing.land(outcomes);
        });
    }
}

/// Asks the endpoints; a block that none of them knows is not pinned again.
async fn outcomes(endpoints: &Endpoints, heads: &Heads, block: &Block, ask: &dyn Ask, until: Instant) -> Outcomes {
    let outcomes = endpoints.read(block, ask, until).await;
    let lost = Outcome::Failed(ReadFailure::BlockLost);
    if outcomes.besides_zeros().any(|(_, outcome)| *outcome == lost) {
        heads.mark_lost(block);
    }
    outcomes
}

/// The networks' endpoints, for the store.
struct Chains(BTreeMap<u64, Arc<Endpoints>>);

impl CanonicalChain for Chains {
    fn hash_at(
        &self,
        chain_id: u64,
        number: u64,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Option<B256>, ReadFailure>> {
        async move {
            let endpoints = self.0.get(&chain_id).ok_or(ReadFailure::NotConfigured)?;
            endpoints.hash_at(number, deadline).await
        }
        .boxed()
    }
}

fn failed(count: usize, failure: ReadFailure) -> Scan {
    Scan { held: Vec::new(), failed: (0..count).map(|place| (place, ScanFault::Unread(failure))).collect() }
}

fn in_time(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub(TELLING.min(left / TELLING_PART)).unwrap_or(deadline)
}

impl Reader for ChainReader {
    fn is_usable(&self, deadline: Instant) -> BoxFuture<'_, bool> {
        async move {
            let until = in_time(deadline);
            let all = self.networks.values().flat_map(|network| &network.endpoints.list);
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

    fn pin(&self, chain_id: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move {
            let network = self.networks.get(&chain_id).ok_or(ReadFailure::NotConfigured)?;
            network.heads.pin(in_time(deadline)).await
        }
        .boxed()
    }

    fn cached(&self, chain_id: u64, block: &Block, reads: &[Read]) -> Vec<(usize, Reply)> {
        let hit = |(place, read)| Some((place, self.kept.get(chain_id, block, read)?));
        let mut hits: Vec<(usize, Reply)> = reads.iter().enumerate().filter_map(hit).collect();
        let mut places = hits.iter().map(|(place, _)| *place).peekable();
        let open = reads.iter().enumerate().filter(|(place, _)| places.next_if_eq(place).is_none());
        let network = self.networks.get(&chain_id);
        if let Some(known) = network.and_then(|network| network.asked.all_told(block, open)) {
            hits.extend(known);
            hits.sort_unstable_by_key(|(place, _)| *place);
        }
        hits
    }

    fn chunk_reads(&self, chain_id: u64) -> usize {
        self.networks.get(&chain_id).map_or(1, |network| network.endpoints.chunk_reads())
    }

    fn linger(&self, chain_id: u64) -> Duration {
        self.networks.get(&chain_id).map_or(LINGER_MIN, |network| network.round_trips.linger())
    }

    fn fetch(&self, chain_id: u64, block: Block, reads: Vec<Read>, deadline: Instant) -> BoxFuture<'_, Vec<Reply>> {
        async move {
            let Some(network) = self.networks.get(&chain_id) else {
                return vec![Reply::fresh(Outcome::Failed(ReadFailure::NotConfigured)); reads.len()];
            };
            // Whoever reads keeps what its own freshness lets stand, be the request another's.
            let may_stand = reads.iter().enumerate().filter(|(_, read)| read.freshness != Freshness::Pinned);
            let may_stand: Vec<(usize, Read)> = may_stand.map(|(place, read)| (place, read.clone())).collect();
            let replies = network.ask(&block, reads, in_time(deadline)).await;
            for (place, read) in may_stand {
                self.kept.keep(chain_id, &block, &read, &replies[place].outcome);
            }
            replies
        }
        .boxed()
    }

    fn scan(
        &self,
        chain_id: u64,
        block: Block,
        account: Address,
        tokens: Vec<Address>,
        deadline: Instant,
    ) -> BoxFuture<'_, Scan> {
        self.balances(chain_id, block, account, tokens, deadline).boxed()
    }

    fn transaction(&self, chain_id: u64, hash: B256, deadline: Instant) -> BoxFuture<'_, Result<Told, ReadFailure>> {
        async move {
            let network = self.networks.get(&chain_id).ok_or(ReadFailure::NotConfigured)?;
            network.endpoints.transaction(hash, in_time(deadline)).await
        }
        .boxed()
    }
}
