//! Runs jobs of protocols about accounts, and makes rows of what they find.
//!
//! Invariant: a row whose tokens could not be read is left out and reported, never shown in part.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use futures_util::future::join_all;
use portolan_abi::map::Claimable;
use portolan_assets::resolve::{TokenFailure, Tokens};
use portolan_assets::token::NATIVE;
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;

use crate::gateway::answer::Row;
use crate::gateway::claims::planned_claim::PlannedClaim;
use crate::gateway::claims::verdict::Verdict;
use crate::gateway::context::Context;
use crate::gateway::plan::Plans;
use crate::gateway::problem::Problem;
use crate::gateway::provenance::Provenance;
use crate::gateway::rows::{ClaimEvaluation, RowKind};
use crate::gateway::work::fees;
use crate::gateway::work::simulation;
use crate::gateway::{missing, rows};
use crate::jobs::failure::Reason;
use crate::jobs::job::{JobBasis, JobOutcome, ReadTrace};
use crate::jobs::plan::JobPlan;
use crate::jobs::report::{JobReport, JobStatus};
use crate::jobs::validate;
use portolan_reader::{Effort, Pins};
use portolan_validation::ValidFinding;

/// Number of jobs that are validated before other tasks of the runtime have a turn.
const VALIDATED_TOGETHER: usize = 256;

/// Sorted rows of one account, and the reports of its jobs.
#[derive(Default)]
pub(in crate::gateway) struct AccountRows {
    pub(in crate::gateway) rows: Vec<Row>,
    pub(in crate::gateway) reports: Vec<JobReport>,
}

/// Runs jobs about one account and makes sorted rows of their findings; `kind` chooses the rows by the job.
///
/// # Errors
/// Returns a problem if everything failed.
pub(in crate::gateway) async fn rows_of(
    context: &Context,
    plans: &Plans,
    kind: impl Fn(&JobPlan) -> RowKind,
    simulating: Option<Effort>,
) -> Result<(Vec<Row>, Vec<JobReport>), Problem> {
    let account = plans.jobs.first().map(|plan| plan.account).unwrap_or_default();
    let only = rows_of_each(context, &[account], plans, kind, simulating).await.pop();
    let AccountRows { rows, reports } = only.unwrap_or_default();
    missing::check(&reports)?;
    Ok((rows, reports))
}

/// Runs the same jobs about each of these accounts, and returns the rows of each, in order. The reads of all of them
/// share batches.
pub(in crate::gateway) async fn rows_of_each(
    context: &Context,
    accounts: &[Address],
    plans: &Plans,
    kind: impl Fn(&JobPlan) -> RowKind,
    simulating: Option<Effort>,
) -> Vec<AccountRows> {
    let jobs: Vec<JobPlan> = accounts.iter().flat_map(|account| jobs(context, plans, *account)).collect();
    let ran = with_natives(context, plans, accounts, simulating, context.run(jobs)).await;
    let found = rows_of_jobs(context, ran, kind, simulating).await;
    found.of_accounts(context, accounts, plans)
}

/// Returns the jobs about an account.
pub(in crate::gateway) fn jobs<'a>(
    context: &Context,
    plans: &'a Plans,
    account: Address,
) -> impl Iterator<Item = JobPlan> + use<'a> {
    let is_traced = context.options.is_traced;
    plans.jobs.iter().map(move |plan| JobPlan { account, is_traced: is_traced || plan.is_traced, ..plan.clone() })
}

/// Runs jobs, and reads meanwhile what simulations of claims need.
pub(in crate::gateway) async fn with_natives<T>(
    context: &Context,
    plans: &Plans,
    accounts: &[Address],
    simulating: Option<Effort>,
    running: impl Future<Output = T>,
) -> T {
    match simulating {
        Some(_) => {
            // Begins the jobs first, so that the senders' state is read with their first batch.
            let reading = read_natives(context, networks(&plans.jobs), accounts);
            tokio::join!(running, reading).0
        }
        None => running.await,
    }
}

/// Rows of jobs that ran together.
#[derive(Default)]
pub(in crate::gateway) struct FoundRows {
    pub(in crate::gateway) jobs: Vec<JobRows>,
    /// Reports of jobs whose failure left a composition unknown.
    pub(in crate::gateway) without_composition: Vec<JobReport>,
}

/// Makes rows of what jobs found.
pub(in crate::gateway) async fn rows_of_jobs(
    context: &Context,
    ran: Vec<(JobPlan, JobOutcome)>,
    kind: impl Fn(&JobPlan) -> RowKind,
    simulating: Option<Effort>,
) -> FoundRows {
    let found = validated(ran).await;
    let ((tokens, without_composition), evaluations) =
        tokio::join!(tokens(context, &found), evaluate_claims(context, &found, simulating));
    let sources = context.options.is_traced.then(|| context.pins());
    FoundRows { jobs: rows(found, evaluations, kind, &tokens, sources.as_ref()), without_composition }
}

