//! Checks the deployments of all plugins against the chains: which addresses have code and reply, which questions are
//! answered, and what their claims do when they are tried.
//!
//! Invariant: an address counts as replying only if a job got a reply from it, at the pinned block or as a cached
//! fact. A failed read is never a negative result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use futures_util::future::join_all;
use portolan_abi::map::Deployment;
use portolan_base::network::{Network, Networks};
use portolan_reader::{Effort, Kind, Outcome, Read};

use crate::gateway::Gateway;
use crate::gateway::claims::verdict::Verdict;
use crate::gateway::context::Context;
use crate::gateway::query::{AnswerOptions, Filter};
use crate::gateway::rows::ClaimEvaluation;
use crate::gateway::work::protocols::{ValidatedJob, evaluate_claims};
use crate::gateway::{compositions, plan, rows};
use crate::jobs::job::ReadTrace;
use crate::jobs::plan::{JobPlan, Question};
use crate::jobs::report::JobReport;
use portolan_base::client_share::ClientShare;

/// Questions of jobs about an account.
const QUESTIONS: [Question; 5] =
    [Question::Claimables, Question::Farming, Question::Lending, Question::Pooling, Question::Locked];
/// Maximum number of runs of a job that ends incomplete; each run continues the fact lists where the last one stopped.
pub(crate) const TRIES: usize = 6;

/// Result of the check.
#[derive(Debug, Default)]
pub(crate) struct DeploymentCheck {
    pub(crate) addresses: Vec<CheckedAddress>,
    pub(crate) jobs: Vec<CheckedJob>,
    /// Slugs of networks that have deployments but no endpoint; a chain id if the network is unknown.
    pub(crate) not_checked: Vec<String>,
}

/// An address that a deployment lists.
#[derive(Debug)]
pub(crate) struct CheckedAddress {
    pub(crate) protocol: String,
    pub(crate) network: Arc<Network>,
    pub(crate) market: String,
    pub(crate) address: Address,
    /// Size of its code in bytes, or the reason why it could not be read.
    pub(crate) code: Result<U256, String>,
    /// `Some` if a job got a reply from it, with the function of the first reply if the plugin names it.
    pub(crate) answered: Option<Option<Arc<str>>>,
}

/// One question to a protocol on a network.
#[derive(Debug)]
pub(crate) struct CheckedJob {
    pub(crate) question: portolan_abi::Question,
    pub(crate) report: JobReport,
    pub(crate) claims: TriedClaims,
}

/// Claims of a job by what they did when they were tried.
#[derive(Debug, Default)]
pub(crate) struct TriedClaims {
    pub(crate) verdicts: BTreeMap<Verdict, usize>,
    /// Number of claims that no endpoint tried.
    pub(crate) untried: usize,
}

impl CheckedAddress {
    /// Returns true if it has code. A reply is not required, because jobs need not read it for every account.
    pub(crate) fn is_sound(&self) -> bool {
        self.code.as_ref().is_ok_and(|bytes| !bytes.is_zero())
    }
}

impl DeploymentCheck {
    /// Returns true if every address has code, every question was answered completely, and every claim that was tried
    /// pays what it states.
    pub(crate) fn is_sound(&self) -> bool {
        let is_sound = |job: &CheckedJob| job.is_complete() && job.claims.pay();
        self.addresses.iter().all(CheckedAddress::is_sound) && self.jobs.iter().all(is_sound)
    }
}

impl CheckedJob {
    /// Returns true if nothing failed. Something that the plugin does not cover is not a fault of a deployment.
    pub(crate) fn is_complete(&self) -> bool {
        self.report.reason.is_none()
    }
}

impl TriedClaims {
    fn of(evaluations: Vec<ClaimEvaluation>) -> Self {
        let mut tried = Self::default();
        for evaluation in evaluations {
            match evaluation.simulation.and_then(|simulation| simulation.verdict) {
                Some(verdict) => *tried.verdicts.entry(verdict).or_default() += 1,
                None => tried.untried += 1,
            }
        }
        tried
    }

    /// Returns true if each claim that was tried pays what it states.
    fn pay(&self) -> bool {
        self.verdicts.keys().all(|verdict| *verdict == Verdict::Paid)
    }
}

