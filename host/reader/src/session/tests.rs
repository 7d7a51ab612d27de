//! Participants of a session, over a reader that answers each read with its own calldata.

use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;

use super::*;
use crate::Freshness;
use crate::testing::ScriptedChain;

/// The contract whose reads are cached.
const CACHED: Address = Address::repeat_byte(0xff);

fn echo() -> ScriptedChain {
    ScriptedChain::default().otherwise(|read| Outcome::Ok(read.data.clone()))
}

fn session(echo: &ScriptedChain) -> Arc<Session> {
    echo.session(Instant::now() + Duration::from_secs(30))
}

/// Puts reads into the cache, and returns the number of requests so far.
async fn warm(echo: &ScriptedChain, known: Vec<Read>) -> usize {
    session(echo).read(known.into_iter().map(cached).collect()).await;
    echo.requests().len()
}

fn reads(job: u8, count: u8) -> Vec<Read> {
    (0..count).map(|read| Read::call(Address::ZERO, vec![job, read])).collect()
}

fn cached(read: Read) -> Read {
    Read { to: CACHED, ..read }.fresh(Freshness::Immutable)
}

fn echoed(job: u8, count: u8) -> Vec<Reply> {
    (0..count).map(|read| Reply::fresh(Outcome::Ok(Bytes::from(vec![job, read])))).collect()
}

#[tokio::test]
async fn reads_of_all_jobs_that_wait_are_one_batch() {
    let echo = echo();
    let session = session(&echo);
    let participants: Vec<Participant> = (0..20).map(|_| session.join()).collect();
    let jobs = (0_u8..).zip(&participants).map(|(job, participant)| async move {
        for step in 1..=3 {
            assert_eq!(participant.read(reads(job, step)).await, echoed(job, step));
        }
    });
    futures_util::future::join_all(jobs).await;
    assert_eq!(echo.requests().len(), 3);
}

#[tokio::test]
async fn a_job_that_runs_for_long_keeps_the_others_waiting_for_the_linger_only() {
    let echo = echo();
    let session = session(&echo);
    let (busy, quick) = (session.join(), session.join());
    // Long before the deadline of the answer, which would otherwise end the wait.
    let replies = tokio::time::timeout(Duration::from_secs(10), quick.read(reads(1, 1))).await;
    assert_eq!(replies.ok(), Some(echoed(1, 1)));
    drop(busy);
}

#[tokio::test(start_paused = true)]
async fn a_batch_waits_for_jobs_that_come_one_after_the_other_for_less_than_a_round_trip() {
    // Each comes half a linger of 2 ms after the one before, and a batch lingers for 14 ms at most, or for as long
    // again for each 64 jobs that run.
    const AFTER: Duration = Duration::from_millis(1);
    for (jobs, batches) in [(13_u32, 1), (17, 2), (70, 3), (128, 3)] {
        let (echo, began) = (echo(), Instant::now());
        let session = session(&echo);
        let never = session.join();
        let joined: Vec<_> = (0..jobs).map(|_| session.join()).collect();
        let read = joined.iter().zip(0..).map(async |(job, place)| {
            tokio::time::sleep(AFTER * u32::from(place)).await;
            job.read(reads(place, 1)).await
        });
        let replies = futures_util::future::join_all(read).await;
        assert!(replies.into_iter().zip(0..).all(|(replies, place)| replies == echoed(place, 1)));
        assert_eq!(echo.requests().len(), batches, "{jobs} jobs");
        let last = AFTER * (jobs - 1) + Duration::from_millis(2);
        assert!(began.elapsed() <= last + Duration::from_millis(1), "{:?}", began.elapsed());
        drop(never);
    }
}

#[tokio::test(start_paused = true)]
async fn reads_for_the_next_batch_wait_for_a_slow_job_and_do_not_keep_its_batch_back() {
    let echo = echo();
    let session = session(&echo);
    let (slow, never) = (session.join(), session.join());
    let later = session.read_with_next_batch(reads(2, 2));
    let first = async {
        tokio::time::sleep(LINGER_MAX * 4).await;
        assert_eq!(echo.requests().len(), 0);
        slow.read(reads(1, 1)).await
    };
    assert_eq!(tokio::join!(later, first), (echoed(2, 2), echoed(1, 1)));
    assert_eq!(echo.requests().len(), 1);
    drop((slow, never));
    assert_eq!(session.read_with_next_batch(reads(3, 1)).await, echoed(3, 1), "nobody else reads");
}

