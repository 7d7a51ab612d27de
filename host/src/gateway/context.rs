//! Context of one answer: one snapshot of the plugins, one block of each network, one deadline.
//!
//! Every kind of work reads through it. Invariant: all reads of a network are at its pinned block. If no endpoint
//! knows that block any more, everything read at it is read once more at another block.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use parking_lot::Mutex;
use portolan_assets::issuers::Issuers;
use portolan_assets::names::Names;
use portolan_assets::price::Prices;
use portolan_assets::resolve::{self, Tokens};
use portolan_assets::token_list::TokenIndex;
use portolan_base::net::off_chain::{Documents, OffChain};
use portolan_base::network::{Network, Networks};
use portolan_plugins::Snapshot;
use portolan_reader::{Block, BlockRef, Pins, ReadFailure, ReadJoiner, Reader, Session, TransactionLookup};
use tokio::time::Instant;

use crate::budget::AnswerBudget;
use crate::cpu_pool::CpuPool;
use crate::events::tables::Tables;
use crate::gateway::answer::{Answer, Items};
use crate::gateway::approval_lists::ApprovalLists;
use crate::gateway::claims::gas_limit::GasLimits;
use crate::gateway::codeless::Codeless;
use crate::gateway::compositions::CompositionJobs;
use crate::gateway::deadline::Deadline;
use crate::gateway::log_memory::LogMemory;
use crate::gateway::missing;
use crate::gateway::problem::Problem;
use crate::gateway::progress::JobProgress;
use crate::gateway::query::{AnswerOptions, SimulateWhen};
use crate::head_age::HeadAgeMax;
use crate::jobs::job::{self, JobOutcome, JobSources, Sessions};
use crate::jobs::plan::JobPlan;
use crate::jobs::record::JobRecords;
use crate::jobs::report::JobReport;
use crate::spans;

/// The transaction and its receipt in one batch, and the chain id.
const TRANSACTION_REQUESTS: u32 = 2;

/// The block, and a check that its state is available; finding a block by time takes a few more.
const NAMED_BLOCK_REQUESTS: u32 = 2;

/// Time to wait for a block as new as the client has seen: another gateway that answered at it polls the same network,
/// and a block is pinned up to two seconds later here than there.
const MIN_BLOCK_WAIT: Duration = Duration::from_secs(3);

/// Sources that all answers of the process share.
pub(super) struct Sources {
    pub(super) networks: Networks,
    pub(super) reader: Arc<dyn Reader>,
    /// Chain ids of the networks with an endpoint.
    pub(super) with_endpoint: BTreeSet<u64>,
    pub(super) head_age_max: HeadAgeMax,
    pub(super) names: Names,
    pub(super) off_chain: OffChain,
    pub(super) codeless: Codeless,
    pub(super) approval_lists: ApprovalLists,
    pub(super) prices: Prices,
    /// Price sources that work at any block.
    pub(super) past_prices: Prices,
    pub(super) tables: Tables,
    pub(super) log_memory: LogMemory,
    pub(super) cpu_pool: CpuPool,
    pub(super) simulate_claims: SimulateWhen,
    pub(super) gas_limits: GasLimits,
    /// Where jobs are recorded, if they are.
    pub(super) records: Option<Arc<JobRecords>>,
}

/// Context of one answer.
pub(super) struct Context {
    pub(super) sources: Arc<Sources>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) token_index: Arc<TokenIndex>,
    pub(super) budget: Arc<AnswerBudget>,
    pub(super) options: AnswerOptions,
    /// Networks that the choice of blocks allows to be read.
    networks: Networks,
    deadline: Deadline,
    sessions: Mutex<Sessions>,
    /// Where the rows of jobs are sent as the jobs end, if the client follows them.
    pub(super) progress: Option<JobProgress>,
    /// Earliest block to pin, by chain id: number and hash.
    not_before: Mutex<BTreeMap<u64, (u64, B256)>>,
    /// Joins its reads with those of other answers.
    joiner: Option<Arc<ReadJoiner>>,
}

