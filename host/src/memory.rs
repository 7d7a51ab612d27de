//! Memory of the process: its limit, the shares that bounds get of it, and refusals when it runs out.
//!
//! Invariant: from nine tenths of the limit on, new work is refused, so that the kernel need not end the process.
//! Freed memory goes back to the system, not only to the next allocation of the same size.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::allocator;
use crate::log::RareLog;
use crate::memory_limit::{self, Limited};
use crate::memory_used::Used;

/// Interval of samples: an attacker can make the process take some hundred mebibytes per second.
const SAMPLE_EVERY: Duration = Duration::from_millis(25);
/// Minimum time between trims, which walk the arenas under their locks.
const TRIM_EVERY: Duration = Duration::from_secs(5);
/// Less free memory is not worth a trim.
const TRIM_FROM_BYTES: u64 = 16 << 20;

/// Memory limit of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLimit {
    bytes: u64,
    limited: Limited,
}

impl MemoryLimit {
    /// Returns the operator's limit, or else the lowest one of the cgroup, the process and the machine.
    pub(crate) fn new(named_mib: Option<u64>) -> Self {
        let (bytes, limited) = named_mib.map_or_else(memory_limit::of_process, |mib| (mib << 20, Limited::Resident));
        Self { bytes, limited }
    }

    /// Returns one part in `parts` of the limit, at most `max`.
    pub(crate) fn share(&self, parts: u64, max: u64) -> u64 {
        (self.bytes / parts).min(max)
    }
}

/// Watches the memory in use.
#[derive(Debug)]
pub(crate) struct Memory {
    limit_bytes: u64,
    is_short: AtomicBool,
    refused: RareLog,
}

impl Memory {
    /// Watches in a thread of its own until the last reference is dropped: the runtime's threads may all be busy.
    pub(crate) fn watch(limit: MemoryLimit) -> Arc<Self> {
        let limit_bytes = limit.bytes;
        let memory = Arc::new(Self { limit_bytes, is_short: AtomicBool::new(false), refused: RareLog::default() });
        let (watched, used) = (Arc::downgrade(&memory), Used::new(limit.limited));
        let started = thread::Builder::new().name("memory".into()).spawn(move || sample(&watched, used));
        if let Err(error) = started {
            tracing::error!(%error, "cannot watch the memory that is used: nothing is refused for want of it");
        }
        memory
    }

    /// Creates a memory that is never short.
    #[cfg(test)]
    pub(crate) fn ample() -> Arc<Self> {
        Arc::new(Self { limit_bytes: u64::MAX, is_short: AtomicBool::new(false), refused: RareLog::default() })
    }

    /// Returns true if there is too little memory for new work.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short.load(Relaxed)
    }

    /// Like `is_short`, for work that is refused if true; counts that refusal.
    pub(crate) fn refuses(&self) -> bool {
        let is_short = self.is_short();
        if is_short {
            let limit_mib = self.limit_bytes >> 20;
            self.refused.warn(|refused, seconds| {
                tracing::warn!(refused, seconds, limit_mib, "requests are refused: nine tenths of the memory are used");
            });
        }
        is_short
    }

    pub(crate) fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Memory is short from nine tenths of the limit on, until it falls below eight.
    fn update(&self, used: u64) {
        let tenths = if self.is_short() { 8 } else { 9 };
        self.is_short.store(used >= self.limit_bytes / 10 * tenths, Relaxed);
    }
}

fn sample(memory: &Weak<Memory>, mut used: Used) {
    // Free bytes that were returned to the system and not used again since.
    let (mut trim_checked, mut gone_back) = (Instant::now(), 0);
    while let Some(memory) = memory.upgrade() {
        memory.update(used.read());
        if trim_checked.elapsed() >= TRIM_EVERY {
            trim_checked = Instant::now();
            let free = allocator::free_bytes();
            gone_back = free.min(gone_back);
            if memory.is_short() || free - gone_back >= TRIM_FROM_BYTES {
                allocator::trim();
                gone_back = free;
            }
        }
        drop(memory);
        thread::park_timeout(SAMPLE_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_short_from_nine_tenths_until_below_eight() {
        let memory = Memory { limit_bytes: 1000, is_short: AtomicBool::new(false), refused: RareLog::default() };
        let states = [899, 900, 850, 800, 799, 899, 1200].map(|used| {
            memory.update(used);
            memory.refuses()
        });
        assert_eq!(states, [false, true, true, true, false, false, true]);
    }

    #[test]
    fn a_share_is_a_part_and_no_more_than_its_bound() {
        let limit = MemoryLimit::new(Some(512));
        assert_eq!((limit.share(8, 1 << 40), limit.share(8, 5)), (64 << 20, 5));
    }
}
