//! Single flight: equal queries at the same blocks are answered once at a time, and all of them get the answer.
//!
//! Invariant: a flight ends for all who wait for it, or is dropped when none is left; no result is cached. A query
//! that joins has the time of its own request: if the flight ran out of the time of an earlier request, the query
//! starts anew.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use portolan_reader::Pins;
use tokio::time::Instant;

use crate::gateway::answer::Answer;
use crate::gateway::problem::Problem;
use crate::gateway::query::{AnswerOptions, Query};
use crate::jobs::failure::Reason;

/// The query with its resolved account, the options, the registry's generation, and the blocks pinned before the
/// flight. A transaction is the same at any block, so its network's block is not part of the key.
pub(super) type FlightKey = (Query, AnswerOptions, u64, Pins);

type Answered = Result<Arc<Answer>, Problem>;
type Flight = BoxFuture<'static, Answered>;

/// A query in flight, and the end of its time.
#[derive(Debug)]
struct QueryUnderWay {
    flight: WeakShared<Flight>,
    end: Instant,
}

/// The queries in flight.
#[derive(Debug, Default)]
pub(super) struct SingleFlight(Mutex<HashMap<FlightKey, QueryUnderWay>>);

impl SingleFlight {
    /// Joins the flight of an equal query, or starts one whose time ends at `end`.
    pub(super) async fn join(&self, mut key: FlightKey, end: Instant, mut start: impl FnOnce() -> Flight) -> Answered {
        loop {
            let (flight, joined) = self.find_or_start(key, end, start);
            let answered = flight.await;
            match joined {
                // This ends: each flight that is joined ends later than the one before.
                Some(joined) if joined.end < end && ran_out(&answered) => (key, start) = (joined.key, joined.start),
                _ => return answered,
            }
        }
    }

    /// Returns the flight of the query; if it was joined, also what is needed to start the query anew.
    fn find_or_start<S: FnOnce() -> Flight>(
        &self,
        key: FlightKey,
        end: Instant,
        start: S,
    ) -> (Shared<Flight>, Option<JoinedFlight<S>>) {
        let mut flights = self.0.lock();
        // Removes flights that ended or that nobody waits for, so there are never more entries than answers in flight.
        flights.retain(|_, own| own.flight.upgrade().is_some_and(|flight| flight.peek().is_none()));
        if let Some(QueryUnderWay { flight, end }) = flights.get(&key)
            && let (Some(flight), end) = (flight.upgrade(), *end)
        {
            return (flight, Some(JoinedFlight { end, key, start }));
        }
        let flight = start().shared();
        if let Some(weak) = flight.downgrade() {
            flights.insert(key, QueryUnderWay { flight: weak, end });
        }
        (flight, None)
    }
}

/// A joined flight's end, and what is needed to start the query anew.
struct JoinedFlight<S> {
    end: Instant,
    key: FlightKey,
    start: S,
}

/// Returns true if more time could have given a better answer.
fn ran_out(answered: &Answered) -> bool {
    match answered {
        Ok(answer) => answer.missing.iter().any(|missing| missing.reason == Reason::Timeout),
        Err(Problem::OfJobs { problem, .. }) => matches!(**problem, Problem::Deadline(_)),
        Err(problem) => matches!(problem, Problem::Deadline(_)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use alloy::primitives::Address;
    use tokio::sync::oneshot;
    use tokio::time::sleep_until;

    use super::*;
    use crate::gateway::query::{About, AboutRows, Account, ClaimOptions, Filter};

    fn key(account: u8) -> FlightKey {
        let account = Account::Address(Address::repeat_byte(account));
        let query = Query::Of(
            account,
            About::Rows(AboutRows::Claimables {
                filter: Filter::All,
                chain_id: None,
                options: ClaimOptions::default(),
            }),
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
            flights.join(key(account), Instant::now(), || {
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
        let (flights, end) = (SingleFlight::default(), Instant::now());
        let (go, gone) = oneshot::channel::<()>();
        let (first, joined) = flights.find_or_start(key(1), end, || gone.map(|_| Err(Problem::Overloaded)).boxed());
        assert!(joined.is_none());
        assert!(first.clone().now_or_never().is_none());
        let (second, joined) = flights.find_or_start(key(1), end, overloaded);
        assert!(joined.is_some());
        drop(first);
        assert_eq!(go.send(()), Ok(()));
        assert!(second.await.is_err());
        assert!(flights.join(key(1), end, overloaded).await.is_err());
        assert_eq!(flights.0.lock().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn who_joins_late_has_the_time_of_its_own_request() {
        let (flights, started) = (SingleFlight::default(), AtomicUsize::new(0));
        let second = Duration::from_secs(1);
        let begin = Instant::now();
        // The node answers after twelve seconds, and each request has eight.
        let query = |after: u32| {
            let (flights, started) = (&flights, &started);
            async move {
                sleep_until(begin + second * after).await;
                let end = begin + second * (after + 8);
                let answered = flights.join(key(1), end, || {
                    started.fetch_add(1, Ordering::SeqCst);
                    async move {
                        let (slow, late) = (begin + second * 12, Problem::Deadline("late".into()));
                        sleep_until(slow.min(end)).await;
                        Err(if end < slow { late } else { Problem::Overloaded })
                    }
                    .boxed()
                });
                (answered.await.unwrap_err(), begin.elapsed().as_secs())
            }
        };
        let (first, joined, other) = tokio::join!(query(0), query(6), query(7));
        assert_eq!(first, (Problem::Deadline("late".into()), 8));
        assert_eq!([joined, other], [(Problem::Overloaded, 12), (Problem::Overloaded, 12)]);
        assert_eq!(started.load(Ordering::SeqCst), 2, "those whose time is not over share one again");
    }
}
