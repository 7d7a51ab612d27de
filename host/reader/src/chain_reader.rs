//! The process's reader: cached replies need no request, equal reads are fetched once, and networks are independent.
//!
//! Invariant: returns one reply for each read, in order, before the deadline. The endpoints decide how a network is
//! read.

mod checker;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use futures_util::future::{BoxFuture, FutureExt, join};
use futures_util::stream::{FuturesUnordered, StreamExt};
use portolan_store::SharedStore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::checker::Checker;
use crate::cache::block_cache::{BlockCache, FlightGuard};
use crate::cache::lookup::{OpenGroups, SharedLookup};
use crate::cache::reply_cache::{ReplyCache, SharedFact, SharedGroup, SharedListPart, StoredReplyFilter};
use crate::cache::shared_heads::{Report, SharedHeads};
use crate::cache::store::{Store, StoreSettings};
use crate::cache::stored_replies::StoredReplies;
use crate::chain::gas_price::{GasPrice, GasPrices, PriceAt};
use crate::chain::heads::Heads;
use crate::client_id::ClientId;
use crate::endpoints::approval_search::ApprovalSearch;
use crate::endpoints::limit::Limits;
use crate::endpoints::network::{Endpoints, Upstream};
use crate::endpoints::round_trips::{LINGER_MIN, RoundTrips};
use crate::endpoints::status::NetworkStatus;
use crate::reads::read_budget::ReadBudget;
use crate::reads::read_set::ReadSet;
use crate::reads::reply_set::ReplySet;
use crate::wire::transport::{Pool, ReplyMemory};
use crate::{
    ApprovalQuery, Block, BlockRef, ContractLog, FoundApprovals, Freshness, Outcome, Read, ReadFailure, Reader, Reply,
    SearchEnd, TransactionLookup,
};

/// Subtracted from every deadline, so that a failure is reported in time.
const MARGIN: Duration = Duration::from_millis(20);
/// The margin is at most one part in this many of the remaining time.
const MARGIN_PART: u32 = 10;

/// How far below the newest block answers under way may be pinned.
const LAST_BLOCKS: u64 = 64;

/// Lifetime of an immutable reply in memory if nothing is stored on disk.
const LIFETIME_IN_MEMORY: Duration = Duration::from_secs(86_400);

impl std::fmt::Debug for ChainReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChainReader").field("networks", &self.networks.keys()).finish_non_exhaustive()
    }
}

/// Reads networks through their endpoints.
pub struct ChainReader {
    /// By chain id; only networks with an endpoint.
    networks: BTreeMap<u64, Network>,
    replies: Arc<ReplyCache>,
    stored: StoredReplies,
    /// The tasks that write to disk and hear of other gateways' heads; they end with the reader.
    _tasks: JoinSet<()>,
}

struct Network {
    endpoints: Arc<Endpoints>,
    heads: Arc<Heads>,
    blocks: BlockCache,
    /// Blocks that clients named; they must not displace the last ones.
    past_blocks: BlockCache,
    gas_prices: GasPrices,
    round_trips: Arc<RoundTrips>,
}

