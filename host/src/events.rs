//! Events of a transaction: decoding by the host's own tables, the choice among several sources, links between events,
//! and the effects on one account.
//!
//! Invariant: all events of a log come from one source.

pub(crate) mod builtin;
pub(crate) mod duplicate_transfers;
pub(crate) mod merge;
pub(crate) mod native;
pub(crate) mod part_of;
pub(crate) mod tables;

mod action;
pub(crate) mod movements;
pub(crate) mod summary;
pub(crate) mod user_operations;

#[cfg(test)]
mod script;
