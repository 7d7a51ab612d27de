//! The heads that were reported, and the pin that follows from them. Reads no clock: time is passed in.
//!
//! Invariant: a pin goes back in number only after the chain did: a header contradicted it, it was lost, or several
//! polls in a row reported a lower head. All collections are bounded.

use std::collections::VecDeque;
use std::time::Duration;

use alloy::primitives::B256;
use tokio::time::Instant;

use super::block_time::BlockTime;
use crate::Block;

/// Time after its first report at which a block has reached the other nodes of a pool.
const PIN_AGE_MIN: Duration = Duration::from_secs(1);
/// Polls in a row below the highest head that mean that the chain was set back. Fewer come from a node that lags.
const LOWER_POLLS_MAX: u32 = 3;
/// Heads kept: half a minute at the highest rate of polls. A pin is rarely older than the last few.
const SEEN_MAX: usize = 64;
/// Time after which a lost block is pinned again if the chain reports no other; it doubles each time.
const LOST_MIN: Duration = Duration::from_millis(250);
const LOST_DOUBLINGS_MAX: u32 = 4;
/// Lost blocks kept: blocks are lost one by one, and after a reorg nodes still report only a few of them.
const LOST_MAX: usize = 16;
/// Minimum time for which answers share a pin; with fresher pins on fast networks, they would share fewer reads.
const SHARE_MIN: Duration = Duration::from_secs(2);
/// Minimum time that the pin outlives the last successful poll: the time of a node's restart.
const USABLE_MIN: Duration = Duration::from_secs(10);
const USABLE_BLOCKS: u32 = 3;
/// Assumed block time until it is learned: most networks have two seconds or less.
const BLOCK_TIME_GUESS: Duration = Duration::from_secs(2);
/// Bounds of the pause between polls: a request costs money, a late head makes answers old.
const POLL_MIN: Duration = Duration::from_millis(500);
const POLL_MAX: Duration = Duration::from_secs(4);

/// Result of observing a reported head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observation {
    Accepted,
    /// The head is lower than earlier ones, and may come from a node that lags.
    Behind,
}

#[derive(Clone, Copy)]
struct SeenHead {
    block: Block,
    first_seen: Instant,
    /// True if a later poll reported it, or a higher one.
    is_confirmed: bool,
}

#[derive(Clone, Copy)]
struct Pinned {
    block: Block,
    since: Instant,
}

/// A block that no endpoint knew when reads were made at it.
#[derive(Clone, Copy)]
struct LostBlock {
    hash: B256,
    at: Instant,
    /// Number of times that it was lost again.
    again: u32,
}

/// Polls in a row that reported a head below the highest one.
#[derive(Clone, Copy)]
struct LowerHeads {
    polls: u32,
    /// Head of the last of them, and when it was first reported.
    hash: B256,
    since: Instant,
}

#[derive(Default)]
pub(super) struct HeadRecord {
    /// Rising in number.
    seen: VecDeque<SeenHead>,
    lost: VecDeque<LostBlock>,
    pinned: Option<Pinned>,
    /// When a head was last reported.
    polled: Option<Instant>,
    lower: Option<LowerHeads>,
    block_time: BlockTime,
}

impl HeadRecord {
    pub(super) fn observe(&mut self, head: Block, now: Instant) -> Observation {
        self.polled = Some(now);
        if self.is_lost(head.hash) {
            return Observation::Accepted;
        }
        let mut first_seen = now;
        if self.highest().is_some_and(|highest| head.number < highest) {
            let before = self.lower.map_or(0, |lower| lower.polls);
            let same = self.lower.filter(|lower| lower.hash == head.hash);
            let lower = LowerHeads { polls: before + 1, hash: head.hash, since: same.map_or(now, |lower| lower.since) };
            if lower.polls < LOWER_POLLS_MAX {
                self.lower = Some(lower);
                return Observation::Behind;
            }
            first_seen = lower.since;
        }
        self.lower = None;
        self.accept(head, first_seen, now);
        Observation::Accepted
    }

