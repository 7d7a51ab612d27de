//! Jobs: a question to one plugin about one network, run from its start to its end, and what it found validated.

pub(crate) mod failure;
pub(crate) mod figures;
pub(crate) mod job;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod validate;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
