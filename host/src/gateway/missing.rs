//! Lists what is missing from an answer, and chooses the problem to send if nothing is left.

use portolan_assets::resolve::TokenFailure;
use portolan_base::network::Networks;
use portolan_base::sanitize;
use portolan_reader::Pins;

use crate::gateway::answer::MissingEntry;
use crate::gateway::problem::{FailedJob, Problem};
use crate::jobs::failure::Reason;
use crate::jobs::report::{JobReport, JobStatus};

/// Maximum number of jobs named in a problem's detail.
const PROBLEM_JOBS_NAMED: usize = 8;
/// Maximum number of jobs listed in a problem with `detail=full`.
const PROBLEM_JOBS_MAX: usize = 64;
/// Maximum characters of each listed job's detail.
const PROBLEM_DETAIL_CHARS_MAX: usize = 1_000;

impl From<TokenFailure> for Reason {
    fn from(failure: TokenFailure) -> Self {
        match failure {
            TokenFailure::Unread(failure) => failure.into(),
            TokenFailure::NoDecimals => Self::Upstream,
        }
    }
}

/// Lists what is missing, in the order of networks: `*` if everything of a network is, otherwise each subject.
pub(super) fn missing(networks: &Networks, pins: &Pins, jobs: &[JobReport]) -> Vec<MissingEntry> {
    let mut missing = Vec::new();
    for network in networks.iter() {
        let entry = |subject: &str, reason: Reason, count: Option<usize>| {
            let network = Some(network.clone());
            MissingEntry { subject: subject.to_owned(), network, reason, count }
        };
        if let Some(Err(failure)) = pins.get(&network.chain_id) {
            missing.push(entry("*", Reason::from(*failure), None));
            continue;
        }
        let own = jobs.iter().filter(|job| job.network.chain_id == network.chain_id);
        if let Some(reason) = failed_network(own.clone()) {
            missing.push(entry("*", reason, None));
            continue;
        }
        let mut of_jobs: Vec<MissingEntry> = own.flat_map(|job| missing_of(job, entry)).collect();
        of_jobs.sort_by(|one, other| one.subject.cmp(&other.subject));
        missing.extend(of_jobs);
    }
    missing
}

/// Returns the missing parts of one job: a token count for each reason, or one entry for each reason without a count.
fn missing_of(job: &JobReport, entry: impl Fn(&str, Reason, Option<usize>) -> MissingEntry) -> Vec<MissingEntry> {
    if job.missing_tokens.is_empty() {
        return job.reasons().map(|reason| entry(&job.subject, reason, None)).collect();
    }
    job.missing_tokens.iter().map(|(reason, count)| entry(&job.subject, *reason, Some(*count))).collect()
}

/// Returns the reason if every job on the network failed for the same one; then the network is at fault.
fn failed_network<'a>(jobs: impl Iterator<Item = &'a JobReport>) -> Option<Reason> {
    let failed = |job: &JobReport| match job.reason? {
        reason @ (Reason::Timeout | Reason::Upstream) if job.status == JobStatus::Failed => Some(reason),
        _ => None,
    };
    let mut reasons = jobs.map(failed);
    let first = reasons.next()??;
    reasons.all(|reason| reason == Some(first)).then_some(first)
}

/// Checks that at least one job succeeded, if there are any.
///
/// # Errors
/// Returns the problem to send if all jobs failed.
pub(super) fn check(jobs: &[JobReport]) -> Result<(), Problem> {
    if jobs.is_empty() || jobs.iter().any(|job| job.status != JobStatus::Failed) {
        return Ok(());
    }
    Err(problem(jobs))
}

