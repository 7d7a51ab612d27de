//! The life of a query: snapshot, jobs, one pinned block per network, waves of reads, enrichment, answer.
//!
//! Equal questions at the same blocks that are asked while one of them is under way are one.

mod under_way;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::Address;
use futures_util::future::{FutureExt, join_all};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::answer::{Answer, Items, JobReport, JobStatus, Protocol, Reason};
use crate::border::{self, Found};
use crate::config::Config;
use crate::enrich::{self, Enriched};
use crate::http::problem::Problem;
use crate::job::{self, Failure, JobOutcome};
use crate::network::{Network, Networks};
use crate::plan::{self, JobPlan};
use crate::price::{PriceSource, StaticPrices};
use crate::query::{Query, Question};
use crate::registry::{PluginStatus, Registry, RegistryError};
use crate::report;
use crate::token::{self, Tokens};
use crate::wave::{RoundTrips, Waves};
use portolan_reader::{Block, ChainReader, NetworkStatus, Pins, ReadFailure, Reader, RpcUrl, Upstream};
use under_way::UnderWay;

/// Time that is kept for token metadata and for writing the answer, as a part of the whole.
const ENRICH_PART: u32 = 4;
/// A network that has not told its newest block in this part of an answer's time is left out.
const PIN_PART: u32 = 4;
/// How long `/readyz` waits for an endpoint.
const READY_WAIT: Duration = Duration::from_secs(2);

/// Answers queries. One for the process.
pub(crate) struct Gateway {
    networks: Networks,
    registry: Arc<Registry>,
    reader: Arc<ChainReader>,
    under_way: UnderWay,
    prices: Arc<dyn PriceSource>,
    round_trips: BTreeMap<u64, Arc<RoundTrips>>,
    admission: Semaphore,
    deadline: Duration,
}

impl Gateway {
    /// Starts the registry's watch of the plugins folder, and answers from then on.
    pub(crate) async fn start(config: &Config) -> Result<Arc<Self>, RegistryError> {
        let networks = config.networks.clone();
        let registry = Registry::start(
            config.plugins_dir.clone(),
            config.state_dir.clone(),
            networks.clone(),
            config.limits.clone(),
        )
        .await?;
        let upstream = |(chain_id, endpoints): &(u64, Vec<RpcUrl>)| {
            let name = networks.with_chain_id(*chain_id)?.slug.clone();
            Some(Upstream { chain_id: *chain_id, name, endpoints: endpoints.clone() })
        };
        let upstreams = config.rpc.iter().filter_map(upstream).collect();
        Ok(Arc::new(Self {
            reader: ChainReader::new(upstreams, config.rpc_limits, Some(&config.state_dir)),
            under_way: UnderWay::default(),
            prices: Arc::new(StaticPrices::new(config.prices.iter().cloned())),
            round_trips: networks.iter().map(|network| (network.chain_id, Arc::default())).collect(),
            admission: Semaphore::new(config.in_flight_max),
            deadline: Duration::from_millis(config.deadline_ms),
            registry,
            networks,
        }))
    }

