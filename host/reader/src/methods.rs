//! Many reads as one request: the override program, Multicall3, and simulations.
//!
//! A method encodes reads and decodes their reply, and never sends anything. This floor may use the blocks of `chain`,
//! the parameters of requests in `wire`, and `reads`.

pub(crate) mod multicall;
pub(crate) mod packed;
pub(crate) mod simulation;
