//! The life of a query: snapshot, jobs, one pinned block per network, waves of reads, enrichment, answer.
//!
//! Equal questions at the same blocks that are asked while one of them is under way are one.

pub(crate) mod answer;
pub(crate) mod problem;
pub(crate) mod query;

mod balances;
pub(crate) mod compositions;
pub(crate) mod deadline;
mod names;
pub(crate) mod pin;
pub(crate) mod plan;
pub(crate) mod report;
mod rows;
mod under_way;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::Address;
use futures_util::future::{FutureExt, join_all};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::assets::price::Prices;
use crate::assets::resolve::{self, Tokens};
use crate::assets::token::At;
use crate::assets::token_list::{ListStatus, TokenLists};
use crate::config::Config;
use crate::events::{self, Tables, TablesError};
use crate::gateway::answer::{Answer, Items, JobReport, JobStatus};
use crate::gateway::compositions::Plugins;
use crate::gateway::deadline::Deadline;
use crate::gateway::names::Naming;
use crate::gateway::problem::Problem;
use crate::gateway::query::{About, Account, Query};
use crate::gateway::rows::Enriched;
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::job::{self, JobOutcome};
use crate::jobs::plan::{JobPlan, Question};
use crate::jobs::validate::{self, Found};
use crate::names::Names;
use crate::network::{Network, Networks};
use crate::registry::protocol::Protocol;
use crate::registry::{PluginStatus, Registry, RegistryError, Snapshot};
use portolan_reader::{Block, ChainReader, NetworkStatus, Pins, Reader, RpcUrl, Session, Upstream};
use under_way::UnderWay;

/// How long `/readyz` waits for an endpoint.
const READY_WAIT: Duration = Duration::from_secs(2);

/// Answers queries. One for the process.
pub(crate) struct Gateway {
    networks: Networks,
    registry: Arc<Registry>,
    reader: Arc<ChainReader>,
    under_way: UnderWay,
    names: Names,
    prices: Prices,
    token_lists: Arc<TokenLists>,
    tables: Tables,
    logs_max: usize,
    /// Networks with an endpoint, by chain id.
    configured: BTreeSet<u64>,
    admission: Semaphore,
    /// Of one answer.
    time: Duration,
}

/// Why the process cannot serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Tables(#[from] TablesError),
    #[error("cannot keep copies of token lists in the state folder")]
    TokenLists(#[source] io::Error),
}

impl Gateway {
    /// Starts the registry's watch of the plugins folder, and answers from then on.
    ///
    /// # Errors
    /// A folder that it needs cannot be had.
    pub(crate) async fn start(config: &Config) -> Result<Arc<Self>, StartError> {
        let networks = config.networks.clone();
        let registry = Registry::start(
            config.plugins_dir.clone(),
            config.state_dir.clone(),
            networks.clone(),
            config.limits.clone(),
        )
        .await?;
        let lists = &config.token_lists;
        let token_lists = TokenLists::start(lists.locations.clone(), lists.refresh, &config.state_dir, &networks).await;
        let token_lists = token_lists.map_err(StartError::TokenLists)?;
        let upstream = |(chain_id, endpoints): &(u64, Vec<RpcUrl>)| {
            let name = networks.with_chain_id(*chain_id)?.slug.clone();
            Some(Upstream { chain_id: *chain_id, name, endpoints: endpoints.clone() })
        };
        let upstreams: Vec<Upstream> = config.rpc.iter().filter_map(upstream).collect();
        let with_endpoint = upstreams.iter().filter(|upstream| !upstream.endpoints.is_empty());
        let configured = with_endpoint.map(|upstream| upstream.chain_id).collect();
        Ok(Arc::new(Self {
            reader: ChainReader::new(upstreams, config.rpc_limits, Some(&config.state_dir)),
            configured,
            under_way: UnderWay::default(),
            names: Names::new(config.names.clone()),
            prices: Prices::new(config.prices.clone()),
            token_lists,
            tables: Tables::read()?,
            logs_max: config.logs_max,
            admission: Semaphore::new(config.in_flight_max),
            time: Duration::from_millis(config.deadline_ms),
            registry,
            networks,
        }))
    }

    pub(crate) fn networks(&self) -> &Networks {
        &self.networks
    }

    /// Logs of a transaction whose events are told.
    pub(crate) fn logs_max(&self) -> usize {
        self.logs_max
    }

    pub(crate) fn plugins(&self) -> Vec<PluginStatus> {
        self.registry.status()
    }

