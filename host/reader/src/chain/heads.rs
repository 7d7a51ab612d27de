//! One network's pinned block: chosen by age, shared by all answers, and followed in the background while pins are
//! requested.
//!
//! The rule: pin the newest block that was first reported a second ago or more, and that a later poll confirmed, by
//! the same head or by a higher one that does not contradict it. A cold start has no reports yet: it takes the newest
//! block if its own timestamp is old enough, else its parent.
//!
//! Invariant: one task makes every poll, so that callers share it whatever their deadlines. A lost block is pinned
//! again only if the chain reports no other. The source chooses the endpoint and logs failures.
//!
//! Other gateways' reports spare polls and lead to the same pins. They only go on from what own endpoints reported:
//! none sets a head back, and own polls go on, if less often.

mod block_time;
mod record;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use alloy::primitives::B256;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use self::record::{HeadRecord, Observation};
use crate::chain::block::unix_s;
use crate::{Block, ReadFailure};

/// Time without a pin after which following stops: it would cost more than the next cold start.
const IDLE_MAX: Duration = Duration::from_secs(30);
/// Age, by its own timestamp, at which a newest block has reached the other nodes, or its chain rests.
const OLD_ENOUGH_S: u64 = 2;
/// Minimum time of a poll, so that one caller's short deadline is not a failure for all.
const POLL_TIMEOUT_MIN: Duration = Duration::from_secs(1);
/// Maximum time of a poll, so that callers soon learn that a network is dead. A caller with a later deadline polls
/// again.
const POLL_TIMEOUT_MAX: Duration = Duration::from_secs(4);
/// Time to wait for the parent, which only spares a retry of the reads.
const PARENT_TIMEOUT: Duration = Duration::from_secs(1);
/// Shortest and longest pause after a failed poll; it doubles from one to the other.
const BACK_OFF_MIN: Duration = Duration::from_millis(500);
const BACK_OFF_MAX: Duration = Duration::from_secs(4);
/// Maximum blocks above the highest reported head that are worth a wait: another gateway's pin is some seconds ahead, and
/// the fastest networks have four blocks a second.
const AHEAD_MAX: u64 = 64;

/// A source of blocks: the endpoints of one network.
pub(crate) trait HeadSource: Send + Sync + 'static {
    /// Returns the newest block, from the first endpoint that replies.
    fn newest(&self, until: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// Returns the block with this hash.
    fn block(&self, hash: B256, until: Instant) -> BoxFuture<'_, Result<Option<Block>, ReadFailure>>;
}

/// Reports a head, or (true) a pin, to other gateways.
type Announce = Box<dyn Fn(&Block, bool) + Send + Sync>;

/// Unix seconds.
type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// The heads of one network and its pinned block.
pub(crate) struct Heads {
    source: Arc<dyn HeadSource>,
    clock: Clock,
    state: Mutex<PinState>,
    /// Ends the follower's pause.
    wake: Arc<Notify>,
    /// Number of polls that ended.
    polls: watch::Sender<u64>,
    announce: OnceLock<Announce>,
}

struct PinState {
    record: HeadRecord,
    /// When a pin was last requested.
    requested: Instant,
    /// True if no pin can be chosen by age: the next poll chooses one by the rule of the cold start.
    cold: bool,
    polling: bool,
    /// Latest deadline of the callers that wait for a poll.
    wanted: Option<Instant>,
    /// Latest deadline of the callers that wait for a newer block than the pin.
    hurried_until: Option<Instant>,
    /// When the next poll is due, as other gateways have polled.
    deferred_until: Option<Instant>,
    /// A pin that was chosen and is not announced yet.
    chosen: Option<Block>,
    /// The last poll, if it failed.
    failed: Option<FailedPoll>,
    follower: Option<AbortHandle>,
}

#[derive(Clone, Copy)]
struct FailedPoll {
    failure: ReadFailure,
    /// Deadline of the poll, if it timed out.
    timed_out_at: Option<Instant>,
    pause: Duration,
    /// When the next poll is due.
    next_at: Instant,
}

/// The next action of the follower.
enum FollowerStep {
    /// Wait until this instant, or until it is woken.
    Wait(Instant),
    /// Poll until this instant.
    Poll(Instant),
}

/// The request that a poll needs after the newest block.
enum NextRequest {
    None,
    Newest,
    Parent,
}

impl Heads {
    pub(crate) fn new(source: Arc<dyn HeadSource>) -> Arc<Self> {
        Self::with_clock(source, Box::new(unix_s))
    }

