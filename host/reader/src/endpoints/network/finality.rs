//! The finalized height of a network, learned where clients name blocks.
//!
//! Invariant: it is never above the newest block, never falls, and costs at most one request in [`LEARN_EVERY`].

use std::time::Duration;

use futures_util::future::FutureExt;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use super::Endpoints;
use crate::Block;

/// Minimum time between two requests for it; most networks finalize blocks less often.
const LEARN_EVERY: Duration = Duration::from_secs(12);

/// Maximum time that an answer waits for it, since only the lifetime of its copies depends on it.
const LEARN_TIMEOUT: Duration = Duration::from_secs(1);

/// What is known of a network's finality.
#[derive(Debug, Default)]
pub(super) struct Finality(Mutex<FinalityState>);

#[derive(Clone, Copy, Debug, Default)]
struct FinalityState {
    /// Highest block that an endpoint reported as final.
    height: Option<u64>,
    /// When the height was last requested.
    requested: Option<Instant>,
}

impl Finality {
    pub(super) fn covers(&self, number: u64) -> bool {
        self.0.lock().height.is_some_and(|height| number <= height)
    }

    /// Returns true if the height is to be requested now, by this caller.
    fn is_due(&self, number: u64, now: Instant) -> bool {
        let mut state = self.0.lock();
        let is_late = state.requested.is_none_or(|requested| now >= requested + LEARN_EVERY);
        let is_due = is_late && state.height.is_none_or(|height| height < number);
        if is_due {
            state.requested = Some(now);
        }
        is_due
    }

    fn raise(&self, height: u64) {
        let mut state = self.0.lock();
        state.height = state.height.max(Some(height));
    }
}

impl Endpoints {
    /// Returns true if the block at this height is known to be final. Makes no request.
    pub(crate) fn is_final(&self, number: u64) -> bool {
        self.finality.covers(number)
    }

    /// Learns whether the block at a height is final, if that is not known and was not requested lately. If no endpoint
    /// says so in time, the block does not count as final.
    pub(super) async fn learn_finality(&self, number: u64, head: &Block, until: Instant) {
        let now = Instant::now();
        if !self.finality.is_due(number, now) {
            return;
        }
        let by = until.min(now + LEARN_TIMEOUT);
        let reply = self.first_reply(by, |endpoint, until| endpoint.finalized_number(until).boxed());
        if let Ok(Ok(Some(height))) = timeout_at(by, reply).await {
            self.finality.raise(height.min(head.number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_height_is_requested_once_in_a_while_and_only_for_blocks_above_it() {
        let (finality, start) = (Finality::default(), Instant::now());
        assert!(!finality.covers(0));
        assert!(finality.is_due(5, start));
        assert!(!finality.is_due(5, start + LEARN_EVERY / 2), "it was requested lately");
        finality.raise(7);
        finality.raise(3);
        assert!(finality.covers(7) && !finality.covers(8), "it does not fall");
        assert!(!finality.is_due(7, start + LEARN_EVERY), "it is known");
        assert!(finality.is_due(8, start + LEARN_EVERY));
    }
}
