//! Begin here: the life of every query, from the validated query to its answer.
//!
//! A name in the query is resolved to its account, the jobs are planned, the answer is admitted, its networks are pinned,
//! and then its work is done: each kind of [`Work`] is a file beside this one, and all of them read through one
//! [`Context`]. Invariant: of equal queries at the same blocks only one is worked on at a time.

pub(crate) mod answer;
pub(crate) mod cost;
pub(crate) mod paid;
pub(crate) mod problem;
pub(crate) mod provenance;
pub(crate) mod query;
pub(crate) mod verdict;

mod admission;
mod context;
mod start;
mod work;

mod balances;
mod claim_plan;
mod events;
mod names;
mod portfolio;
mod protocols;

mod codeless;
mod compositions;
mod deadline;
mod deployment_check;
mod fees;
mod gas_limit;
mod log_room;
mod missing;
mod plan;
mod planned_claim;
mod rows;
mod simulation;
mod single_flight;

use std::sync::Arc;

use alloy::primitives::Address;
use futures_util::FutureExt;
use portolan_reader::{ChainReader, Facts, NetworkStatus};
use tracing::Instrument;

use self::admission::{Admission, Admitted};
use self::answer::{Answer, Items};
use self::balances::BalanceWork;
use self::claim_plan::ClaimPlanWork;
use self::context::{Context, Sources};
use self::deadline::Deadline;
pub(crate) use self::deployment_check::{CheckedAddress, DeploymentCheck};
use self::events::EventWork;
#[cfg(feature = "fuzzing")]
pub(crate) use self::events::fuzzing::fuzzed_events;
use self::names::NameLookup;
use self::portfolio::PortfolioWork;
use self::problem::Problem;
use self::protocols::ProtocolWork;
use self::query::{About, Account, AnswerOptions, BlockChoice, EventsQuery, Query};
use self::single_flight::SingleFlight;
pub(crate) use self::start::StartError;
use self::work::Work;
use crate::assets::token_list::{ListStatus, TokenLists};
use crate::budget::{AnswerBudget, AnswerLimits};
use crate::client_share::ClientShare;
use crate::long_work::LongWork;
use crate::memory::Memory;
use crate::monitor::{Monitor, Readiness};
use crate::network::Networks;
use crate::registry::{PluginStatus, Registry};

/// Answers queries. One for the process.
pub(crate) struct Gateway {
    sources: Arc<Sources>,
    registry: Arc<Registry>,
    reader: Arc<ChainReader>,
    monitor: Monitor,
    token_lists: Arc<TokenLists>,
    single_flight: SingleFlight,
    admission: Admission,
    limits: AnswerLimits,
    logs_max: usize,
    memory: Arc<Memory>,
}

/// An answer, and the account that the name in the query led to, if there was a name.
pub(crate) struct GatewayResponse {
    pub(crate) answer: Arc<Answer>,
    pub(crate) named: Option<Address>,
    /// The answer stays admitted until its body is written. `None` where it reads no chain.
    _admitted: Option<Admitted>,
}

impl Gateway {
    /// Answers a client's query.
    ///
    /// # Errors
    /// The problem in the place of the answer.
    pub(crate) async fn answer(
        &self,
        query: Query,
        options: AnswerOptions,
        client: &Arc<ClientShare>,
    ) -> Result<GatewayResponse, Problem> {
        let is_newest = options.blocks == BlockChoice::Newest;
        let context = self.context(options, client);
        let (account, about) = match query {
            Query::Networks => {
                let networks = context.networks().iter().cloned().collect();
                return Ok(list(&context, Items::Networks(networks)));
            }
            Query::Protocols => {
                let protocols = context.snapshot.iter().map(|served| Arc::clone(&served.protocol)).collect();
                return Ok(list(&context, Items::Protocols(protocols)));
            }
            Query::Address(ref name, lookup) => {
                let work = NameLookup::address_of(name.clone(), lookup);
                return self.work(query, context, work).await;
            }
            Query::Events(events) => return self.events(events, context).await,
            Query::Of(account, about) => (account, about),
        };
        let (account, named) = match account {
            Account::Address(account) => (account, None),
            Account::Name(name) => {
                let _admitted = self.admission.acquire(client)?;
                // A name leads to the account that it leads to now.
                let present = (!is_newest).then(|| self.context(AnswerOptions::default(), client));
                let account = names::account(present.as_ref().unwrap_or(&context), name).await?;
                (account, Some(account))
            }
        };
        Ok(GatewayResponse { named, ..self.about(account, about, context).await? })
    }

    /// The events of a transaction, once the name of the account that it is about is resolved.
    async fn events(&self, mut events: EventsQuery, context: Context) -> Result<GatewayResponse, Problem> {
        let named = match events.account.take() {
            Some(Account::Name(name)) => {
                let _admitted = self.admission.acquire(&context.budget.client)?;
                let account = names::account(&context, name).await?;
                events.account = Some(Account::Address(account));
                Some(account)
            }
            account => {
                events.account = account;
                None
            }
        };
        let work = EventWork(events.clone());
        Ok(GatewayResponse { named, ..self.work(Query::Events(events), context, work).await? })
    }

