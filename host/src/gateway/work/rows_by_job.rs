//! Rows of an account, passed on as the jobs that found them end.
//!
//! Invariant: once all jobs have ended, the rows are those that an answer at the same blocks has.

use std::collections::BTreeMap;

use crate::gateway::context::Context;
use crate::gateway::missing;
use crate::gateway::problem::Problem;
use crate::gateway::progress::{EndedJob, Progress};
use crate::gateway::work::account_rows::RowWork;
use crate::gateway::work::protocols::{AccountRows, FoundRows, JobRows, jobs, rows_of_jobs, with_natives};
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
use crate::jobs::report::JobReport;
use portolan_reader::Pins;

/// Runs the jobs of an account, and sends the rows of each once it has ended.
///
/// # Errors
/// Returns a problem if everything failed.
pub(in crate::gateway) async fn rows_by_job(
    context: &Context,
    work: &RowWork,
    progress: &Progress,
) -> Result<AccountRows, Problem> {
    let plans = &work.plans;
    let account = plans.jobs.first().map(|plan| plan.account).unwrap_or_default();
    for report in &plans.unavailable {
        progress.send(not_served(work, report));
    }
    let running = run(context, work, jobs(context, plans, account).collect(), progress);
    let mut found = with_natives(context, plans, &[account], work.simulating, running).await;
    let reopened = context.reopen_lost(context.networks().iter()).await;
    let (stale, fresh): (Vec<_>, Vec<_>) = found.jobs.into_iter().partition(|job| job.basis.is_stale(&reopened));
    found.jobs = fresh;
    if !stale.is_empty() {
        let again = run(context, work, stale.into_iter().map(|job| job.plan).collect(), progress).await;
        found.jobs.extend(again.jobs);
        found.without_composition.extend(again.without_composition);
    }
    let places: BTreeMap<JobKey<'_>, usize> = plans.jobs.iter().map(key).zip(0..).collect();
    found.jobs.sort_by_key(|job| places.get(&key(&job.plan)).copied());
    let only = found.of_accounts(context, &[account], plans).pop().unwrap_or_default();
    missing::check(&only.reports)?;
    Ok(only)
}

/// Protocol, chain id and question of a job.
type JobKey<'a> = (&'a str, u64, Option<Question>);

fn key(plan: &JobPlan) -> JobKey<'_> {
    (&plan.protocol.slug, plan.network.chain_id, question(plan))
}

async fn run(context: &Context, work: &RowWork, jobs: Vec<JobPlan>, progress: &Progress) -> FoundRows {
    let each = async |ran| {
        let found = rows_of_jobs(context, ran, |plan| work.list.kind(plan), work.simulating).await;
        let pins = context.pins();
        found.jobs.iter().for_each(|job| progress.send(ended(work, job, &pins)));
        found
    };
    let mut all = FoundRows::default();
    for found in context.run_in_groups(jobs, each).await {
        all.jobs.extend(found.jobs);
        all.without_composition.extend(found.without_composition);
    }
    all
}

fn ended(work: &RowWork, job: &JobRows, pins: &Pins) -> EndedJob {
    EndedJob {
        protocol: job.plan.protocol.slug.clone(),
        network: job.plan.network.clone(),
        question: question(&job.plan),
        block: pins.get(&job.plan.network.chain_id).copied().and_then(Result::ok),
        failure: job.report.reasons().next(),
        items: work.items(job.rows.clone()),
    }
}

fn not_served(work: &RowWork, report: &JobReport) -> EndedJob {
    EndedJob {
        protocol: report.subject.clone(),
        network: report.network.clone(),
        question: None,
        block: None,
        failure: report.reason,
        items: work.items(Vec::new()),
    }
}

fn question(plan: &JobPlan) -> Option<Question> {
    match plan.question {
        JobQuestion::Account(question) => Some(question),
        JobQuestion::Tokens(_) | JobQuestion::Transaction(_) => None,
    }
}