impl Context {
    pub(super) fn new(
        sources: Arc<Sources>,
        snapshot: Arc<Snapshot>,
        token_index: Arc<TokenIndex>,
        deadline: Deadline,
        budget: Arc<AnswerBudget>,
        options: AnswerOptions,
    ) -> Self {
        let (sessions, not_before, progress, joiner) = Default::default();
        let networks = sources.networks.filtered(|chain_id| options.blocks.reads(chain_id));
        Self {
            sources,
            snapshot,
            token_index,
            budget,
            options,
            networks,
            deadline,
            sessions,
            progress,
            not_before,
            joiner,
        }
    }

    /// Joins the reads of the answer with those of others: nobody waits for it.
    pub(super) fn joining(self, joiner: &Arc<ReadJoiner>) -> Self {
        Self { joiner: Some(Arc::clone(joiner)), ..self }
    }

    /// A context of the same answer that reads newest blocks, whichever the client named.
    pub(super) fn at_newest(&self) -> Self {
        let (sources, snapshot, index) = (&self.sources, &self.snapshot, &self.token_index);
        let (sources, snapshot, index) = (Arc::clone(sources), Arc::clone(snapshot), Arc::clone(index));
        let options = AnswerOptions::default();
        Self::new(sources, snapshot, index, self.deadline, Arc::clone(&self.budget), options)
    }

    /// Returns true if no job of the answer may read any more.
    pub(super) fn reads_are_over(&self) -> bool {
        Instant::now() >= self.deadline.reads_end()
    }

    pub(super) fn networks(&self) -> &Networks {
        &self.networks
    }

    /// Time at which the answer's time is over.
    pub(super) fn end(&self) -> Instant {
        self.deadline.end()
    }

    /// Checks that the named network has an endpoint, if there are no jobs whose reports would say so.
    ///
    /// # Errors
    /// Returns [`Problem::NetworkNotConfigured`].
    pub(super) fn check_endpoint(&self, jobs: &[JobPlan], chain_id: Option<u64>) -> Result<(), Problem> {
        let is_missing = |chain_id: &u64| jobs.is_empty() && !self.sources.with_endpoint.contains(chain_id);
        let named = chain_id.filter(is_missing).and_then(|chain_id| self.sources.networks.with_chain_id(chain_id));
        match named {
            Some(network) => Err(Problem::NetworkNotConfigured(format!("{} has no endpoint here", network.slug))),
            None => Ok(()),
        }
    }

    /// Pins a block of each of these networks that has none yet, or one that is older than the client takes, and opens a
    /// session at it.
    pub(super) async fn open(&self, networks: impl IntoIterator<Item = &Arc<Network>>) {
        let mut chain_ids: BTreeSet<u64> = networks.into_iter().map(|network| network.chain_id).collect();
        {
            let sessions = self.sessions.lock();
            let is_too_old = |chain_id: &u64, pinned: &Result<Arc<Session>, ReadFailure>| {
                let (Some(min), Ok(session)) = (self.options.min_blocks.of(*chain_id), pinned) else { return false };
                session.block().number < min
            };
            chain_ids.retain(|chain_id| sessions.get(chain_id).is_none_or(|pinned| is_too_old(chain_id, pinned)));
        }
        self.pin(chain_ids).await;
    }

    /// Pins this block of a network, unless the pinned block is at least as new. Earlier blocks do not contain what
    /// happened in this one.
    pub(super) async fn open_not_before(&self, network: &Network, number: u64, hash: B256) {
        self.not_before.lock().insert(network.chain_id, (number, hash));
        if self.session(network).is_ok_and(|session| is_before(session.block(), number, hash)) {
            self.pin([network.chain_id].into()).await;
        }
    }

