//! Joins the reads of answers that nobody waits for, so that many of them cost hardly more requests than one.
//!
//! Invariant: every answer gets the replies to its own reads, in order, or a failure by its deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};

use crate::{Block, Outcome, ReadBudget, ReadFailure, ReadSet, Reader, ReplySet};

/// How long the first reads of a block wait for others. Answers that begin at the same block take a few milliseconds
/// each until they read.
const WAIT: Duration = Duration::from_millis(30);

/// Joins reads by network and block.
pub struct ReadJoiner {
    reader: Arc<dyn Reader>,
    waiting: Mutex<HashMap<(u64, B256), Vec<Waiting>>>,
}

/// The reads of one answer.
struct Waiting {
    reads: ReadSet,
    deadline: Instant,
    budget: Arc<ReadBudget>,
    replies: oneshot::Sender<ReplySet>,
}

impl ReadJoiner {
    pub fn new(reader: Arc<dyn Reader>) -> Arc<Self> {
        Arc::new(Self { reader, waiting: Mutex::default() })
    }

    /// Fetches as [`Reader::fetch`] does, together with the reads of others at this block.
    pub(crate) async fn fetch(
        self: &Arc<Self>,
        chain_id: u64,
        block: Block,
        reads: ReadSet,
        deadline: Instant,
        budget: Arc<ReadBudget>,
    ) -> ReplySet {
        let (count, (replies, fetched)) = (reads.len(), oneshot::channel());
        let is_first = {
            let mut waiting = self.waiting.lock();
            let of_block = waiting.entry((chain_id, block.hash)).or_default();
            of_block.push(Waiting { reads, deadline, budget, replies });
            of_block.len() == 1
        };
        if is_first {
            let joiner = Arc::clone(self);
            tokio::spawn(async move {
                sleep(WAIT).await;
                joiner.flush(chain_id, block).await;
            });
        }
        match timeout_at(deadline, fetched).await {
            Ok(Ok(fetched)) => fetched,
            _ => ReplySet::all(count, Outcome::Failed(ReadFailure::Timeout)),
        }
    }

    async fn flush(&self, chain_id: u64, block: Block) {
        let joined = self.waiting.lock().remove(&(chain_id, block.hash)).unwrap_or_default();
        let (mut reads, mut sizes, mut requests_max) = (ReadSet::default(), Vec::new(), 0_u64);
        for waiting in &joined {
            sizes.push(waiting.reads.len());
            requests_max = requests_max.saturating_add(waiting.budget.requests_max());
            reads.append(waiting.reads.clone());
        }
        let Some(deadline) = joined.iter().map(|waiting| waiting.deadline).max() else { return };
        // Their reads were charged to their own budgets. The first one's client waits for its turn.
        let client = joined.first().and_then(|first| first.budget.client().cloned());
        let budget = Arc::new(ReadBudget::new(u64::MAX, requests_max).of_client(client));
        let mut fetched = self.reader.fetch(chain_id, block, reads, deadline, budget).await.into_iter();
        for (waiting, size) in joined.into_iter().zip(sizes) {
            // One that gave up waiting needs no replies.
            drop(waiting.replies.send(fetched.by_ref().take(size).collect()));
        }
    }
}

impl std::fmt::Debug for ReadJoiner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadJoiner").field("blocks", &self.waiting.lock().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, Bytes};
    use futures_util::future::join_all;

    use super::*;
    use crate::testing::ScriptedChain;
    use crate::{Read, Session};

    fn echo() -> ScriptedChain {
        ScriptedChain::default().otherwise(|read| Outcome::Ok(read.data.clone()))
    }

    fn reads(answer: u8, count: u8) -> Vec<Read> {
        (0..count).map(|read| Read::call(Address::ZERO, vec![answer, read])).collect()
    }

    fn outcomes(answer: u8, count: u8) -> Vec<Outcome> {
        (0..count).map(|read| Outcome::Ok(Bytes::from(vec![answer, read]))).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn answers_that_read_at_the_same_time_share_a_request_and_get_their_own_replies() {
        let echo = echo();
        let joiner = ReadJoiner::new(echo.reader());
        let end = Instant::now() + Duration::from_secs(5);
        let sessions: Vec<Arc<Session>> = (0..20).map(|_| echo.session(end).joining(&joiner)).collect();
        let reading = (1..).zip(&sessions).map(async |(answer, session)| {
            sleep(Duration::from_millis(u64::from(answer))).await;
            let replies = session.read(reads(answer, answer)).await;
            assert_eq!(replies.into_iter().map(|reply| reply.outcome).collect::<Vec<_>>(), outcomes(answer, answer));
        });
        join_all(reading).await;
        assert_eq!(echo.requests().len(), 1);
        sessions[0].read(reads(90, 1)).await;
        assert_eq!(echo.requests().len(), 2, "later ones go later");
        assert!(joiner.waiting.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_waits_no_longer_than_its_deadline_and_leaves_the_others_alone() {
        let echo = echo();
        let joiner = ReadJoiner::new(echo.reader());
        let now = Instant::now();
        let short = echo.session(now + WAIT / 2).joining(&joiner);
        let long = echo.session(now + WAIT * 100).joining(&joiner);
        let (short, long) = tokio::join!(short.read(reads(1, 1)), long.read(reads(2, 1)));
        assert_eq!(short[0].outcome, Outcome::Failed(ReadFailure::Timeout));
        assert_eq!(long[0].outcome, outcomes(2, 1)[0]);
    }
}
