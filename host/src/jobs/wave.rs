//! When a wave leaves: the reads of all jobs of one answer on one network, joined into few requests.
//!
//! A wave leaves when it fills a chunk, when no job can run on without replies, when its oldest read has waited for
//! the hold, or when the deadline is near. Invariant: who waits is not in `running`, so the last one to ask sends.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use portolan_reader::{Block, Outcome, Read, ReadFailure, Reader, Reply};

/// The shortest hold: what the first call of a plugin takes whose code is not in memory yet.
const HOLD_MIN: Duration = Duration::from_millis(2);
/// The longest hold; a slow plugin may not cost the others more.
const HOLD_MAX: Duration = Duration::from_millis(5);
/// Round trips that the median is taken of.
const ROUND_TRIPS_KEPT: usize = 31;

/// The reads of one answer on one network, at its pinned block.
pub(crate) struct Waves {
    reader: Arc<dyn Reader>,
    chain_id: u64,
    block: Block,
    deadline: Instant,
    round_trips: Arc<RoundTrips>,
    /// Reads that leave at once, for they fill a request.
    chunk_reads: usize,
    block_lost: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    members: u64,
    /// Members that run, and so may still ask.
    running: BTreeSet<u64>,
    queue: Vec<Batch>,
    queued: usize,
}

/// What one job asked for in one step.
struct Batch {
    /// The member that waits for it; none where a job of another network asks.
    member: Option<u64>,
    reads: Vec<Read>,
    replies: oneshot::Sender<Vec<Reply>>,
}

/// A job's membership in its network's waves; it runs unless it waits for replies.
pub(crate) struct Member {
    waves: Arc<Waves>,
    id: u64,
}

impl Member {
    /// Waits for the replies to reads of the job's own network: in order, and as many.
    pub(crate) async fn ask(&self, reads: Vec<Read>) -> Vec<Reply> {
        self.waves.ask(Some(self.id), reads).await
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.waves.state().running.remove(&self.id);
        self.waves.leave_if_due();
    }
}

impl Waves {
    pub(crate) fn new(
        reader: Arc<dyn Reader>,
        chain_id: u64,
        block: Block,
        deadline: Instant,
        round_trips: Arc<RoundTrips>,
    ) -> Arc<Self> {
        let chunk_reads = reader.chunk_reads(chain_id);
        let (block_lost, state) = (AtomicBool::default(), Mutex::default());
        Arc::new(Self { reader, chain_id, block, deadline, round_trips, chunk_reads, block_lost, state })
    }

    /// Whether no endpoint knew the block any more: what was read at it has to be read again at another.
    pub(crate) fn block_lost(&self) -> bool {
        self.block_lost.load(Ordering::Relaxed)
    }

    pub(crate) fn block(&self) -> Block {
        self.block
    }

    /// Adds a job that runs.
    pub(crate) fn join(self: &Arc<Self>) -> Member {
        let mut state = self.state();
        state.members += 1;
        let id = state.members;
        state.running.insert(id);
        Member { waves: Arc::clone(self), id }
    }

    /// Waits for the replies to reads of a job of another network: the hold sends them.
    pub(crate) async fn ask_as_guest(self: &Arc<Self>, reads: Vec<Read>) -> Vec<Reply> {
        self.ask(None, reads).await
    }

    async fn ask(self: &Arc<Self>, member: Option<u64>, reads: Vec<Read>) -> Vec<Reply> {
        if let Some(replies) = self.kept(&reads) {
            return replies;
        }
        let count = reads.len();
        let (replies, arrived) = oneshot::channel();
        let first = {
            let mut state = self.state();
            if let Some(id) = member {
                state.running.remove(&id);
            }
            state.queued += count;
            state.queue.push(Batch { member, reads, replies });
            state.queue.len() == 1
        };
        if !self.leave_if_due() && first {
            self.leave_after_hold();
        }
        match tokio::time::timeout_at(self.deadline, arrived).await {
            Ok(Ok(replies)) if replies.len() == count => replies,
            _ => vec![Reply::fresh(Outcome::Failed(ReadFailure::Timeout)); count],
        }
    }

    /// The replies where none of them needs a request. Their job runs on at once, so that it meets the others at
    /// what has to be read, however many steps each of them takes to get there.
    fn kept(&self, reads: &[Read]) -> Option<Vec<Reply>> {
        reads.iter().map(|read| self.reader.kept(self.chain_id, &self.block, read)).collect()
    }

