//! For a plugin's own tests: canned replies, recorded fixtures, and jobs driven through the real ABI functions.
//!
//! [`Case`] is one job; what answers its reads is anything that is [`Replies`]: [`Canned`] replies, a recorded
//! [`Fixture`], or a closure. No network is needed.

mod canned;
mod events;
mod expected;
mod fixture;
mod run;

pub use canned::Canned;
pub use events::EventCases;
pub use expected::{Expected, line, replay_all};
pub use fixture::{Fixture, FixtureError};
pub use portolan_abi::map;
pub use run::{Case, End, Outcome, catalogue, settings_error};

use alloy::primitives::{Address, Bytes};

/// A read that the job under test asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// EIP-155 chain id.
    pub network: u64,
    /// One of [`portolan_abi::row::kind`].
    pub kind: u8,
    /// One of [`portolan_abi::row::mode`].
    pub mode: u8,
    /// One of [`portolan_abi::row::freshness`].
    pub freshness: u8,
    /// Seconds, where the freshness has some.
    pub freshness_s: u32,
    /// 0 is the host's default.
    pub gas_cap: u32,
    /// `msg.sender`.
    pub from: Option<Address>,
    /// Target.
    pub to: Address,
    /// Calldata.
    pub data: Bytes,
}

/// What becomes of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Returned bytes, or the word of a balance or code size.
    Ok(Bytes),
    /// Revert data.
    Reverted(Bytes),
    /// Nothing at the target answers calls.
    NoCode,
    /// The call used up its gas.
    GasCap,
    /// No endpoint answered in time.
    Unavailable,
    /// The job's budget is used up.
    OverBudget,
    /// The host does not make such a read.
    Unsupported,
}

/// Answers the reads of a job under test.
pub trait Replies {
    /// Called once for each read, wave by wave, in the order of the reads.
    fn reply(&mut self, asked: &Asked) -> Answer;
}

impl<F: FnMut(&Asked) -> Answer> Replies for F {
    fn reply(&mut self, asked: &Asked) -> Answer {
        self(asked)
    }
}
