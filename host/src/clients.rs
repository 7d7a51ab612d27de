//! Who the clients of the public listeners are.
//!
//! Invariant: whatever counts by client counts by the [`ClientId`](portolan_reader::ClientId) that is found here.

pub(crate) mod addresses;
