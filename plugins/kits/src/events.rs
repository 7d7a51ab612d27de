//! Events decoded by tables, and the protocols of the contracts that emitted them.
//!
//! A deployment is a [`Source`]: contracts, and the sections that decode their events. Invariant: an event names a
//! protocol only if its contract is listed, known to a registry, or has an address that follows from its factory.

mod owners;
mod source;
mod table;
pub mod tables;

pub use source::{Salt, Source};
pub use table::EventTables;
