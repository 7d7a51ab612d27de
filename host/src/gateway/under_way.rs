//! Answers under way: an equal question at the same blocks waits for the one that is being answered already.
//!
//! Invariant: an answer ends for all who wait for it, or, where they all went away, is dropped; nothing is kept after it.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use portolan_reader::Pins;

use crate::gateway::answer::Answer;
use crate::gateway::problem::Problem;
use crate::gateway::query::Query;

/// What is asked, names led to their accounts; the registry's generation, and the block of each network. A transaction is
/// the same at any block, so the blocks of its answer are no part of the question.
pub(super) type Key = (Query, u64, Pins);

type Told = Result<Arc<Answer>, Problem>;
type Work = BoxFuture<'static, Told>;

/// The answers that are being worked on.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<HashMap<Key, WeakShared<Work>>>);

impl UnderWay {
    /// The answer to an equal question that is under way; else that of `work`, which is then the one.
    pub(super) async fn join(&self, key: Key, work: impl FnOnce() -> Work) -> Told {
        self.find_or_start(key, work).await
    }

    fn find_or_start(&self, key: Key, work: impl FnOnce() -> Work) -> Shared<Work> {
        let mut under_way = self.0.lock();
        // No more than there are answers in flight: those that ended, or were left by all, go here.
        under_way.retain(|_, work| work.upgrade().is_some_and(|work| work.peek().is_none()));
        if let Some(work) = under_way.get(&key).and_then(WeakShared::upgrade) {
            return work;
        }
        let work = work().shared();
        if let Some(weak) = work.downgrade() {
            under_way.insert(key, weak);
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use alloy::primitives::Address;
    use tokio::sync::oneshot;

    use super::*;
    use crate::gateway::query::{About, Account, Filter};

    fn key(account: u8) -> Key {
        let account = Account::Address(Address::repeat_byte(account));
        (Query::Of(account, About::Claimables(Filter::All)), 1, BTreeMap::new())
    }

    fn overloaded() -> Work {
        async { Err(Problem::Overloaded) }.boxed()
    }

    #[tokio::test]
    async fn equal_questions_are_answered_once_while_one_is_under_way() {
        let (under_way, started) = (UnderWay::default(), AtomicUsize::new(0));
        let (go, gone) = oneshot::channel::<()>();
        let gone = gone.shared();
        let ask = |account| {
            let gone = gone.clone();
            under_way.join(key(account), || {
                started.fetch_add(1, Ordering::SeqCst);
                gone.map(|_| Err(Problem::Overloaded)).boxed()
            })
        };
        let asked = futures_util::future::join_all([ask(1), ask(1), ask(2), ask(1)]);
        let (told, _) = tokio::join!(asked, async { go.send(()) });
        assert!(told.iter().all(|told| matches!(told, Err(Problem::Overloaded))));
        assert_eq!(started.load(Ordering::SeqCst), 2);
        drop(ask(1).await);
        assert_eq!(started.load(Ordering::SeqCst), 3, "an answer that ended is not kept");
    }

    #[tokio::test]
    async fn one_who_goes_away_does_not_take_the_answer_with_it() {
        let under_way = UnderWay::default();
        let (go, gone) = oneshot::channel::<()>();
        let first = under_way.find_or_start(key(1), || gone.map(|_| Err(Problem::Overloaded)).boxed());
        assert!(first.clone().now_or_never().is_none());
        let second = under_way.find_or_start(key(1), overloaded);
        drop(first);
        assert_eq!(go.send(()), Ok(()));
        assert!(second.await.is_err());
        assert!(under_way.join(key(1), overloaded).await.is_err());
        assert_eq!(under_way.0.lock().len(), 1);
    }
}