    async fn about(&self, account: Address, about: About, context: Context) -> Result<GatewayResponse, Problem> {
        let query = Query::Of(Account::Address(account), about.clone());
        match about {
            About::Claimables { filter, chain_id, options } => {
                let work = ProtocolWork::to_all(&context, account, (&filter, chain_id), options)?;
                self.work(query, context, work).await
            }
            About::ClaimPlan { filter, chain_id, worth } => {
                let network = context.networks().with_chain_id(chain_id).cloned();
                let network = network.ok_or_else(|| Problem::InvalidBlock("block names another network".into()))?;
                let work = ClaimPlanWork::new(&context, account, &filter, network, worth)?;
                self.work(query, context, work).await
            }
            About::Positions { filter, chain_id, kinds, options } => {
                let work = PortfolioWork::new(&context, account, (&filter, chain_id), kinds, options)?;
                self.work(query, context, work).await
            }
            About::Protocol { slug, chain_id, list } => {
                let work = ProtocolWork::to_one(&context, account, (&slug, chain_id), list)?;
                self.work(query, context, work).await
            }
            About::Balances { assets, chain_id } => {
                let work = BalanceWork::new(&context, account, assets, chain_id);
                self.work(query, context, work).await
            }
            About::Name(lookup) => self.work(query, context, NameLookup::name_of(account, lookup)).await,
        }
    }

    /// Admits the answer, pins its networks, and does its work, unless that of an equal query is under way.
    async fn work(&self, query: Query, context: Context, work: impl Work) -> Result<GatewayResponse, Problem> {
        let admitted = self.admission.acquire(&context.budget.client)?;
        let networks = work.networks(&context);
        context.options.blocks.check(&networks)?;
        context.open(&networks).await;
        let key = (query, context.options.clone(), context.snapshot.generation, context.pins());
        let end = context.end();
        // Its span is that of the answer that begins it; those that join it have none of it below theirs.
        let begin = || async move { work.answer(context).await.map(Arc::new) }.in_current_span().boxed();
        let answered = self.single_flight.join(key, end, begin);
        Ok(GatewayResponse { answer: answered.await?, named: None, _admitted: Some(admitted) })
    }

    fn context(&self, options: AnswerOptions, client: &Arc<ClientShare>) -> Context {
        self.context_within(options, self.limits, client)
    }

    fn context_within(&self, options: AnswerOptions, limits: AnswerLimits, client: &Arc<ClientShare>) -> Context {
        let (snapshot, token_index) = (self.registry.snapshot(), self.token_lists.index());
        let (deadline, budget) = (Deadline::after(limits.time), AnswerBudget::new(limits, Arc::clone(client)));
        Context::new(Arc::clone(&self.sources), snapshot, token_index, deadline, budget, options)
    }

    /// Changes whenever the plugins do.
    pub(crate) fn generation(&self) -> u64 {
        self.registry.snapshot().generation
    }

    pub(crate) fn networks(&self) -> &Networks {
        &self.sources.networks
    }

    pub(crate) fn long_work(&self) -> &LongWork {
        &self.sources.long_work
    }

    /// The most logs of a transaction whose events are decoded.
    pub(crate) fn logs_max(&self) -> usize {
        self.logs_max
    }

    /// The watch of the process's memory.
    pub(crate) fn memory(&self) -> Arc<Memory> {
        Arc::clone(&self.memory)
    }

    pub(crate) fn plugins(&self) -> Vec<PluginStatus> {
        self.registry.status()
    }

    /// Whether the first scan of the plugins folder is over.
    pub(crate) fn first_scan_done(&self) -> bool {
        self.registry.first_scan_done()
    }

    /// Whether it is ready, and why not, as far as is known.
    pub(crate) fn readiness(&self) -> Arc<Readiness> {
        self.monitor.readiness()
    }

    /// From now on it is not ready, because it stops.
    pub(crate) fn begin_stop(&self) {
        self.monitor.begin_stop();
    }

    /// The status of the endpoints.
    pub(crate) fn upstreams(&self) -> Vec<NetworkStatus> {
        self.reader.status()
    }

    /// Requests a block of each network, so that the status of its endpoints is known.
    pub(crate) async fn probe_networks(&self) {
        let context = self.context(AnswerOptions::default(), &ClientShare::new(None));
        context.open(context.networks().iter()).await;
    }

    /// What outlives the process.
    pub(crate) fn facts(&self) -> &Facts {
        self.reader.facts()
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Answers under way, and the most that may be.
    pub(crate) fn in_flight(&self) -> (usize, usize) {
        self.admission.in_flight()
    }

    /// The status of the token lists.
    pub(crate) fn token_lists(&self) -> Vec<ListStatus> {
        self.token_lists.status()
    }
}

/// A response that reads no chain.
fn list(context: &Context, items: Items) -> GatewayResponse {
    let (blocks, missing, jobs) = (Vec::new(), Vec::new(), Vec::new());
    let budget = Arc::clone(&context.budget);
    let answer = Answer { items, blocks, missing, jobs, about_account: false, budget };
    GatewayResponse { answer: Arc::new(answer), named: None, _admitted: None }
}
