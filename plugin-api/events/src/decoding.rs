//! The decoding of a transaction: which calls it needs next, and the events once their results are there.

use std::sync::OnceLock;

use crate::eval::Eval;
use crate::eval_context::EvalContext;
use crate::event::Event;
use crate::row::RowOutput;
use crate::table::Table;
use crate::transaction::{Network, Transaction};
use crate::transfers::Transfers;
use crate::view::{ViewCall, ViewResult};
use crate::view_cache::ViewCache;

/// A transaction that is being decoded by a table.
#[derive(Debug)]
pub struct Decoding<'a> {
    table: &'a Table,
    transaction: &'a Transaction,
    network: Network,
    /// Made when a row first looks for a transfer.
    transfers: OnceLock<Transfers>,
    views: ViewCache,
    /// Positions of the logs that wait for calls.
    open: Vec<usize>,
    /// With the section of their row. Logs are in the order in which they were decoded.
    events: Vec<(Event, String)>,
    events_max: usize,
    has_more: bool,
    incomplete_logs: usize,
}

/// The events of a transaction.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Each with the section of its row, in the order of the logs. One log may have several.
    pub events: Vec<(Event, String)>,
    /// Logs whose events, or some of their members, are missing because the chain could not be read.
    pub incomplete_logs: usize,
    /// Whether the decoding stopped because there are more events than [`Decoding::at_most`] allows.
    pub has_more: bool,
}

/// What became of a log.
enum LogOutcome<'a> {
    /// With the row's section.
    Decoded(RowOutput, &'a str),
    /// No row matches.
    Unmatched,
    ReadFailed,
    NeedsCall,
}

impl<'a> Decoding<'a> {
    /// A decoding that has not begun.
    pub fn new(table: &'a Table, transaction: &'a Transaction, network: Network) -> Self {
        Self {
            table,
            transaction,
            network,
            transfers: OnceLock::new(),
            views: ViewCache::default(),
            open: (0..transaction.logs.len()).collect(),
            events: Vec::new(),
            events_max: usize::MAX,
            has_more: false,
            incomplete_logs: 0,
        }
    }

    /// The same decoding, which stops where there are more events.
    #[must_use]
    pub fn at_most(self, events_max: usize) -> Self {
        Self { events_max, ..self }
    }

    /// The calls that are needed next. Each is returned once in a decoding; when there are none, it is done.
    pub fn next_calls(&mut self) -> Vec<ViewCall> {
        let calls = self.advance();
        self.views.request(calls)
    }

    /// Takes the results of the calls that [`Self::next_calls`] returned last, in their order.
    pub fn record(&mut self, results: Vec<ViewResult>) {
        self.views.record(results);
    }

    /// Decodes the remaining logs with the results that are there. A call without a result counts as a failed read.
    pub fn finish(mut self) -> Decoded {
        self.views.close();
        self.advance();
        self.events.sort_by_key(|(event, _)| event.log);
        Decoded { events: self.events, incomplete_logs: self.incomplete_logs, has_more: self.has_more }
    }

    /// Decodes the open logs as far as possible, and returns the calls that the others need.
    fn advance(&mut self) -> Vec<ViewCall> {
        let mut calls = Vec::new();
        for position in std::mem::take(&mut self.open) {
            if self.has_more {
                return Vec::new();
            }
            match self.decode(position, &mut calls) {
                LogOutcome::Decoded(output, section) => {
                    self.incomplete_logs += usize::from(output.read_failed);
                    let room = self.events_max.saturating_sub(self.events.len());
                    self.has_more = output.events.len() > room;
                    self.events.extend(output.events.into_iter().take(room).map(|event| (event, section.to_owned())));
                }
                LogOutcome::Unmatched => {}
                LogOutcome::ReadFailed => self.incomplete_logs += 1,
                LogOutcome::NeedsCall => self.open.push(position),
            }
        }
        calls
    }

    /// Decodes a log by the first row that matches. While that row needs calls, the rows behind it are evaluated too,
    /// so that their calls are made at the same time.
    fn decode(&self, position: usize, calls: &mut Vec<ViewCall>) -> LogOutcome<'a> {
        let Some(log) = self.transaction.logs.get(position) else { return LogOutcome::Unmatched };
        let Some(topic) = log.topics.first() else { return LogOutcome::Unmatched };
        let mut needs_call = false;
        for row in self.table.rows_of(topic).filter(|row| row.event().matches(log)) {
            let context = EvalContext {
                network: self.network,
                transaction: self.transaction,
                transfers: &self.transfers,
                views: &self.views,
                position,
                log,
                body: row.event().body(),
            };
            match row.eval(&context, calls) {
                Eval::Undefined => {}
                Eval::NeedsCall => needs_call = true,
                Eval::Known(_) | Eval::ReadFailed if needs_call => break,
                Eval::Known(output) => return LogOutcome::Decoded(output, row.section()),
                Eval::ReadFailed => return LogOutcome::ReadFailed,
            }
        }
        if needs_call { LogOutcome::NeedsCall } else { LogOutcome::Unmatched }
    }
}
