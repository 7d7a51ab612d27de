//! The report of `detail=full`. Invariant: everything that is missing is among its jobs, also what was missing
//! before a job began.

use portolan_reader::Block;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::header::ALL;
use crate::gateway::answer::{Answer, Missing};
use crate::jobs::failure::Reason;
use crate::jobs::figures::JobFigures;
use crate::jobs::report::{JobReport, JobStatus};

#[derive(Serialize)]
pub(super) struct Report<'a> {
    blocks: Blocks<'a>,
    jobs: Vec<JobReportView<'a>>,
}

impl<'a> Report<'a> {
    pub(super) fn of(answer: &'a Answer) -> Self {
        let without_job = answer.missing.iter().filter(|missing| !has_job(missing, &answer.jobs));
        let jobs =
            answer.jobs.iter().map(JobReportView::of).chain(without_job.map(JobReportView::never_begun)).collect();
        Self { blocks: Blocks(answer), jobs }
    }
}

fn has_job(missing: &Missing, jobs: &[JobReport]) -> bool {
    let chain_id = missing.network.as_ref().map(|network| network.chain_id);
    jobs.iter().any(|job| job.subject == missing.subject && Some(job.network.chain_id) == chain_id)
}

/// An object by slug, in the order of networks.
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

#[derive(Serialize)]
struct JobReportView<'a> {
    protocol: &'a str,
    network: &'a str,
    status: JobStatus,
    reason: Option<&'static str>,
    detail: &'a str,
    #[serde(flatten)]
    figures: JobFigures,
}

impl<'a> JobReportView<'a> {
    fn of(job: &'a JobReport) -> Self {
        Self {
            protocol: &job.subject,
            network: &job.network.slug,
            status: job.status,
            reason: job.reason.map(Reason::as_str),
            detail: &job.detail,
            figures: job.figures,
        }
    }

    fn never_begun(missing: &'a Missing) -> Self {
        Self {
            protocol: &missing.subject,
            network: missing.network.as_ref().map_or(ALL, |network| &network.slug),
            status: JobStatus::Failed,
            reason: Some(missing.reason.as_str()),
            detail: "",
            figures: JobFigures::default(),
        }
    }
}
