//! Finds the block that a client names: by number, hash, `safe` or `finalized`, or time.
//!
//! Invariant: a block that is found is on the chain of the endpoint that knows it, and some endpoint has its state.

use alloy::primitives::B256;
use futures_util::future::{FutureExt, join};
use tokio::time::Instant;

use super::Endpoints;
use crate::wire::error::EndpointError;
use crate::{Block, BlockRef, ReadFailure};

/// Maximum requests to find a block by time; every third of them halves the range, so that no chain needs more.
const STEPS_MAX: u32 = 100;

impl Endpoints {
    /// Returns the named block. `head` is the newest block that is known. Where the block was named by number or hash,
    /// learns beside that whether it is final.
    pub(crate) async fn named_block(
        &self,
        named: BlockRef,
        head: &Block,
        until: Instant,
    ) -> Result<Block, ReadFailure> {
        let found = match named {
            BlockRef::Number(number) => self.at_height(number, number <= head.number, until).await,
            BlockRef::Hash(hash) => self.with_hash(hash, until).await,
            BlockRef::Safe => self.tagged("safe", until).await,
            BlockRef::Finalized => self.tagged("finalized", until).await,
            BlockRef::At(time) => self.at_time(time, head, until).await,
        };
        let block = found.map_err(|failure| match failure {
            ReadFailure::BlockLost => ReadFailure::UnknownBlock,
            other => other,
        })?;
        let state = self.first_reply(until, move |endpoint, until| endpoint.check_state(block, until).boxed());
        let finality = async {
            if let BlockRef::Number(_) | BlockRef::Hash(_) = named {
                self.learn_finality(block.number, head, until).await;
            }
        };
        let (state, ()) = join(state, finality).await;
        state.map(|_| block)
    }

    /// Returns the block at a height. `is_known` means that the chain has that height.
    async fn at_height(&self, number: u64, is_known: bool, until: Instant) -> Result<Block, ReadFailure> {
        let reply = self.first_reply(until, move |endpoint, until| {
            async move {
                let block = if is_known {
                    endpoint.block_at_known_height(number, until).await?
                } else {
                    endpoint.block_by_number(number, until).await?
                };
                block.ok_or(EndpointError::UnknownBlock)
            }
            .boxed()
        });
        reply.await
    }

    async fn tagged(&self, tag: &'static str, until: Instant) -> Result<Block, ReadFailure> {
        let reply = self.first_reply(until, move |endpoint, until| endpoint.tagged_block(tag, until).boxed());
        reply.await?.ok_or(ReadFailure::BlockLost)
    }

    /// Returns the block with this hash; fails if it was reorganised away.
    async fn with_hash(&self, hash: B256, until: Instant) -> Result<Block, ReadFailure> {
        let reply = self.first_reply(until, move |endpoint, until| endpoint.canonical_block(hash, until).boxed());
        reply.await?.ok_or(ReadFailure::BlockLost)
    }

    /// Returns the last block at or before this time.
    async fn at_time(&self, time: u64, head: &Block, until: Instant) -> Result<Block, ReadFailure> {
        if time >= head.timestamp {
            return Ok(*head);
        }
        let low = self.at_height(head.number.min(1), true, until).await?;
        let mut search = TimeSearch::new(time, low, *head).ok_or(ReadFailure::BlockLost)?;
        while let Some(number) = search.next() {
            search.narrow(self.at_height(number, true, until).await?);
        }
        search.found().ok_or(ReadFailure::Upstream)
    }
}

/// The search for the last block at or before a time. It interpolates the time in the range, a little beyond it on
/// the far side, and halves the range every third time.
struct TimeSearch {
    time: u64,
    low: Block,
    high: Block,
    was_low: bool,
    steps: u32,
}

impl TimeSearch {
    /// Begins between two blocks; `None` if the time is before the first.
    fn new(time: u64, low: Block, high: Block) -> Option<Self> {
        (low.timestamp <= time).then_some(Self { time, low, high, was_low: false, steps: 0 })
    }

