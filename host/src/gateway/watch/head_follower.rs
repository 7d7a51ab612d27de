//! Follows the newest blocks of the networks that watches read, and requests the logs of all their contracts once per
//! block and network.
//!
//! Invariant: a network is followed while a watch reads it. Logs that could not be read say nothing, so that everything is
//! read instead. A network whose newest block is unknown or too old is out, as it is for answers.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use parking_lot::Mutex;
use portolan_reader::{Block, ReadJoiner, Reader};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::touched::Touched;
use crate::head_age::HeadAgeMax;

/// Number of last blocks that are remembered: watches that are further behind read everything.
const STEPS_MAX: usize = 32;
/// Maximum contracts whose logs are requested; with more, everything is read.
const CONTRACTS_MAX: usize = 5_000;
/// Maximum blocks between two heads whose logs are requested.
const BLOCKS_MAX: u64 = 256;
/// Time of one wait for another block, of one for the newest, and of one request for logs.
const WAIT: Duration = Duration::from_secs(30);
const NEWEST_WAIT: Duration = Duration::from_secs(8);
const LOGS_WAIT: Duration = Duration::from_secs(4);
/// Minimum time between two heads of a network: some have four blocks a second.
const PAUSE: Duration = Duration::from_secs(1);

/// Follows networks for all watches.
pub(crate) struct HeadFollower {
    reader: Arc<dyn Reader>,
    /// Joins what the watches read at a block.
    joiner: Arc<ReadJoiner>,
    head_age_max: HeadAgeMax,
    networks: Mutex<BTreeMap<u64, FollowedNetwork>>,
    /// Contracts of each watch, by chain id.
    contracts: Mutex<HashMap<u64, BTreeMap<u64, BTreeSet<Address>>>>,
    next_watch: AtomicU64,
    /// Changed at each block of any network, and when one is out.
    news: watch::Sender<()>,
}

struct FollowedNetwork {
    watches: usize,
    head: Option<Block>,
    /// True if answers do not get its newest block.
    is_out: bool,
    steps: VecDeque<HeadStep>,
    task: AbortHandle,
}

/// What happened from one head to the next.
struct HeadStep {
    from: B256,
    /// `None` if that is not known.
    touched: Option<Touched>,
}

/// The networks that one watch reads, until it is dropped.
pub(crate) struct Following {
    follower: Arc<HeadFollower>,
    watch: u64,
    chain_ids: BTreeSet<u64>,
    news: watch::Receiver<()>,
}

impl HeadFollower {
    pub(crate) fn new(reader: Arc<dyn Reader>, head_age_max: HeadAgeMax) -> Arc<Self> {
        let (networks, contracts, next_watch, news) = Default::default();
        let joiner = ReadJoiner::new(Arc::clone(&reader));
        Arc::new(Self { reader, joiner, head_age_max, networks, contracts, next_watch, news })
    }

    /// Follows these networks.
    pub(super) fn follow(this: &Arc<Self>, chain_ids: BTreeSet<u64>) -> Following {
        let mut networks = this.networks.lock();
        for chain_id in &chain_ids {
            let start = || {
                let task = tokio::spawn(follow(Arc::clone(this), *chain_id)).abort_handle();
                FollowedNetwork { watches: 0, head: None, is_out: false, steps: VecDeque::new(), task }
            };
            networks.entry(*chain_id).or_insert_with(start).watches += 1;
        }
        drop(networks);
        let (watch, news) = (this.next_watch.fetch_add(1, Relaxed), this.news.subscribe());
        Following { follower: Arc::clone(this), watch, chain_ids, news }
    }

    pub(super) fn joiner(&self) -> &Arc<ReadJoiner> {
        &self.joiner
    }

    fn contracts(&self, chain_id: u64) -> Arc<BTreeSet<Address>> {
        let contracts = self.contracts.lock();
        Arc::new(contracts.values().filter_map(|own| own.get(&chain_id)).flatten().copied().collect())
    }