    /// Whether the first scan of the plugins folder is over and some network has a usable endpoint.
    pub(crate) async fn is_ready(&self) -> bool {
        self.registry.first_scan_done() && self.reader.is_usable(Instant::now() + READY_WAIT).await
    }

    /// What is known of the endpoints.
    pub(crate) fn upstreams(&self) -> Vec<NetworkStatus> {
        self.reader.status()
    }

    /// What is known of the token lists.
    pub(crate) fn token_lists(&self) -> Arc<Vec<ListStatus>> {
        self.token_lists.status()
    }

    /// Answers a query, from one snapshot of the registry and one block per network.
    pub(crate) async fn answer(self: &Arc<Self>, query: Query) -> Result<Told, Problem> {
        let deadline = Deadline::after(self.time);
        let (account, about) = match query {
            Query::Networks => return Ok(plain(Items::Networks(self.networks.iter().cloned().collect()))),
            Query::Protocols => {
                let snapshot = self.registry.snapshot();
                let protocols: Vec<Arc<Protocol>> = snapshot.iter().map(|served| served.protocol.clone()).collect();
                return Ok(plain(Items::Protocols(protocols)));
            }
            Query::Address(name, lookup) => {
                let _admitted = self.admit()?;
                return self.naming(deadline).address(&name, lookup).await.map(Told::from);
            }
            Query::Events(asked) => {
                let _admitted = self.admit()?;
                return Ok(Told { answer: self.events(asked, deadline).await?, named: None });
            }
            Query::Of(account, about) => (account, about),
        };
        match account {
            Account::Address(account) => {
                let answer = self.about(account, about, Pins::new(), deadline).await?;
                Ok(Told { answer, named: None })
            }
            Account::Name(name) => {
                let (account, pins) = {
                    let _admitted = self.admit()?;
                    self.naming(deadline).account(&name).await?
                };
                Ok(Told { answer: self.about(account, about, pins, deadline).await?, named: Some(account) })
            }
        }
    }

    /// Answers what is asked about an account. What is pinned already stays at that block.
    async fn about(
        self: &Arc<Self>,
        account: Address,
        about: About,
        mut pins: Pins,
        deadline: Deadline,
    ) -> Result<Arc<Answer>, Problem> {
        let snapshot = self.registry.snapshot();
        let asked = match &about {
            About::Name(lookup) => {
                let _admitted = self.admit()?;
                return self.naming(deadline).name(account, *lookup, &pins).await.map(Arc::new);
            }
            About::Claimables(filter) => {
                let plans = plan::for_all(&snapshot, &self.networks, filter, account)?;
                Asked::Protocols { plans, question: Question::Claimables, aggregate: true }
            }
            About::Protocol { slug, question } => {
                let plans = plan::for_one(&snapshot, &self.networks, slug, *question, account)?;
                Asked::Protocols { plans, question: *question, aggregate: false }
            }
            About::Balances { assets, chain_id } => Asked::Balances(balances::Asked {
                assets: *assets,
                account,
                chain_id: *chain_id,
                index: self.token_lists.index(),
                configured: self.configured.clone(),
                deployed: plan::deployed(&snapshot),
            }),
        };
        let _admitted = self.admit()?;
        let open = asked.networks(&self.networks).into_iter().filter(|network| !pins.contains_key(&network.chain_id));
        let pinned = pin::pin(self.reader.as_ref(), open, deadline).await;
        pins.extend(pinned);
        let key = (Query::Of(Account::Address(account), about), snapshot.generation, pins.clone());
        let gateway = Arc::clone(self);
        let work = move || async move { gateway.work(&snapshot, asked, pins, deadline).await }.boxed();
        self.under_way.join(key, work).await
    }

    /// Answers what happened in a transaction.
    async fn events(self: &Arc<Self>, asked: query::Events, deadline: Deadline) -> Result<Arc<Answer>, Problem> {
        let snapshot = self.registry.snapshot();
        let key = (Query::Events(asked.clone()), snapshot.generation, Pins::new());
        let gateway = Arc::clone(self);
        let work = move || {
            async move {
                let (index, plugins) = (gateway.token_lists.index(), gateway.plugins_of(&snapshot));
                let (networks, tables) = (&gateway.networks, &gateway.tables);
                let sources = events::Sources { networks, plugins: &plugins, tables, index: &index };
                events::answer(sources, &asked, deadline).await.map(Arc::new)
            }
            .boxed()
        };
        self.under_way.join(key, work).await
    }

    fn plugins_of<'a>(&'a self, snapshot: &'a Snapshot) -> Plugins<'a> {
        Plugins { snapshot, reader: self.reader.clone() }
    }

