//! The reads of one answer on one network, at one pinned block and until one deadline.
//!
//! Jobs take part in batches: a batch is flushed when it fills a request, when no participant can run on without
//! replies, when it has lingered for long enough, or when the deadline is near. Invariants: a participant that waits
//! is not in `running`, so the last one to read flushes. A read is looked up and charged to the answer's budget once,
//! whether it is cached or not.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span, debug_span};

use crate::endpoints::round_trips::{LINGER_MAX, LINGER_PARTICIPANTS, LINGER_STEP, LINGERS_MAX};
use crate::read_joiner::ReadJoiner;
use crate::{
    ApprovalQuery, Block, Effort, FoundApprovals, GasPrice, Lookup, Outcome, Read, ReadBudget, ReadFailure, ReadSet,
    Reader, Reply, ReplySet, Run, SearchEnd, Sender, SharedListPart, SharedLookup, Simulation,
};

/// Reads one network at one block.
pub struct Session {
    reader: Arc<dyn Reader>,
    chain_id: u64,
    block: Block,
    /// True if a client named the block.
    is_past: bool,
    deadline: Instant,
    /// Budget of the answer.
    budget: Arc<ReadBudget>,
    /// Number of queued reads that fill a request, so that they are flushed at once.
    chunk_reads: usize,
    /// Joins its reads with those of other answers.
    joiner: Option<Arc<ReadJoiner>>,
    block_lost: AtomicBool,
    state: Mutex<State>,
    /// Span of the answer.
    span: Span,
}

#[derive(Default)]
struct State {
    participants: u64,
    /// Participants that run and may still read.
    running: BTreeSet<u64>,
    queue: Vec<Queued>,
    queued_reads: usize,
    /// Number of flushed batches.
    flushed: u64,
    /// Number of times that a participant read something or stopped running.
    steps: u64,
}

impl State {
    fn stop(&mut self, participant: u64) {
        self.running.remove(&participant);
        self.steps += 1;
    }

    /// How many times as long as for few participants a batch lingers.
    fn lingers(&self) -> u32 {
        u32::try_from(1 + self.running.len() / LINGER_PARTICIPANTS).unwrap_or(u32::MAX)
    }
}

/// Who waits for queued reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiter {
    Participant(u64),
    /// Another network's participant.
    Guest,
    /// Somebody who needs the replies only after the participants' reads.
    NextBatch,
}

impl Waiter {
    fn participant(self) -> Option<u64> {
        match self {
            Self::Participant(id) => Some(id),
            Self::Guest | Self::NextBatch => None,
        }
    }
}

/// The reads of one step that were not in the cache.
struct Queued {
    waiter: Waiter,
    reads: ReadSet,
    replies: oneshot::Sender<Vec<Reply>>,
}

/// A job's part in the batches of its network's session; it runs unless it waits for replies.
#[derive(Debug)]
pub struct Participant {
    session: Arc<Session>,
    id: u64,
}

impl Participant {
    /// Looks into the cache without fetching or charging the budget. Counts as a step of the participant.
    pub fn peek(&self, reads: ReadSet) -> Lookup {
        self.session.state().steps += 1;
        self.session.peek(reads)
    }

    /// Waits for the replies to reads of the participant's own network, one for each, in order.
    pub async fn read(&self, reads: Vec<Read>) -> Vec<Reply> {
        self.complete(self.session.look_up(reads.into())).await
    }

    /// Like [`Self::read`], for reads that were already looked up.
    pub async fn complete(&self, lookup: Lookup) -> Vec<Reply> {
        self.session.complete_in_batch(Waiter::Participant(self.id), lookup).await
    }

    /// Waits for something other than reads of this network. No batch waits for the participant meanwhile.
    pub async fn suspend<F: Future>(&self, waiting: F) -> F::Output {
        self.session.state().stop(self.id);
        self.session.flush_if_due();
        let output = waiting.await;
        self.session.state().running.insert(self.id);
        output
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        self.session.state().stop(self.id);
        self.session.flush_if_due();
    }
}

impl Session {
    /// Opens a session of this network at this block.
    pub fn open(
        reader: Arc<dyn Reader>,
        chain_id: u64,
        block: Block,
        deadline: Instant,
        budget: Arc<ReadBudget>,
    ) -> Arc<Self> {
        Arc::new(Self::new(reader, chain_id, block, deadline, budget))
    }

