//! What each client may use: requests a second, answers at once, reads a day.
//!
//! Invariant: clients without a key are remembered up to a bound; beyond it, those are forgotten that came least. A
//! request is counted once, before it is read.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use hyper::header::HeaderValue;
use portolan_base::client_share::{ClientShare, DAY};
use portolan_reader::ClientId;
use portolan_store::{Pseudonym, SharedStore};
use quick_cache::sync::Cache;

/// Clients without a key that are remembered. Each takes less than a kilobyte.
const REMEMBERED_MAX: usize = 16_384;

/// Limits of one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientLimits {
    /// Requests a second; `None` for no limit.
    pub(crate) per_second: Option<NonZero<u32>>,
    /// Requests at once after a pause; `None` for those of a second.
    pub(crate) burst: Option<NonZero<u32>>,
    /// Answers under way; `None` for no limit.
    pub(crate) answers: Option<NonZero<u32>>,
    /// Reads from midnight to midnight (UTC); `None` for no limit.
    pub(crate) reads_per_day: Option<NonZero<u64>>,
}

/// A limit that a client reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitReached {
    #[error("this client makes more requests a second than it may")]
    Requests,
    #[error("as many answers as this client may have at once are under way")]
    Answers,
    #[error("this client has used its reads of today (UTC)")]
    Reads,
    #[error("this client watches as many portfolios as it may")]
    Watches,
}

impl LimitReached {
    pub(crate) const ALL: [Self; 4] = [Self::Requests, Self::Answers, Self::Reads, Self::Watches];

    /// Returns the name of the policy, which is the metric's label.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Answers => "answers",
            Self::Reads => "reads",
            Self::Watches => "watches",
        }
    }
}

/// The limits of a client, and its use of them.
#[derive(Debug)]
pub(crate) struct ClientUsage {
    pub(crate) limits: ClientLimits,
    pub(crate) share: Arc<ClientShare>,
    rate: Option<RequestRate<SinceStart>>,
    /// The value of `RateLimit-Policy`.
    policy: Option<HeaderValue>,
    /// Set once it is needed.
    pseudonym: OnceLock<Option<Pseudonym>>,
}

/// What was left after a request was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestTaken {
    /// Requests that may follow at once; `None` without a limit.
    left: Option<u32>,
    /// Time after which the request would be answered; `None` if it is.
    pub(crate) wait: Option<Duration>,
}

/// Headers that say what a client may use.
#[derive(Debug)]
pub(crate) struct LimitHeaders {
    pub(crate) policy: HeaderValue,
    pub(crate) left: HeaderValue,
}

/// The time since a client was first known.
#[derive(Clone, Copy, Debug)]
struct SinceStart(Instant);

impl Clock for SinceStart {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(self.0.elapsed())
    }
}

/// Counts requests by the generic cell rate algorithm.
#[derive(Debug)]
struct RequestRate<C: Clock> {
    limiter: RateLimiter<NotKeyed, InMemoryState, C, StateInformationMiddleware>,
    clock: C,
}

impl<C: Clock + Clone> RequestRate<C> {
    fn new(per_second: NonZero<u32>, burst: NonZero<u32>, clock: C) -> Self {
        let quota = Quota::per_second(per_second).allow_burst(burst);
        Self { limiter: RateLimiter::direct_with_clock(quota, clock.clone()).with_middleware(), clock }
    }

    fn take(&self) -> RequestTaken {
        match self.limiter.check() {
            Ok(state) => RequestTaken { left: Some(state.remaining_burst_capacity()), wait: None },
            Err(until) => RequestTaken { left: Some(0), wait: Some(until.wait_time_from(self.clock.now())) },
        }
    }
}

impl ClientLimits {
    fn burst_of(self, per_second: NonZero<u32>) -> NonZero<u32> {
        self.burst.unwrap_or(per_second)
    }

    /// Returns true if nothing is limited.
    fn is_none(self) -> bool {
        self.per_second.is_none() && self.answers.is_none() && self.reads_per_day.is_none()
    }

