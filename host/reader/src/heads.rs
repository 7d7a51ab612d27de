//! One network's pinned block: chosen by age, shared by all answers, followed in the background while somebody asks.
//!
//! The rule: the newest block that was first told a second ago or more, and that a later look told again or went above
//! without contradicting it. At a cold start nothing was seen yet: the newest block if its own timestamp is old enough,
//! else its parent. Invariant: one task makes every look, so callers share it whatever their deadlines, and a lost
//! block is never pinned again. Which endpoint is asked is the source's business, and so is logging of what failed.

mod pace;
mod record;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy::primitives::B256;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use self::record::{Record, Sight};
use crate::{Block, ReadFailure};

/// Without a question for so long, following costs more than the next cold start does.
const IDLE: Duration = Duration::from_secs(30);
/// A newest block this old by its own timestamp has reached the other nodes, or is of a chain that rests.
const OLD_ENOUGH_S: u64 = 2;
/// A look of less time would tell the impatience of one caller as a failure to all.
const LOOK_MIN: Duration = Duration::from_secs(1);
/// A longer look would keep the failure of a dead network from the callers; who has more time looks again.
const LOOK_MAX: Duration = Duration::from_secs(4);
/// The parent spares a retry of the reads, no more: it is not worth a longer wait.
const PARENT_WAIT: Duration = Duration::from_secs(1);
/// The first and the longest pause after a look that failed; it doubles from one to the other.
const BACK_OFF_MIN: Duration = Duration::from_millis(500);
const BACK_OFF_MAX: Duration = Duration::from_secs(4);

/// Who tells blocks.
pub(crate) trait HeadSource: Send + Sync + 'static {
    /// The newest block, by the endpoints in their order.
    fn newest(&self, until: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>>;

    /// A block by its hash.
    fn block(&self, hash: B256, until: Instant) -> BoxFuture<'_, Result<Option<Block>, ReadFailure>>;
}

/// Unix seconds.
type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// One network's heads and its pin.
pub(crate) struct Heads {
    source: Arc<dyn HeadSource>,
    clock: Clock,
    state: Mutex<State>,
    /// Ends the follower's pause.
    wake: Arc<Notify>,
    /// Counts the looks that ended.
    looks: watch::Sender<u64>,
}

struct State {
    record: Record,
    /// When a pin was asked for last.
    asked: Instant,
    /// The record cannot tell a pin by age: the next look settles one by the rule of the cold start.
    cold: bool,
    looking: bool,
    /// Somebody waits for a look, until then.
    wanted: Option<Instant>,
    /// What the last look came to, if it failed.
    failed: Option<Failed>,
    follower: Option<AbortHandle>,
}

#[derive(Clone, Copy)]
struct Failed {
    failure: ReadFailure,
    /// When its time ran out, if that ended it.
    ran_out: Option<Instant>,
    pause: Duration,
}

/// What the follower does next.
enum Turn {
    Wait,
    Look(Instant),
}

/// What a look needs after the newest block is known.
enum Next {
    Done,
    Again,
    Parent,
}

impl Heads {
    pub(crate) fn new(source: Arc<dyn HeadSource>) -> Arc<Self> {
        Self::with_clock(source, Box::new(unix_s))
    }

    fn with_clock(source: Arc<dyn HeadSource>, clock: Clock) -> Arc<Self> {
        let state = State {
            record: Record::default(),
            asked: Instant::now(),
            cold: true,
            looking: false,
            wanted: None,
            failed: None,
            follower: None,
        };
        Arc::new(Self { source, clock, state: Mutex::new(state), wake: Arc::default(), looks: watch::Sender::new(0) })
    }

    /// The block that an answer which starts now is at; without any request while heads are followed.
    pub(crate) async fn pin(self: &Arc<Self>, deadline: Instant) -> Result<Block, ReadFailure> {
        let mut looks = self.looks.subscribe();
        let mut has_waited = false;
        loop {
            if let Some(answer) = self.ask(deadline, has_waited) {
                return answer;
            }
            let Ok(Ok(())) = timeout_at(deadline, looks.changed()).await else { return Err(ReadFailure::Timeout) };
            has_waited = true;
        }
    }

    /// No endpoint knows the block any more.
    pub(crate) fn lost(&self, block: &Block) {
        let mut state = self.state.lock();
        if state.record.lose(block.hash) {
            state.cold = true;
        }
    }

    /// The pinned block, however old.
    pub(crate) fn current(&self) -> Option<Block> {
        self.state.lock().record.pinned()
    }

    /// Time from block to block, once it is learned.
    pub(crate) fn block_time(&self) -> Option<Duration> {
        self.state.lock().record.block_time()
    }

    /// The pin or why there is none, as far as it is known; a look is asked for where it is not.
    fn ask(self: &Arc<Self>, deadline: Instant, has_waited: bool) -> Option<Result<Block, ReadFailure>> {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.asked = now;
        if state.follower.as_ref().is_none_or(AbortHandle::is_finished) {
            self.start(&mut state);
        }
        if let Some(block) = state.ready(now) {
            return Some(Ok(block));
        }
        if let Some(failed) = state.failed {
            // The look had less time than this caller has, who was there before it failed.
            let has_more = has_waited && failed.ran_out.is_some_and(|until| until < deadline);
            if !has_more {
                return Some(Err(failed.failure));
            }
        }
        state.cold = true;
        if !state.looking {
            state.wanted = state.wanted.max(Some(deadline));
            self.wake.notify_one();
        }
        None
    }