impl ChainReader {
    /// Makes a reader without connecting to anything. Stores immutable replies on disk if `store` is given, and shares
    /// them with other gateways if `shared` is.
    pub fn new(
        upstreams: Vec<Upstream>,
        limits: Limits,
        store: Option<&StoreSettings>,
        shared: Option<Arc<SharedStore>>,
    ) -> Arc<Self> {
        let pool = Pool::new(ReplyMemory::new(limits.replies_max_bytes));
        let mut with_endpoints = upstreams;
        with_endpoints.retain(|upstream| !upstream.endpoints.is_empty());
        // Each network has one cache for the last blocks and one for past blocks.
        let caches = u64::try_from(2 * with_endpoints.len().max(1)).unwrap_or(u64::MAX);
        let blocks = || BlockCache::new(limits.cached_blocks_max_bytes / caches);
        let network = |upstream: Upstream| {
            let endpoints = Arc::new(Endpoints::new(&upstream, &pool, limits));
            let heads = Heads::new(endpoints.clone());
            (
                upstream.chain_id,
                Network {
                    endpoints,
                    heads,
                    blocks: blocks(),
                    past_blocks: blocks(),
                    gas_prices: GasPrices::default(),
                    round_trips: Arc::default(),
                },
            )
        };
        let networks: BTreeMap<u64, Network> = with_endpoints.into_iter().map(network).collect();
        let lifetime = store.map_or(LIFETIME_IN_MEMORY, |settings| settings.lifetime);
        let replies = ReplyCache::new(limits.cached_replies_max_bytes, lifetime.as_secs());
        let replies = match &shared {
            Some(shared) => replies.share_through(Arc::clone(shared)),
            None => replies,
        };
        let (replies, mut tasks) = (Arc::new(replies), JoinSet::new());
        if let Some(shared) = shared {
            tasks.spawn(share_heads(shared, &networks));
        }
        let endpoints = |(chain_id, network): (&u64, &Network)| (*chain_id, Arc::clone(&network.endpoints));
        let checker = Checker(networks.iter().map(endpoints).collect());
        let store = store.and_then(|settings| Store::open(settings, &replies, |id, host| checker.has(id, host)));
        let disk = store.as_ref().map(|store| Arc::clone(&store.disk));
        if let Some(store) = store {
            tasks.spawn(store.run(Arc::new(checker)));
        }
        let stored = StoredReplies::new(Arc::clone(&replies), disk);
        Arc::new(Self { networks, replies, stored, _tasks: tasks })
    }

    /// Returns the replies that are cached beyond a block, and stored.
    pub fn stored_replies(&self) -> &StoredReplies {
        &self.stored
    }

    fn network(&self, chain_id: u64) -> Result<&Network, ReadFailure> {
        self.networks.get(&chain_id).ok_or(ReadFailure::NotConfigured)
    }

    /// Returns the time from block to block on a network; `None` until it is learned.
    pub fn block_time(&self, chain_id: u64) -> Option<Duration> {
        self.networks.get(&chain_id)?.heads.block_time()
    }

    /// Returns true if a block that was found by its number or hash is known to be final. Makes no request: that is
    /// learned when the block is found.
    pub fn is_final(&self, chain_id: u64, block: &Block) -> bool {
        self.networks.get(&chain_id).is_some_and(|network| network.endpoints.is_final(block.number))
    }

    /// Returns the status of each network and its endpoints, by chain id.
    pub fn status(&self) -> Vec<NetworkStatus> {
        let status = |(chain_id, network): (&u64, &Network)| NetworkStatus {
            chain_id: *chain_id,
            pinned: network.heads.pinned(),
            block_time_ms: network.heads.block_time().and_then(|time| u64::try_from(time.as_millis()).ok()),
            endpoints: network.endpoints.status(),
        };
        self.networks.iter().map(status).collect()
    }
}

/// Announces the heads and pins of all networks, and returns the task that takes those of others.
fn share_heads(store: Arc<SharedStore>, networks: &BTreeMap<u64, Network>) -> impl Future<Output = ()> + use<> {
    let shared = Arc::new(SharedHeads::new(store));
    let heads: BTreeMap<u64, Arc<Heads>> =
        networks.iter().map(|(chain_id, network)| (*chain_id, Arc::clone(&network.heads))).collect();
    for (chain_id, heads) in &heads {
        let (chain_id, shared) = (*chain_id, Arc::clone(&shared));
        heads.announce_by(Box::new(move |block, is_pin| shared.send(chain_id, Report { block: *block, is_pin })));
    }
    shared.listen(move |chain_id, Report { block, is_pin }| {
        if let Some(heads) = heads.get(&chain_id) {
            heads.take(&block, is_pin);
        }
    })
}

impl Network {
    /// Returns true if a block is older than any that answers under way are pinned at.
    fn is_past(&self, block: &Block) -> bool {
        self.heads.pinned().is_some_and(|pinned| block.number + LAST_BLOCKS < pinned.number)
    }

