//! Limits concurrent requests to gateways: all answers share a fixed number of permits, and no resolver or host gets
//! all of them.
//!
//! Invariant: a waiting request holds none of the shared permits. After several consecutive failures, a host gets no
//! requests for a moment if the same resolver names it again. Other resolvers that name it are not affected, so that
//! no resolver can have another's gateway refused.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use alloy::primitives::Address;
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::GatewayError;

/// Maximum concurrent requests of all answers.
const REQUESTS_MAX: usize = 64;
/// Maximum for one resolver: one whose gateways hang leaves most permits, eight of them leave none.
const OF_RESOLVER_MAX: usize = 8;
/// Maximum at one host, which several resolvers may name: a quarter.
const OF_HOST_MAX: usize = 16;
/// Consecutive failures after which a host is refused; a gateway that answers most requests has fewer.
const FAILURES_MAX: u32 = 4;
/// Time for which it is refused. Longer than a request may take, so that permits of a host that hangs are mostly
/// free; shorter than a host's restart.
const FAILED_FOR: Duration = Duration::from_secs(5);
/// Maximum remembered routes; each is an address and a host name.
const FAILED_MAX: usize = 4096;

/// The permits of all answers.
#[derive(Debug)]
pub(super) struct GatewayLimiter {
    all: Semaphore,
    of_resolver: Shares<Address>,
    of_host: Shares<String>,
    failed: Cache<Route, Failures>,
}

/// The permit for one request.
#[derive(Debug)]
pub(super) struct GatewayPermit<'a> {
    _all: SemaphorePermit<'a>,
    _of_host: OwnedSemaphorePermit,
    _of_resolver: OwnedSemaphorePermit,
}

/// Failures since the last reply.
#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    at: Instant,
    error: GatewayError,
}

/// The resolver and the host of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Route {
    /// The contract that names the gateway, or an address that stands for it.
    pub(super) resolver: Address,
    pub(super) host: String,
}

/// The permits by key; only keys in use are stored.
#[derive(Debug)]
struct Shares<K> {
    each_max: usize,
    taken: Mutex<HashMap<K, Weak<Semaphore>>>,
}

impl GatewayLimiter {
    pub(super) fn new() -> Self {
        Self {
            all: Semaphore::new(REQUESTS_MAX),
            of_resolver: Shares::new(OF_RESOLVER_MAX),
            of_host: Shares::new(OF_HOST_MAX),
            failed: Cache::new(FAILED_MAX),
        }
    }

    /// Waits for a permit. The shared permit comes last, so that no request holds it while waiting for another.
    ///
    /// # Errors
    /// The recent error of this gateway.
    pub(super) async fn take(&self, route: &Route) -> Result<GatewayPermit<'_>, GatewayError> {
        self.check(route)?;
        let of_resolver = self.of_resolver.take(route.resolver).await?;
        let of_host = self.of_host.take(route.host.clone()).await?;
        let all = self.all.acquire().await.map_err(|_| GatewayError::Unreachable)?;
        // It may have failed for other requests meanwhile.
        self.check(route)?;
        Ok(GatewayPermit { _all: all, _of_host: of_host, _of_resolver: of_resolver })
    }

    fn check(&self, route: &Route) -> Result<(), GatewayError> {
        match self.failed.get(route) {
            Some(Failures { count, at, error }) if count >= FAILURES_MAX && at.elapsed() < FAILED_FOR => Err(error),
            _ => Ok(()),
        }
    }

    /// Remembers a failure that held a permit for long, or might again, until there is a reply. A reply may be an
    /// error.
    pub(super) fn record<T>(&self, route: Route, fetched: &Result<T, GatewayError>) {
        match fetched {
            Err(error @ (GatewayError::Timeout | GatewayError::Unreachable)) => {
                let count = self.failed.get(&route).map_or(0, |before| before.count).saturating_add(1);
                self.failed.insert(route, Failures { count, at: Instant::now(), error: *error });
            }
            _ => drop(self.failed.remove(&route)),
        }
    }
}

impl<K: std::hash::Hash + Eq> Shares<K> {
    fn new(each_max: usize) -> Self {
        Self { each_max, taken: Mutex::default() }
    }

    async fn take(&self, of: K) -> Result<OwnedSemaphorePermit, GatewayError> {
        self.share(of).acquire_owned().await.map_err(|_| GatewayError::Unreachable)
    }

    fn share(&self, of: K) -> Arc<Semaphore> {
        let mut taken = self.taken.lock();
        if let Some(share) = taken.get(&of).and_then(Weak::upgrade) {
            return share;
        }
        // Removes unused entries, so that there are no more entries than requests in progress.
        taken.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.each_max));
        taken.insert(of, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn route(resolver: u8, host: &str) -> Route {
        Route { resolver: Address::repeat_byte(resolver), host: host.to_owned() }
    }

    #[tokio::test]
    async fn a_resolver_and_a_host_have_a_part_of_the_permits_and_who_waits_has_none() {
        let limiter = GatewayLimiter::new();
        let mut held = Vec::new();
        for _ in 0..OF_RESOLVER_MAX {
            held.push(limiter.take(&route(1, "a")).now_or_never().unwrap().unwrap());
        }
        let waiting_route = route(1, "b");
        let mut waiting = Box::pin(limiter.take(&waiting_route));
        assert!((&mut waiting).now_or_never().is_none(), "the resolver has no more");
        assert_eq!(limiter.all.available_permits(), REQUESTS_MAX - OF_RESOLVER_MAX, "who waits has none");
        for resolver in 2..=3 {
            for _ in 0..(OF_HOST_MAX - OF_RESOLVER_MAX) / 2 {
                held.push(limiter.take(&route(resolver, "a")).now_or_never().unwrap().unwrap());
            }
        }
        assert!(limiter.take(&route(4, "a")).now_or_never().is_none(), "the host has no more");
        assert!(limiter.take(&route(4, "b")).now_or_never().is_some());
        held.clear();
        assert!(waiting.now_or_never().unwrap().is_ok());
        assert!(limiter.of_resolver.share(Address::ZERO).available_permits() > 0);
        assert!(limiter.of_resolver.taken.lock().len() <= 2, "what nobody holds is forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_are_remembered_for_a_moment_for_whoever_named_the_host() {
        let limiter = GatewayLimiter::new();
        let taken = async |resolver, host| limiter.take(&route(resolver, host)).await.map(drop);
        let timeout: Result<(), _> = Err(GatewayError::Timeout);
        for _ in 1..FAILURES_MAX {
            limiter.record(route(1, "a"), &timeout);
        }
        assert_eq!(taken(1, "a").await, Ok(()));
        limiter.record(route(1, "a"), &Err::<(), _>(GatewayError::Status(500)));
        for _ in 1..FAILURES_MAX {
            limiter.record(route(1, "a"), &timeout);
        }
        assert_eq!(taken(1, "a").await, Ok(()), "there was a reply");
        limiter.record(route(1, "a"), &timeout);
        assert_eq!(taken(1, "a").await, timeout);
        assert_eq!(taken(1, "b").await, Ok(()));
        assert_eq!(taken(2, "a").await, Ok(()), "nobody can have another's gateway refused");
        tokio::time::sleep(FAILED_FOR).await;
        assert_eq!(taken(1, "a").await, Ok(()));
        limiter.record(route(1, "a"), &timeout);
        assert_eq!(taken(1, "a").await, timeout, "it failed once more");
    }
}