    fn start(self: &Arc<Self>, state: &mut State) {
        state.cold = true;
        state.looking = false;
        state.wanted = None;
        // What an earlier follower met is no news.
        state.failed = None;
        let follower = follow(Arc::downgrade(self), Arc::clone(&self.source), Arc::clone(&self.wake));
        state.follower = Some(tokio::spawn(follower).abort_handle());
    }

    /// None once nobody has asked for long.
    fn turn(&self, due: Instant) -> Option<Turn> {
        let now = Instant::now();
        let mut state = self.state.lock();
        if now.duration_since(state.asked) >= IDLE {
            state.follower = None;
            return None;
        }
        if now < due && state.wanted.is_none() {
            return Some(Turn::Wait);
        }
        state.looking = true;
        let wanted = state.wanted.take().unwrap_or(now + LOOK_MAX);
        Some(Turn::Look(wanted.clamp(now + LOOK_MIN, now + LOOK_MAX)))
    }

    fn note(&self, head: &Block) -> Next {
        let now = Instant::now();
        let mut state = self.state.lock();
        state.cold |= !state.record.is_usable(now);
        let sight = state.record.see(*head, now);
        if !state.cold {
            return Next::Done;
        }
        if sight == Sight::Behind {
            // Somebody waits, and cannot be told that this node lags without asking on.
            return Next::Again;
        }
        if state.record.shared(now).is_none() {
            let is_young = head.timestamp.saturating_add(OLD_ENOUGH_S) > (self.clock)();
            if state.record.is_lost(head.hash) || (is_young && head.number > 0) {
                return Next::Parent;
            }
            state.record.adopt(*head, now);
        }
        state.cold = false;
        Next::Done
    }

    /// The end of a cold start whose newest block is too young, or lost.
    fn settle(&self, head: Block, parent: Option<Block>) -> Result<(), ReadFailure> {
        let mut state = self.state.lock();
        // A young block that not every node may know is still better than none: reads at it are tried again.
        let known = parent.filter(|block| block.hash == head.parent).into_iter().chain([head]);
        let Some(block) = known.into_iter().find(|block| !state.record.is_lost(block.hash)) else {
            return Err(ReadFailure::BlockLost);
        };
        state.record.adopt(block, Instant::now());
        state.cold = false;
        Ok(())
    }

    /// Tells those who wait how the look ended; gives the pause before the next one.
    fn finish(&self, looked: Result<(), ReadFailure>, until: Instant) -> Duration {
        let mut state = self.state.lock();
        state.looking = false;
        let before = state.failed.take().map_or(Duration::ZERO, |failed| failed.pause);
        let pause = match looked {
            Ok(()) => state.record.poll_every(),
            Err(failure) => {
                let pause = (before * 2).clamp(BACK_OFF_MIN, BACK_OFF_MAX);
                let ran_out = (Instant::now() >= until).then_some(until);
                state.failed = Some(Failed { failure, ran_out, pause });
                pause
            }
        };
        drop(state);
        self.looks.send_modify(|looks| *looks = looks.wrapping_add(1));
        pause
    }
}

impl State {
    /// The pin, if it needs no look.
    fn ready(&mut self, now: Instant) -> Option<Block> {
        if let Some(block) = self.record.shared(now) {
            return Some(block);
        }
        // A cold start that failed leaves what was seen before it, while that is usable.
        let may_choose = self.record.is_usable(now) && (!self.cold || self.failed.is_some());
        if may_choose { self.record.choose(now) } else { None }
    }
}

impl Drop for Heads {
    fn drop(&mut self) {
        if let Some(follower) = &self.state.lock().follower {
            follower.abort();
        }
    }
}

/// Looks at once, then again and again while somebody asks. It holds no [`Heads`] while it waits.
async fn follow(heads: Weak<Heads>, source: Arc<dyn HeadSource>, wake: Arc<Notify>) {
    let mut due = Instant::now();
    while let Some(turn) = heads.upgrade().and_then(|heads| heads.turn(due)) {
        match turn {
            Turn::Wait => drop(timeout_at(due, wake.notified()).await),
            Turn::Look(until) => {
                let looked = look(&heads, &*source, until).await;
                let Some(heads) = heads.upgrade() else { return };
                due = Instant::now() + heads.finish(looked, until);
            }
        }
    }
}

async fn look(heads: &Weak<Heads>, source: &dyn HeadSource, until: Instant) -> Result<(), ReadFailure> {
    loop {
        let head = timeout_at(until, source.newest(until)).await.map_err(|_| ReadFailure::Timeout)??;
        let next = heads.upgrade().map_or(Next::Done, |heads| heads.note(&head));
        match next {
            Next::Done => return Ok(()),
            Next::Again => {}
            Next::Parent => {
                let until = until.min(Instant::now() + PARENT_WAIT);
                let told = timeout_at(until, source.block(head.parent, until)).await;
                let parent = told.ok().and_then(Result::ok).flatten();
                return heads.upgrade().map_or(Ok(()), |heads| heads.settle(head, parent));
            }
        }
    }
}

/// The local clock, which may be wrong: nothing waits by it.
fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
