//! Which rung of the ladder an endpoint serves: a program that tells who it is finds out.
//!
//! Invariant: what is found was seen. A node that ignores state overrides answers without the program's magic, one that
//! answers at a made-up block hash does not look at hashes, and one whose contracts see another parent than its headers
//! tell (some test nodes) is not held to it.

use std::time::Duration;

use alloy::primitives::{B256, Bytes};
use tokio::time::{Instant, timeout_at};

use super::{Endpoint, Of, Ways};
use crate::Block;
use crate::error::{EndpointError, RequestError};
use crate::multicall::MULTICALL3;
use crate::packed::{self, Head};
use crate::rpc::{At, Call};
use crate::status::Rung;

/// A better rung may come with the node's next version, or with a deployment.
pub(super) const FOR: Duration = Duration::from_secs(600);
/// Many times what a program with nothing to read takes, and what every node allows.
const PROBE_GAS: u64 = 1_000_000;
/// Of each read; there is none, but the program takes zero for one that was asked.
const NO_READ_GAS: u32 = 1;
/// No block has it.
const MADE_UP: B256 = B256::repeat_byte(0xad);

impl Endpoint {
    /// How it can be asked; found out where that is not known.
    pub(crate) async fn ways(&self, until: Instant) -> Result<Ways, EndpointError> {
        if let Some(ways) = self.known_ways() {
            return Ok(ways);
        }
        // One probe at a time; those who wait find its result.
        let Ok(_turn) = timeout_at(until, self.probing.lock()).await else { return Err(EndpointError::Timeout) };
        if let Some(ways) = self.known_ways() {
            return Ok(ways);
        }
        let (_newest, ways) = self.probe(until).await;
        self.learn(ways);
        ways
    }

    pub(super) fn learn(&self, ways: Result<Ways, EndpointError>) {
        let Ok(ways) = ways else { return };
        self.memory.lock().ways = Some((ways, Instant::now() + FOR));
        tracing::debug!(endpoint = %self, ?ways, "endpoint probed");
    }

    /// Its newest block, and how it can be asked, in one round trip where it serves overrides.
    pub(super) async fn probe(&self, until: Instant) -> (Result<Block, EndpointError>, Result<Ways, EndpointError>) {
        let (newest, told, made_up) = tokio::join!(
            self.newest(until),
            self.introduced(At::Latest, until),
            self.introduced(At::Hash(MADE_UP), until)
        );
        // Any reply at all, the program's or not, is one at a block that does not exist.
        let by_hash = made_up.is_err();
        let ways = match told {
            Ok(Some(head)) => {
                let is_told = |block: &Block| block.number == head.number && block.parent == head.parent;
                let tells_parent = newest.as_ref().is_ok_and(is_told);
                Ok(Ways { rung: Rung::Override, by_hash, tells_parent })
            }
            Err(RequestError::Endpoint(error)) if !error.rejects_request_kind() => Err(error),
            _ => self.without_override(until).await.map(|rung| Ways { rung, by_hash, tells_parent: false }),
        };
        (newest, ways)
    }

    async fn without_override(&self, until: Instant) -> Result<Rung, EndpointError> {
        let code: Result<Bytes, RequestError> = self.small("eth_getCode", &(MULTICALL3, At::Latest), until).await;
        let present = !code.map_err(RequestError::into_endpoint_error)?.is_empty();
        Ok(if present { Rung::Multicall3 } else { Rung::Single })
    }

    /// What the program tells of itself with nothing to read; `None` if something else answered.
    async fn introduced(&self, at: At, until: Instant) -> Result<Option<Head>, RequestError> {
        let data = packed::encode([], NO_READ_GAS);
        let call =
            Call { from: MULTICALL3, to: MULTICALL3, data: &data, gas: Some(PROBE_GAS), code: Some(packed::CALL) };
        let reply = self.noted(Of::Endpoint, until, self.rpc.call(&call, at)).await?;
        Ok(packed::decode(&reply, 0).ok().map(|(head, _)| head))
    }
}