    /// The right to read chains for one answer.
    fn admit(&self) -> Result<SemaphorePermit<'_>, Problem> {
        self.admission.try_acquire().map_err(|_| Problem::Overloaded)
    }

    fn naming(&self, deadline: Deadline) -> Naming<'_> {
        Naming { networks: &self.networks, reader: self.reader.clone(), names: &self.names, deadline }
    }

    async fn work(
        &self,
        snapshot: &Snapshot,
        asked: Asked,
        pins: Pins,
        deadline: Deadline,
    ) -> Result<Arc<Answer>, Problem> {
        let plugins = self.plugins_of(snapshot);
        match asked {
            Asked::Protocols { plans, question, aggregate } => {
                let (rows, jobs, pins) = self.rows(&plugins, plans, pins, deadline).await;
                let missing = report::missing(&self.networks, &pins, &jobs);
                if let Some(problem) = report::all_failed(&jobs) {
                    return Err(problem);
                }
                let items = report::items(&self.networks, rows, question, aggregate);
                let blocks = pin::blocks(&self.networks, &pins);
                Ok(Arc::new(Answer { items, blocks, missing, jobs, about_account: true }))
            }
            Asked::Balances(asked) => {
                let sources = balances::Sources {
                    networks: &self.networks,
                    reader: &plugins.reader,
                    plugins: &plugins,
                    prices: &self.prices,
                };
                Ok(Arc::new(balances::answer(sources, &asked, pins, deadline).await?))
            }
        }
    }

    /// Runs the jobs at the pinned blocks and makes rows of what they found.
    async fn rows(
        &self,
        plugins: &Plugins<'_>,
        plans: Vec<JobPlan>,
        mut pins: Pins,
        deadline: Deadline,
    ) -> (Vec<Enriched>, Vec<JobReport>, Pins) {
        let ran = self.run(plans, &pins, deadline).await;
        let ran = self.run_lost_again(ran, &mut pins, deadline).await;
        let (rows, jobs) = self.enrich(plugins, ran, &pins, deadline).await;
        (rows, jobs, pins)
    }

    /// Runs all jobs whose network has a block; their reads share batches.
    async fn run(&self, plans: Vec<JobPlan>, pins: &Pins, deadline: Deadline) -> RanAll {
        let by = deadline.of_reads();
        let session = |(network, block): (Arc<Network>, Block)| {
            (network.chain_id, Session::open(self.reader.clone(), network.chain_id, block, by))
        };
        let sessions: BTreeMap<u64, _> = pin::blocks(&self.networks, pins).into_iter().map(session).collect();
        let jobs = plans.into_iter().map(async |plan| {
            let outcome = match pins.get(&plan.network.chain_id) {
                Some(Err(failure)) => Err(Failure::new(Reason::from(*failure), failure.to_string())),
                _ => Ok(job::run(
                    &plan,
                    &sessions,
                    by.min(Instant::now() + Duration::from_millis(plan.instance.limits.job_ms)),
                )
                .await),
            };
            Ran { plan, outcome }
        });
        let jobs = join_all(jobs).await;
        let lost = sessions.iter().filter(|(_, session)| session.block_lost()).map(|(chain_id, _)| *chain_id);
        RanAll { jobs, lost: lost.collect() }
    }

    /// Where no endpoint knew a network's block any more, what read it starts again at another block: once.
    async fn run_lost_again(&self, ran: RanAll, pins: &mut Pins, deadline: Deadline) -> Vec<Ran> {
        let RanAll { jobs, lost } = ran;
        if lost.is_empty() {
            return jobs;
        }
        tracing::debug!(networks = ?lost, "pinned blocks are unknown, their jobs start again");
        let again = self.networks.iter().filter(|network| lost.contains(&network.chain_id));
        pins.extend(pin::pin(self.reader.as_ref(), again, deadline).await);
        let (stale, mut kept): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|ran| ran.read_any(&lost));
        kept.extend(self.run(stale.into_iter().map(|ran| ran.plan).collect(), pins, deadline).await.jobs);
        kept
    }

    /// Validates what the jobs found, reads its tokens in one wave for each network, and makes rows of it.
    async fn enrich(
        &self,
        plugins: &Plugins<'_>,
        ran: Vec<Ran>,
        pins: &Pins,
        deadline: Deadline,
    ) -> (Vec<Enriched>, Vec<JobReport>) {
        let admitted: Vec<Admitted> = ran.into_iter().map(admit).collect();
        let (tokens, lost) = self.tokens(plugins, &admitted, pins, deadline).await;
        let (mut rows, mut reports) = (Vec::new(), Vec::new());
        for Admitted { plan, found, mut report } in admitted {
            for found in found {
                let Some(known) = tokens.get(&plan.network.chain_id) else { continue };
                match rows::enrich(&plan, found, known) {
                    Ok(row) => rows.push(row),
                    Err(lost) => report::lose(&mut report, lost.into(), &format!("token metadata: {lost}")),
                }
            }
            reports.push(report);
        }
        lost.into_iter().for_each(|lost| report::add(&mut reports, lost));
        (rows, reports)
    }

    /// The tokens of all findings, by chain id, and by whose fault it is not known what some are made of.
    async fn tokens(
        &self,
        plugins: &Plugins<'_>,
        admitted: &[Admitted],
        pins: &Pins,
        deadline: Deadline,
    ) -> (BTreeMap<u64, Tokens>, Vec<JobReport>) {
        let mut wanted: BTreeMap<u64, BTreeSet<Address>> = BTreeMap::new();
        for Admitted { plan, found, .. } in admitted {
            wanted.entry(plan.network.chain_id).or_default().extend(found.iter().flat_map(rows::tokens));
        }
        let (prices, index) = (&self.prices, self.token_lists.index());
        let index = index.as_ref();
        let networks = pin::blocks(&self.networks, pins).into_iter().map(async |(network, block)| {
            let wanted = wanted.get(&network.chain_id).cloned().unwrap_or_default();
            let session = Session::open(self.reader.clone(), network.chain_id, block, deadline.end());
            let at = At { session: &session, network: &network };
            let jobs = plugins.at(at);
            (network.chain_id, resolve::priced_tokens(at, &jobs, prices, index, &wanted).await, jobs.lost())
        });
        let (mut tokens, mut lost) = (BTreeMap::new(), Vec::new());
        for (chain_id, known, lost_there) in join_all(networks).await {
            tokens.insert(chain_id, known);
            lost.extend(lost_there);
        }
        (tokens, lost)
    }
}

