//! An answer's time and its parts. Invariant: no part ends after the whole.

use std::time::Duration;

use tokio::time::Instant;

/// The part of an answer's time that is reserved for token metadata and for writing the answer.
const METADATA_PART: u32 = 4;
/// A network whose newest block is not known after this part of an answer's time is left out.
const PIN_PART: u32 = 4;
/// A transaction that is not there after this part of an answer's time leaves too little time to decode it.
const TRANSACTION_PART: u32 = 2;

/// When an answer has to be there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    end: Instant,
    whole: Duration,
}

impl Deadline {
    /// The answer's time begins now.
    pub(crate) fn after(whole: Duration) -> Self {
        Self { end: Instant::now() + whole, whole }
    }

    pub(crate) fn end(self) -> Instant {
        self.end
    }

    /// The end of what is read about the account.
    pub(crate) fn reads_end(self) -> Instant {
        self.end - self.whole / METADATA_PART
    }

    /// The end of simulating claims, if that begins now: the rest of the time is for an answer without them.
    pub(crate) fn simulations_end(self) -> Instant {
        let now = Instant::now();
        now + self.end.saturating_duration_since(now) / 2
    }

    /// The end of reading a transaction or of finding a block that was named, if that begins now.
    pub(crate) fn transaction_end(self) -> Instant {
        self.end.min(Instant::now() + self.whole / TRANSACTION_PART)
    }

    /// The end of pinning blocks, if that begins now.
    pub(crate) fn pins_end(self) -> Instant {
        self.end.min(Instant::now() + self.whole / PIN_PART)
    }
}
