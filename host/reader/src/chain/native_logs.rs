//! Tracks which blocks of a chain have a log for each movement of the native token (EIP-7708), as shown by headers.
//!
//! Invariant: a chain never goes back behind a fork, so one header decides for all blocks above it, or for all below.
//! A header that shows the fork outweighs one that does not: nodes add members, and proxies drop them.

/// The bounds that headers have shown.
#[derive(Debug, Default)]
pub(crate) struct NativeLogs {
    /// The lowest block with such logs.
    with: Option<u64>,
    /// The highest block without.
    without: Option<u64>,
}

impl NativeLogs {
    pub(crate) fn record(&mut self, number: u64, has_logs: bool) {
        if has_logs {
            self.with = Some(self.with.map_or(number, |lowest| lowest.min(number)));
        } else {
            self.without = self.without.max(Some(number));
        }
    }

    /// Returns true if the block at a height has them; `None` if no header has shown it.
    pub(crate) fn at(&self, number: u64) -> Option<bool> {
        match (self.with, self.without) {
            (Some(lowest), _) if number >= lowest => Some(true),
            (_, Some(highest)) if number <= highest => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_speaks_for_the_blocks_on_its_side_of_the_fork() {
        let mut logs = NativeLogs::default();
        assert_eq!(logs.at(7), None);
        logs.record(20, true);
        logs.record(10, false);
        assert_eq!(
            [9, 10, 11, 19, 20, 21].map(|number| logs.at(number)),
            [Some(false), Some(false), None, None, Some(true), Some(true)]
        );
        // The known range grows towards the fork, and never back.
        for (number, has_logs) in [(15, true), (30, true), (12, false), (5, false)] {
            logs.record(number, has_logs);
        }
        assert_eq!([12, 13, 14, 15].map(|number| logs.at(number)), [Some(false), None, None, Some(true)]);
    }

    #[test]
    fn a_header_without_the_member_does_not_outweigh_one_that_has_it() {
        let mut logs = NativeLogs::default();
        logs.record(20, true);
        logs.record(40, false);
        assert_eq!([19, 20, 40].map(|number| logs.at(number)), [Some(false), Some(true), Some(true)]);
    }
}