    /// Returns the session of a network that was opened.
    ///
    /// # Errors
    /// Returns the reason why the network has no block.
    pub(super) fn session(&self, network: &Network) -> Result<Arc<Session>, ReadFailure> {
        self.sessions.lock().get(&network.chain_id).cloned().unwrap_or(Err(ReadFailure::NotConfigured))
    }

    /// The pinned block of each opened network, or the reason why it has none.
    pub(super) fn pins(&self) -> Pins {
        let sessions = self.sessions.lock();
        sessions.iter().map(|(chain_id, session)| (*chain_id, block(session))).collect()
    }

    /// Runs jobs. Jobs that read a block unknown to all endpoints run again at another block; jobs that received a
    /// cached reply since refuted run again without it. Their outcomes come last.
    pub(super) async fn run(&self, plans: Vec<JobPlan>) -> Vec<(JobPlan, JobOutcome)> {
        let ran = self.run_once(plans).await;
        let reopened = self.reopen_lost(self.networks().iter()).await;
        let (stale, mut ran): (Vec<_>, Vec<_>) =
            ran.into_iter().partition(|(_, outcome)| outcome.basis.is_stale(&reopened));
        if stale.is_empty() {
            return ran;
        }
        ran.extend(self.run_once(stale.into_iter().map(|(plan, _)| plan).collect()).await);
        ran
    }

    /// Does work that reads one network through its session. If no endpoint knows the block any more, the work is done
    /// once more at another block.
    ///
    /// # Errors
    /// Returns the reason why the network has no block.
    pub(super) async fn read<T, F>(
        &self,
        network: &Arc<Network>,
        work: impl Fn(Arc<Session>) -> F,
    ) -> Result<T, ReadFailure>
    where
        F: Future<Output = T>,
    {
        let read = work(self.session(network)?).await;
        if self.reopen_lost([network]).await.is_empty() {
            return Ok(read);
        }
        Ok(work(self.session(network)?).await)
    }

    /// Returns the transaction with this hash.
    ///
    /// # Errors
    /// Returns the reason why it could not be read.
    pub(super) async fn transaction(&self, network: &Network, hash: B256) -> Result<TransactionLookup, ReadFailure> {
        let by = self.deadline.transaction_end();
        let reading = async {
            self.wait_for_turn(network.chain_id, TRANSACTION_REQUESTS, by).await?;
            self.sources.reader.transaction(network.chain_id, hash, by).await
        };
        let reading = async { tokio::time::timeout_at(by, reading).await.unwrap_or(Err(ReadFailure::Timeout)) };
        spans::lookup("transaction", self.networks(), network.chain_id, reading).await
    }

    /// Returns true if each movement of the native token in this block left a log; false if that could not be read.
    pub(super) async fn logs_native(&self, network: &Network, number: u64, hash: B256) -> bool {
        let by = self.deadline.transaction_end();
        let reading = async {
            self.wait_for_turn(network.chain_id, 1, by).await?;
            self.sources.reader.logs_native(network.chain_id, number, hash, by).await
        };
        tokio::time::timeout_at(by, reading).await.is_ok_and(|read| read.unwrap_or_default())
    }

