//! What an answer says of itself: what each job did, what is missing, and when nothing is left to answer.

use crate::gateway::answer::{Items, JobReport, JobStatus, Missing};
use crate::gateway::problem::Problem;
use crate::gateway::rows::Enriched;
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::job::JobOutcome;
use crate::jobs::plan::{JobPlan, Question};
use crate::network::Networks;
use portolan_reader::Pins;

/// The report of a job that ran; `found` tells whether anything of it stays in the answer.
pub(crate) fn of(plan: &JobPlan, outcome: &JobOutcome, found: bool) -> JobReport {
    let status = match &outcome.failure {
        None => JobStatus::Ok,
        Some(_) if outcome.ended || found => JobStatus::Partial,
        Some(_) => JobStatus::Failed,
    };
    JobReport {
        status,
        reason: outcome.failure.as_ref().map(|failure| failure.reason),
        detail: outcome.failure.as_ref().map(|failure| failure.detail.clone()).unwrap_or_default(),
        duration_ms: outcome.duration_ms,
        waves: outcome.waves,
        reads: outcome.reads,
        ..blank(plan)
    }
}

/// The report of a job whose network has no pinned block.
pub(crate) fn without_block(plan: &JobPlan, failure: &Failure) -> JobReport {
    JobReport { status: JobStatus::Failed, reason: Some(failure.reason), detail: failure.detail.clone(), ..blank(plan) }
}

fn blank(plan: &JobPlan) -> JobReport {
    JobReport::blank(plan.subject(), &plan.network)
}

/// Notes that a part of a job's findings is not in the answer. The first reason stands.
pub(crate) fn lose(report: &mut JobReport, reason: Reason, detail: &str) {
    if report.status == JobStatus::Ok {
        report.status = JobStatus::Partial;
    }
    report.reason.get_or_insert(reason);
    if report.detail.contains(detail) {
        return;
    }
    if !report.detail.is_empty() {
        report.detail.push_str("; ");
    }
    report.detail.push_str(detail);
}

/// Adds what a further job of a protocol lost on a network to the report of its first one there.
pub(crate) fn add(reports: &mut Vec<JobReport>, further: JobReport) {
    let is_same = |report: &&mut JobReport| {
        report.protocol == further.protocol && report.network.chain_id == further.network.chain_id
    };
    match (reports.iter_mut().find(is_same), further.reason) {
        (Some(report), Some(reason)) => lose(report, reason, &further.detail),
        (Some(_), None) => {}
        (None, _) => reports.push(further),
    }
}

/// All that could not be told: `*` for a network that told nothing, else the protocol; in the order of networks.
pub(crate) fn missing(networks: &Networks, pins: &Pins, jobs: &[JobReport]) -> Vec<Missing> {
    let mut missing = Vec::new();
    for network in networks.iter() {
        let entry = |subject: &str, reason: Reason, count: Option<usize>| {
            let network = Some(network.clone());
            Missing { subject: subject.to_owned(), network, reason, count }
        };
        if let Some(Err(failure)) = pins.get(&network.chain_id) {
            missing.push(entry("*", Reason::from(*failure), None));
            continue;
        }
        let own = jobs.iter().filter(|job| job.network.chain_id == network.chain_id);
        if let Some(reason) = all_lost(own.clone()) {
            missing.push(entry("*", reason, None));
            continue;
        }
        let mut lost: Vec<Missing> = own.flat_map(|job| lost(job, entry)).collect();
        lost.sort_by(|one, other| one.subject.cmp(&other.subject));
        missing.extend(lost);
    }
    missing
}

/// What a job did not tell: so many tokens for each reason, or something that has no number.
fn lost(job: &JobReport, entry: impl Fn(&str, Reason, Option<usize>) -> Missing) -> Vec<Missing> {
    if job.lost.is_empty() {
        return job.reason.iter().map(|reason| entry(&job.protocol, *reason, None)).collect();
    }
    job.lost.iter().map(|(reason, count)| entry(&job.protocol, *reason, Some(*count))).collect()
}

/// The network's reason, where it took every job of it: then it is not about the protocols.
fn all_lost<'a>(jobs: impl Iterator<Item = &'a JobReport>) -> Option<Reason> {
    let lost = |job: &JobReport| match job.reason? {
        reason @ (Reason::Timeout | Reason::Upstream) if job.status == JobStatus::Failed => Some(reason),
        _ => None,
    };
    let mut reasons = jobs.map(lost);
    let first = reasons.next()??;
    reasons.all(|reason| reason == Some(first)).then_some(first)
}

/// The problem to answer with where everything that was asked for failed.
pub(crate) fn all_failed(jobs: &[JobReport]) -> Option<Problem> {
    if jobs.is_empty() || jobs.iter().any(|job| job.status != JobStatus::Failed) {
        return None;
    }
    let told = jobs
        .iter()
        .take(PROBLEM_JOBS_TOLD)
        .map(|job| format!("{}/{}: {}", job.protocol, job.network.slug, job.reason.map_or("failed", Reason::as_str)));
    let detail = format!("everything that was asked for failed: {}", told.collect::<Vec<_>>().join(", "));
    let any = |reason| jobs.iter().any(|job| job.reason == Some(reason));
    let all = |reasons: &[Reason]| jobs.iter().all(|job| job.reason.is_some_and(|reason| reasons.contains(&reason)));
    Some(if any(Reason::Timeout) {
        Problem::Deadline(detail)
    } else if all(&[Reason::NotConfigured]) {
        Problem::NetworkNotConfigured(detail)
    } else if all(&[Reason::Quarantined, Reason::Disabled]) {
        Problem::ProtocolUnavailable(detail)
    } else {
        Problem::Upstream(detail)
    })
}

/// Jobs named in a problem's detail.
const PROBLEM_JOBS_TOLD: usize = 8;

/// The rows of a body, in the order of networks, protocol slugs and ids.
pub(crate) fn items(networks: &Networks, mut rows: Vec<Enriched>, question: Question, aggregate: bool) -> Items {
    rows.sort_by_cached_key(|enriched| {
        let row = enriched.row();
        (networks.position(row.network.chain_id), row.protocol.slug.clone(), row.id.clone())
    });
    let (mut claimables, mut farming, mut lending) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match row {
            Enriched::Claimable(row) => claimables.push(row),
            Enriched::Farming(row) => farming.push(row),
            Enriched::Lending(row) => lending.push(row),
        }
    }
    match question {
        Question::Claimables if aggregate => Items::AllClaimables(claimables),
        Question::Claimables => Items::Claimables(claimables),
        Question::Farming => Items::Farming(farming),
        Question::Lending => Items::Lending(lending),
    }
}
