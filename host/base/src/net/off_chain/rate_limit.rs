//! Rate of requests by one plugin to one host: a burst, then evenly.
//!
//! Invariant: a request whose turn would come too late takes none, and does not wait.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::OffChainError;

/// Requests at once, by a plugin that sent none to this host for long.
const BURST: u32 = 20;
/// Time between requests after that.
const INTERVAL: Duration = Duration::from_millis(250);

/// Turns of all plugins at their hosts; there are no more entries than grants.
#[derive(Debug, Default)]
pub(super) struct HostRateLimit {
    /// When the next request would be due if all came evenly.
    due: Mutex<HashMap<(String, String), Instant>>,
}

impl HostRateLimit {
    /// Waits for the next turn of this plugin at this host.
    ///
    /// # Errors
    /// [`OffChainError::TooOften`] if that would come too late.
    pub(super) async fn wait(&self, plugin: &str, host: &str, until: Instant) -> Result<(), OffChainError> {
        let at = self.take(plugin, host, until)?;
        sleep_until(at).await;
        Ok(())
    }

    fn take(&self, plugin: &str, host: &str, until: Instant) -> Result<Instant, OffChainError> {
        let now = Instant::now();
        let mut all = self.due.lock();
        let due = all.entry((plugin.to_owned(), host.to_owned())).or_insert(now);
        *due = (*due).max(now);
        let at = now + due.saturating_duration_since(now + INTERVAL * (BURST - 1));
        if at > until {
            return Err(OffChainError::TooOften);
        }
        *due += INTERVAL;
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn after_a_burst_a_host_is_requested_evenly_and_each_has_its_own_turns() {
        let (limit, began) = (HostRateLimit::default(), Instant::now());
        let soon = began + Duration::from_secs(1);
        for _ in 0..20 {
            limit.wait("acme", "a.example", soon).await.unwrap();
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        for number in 1..=4 {
            limit.wait("acme", "a.example", soon).await.unwrap();
            assert_eq!(began.elapsed(), Duration::from_millis(250 * number));
        }
        assert_eq!(limit.wait("acme", "a.example", soon).await, Err(OffChainError::TooOften));
        assert_eq!(began.elapsed(), Duration::from_secs(1), "who gets no turn does not wait");
        assert_eq!(limit.wait("acme", "b.example", soon).await, Ok(()));
        assert_eq!(limit.wait("other", "a.example", soon).await, Ok(()));
        tokio::time::sleep(Duration::from_secs(5)).await;
        let later = Instant::now();
        for _ in 0..20 {
            limit.wait("acme", "a.example", later).await.unwrap();
        }
        assert_eq!(limit.wait("acme", "a.example", later).await, Err(OffChainError::TooOften));
    }
}
