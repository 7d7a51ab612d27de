//! One exchange with one endpoint: URL, HTTP, JSON-RPC, the memory of its reply, and the reasons why it failed.
//!
//! Invariant: no part of a URL beyond host and port reaches a log or an error. May use `reads` alone, for the failures
//! that callers see.

pub(crate) mod error;
pub(crate) mod rpc;
pub(crate) mod rpc_url;
pub(crate) mod transport;
