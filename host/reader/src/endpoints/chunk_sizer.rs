//! Adaptive limits of a request to an endpoint: gas, bytes of its body, reads. Each limit falls when the endpoint
//! rejects a request, and slowly rises again.
//!
//! Invariant: no limit falls below what one read needs, or rises above its initial value.

use parking_lot::Mutex;

/// Gas that geth and reth allow an `eth_call` by default; hosted nodes allow as much or more.
const GAS_START: u64 = 50_000_000;
/// Some costly views need this much; an endpoint that allows less gets single calls.
const GAS_MIN: u64 = 4_000_000;
/// Share of the gas that a chunk is planned to use; the rest covers reads that cost more than the mean.
const GAS_PLANNED_PERCENT: u64 = 60;
/// 80 % of 2 MB, the smallest limit that common nodes have for a body.
const BODY_START_BYTES: usize = 1_600_000;
/// Room for the program in hex and a few reads.
const BODY_MIN_BYTES: usize = 8 << 10;
/// Upper bound however cheap reads are: two concurrent requests are answered sooner than one twice as large.
const READS_MAX: u64 = 3_750;
/// Assumed mean until replies show the real one; a plain `balanceOf` takes 6,000.
const READ_GAS_START: u64 = 8_000;
/// Lower bound of the mean: a lower one comes from reads of warm storage.
const READ_GAS_MIN: u64 = 1_000;
/// The newest chunk weighs one eighth in the mean gas of a read.
const READ_GAS_WEIGHT: u64 = 8;
/// Number of successful chunks after which a reduced limit rises by a quarter.
const SUCCESSES_BEFORE_RISE: u32 = 32;

/// Sizes the chunks that are sent to one endpoint.
#[derive(Debug, Default)]
pub(crate) struct ChunkSizer(Mutex<Estimate>);

/// The size of the next requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Gas limit of the request.
    pub(crate) gas: u64,
    pub(crate) body_bytes: usize,
    /// Number of reads that the gas is likely to suffice for.
    pub(crate) reads: usize,
}

#[derive(Clone, Copy, Debug)]
struct Estimate {
    gas: u64,
    body_bytes: usize,
    read_gas: u64,
    successes: u32,
}

impl Default for Estimate {
    fn default() -> Self {
        Self { gas: GAS_START, body_bytes: BODY_START_BYTES, read_gas: READ_GAS_START, successes: 0 }
    }
}

impl ChunkSizer {
    pub(crate) fn plan(&self) -> Plan {
        let Estimate { gas, body_bytes, read_gas, .. } = *self.0.lock();
        let reads = (gas * GAS_PLANNED_PERCENT / 100 / read_gas).min(READS_MAX);
        Plan { gas, body_bytes, reads: usize::try_from(reads).unwrap_or(usize::MAX).max(1) }
    }

    /// Records a chunk that was answered. The program had `had` gas at its start, and `reads` of the chunk used
    /// `used`.
    pub(crate) fn on_success(&self, reads: usize, had: u64, used: u64) {
        let mut estimate = self.0.lock();
        if let Some(mean) = mean(reads, used) {
            let former = estimate.read_gas * (READ_GAS_WEIGHT - 1);
            estimate.read_gas = ((former + mean) / READ_GAS_WEIGHT).max(READ_GAS_MIN);
        }
        // A node that gave much less gas than requested has a lower cap, and shows it only this way.
        if had < estimate.gas / 2 {
            estimate.gas = had.max(GAS_MIN);
        }
        estimate.successes += 1;
        if estimate.successes >= SUCCESSES_BEFORE_RISE {
            estimate.successes = 0;
            estimate.gas = (estimate.gas + estimate.gas / 4).min(GAS_START);
            estimate.body_bytes = (estimate.body_bytes + estimate.body_bytes / 4).min(BODY_START_BYTES);
        }
    }

    /// Records that a chunk stopped after some reads, because they took more gas than the mean.
    pub(crate) fn on_partial(&self, reads: usize, used: u64) {
        if let Some(mean) = mean(reads, used) {
            let mut estimate = self.0.lock();
            estimate.read_gas = estimate.read_gas.max(mean);
        }
    }

    /// Lowers the gas after the endpoint rejected it. Returns false if it cannot fall further.
    pub(crate) fn on_gas_too_high(&self) -> bool {
        let mut estimate = self.0.lock();
        let before = estimate.gas;
        estimate.gas = (before / 2).max(GAS_MIN);
        estimate.successes = 0;
        estimate.gas < before
    }

    /// Lowers the body size after the endpoint rejected a body of this length, its reply or its running time.
    pub(crate) fn on_too_large(&self, body_bytes: usize) {
        let mut estimate = self.0.lock();
        estimate.body_bytes = estimate.body_bytes.min(body_bytes / 2).max(BODY_MIN_BYTES);
        estimate.successes = 0;
    }
}

/// Returns the mean gas of a read. A node's figure is trusted only up to what a request can have.
fn mean(reads: usize, used: u64) -> Option<u64> {
    used.min(GAS_START).checked_div(u64::try_from(reads).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_planned_at_three_fifths_of_the_gas() {
        let plan = ChunkSizer::default().plan();
        assert_eq!((plan.gas, plan.body_bytes, plan.reads), (50_000_000, 1_600_000, 3_750));
    }

    #[test]
    fn the_mean_gas_of_reads_follows_the_chunks() {
        let sizer = ChunkSizer::default();
        (0..60).for_each(|_| sizer.on_success(2_500, 49_000_000, 2_500 * 12_000));
        let reads = sizer.plan().reads;
        assert!((2_500..=2_510).contains(&reads), "{reads}");
        (0..60).for_each(|_| sizer.on_success(2_500, 49_000_000, 2_500 * 2_000));
        assert_eq!(sizer.plan().reads, 3_750, "cheap reads too go in several requests");
        sizer.on_partial(100, 100 * 300_000);
        assert_eq!(sizer.plan().reads, 100);
    }

    #[test]
    fn what_is_rejected_is_halved_and_rises_again_after_many_successes() {
        let sizer = ChunkSizer::default();
        assert!(sizer.on_gas_too_high());
        sizer.on_too_large(600_000);
        let plan = sizer.plan();
        assert_eq!((plan.gas, plan.body_bytes), (25_000_000, 300_000));
        (0..SUCCESSES_BEFORE_RISE).for_each(|_| sizer.on_success(1, 24_000_000, 8_000));
        let plan = sizer.plan();
        assert_eq!((plan.gas, plan.body_bytes), (31_250_000, 375_000));
        (0..SUCCESSES_BEFORE_RISE * 20).for_each(|_| sizer.on_success(1, 49_000_000, 8_000));
        let plan = sizer.plan();
        assert_eq!((plan.gas, plan.body_bytes), (50_000_000, 1_600_000));
    }

    #[test]
    fn a_node_that_quietly_gives_less_gas_is_believed() {
        let sizer = ChunkSizer::default();
        sizer.on_success(10, 9_900_000, 80_000);
        assert_eq!(sizer.plan().gas, 9_900_000);
    }

    #[test]
    fn nothing_falls_below_what_one_read_needs() {
        let sizer = ChunkSizer::default();
        while sizer.on_gas_too_high() {}
        (0..40).for_each(|_| sizer.on_too_large(0));
        sizer.on_partial(1, u64::MAX);
        assert_eq!(sizer.plan(), Plan { gas: 4_000_000, body_bytes: 8 << 10, reads: 1 });
    }
}