    /// Returns the height of the next block to request; `None` at the end.
    fn next(&self) -> Option<u64> {
        let range = self.high.number.saturating_sub(self.low.number);
        let is_open = range > 1 && self.steps < STEPS_MAX;
        let is_third = self.steps % 3 == 2;
        let guess = if is_third { range / 2 } else { interpolate(&self.low, &self.high, self.time, self.was_low) };
        is_open.then(|| self.low.number + guess.clamp(1, range - 1))
    }

    fn narrow(&mut self, block: Block) {
        self.steps += 1;
        self.was_low = block.timestamp <= self.time;
        *(if self.was_low { &mut self.low } else { &mut self.high }) = block;
    }

    /// Returns the block, once its child is known to be later.
    fn found(&self) -> Option<Block> {
        (self.high.number.saturating_sub(self.low.number) <= 1).then_some(self.low)
    }
}

/// Estimates how far above the lower block the time is, in blocks.
fn interpolate(low: &Block, high: &Block, time: u64, was_low: bool) -> u64 {
    let (range, seconds) = (high.number - low.number, high.timestamp.saturating_sub(low.timestamp).max(1));
    let part = u128::from(range) * u128::from(time.saturating_sub(low.timestamp)) / u128::from(seconds);
    let (guess, beyond) = (u64::try_from(part).unwrap_or(range), range.isqrt());
    if was_low { guess.saturating_add(beyond) } else { guess.saturating_sub(beyond) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u64, timestamp: u64) -> Block {
        Block { number, hash: B256::ZERO, parent: B256::ZERO, timestamp, evm_number: number }
    }

    #[test]
    fn a_guess_is_where_the_time_stands_and_a_little_beyond() {
        // 10,000 blocks of two seconds; the square root of the range is 100.
        let (low, high) = (block(1_000, 50_000), block(11_000, 70_000));
        assert_eq!(interpolate(&low, &high, 60_000, true), 5_100);
        assert_eq!(interpolate(&low, &high, 60_000, false), 4_900);
        assert_eq!(interpolate(&low, &high, 50_000, false), 0);
        // Equal timestamps do not lead to a division by zero.
        assert_eq!(interpolate(&block(1, 7), &block(5, 7), 7, true), 2);
    }

    /// A chain of 25 million blocks: every 13 to 19 seconds at first, then every 12.
    fn on_chain(number: u64) -> Block {
        let slow = number.min(15_000_000);
        block(number, 1_438_269_988 + slow * 13 + slow % 7 + (number - slow) * 12)
    }

    #[test]
    fn the_last_block_at_a_time_or_before_is_found_in_few_steps() {
        let (first, head) = (on_chain(1), on_chain(25_000_000));
        for number in [1, 2, 77, 1_000_000, 14_999_999, 15_000_001, 20_123_456, 24_999_998, 24_999_999] {
            for later in [0, 1, 5] {
                let time = on_chain(number).timestamp + later;
                let mut search = TimeSearch::new(time, first, head).unwrap();
                while let Some(next) = search.next() {
                    search.narrow(on_chain(next));
                }
                let found = search.found().unwrap();
                assert!(found.timestamp <= time && on_chain(found.number + 1).timestamp > time, "{found:?}");
                assert!(search.steps <= 20, "{number}: {}", search.steps);
            }
        }
        assert!(TimeSearch::new(first.timestamp - 1, first, head).is_none());
    }

    #[test]
    fn a_chain_whose_clock_jumps_is_searched_to_the_end() {
        // All blocks but the last have the same time.
        let (first, head) = (block(1, 7), block(1 << 40, u64::MAX));
        let mut search = TimeSearch::new(8, first, head).unwrap();
        while let Some(next) = search.next() {
            search.narrow(block(next, 7));
        }
        assert_eq!(search.found().map(|block| block.number), None, "it is given up");
        let mut search = TimeSearch::new(8, first, block(1 << 25, u64::MAX)).unwrap();
        while let Some(next) = search.next() {
            search.narrow(block(next, 7));
        }
        assert_eq!(search.found().map(|block| block.number), Some((1 << 25) - 1));
    }
}
