//! The wire: the only place where the names of JSON members and of Portolan's headers stand.
//!
//! Invariant: bodies are written by [`door`] alone, so that no text leaves uncleaned; without `detail=full` a body has exactly the members of the specification; which call carries which
//! member is decided by [`Shape`] alone.

mod events;
mod header;
mod names;
mod operators;
mod parts;
mod problem;
mod report;
mod rows;

use serde::Serialize;

pub(super) use self::header::{ACCOUNT, BLOCKS, PARTIAL, account, blocks, partial};
pub(super) use self::operators::{health, lists, networks as operators_networks, plugins, readiness};
pub(super) use self::problem::problem;

use self::events::{EventView, Undecoded};
use self::names::NameView;
use self::parts::{NetworkEntry, ProtocolView};
use self::report::Report;
use self::rows::{BalanceView, RowView};
use crate::gateway::answer::{Answer, Items, Row};
use crate::sanitize::door;

/// Decides which members the rows of an answer carry.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The aggregate call: no `type`, no `function`, tokens with `network`, `underlyingTokens` and `protocol`.
    aggregate: bool,
    /// `?detail=full`
    full: bool,
}

/// The body of an answer.
pub(super) fn body(answer: &Answer, detail_full: bool) -> Result<Vec<u8>, serde_json::Error> {
    let aggregate = matches!(answer.items, Items::Rows { aggregate: true, .. });
    let shape = Shape { aggregate, full: detail_full };
    match &answer.items {
        Items::Networks(networks) => document(networks.iter().map(|each| NetworkEntry::of(each)), answer, shape),
        Items::Protocols(protocols) => {
            document(protocols.iter().map(|each| ProtocolView::with_company(each)), answer, shape)
        }
        Items::Rows { rows, .. } => document(in_order(rows, shape).map(|row| RowView::of(row, shape)), answer, shape),
        Items::NativeBalance(row) if detail_full => document([BalanceView::of(row, shape)].into_iter(), answer, shape),
        Items::Name(record) if detail_full => document([NameView::of(record, shape)].into_iter(), answer, shape),
        Items::Name(record) => door::json(&NameView::of(record, shape)),
        Items::NativeBalance(row) => door::json(&BalanceView::of(row, shape)),
        Items::Balances(rows) => document(rows.iter().map(|row| BalanceView::of(row, shape)), answer, shape),
        Items::Events(events) => {
            let items = events.events.iter().map(|event| EventView::of(event, events, shape));
            let undecoded = detail_full.then(|| Undecoded::of(events));
            with_undecoded(items, undecoded, answer, shape)
        }
    }
}

/// Debts are never in the plain answer; the full one has them after all else.
fn in_order(rows: &[Row], shape: Shape) -> impl Iterator<Item = &Row> {
    let debts = rows.iter().filter(move |row| shape.full && row.finding.is_debt());
    rows.iter().filter(|row| !row.finding.is_debt()).chain(debts)
}

#[derive(Serialize)]
struct Full<'a, T> {
    items: Vec<T>,
    /// The logs of a transaction without an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    undecoded: Option<Vec<Undecoded<'a>>>,
    report: Report<'a>,
}

fn document<T: Serialize>(
    items: impl Iterator<Item = T>,
    answer: &Answer,
    shape: Shape,
) -> Result<Vec<u8>, serde_json::Error> {
    with_undecoded(items, None, answer, shape)
}

fn with_undecoded<T: Serialize>(
    items: impl Iterator<Item = T>,
    undecoded: Option<Vec<Undecoded<'_>>>,
    answer: &Answer,
    shape: Shape,
) -> Result<Vec<u8>, serde_json::Error> {
    let items: Vec<T> = items.collect();
    if shape.full { door::json(&Full { items, undecoded, report: Report::of(answer) }) } else { door::json(&items) }
}

#[cfg(test)]
mod tests;