    /// Drops the heads that this one contradicts, and confirms those below it.
    fn accept(&mut self, head: Block, first_seen: Instant, now: Instant) {
        self.block_time.observe(&head);
        self.pinned = self.pinned.filter(|pinned| is_below(&pinned.block, &head));
        self.seen.retain(|seen| is_below(&seen.block, &head));
        for seen in &mut self.seen {
            seen.is_confirmed = true;
        }
        if self.seen.back().is_some_and(|seen| seen.block.hash == head.hash) {
            return;
        }
        if self.seen.len() == SEEN_MAX {
            self.seen.pop_front();
        }
        self.seen.push_back(SeenHead { block: head, first_seen, is_confirmed: first_seen < now });
    }

    pub(super) fn highest(&self) -> Option<u64> {
        let seen = self.seen.back().map(|seen| seen.block.number);
        seen.max(self.pinned().map(|block| block.number))
    }

    /// Returns the pin, while answers share it.
    pub(super) fn shared(&self, now: Instant) -> Option<Block> {
        let share = self.block_time().unwrap_or(BLOCK_TIME_GUESS).max(SHARE_MIN);
        self.pinned.filter(|pinned| now < pinned.since + share).map(|pinned| pinned.block)
    }

    /// Pins the newest block that is old enough, and returns the pin.
    pub(super) fn choose(&mut self, now: Instant) -> Option<Block> {
        let is_old_enough = |seen: &&SeenHead| seen.is_confirmed && now >= seen.first_seen + PIN_AGE_MIN;
        if let Some(seen) = self.seen.iter().rev().find(is_old_enough) {
            self.pin(seen.block, now);
        }
        self.pinned()
    }

    /// Pins the block, unless the pin is at least as high.
    pub(super) fn pin(&mut self, block: Block, now: Instant) {
        if self.pinned.is_none_or(|pinned| pinned.block.number < block.number) {
            self.pinned = Some(Pinned { block, since: now });
        }
    }

    pub(super) fn pinned(&self) -> Option<Block> {
        self.pinned.map(|pinned| pinned.block)
    }

    /// Returns the hash of the block that was last seen at this height. It may have been replaced since.
    pub(super) fn hash_at(&self, number: u64) -> Option<B256> {
        let seen = self.seen.iter().map(|seen| seen.block).chain(self.pinned());
        seen.filter(|block| block.number == number).map(|block| block.hash).next_back()
    }

    /// Returns true if the last successful poll is recent enough to choose a pin by.
    pub(super) fn is_usable(&self, now: Instant) -> bool {
        let usable = (self.block_time().unwrap_or(BLOCK_TIME_GUESS) * USABLE_BLOCKS).max(USABLE_MIN);
        self.polled.is_some_and(|polled| now < polled + usable)
    }

    /// Marks a block as lost. Returns true if it was the pin: then all heads that were seen are dropped.
    pub(super) fn mark_lost(&mut self, hash: B256, now: Instant) -> bool {
        let before = self.lost.iter().position(|lost| lost.hash == hash).and_then(|place| self.lost.remove(place));
        if self.lost.len() == LOST_MAX {
            self.lost.pop_front();
        }
        self.lost.push_back(LostBlock { hash, at: now, again: before.map_or(0, |lost| lost.again.saturating_add(1)) });
        self.seen.retain(|seen| seen.block.hash != hash);
        if self.pinned.is_none_or(|pinned| pinned.block.hash != hash) {
            return false;
        }
        self.pinned = None;
        self.seen.clear();
        true
    }

    pub(super) fn is_lost(&self, hash: B256) -> bool {
        self.lost.iter().any(|lost| lost.hash == hash)
    }

    /// Returns true if the block was not lost, or so long ago that its endpoints may know it again.
    pub(super) fn may_be_known(&self, hash: B256, now: Instant) -> bool {
        let pause = |lost: &LostBlock| LOST_MIN * 2_u32.pow(lost.again.min(LOST_DOUBLINGS_MAX));
        self.lost.iter().all(|lost| lost.hash != hash || now >= lost.at + pause(lost))
    }

