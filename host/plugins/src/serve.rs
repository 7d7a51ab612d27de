//! Plugins in service: configured instances, their protocols, and the snapshot that has them all.

pub(crate) mod catalogue;
pub mod fact_lists;
pub(crate) mod instance;
pub(crate) mod job_figures;
pub mod logos;
pub mod protocol;
pub(crate) mod snapshot;
pub(crate) mod targets;
pub mod unavailable;
pub mod without_code;
