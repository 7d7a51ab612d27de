//! Evidence for and against builds: signatures, decisions, known good builds, crashes and failures.

pub mod breaker;
pub(crate) mod capabilities;
pub(crate) mod crashes;
pub(crate) mod job_failures;
pub(crate) mod known_good;
pub(crate) mod policy;
pub mod signature;