/// An answer, and the account that the name in the query led to, if there was a name.
pub(crate) struct Told {
    pub(crate) answer: Arc<Answer>,
    pub(crate) named: Option<Address>,
}

impl From<Answer> for Told {
    fn from(answer: Answer) -> Self {
        Self { answer: Arc::new(answer), named: None }
    }
}

/// What is read from chains.
enum Asked {
    Protocols { plans: Vec<JobPlan>, question: Question, aggregate: bool },
    Balances(balances::Asked),
}

impl Asked {
    /// Those whose blocks the answer needs.
    fn networks<'a>(&'a self, all: &'a Networks) -> Vec<&'a Arc<Network>> {
        match self {
            Self::Protocols { plans, .. } => plans.iter().map(|plan| &plan.network).collect(),
            Self::Balances(asked) => asked.networks(all),
        }
    }
}

/// Jobs that ran, and the networks whose block no endpoint knew any more.
struct RanAll {
    jobs: Vec<Ran>,
    lost: BTreeSet<u64>,
}

/// A job and what became of it; an error where its network has no block.
struct Ran {
    plan: JobPlan,
    outcome: Result<JobOutcome, Failure>,
}

impl Ran {
    fn read_any(&self, networks: &BTreeSet<u64>) -> bool {
        self.outcome.as_ref().is_ok_and(|outcome| !outcome.networks.is_disjoint(networks))
    }
}

/// A job and what passed the border.
struct Admitted {
    plan: JobPlan,
    found: Vec<Found>,
    report: JobReport,
}

fn admit(ran: Ran) -> Admitted {
    let Ran { plan, outcome } = ran;
    let (found, report) = match &outcome {
        Ok(outcome) => {
            let admitted = validate::admit(&plan, outcome);
            let mut report = report::of(&plan, outcome, !admitted.found.is_empty());
            if let Some(rejections) = admitted.rejections() {
                report::lose(&mut report, Reason::InvalidOutput, &rejections);
            }
            if admitted.nothing_left() {
                report.status = JobStatus::Failed;
            }
            (admitted.found, report)
        }
        Err(failure) => (Vec::new(), report::without_block(&plan, failure)),
    };
    Admitted { plan, found, report }
}

/// An answer that reads no chain.
fn plain(items: Items) -> Told {
    let (blocks, missing, jobs) = (Vec::new(), Vec::new(), Vec::new());
    Told::from(Answer { items, blocks, missing, jobs, about_account: false })
}
