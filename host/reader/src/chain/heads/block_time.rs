//! The block time of a network, learned from the headers that are polled anyway.
//!
//! Invariant: it is the median of several spans, so that a missed slot or a test that sets the clock does not make
//! pins last too long. A network that rests between its blocks has no block time.

use std::collections::VecDeque;
use std::time::Duration;

use crate::Block;

/// Minimum span: timestamps are whole seconds, and a shorter span would measure their rounding.
const SPAN_MIN_S: u64 = 4;
/// Lower bound of the block time; a shorter one is an error of the clock.
const FASTEST: Duration = Duration::from_millis(100);
/// Upper bound of the block time; longer ones are pauses of a network that makes blocks on demand.
const SLOWEST: Duration = Duration::from_secs(60);
/// Minimum number of spans, so that one odd span is outvoted.
const SPANS_MIN: usize = 3;
/// Maximum number of spans: about a minute with blocks of four seconds. A change of the block time shows within half
/// of it.
const SPANS_MAX: usize = 15;

#[derive(Default)]
pub(super) struct BlockTime {
    /// Number and timestamp of the block where the current span began.
    from: Option<(u64, u64)>,
    spans: VecDeque<Duration>,
}

impl BlockTime {
    pub(super) fn observe(&mut self, head: &Block) {
        let here = (head.number, head.timestamp);
        let Some((number, timestamp_s)) = self.from else {
            self.from = Some(here);
            return;
        };
        let (Some(blocks), Some(span_s)) = (head.number.checked_sub(number), head.timestamp.checked_sub(timestamp_s))
        else {
            // The chain went back.
            self.from = Some(here);
            return;
        };
        if blocks == 0 || span_s < SPAN_MIN_S {
            return;
        }
        self.from = Some(here);
        let block_time = u32::try_from(blocks).map_or(Duration::ZERO, |blocks| Duration::from_secs(span_s) / blocks);
        if block_time > SLOWEST {
            return;
        }
        if self.spans.len() == SPANS_MAX {
            self.spans.pop_front();
        }
        self.spans.push_back(block_time.max(FASTEST));
    }

    /// Returns the block time; `None` until enough headers were observed.
    pub(super) fn median(&self) -> Option<Duration> {
        if self.spans.len() < SPANS_MIN {
            return None;
        }
        let mut spans: Vec<_> = self.spans.iter().copied().collect();
        spans.sort_unstable();
        spans.get(spans.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;

    use super::*;

    fn after(headers: impl IntoIterator<Item = (u64, u64)>) -> Option<Duration> {
        let mut block_time = BlockTime::default();
        for (number, timestamp) in headers {
            block_time.observe(&Block { number, hash: B256::ZERO, parent: B256::ZERO, timestamp, evm_number: number });
        }
        block_time.median()
    }

    #[test]
    fn a_block_time_is_unknown_until_three_spans_agree_on_it() {
        assert_eq!(after([(1, 12), (2, 24), (3, 36)]), None);
        assert_eq!(after([(1, 12), (2, 24), (3, 36), (4, 48)]), Some(Duration::from_secs(12)));
    }

    #[test]
    fn a_missed_slot_does_not_change_the_block_time() {
        let slots = [0, 12, 24, 48, 60, 72];
        assert_eq!(after((100..).zip(slots)), Some(Duration::from_secs(12)));
    }

    #[test]
    fn blocks_within_a_second_are_timed_over_many_of_them() {
        // Four blocks a second, every second block seen.
        let headers = (0..80).map(|step| (1_000 + 2 * step, 500 + step / 2));
        assert_eq!(after(headers), Some(Duration::from_millis(250)));
    }

    #[test]
    fn pauses_of_a_resting_network_are_no_block_time() {
        assert_eq!(after((1..20).map(|number| (number, number * 3_600))), None);
    }

    #[test]
    fn a_block_time_is_never_below_a_tenth_of_a_second() {
        let headers = (0..20).map(|step| (step * 1_000, step * 5));
        assert_eq!(after(headers), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_chain_set_back_leaves_the_pace_as_it_was() {
        let headers = [(1, 12), (2, 24), (3, 36), (4, 48), (2, 24), (3, 5_000), (1, 12)];
        assert_eq!(after(headers), Some(Duration::from_secs(12)));
    }
}
