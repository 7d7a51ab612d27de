//! What was learned of one network's contracts: which calls lately used up their gas.
//!
//! Invariant: forgetting any of it costs a request, never truth.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy::primitives::Address;
use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::Read;

/// 40 bytes each.
const HEAVY_MAX: usize = 10_000;
/// A proxy that was repaired, or a call that was poisoned by odd arguments, is with the others again after that.
const HEAVY_FOR: Duration = Duration::from_secs(600);

/// Calls by contract and selector.
pub(crate) struct Contracts {
    heavy: Cache<(Address, [u8; 4]), Instant>,
    any_heavy: AtomicBool,
}

impl Contracts {
    pub(crate) fn new() -> Self {
        Self { heavy: Cache::new(HEAVY_MAX), any_heavy: AtomicBool::new(false) }
    }

    /// Whether there is any to look for.
    pub(crate) fn any_heavy(&self) -> bool {
        self.any_heavy.load(Ordering::Relaxed)
    }

    /// Whether the call lately used up its gas, so that it would cost its neighbours a second request.
    pub(crate) fn is_heavy(&self, read: &Read) -> bool {
        self.heavy.get(&selector(read)).is_some_and(|until| Instant::now() < until)
    }

    pub(crate) fn saw_heavy(&self, read: &Read) {
        self.heavy.insert(selector(read), Instant::now() + HEAVY_FOR);
        self.any_heavy.store(true, Ordering::Relaxed);
    }
}

fn selector(read: &Read) -> (Address, [u8; 4]) {
    let selector = read.data.first_chunk().copied();
    (read.to, selector.unwrap_or_default())
}
