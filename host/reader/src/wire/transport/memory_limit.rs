//! The bytes of replies that the process holds at once, over all endpoints.
//!
//! Invariant: no byte of a body is read before there is memory for it. A reply that finds none waits a moment for
//! others to end. One of the waiting replies may always go on, up to the longest body, compressed and not: so they
//! never block each other.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::wire::error::EndpointError;

/// Maximum bytes of a body. The reply to a full chunk of words has 0.2 MiB; the most that 40 million gas can return
/// is 9 MiB in hex. A receipt of 5,000 transfers has 3 MiB.
pub(crate) const BODY_MAX_BYTES: usize = 16 << 20;
/// Default bound: some hundred replies of full chunks, and at most a quarter of a small machine's memory.
pub(crate) const REPLIES_MAX_BYTES: usize = 128 << 20;
/// Memory of the reply that may always go on: its body as it came, and decompressed in a buffer that grows by halves.
const LAST_BYTES: usize = 2 * BODY_MAX_BYTES + BODY_MAX_BYTES / 2;
/// Bytes are counted in units of this size; a body has few of them.
const UNIT_BYTES: usize = 16 << 10;
/// Time to wait for memory, longer than most replies take. After that the request is repeated, if there is time.
const MEMORY_WAIT_MAX: Duration = Duration::from_secs(1);

/// The memory for replies.
#[derive(Clone, Debug)]
pub(crate) struct ReplyMemory {
    /// Units that any reply may have.
    shared: Arc<Semaphore>,
    /// Permit of the reply that may always go on.
    last: Arc<Semaphore>,
}

/// The memory of one reply, which is given back when it is dropped.
#[derive(Debug)]
pub(super) struct HeldMemory {
    memory: ReplyMemory,
    units: usize,
    shared: Option<OwnedSemaphorePermit>,
    last: Option<OwnedSemaphorePermit>,
}

impl ReplyMemory {
    /// Allows this many bytes in all, but at least for one reply.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let units = max_bytes.saturating_sub(LAST_BYTES) / UNIT_BYTES;
        let shared = Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS)));
        Self { shared, last: Arc::new(Semaphore::new(1)) }
    }

    /// Allows this many bytes besides those of the reply that may always go on.
    #[cfg(test)]
    pub(super) fn of_shared(bytes: usize) -> Self {
        Self::new(LAST_BYTES + bytes)
    }

    /// Returns the memory of a reply, which is empty at first.
    pub(super) fn hold(&self) -> HeldMemory {
        HeldMemory { memory: self.clone(), units: 0, shared: None, last: None }
    }
}

impl HeldMemory {
    /// Grows the memory to this many bytes in all.
    pub(super) async fn grow_to(&mut self, bytes: usize) -> Result<(), EndpointError> {
        let units = bytes.div_ceil(UNIT_BYTES);
        if units <= self.units || self.last.is_some() {
            return Ok(());
        }
        let more = u32::try_from(units - self.units).unwrap_or(u32::MAX);
        if let Ok(permit) = Arc::clone(&self.memory.shared).try_acquire_many_owned(more) {
            self.take(permit, units);
            return Ok(());
        }
        let (shared, last) = (Arc::clone(&self.memory.shared), Arc::clone(&self.memory.last));
        let either = async {
            tokio::select! {
                Ok(permit) = shared.acquire_many_owned(more) => self.take(permit, units),
                Ok(permit) = last.acquire_owned() => self.last = Some(permit),
                else => {}
            }
        };
        timeout(MEMORY_WAIT_MAX, either).await.map_err(|_| EndpointError::NoRoom)
    }

    fn take(&mut self, permit: OwnedSemaphorePermit, units: usize) {
        match &mut self.shared {
            Some(held) => held.merge(permit),
            None => self.shared = Some(permit),
        }
        self.units = units;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    const MIB: usize = 1 << 20;

    #[tokio::test(start_paused = true)]
    async fn what_finds_no_room_waits_until_another_ends() {
        let memory = ReplyMemory::of_shared(4 * MIB);
        let (mut one, mut other, mut last) = (memory.hold(), memory.hold(), memory.hold());
        assert_eq!(one.grow_to(3 * MIB).await, Ok(()));
        assert_eq!(last.grow_to(2 * MIB).await, Ok(()), "one may always go on");
        assert_eq!(last.grow_to(2 * BODY_MAX_BYTES).await, Ok(()));
        assert_eq!(other.grow_to(MIB).await, Ok(()));
        assert_eq!(other.grow_to(2 * MIB).await, Err(EndpointError::NoRoom));
        let (grown, ()) = tokio::join!(other.grow_to(2 * MIB), async { drop(one) });
        assert_eq!(grown, Ok(()));
        let mut next = memory.hold();
        assert_eq!(next.grow_to(3 * MIB).await, Err(EndpointError::NoRoom));
        let (grown, ()) = tokio::join!(next.grow_to(3 * MIB), async { drop(last) });
        assert_eq!(grown, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn replies_that_grow_beside_each_other_all_end() {
        // Ten replies of 16 MiB with room for two of them and the last one: each holds a part of what the others
        // need.
        let memory = ReplyMemory::of_shared(2 * BODY_MAX_BYTES);
        let reply = |memory: ReplyMemory| async move {
            let mut held = memory.hold();
            for bytes in (MIB..=BODY_MAX_BYTES).step_by(MIB) {
                held.grow_to(bytes).await?;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok::<_, EndpointError>(())
        };
        assert!(join_all((0..10).map(|_| reply(memory.clone()))).await.into_iter().all(|ended| ended.is_ok()));
        assert_eq!(memory.shared.available_permits(), 2 * BODY_MAX_BYTES / UNIT_BYTES, "all of it is given back");
        assert_eq!(memory.last.available_permits(), 1);
    }
}
