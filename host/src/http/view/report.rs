//! The report of `detail=full`. Invariant: everything that is missing is among its jobs, even if no job began.

use std::borrow::Cow;
use std::cell::Cell;
use std::time::Duration;

use portolan_reader::{Block, Meter};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::header::ALL;
use super::parts::lower;
use crate::budget::AnswerBudget;
use crate::gateway::answer::{Answer, ClaimCount, Items, MissingEntry};
use crate::jobs::failure::Reason;
use crate::jobs::report::{JobReport, JobStatus};
use crate::jobs::stats::{JobStats, roughly_ms};

#[derive(Serialize)]
pub(super) struct Report<'a> {
    blocks: Blocks<'a>,
    jobs: Vec<JobReportView<'a>>,
    /// Set if the answer has a sum of claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<ClaimsView>,
    /// Last, so that it can count the bytes before it.
    budget: BudgetView<'a>,
}

impl<'a> Report<'a> {
    pub(super) fn of(answer: &'a Answer, written: &'a Cell<u64>) -> Self {
        let without_job = answer.missing.iter().filter(|missing| !has_job(missing, &answer.jobs));
        let jobs =
            answer.jobs.iter().map(JobReportView::of).chain(without_job.map(JobReportView::never_begun)).collect();
        let claims = claims(&answer.items).map(ClaimsView::of);
        Self { blocks: Blocks(answer), jobs, claims, budget: BudgetView { budget: &answer.budget, written } }
    }
}

/// Counts the claims in all sums of these items; `None` if there is no sum.
fn claims(items: &Items) -> Option<ClaimCount> {
    match items {
        Items::Portfolio(portfolio) => portfolio.claims(),
        Items::Accounts(answers) => {
            let counts = answers.iter().filter_map(|answer| claims(answer.items.as_ref()?));
            counts.reduce(|sum, one| ClaimCount { tried: sum.tried + one.tried, untried: sum.untried + one.untried })
        }
        _ => None,
    }
}

/// The basis of a sum of claims.
#[derive(Serialize)]
struct ClaimsView {
    tried: usize,
    untried: usize,
    /// A sentence about these numbers.
    detail: String,
}

impl ClaimsView {
    fn of(ClaimCount { tried, untried }: ClaimCount) -> Self {
        let detail = match (tried, untried) {
            (0, 0) => "there are no claims".to_owned(),
            (_, 0) => "claimable is what the claims paid when they were tried".to_owned(),
            (0, _) => "claimable is what the contracts report: no claim was tried".to_owned(),
            _ => format!(
                "claimable is what the contracts report for {untried} of the claims, and what the others paid when tried"
            ),
        };
        Self { tried, untried, detail }
    }
}

fn has_job(missing: &MissingEntry, jobs: &[JobReport]) -> bool {
    let chain_id = missing.network.as_ref().map(|network| network.chain_id);
    jobs.iter().any(|job| job.subject == missing.subject && Some(job.network.chain_id) == chain_id)
}

/// Serializes as an object by slug, in the order of networks.
struct Blocks<'a>(&'a Answer);

#[derive(Serialize)]
pub(super) struct BlockView {
    number: u64,
    hash: String,
    timestamp: u64,
}

impl BlockView {
    pub(super) fn of(block: &Block) -> Self {
        Self { number: block.number, hash: block.hash.to_string(), timestamp: block.timestamp }
    }
}

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let blocks = &self.0.blocks;
        let mut object = serializer.serialize_map(Some(blocks.len()))?;
        for (network, block) in blocks {
            object.serialize_entry(&network.slug, &BlockView::of(block))?;
        }
        object.end()
    }
}

/// Use of each of the answer's limits.
struct BudgetView<'a> {
    budget: &'a AnswerBudget,
    /// Bytes of the body so far.
    written: &'a Cell<u64>,
}

#[derive(Serialize)]
struct Share {
    used: u64,
    max: u64,
}

impl Serialize for BudgetView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AnswerBudget { limits, reads, outgoing, events, .. } = self.budget;
        let of = |meter: &Meter| Share { used: meter.used(), max: meter.max() };
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut object = serializer.serialize_map(Some(6))?;
        object.serialize_entry("reads", &of(reads.reads()))?;
        let requests = Share { used: reads.requests(), max: reads.requests_max() };
        object.serialize_entry("nodeRequests", &requests)?;
        object.serialize_entry("outgoingRequests", &of(outgoing.all()))?;
        object.serialize_entry("events", &of(events))?;
        object.serialize_entry("bytes", &Share { used: self.written.get(), max: limits.body_bytes_max })?;
        object
            .serialize_entry("timeMs", &Share { used: roughly_ms(ms(self.budget.elapsed())), max: ms(limits.time) })?;
        object.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobReportView<'a> {
    protocol: &'a str,
    network: &'a str,
    /// Set if the answer is about several accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    status: JobStatus,
    reason: Option<&'static str>,
    detail: Cow<'a, str>,
    /// Things that the plugin knows but does not read; `detail` names them too.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_covered: &'a [String],
    #[serde(flatten)]
    stats: JobStats,
    /// Off-chain documents that rows may be based on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    off_chain: Vec<OffChainView<'a>>,
    /// Listed addresses without code, where nobody can hold anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without_code: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OffChainView<'a> {
    host: &'a str,
    age_seconds: u32,
}

impl<'a> JobReportView<'a> {
    fn of(job: &'a JobReport) -> Self {
        let off_chain = job.off_chain.iter().map(|(host, age_s)| OffChainView { host, age_seconds: *age_s });
        Self {
            protocol: &job.subject,
            network: &job.network.slug,
            account: job.account.map(lower),
            status: job.status,
            reason: job.reasons().next().map(Reason::as_str),
            detail: job.words().into(),
            not_covered: &job.not_covered,
            stats: job.stats,
            off_chain: off_chain.collect(),
            without_code: job.code.without.iter().map(|address| format!("{address:#x}")).collect(),
        }
    }

    fn never_begun(missing: &'a MissingEntry) -> Self {
        Self {
            protocol: &missing.subject,
            network: missing.network.as_ref().map_or(ALL, |network| &network.slug),
            account: None,
            status: JobStatus::Failed,
            reason: Some(missing.reason.as_str()),
            detail: "".into(),
            not_covered: &[],
            stats: JobStats::default(),
            off_chain: Vec::new(),
            without_code: Vec::new(),
        }
    }
}
