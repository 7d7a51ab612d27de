//! A source whose head the test sets, which counts what it is asked.

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
/// Old enough to be pinned at a cold start.
pub(super) const OLD_S: u64 = NOW_S - 2;
/// Too young for it.
pub(super) const YOUNG_S: u64 = NOW_S - 1;

/// A block whose hash tells its fork and number; its parent is of the same fork.
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

#[derive(Clone, Copy)]
pub(super) enum Tells {
    Head(Block),
    Fails(ReadFailure),
    Nothing,
    /// A block in every such time, from number 100 at the start of the test on; the first is old enough.
    Grows(Duration),
}

/// What is answered to a hash.
#[derive(Clone, Copy)]
pub(super) enum Parent {
    Known,
    Unknown,
    /// Another block than the one asked for.
    Wrong,
}

pub(super) struct Node {
    started: Instant,
    tells: Mutex<Tells>,
    /// What it takes to answer.
    delay: Duration,
    asked: AtomicUsize,
    parent: Parent,
    parents: AtomicUsize,
    /// When each head was told first.
    told: Mutex<HashMap<B256, Instant>>,
}

impl Node {
    pub(super) fn new(tells: Tells) -> Arc<Self> {
        Self::slow(tells, Duration::ZERO)
    }

    pub(super) fn slow(tells: Tells, delay: Duration) -> Arc<Self> {
        Arc::new(Self::build(tells, delay, Parent::Known))
    }

    pub(super) fn with_parent(parent: Parent, tells: Tells) -> Arc<Self> {
        Arc::new(Self::build(tells, Duration::ZERO, parent))
    }

    fn build(tells: Tells, delay: Duration, parent: Parent) -> Self {
        Self {
            started: Instant::now(),
            tells: Mutex::new(tells),
            delay,
            asked: AtomicUsize::default(),
            parent,
            parents: AtomicUsize::default(),
            told: Mutex::default(),
        }
    }

    /// Heads over this node, with a clock that goes as the test's time does.
    pub(super) fn heads(self: &Arc<Self>) -> Arc<Heads> {
        let started = self.started;
        let clock = move || NOW_S + started.elapsed().as_secs();
        Heads::with_clock(Arc::<Self>::clone(self), Box::new(clock))
    }

    pub(super) fn tell(&self, tells: Tells) {
        *self.tells.lock() = tells;
    }

    /// How often the newest block was asked for.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    pub(super) fn parents(&self) -> usize {
        self.parents.load(Ordering::Relaxed)
    }

    pub(super) fn first_told(&self, block: &Block) -> Option<Instant> {
        self.told.lock().get(&block.hash).copied()
    }

    fn head(&self) -> Option<Result<Block, ReadFailure>> {
        match *self.tells.lock() {
            Tells::Head(block) => Some(Ok(block)),
            Tells::Fails(failure) => Some(Err(failure)),
            Tells::Nothing => None,
            Tells::Grows(every) => {
                let elapsed = self.started.elapsed();
                let blocks = u64::try_from(elapsed.as_millis() / every.as_millis()).unwrap();
                let timestamp = OLD_S + u64::try_from(every.as_millis()).unwrap() * blocks / 1_000;
                Some(Ok(block(100 + blocks, timestamp)))
            }
        }
    }
}

impl HeadSource for Node {
    fn newest(&self, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        Box::pin(async {
            self.asked.fetch_add(1, Ordering::Relaxed);
            if !self.delay.is_zero() {
                sleep(self.delay).await;
            }
            let Some(head) = self.head() else { pending().await };
            if let Ok(head) = &head {
                self.told.lock().entry(head.hash).or_insert_with(Instant::now);
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

/// The pin of a caller with five seconds.
pub(super) async fn pin(heads: &Arc<Heads>) -> Result<Block, ReadFailure> {
    heads.pin(Instant::now() + ms(5_000)).await
}

/// Runs the test's time on in small steps, pinning at each, as a gateway under load does.
pub(super) async fn busy(heads: &Arc<Heads>, ms_long: u64) {
    for _ in 0..ms_long / 100 {
        pass(100).await;
        // Whether there is a pin is what the test looks at afterwards.
        let _ = pin(heads).await;
    }
}

/// Runs the test's time on; what is due runs.
pub(super) async fn pass(long_ms: u64) {
    sleep(ms(long_ms)).await;
    // What woke at the same moment as this sleep runs before the test goes on.
    advance(Duration::ZERO).await;
}
