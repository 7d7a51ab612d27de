//! Events of a transaction: what the host's own tables say of its logs, whose event counts where several sources have
//! one, which event is part of another, and what they come to for one account.
//!
//! Invariant: a log has the events of one source alone.

pub(crate) mod builtin;
pub(crate) mod echoes;
pub(crate) mod merge;
pub(crate) mod native;
pub(crate) mod parts;
pub(crate) mod tables;

mod act;
pub(crate) mod movements;
pub(crate) mod summary;
pub(crate) mod user_operations;

#[cfg(test)]
mod script;
