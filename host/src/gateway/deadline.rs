//! An answer's time and its parts. Invariant: no part ends after the whole.

use std::time::Duration;

use tokio::time::Instant;

/// Time that is kept for token metadata and for writing the answer, as a part of the whole.
const ENRICH_PART: u32 = 4;
/// A network that has not told its newest block in this part of an answer's time is left out.
const PIN_PART: u32 = 4;

/// A transaction that is not there in this part of an answer's time leaves too little to tell it.
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

    /// The end of what is asked about the account.
    pub(crate) fn of_reads(self) -> Instant {
        self.end - self.whole / ENRICH_PART
    }

    /// The end of a look for a transaction that begins now.
    pub(crate) fn of_transaction(self) -> Instant {
        self.end.min(Instant::now() + self.whole / TRANSACTION_PART)
    }

    /// The end of a look for blocks that begins now.
    pub(crate) fn of_pins(self) -> Instant {
        self.end.min(Instant::now() + self.whole / PIN_PART)
    }
}
