//! The rows of one job, as the events of a stream show them.

use serde::Serialize;

use super::rows::RowView;
use super::{Shape, in_order};
use crate::gateway::answer::Items;
use crate::gateway::progress::EndedJob;
use crate::http::view::form::Form;

/// A job that ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EndedJobView<'a> {
    /// Slug of the protocol.
    protocol: &'a str,
    /// Slug of the network.
    network: &'a str,
    chain_id: u64,
    /// What was read; null if the protocol is not served.
    question: Option<&'static str>,
    /// Number of the block; null if the network has none.
    block: Option<u64>,
    /// Reason why something is missing; null if nothing is.
    failure: Option<&'static str>,
    rows: Vec<RowView<'a>>,
}

impl<'a> EndedJobView<'a> {
    pub(super) fn of(job: &'a EndedJob, form: Form) -> Self {
        Self {
            protocol: &job.protocol,
            network: &job.network.slug,
            chain_id: job.network.chain_id,
            question: job.question.map(|question| question.number().name()),
            block: job.block.map(|block| block.number),
            failure: job.failure.map(|reason| reason.as_str()),
            rows: rows(&job.items, Shape::of(&job.items, form, None)),
        }
    }
}

/// Claims are shown as `/claimables` does, and positions as they stand in a portfolio.
fn rows<'a>(items: &'a Items, shape: Shape<'a>) -> Vec<RowView<'a>> {
    match items {
        Items::Rows { rows, .. } => in_order(rows, shape).filter_map(|row| RowView::of(row, shape)).collect(),
        Items::Portfolio(portfolio) => {
            let positions = portfolio.positions.iter().filter_map(|row| RowView::of(row, shape));
            let of_claims = Shape { aggregate: true, ..shape };
            let payments = portfolio.payments.iter().flatten().filter_map(|row| RowView::of(row, of_claims));
            positions.chain(payments).collect()
        }
        _ => Vec::new(),
    }
}
