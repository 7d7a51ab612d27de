//! Events of a transaction: what the host's own tables say of its logs, and whose event counts where several sources
//! have one.
//!
//! Invariant: a log has the events of one source alone.

pub(crate) mod builtin;
pub(crate) mod merge;
pub(crate) mod tables;
