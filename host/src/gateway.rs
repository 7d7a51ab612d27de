//! Start reading here: [`Gateway::answer`] is the life of every query, from validated input to answer.
//!
//! A name is resolved to its account, the jobs are planned, the answer is admitted, its networks are pinned, and then
//! the work runs. Each kind of [`Work`] is a file in `work`; all of them read through one [`Context`]. Invariant:
//! equal queries at the same blocks are worked on once at a time.

pub(crate) mod answer;
pub(crate) mod claims;
pub(crate) mod lifetime;
pub(crate) mod problem;
pub(crate) mod progress;
pub(crate) mod provenance;
pub(crate) mod query;
pub(crate) mod watch;

mod admin;
mod admission;
mod approval_lists;
mod context;
mod start;
mod work;

mod codeless;
mod composition_answer;
mod compositions;
pub(crate) mod coverage;
mod currency;
mod deadline;
mod deployment_check;
mod log_memory;
mod missing;
mod plan;
mod rows;
mod single_flight;

use std::sync::Arc;

use alloy::primitives::Address;
use futures_util::FutureExt;
use futures_util::future::{OptionFuture, join};
use portolan_base::network::Networks;
use tracing::Instrument;

pub(crate) use self::admin::AdminHandles;
use self::admission::Admission;
pub(crate) use self::admission::Admitted;
use self::answer::{Answer, Items};
pub(crate) use self::composition_answer::CompositionAnswer;
use self::context::{Context, Sources};
use self::currency::RateLookup;
use self::deadline::Deadline;
pub(crate) use self::deployment_check::{CheckedAddress, CheckedJob, DeploymentCheck, TRIES};
use self::lifetime::Lifetime;
use self::problem::Problem;
use self::progress::JobProgress;
use self::query::{About, AboutRows, Account, AnswerOptions, BlockChoice, EventsQuery, InputLimits, Query};
use self::single_flight::SingleFlight;
pub(crate) use self::start::{GatewaySettings, StartError};
use self::work::Work;
use self::work::account_rows::RowWork;
use self::work::accounts::AccountsWork;
use self::work::approvals::ApprovalWork;
use self::work::balances::BalanceWork;
use self::work::claim_plan::ClaimPlanWork;
use self::work::events::EventWork;
#[cfg(feature = "fuzzing")]
pub(crate) use self::work::events::fuzzing::fuzzed_events;
use self::work::names::{self, NameLookup};
use self::work::revoke_plan::RevokePlanWork;
use crate::budget::{AnswerBudget, AnswerLimits};
use crate::clear_signing::ClaimDescriptor;
use crate::cpu_pool::CpuPool;
use portolan_base::client_share::ClientShare;

/// Answers queries. One instance per process.
pub(crate) struct Gateway {
    sources: Arc<Sources>,
    single_flight: SingleFlight,
    admission: Arc<Admission>,
    limits: AnswerLimits,
    inputs: InputLimits,
    admin: AdminHandles,
}

/// An answer, and the address of the account if the query named the account by an ENS name.
pub(crate) struct GatewayResponse {
    pub(crate) answer: Arc<Answer>,
    pub(crate) named: Option<Address>,
    pub(crate) lifetime: Lifetime,
    /// Keeps the answer admitted until its body is compressed. `None` if the answer reads no chain.
    pub(crate) admitted: Option<Admitted>,
}

impl Gateway {
    /// Answers a client's query.
    ///
    /// # Errors
    /// Returns the problem to send instead of the answer.
    pub(crate) async fn answer(
        &self,
        query: Query,
        options: AnswerOptions,
        client: &Arc<ClientShare>,
    ) -> Result<GatewayResponse, Problem> {
        self.answer_with(query, options, client, None).await
    }

    /// Answers a query about the rows of one account, and sends the rows of each job once it has ended.
    ///
    /// # Errors
    /// Returns the problem to send instead of the answer.
    pub(crate) async fn answer_by_job(
        &self,
        query: Query,
        options: AnswerOptions,
        client: &Arc<ClientShare>,
        progress: JobProgress,
    ) -> Result<GatewayResponse, Problem> {
        self.answer_with(query, options, client, Some(progress)).await
    }

