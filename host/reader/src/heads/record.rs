//! The heads that were told, and the pin that follows from them. Pure: time is passed in.
//!
//! Invariant: a pin goes backwards in number only after the chain did: a header contradicted it, it was lost, or
//! several looks in a row told a lower head. Everything kept is bounded.

use std::collections::VecDeque;
use std::time::Duration;

use alloy::primitives::B256;
use tokio::time::Instant;

use super::pace::Pace;
use crate::Block;

/// By then a block has reached the other nodes of a pool.
const RIPE_AGE: Duration = Duration::from_secs(1);
/// One look below the highest head is a node that lags; so many in a row are a chain that was set back.
const LOWER_LOOKS: u32 = 3;
/// Half a minute at the fastest rate of looks; a pin is rarely older than the last few.
const SEEN_MAX: usize = 64;
/// Blocks are lost one by one, and a reorg leaves only a few that nodes still tell.
const LOST_MAX: usize = 16;
/// Fresher pins on fast networks would let answers share less.
const SHARE_MIN: Duration = Duration::from_secs(2);
/// How long the pin outlives the last good look, at least: time for a node to restart.
const USABLE_MIN: Duration = Duration::from_secs(10);
const USABLE_BLOCKS: u32 = 3;
/// What is taken as block time until it is learned: most networks have two seconds or less.
const BLOCK_TIME_GUESS: Duration = Duration::from_secs(2);
/// Bounds of the pause between looks: a request costs money, a late head makes answers old.
const POLL_MIN: Duration = Duration::from_millis(500);
const POLL_MAX: Duration = Duration::from_secs(4);

/// Whether a head was taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Followed,
    /// It is lower than what was seen, and may be of a node that lags.
    Behind,
}

#[derive(Clone, Copy)]
struct Sighting {
    block: Block,
    first: Instant,
    /// A later look told it, or one above it.
    is_confirmed: bool,
}

#[derive(Clone, Copy)]
struct Pinned {
    block: Block,
    since: Instant,
}

#[derive(Default)]
pub(super) struct Record {
    /// Rising in number.
    seen: VecDeque<Sighting>,
    lost: VecDeque<B256>,
    pinned: Option<Pinned>,
    /// When a head was told last.
    looked: Option<Instant>,
    /// Looks in a row below the highest head, and since when they have told the block that they tell.
    lower: Option<(u32, B256, Instant)>,
    pace: Pace,
}

impl Record {
    pub(super) fn see(&mut self, head: Block, now: Instant) -> Sight {
        self.looked = Some(now);
        if self.is_lost(head.hash) {
            return Sight::Followed;
        }
        let mut first = now;
        if self.highest().is_some_and(|highest| head.number < highest) {
            let (looks, told) = match self.lower {
                Some((looks, hash, since)) if hash == head.hash => (looks + 1, since),
                Some((looks, ..)) => (looks + 1, now),
                None => (1, now),
            };
            if looks < LOWER_LOOKS {
                self.lower = Some((looks, head.hash, told));
                return Sight::Behind;
            }
            first = told;
        }
        self.lower = None;
        self.take(head, first, now);
        Sight::Followed
    }

    /// Drops what the head contradicts and confirms what it is above.
    fn take(&mut self, head: Block, first: Instant, now: Instant) {
        self.pace.see(&head);
        self.pinned = self.pinned.filter(|pinned| is_below(&pinned.block, &head));
        self.seen.retain(|sighting| is_below(&sighting.block, &head));
        for sighting in &mut self.seen {
            sighting.is_confirmed = true;
        }
        if self.seen.back().is_some_and(|sighting| sighting.block.hash == head.hash) {
            return;
        }
        if self.seen.len() == SEEN_MAX {
            self.seen.pop_front();
        }
        self.seen.push_back(Sighting { block: head, first, is_confirmed: first < now });
    }

    fn highest(&self) -> Option<u64> {
        let seen = self.seen.back().map(|sighting| sighting.block.number);
        seen.max(self.pinned().map(|block| block.number))
    }

    /// The pin while it is shared.
    pub(super) fn shared(&self, now: Instant) -> Option<Block> {
        let share = self.block_time().unwrap_or(BLOCK_TIME_GUESS).max(SHARE_MIN);
        self.pinned.filter(|pinned| now < pinned.since + share).map(|pinned| pinned.block)
    }

