//! How much one request to an endpoint may carry: gas, bytes of its body, reads. Learned downwards from refusals and
//! slowly upwards again.
//!
//! Invariant: no budget falls below what one read needs, nor rises above what it started with.

use parking_lot::Mutex;

/// What geth and reth allow to an `eth_call` that names no other cap; hosted nodes allow as much or more.
const GAS_START: u64 = 50_000_000;
/// Some costly views need this much; an endpoint that allows less serves single calls.
const GAS_LEAST: u64 = 4_000_000;
/// The part of the gas that a chunk is planned to use: reads cost more than the mean now and then.
const GAS_PLANNED_PERCENT: u64 = 60;
/// 80 % of 2 MB, the smallest limit that common nodes have for a body.
const BODY_START_BYTES: usize = 1_600_000;
/// The program in hex and a few reads.
const BODY_LEAST_BYTES: usize = 8 << 10;
/// Two requests side by side are answered sooner than one that is twice as large, however little a read costs.
const READS_MAX: u64 = 3_750;
/// Until replies tell: a plain `balanceOf` takes 6,000.
const READ_GAS_START: u64 = 8_000;
/// A mean below that is of reads of storage that others had read.
const READ_GAS_LEAST: u64 = 1_000;
/// Weight of the newest chunk in the mean gas of a read: an eighth.
const READ_GAS_WEIGHT: u64 = 8;
/// Good chunks after which a budget that fell rises by a quarter.
const GOOD_BEFORE_RISE: u32 = 32;

/// One endpoint's budget.
#[derive(Debug, Default)]
pub(crate) struct Budget(Mutex<Learned>);

/// What the next requests are planned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Told to the node.
    pub(crate) gas: u64,
    pub(crate) body_bytes: usize,
    /// By gas.
    pub(crate) reads: usize,
}

#[derive(Clone, Copy, Debug)]
struct Learned {
    gas: u64,
    body_bytes: usize,
    read_gas: u64,
    good: u32,
}

impl Default for Learned {
    fn default() -> Self {
        Self { gas: GAS_START, body_bytes: BODY_START_BYTES, read_gas: READ_GAS_START, good: 0 }
    }
}

impl Budget {
    pub(crate) fn plan(&self) -> Plan {
        let Learned { gas, body_bytes, read_gas, .. } = *self.0.lock();
        let reads = (gas * GAS_PLANNED_PERCENT / 100 / read_gas).min(READS_MAX);
        Plan { gas, body_bytes, reads: usize::try_from(reads).unwrap_or(usize::MAX).max(1) }
    }

    /// A chunk that was sent with `asked` gas and body was answered: what it started with and what `reads` used.
    pub(crate) fn good(&self, reads: usize, had: u64, used: u64) {
        let mut learned = self.0.lock();
        if let Some(mean) = mean(reads, used) {
            let kept = learned.read_gas * (READ_GAS_WEIGHT - 1);
            learned.read_gas = ((kept + mean) / READ_GAS_WEIGHT).max(READ_GAS_LEAST);
        }
        // A node that gave less than it was told has a lower cap, and says so only in this way.
        if had < learned.gas / 2 {
            learned.gas = had.max(GAS_LEAST);
        }
        learned.good += 1;
        if learned.good >= GOOD_BEFORE_RISE {
            learned.good = 0;
            learned.gas = (learned.gas + learned.gas / 4).min(GAS_START);
            learned.body_bytes = (learned.body_bytes + learned.body_bytes / 4).min(BODY_START_BYTES);
        }
    }

    /// A chunk stopped after some reads, for they took more gas than the mean.
    pub(crate) fn costly(&self, reads: usize, used: u64) {
        if let Some(mean) = mean(reads, used) {
            let mut learned = self.0.lock();
            learned.read_gas = learned.read_gas.max(mean);
        }
    }

    /// The endpoint allows no request this gas. Whether there is less to try with.
    pub(crate) fn too_much_gas(&self) -> bool {
        let mut learned = self.0.lock();
        let before = learned.gas;
        learned.gas = (before / 2).max(GAS_LEAST);
        learned.good = 0;
        learned.gas < before
    }

    /// The endpoint takes no body of this length, or no reply of it, or no such running time.
    pub(crate) fn too_large(&self, body_bytes: usize) {
        let mut learned = self.0.lock();
        learned.body_bytes = learned.body_bytes.min(body_bytes / 2).max(BODY_LEAST_BYTES);
        learned.good = 0;
    }
}

/// Of a read; nodes' own figures are not trusted beyond what a request can have.
fn mean(reads: usize, used: u64) -> Option<u64> {
    used.min(GAS_START).checked_div(u64::try_from(reads).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_planned_at_three_fifths_of_the_gas() {
        let plan = Budget::default().plan();
        assert_eq!((plan.gas, plan.body_bytes, plan.reads), (50_000_000, 1_600_000, 3_750));
    }

    #[test]
    fn the_mean_gas_of_reads_follows_the_chunks() {
        let budget = Budget::default();
        (0..60).for_each(|_| budget.good(2_500, 49_000_000, 2_500 * 12_000));
        let reads = budget.plan().reads;
        assert!((2_500..=2_510).contains(&reads), "{reads}");
        (0..60).for_each(|_| budget.good(2_500, 49_000_000, 2_500 * 2_000));
        assert_eq!(budget.plan().reads, 3_750, "cheap reads too go in several requests");
        budget.costly(100, 100 * 300_000);
        assert_eq!(budget.plan().reads, 100);
    }

    #[test]
    fn what_is_refused_is_halved_and_rises_again_after_many_good_chunks() {
        let budget = Budget::default();
        assert!(budget.too_much_gas());
        budget.too_large(600_000);
        let plan = budget.plan();
        assert_eq!((plan.gas, plan.body_bytes), (25_000_000, 300_000));
        (0..GOOD_BEFORE_RISE).for_each(|_| budget.good(1, 24_000_000, 8_000));
        let plan = budget.plan();
        assert_eq!((plan.gas, plan.body_bytes), (31_250_000, 375_000));
        (0..GOOD_BEFORE_RISE * 20).for_each(|_| budget.good(1, 49_000_000, 8_000));
        let plan = budget.plan();
        assert_eq!((plan.gas, plan.body_bytes), (50_000_000, 1_600_000));
    }

    #[test]
    fn a_node_that_quietly_gives_less_gas_is_believed() {
        let budget = Budget::default();
        budget.good(10, 9_900_000, 80_000);
        assert_eq!(budget.plan().gas, 9_900_000);
    }

    #[test]
    fn nothing_falls_below_what_one_read_needs() {
        let budget = Budget::default();
        while budget.too_much_gas() {}
        (0..40).for_each(|_| budget.too_large(0));
        budget.costly(1, u64::MAX);
        assert_eq!(budget.plan(), Plan { gas: 4_000_000, body_bytes: 8 << 10, reads: 1 });
    }
}
