//! What was read before: replies at the last blocks, replies that serve later blocks, and those on disk.
//!
//! A cache never requests anything; whatever has to be fetched or checked is handed back to its owner. May use blocks
//! of `chain` and `reads`.

pub(crate) mod lookup;

pub(crate) mod block_cache;
pub(crate) mod reply_cache;

pub(crate) mod store;
pub(crate) mod stored_replies;
