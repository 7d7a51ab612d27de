//! Outcome of a job under test: how it ended, and all that it emitted.
#![expect(clippy::expect_used, reason = "a broken contract is the failure of the test that runs this")]

use std::collections::BTreeMap;

use alloy::primitives::Bytes;
use alloy::sol_types::{SolType, SolValue};
use portolan_abi::limits::Allowance;
use portolan_abi::map::{self, Finding};
use portolan_abi::row::state;
use portolan_abi::step::{Step, StepError, StepFacts, StepRead};
use portolan_abi::{codec, fact_entries};

use super::row::{LegRow, PaymentRow};
use super::{ReadRequest, ReadResult};

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// Not yet.
    Reading,
    /// It reported everything.
    Complete,
    /// Something is missing, or not covered.
    Partial,
    /// With an error.
    Failed,
    /// With a panic.
    Panicked,
    /// It awaited something that is not a chain read, or woke itself for ever.
    Misuse,
    /// It passed one of the [`limits`](crate::limits).
    OverBudget,
    /// The plugin answered what is no step of a job.
    InvalidOutput,
}

/// Outcome of a job.
///
/// ```
/// use portolan_plugin_api::testing::{End, Outcome};
/// use portolan_plugin_api::U256;
///
/// /// What a test says about a job: it is whole, pays five, and needs two batches.
/// fn check(outcome: &Outcome) {
///     assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
///     assert_eq!(outcome.payments()[0].amount, U256::from(5));
///     assert_eq!(outcome.batches.len(), 2);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Why, where it did not end complete.
    pub message: String,
    /// Sentences about what the plugin knows but does not read.
    pub not_covered: Vec<String>,
    /// Which findings were left out because of what contracts replied, and why, in one line; empty if none was.
    pub invalid_replies: String,
    /// All that it emitted, in its order.
    pub findings: Vec<Finding>,
    /// The number of reads of each batch.
    pub batches: Vec<usize>,
    /// The entries of the fact lists, by `market/key`; [`Outcome::facts`] decodes them.
    pub(super) facts: BTreeMap<String, Vec<u8>>,
}

impl Outcome {
    /// The claimables among the findings.
    pub fn claimables(&self) -> Vec<&map::Claimable> {
        self.findings.iter().filter_map(|finding| finding.claimable.as_ref()).collect()
    }

    /// A row for each payment of the claimables, as answers have them.
    pub fn payments(&self) -> Vec<PaymentRow<'_>> {
        let rows = self.claimables().into_iter().flat_map(|claimable| {
            let claim = claimable.steps.last();
            claimable.payments.iter().zip(claim.into_iter().cycle()).map(move |(payment, claim)| PaymentRow {
                claimable,
                token: payment.token,
                amount: payment.amount,
                claim,
            })
        });
        rows.collect()
    }

    /// A row for each leg of the positions, as answers have them.
    pub fn legs(&self) -> Vec<LegRow<'_>> {
        self.positions()
            .into_iter()
            .flat_map(|position| position.legs.iter().map(|leg| LegRow::of(position, leg)))
            .collect()
    }

    /// The positions among the findings.
    pub fn positions(&self) -> Vec<&map::Position> {
        self.findings.iter().filter_map(|finding| finding.position.as_ref()).collect()
    }

    /// The compositions among the findings.
    pub fn compositions(&self) -> Vec<&map::Composition> {
        self.findings.iter().filter_map(|finding| finding.composition.as_ref()).collect()
    }

    /// The events among the findings.
    pub fn events(&self) -> Vec<&map::Event> {
        self.findings.iter().filter_map(|finding| finding.event.as_ref()).collect()
    }

    /// The entries of a fact list, after the job.
    ///
    /// # Panics
    /// If they are not of this type.
    pub fn facts<T>(&self, market: &str, key: &str) -> Vec<T>
    where
        T: SolValue + From<<T::SolType as SolType>::RustType>,
    {
        let list = self.facts.get(&format!("{market}/{key}")).map(Vec::as_slice).unwrap_or_default();
        let entries = fact_entries::entries(list).expect("a list is its entries").into_iter();
        entries.map(|entry| T::abi_decode(entry).expect("the entry is of this type")).collect()
    }

    /// A fact list as the host of this job alone has it.
    pub(super) fn fact_list(&self, request: &ReadRequest, block: u64, allowance: &mut Allowance) -> ReadResult {
        if !allowance.take_read() {
            return ReadResult::OverBudget;
        }
        let list = std::str::from_utf8(&request.data).ok().and_then(|name| self.facts.get(name));
        let (entries, reads) = (list.cloned().unwrap_or_default().into(), allowance.walk_reads_left());
        let list = map::FactList { entries, block, may_walk: true, reads, again_from: None, again_count: None };
        ReadResult::Ok(codec::encode(&list).into())
    }

    /// Appends entries to a fact list; drops it where it has others there.
    fn take_facts(&mut self, StepFacts { list, from, entries, .. }: &StepFacts<'_>) {
        let list = self.facts.entry((*list).to_owned()).or_default();
        let has = fact_entries::entries(list).map_or(0, |entries| entries.len());
        match usize::try_from(*from) {
            Ok(from) if from == has => list.extend(*entries),
            Ok(from) if from < has => list.clear(),
            _ => {}
        }
    }

    /// Takes what one resume gave; the reads that it requests.
    pub(super) fn take(&mut self, out: &[u8], allowance: &mut Allowance) -> Result<Vec<ReadRequest>, StepError> {
        let mut step = Step::parse(out)?;
        let taken = allowance.take_findings(&mut step.findings);
        self.findings.append(&mut step.findings);
        taken?;
        step.facts.iter().for_each(|facts| self.take_facts(facts));
        self.message = String::from_utf8_lossy(step.message).into_owned();
        self.not_covered.extend(String::from_utf8_lossy(step.not_covered).lines().map(str::to_owned));
        self.invalid_replies.push_str(&String::from_utf8_lossy(step.invalid_replies));
        self.end = match step.state {
            state::READING => End::Reading,
            state::COMPLETE => End::Complete,
            state::PARTIAL => End::Partial,
            state::FAILED => End::Failed,
            state::PANICKED => End::Panicked,
            state::MISUSE => End::Misuse,
            other => {
                self.message = format!("unknown job state {other}");
                End::InvalidOutput
            }
        };
        Ok(step.reads.into_iter().map(request).collect())
    }
}

fn request(read: StepRead<'_>) -> ReadRequest {
    let StepRead { chain_id: network, row, data, extension } = read;
    ReadRequest {
        network,
        kind: row.kind,
        mode: row.mode,
        freshness: row.freshness,
        purpose: row.purpose,
        freshness_s: row.freshness_s,
        gas_cap: row.gas_cap,
        from: extension.from,
        to: row.to,
        data: Bytes::copy_from_slice(data),
        function: extension.function,
    }
}