    /// Opens another session at the same block and with the same budget, but with its own deadline.
    pub fn until(&self, deadline: Instant) -> Arc<Self> {
        self.with(|session| session.deadline = deadline)
    }

    /// Opens the same session for a block that a client named, where facts about newer blocks do not hold.
    pub fn past(&self) -> Arc<Self> {
        self.with(|session| session.is_past = true)
    }

    /// Opens the same session for an answer that nobody waits for: its reads are joined with those of others.
    pub fn joining(&self, joiner: &Arc<ReadJoiner>) -> Arc<Self> {
        self.with(|session| session.joiner = Some(Arc::clone(joiner)))
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> Arc<Self> {
        let (reader, budget) = (Arc::clone(&self.reader), Arc::clone(&self.budget));
        let new = Self::new(reader, self.chain_id, self.block, self.deadline, budget);
        let mut session = Self { is_past: self.is_past, joiner: self.joiner.clone(), span: self.span.clone(), ..new };
        change(&mut session);
        Arc::new(session)
    }

    fn new(reader: Arc<dyn Reader>, chain_id: u64, block: Block, deadline: Instant, budget: Arc<ReadBudget>) -> Self {
        let chunk_reads = reader.chunk_reads(chain_id);
        let (joiner, block_lost, state) = Default::default();
        let (is_past, span) = (false, Span::current());
        Self { reader, chain_id, block, is_past, deadline, budget, chunk_reads, joiner, block_lost, state, span }
    }

    pub fn chain_id(&self) -> u64 {
        self.chain_id
    }

    pub fn block(&self) -> &Block {
        &self.block
    }

    /// Returns true if a client named the block, so that facts about newer blocks do not hold.
    pub fn is_past(&self) -> bool {
        self.is_past
    }

    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns true if no endpoint knew the block any more: the answer has to be read again at another block.
    pub fn block_lost(&self) -> bool {
        self.block_lost.load(Ordering::Relaxed)
    }

    /// Charges reads to the answer's budget and looks into the cache. All of them fail if the budget does not allow
    /// them.
    pub fn look_up(&self, reads: ReadSet) -> Lookup {
        if !self.take_reads(reads.len()) {
            self.budget.note_failure();
            return Lookup::failed(&reads, ReadFailure::OverBudget);
        }
        self.peek(reads)
    }

    /// Looks into the cache without charging the budget, for reads that are made early or again and charged
    /// elsewhere.
    pub fn peek(&self, reads: ReadSet) -> Lookup {
        let hits = self.reader.cached(self.chain_id, &self.block, self.is_past, &reads);
        Lookup::new(reads, hits)
    }

    /// Charges reads that were peeked at to the answer's budget; returns false if it does not allow them.
    pub fn take_reads(&self, count: usize) -> bool {
        self.budget.take_reads(count)
    }

    /// Returns true if there are other gateways to share lists with.
    pub fn shares_lists(&self) -> bool {
        self.reader.shares_lists()
    }

    /// Returns the parts of lists that other gateways share under these keys, each with the place of its key.
    pub async fn shared_list_parts(&self, keys: &[Vec<u8>]) -> Vec<(usize, SharedListPart)> {
        self.reader.shared_list_parts(self.chain_id, keys).await
    }

    /// Shares a part of a list that was read at the session's block.
    pub fn share_list_part(&self, key: &[u8], bytes: &[u8]) {
        self.reader.share_list_part(self.chain_id, key, &self.block, bytes);
    }

    /// Drops the cached reply to a read, because the chain contradicts it.
    pub fn refute(&self, read: &Read) {
        self.reader.refute(self.chain_id, read);
    }

    /// Simulates transactions, each of its sender, apart from any batch. Returns one result for each, in order: `None`
    /// if a simulation does not fit into a request, or no endpoint has a method with so little effort.
    pub async fn simulate(
        &self,
        simulations: &[(&Sender, &Simulation)],
        effort: Effort,
    ) -> Vec<Result<Option<Run>, ReadFailure>> {
        let reads: Vec<Option<Read>> =
            simulations.iter().map(|(sender, simulation)| simulation.read(sender, effort)).collect();
        let mut replies = self.read(reads.iter().flatten().cloned().collect()).await.into_iter();
        let run = |((_, simulation), read): (&(&Sender, &Simulation), &Option<Read>)| match read {
            Some(_) => {
                replies.next().map_or(Err(ReadFailure::Upstream), |reply| simulation.run(self.chain_id, &reply.outcome))
            }
            None => Ok(None),
        };
        simulations.iter().zip(&reads).map(run).collect()
    }

    /// Returns the gas price after the session's block.
    pub async fn gas_price(&self) -> Result<GasPrice, ReadFailure> {
        let price = self.reader.gas_price(self.chain_id, self.block, self.deadline, Arc::clone(&self.budget)).await;
        if price.is_err() {
            self.budget.note_failure();
        }
        price
    }

    /// Searches logs for the approvals of an account, until `deadline`.
    pub async fn approvals(&self, query: ApprovalQuery, deadline: Instant) -> FoundApprovals {
        let found = self.reader.approvals(self.chain_id, query, deadline.min(self.deadline), &self.budget).await;
        if matches!(found.end, SearchEnd::Failed(_)) {
            self.budget.note_failure();
        }
        found
    }

    /// Reads at once, apart from any batch. Returns one reply for each read, in order.
    pub async fn read(&self, reads: Vec<Read>) -> Vec<Reply> {
        self.read_set(reads.into()).await.into_iter().collect()
    }

    /// Like [`Self::read`], for thousands of reads that have much in common.
    pub async fn read_set(&self, reads: ReadSet) -> ReplySet {
        self.complete(self.look_up(reads)).await
    }

    /// Like [`Self::read_set`], for reads that were already looked up.
    pub async fn complete(&self, lookup: Lookup) -> ReplySet {
        let (hits, misses) = lookup.split();
        let count = misses.len();
        let fetched = if count == 0 { ReplySet::default() } else { self.fetch(misses, &[count]).await };
        hits.merge_set(fetched)
    }

    /// Adds a running participant.
    pub fn join(self: &Arc<Self>) -> Participant {
        let mut state = self.state();
        state.participants += 1;
        let id = state.participants;
        state.running.insert(id);
        Participant { session: Arc::clone(self), id }
    }

    /// Waits for the replies to reads of another network's participant. No batch waits for a guest: its reads leave
    /// with the next one, and do not extend its linger.
    pub async fn read_as_guest(self: &Arc<Self>, reads: Vec<Read>) -> Vec<Reply> {
        self.complete_in_batch(Waiter::Guest, self.look_up(reads.into())).await
    }

    /// Waits for the replies to reads that are needed only after those of the participants. They leave with the
    /// participants' next batch, however late it is, and alone only if no participant runs.
    pub async fn read_with_next_batch(self: &Arc<Self>, reads: Vec<Read>) -> Vec<Reply> {
        self.complete_in_batch(Waiter::NextBatch, self.look_up(reads.into())).await
    }

    /// A participant whose reads are all cached runs on at once. So participants meet at the reads that have to be
    /// fetched, however many steps each takes to get there.
    async fn complete_in_batch(self: &Arc<Self>, waiter: Waiter, lookup: Lookup) -> Vec<Reply> {
        let (hits, reads) = lookup.split();
        if reads.is_empty() {
            self.state().steps += u64::from(waiter.participant().is_some());
            return hits.merge([]);
        }
        let count = reads.len();
        let (replies, fetched) = oneshot::channel();
        let begins_linger = {
            let mut state = self.state();
            if let Some(id) = waiter.participant() {
                state.stop(id);
            }
            let lingers = |waiter: Waiter| waiter != Waiter::NextBatch;
            let begins = lingers(waiter) && !state.queue.iter().any(|queued| lingers(queued.waiter));
            state.queued_reads += count;
            state.queue.push(Queued { waiter, reads, replies });
            begins
        };
        if !self.flush_if_due() && begins_linger {
            self.flush_after_linger();
        }
        let fetched = match tokio::time::timeout_at(self.deadline, fetched).await {
            Ok(Ok(fetched)) if fetched.len() == count => fetched,
            _ => {
                self.budget.note_failure();
                vec![Reply::fresh(Outcome::Failed(ReadFailure::Timeout)); count]
            }
        };
        hits.merge(fetched)
    }

    fn flush_if_due(self: &Arc<Self>) -> bool {
        let due = {
            let state = self.state();
            let near = self.deadline.saturating_duration_since(Instant::now()) < LINGER_MAX * 2;
            state.running.is_empty() || state.queued_reads >= self.chunk_reads || near
        };
        if due {
            self.flush();
        }
        due
    }

    /// Flushes the new batch once no participant has made a step for one linger: those that still run are slow. While
    /// participants take turns on the processor, it waits for all of them, and the longer the more they are. It counts
    /// short sleeps instead of elapsed time: if the jobs get no processor time, neither does this task.
    fn flush_after_linger(self: &Arc<Self>) {
        let (session, linger) = (Arc::clone(self), self.reader.linger(self.chain_id));
        let (batch, lingers) = {
            let state = self.state();
            (state.flushed, state.lingers())
        };
        tokio::spawn(async move {
            let (mut last, mut still) = (session.state().steps, Duration::ZERO);
            let (mut left, mut enough) = (linger * LINGERS_MAX * lingers, linger * lingers);
            while still < enough && !left.is_zero() {
                tokio::time::sleep(LINGER_STEP).await;
                left = left.saturating_sub(LINGER_STEP);
                let (flushed, steps, lingers) = {
                    let state = session.state();
                    (state.flushed, state.steps, state.lingers())
                };
                if flushed != batch {
                    return;
                }
                still = if steps == last { still + LINGER_STEP } else { Duration::ZERO };
                (last, enough) = (steps, linger * lingers);
            }
            session.flush();
        });
    }

    /// Sends the queued reads, in a separate task that ends by the deadline.
    fn flush(self: &Arc<Self>) {
        let queue = {
            let mut state = self.state();
            state.queued_reads = 0;
            state.flushed += 1;
            std::mem::take(&mut state.queue)
        };
        if !queue.is_empty() {
            let session = Arc::clone(self);
            tokio::spawn(async move { session.send(queue).await });
        }
    }

    async fn send(self: Arc<Self>, mut queue: Vec<Queued>) {
        let sizes: Vec<usize> = queue.iter().map(|queued| queued.reads.len()).collect();
        let mut reads = ReadSet::default();
        queue.iter_mut().for_each(|queued| reads.append(std::mem::take(&mut queued.reads)));
        let mut fetched = self.fetch(reads, &sizes).await.into_iter();
        // All participants of this batch run again. Count them before the first of them can read.
        let woken =
            queue.iter().filter(|queued| !queued.replies.is_closed()).filter_map(|queued| queued.waiter.participant());
        self.state().running.extend(woken);
        for (queued, size) in queue.into_iter().zip(sizes) {
            let own = fetched.by_ref().take(size).collect();
            // A closed channel belongs to a participant that gave up waiting.
            drop(queued.replies.send(own));
        }
    }

    /// Fetches reads; `parts` are the numbers of reads of each step, in order.
    async fn fetch(&self, reads: ReadSet, parts: &[usize]) -> ReplySet {
        let Self { chain_id, block, .. } = *self;
        let SharedLookup { hits, open } = self.reader.shared(chain_id, &block, self.is_past, &reads, parts).await;
        let (hits, reads) = Lookup::new(reads, hits).split();
        if reads.is_empty() {
            return hits.merge_set(ReplySet::default());
        }
        let span = self.begin_span(reads.len());
        let budget = Arc::clone(&self.budget);
        let fetching = async {
            match &self.joiner {
                Some(joiner) => joiner.fetch(chain_id, block, reads, self.deadline, budget).await,
                None => self.reader.fetch(chain_id, block, reads, self.deadline, budget).await,
            }
        };
        let replies = fetching.instrument(span.clone()).await;
        let is_failed = |(_, outcome): &(usize, &Outcome)| matches!(outcome, Outcome::Failed(_));
        let failed = replies.besides_zeros().filter(is_failed).count();
        span.record("failed", integer(failed));
        if failed > 0 {
            self.budget.note_failure();
        }
        let lost = Outcome::Failed(ReadFailure::BlockLost);
        if replies.contains(&lost) {
            self.block_lost.store(true, Ordering::Relaxed);
        }
        self.reader.share(chain_id, &block, &open, &replies);
        hits.merge_set(replies)
    }

    /// Begins a batch's span below the answer's, whichever task sends it. Disabled if the answer has no span.
    fn begin_span(&self, reads: usize) -> Span {
        if self.span.is_disabled() {
            return Span::none();
        }
        let (chain_id, block, reads) = (integer(self.chain_id), integer(self.block.number), integer(reads));
        debug_span!(parent: &self.span, "batch", chain_id, block, reads, failed = Empty)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Converts a number for a span's field, which is signed.
fn integer(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { chain_id, block, .. } = self;
        f.debug_struct("Session").field("chain_id", chain_id).field("block", block).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