    /// Returns what the logs from one head to another say; `None` if that is not known.
    async fn touched(&self, chain_id: u64, from: Block, to: Block) -> Option<Touched> {
        let contracts = self.contracts(chain_id);
        let is_next = to.number == from.number + 1 && to.parent == from.hash;
        let is_later = to.number > from.number + 1 && to.number - from.number <= BLOCKS_MAX;
        if contracts.len() > CONTRACTS_MAX || !is_next && !is_later {
            return None;
        }
        if contracts.is_empty() {
            return Some(Touched::of(contracts, &[]));
        }
        let filter: Arc<[Address]> = contracts.iter().copied().collect();
        let logs = self.reader.contract_logs(chain_id, from, to, &filter, Instant::now() + LOGS_WAIT).await;
        logs.ok().map(|logs| Touched::of(contracts, &logs))
    }

    fn take(&self, chain_id: u64, head: Block, step: Option<HeadStep>) {
        if let Some(network) = self.networks.lock().get_mut(&chain_id) {
            (network.head, network.is_out) = (Some(head), false);
            if network.steps.len() == STEPS_MAX {
                network.steps.pop_front();
            }
            network.steps.extend(step);
        }
        self.news.send_replace(());
    }

    /// Finds out if answers still get the newest block of a network that has no other one.
    async fn check(&self, chain_id: u64) {
        let newest = self.reader.pin(chain_id, Instant::now() + NEWEST_WAIT).await;
        let is_out = newest.and_then(|newest| self.head_age_max.check(chain_id, &newest)).is_err();
        if let Some(network) = self.networks.lock().get_mut(&chain_id) {
            network.is_out = is_out;
        }
        if is_out {
            self.news.send_replace(());
        }
    }
}

async fn follow(follower: Arc<HeadFollower>, chain_id: u64) {
    let mut known: Option<Block> = None;
    loop {
        let (hash, until) = (known.map_or(B256::ZERO, |known| known.hash), Instant::now() + WAIT);
        match follower.reader.next_pin(chain_id, hash, until).await {
            Ok(head) => {
                let step = match known {
                    Some(from) => {
                        Some(HeadStep { from: from.hash, touched: follower.touched(chain_id, from, head).await })
                    }
                    None => None,
                };
                follower.take(chain_id, head, step);
                known = Some(head);
            }
            Err(_) => follower.check(chain_id).await,
        }
        sleep(PAUSE).await;
    }
}

impl Following {
    pub(super) fn follower(&self) -> &Arc<HeadFollower> {
        &self.follower
    }

    /// Returns the head of a network if it is another block than `known`, and not below it, and what happened since:
    /// `None` if that is not known.
    pub(super) fn since(&self, chain_id: u64, known: &Block) -> Option<(Block, Option<Touched>)> {
        let networks = self.follower.networks.lock();
        let network = networks.get(&chain_id)?;
        let head = network.head.filter(|head| head.hash != known.hash && head.number >= known.number)?;
        let begin = network.steps.iter().rposition(|step| step.from == known.hash);
        let touched = begin.and_then(|begin| {
            let mut all: Option<Touched> = None;
            for step in network.steps.iter().skip(begin) {
                let touched = step.touched.as_ref()?;
                match &mut all {
                    Some(all) => all.add(touched),
                    None => all = Some(touched.clone()),
                }
            }
            all
        });
        Some((head, touched))
    }

    /// Returns true if the network's newest block is unknown or too old.
    pub(super) fn is_out(&self, chain_id: u64) -> bool {
        self.follower.networks.lock().get(&chain_id).is_some_and(|network| network.is_out)
    }

    /// Sets the contracts whose logs are requested, by chain id.
    pub(super) fn set_contracts(&self, contracts: BTreeMap<u64, BTreeSet<Address>>) {
        self.follower.contracts.lock().insert(self.watch, contracts);
    }

    /// Waits for the next block of any network, or until one is out.
    pub(super) async fn changed(&mut self) {
        // The follower lives as long as this.
        let _ = self.news.changed().await;
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.follower.contracts.lock().remove(&self.watch);
        let mut networks = self.follower.networks.lock();
        for chain_id in &self.chain_ids {
            if let Some(network) = networks.get_mut(chain_id) {
                network.watches -= 1;
                if network.watches == 0 {
                    network.task.abort();
                    networks.remove(chain_id);
                }
            }
        }
    }
}