#[tokio::test(start_paused = true)]
async fn no_batch_waits_for_a_job_that_waits_for_something_else() {
    let (echo, began) = (echo(), Instant::now());
    let session = session(&echo);
    let (away, quick) = (session.join(), session.join());
    {
        let waiting = std::pin::pin!(away.suspend(std::future::pending::<()>()));
        assert!(waiting.now_or_never().is_none());
        assert_eq!(quick.read(reads(1, 1)).await, echoed(1, 1));
        assert_eq!(began.elapsed(), Duration::ZERO, "not for the linger either");
    }
    assert_eq!(away.suspend(async { 7 }).await, 7);
    assert!(session.state().running.contains(&away.id), "it runs again");
}

#[tokio::test]
async fn the_end_of_a_running_job_lets_the_waiting_ones_go() {
    let echo = echo();
    let session = session(&echo);
    let (ending, waiting) = (session.join(), session.join());
    let reading = waiting.read(reads(1, 2));
    let (replies, ()) = tokio::join!(reading, async move { drop(ending) });
    assert_eq!((replies, echo.requests().len()), (echoed(1, 2), 1));
}

#[tokio::test]
async fn a_job_that_gives_up_waiting_leaves_no_trace() {
    let echo = echo();
    let session = session(&echo);
    let (gone, busy) = (session.join(), session.join());
    assert!(gone.read(reads(1, 1)).now_or_never().is_none());
    drop(gone);
    assert_eq!(busy.read(reads(2, 1)).await, echoed(2, 1));
    drop(busy);
    assert!(session.state().running.is_empty());
}

#[tokio::test]
async fn replies_from_the_cache_need_no_batch_so_jobs_of_any_depth_meet() {
    let echo = echo();
    let before = warm(&echo, (0..8).flat_map(|depth| reads(depth, 2)).collect()).await;
    let session = session(&echo);
    let participants: Vec<Participant> = (0..8).map(|_| session.join()).collect();
    let jobs = (0_u8..).zip(&participants).map(|(depth, participant)| async move {
        for step in 0..depth {
            let known = reads(depth, 2).into_iter().map(cached).collect();
            assert_eq!(participant.read(known).await, echoed(depth, 2), "step {step}");
        }
        assert_eq!(participant.read(reads(depth, 1)).await, echoed(depth, 1));
    });
    futures_util::future::join_all(jobs).await;
    assert_eq!(echo.requests().len() - before, 1);
}

#[tokio::test]
async fn only_what_is_not_in_the_cache_is_fetched_and_every_reply_has_its_place() {
    let echo = echo();
    warm(&echo, reads(7, 5)).await;
    let session = session(&echo);
    let participant = session.join();
    for known in [&[][..], &[0], &[4], &[1, 2], &[0, 3, 4], &[0, 1, 2, 3, 4]] {
        let is_known = |place: usize| known.contains(&place);
        let mixed: Vec<Read> = reads(7, 5)
            .into_iter()
            .enumerate()
            .map(|(place, read)| if is_known(place) { cached(read) } else { read })
            .collect();
        let fetches = usize::from(known.len() < 5);
        for _ in 0..2 {
            let before = echo.requests().len();
            assert_eq!(participant.read(mixed.clone()).await, echoed(7, 5), "{known:?}");
            echo.next_block();
            assert_eq!(session.read(mixed.clone()).await, echoed(7, 5), "{known:?}");
            echo.next_block();
            let sizes: Vec<usize> = echo.requests()[before..].iter().map(Vec::len).collect();
            assert_eq!(sizes, vec![5 - known.len(); 2 * fetches]);
        }
        assert_eq!(session.look_up(mixed.into()).is_complete(), known.len() == 5);
    }
}

#[tokio::test]
async fn no_reads_are_no_request() {
    let echo = echo();
    let session = session(&echo);
    assert_eq!((session.read(Vec::new()).await, session.join().read(Vec::new()).await), (Vec::new(), Vec::new()));
    assert_eq!(echo.requests().len(), 0);
}
