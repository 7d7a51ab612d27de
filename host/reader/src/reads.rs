//! What callers ask and get: reads, their sets, their outcomes, and the budget that they draw from.
//!
//! The lowest floor: plain values that name nothing above.

pub(crate) mod outcomes;
pub(crate) mod read_budget;
pub(crate) mod read_set;
pub(crate) mod reply_set;
