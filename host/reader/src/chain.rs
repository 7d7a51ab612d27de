//! The parts of a chain: blocks and their headers, the pinned block, transactions and their receipts, gas prices.
//!
//! Nothing here knows how many endpoints a network has: they send the requests, and give the replies to this floor. It
//! may use the errors of `wire`, and `reads`.

pub(crate) mod approval_log;
pub(crate) mod block;
pub(crate) mod contract_log;
pub(crate) mod heads;

pub(crate) mod gas_price;
pub(crate) mod transaction;

pub(crate) mod native_logs;
pub(crate) mod next_block;
pub(crate) mod sealed_header;