    /// Returns the policies of draft-ietf-httpapi-ratelimit-headers-10. Its registry of units has none for reads.
    fn policy(self) -> Option<HeaderValue> {
        let rate = self.per_second.map(|per_second| {
            let burst = self.burst_of(per_second);
            format!("\"requests\";q={burst};w={}", burst.get().div_ceil(per_second.get()))
        });
        let answers = self.answers.map(|max| format!("\"answers\";q={max};qu=\"concurrent-requests\""));
        let reads = self.reads_per_day.map(|max| format!("\"reads\";q={max};qu=\"reads\";w={}", DAY.as_secs()));
        let policies: Vec<_> = [rate, answers, reads].into_iter().flatten().collect();
        HeaderValue::try_from(policies.join(", ")).ok().filter(|_| !policies.is_empty())
    }
}

impl ClientUsage {
    /// Starts counting for a client, or goes on for one that has other limits now.
    pub(crate) fn new(limits: ClientLimits, share: Arc<ClientShare>) -> Arc<Self> {
        let rate = limits
            .per_second
            .map(|per_second| RequestRate::new(per_second, limits.burst_of(per_second), SinceStart(Instant::now())));
        let answers = limits.answers.map(|max| usize::try_from(max.get()).unwrap_or(usize::MAX));
        share.limit(answers, limits.reads_per_day.map(NonZero::get));
        Arc::new(Self { limits, share, rate, policy: limits.policy(), pseudonym: OnceLock::new() })
    }

    /// Returns what stands for the client in the store; `None` if the gateway itself is the client.
    pub(super) fn pseudonym(&self, store: &SharedStore) -> Option<Pseudonym> {
        let name = |id: &ClientId| match id {
            ClientId::Address(address) => format!("address {address}"),
            ClientId::Key(name) => format!("key {name}"),
        };
        *self.pseudonym.get_or_init(|| self.share.id.as_ref().map(|id| store.pseudonym(name(id).as_bytes())))
    }

    /// Counts a request.
    pub(crate) fn take_request(&self) -> RequestTaken {
        self.rate.as_ref().map_or(RequestTaken { left: None, wait: None }, RequestRate::take)
    }

    /// Returns the headers for an answer to a request that was counted; `None` without limits.
    pub(crate) fn headers(&self, taken: RequestTaken) -> Option<LimitHeaders> {
        let policy = self.policy.clone()?;
        let mut left = String::new();
        if let Some(requests) = taken.left {
            // Writing into a String does not fail.
            let _ = write!(left, "\"requests\";r={requests};t={}", whole_seconds(taken.wait.unwrap_or_default()));
        }
        if let Some(answers) = self.share.answers_left() {
            let _ = write!(left, "{}\"answers\";r={answers}", if left.is_empty() { "" } else { ", " });
        }
        if let Some((reads, until)) = self.share.reads_left() {
            let comma = if left.is_empty() { "" } else { ", " };
            let _ = write!(left, "{comma}\"reads\";r={reads};t={}", whole_seconds(until));
        }
        Some(LimitHeaders { policy, left: HeaderValue::try_from(left).ok()? })
    }
}

/// Returns seconds after which a wait is over, one at least.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// The use of clients without a key.
#[derive(Debug)]
pub(super) struct Usages {
    limits: ClientLimits,
    remembered: Cache<ClientId, Arc<ClientUsage>>,
}

impl Usages {
    pub(super) fn new(limits: ClientLimits) -> Self {
        Self { limits, remembered: Cache::new(REMEMBERED_MAX) }
    }

    /// Returns a client's use. Without limits nothing is remembered once the client is gone.
    pub(super) fn of(&self, id: ClientId) -> Arc<ClientUsage> {
        let new = |id| ClientUsage::new(self.limits, ClientShare::new(Some(id)));
        if self.limits.is_none() {
            return new(id);
        }
        let new = || Ok::<_, Infallible>(new(id.clone()));
        let Ok(usage) = self.remembered.get_or_insert_with(&id, new);
        usage
    }