    /// What jobs of this answer may use beside the chains.
    pub(super) fn job_sources(&self) -> JobSources<'_> {
        let documents = Documents { off_chain: &self.sources.off_chain, outgoing: &self.budget.outgoing };
        JobSources { documents, records: self.sources.records.as_ref() }
    }

    /// Reads tokens with their prices. The reports are those of jobs whose failure left a composition unknown.
    pub(super) async fn tokens(&self, network: &Arc<Network>, wanted: &BTreeSet<Address>) -> (Tokens, Vec<JobReport>) {
        let Some(session) = self.session_to_the_end(network) else { return Default::default() };
        let jobs = CompositionJobs::new(&self.snapshot, &session, network, self.job_sources());
        let (sources, index) = (&self.sources, &*self.token_index);
        let prices = if session.is_past() { &sources.past_prices } else { &sources.prices };
        let issuers = Issuers::new(network.chain_id, self.snapshot.contracts(network.chain_id), index);
        let tokens = resolve::priced_tokens(&session, network, &jobs, prices, &issuers, wanted).await;
        (tokens, jobs.into_reports())
    }

    /// Reads tokens without prices, as events show them.
    pub(super) async fn unpriced_tokens(&self, network: &Arc<Network>, wanted: &BTreeSet<Address>) -> Tokens {
        let Some(session) = self.session_to_the_end(network) else { return Tokens::default() };
        resolve::unpriced_tokens(&session, network, &self.token_index, wanted).await
    }

    /// Builds the answer from these items, at the blocks that were pinned.
    pub(super) fn answer(&self, items: Items, jobs: Vec<JobReport>) -> Answer {
        let pins = self.pins();
        let missing = missing::missing(self.networks(), &pins, &jobs);
        let pinned = |network: &Arc<Network>| Some((Arc::clone(network), pins.get(&network.chain_id)?.ok()?));
        let blocks = self.networks().iter().filter_map(pinned).collect();
        Answer { items, blocks, missing, jobs, about_account: true, budget: Arc::clone(&self.budget), currency: None }
    }

    /// A session for simulations, which leaves time for an answer without them.
    pub(super) fn session_for_simulations(&self, network: &Network) -> Option<Arc<Session>> {
        Some(self.session(network).ok()?.until(self.deadline.simulations_end()))
    }

    /// A session that lasts beyond the reads of jobs, until the end of the answer's time.
    fn session_to_the_end(&self, network: &Network) -> Option<Arc<Session>> {
        Some(self.session(network).ok()?.until(self.deadline.end()))
    }

    /// Runs jobs once, and passes on those that have ended together as soon as they have. Returns the results, the first
    /// one first.
    pub(super) async fn run_in_groups<T, F: Future<Output = T>>(
        &self,
        plans: Vec<JobPlan>,
        each: impl Fn(Vec<(JobPlan, JobOutcome)>) -> F,
    ) -> Vec<T> {
        let (sessions, count) = (self.sessions.lock().clone(), plans.len().max(1));
        let ended = job::run_each(plans, &sessions, self.job_sources(), self.deadline.reads_end());
        ended.ready_chunks(count).map(each).buffer_unordered(count).collect().await
    }

    async fn run_once(&self, plans: Vec<JobPlan>) -> Vec<(JobPlan, JobOutcome)> {
        let sessions = self.sessions.lock().clone();
        job::run_all(plans, &sessions, self.job_sources(), self.deadline.reads_end()).await
    }

    /// Pins another block for the networks whose block no endpoint knows any more; returns their chain ids.
    pub(super) async fn reopen_lost(&self, networks: impl IntoIterator<Item = &Arc<Network>>) -> BTreeSet<u64> {
        let is_lost = |network: &&Arc<Network>| self.session(network).is_ok_and(|session| session.block_lost());
        // A block that the client named is never replaced by another.
        let lost =
            networks.into_iter().filter(|network| self.options.blocks.of(network.chain_id).is_none()).filter(is_lost);
        let lost: BTreeSet<u64> = lost.map(|network| network.chain_id).collect();
        if !lost.is_empty() {
            tracing::debug!(networks = ?lost, "pinned blocks are unknown, reading again at others");
            self.pin(lost.clone()).await;
        }
        lost
    }

    /// Returns the newest block, if it is new enough for the client, or the one set by [`Self::open_not_before`] if
    /// that is later.
    async fn newest(&self, chain_id: u64, by: Instant) -> Result<Block, ReadFailure> {
        let reader = &self.sources.reader;
        let pinned = match self.options.min_blocks.of(chain_id) {
            Some(min) => reader.pin_from(chain_id, min, by.min(Instant::now() + MIN_BLOCK_WAIT)).await?,
            None => reader.pin(chain_id, by).await?,
        };
        self.sources.head_age_max.check(chain_id, &pinned)?;
        let not_before = self.not_before.lock().get(&chain_id).copied();
        match not_before.filter(|(number, hash)| is_before(&pinned, *number, *hash)) {
            Some((_, hash)) => reader.block(chain_id, hash, by).await,
            None => Ok(pinned),
        }
    }

    /// Returns the block that the client named.
    async fn named(&self, chain_id: u64, named: BlockRef) -> Result<Block, ReadFailure> {
        let by = self.deadline.transaction_end();
        let finding = async {
            self.wait_for_turn(chain_id, NAMED_BLOCK_REQUESTS, by).await?;
            self.sources.reader.named_block(chain_id, named, by).await
        };
        tokio::time::timeout_at(by, finding).await.unwrap_or(Err(ReadFailure::Timeout))
    }

    /// Waits until the answer's client may make this number of requests that are not reads.
    async fn wait_for_turn(&self, chain_id: u64, requests: u32, by: Instant) -> Result<(), ReadFailure> {
        self.sources.reader.wait_for_turn(chain_id, self.budget.client.id.clone(), requests, by).await
    }

    async fn pin(&self, chain_ids: BTreeSet<u64>) {
        let (reader, by) = (&self.sources.reader, self.deadline.pins_end());
        let opening = chain_ids.into_iter().map(async |chain_id| {
            let (end, budget) = (self.deadline.reads_end(), Arc::clone(&self.budget.reads));
            let open = |block| Session::open(Arc::clone(reader), chain_id, block, end, budget);
            let named = self.options.blocks.of(chain_id);
            let finding = async {
                match named {
                    Some(named) => self.named(chain_id, named).await,
                    None => {
                        let newest = tokio::time::timeout_at(by, self.newest(chain_id, by)).await;
                        newest.unwrap_or(Err(ReadFailure::Timeout))
                    }
                }
            };
            let session = spans::lookup("block", self.networks(), chain_id, finding).await.map(open);
            let joined = |session: Arc<Session>| match &self.joiner {
                Some(joiner) => session.joining(joiner),
                None => session,
            };
            (chain_id, session.map(|session| if named.is_some() { session.past() } else { joined(session) }))
        });
        let opened = join_all(opening).await;
        self.sessions.lock().extend(opened);
    }
}