    fn with_clock(source: Arc<dyn HeadSource>, clock: Clock) -> Arc<Self> {
        let state = PinState {
            record: HeadRecord::default(),
            requested: Instant::now(),
            cold: true,
            polling: false,
            wanted: None,
            hurried_until: None,
            deferred_until: None,
            chosen: None,
            failed: None,
            follower: None,
        };
        Arc::new(Self {
            source,
            clock,
            state: Mutex::new(state),
            wake: Arc::default(),
            polls: watch::Sender::new(0),
            announce: OnceLock::new(),
        })
    }

    /// Announces heads and pins from now on; may be called once.
    pub(crate) fn announce_by(&self, announce: Announce) {
        drop(self.announce.set(announce));
    }

    fn announce(&self, block: &Block, is_pin: bool) {
        if let Some(announce) = self.announce.get() {
            announce(block, is_pin);
        }
    }

    /// Takes what another gateway announced, if heads are followed here. A head counts as a poll's, within bounds.
    pub(crate) fn take(&self, block: &Block, is_pin: bool) {
        let now = Instant::now();
        let mut state = self.state.lock();
        if state.cold || state.failed.is_some() || state.follower.is_none() {
            return;
        }
        if is_pin {
            state.record.pin_with_peer(block, now);
        } else if let Some(own_poll_at) = state.record.observe_peer(*block, now) {
            // Whoever polls goes on, and another gateway takes over if it does not.
            let pause = state.record.poll_interval().mul_f64(1.1 + fastrand::f64() / 2.0);
            state.deferred_until = Some((now + pause).min(own_poll_at));
        }
        drop(state);
        self.polls.send_modify(|polls| *polls = polls.wrapping_add(1));
    }

    /// Returns the block at which an answer that starts now is read. Makes no request while heads are followed.
    pub(crate) async fn pin(self: &Arc<Self>, deadline: Instant) -> Result<Block, ReadFailure> {
        let mut polls = self.polls.subscribe();
        let mut has_waited = false;
        loop {
            if let Some(pinned) = self.try_pin(deadline, has_waited) {
                return pinned;
            }
            let Ok(Ok(())) = timeout_at(deadline, polls.changed()).await else { return Err(ReadFailure::Timeout) };
            has_waited = true;
        }
    }

    /// Waits for a pin other than `known`, and returns it.
    ///
    /// # Errors
    /// [`ReadFailure::Timeout`] if there is none in time.
    pub(crate) async fn next_pin(self: &Arc<Self>, known: B256, deadline: Instant) -> Result<Block, ReadFailure> {
        let mut polls = self.polls.subscribe();
        loop {
            let pinned = self.pin(deadline).await?;
            if pinned.hash != known {
                return Ok(pinned);
            }
            let Ok(Ok(())) = timeout_at(deadline, polls.changed()).await else { return Err(ReadFailure::Timeout) };
        }
    }

    /// Returns a pin that is at least as high as `min`. The pin goes on by the same rule, but at once, although answers
    /// share the older one still; and heads are polled as often as they may be until there is one.
    ///
    /// # Errors
    /// [`ReadFailure::Behind`] if there is none in time, and at once if `min` is far above all heads.
    pub(crate) async fn pin_from(self: &Arc<Self>, min: u64, deadline: Instant) -> Result<Block, ReadFailure> {
        let mut polls = self.polls.subscribe();
        loop {
            let shared = self.pin(deadline).await?;
            let pinned = if shared.number < min { self.hurry(min, deadline)?.unwrap_or(shared) } else { shared };
            if pinned.number >= min {
                return Ok(pinned);
            }
            let Ok(Ok(())) = timeout_at(deadline, polls.changed()).await else { return Err(ReadFailure::Behind) };
        }
    }

    /// Makes the follower poll more often until then, and pins the newest block that is old enough.
    fn hurry(&self, min: u64, until: Instant) -> Result<Option<Block>, ReadFailure> {
        let now = Instant::now();
        let mut state = self.state.lock();
        if state.record.highest().is_some_and(|highest| min > highest.saturating_add(AHEAD_MAX)) {
            return Err(ReadFailure::Behind);
        }
        state.hurried_until = state.hurried_until.max(Some(until));
        self.wake.notify_one();
        let pinned = if state.record.is_usable(now) { state.choose(now) } else { None };
        let chosen = state.chosen.take();
        drop(state);
        chosen.iter().for_each(|chosen| self.announce(chosen, true));
        Ok(pinned)
    }

