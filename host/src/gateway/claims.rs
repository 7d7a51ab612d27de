//! Claims: their cost, payments and gas, and the outcome of their simulation.

pub(crate) mod cost;
pub(super) mod gas_limit;
pub(crate) mod paid;
pub(super) mod planned_claim;
pub(crate) mod verdict;