/// Builds the problem to send if these jobs are all there is, and all of them failed.
pub(super) fn problem(jobs: &[JobReport]) -> Problem {
    let named = jobs
        .iter()
        .take(PROBLEM_JOBS_NAMED)
        .map(|job| format!("{}/{}: {}", job.subject, job.network.slug, job.reason.map_or("failed", Reason::as_str)));
    let sentence = format!("everything that was requested failed: {}", named.collect::<Vec<_>>().join(", "));
    let any = |reason| jobs.iter().any(|job| job.reason == Some(reason));
    let all = |reasons: &[Reason]| jobs.iter().all(|job| job.reason.is_some_and(|reason| reasons.contains(&reason)));
    let problem = if any(Reason::Timeout) {
        Problem::Deadline(sentence)
    } else if all(&[Reason::OverBudget]) {
        Problem::OverBudget(sentence)
    } else if all(&[Reason::NotConfigured]) {
        Problem::NetworkNotConfigured(sentence)
    } else if all(&[Reason::Rejected, Reason::Quarantined, Reason::Disabled, Reason::NotAllowed, Reason::NotConfigured])
    {
        Problem::ProtocolUnavailable(sentence)
    } else if all(&[Reason::UnknownBlock]) {
        Problem::UnknownBlock(sentence)
    } else if all(&[Reason::UnknownBlock, Reason::NoState]) {
        Problem::StateUnavailable(sentence)
    } else {
        Problem::Upstream(sentence)
    };
    Problem::OfJobs { problem: Box::new(problem), jobs: jobs.iter().take(PROBLEM_JOBS_MAX).map(failed_job).collect() }
}

fn failed_job(job: &JobReport) -> FailedJob {
    FailedJob {
        protocol: job.subject.clone(),
        network: job.network.slug.clone(),
        reason: job.reason.map_or("failed", Reason::as_str),
        detail: sanitize::shorten(&job.words(), PROBLEM_DETAIL_CHARS_MAX),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use portolan_base::network::Network;

    use super::*;
    use crate::jobs::failure::Failure;

    const MAINNET: u64 = 1;

    fn network() -> Arc<Network> {
        Arc::clone(Networks::new([]).with_chain_id(MAINNET).unwrap())
    }

    /// A report of `acme` with one sentence about what is not covered.
    fn not_covered() -> JobReport {
        let not_covered = vec!["the first locker holds a stake".to_owned()];
        JobReport { status: JobStatus::Partial, not_covered, ..JobReport::blank("acme", &network()) }
    }

    fn reasons(job: JobReport) -> Vec<&'static str> {
        let missing = missing(&Networks::new([]), &Pins::new(), &[job]);
        missing.iter().map(|missing| missing.reason.as_str()).collect()
    }

    #[test]
    fn what_is_not_covered_stands_beside_what_else_is_missing() {
        assert_eq!(reasons(not_covered()), ["not-covered"]);
        let mut job = not_covered();
        job.mark_partial(Reason::Upstream, "a read failed");
        assert_eq!(reasons(job.clone()), ["upstream", "not-covered"]);
        assert_eq!(job.words(), "a read failed; the first locker holds a stake");
    }

    #[test]
    fn an_answer_with_nothing_but_what_is_not_covered_is_no_problem() {
        assert!(check(&[not_covered(), not_covered()]).is_ok());
        let failed = not_covered().failed(Failure::new(Reason::Upstream, "no endpoint answered"));
        assert!(check(&[not_covered(), failed.clone()]).is_ok());
        let Err(Problem::OfJobs { jobs, .. }) = check(&[failed]) else { panic!("a failed job is a problem") };
        assert_eq!(
            (jobs[0].reason, jobs[0].detail.as_str()),
            ("upstream", "no endpoint answered; the first locker holds a stake")
        );
    }

    #[test]
    fn reports_of_one_protocol_tell_each_sentence_once() {
        let mut reports = vec![JobReport::blank("acme", &network())];
        not_covered().add_to(&mut reports);
        not_covered().add_to(&mut reports);
        let told: Vec<_> = reports.iter().map(|report| (report.status, report.not_covered.len())).collect();
        assert_eq!(told, [(JobStatus::Partial, 1)]);
    }
}