    fn leave_if_due(self: &Arc<Self>) -> bool {
        let due = {
            let state = self.state();
            let near = self.deadline.saturating_duration_since(Instant::now()) < HOLD_MAX * 2;
            state.running.is_empty() || state.queued >= self.chunk_reads || near
        };
        if due {
            self.leave();
        }
        due
    }

    fn leave_after_hold(self: &Arc<Self>) {
        let (waves, hold) = (Arc::clone(self), self.round_trips.hold());
        tokio::spawn(async move {
            tokio::time::sleep(hold).await;
            waves.leave();
        });
    }

    /// Sends what waits, in a task of its own that ends by the deadline.
    fn leave(self: &Arc<Self>) {
        let batches = {
            let mut state = self.state();
            state.queued = 0;
            std::mem::take(&mut state.queue)
        };
        if !batches.is_empty() {
            let waves = Arc::clone(self);
            tokio::spawn(async move { waves.send(batches).await });
        }
    }

    async fn send(self: Arc<Self>, mut batches: Vec<Batch>) {
        let sizes: Vec<usize> = batches.iter().map(|batch| batch.reads.len()).collect();
        let reads = batches.iter_mut().flat_map(|batch| std::mem::take(&mut batch.reads)).collect();
        let sent = Instant::now();
        let replies = self.reader.read(self.chain_id, self.block, reads, self.deadline).await;
        if replies.iter().any(|reply| reply.outcome == Outcome::Failed(ReadFailure::BlockLost)) {
            self.block_lost.store(true, Ordering::Relaxed);
        }
        self.round_trips.took(sent.elapsed());
        // All that this wave answers run from here on: counted before the first of them can ask again.
        let woken = batches.iter().filter(|batch| !batch.replies.is_closed()).filter_map(|batch| batch.member);
        self.state().running.extend(woken);
        let mut replies = replies.into_iter();
        for (batch, size) in batches.into_iter().zip(sizes) {
            let own = replies.by_ref().take(size).collect();
            // One that gave up waiting has left, and its membership with it.
            drop(batch.replies.send(own));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A network's last round trips; one for the life of the process.
#[derive(Debug, Default)]
pub(crate) struct RoundTrips(Mutex<VecDeque<Duration>>);

impl RoundTrips {
    fn took(&self, time: Duration) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if times.len() == ROUND_TRIPS_KEPT {
            times.pop_front();
        }
        times.push_back(time);
    }

    /// An eighth of the median round trip.
    fn hold(&self) -> Duration {
        let mut times: Vec<Duration> = {
            let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            times.iter().copied().collect()
        };
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        (median / 8).clamp(HOLD_MIN, HOLD_MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use alloy::primitives::{Address, B256, Bytes};
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use portolan_reader::{Scan, Told};

    use super::*;

    /// Answers every read with its own calldata, and counts requests.
    #[derive(Default)]
    struct Echo {
        requests: AtomicUsize,
        largest: AtomicUsize,
    }

    impl Reader for Echo {
        fn is_usable(&self, _: Instant) -> BoxFuture<'_, bool> {
            async { true }.boxed()
        }

        fn pin(&self, _: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
            async { Err(ReadFailure::NotConfigured) }.boxed()
        }

        /// Whatever is asked of the highest address.
        fn kept(&self, _: u64, _: &Block, read: &Read) -> Option<Reply> {
            (read.to == KEPT).then(|| Reply::fresh(Outcome::Ok(read.data.clone())))
        }

        fn chunk_reads(&self, _: u64) -> usize {
            500
        }

        fn read(&self, _: u64, _: Block, reads: Vec<Read>, _: Instant) -> BoxFuture<'_, Vec<Reply>> {
            self.requests.fetch_add(1, Ordering::SeqCst);
            self.largest.fetch_max(reads.len(), Ordering::SeqCst);
            let replies = reads.into_iter().map(|read| Reply::fresh(Outcome::Ok(read.data))).collect();
            async move { replies }.boxed()
        }

        fn scan(&self, _: u64, _: Block, _: Address, _: Vec<Address>, _: Instant) -> BoxFuture<'_, Scan> {
            async { Scan::default() }.boxed()
        }

        fn transaction(&self, _: u64, _: B256, _: Instant) -> BoxFuture<'_, Result<Told, ReadFailure>> {
            async { Err(ReadFailure::NotConfigured) }.boxed()
        }
    }

