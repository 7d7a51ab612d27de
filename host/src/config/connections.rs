//! Limits of clients on the public listeners: `[connections]` and `[watches]`.

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

/// Limits of `/{address}/watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WatchLimits {
    /// Portfolios that are watched.
    pub(crate) portfolios_max: usize,
    /// Streams of one client.
    pub(crate) per_client_max: usize,
}

impl WatchLimits {
    /// The limits of a process that watches for itself.
    pub(crate) const OF_ONE: Self = Self { portfolios_max: 1, per_client_max: 1 };
}
