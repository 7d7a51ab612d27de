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

/// Proxies end connections on which nothing comes for a minute or less.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// Limits of `/{address}/watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortfolioWatchLimits {
    /// Portfolios that are watched.
    pub(crate) portfolios_max: usize,
    /// Streams of one client.
    pub(crate) per_client_max: usize,
    /// Time between two comments, which keep the connection open.
    pub(crate) comment_every: Duration,
}

impl PortfolioWatchLimits {
    /// The limits of a process that watches for itself.
    pub(crate) const OF_ONE: Self = Self { portfolios_max: 1, per_client_max: 1, comment_every: COMMENT_EVERY };

    /// Returns the limits where idle connections end after this time.
    pub(crate) fn new(portfolios_max: usize, per_client_max: usize, idle: Duration) -> Self {
        Self { portfolios_max, per_client_max, comment_every: COMMENT_EVERY.min(idle / 2) }
    }
}