/// Returns true if `block` is lower than `number`, or a different block at that height.
fn is_before(block: &Block, number: u64, hash: B256) -> bool {
    block.number < number || (block.number == number && block.hash != hash)
}

fn block(session: &Result<Arc<Session>, ReadFailure>) -> Result<Block, ReadFailure> {
    session.as_ref().map(|session| *session.block()).map_err(|failure| *failure)
}

#[cfg(test)]
impl Context {
    /// The context of an answer over a scripted reader, without token lists.
    pub(super) fn over(reader: Arc<dyn Reader>, snapshot: Snapshot) -> Self {
        let sources = Sources {
            networks: Networks::new([]),
            reader,
            with_endpoint: BTreeSet::new(),
            head_age_max: HeadAgeMax::default(),
            names: Names::new(portolan_assets::names::NameSettings::default()),
            off_chain: OffChain::new(1 << 20),
            codeless: Codeless::default(),
            approval_lists: ApprovalLists::default(),
            prices: Prices::new(portolan_assets::price::PriceSettings::default()),
            past_prices: Prices::new(portolan_assets::price::PriceSettings::default()),
            tables: Tables::read().unwrap(),
            log_memory: LogMemory::new(1 << 20),
            cpu_pool: CpuPool::start().unwrap(),
            simulate_claims: SimulateWhen::default(),
            gas_limits: GasLimits::default(),
            records: None,
        };
        let deadline = Deadline::after(Duration::from_secs(60));
        let budget = AnswerBudget::ample();
        Self::new(Arc::new(sources), Arc::new(snapshot), Arc::default(), deadline, budget, AnswerOptions::default())
    }

    pub(super) fn sources_mut(&mut self) -> &mut Sources {
        Arc::get_mut(&mut self.sources).unwrap()
    }
}
