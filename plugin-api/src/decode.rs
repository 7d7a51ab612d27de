//! Decodes events by a table, and reads the views that a [`Decoding`] needs.

use crate::error::{Error, Revert};
use crate::events::{Decoding, Event, Network, Table, Transaction, ViewCall, ViewResult};
use crate::job_context::JobContext;
use crate::read::Read;
use crate::read_request::ReadRequest;

/// Maximum age in seconds of a view's result. Tables read constant values, such as the tokens of a pool. Only this kind
/// of freshness also caches that a contract lacks the view.
const VIEWS_AGE_MAX_S: u32 = 86_400;

impl JobContext {
    /// Decodes a transaction's logs by a table. Returns events in the order of the logs, each with the section of its
    /// row, and without a protocol.
    ///
    /// The table says what a reverting view means. Logs whose views could not be read are reported as missing.
    ///
    /// # Errors
    /// None; it returns a `Result` because questions do.
    pub async fn decode(&self, table: &Table, transaction: &Transaction) -> Result<Vec<(Event, String)>, Error> {
        let network = Network { chain_id: self.network(), wrapped_native: self.wrapped_native() };
        let mut decoding = Decoding::new(table, transaction, network);
        loop {
            let calls = decoding.next_calls();
            if calls.is_empty() {
                break;
            }
            decoding.record(self.outcomes(calls.into_iter().map(|call| self.view(call))).await);
        }
        let decoded = decoding.finish();
        if decoded.incomplete_logs > 0 {
            self.report_missing(format!(
                "{} logs: a view that decodes them could not be read",
                decoded.incomplete_logs
            ));
        }
        Ok(decoded.events)
    }

    async fn view(&self, call: ViewCall) -> ViewResult {
        let request = ReadRequest::call(self.network(), call.to, call.data);
        let read = Read::new(&self.state, request, |to, result| result.returned(to)).within(VIEWS_AGE_MAX_S);
        match read.await {
            Ok(Ok(bytes)) => ViewResult::Returned(bytes),
            Ok(Err(Revert::Data(_) | Revert::NoCode | Revert::Gas | Revert::Undecodable(_))) => ViewResult::Reverted,
            Err(_) => ViewResult::ReadFailed,
        }
    }
}