    async fn answer_with(
        &self,
        query: Query,
        options: AnswerOptions,
        client: &Arc<ClientShare>,
        progress: Option<JobProgress>,
    ) -> Result<GatewayResponse, Problem> {
        let is_newest = options.blocks == BlockChoice::Newest;
        let limits = match &query {
            Query::OfAll(accounts, _) => self.limits.of_accounts(accounts.len()),
            _ => self.limits,
        };
        let mut context = self.context_within(options, limits, client);
        context.progress = progress;
        let (account, about) = match query {
            Query::Networks => {
                let networks = context.networks().iter().cloned().collect();
                return Ok(list(&context, Items::Networks(networks)));
            }
            Query::Protocols => {
                let protocols = context.snapshot.iter().map(|served| Arc::clone(&served.protocol)).collect();
                return Ok(list(&context, Items::Protocols(protocols)));
            }
            Query::Coverage => {
                let coverage = coverage::of(&context.snapshot, context.networks());
                return Ok(list(&context, Items::Coverage(coverage)));
            }
            Query::ClearSigning(slug) => {
                // A descriptor has thousands of contracts at most, so it counts as an answer in flight.
                let admitted = self.admission.acquire(client, 1)?;
                let descriptor = ClaimDescriptor::of(plan::served(&context.snapshot, &slug)?);
                let items = Items::ClearSigning(descriptor.into_iter().collect());
                return Ok(GatewayResponse { admitted: Some(admitted), ..list(&context, items) });
            }
            Query::Address(ref name, lookup) => {
                let work = NameLookup::address_of(name.clone(), lookup);
                return self.work(query, context, work).await;
            }
            Query::Events(events) => return self.events(events, context).await,
            Query::Of(account, about) => (account, about),
            Query::OfAll(accounts, about) => return self.accounts(accounts, about, context).await,
        };
        let (account, named) = match account {
            Account::Address(account) => (account, None),
            Account::Name(name) => {
                let _admitted = self.admission.acquire(client, 1)?;
                // A name resolves to its current account, even if the answer is about an older block.
                let present = (!is_newest).then(|| self.context(AnswerOptions::default(), client));
                let account = names::account(present.as_ref().unwrap_or(&context), name).await?;
                (account, Some(account))
            }
        };
        let response = self.about(account, about, context).await?;
        let lifetime = if named.is_some() { response.lifetime.with_present() } else { response.lifetime };
        Ok(GatewayResponse { named, lifetime, ..response })
    }

