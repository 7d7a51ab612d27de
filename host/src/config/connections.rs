//! Limits of clients on the public listeners: `[connections]`.

use std::time::Duration;

/// Limits of connections, for the guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionLimits {
    pub(crate) max: usize,
    pub(crate) per_client_max: usize,
    pub(crate) head: Duration,
    pub(crate) idle: Duration,
    pub(crate) send: Duration,
    pub(crate) unready: Duration,
    pub(crate) unsent_bytes_max: usize,
    pub(crate) streams_per_client_max: usize,
    pub(crate) streams_max: usize,
}
