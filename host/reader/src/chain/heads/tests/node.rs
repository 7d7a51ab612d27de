//! A source whose head the test sets. It counts its requests.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alloy::primitives::B256;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::time::{Instant, advance, sleep};

use super::super::{HeadSource, Heads};
use crate::{Block, ReadFailure};

/// The local clock when a test begins.
pub(super) const NOW_S: u64 = 1_700_000_000;
/// A timestamp that is old enough to be pinned at a cold start.
pub(super) const OLD_S: u64 = NOW_S - 2;
/// A timestamp that is too young for that.
pub(super) const YOUNG_S: u64 = NOW_S - 1;

/// A block whose hash contains its fork and number; its parent is of the same fork.
pub(super) fn block(number: u64, timestamp: u64) -> Block {
    fork(0, number, timestamp)
}

pub(super) fn fork(fork: u8, number: u64, timestamp: u64) -> Block {
    let (hash, parent) = (hash(fork, number), hash(fork, number.wrapping_sub(1)));
    Block { number, hash, parent, timestamp, evm_number: number }
}

pub(super) fn hash(fork: u8, number: u64) -> B256 {
    let mut hash = B256::left_padding_from(&number.to_be_bytes());
    hash[0] = fork;
    hash
}

/// The replies to requests for the newest block.
#[derive(Clone, Copy)]
pub(super) enum Newest {
    Head(Block),
    Fails(ReadFailure),
    Hangs,
    /// One more block after each such time, from number 100 at the start of the test; the first is old enough.
    Grows(Duration),
}

/// The reply to a request for a block by its hash.
#[derive(Clone, Copy)]
pub(super) enum Parent {
    Known,
    Unknown,
    /// Another block than the requested one.
    Wrong,
}

pub(super) struct HeadNode {
    started: Instant,
    newest: Mutex<Newest>,
    /// Time that a reply takes.
    delay: Duration,
    polls: AtomicUsize,
    parent: Parent,
    parents: AtomicUsize,
    /// When each head was first reported.
    reported: Mutex<HashMap<B256, Instant>>,
}

impl HeadNode {
    pub(super) fn new(newest: Newest) -> Arc<Self> {
        Self::slow(newest, Duration::ZERO)
    }

    pub(super) fn slow(newest: Newest, delay: Duration) -> Arc<Self> {
        Arc::new(Self::build(newest, delay, Parent::Known))
    }

    pub(super) fn with_parent(parent: Parent, newest: Newest) -> Arc<Self> {
        Arc::new(Self::build(newest, Duration::ZERO, parent))
    }

    fn build(newest: Newest, delay: Duration, parent: Parent) -> Self {
        Self {
            started: Instant::now(),
            newest: Mutex::new(newest),
            delay,
            polls: AtomicUsize::default(),
            parent,
            parents: AtomicUsize::default(),
            reported: Mutex::default(),
        }
    }

    /// Makes heads over this node, with a clock that follows the test's time.
    pub(super) fn heads(self: &Arc<Self>) -> Arc<Heads> {
        let started = self.started;
        let clock = move || NOW_S + started.elapsed().as_secs();
        Heads::with_clock(Arc::<Self>::clone(self), Box::new(clock))
    }

    pub(super) fn set(&self, newest: Newest) {
        *self.newest.lock() = newest;
    }

    /// Returns the number of requests for the newest block.
    pub(super) fn polls(&self) -> usize {
        self.polls.load(Ordering::Relaxed)
    }

    pub(super) fn parents(&self) -> usize {
        self.parents.load(Ordering::Relaxed)
    }

    pub(super) fn first_reported(&self, block: &Block) -> Option<Instant> {
        self.reported.lock().get(&block.hash).copied()
    }

    fn head(&self) -> Option<Result<Block, ReadFailure>> {
        match *self.newest.lock() {
            Newest::Head(block) => Some(Ok(block)),
            Newest::Fails(failure) => Some(Err(failure)),
            Newest::Hangs => None,
            Newest::Grows(every) => {
                let elapsed = self.started.elapsed();
                let blocks = u64::try_from(elapsed.as_millis() / every.as_millis()).unwrap();
                let timestamp = OLD_S + u64::try_from(every.as_millis()).unwrap() * blocks / 1_000;
                Some(Ok(block(100 + blocks, timestamp)))
            }
        }
    }
}

impl HeadSource for HeadNode {
    fn newest(&self, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        Box::pin(async {
            self.polls.fetch_add(1, Ordering::Relaxed);
            if !self.delay.is_zero() {
                sleep(self.delay).await;
            }
            let Some(head) = self.head() else { pending().await };
            if let Ok(head) = &head {
                self.reported.lock().entry(head.hash).or_insert_with(Instant::now);
            }
            head
        })
    }

    fn block(&self, hash: B256, _: Instant) -> BoxFuture<'_, Result<Option<Block>, ReadFailure>> {
        Box::pin(async move {
            self.parents.fetch_add(1, Ordering::Relaxed);
            let number = u64::from_be_bytes(hash[24..].try_into().unwrap());
            Ok(match self.parent {
                Parent::Known => Some(fork(hash[0], number, OLD_S)),
                Parent::Unknown => None,
                Parent::Wrong => Some(fork(hash[0], number - 7, OLD_S)),
            })
        })
    }
}

pub(super) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Pins with a deadline of five seconds.
pub(super) async fn pin(heads: &Arc<Heads>) -> Result<Block, ReadFailure> {
    heads.pin(Instant::now() + ms(5_000)).await
}

/// Advances the test's time in small steps with a pin at each, as a gateway under load does.
pub(super) async fn busy(heads: &Arc<Heads>, ms_long: u64) {
    for _ in 0..ms_long / 100 {
        pass(100).await;
        // The test checks afterwards whether there is a pin.
        let _ = pin(heads).await;
    }
}

/// Advances the test's time; tasks that are due run.
pub(super) async fn pass(long_ms: u64) {
    sleep(ms(long_ms)).await;
    // Tasks that woke at the same moment as this sleep run before the test goes on.
    advance(Duration::ZERO).await;
}
