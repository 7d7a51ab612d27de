//! What operators see of the networks and their endpoints: plain values, taken at one moment.
//!
//! Invariant: of an endpoint's URL nothing is here but host and port.

use std::time::Duration;

use tokio::time::Instant;

use crate::Block;
use crate::health::Health;
use crate::limit::Limit;
use crate::order::Placed;
use crate::rpc_url::RpcUrl;

/// One network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkStatus {
    /// EIP-155.
    pub chain_id: u64,
    /// The block that answers are at now; `None` while nobody has asked.
    pub pinned: Option<Block>,
    /// Milliseconds between two blocks, as learned from them.
    pub block_time_ms: Option<u64>,
    /// In the configured order.
    pub endpoints: Vec<EndpointStatus>,
}

/// One endpoint of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointStatus {
    /// Host, and port where the URL tells one.
    pub host: String,
    pub state: EndpointState,
    /// How it is asked; `None` until it has been probed.
    pub rung: Option<Rung>,
    /// 1 is flawless and not slower than its peers; each flaw takes something off.
    pub score: f64,
    /// Seconds between its newest block's timestamp and that of its peers; `None` until it told a block.
    pub lag_s: Option<u64>,
    /// Milliseconds that its answers to reads took in the last minutes; `None` where there were none.
    pub latency_ms: Option<Quantiles>,
    /// Requests that have ended since the process started, those about its health included.
    pub requests: u64,
    /// Of them, those that ended in a fault that is the endpoint's.
    pub errors: u64,
    /// Of them, those that it refused because they were too many.
    pub throttled: u64,
    /// Requests that are under way or wait for their turn in the endpoint's rate.
    pub in_flight: usize,
}

/// Which place an endpoint has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointState {
    /// Asked first.
    Primary,
    /// Asked when those before it fail.
    Standby,
    /// It failed lately: asked last, until a probe of it succeeds.
    Excluded,
    /// It asked for fewer requests, and gets none for a while.
    Paused,
    /// It serves another chain than the network's.
    WrongChain,
    /// It has never been asked.
    Unknown,
}

impl EndpointState {
    /// As operators read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Standby => "standby",
            Self::Excluded => "excluded",
            Self::Paused => "paused",
            Self::WrongChain => "wrong-chain",
            Self::Unknown => "unknown",
        }
    }
}

/// How an endpoint is asked for many reads at once, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// The packed program, by a state override.
    Override,
    Multicall3,
    /// One request for each read.
    Single,
}

impl Rung {
    /// As operators read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Multicall3 => "multicall3",
            Self::Single => "single",
        }
    }
}

/// Quantiles in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantiles {
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
}

impl EndpointStatus {
    pub(crate) fn of(
        url: &RpcUrl,
        rung: Option<Rung>,
        health: &Health,
        placed: Placed,
        limit: &Limit,
        now: Instant,
    ) -> Self {
        let totals = health.totals();
        let ms = |took: Duration| took.as_secs_f64() * 1000.0;
        Self {
            host: url.to_string(),
            state: placed.state,
            rung,
            score: placed.score,
            lag_s: placed.lag_s,
            latency_ms: health.measures(now).reads.map(|took| Quantiles {
                p50: ms(took.p50),
                p90: ms(took.p90),
                p99: ms(took.p99),
            }),
            requests: totals.requests,
            errors: totals.errors,
            throttled: totals.throttled,
            in_flight: limit.in_flight(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::EndpointError;
    use crate::limit::Limits;
    use crate::order::Order;

    #[tokio::test]
    async fn an_endpoint_is_told_with_its_host_alone_and_its_figures() {
        let url: RpcUrl = "https://me:hunter2@node.example:8545/v3/s3cret".parse().unwrap();
        let (health, limit, now) = (Health::default(), Limit::new(Limits::default()), Instant::now());
        for ms in 1..=100 {
            health.note(now, Duration::from_micros(ms * 500), Ok(()));
        }
        health.note(now, Duration::ZERO, Err(EndpointError::Http(500)));
        health.note(now, Duration::ZERO, Err(EndpointError::UnknownBlock));
        health.note_probe(now, Duration::ZERO, Ok(()));
        health.saw_head(now, 1000);
        let _permit = limit.acquire(now + Duration::from_secs(1)).await.unwrap();
        let placed = Order::default().placed(now, &[&health]);
        let told = EndpointStatus::of(&url, Some(Rung::Override), &health, placed[0], &limit, now);
        // One error of 102 and four, and one block that it did not know.
        let score = 1.0 - 0.6 / 106.0 - 0.3 / 106.0;
        assert!((told.score - score).abs() < 1e-9, "{}", told.score);
        let expected = EndpointStatus {
            host: "node.example:8545".into(),
            state: EndpointState::Primary,
            rung: Some(Rung::Override),
            score: told.score,
            lag_s: Some(0),
            latency_ms: Some(Quantiles { p50: 25.0, p90: 45.0, p99: 49.5 }),
            requests: 103,
            errors: 1,
            throttled: 0,
            in_flight: 1,
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn the_best_rung_is_the_least() {
        let mut rungs = [Rung::Single, Rung::Override, Rung::Multicall3];
        rungs.sort();
        assert_eq!(rungs.map(Rung::as_str), ["override", "multicall3", "single"]);
    }
}
