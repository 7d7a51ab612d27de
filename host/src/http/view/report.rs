//! The report of `detail=full`. Invariant: everything that is missing is among its jobs, even if no job began.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use portolan_reader::{Block, Meter};
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::coverage::ValueHeldView;
use super::currency::CurrencyView;
use super::header::ALL;
use super::parts::lower;
use super::schema::{AddressText, Hash32, Word};
use crate::budget::AnswerBudget;
use crate::gateway::answer::{Answer, ClaimCount, Items, MissingEntry};
use crate::jobs::failure::Reason;
use crate::jobs::report::{JobReport, JobStatus};
use crate::jobs::stats::{JobStats, roughly_ms};

/// How an answer was made.
#[derive(Serialize, JsonSchema)]
pub(super) struct Report<'a> {
    /// The block of each network that was read, by slug.
    #[schemars(with = "BTreeMap<String, BlockView>")]
    blocks: Blocks<'a>,
    /// What was done for the answer, and what failed.
    jobs: Vec<JobReportView<'a>>,
    /// Set if the answer has a sum of claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ClaimsView")]
    claims: Option<ClaimsView>,
    /// Set if the client wants values in a currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CurrencyView<'_>")]
    currency: Option<CurrencyView<'a>>,
    /// Set if the answer is about what is covered.
    #[serde(rename = "valueHeld", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ValueHeldView<'_>")]
    value_held: Option<ValueHeldView<'a>>,
    // Last, so that it can count the bytes before it.
    /// Use of each of the answer's limits.
    #[schemars(with = "BudgetUse")]
    budget: BudgetView<'a>,
}

impl<'a> Report<'a> {
    pub(super) fn of(answer: &'a Answer, written: &'a Cell<u64>) -> Self {
        let without_job = answer.missing.iter().filter(|missing| !has_job(missing, &answer.jobs));
        let jobs =
            answer.jobs.iter().map(JobReportView::of).chain(without_job.map(JobReportView::never_begun)).collect();
        let claims = claims(&answer.items).map(ClaimsView::of);
        let currency = answer.currency.as_ref().map(CurrencyView::of);
        let value_held = match &answer.items {
            Items::Coverage(coverage) => Some(ValueHeldView::of(&coverage.value_held)),
            _ => None,
        };
        let budget = BudgetView { budget: &answer.budget, written };
        Self { blocks: Blocks(answer), jobs, claims, currency, value_held, budget }
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
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClaimCounts")]
struct ClaimsView {
    /// Claims that were simulated.
    tried: usize,
    /// Claims that were not.
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

/// A block.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Block")]
pub(super) struct BlockView {
    /// Its number.
    number: u64,
    /// Its hash.
    #[schemars(with = "Hash32")]
    hash: String,
    /// Unix seconds.
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

/// Budget that is read when it is written.
struct BudgetView<'a> {
    budget: &'a AnswerBudget,
    /// Bytes of the body so far.
    written: &'a Cell<u64>,
}

/// Use of one limit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BudgetShare")]
struct Share {
    /// What the answer used.
    used: u64,
    /// What it may use.
    max: u64,
}

/// Use of each of the answer's limits.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Budget")]
struct BudgetUse<'a> {
    /// Reads of contracts.
    reads: Share,
    /// Requests to nodes.
    node_requests: Share,
    /// Requests to hosts off the chain.
    outgoing_requests: Share,
    /// Decoded events.
    events: Share,
    /// Bytes of the body before this member.
    #[schemars(with = "Share")]
    bytes: BytesUse<'a>,
    /// Milliseconds; what was used is rounded up as the time of jobs is.
    time_ms: Share,
}

/// Bytes of the body, counted when they are written.
struct BytesUse<'a> {
    written: &'a Cell<u64>,
    max: u64,
}

impl Serialize for BytesUse<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Share { used: self.written.get(), max: self.max }.serialize(serializer)
    }
}

impl Serialize for BudgetView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AnswerBudget { limits, reads, outgoing, events, .. } = self.budget;
        let of = |meter: &Meter| Share { used: meter.used(), max: meter.max() };
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let budget = BudgetUse {
            reads: of(reads.reads()),
            node_requests: Share { used: reads.requests(), max: reads.requests_max() },
            outgoing_requests: of(outgoing.all()),
            events: of(events),
            bytes: BytesUse { written: self.written, max: limits.body_bytes_max },
            time_ms: Share { used: roughly_ms(ms(self.budget.elapsed())), max: ms(limits.time) },
        };
        budget.serialize(serializer)
    }
}

/// What was done for one protocol on one network.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "JobReport")]
struct JobReportView<'a> {
    /// Slug of the protocol; a plugin's name or `events` for events, `tokens` for balances, `*` for all.
    protocol: &'a str,
    /// Slug of the network, `*` for all.
    network: &'a str,
    /// The account, in answers about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AddressText")]
    account: Option<String>,
    /// How it ended.
    status: JobStatus,
    /// Why something is missing; null if nothing is.
    #[schemars(with = "Option<Word<Reason>>")]
    reason: Option<&'static str>,
    /// The same in a sentence; empty if nothing is missing.
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
    #[schemars(with = "Vec<AddressText>")]
    without_code: Vec<String>,
}

/// A document off the chain that rows may be based on.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OffChainDocument")]
struct OffChainView<'a> {
    /// Its host.
    host: &'a str,
    /// Age of the oldest.
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
