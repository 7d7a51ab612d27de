//! Replies that were read before: at the last blocks, for later blocks, and on disk.
//!
//! A cache never sends a request: its owner fetches what is missing, and checks what is to be stored. This floor may
//! use the blocks of `chain`, and `reads`.

pub(crate) mod lookup;

pub(crate) mod block_cache;
pub(crate) mod reply_cache;

pub(crate) mod store;
pub(crate) mod stored_replies;
