//! Checks the deployments of all plugins against the chains: which addresses have code and reply, and which questions
//! are answered.
//!
//! Invariant: an address counts as replying only if a job got a reply from it, at the pinned block or as a cached
//! fact. A failed read is never a negative result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use futures_util::future::join_all;
use portolan_abi::map::Deployment;
use portolan_base::network::{Network, Networks};
use portolan_reader::{Kind, Outcome, Read};

use crate::gateway::Gateway;
use crate::gateway::context::Context;
use crate::gateway::plan;
use crate::gateway::query::{AnswerOptions, Filter};
use crate::gateway::work::protocols::ValidatedJob;
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
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
    pub(crate) question: &'static str,
    pub(crate) report: JobReport,
}

impl CheckedAddress {
    /// Returns true if it has code. A reply is not required, because jobs need not read it for every account.
    pub(crate) fn is_sound(&self) -> bool {
        self.code.as_ref().is_ok_and(|bytes| !bytes.is_zero())
    }
}

impl DeploymentCheck {
    /// Returns true if every address has code, and every question was answered completely.
    pub(crate) fn is_sound(&self) -> bool {
        self.addresses.iter().all(CheckedAddress::is_sound) && self.jobs.iter().all(CheckedJob::is_complete)
    }
}

impl CheckedJob {
    /// Returns true if nothing failed. Something that the plugin does not cover is not a fault of a deployment.
    pub(crate) fn is_complete(&self) -> bool {
        self.report.reason.is_none()
    }
}

impl Gateway {
    /// Checks all deployments on networks with an endpoint: their code, and all questions about an account.
    pub(crate) async fn check_deployments(&self, account: Address) -> DeploymentCheck {
        let limits = self.limits;
        let client = ClientShare::new(None);
        let options = AnswerOptions { is_traced: true, ..AnswerOptions::default() };
        let context = self.context_within(options.clone(), limits, &client);
        let networks = context.networks().filtered(|chain_id| context.sources.with_endpoint.contains(&chain_id));
        let mut check = DeploymentCheck::default();
        let rows: Vec<Deployment> = context.snapshot.iter().flat_map(|served| served.deployments()).cloned().collect();
        let elsewhere = rows.iter().map(|row| row.chain_id);
        let elsewhere = elsewhere.filter(|chain_id| networks.with_chain_id(*chain_id).is_none());
        let slug = |chain_id: u64| {
            let known = context.networks().with_chain_id(chain_id);
            known.map_or_else(|| chain_id.to_string(), |network| network.slug.clone())
        };
        check.not_checked = elsewhere.collect::<BTreeSet<u64>>().into_iter().map(slug).collect();

        let mut plans = plans(&context, &networks, account);
        let mut answered: BTreeMap<(u64, Address), Option<Arc<str>>> = BTreeMap::new();
        for left in (0..TRIES).rev() {
            let context = self.context_within(options.clone(), limits, &client);
            context.open(networks.iter()).await;
            let ran = context.run(std::mem::take(&mut plans)).await;
            for job in ran.into_iter().map(ValidatedJob::validate) {
                let chain_id = job.plan.network.chain_id;
                for (contract, function) in job.trace.iter().flat_map(|trace| trace.answered()) {
                    answered.entry((chain_id, *contract)).or_insert_with(|| function.clone());
                }
                if job.report.reason.is_none() || left == 0 {
                    let question = job.plan.question.number().name();
                    check.jobs.push(CheckedJob { question, report: job.report });
                } else {
                    plans.push(job.plan);
                }
            }
            if plans.is_empty() {
                break;
            }
        }
        let place = |job: &CheckedJob| {
            let report = &job.report;
            let of_job = |question: &Question| JobQuestion::Account(*question).number().name() == job.question;
            let question = QUESTIONS.iter().position(of_job);
            (networks.position(report.network.chain_id), report.subject.clone(), question)
        };
        check.jobs.sort_by_cached_key(place);
        let context = self.context_within(options, limits, &client);
        context.open(networks.iter()).await;
        let checking = networks.iter().map(|network| addresses(&context, network, &rows, &answered));
        check.addresses = join_all(checking).await.into_iter().flatten().collect();
        check
    }
}

/// Plans the jobs of all questions on these networks.
fn plans(context: &Context, networks: &Networks, account: Address) -> Vec<JobPlan> {
    // This cannot fail: only a filter that names a protocol can be invalid.
    let plans = plan::for_all(&context.snapshot, networks, &Filter::All, &QUESTIONS, account);
    let mut plans = plans.unwrap_or_default();
    plans.jobs.iter_mut().for_each(|plan| plan.is_traced = true);
    plans.jobs
}

/// Checks the addresses of a network's deployments, in the order of the catalogue.
async fn addresses(
    context: &Context,
    network: &Arc<Network>,
    rows: &[Deployment],
    answered: &BTreeMap<(u64, Address), Option<Arc<str>>>,
) -> Vec<CheckedAddress> {
    let rows = || rows.iter().filter(|row| row.chain_id == network.chain_id);
    let listed = |row: &Deployment| -> BTreeSet<Address> {
        row.contracts.iter().chain(row.tokens.iter().flatten()).copied().collect()
    };
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
