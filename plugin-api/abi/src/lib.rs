//! The binary interface between the Portolan host and its protocol plugins.
//!
//! Bytes cross the interface; Rust types stay on their side. [`root`] is the table of functions that a dylib exports.
//! [`frame`] and [`row`] are the hot path: reads, replies, and the [`log`]s of a transaction. [`map`] has everything
//! else, as CBOR. [`note`] is the manifest, which a host reads without running the file. [`step`], [`limits`],
//! [`off_chain`] and [`reply_rules`] are the checks that hosts, plugins and their tests share.
//! Invariant: nothing is ever removed, retyped or reordered. Additions are optional and counted by [`API_REV`]. This
//! crate has no features and does no IO.
//!
//! [`portolan-plugin-api`]: https://docs.rs/portolan-plugin-api
#![doc = include_str!("../README.md")]

pub mod codec;
pub mod fact_entries;
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

/// Address of the native token wherever a finding names a token; no contract has it.
pub const NATIVE: Address = Address::ZERO;

/// Revision of the interface within 1.x: the frozen one, and one more for each addition since.
pub const API_REV: u32 = 13;

/// Revision of the oldest host that plugins built with this crate can do with. A host refuses a plugin that needs a later
/// revision than its own. All additions since are such that older hosts can skip them.
pub const HOST_REV_MIN: u32 = 13;

/// Oldest compatible revision; revision 5 changed the maps of findings and claims once.
pub const API_REV_MIN: u32 = 5;

/// Version of the frames of [`frame`] that this crate writes and reads.
pub const FRAME_VERSION: u16 = 1;

/// Capability bits that both sides announce. Later additions are guarded by one of them.
pub mod capability {
    /// A job may report findings before it ends.
    pub const EARLY_FINDINGS: u64 = 1;
    /// Reads may name a network other than the job's.
    pub const CROSS_NETWORK: u64 = 1 << 1;
    /// Deployments may answer [`crate::Question::COMPOSITION`].
    pub const COMPOSITION: u64 = 1 << 2;
    /// Deployments may answer [`crate::Question::EVENTS`].
    pub const EVENTS: u64 = 1 << 3;

    /// Reads name the functions that they call. A host sets it for jobs whose reads it reports; a plugin without it
    /// names none.
    pub const READ_FUNCTIONS: u64 = 1 << 4;

    /// A job may be resumed while some of its reads are open; their replies have [`crate::row::status::PENDING`].
    pub const PENDING_REPLIES: u64 = 1 << 5;

    /// [`crate::row::JobOut`] reports what a plugin does not cover apart from what could not be read. For a host
    /// without it, both are in the job's message.
    pub const NOT_COVERED: u64 = 1 << 6;

    /// [`crate::row::JobOut`] reports findings dropped because of contracts' replies apart from what could not be read.
    /// For a host without it, both are in the job's message.
    pub const INVALID_REPLIES: u64 = 1 << 7;

    /// Capabilities of this revision that hold for every job.
    pub const ALL: u64 =
        EARLY_FINDINGS | CROSS_NETWORK | COMPOSITION | EVENTS | PENDING_REPLIES | NOT_COVERED | INVALID_REPLIES;
}