impl FoundRows {
    /// Sorts the rows of each account, and adds the reports of what no job could read.
    pub(in crate::gateway) fn of_accounts(
        self,
        context: &Context,
        accounts: &[Address],
        plans: &Plans,
    ) -> Vec<AccountRows> {
        let mut of_accounts: BTreeMap<Address, AccountRows> = BTreeMap::new();
        let mut with_tokens: BTreeSet<(Address, u64)> = BTreeSet::new();
        for job in self.jobs {
            if job.has_findings {
                with_tokens.insert((job.plan.account, job.report.network.chain_id));
            }
            let own = of_accounts.entry(job.plan.account).or_default();
            own.rows.extend(job.rows);
            own.reports.push(job.report);
        }
        let finish = |account: &Address| {
            let AccountRows { mut rows, mut reports } = of_accounts.remove(account).unwrap_or_default();
            let is_own = |report: &&JobReport| with_tokens.contains(&(*account, report.network.chain_id));
            let further = self.without_composition.iter().filter(is_own).chain(&plans.unavailable);
            further.for_each(|report| report.clone().add_to(&mut reports));
            rows::sort(context.networks(), &mut rows);
            AccountRows { rows, reports }
        };
        accounts.iter().map(finish).collect()
    }
}

/// Validates the findings of jobs; between some of them, other tasks of the runtime have a turn.
async fn validated(ran: Vec<(JobPlan, JobOutcome)>) -> Vec<ValidatedJob> {
    let mut found = Vec::with_capacity(ran.len());
    for one in ran {
        found.push(ValidatedJob::validate(one));
        if found.len().is_multiple_of(VALIDATED_TOGETHER) {
            tokio::task::yield_now().await;
        }
    }
    found
}

/// Reads the native tokens' prices, which claim costs need, while the jobs run, and the senders' state with the jobs'
/// next batch.
async fn read_natives(context: &Context, networks: Vec<Arc<Network>>, accounts: &[Address]) {
    let natives = BTreeSet::from([NATIVE]);
    let reading = networks.into_iter().map(async |network| {
        tokio::join!(context.tokens(&network, &natives), simulation::read_senders(context, &network, accounts))
    });
    join_all(reading).await;
}

fn networks(plans: &[JobPlan]) -> Vec<Arc<Network>> {
    let by_chain_id: BTreeMap<u64, &Arc<Network>> =
        plans.iter().map(|plan| (plan.network.chain_id, &plan.network)).collect();
    by_chain_id.into_values().cloned().collect()
}

/// Validated findings of a job.
pub(in crate::gateway) struct ValidatedJob {
    pub(in crate::gateway) plan: JobPlan,
    pub(in crate::gateway) findings: Vec<ValidFinding>,
    pub(in crate::gateway) report: JobReport,
    /// The job's reads, if they are traced.
    pub(in crate::gateway) trace: Option<ReadTrace>,
    basis: JobBasis,
}

impl ValidatedJob {
    pub(in crate::gateway) fn validate((plan, mut outcome): (JobPlan, JobOutcome)) -> Self {
        let findings = std::mem::take(&mut outcome.findings);
        let validated = validate::validate_findings(&plan, findings, &outcome.addresses, &outcome.claim_reads);
        let mut report = JobReport::of(&plan, &outcome, !validated.findings.is_empty());
        report.mark_rejected(&plan, &validated.rejections);
        if validated.nothing_left() {
            report.status = JobStatus::Failed;
        }
        report.record(&plan);
        Self { plan, findings: validated.findings, report, trace: outcome.trace, basis: outcome.basis }
    }
}

/// Reads the tokens of all findings by chain id, with the reports of jobs whose failure left a composition unknown.
async fn tokens(context: &Context, found: &[ValidatedJob]) -> (BTreeMap<u64, Tokens>, Vec<JobReport>) {
    let mut wanted: BTreeMap<u64, BTreeSet<Address>> = BTreeMap::new();
    for ValidatedJob { plan, findings, .. } in found {
        wanted.entry(plan.network.chain_id).or_default().extend(findings.iter().flat_map(rows::tokens));
    }
    let networks = context.networks().iter();
    let reading = networks.filter_map(|network| Some((network, wanted.get(&network.chain_id)?)));
    let reading = reading.map(async |(network, wanted)| (network.chain_id, context.tokens(network, wanted).await));
    let (mut tokens, mut reports) = (BTreeMap::new(), Vec::new());
    for (chain_id, (of_network, by_plugins)) in join_all(reading).await {
        tokens.insert(chain_id, of_network);
        reports.extend(by_plugins);
    }
    (tokens, reports)
}