    /// Marks a block that no endpoint knows any more, so that it is not pinned again.
    pub(crate) fn mark_lost(&self, block: &Block) {
        let mut state = self.state.lock();
        if state.record.mark_lost(block.hash, Instant::now()) {
            state.cold = true;
        }
    }

    /// Returns the pinned block, however old.
    pub(crate) fn pinned(&self) -> Option<Block> {
        self.state.lock().record.pinned()
    }

    /// Returns the hash of the block that was last seen at this height. It may have been replaced since.
    pub(crate) fn hash_at(&self, number: u64) -> Option<B256> {
        self.state.lock().record.hash_at(number)
    }

    /// Returns the time from block to block, once it is learned.
    pub(crate) fn block_time(&self) -> Option<Duration> {
        self.state.lock().record.block_time()
    }

    /// Returns the pin, or why there is none; `None` if the caller has to wait for a poll.
    fn try_pin(self: &Arc<Self>, deadline: Instant, has_waited: bool) -> Option<Result<Block, ReadFailure>> {
        let mut state = self.state.lock();
        let pinned = self.try_pin_by(&mut state, deadline, has_waited);
        let chosen = state.chosen.take();
        drop(state);
        chosen.iter().for_each(|chosen| self.announce(chosen, true));
        pinned
    }

    fn try_pin_by(
        self: &Arc<Self>,
        state: &mut PinState,
        deadline: Instant,
        has_waited: bool,
    ) -> Option<Result<Block, ReadFailure>> {
        let now = Instant::now();
        state.requested = now;
        if state.follower.as_ref().is_none_or(AbortHandle::is_finished) {
            self.start_follower(state);
        }
        if let Some(block) = state.ready(now) {
            return Some(Ok(block));
        }
        if let Some(failed) = state.failed {
            // The poll had less time than this caller, who waited for it.
            let has_more = has_waited && failed.timed_out_at.is_some_and(|until| until < deadline);
            if failed.failure == ReadFailure::BlockLost && failed.next_at < deadline {
                // The chain still has the block, or soon another: the next poll may find either.
                return None;
            }
            if !has_more {
                return Some(Err(failed.failure));
            }
        }
        state.cold = true;
        if !state.polling {
            state.wanted = state.wanted.max(Some(deadline));
            self.wake.notify_one();
        }
        None
    }

    fn start_follower(self: &Arc<Self>, state: &mut PinState) {
        state.cold = true;
        state.polling = false;
        state.wanted = None;
        // The failure of an earlier follower says nothing about the present.
        state.failed = None;
        let follower = follow(Arc::downgrade(self), Arc::clone(&self.source), Arc::clone(&self.wake));
        state.follower = Some(tokio::spawn(follower).abort_handle());
    }

    /// Returns the follower's next step; `None` once no pin was requested for [`IDLE_MAX`].
    fn next_step(&self, due: Instant) -> Option<FollowerStep> {
        let now = Instant::now();
        let mut state = self.state.lock();
        if now.duration_since(state.requested) >= IDLE_MAX {
            state.follower = None;
            return None;
        }
        let due = state.due(due, now);
        if now < due && state.wanted.is_none() {
            return Some(FollowerStep::Wait(due));
        }
        state.polling = true;
        let wanted = state.wanted.take().unwrap_or(now + POLL_TIMEOUT_MAX);
        Some(FollowerStep::Poll(wanted.clamp(now + POLL_TIMEOUT_MIN, now + POLL_TIMEOUT_MAX)))
    }

    fn record_head(&self, head: &Block) -> NextRequest {
        let (next, observation) = self.observe(head);
        if observation == Observation::Accepted {
            self.announce(head, false);
        }
        next
    }

    fn observe(&self, head: &Block) -> (NextRequest, Observation) {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.cold |= !state.record.is_usable(now);
        let observation = state.record.observe(*head, now);
        (self.next_request(&mut state, head, observation, now), observation)
    }

    fn next_request(&self, state: &mut PinState, head: &Block, observation: Observation, now: Instant) -> NextRequest {
        if !state.cold {
            return NextRequest::None;
        }
        if observation == Observation::Behind {
            // A caller waits, and only further requests show if this node lags.
            return NextRequest::Newest;
        }
        if state.record.shared(now).is_none() {
            let is_young = head.timestamp.saturating_add(OLD_ENOUGH_S) > (self.clock)();
            if state.record.is_lost(head.hash) || (is_young && head.number > 0) {
                return NextRequest::Parent;
            }
            state.record.pin(*head, now);
        }
        state.cold = false;
        NextRequest::None
    }

