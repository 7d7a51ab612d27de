//! The status of one endpoint, from its health, its limiter and its placement among its peers.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::Endpoint;
use crate::endpoints::health::{Failures, Latency};
use crate::endpoints::selector::Placement;
use crate::endpoints::status::{EndpointFailure, EndpointStatus, Quantiles};

impl Endpoint {
    pub(crate) fn status(&self, placement: Placement, now: Instant) -> EndpointStatus {
        let totals = self.health.totals();
        EndpointStatus {
            host: self.url.to_string(),
            state: placement.state,
            batch_method: self.known_capabilities().map(|capabilities| capabilities.batch_method),
            score: placement.score,
            lag_s: placement.lag_s,
            latency_ms: self.health.metrics(now).reads.map(quantiles),
            requests: totals.requests,
            errors: totals.errors,
            throttled: totals.throttled,
            in_flight: self.limiter.in_flight(),
            last_failure: last_failure(self.health.failures(), now),
        }
    }
}

fn last_failure(Failures { last, in_a_row }: Failures, now: Instant) -> Option<EndpointFailure> {
    let (at, error) = last?;
    let at = SystemTime::now().checked_sub(now.saturating_duration_since(at))?;
    Some(EndpointFailure { reason: error.to_string(), at, in_a_row })
}

fn quantiles(latency: Latency) -> Quantiles {
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    Quantiles { p50: ms(latency.p50), p90: ms(latency.p90), p99: ms(latency.p99) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::endpoint::Capabilities;
    use crate::endpoints::health::RequestKind::{Probe, Read};
    use crate::endpoints::limit::Limits;
    use crate::endpoints::selector::EndpointSelector;
    use crate::endpoints::status::{BatchMethod, EndpointState};
    use crate::wire::error::EndpointError;
    use crate::wire::transport::Pool;

    #[tokio::test]
    async fn the_status_shows_the_host_alone_and_the_figures() {
        let url = "https://me:hunter2@node.example:8545/v3/s3cret".parse().unwrap();
        let (endpoint, now) = (Endpoint::new(1, url, &Pool::default(), Limits::default()), Instant::now());
        for ms in 1..=100 {
            endpoint.health.record(Read, now, Duration::from_micros(ms * 500), Ok(()));
        }
        endpoint.health.record(Read, now, Duration::ZERO, Err(EndpointError::Http(500)));
        endpoint.health.record(Read, now, Duration::ZERO, Err(EndpointError::UnknownBlock));
        endpoint.health.record(Probe, now, Duration::ZERO, Ok(()));
        endpoint.health.record_head(now, 1000);
        let batch_method = BatchMethod::Override;
        endpoint.learn(Ok(Capabilities { batch_method, checks_block_hash: true, sees_parent_hash: true }));
        let _permit = endpoint.limiter.acquire(now + Duration::from_secs(1)).await.unwrap();
        let placements = EndpointSelector::default().placements(now, &[&endpoint.health]);
        let status = endpoint.status(placements[0], now);
        // One error of 102 and four, and one block that it did not know.
        let score = 1.0 - 0.6 / 106.0 - 0.3 / 106.0;
        assert!((status.score - score).abs() < 1e-9, "{}", status.score);
        let expected = EndpointStatus {
            host: "node.example:8545".into(),
            state: EndpointState::Primary,
            batch_method: Some(BatchMethod::Override),
            score: status.score,
            lag_s: Some(0),
            latency_ms: Some(Quantiles { p50: 25.0, p90: 45.0, p99: 49.5 }),
            requests: 103,
            errors: 1,
            throttled: 0,
            in_flight: 1,
            last_failure: status.last_failure.clone(),
        };
        assert_eq!(status, expected);
        let failure = status.last_failure.unwrap();
        assert_eq!((failure.reason.as_str(), failure.in_a_row), ("HTTP status 500", 0));
    }
}