/// A check that is under way.
struct Checking<'a> {
    gateway: &'a Gateway,
    networks: Networks,
    options: AnswerOptions,
    client: Arc<ClientShare>,
    check: DeploymentCheck,
    /// The contracts that replied, each with the function of the first reply if the plugin names it.
    answered: BTreeMap<(u64, Address), Option<Arc<str>>>,
    /// The tokens that the question about compositions is put for, by chain id.
    tokens: BTreeMap<u64, BTreeSet<Address>>,
}

impl Gateway {
    /// Checks all deployments on networks with an endpoint: their code, all questions about an account, and one about
    /// the tokens that the deployments list and the account has.
    ///
    /// Each question has an answer's time and budget. A job that ends incomplete, and not by its plugin's fault, has
    /// them alone when it runs again, so that no job fails because of another.
    pub(crate) async fn check_deployments(&self, account: Address) -> DeploymentCheck {
        let snapshot = self.admin.registry.snapshot();
        let rows: Vec<Deployment> = snapshot.iter().flat_map(|served| served.deployments()).cloned().collect();
        let mut checking = Checking::new(self, &rows);
        for question in QUESTIONS {
            // This cannot fail: only a filter that names a protocol can be invalid.
            let plans = plan::for_all(&snapshot, &checking.networks, &Filter::All, &[question], account);
            checking.questions(plans.unwrap_or_default().jobs).await;
        }
        for network in checking.networks.clone().iter() {
            let tokens: Vec<Address> = checking.tokens.get(&network.chain_id).into_iter().flatten().copied().collect();
            for plan in plan::for_tokens(&snapshot, network, &tokens).into_iter().filter(|_| !tokens.is_empty()) {
                checking.compositions(plan, &tokens).await;
            }
        }
        checking.finish(&rows).await
    }
}

impl<'a> Checking<'a> {
    fn new(gateway: &'a Gateway, rows: &[Deployment]) -> Self {
        let networks = gateway.networks_with_endpoint();
        let slug = |chain_id: u64| {
            let known = gateway.networks().with_chain_id(chain_id);
            known.map_or_else(|| chain_id.to_string(), |network| network.slug.clone())
        };
        let elsewhere = rows.iter().map(|row| row.chain_id);
        let elsewhere = elsewhere.filter(|chain_id| networks.with_chain_id(*chain_id).is_none());
        let not_checked = elsewhere.collect::<BTreeSet<u64>>().into_iter().map(slug).collect();
        let mut tokens: BTreeMap<u64, BTreeSet<Address>> = BTreeMap::new();
        rows.iter().for_each(|row| tokens.entry(row.chain_id).or_default().extend(listed(row)));
        Self {
            gateway,
            networks,
            options: AnswerOptions { is_traced: true, ..AnswerOptions::default() },
            client: ClientShare::new(None),
            check: DeploymentCheck { not_checked, ..DeploymentCheck::default() },
            answered: BTreeMap::new(),
            tokens,
        }
    }

    /// Opens a context with the time and the budget of one answer.
    async fn context(&self, networks: impl IntoIterator<Item = &Arc<Network>>) -> Context {
        let context = self.gateway.context_within(self.options.clone(), self.gateway.limits, &self.client);
        context.open(networks).await;
        context
    }

    /// Runs the jobs of one question together, and then each that ended incomplete alone.
    async fn questions(&mut self, mut plans: Vec<JobPlan>) {
        plans.iter_mut().for_each(|plan| plan.is_traced = true);
        for plan in self.run(plans, false).await {
            let mut again = vec![plan];
            for left in (0..TRIES - 1).rev() {
                again = self.run(again, left == 0).await;
            }
        }
    }

