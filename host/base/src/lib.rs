//! Shared code of the gateway's crates. Nothing here knows plugins, tokens or queries.
//!
//! [`network`] has the networks that answers can be about. [`sanitize`] cleans every text that others wrote before it
//! is shown or logged. [`files`] reads and writes what only its owners may change. [`net`] makes HTTP requests to hosts
//! that the operator did not choose, and keeps the documents that plugins read of them. [`client_share`] counts what one
//! client uses. [`process_memory`] reads what a process uses. [`rfc3339`] formats times.

pub mod client_share;
pub mod files;
pub mod net;
pub mod network;
pub mod process_memory;
pub mod rfc3339;
pub mod sanitize;
