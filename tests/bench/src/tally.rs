//! Requests that an answer made to the node, and the bytes of their bodies, counted by a proxy.
//!
//! Requests that carry no reads (which chain, which block) stand apart: Portolan follows the newest block beside its
//! answers, however many there are.

use anyhow::Result;
use bytes::Bytes;
use serde_json::Value;

use portolan_tests::rpc_fault::Exchange;

/// Requests and bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) requests: usize,
    pub(super) up_bytes: usize,
    pub(super) down_bytes: usize,
    /// Requests without reads, with their bytes both ways.
    pub(super) beside: usize,
    pub(super) beside_bytes: usize,
    /// The calls and simulations.
    pub(super) calls: Vec<Value>,
    /// As they were sent.
    pub(super) bodies: Vec<Bytes>,
}

impl Tally {
    pub(super) fn of(exchanges: &[Exchange]) -> Result<Self> {
        let mut tally = Self::default();
        for exchange in exchanges {
            let request: Value = serde_json::from_slice(&exchange.requested)?;
            // All of a batch are alike.
            let method = request.get(0).unwrap_or(&request)["method"].as_str();
            if matches!(method, Some("eth_call" | "eth_simulateV1")) {
                tally.requests += 1;
                tally.up_bytes += exchange.requested.len();
                tally.down_bytes += exchange.answered;
                tally.calls.push(request);
                tally.bodies.push(exchange.requested.clone());
            } else {
                tally.beside += 1;
                tally.beside_bytes += exchange.requested.len() + exchange.answered;
            }
        }
        Ok(tally)
    }
}
