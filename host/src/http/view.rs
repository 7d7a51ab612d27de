//! The wire: the only place where the names of JSON members and of Portolan's headers stand.
//!
//! Invariant: without `detail=full` a body has exactly the members of the specification; which call carries which
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
use self::rows::{BalanceView, ClaimableView, FarmingView, LendingView};
use crate::gateway::answer::{Answer, Items, LendingPosition};

/// Which members the rows of an answer carry.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The aggregate call: no `type`, no `function`, tokens with `network`, `underlyingTokens` and `protocol`.
    aggregate: bool,
    /// `?detail=full`
    full: bool,
}

/// The body of an answer.
pub(super) fn body(answer: &Answer, detail_full: bool) -> Result<Vec<u8>, serde_json::Error> {
    let shape = Shape { aggregate: matches!(answer.items, Items::AllClaimables(_)), full: detail_full };
    match &answer.items {
        Items::Networks(networks) => document(networks.iter().map(|each| NetworkEntry::of(each)), answer, shape),
        Items::Protocols(protocols) => {
            document(protocols.iter().map(|each| ProtocolView::with_company(each)), answer, shape)
        }
        Items::AllClaimables(rows) | Items::Claimables(rows) => {
            document(rows.iter().map(|row| ClaimableView::of(row, shape)), answer, shape)
        }
        Items::Farming(rows) => document(rows.iter().map(|row| FarmingView::of(row, shape)), answer, shape),
        Items::NativeBalance(row) if detail_full => document([BalanceView::of(row, shape)].into_iter(), answer, shape),
        Items::Name(record) if detail_full => document([NameView::of(record, shape)].into_iter(), answer, shape),
        Items::Name(record) => serde_json::to_vec(&NameView::of(record, shape)),
        Items::NativeBalance(row) => serde_json::to_vec(&BalanceView::of(row, shape)),
        Items::Balances(rows) => document(rows.iter().map(|row| BalanceView::of(row, shape)), answer, shape),
        Items::Events(events) => {
            let items = events.told.iter().map(|event| EventView::of(event, events, shape));
            let undecoded = detail_full.then(|| Undecoded::of(events));
            with_undecoded(items, undecoded, answer, shape)
        }
        Items::Lending(rows) => document(lending(rows, shape).map(|row| LendingView::of(row, shape)), answer, shape),
    }
}

/// Debts never stand in the plain answer; the full one has them after all else.
fn lending(rows: &[LendingPosition], shape: Shape) -> impl Iterator<Item = &LendingPosition> {
    let debts = rows.iter().filter(move |row| shape.full && is_debt(row));
    rows.iter().filter(|row| !is_debt(row)).chain(debts)
}

fn is_debt(row: &LendingPosition) -> bool {
    row.side == "borrow"
}

#[derive(Serialize)]
struct Full<'a, T> {
    items: Vec<T>,
    /// Of events.
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
    if shape.full {
        serde_json::to_vec(&Full { items, undecoded, report: Report::of(answer) })
    } else {
        serde_json::to_vec(&items)
    }
}

#[cfg(test)]
mod tests;