    fn blocks(&self, block: &Block) -> &BlockCache {
        if self.is_past(block) { &self.past_blocks } else { &self.blocks }
    }

    async fn read(&self, block: &Block, reads: ReadSet, until: Instant, budget: &Arc<ReadBudget>) -> ReplySet {
        // The flight completes, with whatever it has, before its subscribers give up.
        let completes = with_margin(until);
        let fetch = |flight| self.fetch(*block, completes, Arc::clone(budget), flight);
        self.blocks(block).read(block, reads, until, fetch).await
    }

    /// Fetches reads that no flight carries yet, in a separate task: the caller may go away while others wait.
    fn fetch(&self, block: Block, until: Instant, budget: Arc<ReadBudget>, flight: FlightGuard) {
        let (endpoints, heads) = (Arc::clone(&self.endpoints), Arc::clone(&self.heads));
        let round_trips = Arc::clone(&self.round_trips);
        tokio::spawn(async move {
            let began = Instant::now();
            let outcomes = endpoints.read(&block, flight.reads(), until, &budget).await;
            round_trips.record(began.elapsed());
            // A block that no endpoint knows must not be pinned again.
            let lost = Outcome::Failed(ReadFailure::BlockLost);
            if outcomes.contains(&lost) {
                heads.mark_lost(&block);
            }
            flight.complete(outcomes);
        });
    }
}

fn with_margin(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub(MARGIN.min(left / MARGIN_PART)).unwrap_or(deadline)
}

