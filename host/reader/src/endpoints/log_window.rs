//! How many blocks one request for logs may span at an endpoint, and where it has no logs at all.
//!
//! Invariant: nodes refuse wide requests in words of their own, so whatever they refuse is too wide, until the narrowest
//! is refused as well: then the endpoint has no logs there. Only a demand for fewer requests is no word about the width.

use std::time::Duration;

use tokio::time::Instant;

/// Blocks of the first request; most hosted nodes take as many.
const START: u64 = 10_000;
/// Blocks of the narrowest request.
pub(crate) const NARROWEST: u64 = 125;
/// Blocks of the widest request: more than any chain has.
const WIDEST: u64 = 1 << 40;
/// How long a refused width is not requested again.
const REFUSED_FOR: Duration = Duration::from_secs(60);
/// How long blocks without logs are not requested again.
const ABSENT_FOR: Duration = Duration::from_secs(900);

/// What was learned about one endpoint.
#[derive(Debug)]
pub(crate) struct LogWindow {
    blocks: u64,
    /// A width that was refused, and when that is forgotten.
    refused: Option<(u64, Instant)>,
    /// The highest block of a request that was refused at the narrowest, and when that is forgotten.
    absent: Option<(u64, Instant)>,
}

impl Default for LogWindow {
    fn default() -> Self {
        Self { blocks: START, refused: None, absent: None }
    }
}

impl LogWindow {
    /// Returns how many blocks the next request spans.
    pub(crate) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns true if it is known to have no logs at this height.
    pub(crate) fn is_absent(&self, number: u64, now: Instant) -> bool {
        self.absent.is_some_and(|(highest, until)| number <= highest && now < until)
    }

    /// Notes that a request of this width was answered.
    pub(crate) fn took(&mut self, blocks: u64, now: Instant) {
        self.refused = self.refused.filter(|(_, until)| now < *until);
        let wider = self.blocks.saturating_mul(2).min(WIDEST);
        let is_refused = self.refused.is_some_and(|(refused, _)| wider >= refused);
        if blocks >= self.blocks && !is_refused {
            self.blocks = wider;
        }
    }

    /// Notes that a request of this width, up to a height, was refused. Returns false if none is narrower.
    pub(crate) fn refused(&mut self, blocks: u64, highest: u64, now: Instant) -> bool {
        if blocks <= NARROWEST {
            // The width was not at fault, so what was learned of it is forgotten.
            let known = self.absent.filter(|(_, until)| now < *until).map_or(0, |(known, _)| known);
            *self = Self { absent: Some((known.max(highest), now + ABSENT_FOR)), ..Self::default() };
            return false;
        }
        self.refused = Some((blocks, now + REFUSED_FOR));
        self.blocks = (blocks / 2).max(NARROWEST);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_widens_up_to_what_was_refused() {
        let (mut window, now) = (LogWindow::default(), Instant::now());
        window.took(START, now);
        assert_eq!(window.blocks(), 20_000);
        window.took(50, now);
        assert_eq!(window.blocks(), 20_000, "a narrow request shows nothing about wide ones");
        assert!(window.refused(20_000, 100_000, now));
        assert_eq!(window.blocks(), 10_000);
        window.took(10_000, now);
        assert_eq!(window.blocks(), 10_000, "twice as many were refused");
        window.took(10_000, now + REFUSED_FOR);
        assert_eq!(window.blocks(), 20_000, "that is forgotten");
    }

    #[test]
    fn where_the_narrowest_is_refused_there_are_no_logs_for_a_while() {
        let (mut window, now) = (LogWindow::default(), Instant::now());
        let mut refusals = 1;
        while window.refused(window.blocks(), 700, now) {
            refusals += 1;
        }
        assert_eq!(refusals, 8, "10,000 blocks are halved seven times");
        assert!(window.is_absent(700, now) && window.is_absent(5, now) && !window.is_absent(701, now));
        assert!(!window.is_absent(700, now + ABSENT_FOR));
        assert_eq!(window.blocks(), START);
    }
}
