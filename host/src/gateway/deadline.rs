//! Time of an answer and its parts. Invariant: no part ends after the whole.

use std::time::Duration;

use tokio::time::Instant;

/// Divisor: this part of an answer's time is reserved for token metadata and for writing the answer.
const METADATA_PART: u32 = 4;
/// Divisor: a network whose newest block is not known after this part of an answer's time is left out.
const PIN_PART: u32 = 4;
/// Divisor: reading a transaction may take this part of an answer's time, so that enough is left to decode it.
const TRANSACTION_PART: u32 = 2;

/// Deadline of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    end: Instant,
    whole: Duration,
}

impl Deadline {
    /// Starts the answer's time now.
    pub(crate) fn after(whole: Duration) -> Self {
        Self { end: Instant::now() + whole, whole }
    }

    pub(crate) fn end(self) -> Instant {
        self.end
    }

    /// End of reads about the account.
    pub(crate) fn reads_end(self) -> Instant {
        self.end - self.whole / METADATA_PART
    }

    /// End of simulations that start now; the rest of the time is for an answer without them.
    pub(crate) fn simulations_end(self) -> Instant {
        let now = Instant::now();
        now + self.end.saturating_duration_since(now) / 2
    }

    /// End of reading a transaction, or of finding a named block, if that starts now.
    pub(crate) fn transaction_end(self) -> Instant {
        self.end.min(Instant::now() + self.whole / TRANSACTION_PART)
    }

    /// End of pinning blocks, if that starts now.
    pub(crate) fn pins_end(self) -> Instant {
        self.end.min(Instant::now() + self.whole / PIN_PART)
    }
}