    const KEPT: Address = Address::repeat_byte(0xff);

    fn waves(echo: &Arc<Echo>) -> Arc<Waves> {
        let reader = Arc::clone(echo);
        let block = Block { number: 1, hash: B256::ZERO, parent: B256::ZERO, timestamp: 1, evm_number: 1 };
        let deadline = Instant::now() + Duration::from_secs(30);
        Waves::new(reader, 1, block, deadline, Arc::default())
    }

    fn reads(job: u8, count: u8) -> Vec<Read> {
        (0..count).map(|read| Read::call(Address::ZERO, vec![job, read])).collect()
    }

    fn echoed(job: u8, count: u8) -> Vec<Reply> {
        (0..count).map(|read| Reply::fresh(Outcome::Ok(Bytes::from(vec![job, read])))).collect()
    }

    #[tokio::test]
    async fn reads_of_all_jobs_that_wait_leave_together() {
        let echo = Arc::new(Echo::default());
        let waves = waves(&echo);
        let members: Vec<Member> = (0..20).map(|_| waves.join()).collect();
        let jobs = (0_u8..).zip(&members).map(|(job, member)| async move {
            for wave in 1..=3 {
                assert_eq!(member.ask(reads(job, wave)).await, echoed(job, wave));
            }
        });
        futures_util::future::join_all(jobs).await;
        assert_eq!(echo.requests.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_job_that_runs_for_long_holds_the_others_for_the_hold_only() {
        let echo = Arc::new(Echo::default());
        let waves = waves(&echo);
        let (busy, quick) = (waves.join(), waves.join());
        // Long before the deadline of the answer, which is all that would end the wait without the hold.
        let replies = tokio::time::timeout(Duration::from_secs(10), quick.ask(reads(1, 1))).await;
        assert_eq!(replies.ok(), Some(echoed(1, 1)));
        drop(busy);
    }

    #[tokio::test]
    async fn the_end_of_a_running_job_lets_the_waiting_ones_go() {
        let echo = Arc::new(Echo::default());
        let waves = waves(&echo);
        let (ending, waiting) = (waves.join(), waves.join());
        let asked = waiting.ask(reads(1, 2));
        let (replies, ()) = tokio::join!(asked, async move { drop(ending) });
        assert_eq!((replies, echo.requests.load(Ordering::SeqCst)), (echoed(1, 2), 1));
    }

    #[tokio::test]
    async fn a_job_that_gives_up_waiting_leaves_no_trace() {
        let echo = Arc::new(Echo::default());
        let waves = waves(&echo);
        let (gone, busy) = (waves.join(), waves.join());
        assert!(gone.ask(reads(1, 1)).now_or_never().is_none());
        drop(gone);
        assert_eq!(busy.ask(reads(2, 1)).await, echoed(2, 1));
        drop(busy);
        assert!(waves.state().running.is_empty());
    }

    #[tokio::test]
    async fn replies_that_are_kept_need_no_wave_so_jobs_of_any_depth_meet() {
        let echo = Arc::new(Echo::default());
        let waves = waves(&echo);
        let members: Vec<Member> = (0..8).map(|_| waves.join()).collect();
        let jobs = (0_u8..).zip(&members).map(|(depth, member)| async move {
            for step in 0..depth {
                let kept = reads(depth, 2).into_iter().map(|read| Read { to: KEPT, ..read }).collect();
                assert_eq!(member.ask(kept).await, echoed(depth, 2), "step {step}");
            }
            assert_eq!(member.ask(reads(depth, 1)).await, echoed(depth, 1));
        });
        futures_util::future::join_all(jobs).await;
        assert_eq!(echo.requests.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn the_hold_is_an_eighth_of_the_median_round_trip_within_its_bounds() {
        let trips = RoundTrips::default();
        assert_eq!(trips.hold(), HOLD_MIN);
        [24, 900, 24].into_iter().for_each(|ms| trips.took(Duration::from_millis(ms)));
        assert_eq!(trips.hold(), Duration::from_millis(3));
        (0..40).for_each(|_| trips.took(Duration::from_secs(9)));
        assert_eq!(trips.hold(), HOLD_MAX);
    }
}
