//! Single flight: of equal queries at the same blocks only one is answered at a time, and the others get its answer.
//!
//! Invariant: an answer ends for all who wait for it, or is dropped where they all went away. Nothing of it stays.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use portolan_reader::Pins;

use crate::gateway::answer::Answer;
use crate::gateway::problem::Problem;
use crate::gateway::query::{AnswerOptions, Query};

/// The query, with the account in the place of a name; the options; the registry's generation; and the block of each
/// network that was pinned before. A transaction is the same at any block, so its network's block is no part of the key.
pub(super) type FlightKey = (Query, AnswerOptions, u64, Pins);

type Answered = Result<Arc<Answer>, Problem>;
type Flight = BoxFuture<'static, Answered>;

/// The answers under way.
#[derive(Debug, Default)]
pub(super) struct SingleFlight(Mutex<HashMap<FlightKey, WeakShared<Flight>>>);

impl SingleFlight {
    /// Joins the flight of an equal query; else starts this one.
    pub(super) async fn join(&self, key: FlightKey, start: impl FnOnce() -> Flight) -> Answered {
        self.find_or_start(key, start).await
    }

    fn find_or_start(&self, key: FlightKey, start: impl FnOnce() -> Flight) -> Shared<Flight> {
        let mut flights = self.0.lock();
        // No more than there are answers under way: those that ended, or that nobody waits for, are removed here.
        flights.retain(|_, flight| flight.upgrade().is_some_and(|flight| flight.peek().is_none()));
        if let Some(flight) = flights.get(&key).and_then(WeakShared::upgrade) {
            return flight;
        }
        let flight = start().shared();
        if let Some(weak) = flight.downgrade() {
            flights.insert(key, weak);
        }
        flight
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use alloy::primitives::Address;
    use tokio::sync::oneshot;

    use super::*;
    use crate::gateway::query::{About, Account, ClaimOptions, Filter};

    fn key(account: u8) -> FlightKey {
        let account = Account::Address(Address::repeat_byte(account));
        let query = Query::Of(
            account,
            About::Claimables { filter: Filter::All, chain_id: None, options: ClaimOptions::default() },
        );
        (query, AnswerOptions::default(), 1, BTreeMap::new())
    }

    fn overloaded() -> Flight {
        async { Err(Problem::Overloaded) }.boxed()
    }

    #[tokio::test]
    async fn equal_queries_are_answered_once_while_one_is_under_way() {
        let (flights, started) = (SingleFlight::default(), AtomicUsize::new(0));
        let (go, gone) = oneshot::channel::<()>();
        let gone = gone.shared();
        let query = |account| {
            let gone = gone.clone();
            flights.join(key(account), || {
                started.fetch_add(1, Ordering::SeqCst);
                gone.map(|_| Err(Problem::Overloaded)).boxed()
            })
        };
        let all = futures_util::future::join_all([query(1), query(1), query(2), query(1)]);
        let (answers, _) = tokio::join!(all, async { go.send(()) });
        assert!(answers.iter().all(|answer| matches!(answer, Err(Problem::Overloaded))));
        assert_eq!(started.load(Ordering::SeqCst), 2);
        drop(query(1).await);
        assert_eq!(started.load(Ordering::SeqCst), 3, "an answer that ended does not stay");
    }

    #[tokio::test]
    async fn one_who_goes_away_does_not_take_the_answer_with_it() {
        let flights = SingleFlight::default();
        let (go, gone) = oneshot::channel::<()>();
        let first = flights.find_or_start(key(1), || gone.map(|_| Err(Problem::Overloaded)).boxed());
        assert!(first.clone().now_or_never().is_none());
        let second = flights.find_or_start(key(1), overloaded);
        drop(first);
        assert_eq!(go.send(()), Ok(()));
        assert!(second.await.is_err());
        assert!(flights.join(key(1), overloaded).await.is_err());
        assert_eq!(flights.0.lock().len(), 1);
    }
}
