//! One exchange with one endpoint: its URL, HTTP, JSON-RPC, the memory of the reply, and the reasons for failures.
//!
//! Invariant: of a URL, only host and port reach a log or an error. This floor may use `reads` alone.

pub(crate) mod error;
pub(crate) mod rpc;
pub(crate) mod rpc_url;
pub(crate) mod transport;