    pub(super) fn block_time(&self) -> Option<Duration> {
        self.block_time.median()
    }

    /// Returns the soonest time for the next poll; `None` before the first.
    pub(super) fn soonest_poll(&self) -> Option<Instant> {
        self.polled.map(|polled| polled + POLL_MIN)
    }

    /// Returns the pause between two polls: half a block time, within bounds.
    pub(super) fn poll_interval(&self) -> Duration {
        (self.block_time().unwrap_or(BLOCK_TIME_GUESS) / 2).clamp(POLL_MIN, POLL_MAX)
    }
}

/// Returns true if the block may be the head or an ancestor of it, judging by both headers.
fn is_below(block: &Block, head: &Block) -> bool {
    match head.number.checked_sub(block.number) {
        None => false,
        Some(0) => block.hash == head.hash,
        Some(1) => block.hash == head.parent,
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u64) -> Block {
        let hash = B256::left_padding_from(&number.to_be_bytes());
        let parent = B256::left_padding_from(&number.wrapping_sub(1).to_be_bytes());
        Block { number, hash, parent, timestamp: 0, evm_number: number }
    }

    #[test]
    fn all_that_is_kept_is_bounded() {
        let mut record = HeadRecord::default();
        let now = Instant::now();
        for number in 0..1_000 {
            record.observe(block(number), now);
        }
        assert_eq!(record.seen.len(), 64);
        for number in 0..1_000 {
            record.mark_lost(block(number).hash, now);
        }
        assert_eq!(record.lost.len(), 16);
        assert!(record.is_lost(block(999).hash) && record.is_lost(block(984).hash));
    }

    #[test]
    fn a_block_is_pinned_a_second_after_its_first_report_if_reported_again() {
        let mut record = HeadRecord::default();
        let start = Instant::now();
        record.observe(block(100), start);
        assert_eq!(record.choose(start + Duration::from_secs(5)), None, "reported once");
        record.observe(block(100), start + Duration::from_millis(500));
        assert_eq!(record.choose(start + Duration::from_millis(999)), None);
        assert_eq!(record.choose(start + Duration::from_millis(1_000)), Some(block(100)));
    }

    #[test]
    fn heads_above_a_lost_pin_do_not_make_the_next_head_a_lagging_one() {
        let mut record = HeadRecord::default();
        let now = Instant::now();
        record.observe(block(100), now);
        record.pin(block(100), now);
        record.observe(block(101), now);
        assert!(record.mark_lost(block(100).hash, now));
        assert_eq!(record.observe(block(95), now), Observation::Accepted);
    }

    #[test]
    fn a_lost_head_above_the_pin_is_never_chosen_and_leaves_the_pin_the_highest() {
        let mut record = HeadRecord::default();
        let now = Instant::now();
        record.pin(block(99), now);
        record.observe(block(100), now);
        record.observe(block(100), now);
        assert!(!record.mark_lost(block(100).hash, now));
        assert_eq!(record.choose(now + Duration::from_secs(5)), Some(block(99)));
        assert_eq!(record.observe(block(95), now), Observation::Behind);
    }

    #[test]
    fn a_block_lost_again_is_one_and_needs_twice_the_time() {
        let (mut record, start) = (HeadRecord::default(), Instant::now());
        let ms = Duration::from_millis;
        assert!(record.may_be_known(block(1).hash, start), "it was not lost");
        for pause_ms in [250, 500, 1_000, 2_000, 4_000, 4_000] {
            record.mark_lost(block(1).hash, start);
            assert!(!record.may_be_known(block(1).hash, start + ms(pause_ms - 1)), "{pause_ms}");
            assert!(record.may_be_known(block(1).hash, start + ms(pause_ms)), "{pause_ms}");
        }
        assert_eq!(record.lost.len(), 1);
    }
}
