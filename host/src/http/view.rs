//! The wire format: the only place that names JSON members and Portolan's own headers.
//!
//! Invariant: only [`output`] writes bodies, so that all text is cleaned. Without `detail=full`, a body has exactly the
//! members of the specification. Only [`Shape`] decides which members an endpoint's rows have.

pub(super) mod form;
pub(super) mod number;
pub(super) mod rate;

mod account_answer;
mod account_effects;
mod approvals;
mod bodies;
mod claim_plan;
mod clear_signing;
mod coverage;
mod currency;
mod event_schema;
mod events;
mod header;
mod job;
mod names;
mod operators;
mod parts;
mod portfolio;
mod positions;
mod problem;
mod provenance;
mod report;
mod rows;
mod schema;
mod simulation;
mod totals;
pub(super) mod watched;

use std::cell::Cell;
use std::io;

use portolan_base::sanitize::output::{self, Numbers};
use serde::{Serialize, Serializer};

pub(super) use self::bodies::{problem_schema, schema};
pub(super) use self::header::{ACCOUNT, BLOCKS, CURRENCY, PARTIAL, account, blocks, currency, partial};
pub(super) use self::operators::{health, history, lists, networks as operators_networks, plugins, readiness};
pub(super) use self::problem::problem;

use self::account_answer::AccountAnswerView;
use self::account_effects::AccountEffectsView;
use self::approvals::AllowanceView;
use self::claim_plan::ClaimPlanView;
use self::clear_signing::ClearSigningView;
use self::coverage::CoverageView;
use self::events::{EventView, LogView, UndecodedView, WrittenTokens, logs};
use self::job::EndedJobView;
use self::names::NameView;
use self::parts::{NetworkEntry, ProtocolView};
use self::portfolio::PortfolioView;
use self::report::Report;
use self::rows::{BalanceView, RowView};
use crate::gateway::answer::{Answer, AnswerCurrency, Items, Row};
use crate::gateway::progress::EndedJob;
use crate::http::view::form::Form;

/// Selects the members that the rows of an answer have.
#[derive(Clone, Copy, Debug)]
struct Shape<'a> {
    /// The aggregate endpoint: no `type`, no `function`, tokens with `network`, `underlyingTokens` and `protocol`.
    aggregate: bool,
    /// `?detail=full`
    full: bool,
    /// `?simulate=true`
    simulation: bool,
    numbers: Numbers,
    /// `?currency=`
    currency: Option<&'a AnswerCurrency>,
}

impl<'a> Shape<'a> {
    fn of(items: &Items, form: Form, currency: Option<&'a AnswerCurrency>) -> Self {
        let aggregate = matches!(items, Items::Rows { aggregate: true, .. });
        let simulation = matches!(items, Items::Rows { with_simulations: true, .. });
        Self { aggregate, full: form.full, simulation, numbers: form.numbers, currency }
    }
}

/// Writes the body of an answer. `written` counts the bytes that the sink has taken.
pub(super) fn write(
    answer: &Answer,
    form: Form,
    sink: &mut impl io::Write,
    written: &Cell<u64>,
) -> Result<(), serde_json::Error> {
    let shape = Shape::of(&answer.items, form, answer.currency.as_ref());
    let mut document = DocumentWriter { answer, shape, written, sink };
    match &answer.items {
        Items::Networks(networks) => document.rows(|| networks.iter().map(|each| NetworkEntry::of(each, shape))),
        Items::Protocols(protocols) => document.rows(|| protocols.iter().map(|each| ProtocolView::with_company(each))),
        Items::Coverage(coverage) => document.rows(|| coverage.rows.iter().map(CoverageView::of)),
        Items::ClearSigning(descriptors) => document.rows(|| descriptors.iter().map(ClearSigningView::of)),
        Items::Rows { rows, .. } => document.rows(|| in_order(rows, shape).filter_map(|row| RowView::of(row, shape))),
        Items::Portfolio(portfolio) => document.single(PortfolioView::of(portfolio, shape)),
        Items::Accounts(answers) => {
            document.rows(|| answers.iter().map(|each| AccountAnswerView::of(each, form, shape)))
        }
        Items::ClaimPlan(plan) => document.single(ClaimPlanView::of(plan, shape)),
        Items::NativeBalance(row) => document.single(BalanceView::of(row, shape)),
        Items::Name(record) => document.single(NameView::of(record, shape)),
        Items::Balances(rows) => document.rows(|| rows.iter().map(|row| BalanceView::of(row, shape))),
        Items::Approvals(rows) => document.rows(|| rows.iter().map(|row| AllowanceView::of(row, shape))),
        Items::Events(events) => {
            let of = |is_repeat| events.events.iter().filter(move |event| event.merged.is_repeat == is_repeat);
            let tokens = WrittenTokens::of(events, shape);
            let items = || of(false).map(|event| EventView::of(event, &tokens, shape));
            let repeated = || of(true).map(|event| EventView::of(event, &tokens, shape));
            let undecoded = || events.undecoded.iter().filter_map(|place| UndecodedView::of(events, *place));
            let shown = if shape.full { logs(events) } else { Vec::new() };
            let account = events.account.as_deref().map(|effects| AccountEffectsView::of(effects, shape));
            document.with_logs(account, items, || shown.iter().copied().map(LogView::of), repeated, undecoded)
        }
    }
}

