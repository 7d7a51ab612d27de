//! The room for the logs of all transactions that are decoded at the same time.
//!
//! Invariant: an answer holds its part until it is written. Without it, answers that are each within their bounds would
//! take as much memory as there are answers.

use std::sync::Arc;

use portolan_reader::Log;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::gateway::problem::Problem;

/// The size of a log without its data.
const LOG_BYTES: usize = 256;

/// The room for logs. One for the process.
#[derive(Debug)]
pub(super) struct LogRoom {
    bytes_max: u32,
    free: Arc<Semaphore>,
}

impl LogRoom {
    pub(super) fn new(bytes_max: u32) -> Self {
        let permits = usize::try_from(bytes_max).unwrap_or(Semaphore::MAX_PERMITS);
        Self { bytes_max, free: Arc::new(Semaphore::new(permits)) }
    }

    /// Takes the room for these logs; all of it where they need more, so that a large transaction is decoded alone.
    ///
    /// # Errors
    /// Others hold it. Nobody waits: who waits holds the logs.
    pub(super) fn take(&self, logs: &[Log]) -> Result<OwnedSemaphorePermit, Problem> {
        let bytes = u32::try_from(bytes(logs)).unwrap_or(u32::MAX).min(self.bytes_max);
        Arc::clone(&self.free).try_acquire_many_owned(bytes).map_err(|_| Problem::Overloaded)
    }
}

/// The size of these logs.
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
        let room = LogRoom::new(1_000);
        let small = room.take(&[log(100), log(100)]).unwrap();
        assert_eq!(room.free.available_permits(), 1_000 - 2 * (256 + 100));
        assert!(matches!(room.take(&[log(2_000)]), Err(Problem::Overloaded)));
        drop(small);
        let large = room.take(&[log(2_000)]).unwrap();
        assert!(matches!(room.take(&[log(0)]), Err(Problem::Overloaded)));
        assert!(room.take(&[]).is_ok());
        drop(large);
        assert!(room.take(&[log(0)]).is_ok());
    }
}
