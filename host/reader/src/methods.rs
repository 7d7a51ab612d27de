//! How many reads become one request: the override program, Multicall3, and simulations.
//!
//! Each method encodes reads and decodes replies, and never sends anything. May use blocks of `chain`, the request's
//! parts of `wire`, and `reads`.

pub(crate) mod multicall;
pub(crate) mod packed;
pub(crate) mod simulation;