impl Reader for ChainReader {
    fn is_usable(&self, deadline: Instant) -> BoxFuture<'_, bool> {
        async move {
            let until = with_margin(deadline);
            let all = || self.networks.values().flat_map(|network| &network.endpoints.list);
            if all().any(|endpoint| endpoint.is_known_alive()) {
                return true;
            }
            let mut checks: FuturesUnordered<_> = all().map(|endpoint| endpoint.check_chain(until)).collect();
            while let Some(checked) = checks.next().await {
                if checked.is_ok() {
                    return true;
                }
            }
            false
        }
        .boxed()
    }

    fn wait_for_turn(
        &self,
        chain_id: u64,
        client: Option<ClientId>,
        requests: u32,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<(), ReadFailure>> {
        async move {
            self.network(chain_id)?.endpoints.wait_for_turn(client.as_ref(), requests, with_margin(deadline)).await
        }
        .boxed()
    }

    fn pin(&self, chain_id: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move { self.network(chain_id)?.heads.pin(with_margin(deadline)).await }.boxed()
    }

    fn pin_from(&self, chain_id: u64, min: u64, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move { self.network(chain_id)?.heads.pin_from(min, with_margin(deadline)).await }.boxed()
    }

    fn next_pin(&self, chain_id: u64, known: B256, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move { self.network(chain_id)?.heads.next_pin(known, with_margin(deadline)).await }.boxed()
    }

    fn contract_logs<'a>(
        &'a self,
        chain_id: u64,
        after: Block,
        to: Block,
        contracts: &'a Arc<[Address]>,
        deadline: Instant,
    ) -> BoxFuture<'a, Result<Vec<ContractLog>, ReadFailure>> {
        async move {
            self.network(chain_id)?.endpoints.contract_logs(after, to, contracts, with_margin(deadline)).await
        }
        .boxed()
    }

    fn approvals<'a>(
        &'a self,
        chain_id: u64,
        query: ApprovalQuery,
        deadline: Instant,
        budget: &'a ReadBudget,
    ) -> BoxFuture<'a, FoundApprovals> {
        async move {
            match self.network(chain_id) {
                Ok(network) => network.endpoints.approvals(query, with_margin(deadline), budget).await,
                Err(failure) => ApprovalSearch::new(query, budget).end(SearchEnd::Failed(failure)),
            }
        }
        .boxed()
    }

    fn block(&self, chain_id: u64, hash: B256, deadline: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move { self.network(chain_id)?.endpoints.block(hash, with_margin(deadline)).await }.boxed()
    }

    fn named_block(
        &self,
        chain_id: u64,
        named: BlockRef,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move {
            let (network, until) = (self.network(chain_id)?, with_margin(deadline));
            let head = network.heads.pin(until).await?;
            network.endpoints.named_block(named, &head, until).await
        }
        .boxed()
    }

    fn cached(&self, chain_id: u64, block: &Block, is_past: bool, reads: &ReadSet) -> Vec<(usize, Reply)> {
        let mut hits = self.replies.get_all(chain_id, block, is_past, reads);
        if hits.len() == reads.len() {
            return hits;
        }
        let mut places = hits.iter().map(|(place, _)| *place).peekable();
        let open = reads.refs().enumerate().filter(|(place, _)| places.next_if_eq(place).is_none());
        let network = self.networks.get(&chain_id);
        if let Some(known) = network.and_then(|network| network.blocks(block).replies(block, open)) {
            hits.extend(known);
            hits.sort_unstable_by_key(|(place, _)| *place);
        }
        hits
    }

    fn shared<'a>(
        &'a self,
        chain_id: u64,
        block: &'a Block,
        is_past: bool,
        reads: &'a ReadSet,
        parts: &'a [usize],
    ) -> BoxFuture<'a, SharedLookup> {
        async move {
            let (Some(shared), Some(network)) = (self.replies.shared(), self.networks.get(&chain_id)) else {
                return SharedLookup::default();
            };
            let hash_at = |number| network.heads.hash_at(number);
            let is_believed = |found: &SharedGroup| {
                hash_at(found.number).is_none_or(|canonical| canonical == found.hash)
                    && !shared.facts.is_endpoint_refused(chain_id, &found.endpoint)
            };
            let (facts, (found, open)) = join(
                shared.facts.get(chain_id, reads, hash_at),
                shared.replies.get(chain_id, block, reads, parts, is_believed),
            )
            .await;
            let reply = |(place, fact): (usize, SharedFact)| {
                self.replies.insert_shared(chain_id, reads.at(place), fact);
                Some((place, self.replies.get_fact(chain_id, block, is_past, reads.at(place))?))
            };
            let mut hits: Vec<(usize, Reply)> = facts.into_iter().filter_map(reply).collect();
            for found in found {
                hits.extend(self.replies.take_group(chain_id, block, is_past, reads, found));
            }
            hits.sort_unstable_by_key(|(place, _)| *place);
            let open = open.into_iter().map(|group| group.without(&hits)).collect();
            SharedLookup { hits, open: OpenGroups(open) }
        }
        .boxed()
    }

    fn shares_lists(&self) -> bool {
        self.replies.shared().is_some()
    }

    fn shared_list_parts<'a>(
        &'a self,
        chain_id: u64,
        keys: &'a [Vec<u8>],
    ) -> BoxFuture<'a, Vec<(usize, SharedListPart)>> {
        async move {
            let (Some(shared), Some(network)) = (self.replies.shared(), self.networks.get(&chain_id)) else {
                return Vec::new();
            };
            shared.lists.get(chain_id, keys, |number| network.heads.hash_at(number)).await
        }
        .boxed()
    }

    fn share_list_part(&self, chain_id: u64, key: &[u8], block: &Block, bytes: &[u8]) {
        if let Some(shared) = self.replies.shared() {
            shared.lists.put(chain_id, key, block, bytes);
        }
    }

    fn share(&self, chain_id: u64, block: &Block, open: &OpenGroups, replies: &ReplySet) {
        let (Some(shared), Some(network)) = (self.replies.shared(), self.networks.get(&chain_id)) else { return };
        let host = |place: u8| network.endpoints.host(place);
        open.0.iter().for_each(|group| shared.replies.put(chain_id, block, group, replies, host));
    }

    fn refute(&self, chain_id: u64, read: &Read) {
        let endpoint = self.replies.endpoint_of(chain_id, read);
        self.replies.remove(chain_id, read);
        let is_fact = read.freshness == Freshness::Immutable;
        if let Some(shared) = self.replies.shared().filter(|_| !is_fact) {
            tracing::warn!(chain_id, contract = %read.to, "what gateways share is not so, it is not taken for a while");
            shared.replies.refuse(chain_id);
        }
        let Some(endpoint) = endpoint.filter(|_| is_fact) else { return };
        tracing::warn!(chain_id, %endpoint, contract = %read.to, "what an endpoint said is not so, its facts are dropped");
        let (stored, endpoint) = (self.stored.clone(), Some(endpoint.to_string()));
        let filter = StoredReplyFilter { chain_id: Some(chain_id), endpoint, contract: None };
        // The replies in memory are dropped at once, without waiting for the disk.
        stored.forget(&filter);
        tokio::task::spawn_blocking(move || stored.purge(&filter));
    }

    fn chunk_reads(&self, chain_id: u64) -> usize {
        self.networks.get(&chain_id).map_or(1, |network| network.endpoints.chunk_reads())
    }

    fn linger(&self, chain_id: u64) -> Duration {
        self.networks.get(&chain_id).map_or(LINGER_MIN, |network| network.round_trips.linger())
    }

    fn fetch(
        &self,
        chain_id: u64,
        block: Block,
        reads: ReadSet,
        deadline: Instant,
        budget: Arc<ReadBudget>,
    ) -> BoxFuture<'_, ReplySet> {
        async move {
            let Some(network) = self.networks.get(&chain_id) else {
                return ReplySet::all(reads.len(), Outcome::Failed(ReadFailure::NotConfigured));
            };
            // Cache by this read's freshness even if a concurrent request fetched the reply.
            let may_stand = reads.rows().any(|(_, read)| !read.freshness.is_of_block()).then(|| reads.clone());
            let replies = network.read(&block, reads, with_margin(deadline), &budget).await;
            if replies.contains(&Outcome::Failed(ReadFailure::BlockLost)) {
                self.replies.remove_block(chain_id, block.number, block.hash);
            }
            if let Some(reads) = may_stand {
                let host = |place: u8| network.endpoints.host(place);
                self.replies.insert_all(chain_id, &block, &reads, &replies, host);
            }
            replies
        }
        .boxed()
    }

    fn gas_price(
        &self,
        chain_id: u64,
        block: Block,
        deadline: Instant,
        budget: Arc<ReadBudget>,
    ) -> BoxFuture<'_, Result<GasPrice, ReadFailure>> {
        async move {
            let network = self.network(chain_id)?;
            let fetch = async {
                let shared = self.replies.shared().map(|shared| &shared.replies);
                if let Some(shared) = shared
                    && let Some(price) = shared.gas_price(chain_id, block.hash).await
                {
                    return Ok(price);
                }
                if !budget.take_request() {
                    return Err(ReadFailure::OverBudget);
                }
                network.endpoints.wait_for_turn(budget.client(), 1, with_margin(deadline)).await?;
                let at = PriceAt::new(&block, network.heads.pinned());
                let price = network.endpoints.gas_price(at, with_margin(deadline)).await?;
                shared.iter().for_each(|shared| shared.put_gas_price(chain_id, block.hash, price));
                Ok(price)
            };
            network.gas_prices.at(block.hash, fetch).await
        }
        .boxed()
    }

    fn transaction(
        &self,
        chain_id: u64,
        hash: B256,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<TransactionLookup, ReadFailure>> {
        async move {
            let network = self.network(chain_id)?;
            let known = |number| network.heads.hash_at(number);
            network.endpoints.transaction(hash, with_margin(deadline), known).await
        }
        .boxed()
    }

    fn logs_native(
        &self,
        chain_id: u64,
        number: u64,
        hash: B256,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<bool, ReadFailure>> {
        async move { self.network(chain_id)?.endpoints.logs_native(number, hash, with_margin(deadline)).await }.boxed()
    }
}
