//! The newest blocks that one endpoint told, and when.
//!
//! Invariant: the times of the blocks rise; one that goes back (a chain that was set back, a pool of nodes of which
//! one is behind) takes back all that was told before.

use std::collections::VecDeque;

use tokio::time::Instant;

/// Half a minute of a network with two blocks a second; peers that are asked more seldom are not compared.
const HEADS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Heads {
    /// When each was told first, and the block's time in Unix seconds.
    told: VecDeque<(Instant, u64)>,
    /// When the newest was told last.
    last_at: Option<Instant>,
}

impl Heads {
    pub(super) fn saw(&mut self, now: Instant, timestamp_s: u64) {
        match self.told.back() {
            Some((_, last)) if *last == timestamp_s => {}
            Some((_, last)) if *last > timestamp_s => {
                self.told.clear();
                self.told.push_back((now, timestamp_s));
            }
            _ => self.told.push_back((now, timestamp_s)),
        }
        if self.told.len() > HEADS_MAX {
            self.told.pop_front();
        }
        self.last_at = Some(now);
    }

    pub(super) fn last(&self) -> Option<(Instant, u64)> {
        Some((self.last_at?, self.told.back()?.1))
    }

    pub(super) fn at(&self, at: Instant) -> Option<u64> {
        self.told.iter().rev().find(|(told_at, _)| *told_at <= at).map(|(_, timestamp_s)| *timestamp_s)
    }
}

#[cfg(test)]
impl Heads {
    pub(super) fn len(&self) -> usize {
        self.told.len()
    }
}
