//! Rows of an account, passed on as the jobs that found them end.
//!
//! Invariant: once all jobs have ended, the rows are those that an answer at the same blocks has.

use std::collections::BTreeMap;

use crate::gateway::context::Context;
use crate::gateway::missing;
use crate::gateway::plan::Plans;
use crate::gateway::problem::Problem;
use crate::gateway::rows::RowKind;
use crate::gateway::work::protocols::{AccountRows, FoundRows, JobRows, jobs, rows_of_jobs, with_natives};
use crate::jobs::plan::{JobPlan, Question};
use portolan_reader::Effort;

/// Runs the jobs of an account, and passes on the rows of each once it has ended; `kind` chooses the rows by the job.
///
/// # Errors
/// Returns a problem if everything failed.
pub(in crate::gateway) async fn rows_by_job(
    context: &Context,
    plans: &Plans,
    kind: impl Fn(&JobPlan) -> RowKind,
    simulating: Option<Effort>,
    pass_on: impl Fn(&JobRows),
) -> Result<AccountRows, Problem> {
    let account = plans.jobs.first().map(|plan| plan.account).unwrap_or_default();
    let run = async |plans| run(context, plans, &kind, simulating, &pass_on).await;
    let running = run(jobs(context, plans, account).collect());
    let mut found = with_natives(context, plans, &[account], simulating, running).await;
    let reopened = context.reopen_lost(context.networks().iter()).await;
    let (stale, fresh): (Vec<_>, Vec<_>) = found.jobs.into_iter().partition(|job| job.basis.is_stale(&reopened));
    found.jobs = fresh;
    if !stale.is_empty() {
        let again = run(stale.into_iter().map(|job| job.plan).collect()).await;
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
    (&plan.protocol.slug, plan.network.chain_id, plan.question.of_account())
}

async fn run(
    context: &Context,
    plans: Vec<JobPlan>,
    kind: &impl Fn(&JobPlan) -> RowKind,
    simulating: Option<Effort>,
    pass_on: &impl Fn(&JobRows),
) -> FoundRows {
    let each = async |ran| {
        let found = rows_of_jobs(context, ran, kind, simulating).await;
        found.jobs.iter().for_each(pass_on);
        found
    };
    let mut all = FoundRows::default();
    for found in context.run_in_groups(plans, each).await {
        all.jobs.extend(found.jobs);
        all.without_composition.extend(found.without_composition);
    }
    all
}
