//! From a file to a runner: examined, probed, and loaded into a worker process or into the host's own.

pub(crate) mod cells;
mod dylib;
pub(crate) mod examine;
pub(crate) mod library;
pub mod probe;
pub(crate) mod run_failure;
pub(crate) mod runner;
mod watchdog;
pub mod worker;