    pub(crate) fn networks(&self) -> &Networks {
        &self.networks
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

    /// Answers a query, from one snapshot of the registry and one block per network.
    pub(crate) async fn answer(self: &Arc<Self>, query: Query) -> Result<Arc<Answer>, Problem> {
        let snapshot = self.registry.snapshot();
        let (plans, question, aggregate) = match &query {
            Query::Networks => return Ok(plain(Items::Networks(self.networks.iter().cloned().collect()))),
            Query::Protocols => {
                let protocols: Vec<Arc<Protocol>> = snapshot.iter().map(|served| served.protocol.clone()).collect();
                return Ok(plain(Items::Protocols(protocols)));
            }
            Query::Claimables { account, filter } => {
                (plan::for_all(&snapshot, &self.networks, filter, *account)?, Question::Claimables, true)
            }
            Query::Protocol { slug, question, account } => {
                (plan::for_one(&snapshot, &self.networks, slug, *question, *account)?, *question, false)
            }
        };
        let _admitted = self.admission.try_acquire().map_err(|_| Problem::Overloaded)?;
        let deadline = Instant::now() + self.deadline;
        let pins = self.pin(plans.iter().map(|plan| &plan.network), deadline).await;
        let key = (query, snapshot.generation, pins.clone());
        let gateway = Arc::clone(self);
        let work = move || async move { gateway.work(plans, pins, question, aggregate, deadline).await }.boxed();
        self.under_way.join(key, work).await
    }

    /// Runs the jobs at the pinned blocks and makes an answer of what they found.
    async fn work(
        &self,
        plans: Vec<JobPlan>,
        mut pins: Pins,
        question: Question,
        aggregate: bool,
        deadline: Instant,
    ) -> Result<Arc<Answer>, Problem> {
        let ran = self.run(plans, &pins, deadline).await;
        let ran = self.run_lost_again(ran, &mut pins, deadline).await;
        let (rows, jobs) = self.enrich(ran, &pins, deadline).await;
        let missing = report::missing(&self.networks, &pins, &jobs);
        if let Some(problem) = report::all_failed(&jobs) {
            return Err(problem);
        }
        let items = report::items(&self.networks, rows, question, aggregate);
        Ok(Arc::new(Answer { items, blocks: self.blocks(&pins), missing, jobs, about_account: true }))
    }

    /// The block of each of these networks, or why there is none.
    async fn pin(&self, networks: impl Iterator<Item = &Arc<Network>>, deadline: Instant) -> Pins {
        let networks: BTreeSet<u64> = networks.map(|network| network.chain_id).collect();
        let by = deadline.min(Instant::now() + self.deadline / PIN_PART);
        let pins = networks.into_iter().map(async |chain_id| {
            let pinned = tokio::time::timeout_at(by, self.reader.pin(chain_id, by)).await;
            (chain_id, pinned.unwrap_or(Err(ReadFailure::Timeout)))
        });
        join_all(pins).await.into_iter().collect()
    }

    /// The networks that have a block, in the order of answers.
    fn blocks(&self, pins: &Pins) -> Vec<(Arc<Network>, Block)> {
        let pinned = |network: &Arc<Network>| match pins.get(&network.chain_id) {
            Some(Ok(block)) => Some((Arc::clone(network), *block)),
            _ => None,
        };
        self.networks.iter().filter_map(pinned).collect()
    }

    /// Runs all jobs whose network has a block; their reads share waves.
    async fn run(&self, plans: Vec<JobPlan>, pins: &Pins, deadline: Instant) -> RanAll {
        let by = deadline - self.deadline / ENRICH_PART;
        let waves = |(network, block): (Arc<Network>, Block)| {
            let chain_id = network.chain_id;
            let round_trips = self.round_trips.get(&chain_id).cloned().unwrap_or_default();
            (chain_id, Waves::new(self.reader.clone(), chain_id, block, by, round_trips))
        };
        let waves: BTreeMap<u64, Arc<Waves>> = self.blocks(pins).into_iter().map(waves).collect();
        let jobs = plans.into_iter().map(async |plan| {
            let outcome = match pins.get(&plan.network.chain_id) {
                Some(Err(failure)) => Err(Failure::new(Reason::from(*failure), failure.to_string())),
                _ => Ok(job::run(
                    &plan,
                    &waves,
                    by.min(Instant::now() + Duration::from_millis(plan.instance.limits.job_ms)),
                )
                .await),
            };
            Ran { plan, outcome }
        });
        let jobs = join_all(jobs).await;
        let lost = waves.iter().filter(|(_, waves)| waves.block_lost()).map(|(chain_id, _)| *chain_id);
        RanAll { jobs, lost: lost.collect() }
    }

    /// Where no endpoint knew a network's block any more, what read it starts again at another block: once.
    async fn run_lost_again(&self, ran: RanAll, pins: &mut Pins, deadline: Instant) -> Vec<Ran> {
        let RanAll { jobs, lost } = ran;
        if lost.is_empty() {
            return jobs;
        }
        tracing::debug!(networks = ?lost, "pinned blocks are unknown, their jobs start again");
        let again = self.networks.iter().filter(|network| lost.contains(&network.chain_id));
        pins.extend(self.pin(again, deadline).await);
        let (stale, mut kept): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|ran| ran.read_any(&lost));
        kept.extend(self.run(stale.into_iter().map(|ran| ran.plan).collect(), pins, deadline).await.jobs);
        kept
    }

    /// Validates what the jobs found, reads its tokens in one wave for each network, and makes rows of it.
    async fn enrich(&self, ran: Vec<Ran>, pins: &Pins, deadline: Instant) -> (Vec<Enriched>, Vec<JobReport>) {
        let admitted: Vec<Admitted> = ran.into_iter().map(admit).collect();
        let tokens = self.tokens(&admitted, pins, deadline).await;
        let (mut rows, mut reports) = (Vec::new(), Vec::new());
        for Admitted { plan, found, mut report } in admitted {
            for found in found {
                let Some(known) = tokens.get(&plan.network.chain_id) else { continue };
                match enrich::enrich(&plan, found, known) {
                    Ok(row) => rows.push(row),
                    Err(lost) => report::lose(&mut report, lost.into(), &format!("token metadata: {lost}")),
                }
            }
            reports.push(report);
        }
        (rows, reports)
    }

    /// The tokens of all findings, by chain id.
    async fn tokens(&self, admitted: &[Admitted], pins: &Pins, deadline: Instant) -> BTreeMap<u64, Tokens> {
        let mut wanted: BTreeMap<u64, BTreeSet<Address>> = BTreeMap::new();
        for Admitted { plan, found, .. } in admitted {
            wanted.entry(plan.network.chain_id).or_default().extend(found.iter().flat_map(enrich::tokens));
        }
        let (reader, prices) = (self.reader.as_ref(), self.prices.as_ref());
        let networks = self.blocks(pins).into_iter().map(async |(network, block)| {
            let wanted = wanted.get(&network.chain_id).cloned().unwrap_or_default();
            (network.chain_id, token::read(reader, prices, &network, &block, &wanted, deadline).await)
        });
        join_all(networks).await.into_iter().collect()
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
            let admitted = border::admit(&plan, outcome);
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
fn plain(items: Items) -> Arc<Answer> {
    let (blocks, missing, jobs) = (Vec::new(), Vec::new(), Vec::new());
    Arc::new(Answer { items, blocks, missing, jobs, about_account: false })
}
