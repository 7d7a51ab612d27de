//! The status of the networks and their endpoints, for operators: plain values, taken at one moment.
//!
//! Invariant: only host and port of an endpoint's URL are here. The serialized names and words are those of the
//! operators' listener and do not change.

use std::time::SystemTime;

use serde::{Serialize, Serializer};

use crate::Block;

/// The status of one network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkStatus {
    /// EIP-155 chain id.
    #[serde(skip)]
    pub chain_id: u64,
    /// The block at which answers are now; `None` before the first pin.
    #[serde(skip)]
    pub pinned: Option<Block>,
    /// Milliseconds from block to block, as learned from the headers.
    pub block_time_ms: Option<u64>,
    /// In the configured order.
    pub endpoints: Vec<EndpointStatus>,
}

/// The status of one endpoint of a network.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointStatus {
    /// Host, and port if the URL has one.
    pub host: String,
    pub state: EndpointState,
    /// `None` until it has been probed.
    #[serde(rename = "rung")]
    pub batch_method: Option<BatchMethod>,
    /// 1 is flawless and as fast as the peers; each flaw lowers it.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// Seconds between its newest block's timestamp and that of its peers; `None` until it reported a block.
    #[serde(rename = "lagSeconds")]
    pub lag_s: Option<u64>,
    /// Milliseconds that replies to reads took in the last minutes; `None` if there were none.
    pub latency_ms: Option<Quantiles>,
    /// Requests that have ended since the process started, including those about its health.
    pub requests: u64,
    /// Requests that ended in an error of the endpoint.
    pub errors: u64,
    /// Requests that it refused because they were too many.
    pub throttled: u64,
    /// Requests that are under way or wait for their turn in the endpoint's rate.
    pub in_flight: usize,
    /// The last request that ended in an error of the endpoint, was refused, or was answered by another chain or a
    /// syncing node; `None` if there was none.
    pub last_failure: Option<EndpointFailure>,
}

/// Reason and time of a failed request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointFailure {
    pub reason: String,
    #[serde(serialize_with = "rfc3339")]
    pub at: SystemTime,
    /// Failures since a request was last answered; 0 if one was answered after this failure.
    #[serde(rename = "count")]
    pub in_a_row: u64,
}

fn rfc3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_seconds(*time))
}

/// State of an endpoint among those of its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndpointState {
    /// Gets requests first.
    Primary,
    /// Gets requests when those before it fail.
    Standby,
    /// It failed recently: it is tried last, until a probe of it succeeds.
    Excluded,
    /// It throttles, and gets no requests for a while.
    Paused,
    /// Its node is still syncing, so its state may be old: it is not used.
    Syncing,
    /// It serves another chain than the network's.
    WrongChain,
    /// It has never had a request.
    Unknown,
}

impl EndpointState {
    /// Returns true unless it is excluded, syncing or of another chain.
    pub fn is_used(self) -> bool {
        !matches!(self, Self::Excluded | Self::Syncing | Self::WrongChain)
    }
}

/// Method by which an endpoint carries many reads at once, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchMethod {
    /// The packed program, by a state override.
    Override,
    Multicall3,
    /// One request for each read.
    Single,
}

/// Quantiles in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    #[serde(serialize_with = "rounded")]
    pub p50: f64,
    #[serde(serialize_with = "rounded")]
    pub p90: f64,
    #[serde(serialize_with = "rounded")]
    pub p99: f64,
}

/// Rounds to two decimals, for people.
fn rounded<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((figure * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_method_is_the_least() {
        let mut methods = [BatchMethod::Single, BatchMethod::Override, BatchMethod::Multicall3];
        methods.sort();
        assert_eq!(serde_json::to_string(&methods).unwrap(), r#"["override","multicall3","single"]"#);
    }

    #[test]
    fn every_state_has_its_own_word() {
        use EndpointState::{Excluded, Paused, Primary, Standby, Syncing, Unknown, WrongChain};
        let words = serde_json::to_string(&[Primary, Standby, Excluded, Paused, Syncing, WrongChain, Unknown]).unwrap();
        assert_eq!(words, r#"["primary","standby","excluded","paused","syncing","wrong-chain","unknown"]"#);
    }
}
