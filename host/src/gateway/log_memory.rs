//! Limits the memory for logs of all transactions that are decoded at the same time.
//!
//! Invariant: an answer holds its share until it is written. Without it, each of many
//! answers could use its full bound at the same time.

use std::sync::Arc;

use portolan_reader::Log;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::gateway::problem::Problem;

/// Estimated size of a log without its data.
const LOG_BYTES: usize = 256;

/// Memory for logs. One instance per process.
#[derive(Debug)]
pub(super) struct LogMemory {
    bytes_max: u32,
    free: Arc<Semaphore>,
}

impl LogMemory {
    pub(super) fn new(bytes_max: u32) -> Self {
        let permits = usize::try_from(bytes_max).unwrap_or(Semaphore::MAX_PERMITS);
        Self { bytes_max, free: Arc::new(Semaphore::new(permits)) }
    }

    /// Reserves memory for these logs, at most all of it, so that a very large transaction is decoded alone.
    ///
    /// # Errors
    /// Returns [`Problem::Overloaded`] if other answers hold it. There is no queue, because waiting answers would hold
    /// logs too.
    pub(super) fn take(&self, logs: &[Log]) -> Result<OwnedSemaphorePermit, Problem> {
        let bytes = u32::try_from(bytes(logs)).unwrap_or(u32::MAX).min(self.bytes_max);
        Arc::clone(&self.free).try_acquire_many_owned(bytes).map_err(|_| Problem::Overloaded)
    }
}

/// Estimated size of these logs in bytes.
pub(super) fn bytes(logs: &[Log]) -> usize {
    logs.iter().map(|log| LOG_BYTES + log.data.len()).sum()
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;

    use super::*;

    #[test]
    fn a_large_transaction_is_decoded_alone_and_nobody_waits() {
        let log = |bytes| Log { index: 0, address: Address::ZERO, topics: Vec::new(), data: vec![0; bytes].into() };
        let memory = LogMemory::new(1_000);
        let small = memory.take(&[log(100), log(100)]).unwrap();
        assert_eq!(memory.free.available_permits(), 1_000 - 2 * (256 + 100));
        assert!(matches!(memory.take(&[log(2_000)]), Err(Problem::Overloaded)));
        drop(small);
        let large = memory.take(&[log(2_000)]).unwrap();
        assert!(matches!(memory.take(&[log(0)]), Err(Problem::Overloaded)));
        assert!(memory.take(&[]).is_ok());
        drop(large);
        assert!(memory.take(&[log(0)]).is_ok());
    }
}
