//! Events that tables decode, and the protocols whose contracts emitted them.
//!
//! A deployment is a [`Source`]: which contracts emit the events of which sections. Invariant: a protocol is named
//! only for a contract that is listed, that a registry knows, or whose address follows from its factory.

mod owners;
mod source;
mod table;
pub mod tables;

pub use source::{Salt, Source};
pub use table::EventTables;