/// Simulates all claims and reads their costs; one result per claim, in order.
pub(in crate::gateway) async fn evaluate_claims(
    context: &Context,
    found: &[ValidatedJob],
    simulating: Option<Effort>,
) -> Vec<ClaimEvaluation> {
    let claims = found.iter().flat_map(|ValidatedJob { plan, findings, .. }| {
        findings.iter().filter_map(|finding| match finding {
            ValidFinding::Claim(found, transactions) => {
                Some(PlannedClaim { plugin: plan.instance.name(), network: &plan.network, found, transactions })
            }
            ValidFinding::Position(_) => None,
        })
    });
    let claims: Vec<PlannedClaim<'_>> = claims.collect();
    let Some(effort) = simulating else { return vec![ClaimEvaluation::default(); claims.len()] };
    let mut by_network: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, claim) in claims.iter().enumerate().filter(|(_, claim)| !claim.transactions.is_empty()) {
        by_network.entry(claim.network.chain_id).or_default().push(place);
    }
    let evaluating = by_network.into_values().map(async |places| {
        let own: Vec<&PlannedClaim<'_>> = places.iter().map(|place| &claims[*place]).collect();
        let (simulated, fees) = tokio::join!(simulation::simulate(context, &own, effort), fees::fees(context, &own));
        let evaluations = own.into_iter().zip(simulated).zip(fees);
        let evaluations = evaluations.map(|((claim, simulation), fees)| ClaimEvaluation::new(claim, simulation, fees));
        (places, evaluations.collect::<Vec<_>>())
    });
    let mut evaluations = vec![ClaimEvaluation::default(); claims.len()];
    for (places, of_network) in join_all(evaluating).await {
        places.into_iter().zip(of_network).for_each(|(place, own)| evaluations[place] = own);
    }
    evaluations
}

/// Records a claim that does not do what it states, for the author of its plugin.
fn record_simulation(plan: &JobPlan, claim: &Claimable, evaluation: &ClaimEvaluation) {
    let Some(simulation) = &evaluation.simulation else { return };
    let Some(verdict) = simulation.verdict.filter(|verdict| *verdict != Verdict::Paid) else { return };
    let differs: Vec<&str> = simulation.differs.iter().map(Text::as_str).collect();
    let mend = match verdict {
        Verdict::Differs => " Report what the claim pays.",
        Verdict::Paid | Verdict::Revoked | Verdict::Reverted | Verdict::Refused => "",
    };
    let detail = format!("claim of {:#x} ({}): {}{mend}", claim.contract, claim.market, differs.join(" "));
    record_failure(plan, verdict.as_str(), &detail);
}

/// Records what is wrong with a finding, for the author of its plugin.
fn record_failure(plan: &JobPlan, reason: &'static str, detail: &str) {
    let (plugin, network) = (plan.instance.name(), plan.network.slug.as_str());
    plan.instance.failures.note(plugin, plan.subject(), network, reason, detail);
}

/// Rows of one job.
#[derive(Clone)]
pub(in crate::gateway) struct JobRows {
    pub(in crate::gateway) plan: JobPlan,
    pub(in crate::gateway) rows: Vec<Row>,
    pub(in crate::gateway) report: JobReport,
    pub(in crate::gateway) has_findings: bool,
    pub(in crate::gateway) basis: JobBasis,
    /// Contracts that replied, if reads are traced.
    pub(in crate::gateway) contracts: BTreeSet<Address>,
}

impl JobRows {
    /// Returns true if something is missing.
    pub(in crate::gateway) fn has_failed(&self) -> bool {
        self.report.reason.is_some()
    }
}

/// Makes the rows, with the sources of their amounts at these blocks if they are wanted.
fn rows(
    found: Vec<ValidatedJob>,
    evaluations: Vec<ClaimEvaluation>,
    kind: impl Fn(&JobPlan) -> RowKind,
    tokens: &BTreeMap<u64, Tokens>,
    sources: Option<&Pins>,
) -> Vec<JobRows> {
    let mut evaluations = evaluations.into_iter();
    let of_job = |ValidatedJob { plan, findings, mut report, trace, basis }| {
        let (mut rows, has_findings) = (Vec::new(), !findings.is_empty());
        let block = sources.and_then(|pins| pins.get(&plan.network.chain_id)?.ok());
        let index = trace.as_ref().zip(block).map(|(trace, block)| (trace.index(plan.account), block));
        for finding in findings {
            let evaluation = match &finding {
                ValidFinding::Claim(claim, _) => {
                    let evaluation = evaluations.next().unwrap_or_default();
                    record_simulation(&plan, claim, &evaluation);
                    evaluation
                }
                ValidFinding::Position(_) => ClaimEvaluation::default(),
            };
            let Some(tokens) = tokens.get(&plan.network.chain_id) else { continue };
            let provenance = index.as_ref().map(|(index, block)| Provenance::of(&plan, &finding, index, *block));
            let provenance = provenance.map(Arc::new);
            let (of_finding, missing) = rows::rows(&plan, finding, evaluation, kind(&plan), tokens);
            rows.extend(of_finding.into_iter().map(|row| Row { provenance: provenance.clone(), ..row }));
            for (token, failure) in missing {
                let detail = format!("token {token:#x}: {failure}");
                if failure == TokenFailure::NoDecimals {
                    record_failure(&plan, Reason::from(failure).as_str(), &detail);
                }
                report.mark_partial(failure.into(), &detail);
            }
        }
        let contracts = trace.iter().flat_map(ReadTrace::answered).map(|(contract, _)| *contract).collect();
        JobRows { plan, rows, report, has_findings, basis, contracts }
    };
    found.into_iter().map(of_job).collect()
}
