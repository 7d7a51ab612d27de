//! From a file to a loaded library: examined, probed in a process of its own, and loaded.

pub(crate) mod examine;
pub(crate) mod library;
pub mod probe;
pub(crate) mod runner;
