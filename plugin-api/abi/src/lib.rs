//! The binary interface between the Portolan host and its protocol plugins.
//!
//! Bytes cross, types stay on their side: [`root`] is the table of functions that a dylib exports,
//! [`frame`] and [`row`] are the hot path (reads and replies, and the [`log`]s of a transaction), [`map`] is everything
//! else as CBOR, [`note`] is the manifest that a host reads without running the file. [`step`] and [`limits`] are what
//! hosts and tests that resume jobs check alike, [`off_chain`] has the URLs that jobs may request, and [`reply_rules`]
//! what no finding may have.
//! Invariant: nothing here is ever removed, retyped or reordered; what is appended is optional and
//! counted by [`API_REV`]. This crate has no features and does no IO.

pub mod codec;
pub mod facts;
pub mod frame;
mod invisible;
pub mod limits;
pub mod log;
pub mod map;
pub mod note;
pub mod off_chain;
pub mod primitive;
mod question;
pub mod reply_rules;
pub mod root;
pub mod row;
pub mod step;

use alloy::primitives::Address;

pub use invisible::is_invisible;
pub use question::Question;

/// The address that stands for a network's native token wherever a finding names a token: it has no contract.
pub const NATIVE: Address = Address::ZERO;

/// Counts the additions inside 1.x. A host refuses a plugin whose revision is above its own.
pub const API_REV: u32 = 12;

/// The oldest revision that this one can speak with: the maps of findings and claims changed with it, once.
pub const API_REV_MIN: u32 = 5;

/// Versions of the frames of [`frame`] that this crate writes and reads.
pub const FRAME_VERSION: u16 = 1;

/// Capability bits that both sides announce; what is appended later is guarded by one of them.
pub mod capability {
    /// Findings may come before the job's end.
    pub const EARLY_FINDINGS: u64 = 1;
    /// Reads may name another network than the job's.
    pub const CROSS_NETWORK: u64 = 1 << 1;
    /// Deployments may answer [`crate::Question::COMPOSITION`].
    pub const COMPOSITION: u64 = 1 << 2;
    /// Deployments may answer [`crate::Question::EVENTS`].
    pub const EVENTS: u64 = 1 << 3;

    /// Reads name the functions that they call. A host has it in the jobs whose reads it wants to tell of; a plugin that
    /// does not know it names none.
    pub const READ_FUNCTIONS: u64 = 1 << 4;

    /// A job may be resumed while some of its reads are open: with [`crate::row::status::PENDING`] in place of a reply.
    pub const PENDING_REPLIES: u64 = 1 << 5;

    /// What a plugin does not cover stands apart from what could not be read, in [`crate::row::JobOut`]. A plugin tells a
    /// host without it in the job's message.
    pub const NOT_COVERED: u64 = 1 << 6;

    /// What contracts replied that no finding may have stands apart from what could not be read, in
    /// [`crate::row::JobOut`]. A plugin tells a host without it in the job's message.
    pub const INVALID_REPLIES: u64 = 1 << 7;

    /// What this revision knows of every job.
    pub const ALL: u64 =
        EARLY_FINDINGS | CROSS_NETWORK | COMPOSITION | EVENTS | PENDING_REPLIES | NOT_COVERED | INVALID_REPLIES;
}
