//! Decodes a transaction: returns the calls it needs, and events once their results are recorded.

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

/// A transaction being decoded by a table.
#[derive(Debug)]
pub struct Decoding<'a> {
    table: &'a Table,
    transaction: &'a Transaction,
    network: Network,
    /// Created when a row first searches for a transfer.
    transfers: OnceLock<Transfers>,
    views: ViewCache,
    /// Positions of logs that wait for calls.
    open: Vec<usize>,
    /// Events with the section of their row, in the order of decoding.
    events: Vec<(Event, String)>,
    events_max: usize,
    has_more: bool,
    incomplete_logs: usize,
}

/// Decoded events of a transaction.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Events with the section of their row, in the order of the logs. A log may have several.
    pub events: Vec<(Event, String)>,
    /// Number of logs with missing events or members because the chain could not be read.
    pub incomplete_logs: usize,
    /// True if decoding stopped at the limit of [`Decoding::at_most`].
    pub has_more: bool,
}

/// Outcome of a log.
enum LogOutcome<'a> {
    /// Events, with the row's section.
    Decoded(RowOutput, &'a str),
    /// No row matches.
    Unmatched,
    ReadFailed,
    NeedsCall,
}

impl<'a> Decoding<'a> {
    /// Creates a decoding.
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

    /// Stops the decoding at a number of events.
    #[must_use]
    pub fn at_most(self, events_max: usize) -> Self {
        Self { events_max, ..self }
    }

    /// Returns the calls needed next, each once per decoding. If there are none, the decoding is done.
    pub fn next_calls(&mut self) -> Vec<ViewCall> {
        let calls = self.advance();
        self.views.request(calls)
    }

    /// Records the results of the last [`Self::next_calls`], in order.
    pub fn record(&mut self, results: Vec<ViewResult>) {
        self.views.record(results);
    }

    /// Decodes the remaining logs. A call without a result counts as a failed read.
    pub fn finish(mut self) -> Decoded {
        self.views.close();
        self.advance();
        self.events.sort_by_key(|(event, _)| event.log);
        Decoded { events: self.events, incomplete_logs: self.incomplete_logs, has_more: self.has_more }
    }

    /// Decodes the open logs, and returns the calls that the others need.
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

    /// Decodes a log by the first matching row. While that row needs calls, later rows are evaluated too, so that all
    /// calls are made together.
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