    /// The newest block that is old enough, which becomes the pin; the pin itself while there is none above it.
    pub(super) fn choose(&mut self, now: Instant) -> Option<Block> {
        let is_ripe = |sighting: &&Sighting| sighting.is_confirmed && now >= sighting.first + RIPE_AGE;
        if let Some(ripe) = self.seen.iter().rev().find(is_ripe) {
            self.adopt(ripe.block, now);
        }
        self.pinned()
    }

    /// Pins the block, unless the pin is as high already.
    pub(super) fn adopt(&mut self, block: Block, now: Instant) {
        if self.pinned.is_none_or(|pinned| pinned.block.number < block.number) {
            self.pinned = Some(Pinned { block, since: now });
        }
    }

    pub(super) fn pinned(&self) -> Option<Block> {
        self.pinned.map(|pinned| pinned.block)
    }

    /// Whether the last good look is not too long ago to pin by what it told.
    pub(super) fn is_usable(&self, now: Instant) -> bool {
        let usable = (self.block_time().unwrap_or(BLOCK_TIME_GUESS) * USABLE_BLOCKS).max(USABLE_MIN);
        self.looked.is_some_and(|looked| now < looked + usable)
    }

    /// True if it was the pin: then nothing that was seen counts any more.
    pub(super) fn lose(&mut self, hash: B256) -> bool {
        if !self.is_lost(hash) {
            if self.lost.len() == LOST_MAX {
                self.lost.pop_front();
            }
            self.lost.push_back(hash);
        }
        self.seen.retain(|sighting| sighting.block.hash != hash);
        if self.pinned.is_none_or(|pinned| pinned.block.hash != hash) {
            return false;
        }
        self.pinned = None;
        self.seen.clear();
        true
    }

    pub(super) fn is_lost(&self, hash: B256) -> bool {
        self.lost.contains(&hash)
    }

    pub(super) fn block_time(&self) -> Option<Duration> {
        self.pace.block_time()
    }

    /// The pause between two looks: half a block time.
    pub(super) fn poll_every(&self) -> Duration {
        (self.block_time().unwrap_or(BLOCK_TIME_GUESS) / 2).clamp(POLL_MIN, POLL_MAX)
    }
}

/// Whether the block may be the head or lie below it, by what both headers tell.
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
    fn what_is_remembered_is_bounded() {
        let mut record = Record::default();
        let now = Instant::now();
        for number in 0..1_000 {
            record.see(block(number), now);
        }
        assert_eq!(record.seen.len(), 64);
        for number in 0..1_000 {
            record.lose(block(number).hash);
        }
        assert_eq!(record.lost.len(), 16);
        assert!(record.is_lost(block(999).hash) && record.is_lost(block(984).hash));
    }

    #[test]
    fn a_block_is_ripe_a_second_after_it_was_first_told_if_told_again() {
        let mut record = Record::default();
        let start = Instant::now();
        record.see(block(100), start);
        assert_eq!(record.choose(start + Duration::from_secs(5)), None, "told once");
        record.see(block(100), start + Duration::from_millis(500));
        assert_eq!(record.choose(start + Duration::from_millis(999)), None);
        assert_eq!(record.choose(start + Duration::from_millis(1_000)), Some(block(100)));
    }

    #[test]
    fn what_was_seen_above_a_lost_pin_does_not_make_the_next_head_a_lagging_one() {
        let mut record = Record::default();
        let now = Instant::now();
        record.see(block(100), now);
        record.adopt(block(100), now);
        record.see(block(101), now);
        assert!(record.lose(block(100).hash));
        assert_eq!(record.see(block(95), now), Sight::Followed);
    }

    #[test]
    fn a_lost_head_above_the_pin_is_never_chosen_and_leaves_the_pin_the_highest() {
        let mut record = Record::default();
        let now = Instant::now();
        record.adopt(block(99), now);
        record.see(block(100), now);
        record.see(block(100), now);
        assert!(!record.lose(block(100).hash));
        assert_eq!(record.choose(now + Duration::from_secs(5)), Some(block(99)));
        assert_eq!(record.see(block(95), now), Sight::Behind);
    }

    #[test]
    fn a_block_lost_twice_takes_one_place() {
        let mut record = Record::default();
        for _ in 0..20 {
            record.lose(block(1).hash);
        }
        assert_eq!(record.lost.len(), 1);
    }
}
