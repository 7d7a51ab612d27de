//! What a watch read on one network.
//!
//! Invariant: what is shown was read at the network's block. A read that fails changes nothing until it has failed
//! [`FAILED_MAX`] times in a row; then what failed is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use portolan_reader::{Block, ReadFailure};
use tokio::time::Instant;

use super::{JobId, by_id, id};
use crate::gateway::work::protocols::JobRows;

/// Time after which a job that found nothing runs again, whatever the logs say.
const REREAD_AFTER: Duration = Duration::from_secs(300);

/// Number of reads of a network that may fail in a row before what failed is missing.
const FAILED_MAX: u32 = 3;

pub(super) struct WatchedNetwork {
    pub(super) pin: Result<Block, ReadFailure>,
    pub(super) jobs: BTreeMap<JobId, JobRows>,
    /// When all of its jobs ran.
    read_at: Instant,
    /// Jobs that logs of the last blocks concern. They run at the next blocks too: a fast network has several blocks in the
    /// second for which a zero stands at least.
    pub(super) concerned: BTreeSet<JobId>,
    failed: u32,
}

/// A read of a network.
pub(super) struct NetworkRead {
    pub(super) pin: Result<Block, ReadFailure>,
    /// Rows of the jobs that ran.
    pub(super) jobs: Vec<JobRows>,
    /// True if all of the network's jobs ran.
    pub(super) is_whole: bool,
    /// Jobs that logs of the blocks since concern.
    pub(super) concerned: BTreeSet<JobId>,
}

impl WatchedNetwork {
    pub(super) fn first(read: NetworkRead) -> Self {
        let NetworkRead { pin, jobs, concerned, .. } = read;
        let jobs = jobs.into_iter().filter_map(by_id).collect();
        Self { pin, jobs, read_at: Instant::now(), concerned, failed: 0 }
    }

    pub(super) fn take(&mut self, read: NetworkRead) {
        if self.fails(&read) && self.failed + 1 < FAILED_MAX {
            self.failed += 1;
            self.concerned.extend(read.concerned);
            return;
        }
        if read.is_whole {
            self.read_at = Instant::now();
        }
        (self.pin, self.failed, self.concerned) = (read.pin, 0, read.concerned);
        self.jobs.extend(read.jobs.into_iter().filter_map(by_id));
    }

    /// Returns true if all jobs are to run again, whatever the logs say.
    pub(super) fn is_due(&self) -> bool {
        self.read_at.elapsed() >= REREAD_AFTER
    }

    /// Returns true if something could not be read that was read before.
    fn fails(&self, read: &NetworkRead) -> bool {
        let was_read =
            |job: &JobRows| id(&job.plan).and_then(|id| self.jobs.get(&id)).is_some_and(|job| !job.has_failed());
        read.pin.is_err() || read.jobs.iter().any(|job| job.has_failed() && was_read(job))
    }

    /// Returns true if the newest block could not be read, so that it is worth another try.
    pub(super) fn is_behind(&self) -> bool {
        self.failed > 0 || self.pin.is_err_and(|failure| failure != ReadFailure::NotConfigured)
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;

    use super::*;

    fn read(pin: Result<Block, ReadFailure>) -> NetworkRead {
        NetworkRead { pin, jobs: Vec::new(), is_whole: true, concerned: BTreeSet::new() }
    }

    fn block(number: u64) -> Result<Block, ReadFailure> {
        let hash = B256::with_last_byte(u8::try_from(number).unwrap());
        Ok(Block { number, hash, parent: B256::ZERO, timestamp: number, evm_number: number })
    }

    #[test]
    fn a_network_that_cannot_be_read_stays_at_its_last_block_until_the_third_time_in_a_row() {
        let failed = Err(ReadFailure::Upstream);
        let mut network = WatchedNetwork::first(read(block(7)));
        let rows = [
            (failed, block(7), true),
            (failed, block(7), true),
            (block(8), block(8), false),
            (failed, block(8), true),
            (failed, block(8), true),
            (failed, failed, true),
            (failed, failed, true),
            (block(9), block(9), false),
        ];
        for (place, (now, shown, is_behind)) in rows.into_iter().enumerate() {
            network.take(read(now));
            assert_eq!((network.pin, network.is_behind()), (shown, is_behind), "{place}");
        }
    }

    #[test]
    fn a_network_without_an_endpoint_is_not_tried_again() {
        assert!(!WatchedNetwork::first(read(Err(ReadFailure::NotConfigured))).is_behind());
        assert!(WatchedNetwork::first(read(Err(ReadFailure::Upstream))).is_behind());
    }
}