    /// Returns the use of all remembered clients; none if their reads are not limited.
    pub(super) fn with_daily_reads(&self) -> impl Iterator<Item = Arc<ClientUsage>> {
        let clients = self.limits.reads_per_day.map(|_| self.remembered.iter());
        clients.into_iter().flatten().map(|(_, usage)| usage)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limits(per_second: u32, burst: u32, answers: u32, reads_per_day: u64) -> ClientLimits {
        ClientLimits {
            per_second: NonZero::new(per_second),
            burst: NonZero::new(burst),
            answers: NonZero::new(answers),
            reads_per_day: NonZero::new(reads_per_day),
        }
    }

    #[test]
    fn a_burst_is_taken_at_once_and_comes_back_by_the_second() {
        let clock = FakeRelativeClock::default();
        let rate = RequestRate::new(NonZero::new(2).unwrap(), NonZero::new(4).unwrap(), clock.clone());
        let taken: Vec<_> = (0..4).map(|_| rate.take()).collect();
        assert_eq!(taken.iter().map(|taken| taken.left).collect::<Vec<_>>(), [Some(3), Some(2), Some(1), Some(0)]);
        assert!(taken.iter().all(|taken| taken.wait.is_none()));
        let refused = rate.take();
        assert_eq!(refused, RequestTaken { left: Some(0), wait: Some(Duration::from_millis(500)) });
        clock.advance(Duration::from_secs(1));
        assert_eq!([rate.take().wait, rate.take().wait], [None, None], "two in a second");
        assert!(rate.take().wait.is_some());
        clock.advance(Duration::from_secs(60));
        assert_eq!(rate.take().left, Some(3), "never more than the burst");
    }

    #[test]
    fn headers_are_lists_of_the_draft() {
        let usage = ClientUsage::new(limits(10, 25, 4, 1_000_000), ClientShare::new(None));
        usage.share.charge_reads(400_000);
        let headers = usage.headers(RequestTaken { left: Some(7), wait: None }).unwrap();
        // A burst of 25 comes back in 2.5 seconds, and a policy has whole ones.
        let policy = "\"requests\";q=25;w=3, \"answers\";q=4;qu=\"concurrent-requests\", \
                      \"reads\";q=1000000;qu=\"reads\";w=86400";
        assert_eq!(headers.policy, policy);
        let left = headers.left.to_str().unwrap();
        let (before, seconds) = left.rsplit_once(";t=").unwrap();
        assert_eq!(before, "\"requests\";r=7;t=1, \"answers\";r=4, \"reads\";r=600000");
        assert!((1..=86_400).contains(&seconds.parse::<u32>().unwrap()), "{left}");
        let unlimited = ClientUsage::new(ClientLimits::default(), ClientShare::new(None));
        assert!(unlimited.headers(unlimited.take_request()).is_none());
        let of_answers = ClientUsage::new(limits(0, 0, 4, 0), ClientShare::new(None));
        let headers = of_answers.headers(of_answers.take_request()).unwrap();
        assert_eq!(headers.left, "\"answers\";r=4");
    }

    #[test]
    fn clients_are_remembered_up_to_a_bound() {
        let usages = Usages::new(limits(1, 1, 0, 0));
        let id = |number: u32| ClientId::Address(IpAddr::V4(Ipv4Addr::from_bits(number)));
        assert!(Arc::ptr_eq(&usages.of(id(1)), &usages.of(id(1))));
        for number in 0..100_000 {
            let _ = usages.of(id(number));
        }
        assert!(usages.remembered.len() <= REMEMBERED_MAX);
    }

    #[test]
    fn a_wait_is_a_second_at_least() {
        let cases = [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (86_400_000, 86_400)];
        for (wait_ms, seconds) in cases {
            assert_eq!(whole_seconds(Duration::from_millis(wait_ms)), seconds);
        }
    }
}