    /// Ends a cold start whose newest block is too young, or lost.
    fn end_cold_start(&self, head: Block, parent: Option<Block>) -> Result<(), ReadFailure> {
        let mut state = self.state.lock();
        // A young block that some nodes may not know is better than none: reads at it are retried.
        let known: Vec<Block> = parent.filter(|block| block.hash == head.parent).into_iter().chain([head]).collect();
        let now = Instant::now();
        let found = known.iter().find(|block| !state.record.is_lost(block.hash));
        // If both were lost, their endpoints may have been out of step for a moment.
        let found = found.or_else(|| known.iter().find(|block| state.record.may_be_known(block.hash, now)));
        let block = *found.ok_or(ReadFailure::BlockLost)?;
        state.record.pin(block, now);
        state.cold = false;
        Ok(())
    }

    /// Wakes the callers that wait for the poll, and returns the pause before the next one.
    fn finish_poll(&self, polled: Result<(), ReadFailure>, until: Instant) -> Duration {
        let mut state = self.state.lock();
        state.polling = false;
        let before = state.failed.take().map_or(Duration::ZERO, |failed| failed.pause);
        let pause = match polled {
            Ok(()) => state.record.poll_interval(),
            Err(failure) => {
                let pause = (before * 2).clamp(BACK_OFF_MIN, BACK_OFF_MAX);
                let now = Instant::now();
                let timed_out_at = (now >= until).then_some(until);
                state.failed = Some(FailedPoll { failure, timed_out_at, pause, next_at: now + pause });
                pause
            }
        };
        drop(state);
        self.polls.send_modify(|polls| *polls = polls.wrapping_add(1));
        pause
    }
}

impl PinState {
    /// Returns when the next poll is due, which is sooner while callers wait for a newer block.
    fn due(&self, regular: Instant, now: Instant) -> Instant {
        let regular = self.deferred_until.map_or(regular, |deferred| deferred.max(regular));
        let is_hurried = self.failed.is_none() && self.hurried_until.is_some_and(|until| now < until);
        let soonest = self.record.soonest_poll().filter(|_| is_hurried);
        soonest.map_or(regular, |soonest| soonest.min(regular))
    }

    /// Returns the pin if it needs no poll.
    fn ready(&mut self, now: Instant) -> Option<Block> {
        if let Some(block) = self.record.shared(now) {
            return Some(block);
        }
        // After a failed cold start, earlier observations still count while they are usable.
        let may_choose = self.record.is_usable(now) && (!self.cold || self.failed.is_some());
        if may_choose { self.choose(now) } else { None }
    }

    /// Pins the newest block that is old enough, and returns the pin.
    fn choose(&mut self, now: Instant) -> Option<Block> {
        let before = self.record.pinned();
        let pinned = self.record.choose(now);
        self.chosen = pinned.filter(|_| pinned != before);
        pinned
    }
}

impl Drop for Heads {
    fn drop(&mut self) {
        if let Some(follower) = &self.state.lock().follower {
            follower.abort();
        }
    }
}

/// Polls at once, and repeatedly while pins are requested. Does not keep [`Heads`] alive while it waits.
async fn follow(heads: Weak<Heads>, source: Arc<dyn HeadSource>, wake: Arc<Notify>) {
    let mut due = Instant::now();
    while let Some(step) = heads.upgrade().and_then(|heads| heads.next_step(due)) {
        match step {
            FollowerStep::Wait(until) => drop(timeout_at(until, wake.notified()).await),
            FollowerStep::Poll(until) => {
                let polled = poll(&heads, &*source, until).await;
                let Some(heads) = heads.upgrade() else { return };
                due = Instant::now() + heads.finish_poll(polled, until);
            }
        }
    }
}

async fn poll(heads: &Weak<Heads>, source: &dyn HeadSource, until: Instant) -> Result<(), ReadFailure> {
    loop {
        let head = timeout_at(until, source.newest(until)).await.map_err(|_| ReadFailure::Timeout)??;
        let next = heads.upgrade().map_or(NextRequest::None, |heads| heads.record_head(&head));
        match next {
            NextRequest::None => return Ok(()),
            NextRequest::Newest => {}
            NextRequest::Parent => {
                let until = until.min(Instant::now() + PARENT_TIMEOUT);
                let reply = timeout_at(until, source.block(head.parent, until)).await;
                let parent = reply.ok().and_then(Result::ok).flatten();
                return heads.upgrade().map_or(Ok(()), |heads| heads.end_cold_start(head, parent));
            }
        }
    }
}
