//! For a plugin's own tests: canned replies, recorded fixtures, and jobs driven through the real ABI functions.
//!
//! [`JobTest`] is one job; what answers its reads is anything that is [`Replies`]: [`CannedReplies`], a recorded
//! [`Fixture`], or a closure. No network is needed.

mod canned;
mod events;
mod expected;
mod fixture;
mod fork;
mod hostile;
mod job_test;
mod off_chain;
mod outcome;
mod row;
mod shipped;
mod tokens;
mod totals;
mod validation;

pub use crate::read_request::ReadRequest;
pub use crate::read_result::ReadResult;
pub use canned::CannedReplies;
pub use events::EventCases;
pub use expected::replay_all;
pub use fixture::Fixture;
pub use fork::{fork, serves_forks};
pub use job_test::{JobTest, catalogue, settings_error};
pub use outcome::{End, Outcome};
pub use portolan_abi::map;
pub use portolan_fixtures::{Expected, FixtureError, line};
pub use row::{LegRow, PaymentRow};
pub use shipped::check_rows;

/// Answers the reads of a job under test.
pub trait Replies {
    /// Called once for each read, batch by batch, in the order of the reads.
    fn reply(&mut self, request: &ReadRequest) -> ReadResult;

    /// Returns the reply that a read has of its own; `None` if there is none. Called for what a gateway reads by itself,
    /// like the decimals of a token.
    fn own_reply(&mut self, _request: &ReadRequest) -> Option<ReadResult> {
        None
    }

    /// Describes a read that has no reply of its own, and the replies that there are.
    fn describe_missing(&self, _request: &ReadRequest) -> Option<String> {
        None
    }

    /// Returns true if the same read always has the same reply, so that the job can be run again.
    fn are_lasting(&self) -> bool {
        false
    }
}

impl<F: FnMut(&ReadRequest) -> ReadResult> Replies for F {
    fn reply(&mut self, request: &ReadRequest) -> ReadResult {
        self(request)
    }
}
