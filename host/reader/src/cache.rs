//! Replies that were read before: at the last blocks, for later blocks, on disk, and by other gateways.
//!
//! A cache never sends a request to a node: its owner fetches what is missing, and checks what is to be stored. This floor may
//! use the blocks of `chain`, and `reads`.

pub(crate) mod lookup;

pub(crate) mod read_key;

pub(crate) mod block_cache;
pub(crate) mod reply_cache;

pub(crate) mod store;
pub(crate) mod stored_replies;
