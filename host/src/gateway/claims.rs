//! What a claim costs, pays and needs, and what it showed when it was tried.

pub(crate) mod cost;
pub(super) mod gas_limit;
pub(crate) mod paid;
pub(super) mod planned_claim;
pub(crate) mod verdict;
