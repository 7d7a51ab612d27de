//! The calls of one network that recently used up their gas: in a batch, they would cost their neighbours a second
//! request.
//!
//! Invariant: forgetting any of them costs a request, never correctness.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy::primitives::Address;
use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::reads::read_set::ReadRef;

/// Each takes 40 bytes.
const CALLS_MAX: usize = 10_000;
/// Time after which a call is batched again: its proxy may be repaired, or odd arguments made it heavy.
const HEAVY_FOR: Duration = Duration::from_secs(600);

/// Heavy calls by contract and selector, with the instant at which they expire.
pub(crate) struct HeavyCalls {
    calls: Cache<(Address, [u8; 4]), Instant>,
    was_recorded: AtomicBool,
}

impl HeavyCalls {
    pub(crate) fn new() -> Self {
        Self { calls: Cache::new(CALLS_MAX), was_recorded: AtomicBool::new(false) }
    }

    /// Returns true if none was ever recorded, so that no read has to be looked up.
    pub(crate) fn is_empty(&self) -> bool {
        !self.was_recorded.load(Ordering::Relaxed)
    }

    /// Returns true if the call recently used up its gas.
    pub(crate) fn contains(&self, read: ReadRef<'_>) -> bool {
        self.calls.get(&key(read)).is_some_and(|until| Instant::now() < until)
    }

    pub(crate) fn record(&self, read: ReadRef<'_>) {
        self.calls.insert(key(read), Instant::now() + HEAVY_FOR);
        self.was_recorded.store(true, Ordering::Relaxed);
    }
}

fn key(read: ReadRef<'_>) -> (Address, [u8; 4]) {
    let selector = read.like.data.first_chunk().copied();
    (read.to, selector.unwrap_or_default())
}
