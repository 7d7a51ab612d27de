//! The binary interface between the Portolan host and its protocol plugins.
//!
//! Bytes cross, types stay on their side: [`root`] is the table of functions that a dylib exports,
//! [`frame`] and [`row`] are the hot path (reads and replies, and the [`log`]s of a transaction), [`map`] is everything
//! else as CBOR, [`note`] is the manifest that a host reads without running the file.
//! Invariant: nothing here is ever removed, retyped or reordered; what is appended is optional and
//! counted by [`API_REV`]. This crate has no features and does no IO.

pub mod codec;
pub mod frame;
pub mod log;
pub mod map;
pub mod note;
pub mod root;
pub mod row;

/// Counts the additions inside 1.x. A host refuses a plugin whose revision is above its own.
pub const API_REV: u32 = 4;

/// Versions of the frames of [`frame`] that this crate writes and reads.
pub const FRAME_VERSION: u16 = 1;

/// Capability bits that both sides announce; what is appended later is guarded by one of them.
pub mod capability {
    /// Findings may come before the job's end.
    pub const EARLY_FINDINGS: u64 = 1;
    /// Reads may name another network than the job's.
    pub const CROSS_NETWORK: u64 = 1 << 1;
    /// Deployments may answer [`crate::question::COMPOSITION`].
    pub const COMPOSITION: u64 = 1 << 2;
    /// Deployments may answer [`crate::question::EVENTS`].
    pub const EVENTS: u64 = 1 << 3;

    /// What this revision knows.
    pub const ALL: u64 = EARLY_FINDINGS | CROSS_NETWORK | COMPOSITION | EVENTS;
}

/// What a job may ask; the numbers of [`map::Start::question`] and [`map::Deployment::questions`].
pub mod question {
    /// What can be claimed: answered with [`crate::map::Claimable`].
    pub const CLAIMABLES: u8 = 1;
    /// What is staked: answered with [`crate::map::FarmingPosition`].
    pub const FARMING: u8 = 2;
    /// What is lent and borrowed: answered with [`crate::map::LendingPosition`].
    pub const LENDING: u8 = 3;
    /// What the logs of a transaction mean: answered with [`crate::map::Event`]. About
    /// [`crate::map::Start::transaction`], and nobody's account; one job for all protocols of a plugin, so that
    /// [`crate::map::Start::protocol`] is empty. Asked where [`crate::map::Catalogue::event_topics`] has the first topic
    /// of a log. Since revision 4, behind [`crate::capability::EVENTS`].
    pub const EVENTS: u8 = 4;
    /// What shares redeem to: answered with [`crate::map::Composition`]. About [`crate::map::Start::tokens`], and
    /// nobody's account. Since revision 3, behind [`crate::capability::COMPOSITION`].
    pub const COMPOSITION: u8 = 5;
}