    /// Runs jobs; returns those to run again, none if it is the last time.
    async fn run(&mut self, plans: Vec<JobPlan>, is_last: bool) -> Vec<JobPlan> {
        if plans.is_empty() {
            return plans;
        }
        let context = self.context(plans.iter().map(|plan| &plan.network)).await;
        let mut again = Vec::new();
        for job in context.run(plans).await.into_iter().map(ValidatedJob::validate) {
            self.note_answered(&job.plan, job.trace.as_ref());
            if job.report.reason.is_some() && !job.report.is_fault && !is_last {
                again.push(job.plan);
                continue;
            }
            let found = self.tokens.entry(job.plan.network.chain_id).or_default();
            found.extend(job.findings.iter().flat_map(rows::tokens));
            let claims =
                TriedClaims::of(evaluate_claims(&context, std::slice::from_ref(&job), Some(Effort::Any)).await);
            self.check.jobs.push(CheckedJob { question: job.plan.question.number(), report: job.report, claims });
        }
        again
    }

    /// Puts the question about the compositions of these tokens.
    async fn compositions(&mut self, mut plan: JobPlan, tokens: &[Address]) {
        plan.is_traced = true;
        let context = self.context([&plan.network]).await;
        for (plan, outcome) in context.run(vec![plan]).await {
            self.note_answered(&plan, outcome.trace.as_ref());
            let report = compositions::validated(&plan, &outcome, tokens).report;
            let claims = TriedClaims::default();
            self.check.jobs.push(CheckedJob { question: plan.question.number(), report, claims });
        }
    }

    fn note_answered(&mut self, plan: &JobPlan, trace: Option<&ReadTrace>) {
        for (contract, function) in trace.into_iter().flat_map(ReadTrace::answered) {
            self.answered.entry((plan.network.chain_id, *contract)).or_insert_with(|| function.clone());
        }
    }

    async fn finish(self, rows: &[Deployment]) -> DeploymentCheck {
        let context = self.context(self.networks.iter()).await;
        let Self { networks, mut check, answered, .. } = self;
        let place = |job: &CheckedJob| {
            (networks.position(job.report.network.chain_id), job.report.subject.clone(), job.question)
        };
        check.jobs.sort_by_cached_key(place);
        let checking = networks.iter().map(|network| addresses(&context, network, rows, &answered));
        check.addresses = join_all(checking).await.into_iter().flatten().collect();
        check
    }
}

/// The addresses that a deployment lists.
fn listed(row: &Deployment) -> BTreeSet<Address> {
    row.contracts.iter().chain(row.tokens.iter().flatten()).copied().collect()
}

/// Checks the addresses of a network's deployments, in the order of the catalogue.
async fn addresses(
    context: &Context,
    network: &Arc<Network>,
    rows: &[Deployment],
    answered: &BTreeMap<(u64, Address), Option<Arc<str>>>,
) -> Vec<CheckedAddress> {
    let rows = || rows.iter().filter(|row| row.chain_id == network.chain_id);
    let all: Vec<Address> = rows().flat_map(listed).collect::<BTreeSet<_>>().into_iter().collect();
    let reads = all.iter().map(|address| Read { kind: Kind::CodeSize, ..Read::call(*address, Vec::new()) });
    let codes: Vec<Result<U256, String>> = match context.session(network) {
        Ok(session) => session.read(reads.collect()).await.into_iter().map(|reply| code(reply.outcome)).collect(),
        Err(failure) => all.iter().map(|_| Err(failure.to_string())).collect(),
    };
    let codes: BTreeMap<Address, Result<U256, String>> = all.into_iter().zip(codes).collect();
    let checked = |row: &Deployment, address: Address| CheckedAddress {
        protocol: row.protocol.clone(),
        network: Arc::clone(network),
        market: row.market.clone(),
        address,
        code: codes.get(&address).cloned().unwrap_or_else(|| Err("it was not read".to_owned())),
        answered: answered.get(&(network.chain_id, address)).cloned(),
    };
    rows()
        .flat_map(|row| listed(row).into_iter().map(move |address| checked(row, address)).collect::<Vec<_>>())
        .collect()
}

fn code(outcome: Outcome) -> Result<U256, String> {
    match outcome {
        Outcome::Ok(word) => Ok(U256::try_from_be_slice(&word).unwrap_or(U256::MAX)),
        Outcome::NoCode => Ok(U256::ZERO),
        Outcome::Failed(failure) => Err(failure.to_string()),
        other => Err(format!("{other:?}")),
    }
}