    /// Answers with the events of a transaction, after resolving the account's name if one is given.
    async fn events(&self, mut events: EventsQuery, context: Context) -> Result<GatewayResponse, Problem> {
        let named = match events.account.take() {
            Some(Account::Name(name)) => {
                let _admitted = self.admission.acquire(&context.budget.client, 1)?;
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

    /// Answers about several accounts at once.
    async fn accounts(
        &self,
        accounts: Vec<Account>,
        about: AboutRows,
        context: Context,
    ) -> Result<GatewayResponse, Problem> {
        let each = RowWork::new(&context, Address::ZERO, &about)?;
        let has_names = accounts.iter().any(|account| matches!(account, Account::Name(_)));
        let work = AccountsWork::new(accounts.clone(), each);
        let response = self.work(Query::OfAll(accounts, about), context, work).await?;
        let lifetime = if has_names { response.lifetime.with_present() } else { response.lifetime };
        Ok(GatewayResponse { lifetime, ..response })
    }

    async fn about(&self, account: Address, about: About, context: Context) -> Result<GatewayResponse, Problem> {
        let query = Query::Of(Account::Address(account), about.clone());
        match about {
            About::Rows(about) => {
                let work = RowWork::new(&context, account, &about)?;
                self.work(query, context, work).await
            }
            About::ClaimPlan { filter, chain_id, worth } => {
                let network = context.networks().with_chain_id(chain_id).cloned();
                let network = network.ok_or_else(|| Problem::InvalidBlock("block names another network".into()))?;
                let work = ClaimPlanWork::new(&context, account, &filter, network, worth)?;
                self.work(query, context, work).await
            }
            About::Balances { assets, chain_id } => {
                let work = BalanceWork::new(&context, account, assets, chain_id);
                self.work(query, context, work).await
            }
            About::Approvals { chain_id } => {
                let work = ApprovalWork::new(&context, account, chain_id);
                self.work(query, context, work).await
            }
            About::RevokePlan(revoked) => {
                let network = context.networks().with_chain_id(revoked.chain_id).cloned();
                let network = network.ok_or_else(|| Problem::InvalidBlock("block names another network".into()))?;
                self.work(query, context, RevokePlanWork { network, account, revoked }).await
            }
            About::Name(lookup) => self.work(query, context, NameLookup::name_of(account, lookup)).await,
        }
    }

    /// Admits the answer, pins its networks, and does the work, or joins an equal query that is in flight.
    async fn work(&self, query: Query, mut context: Context, work: impl Work) -> Result<GatewayResponse, Problem> {
        let admitted = self.admission.acquire(&context.budget.client, work.count())?;
        let networks = work.networks(&context);
        context.options.blocks.check(&networks)?;
        context.options.min_blocks = std::mem::take(&mut context.options.min_blocks).of_networks(&networks)?;
        let of_rate = currency::networks(&context, &networks);
        context.open(networks.iter().chain(&of_rate)).await;
        let key = (query, context.options.clone(), context.snapshot.generation, context.pins());
        let (end, blocks, is_followed) = (context.end(), context.options.blocks.clone(), context.progress.is_some());
        let rate = RateLookup::new(&context, of_rate);
        // The flight's spans belong to the answer that starts it; answers that join it have no child spans.
        let begin = || {
            let answering = async move {
                let (answer, currency) =
                    join(work.answer(context), OptionFuture::from(rate.map(RateLookup::read))).await;
                answer.map(|answer| Arc::new(answer.with_currency(currency)))
            };
            answering.in_current_span().boxed()
        };
        // What one client follows is not joined: others would have missed its beginning.
        let answer = if is_followed { begin().await? } else { self.single_flight.join(key, end, begin).await? };
        let lifetime = Lifetime::of(&answer, &blocks, &self.admin.reader);
        Ok(GatewayResponse { answer, named: None, lifetime, admitted: Some(admitted) })
    }

    fn context(&self, options: AnswerOptions, client: &Arc<ClientShare>) -> Context {
        self.context_within(options, self.limits, client)
    }

    fn context_within(&self, options: AnswerOptions, limits: AnswerLimits, client: &Arc<ClientShare>) -> Context {
        let (snapshot, token_index) = (self.admin.registry.snapshot(), self.admin.token_lists.index());
        let (deadline, budget) = (Deadline::after(limits.time), AnswerBudget::new(limits, Arc::clone(client)));
        Context::new(Arc::clone(&self.sources), snapshot, token_index, deadline, budget, options)
    }

    /// Generation of the registry's snapshot; changes whenever the plugins do.
    pub(crate) fn generation(&self) -> u64 {
        self.admin.registry.snapshot().generation
    }

    pub(crate) fn networks(&self) -> &Networks {
        &self.sources.networks
    }

    /// The networks with an endpoint.
    pub(crate) fn networks_with_endpoint(&self) -> Networks {
        self.sources.networks.filtered(|chain_id| self.sources.with_endpoint.contains(&chain_id))
    }

    pub(crate) fn cpu_pool(&self) -> &CpuPool {
        &self.sources.cpu_pool
    }

    /// Maximum bytes of one answer's body.
    pub(crate) fn body_bytes_max(&self) -> u64 {
        self.limits.body_bytes_max
    }

    pub(crate) fn input_limits(&self) -> InputLimits {
        self.inputs
    }

    /// The parts that operators' listener, commands and checks act on.
    pub(crate) fn admin(&self) -> &AdminHandles {
        &self.admin
    }

    /// Requests a block of each network so that the status of its endpoints becomes known.
    pub(crate) async fn probe_networks(&self) {
        let context = self.context(AnswerOptions::default(), &ClientShare::new(None));
        context.open(context.networks().iter()).await;
    }
}

/// Builds a response that reads no chain.
fn list(context: &Context, items: Items) -> GatewayResponse {
    let (blocks, missing, jobs) = (Vec::new(), Vec::new(), Vec::new());
    let budget = Arc::clone(&context.budget);
    let answer = Answer { items, blocks, missing, jobs, about_account: false, budget, currency: None };
    GatewayResponse { answer: Arc::new(answer), named: None, lifetime: Lifetime::Unknown, admitted: None }
}
