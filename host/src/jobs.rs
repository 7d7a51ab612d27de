//! Jobs: one question to one plugin about one network, run from start to end, with validation of the findings.

pub(crate) mod failure;
pub(crate) mod job;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod stats;
pub(crate) mod validate;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
