//! The operators' side: their listener, who may read it, their commands, and metrics.

pub(super) mod access;
pub(crate) mod control;
pub(crate) mod metrics;
pub(super) mod operators;
pub(super) mod prometheus;
mod zeros;
