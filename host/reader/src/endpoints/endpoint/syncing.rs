//! Detects nodes that are still syncing: the newest header may be the chain's while the state is of much older
//! blocks.
//!
//! Invariant: an endpoint that reports so is not used, and is asked again after [`REQUEST_AGAIN_AFTER`] at the
//! earliest, by one request at a time. An endpoint without the method counts as synced. A request without a reply
//! changes nothing.

use std::time::Duration;

use alloy::primitives::U64;
use serde_json::Value;
use tokio::time::Instant;

use super::Endpoint;
use crate::endpoints::health::RequestKind;
use crate::wire::error::{EndpointError, RequestError};

/// Delay before asking again. A node that catches up takes minutes to days; one that was a moment behind is back
/// soon.
const REQUEST_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// How many blocks a synced node may be behind: it has a header a moment before it has run its block.
const BEHIND_MAX: u64 = 2;

impl Endpoint {
    /// Fails if it is known to serve another chain or to be still syncing. A node that is syncing is asked again once
    /// its last reply is old.
    pub(crate) async fn ensure_usable(&self, until: Instant) -> Result<(), EndpointError> {
        self.ensure_chain(until).await?;
        if self.health.may_request_syncing(Instant::now(), REQUEST_AGAIN_AFTER) {
            Box::pin(self.request_syncing(until)).await;
        }
        if self.health.is_syncing() { Err(EndpointError::Syncing) } else { Ok(()) }
    }

    /// Requests the sync status and records it.
    pub(super) async fn request_syncing(&self, until: Instant) {
        let request = || self.rpc.request::<Value>("eth_syncing", &[(); 0]);
        let is_syncing = match self.send_until_taken(RequestKind::Optional, until, request).await {
            Ok(reply) => is_syncing(&reply),
            Err(RequestError::Endpoint(error)) if !error.rejects_request_kind() => return,
            Err(_) => false,
        };
        let now = Instant::now();
        match (self.health.record_syncing(now, is_syncing), is_syncing) {
            (true, true) => {
                self.health.record(RequestKind::Probe, now, Duration::ZERO, Err(EndpointError::Syncing));
                tracing::warn!(endpoint = %self, "endpoint is still syncing, not used");
            }
            (true, false) => tracing::warn!(endpoint = %self, "endpoint is in step again"),
            (false, _) => {}
        }
    }
}

/// Parses the reply: false, or the progress. Geth also reports the progress of its indices once its state is
/// complete.
fn is_syncing(reply: &Value) -> bool {
    match reply {
        Value::Bool(is_syncing) => *is_syncing,
        Value::Object(progress) if progress.is_empty() => false,
        Value::Object(progress) => {
            let height = |name: &str| progress.get(name).and_then(height);
            let heights = height("currentBlock").zip(height("highestBlock"));
            heights.is_none_or(|(current, highest)| current.saturating_add(BEHIND_MAX) < highest)
        }
        _ => false,
    }
}

fn height(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| serde_json::from_value::<U64>(value.clone()).ok().map(|height| height.to()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_is_syncing_where_it_says_so_and_is_behind() {
        for (reply, expected) in [
            (json!(false), false),
            (json!(true), true),
            (json!(null), false),
            (json!("0x1"), false),
            (json!({}), false),
            (json!({"currentBlock": "0x64", "highestBlock": "0x1388"}), true),
            (json!({"startingBlock": 0, "currentBlock": 100, "highestBlock": 5000}), true),
            (json!({"stages": [{"stage_name": "Execution", "block_number": "0x1"}]}), true),
            (json!({"msgCount": 7}), true),
            // Geth, once it has all state and indexes transactions.
            (json!({"currentBlock": "0x1388", "highestBlock": "0x1388", "txIndexRemainingBlocks": "0x7"}), false),
            // The header has arrived, and its block is being run.
            (json!({"currentBlock": "0x1386", "highestBlock": "0x1388"}), false),
            (json!({"currentBlock": "0x1385", "highestBlock": "0x1388"}), true),
        ] {
            assert_eq!(is_syncing(&reply), expected, "{reply}");
        }
    }
}
