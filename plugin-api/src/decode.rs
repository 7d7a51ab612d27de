//! Events by a table: the views that a [`Decoding`] wants, read through the job's chain.

use crate::chain::Chain;
use crate::error::{Error, Revert};
use crate::events::{Answer, Decoding, Event, Network, Table, Transaction, View};
use crate::read::{Ask, Read};

/// Seconds that a view may stand. What tables ask never changes (the tokens of a pool), but that a contract has no such
/// view is kept only of a slow fact.
const VIEWS_STAND_S: u32 = 86_400;

impl Chain {
    /// Tells a transaction's logs by a table: events in the order of the logs, each with the table's section that told
    /// it, and without a protocol.
    ///
    /// Views that do not answer are as the table has it; where one could not be read, the answer says what is missing.
    ///
    /// # Errors
    /// None of its own; it is a part of a question, and those end with errors.
    pub async fn decode(&self, table: &Table, transaction: &Transaction) -> Result<Vec<(Event, String)>, Error> {
        let network = Network { chain_id: self.network(), wrapped_native: self.wrapped_native() };
        let mut decoding = Decoding::new(table, transaction, network);
        loop {
            let views = decoding.wanted();
            if views.is_empty() {
                break;
            }
            decoding.answer(crate::join::all(views.into_iter().map(|view| self.view(view))).await);
        }
        let decoded = decoding.finish();
        if decoded.unread > 0 {
            self.miss(format!("{} logs: a view that tells them could not be read", decoded.unread));
        }
        Ok(decoded.events)
    }

    async fn view(&self, view: View) -> Answer {
        let ask = Ask::call(view.to, view.data.into());
        let read = Read::new(self, ask, |to, reply| reply.returned(to)).within(VIEWS_STAND_S);
        match read.await {
            Ok(Ok(bytes)) => Answer::Told(bytes),
            Ok(Err(Revert::Data(_) | Revert::NoCode | Revert::Gas | Revert::Undecodable(_))) => Answer::Refused,
            Err(_) => Answer::Unread,
        }
    }
}