/// Writes the rows of a job that ended.
pub(super) fn write_job(job: &EndedJob, form: Form, sink: &mut impl io::Write) -> Result<(), serde_json::Error> {
    output::write_json(sink, &EndedJobView::of(job, form), form.numbers)
}

/// Returns the rows without debts; with `detail=full`, debts follow at the end.
fn in_order<'a>(rows: &'a [Row], shape: Shape) -> impl Iterator<Item = &'a Row> + use<'a> {
    let full = shape.full;
    let debts = rows.iter().filter(move |row| full && row.is_debt());
    rows.iter().filter(|row| !row.is_debt()).chain(debts)
}

/// Serializes items one by one as they are made.
struct Each<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Items with a transaction's effects on the named account; with `detail=full` both are in [`Full`].
#[derive(Serialize)]
struct OfAccount<'a, T> {
    account: &'a AccountEffectsView<'a>,
    items: T,
}

#[derive(Serialize)]
struct Full<'a, T, L, R, U> {
    /// Effects of a transaction on the named account.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<&'a AccountEffectsView<'a>>,
    items: T,
    /// The logs that items, `repeated` and `undecoded` refer to by index.
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<L>,
    /// Events that only repeat what an item reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<R>,
    /// Logs without an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    undecoded: Option<U>,
    report: Report<'a>,
}

/// Writes an answer to the sink.
struct DocumentWriter<'a, W> {
    answer: &'a Answer,
    shape: Shape<'a>,
    written: &'a Cell<u64>,
    sink: W,
}

impl<W: io::Write> DocumentWriter<'_, W> {
    fn rows<I: Iterator<Item: Serialize>>(&mut self, items: impl Fn() -> I) -> Result<(), serde_json::Error> {
        self.put(None, &Each(items), None::<()>, None::<()>, None::<()>)
    }

    /// Writes one object; with a report, it is the only member of `items`.
    fn single(&mut self, item: impl Serialize) -> Result<(), serde_json::Error> {
        if self.shape.full {
            self.put(None, &[item], None::<()>, None::<()>, None::<()>)
        } else {
            self.put(None, &item, None::<()>, None::<()>, None::<()>)
        }
    }

    fn with_logs<
        I: Iterator<Item: Serialize>,
        L: Iterator<Item: Serialize>,
        R: Iterator<Item: Serialize>,
        U: Iterator<Item: Serialize>,
    >(
        &mut self,
        account: Option<AccountEffectsView<'_>>,
        items: impl Fn() -> I,
        logs: impl Fn() -> L,
        repeated: impl Fn() -> R,
        undecoded: impl Fn() -> U,
    ) -> Result<(), serde_json::Error> {
        self.put(account.as_ref(), &Each(items), Some(Each(logs)), Some(Each(repeated)), Some(Each(undecoded)))
    }

    fn put(
        &mut self,
        account: Option<&AccountEffectsView<'_>>,
        items: &impl Serialize,
        logs: Option<impl Serialize>,
        repeated: Option<impl Serialize>,
        undecoded: Option<impl Serialize>,
    ) -> Result<(), serde_json::Error> {
        match account {
            _ if self.shape.full => {}
            Some(account) => {
                return output::write_json(&mut self.sink, &OfAccount { account, items }, self.shape.numbers);
            }
            None => return output::write_json(&mut self.sink, items, self.shape.numbers),
        }
        let report = Report::of(self.answer, self.written);
        let full = Full { account, items, logs, repeated, undecoded, report };
        output::write_json(&mut self.sink, &full, self.shape.numbers)
    }
}

#[cfg(test)]
mod tests;
