//! The probe of an endpoint's capabilities, by a program that identifies itself.
//!
//! Invariant: every capability was observed. A node that ignores state overrides replies without the program's magic
//! bytes, one that replies at a made-up block hash does not check hashes, and one whose contracts see another parent
//! than its headers report (some test nodes) is not held to the parent.

use std::time::Duration;

use alloy::primitives::{B256, Bytes};
use tokio::time::{Instant, timeout_at};

use super::{Capabilities, ChainCheck, Endpoint};
use crate::Block;
use crate::error::{EndpointError, RequestError};
use crate::health::RequestKind;
use crate::multicall::MULTICALL3;
use crate::packed::{self, Head};
use crate::read_set::ReadSet;
use crate::rpc::{BlockId, EthCall};
use crate::status::BatchMethod;

/// A better method may come with the node's next version, or with a deployment.
pub(super) const CAPABILITIES_FOR: Duration = Duration::from_secs(600);
/// Many times what a program with nothing to read takes, and what every node allows.
const PROBE_GAS: u64 = 1_000_000;
/// The gas of each read. There are no reads, but the program takes zero for one.
const NO_READ_GAS: u32 = 1;
/// No block has this hash.
const MADE_UP_HASH: B256 = B256::repeat_byte(0xad);

impl Endpoint {
    /// Returns the capabilities, and probes for them where they are not known.
    pub(crate) async fn capabilities(&self, until: Instant) -> Result<Capabilities, EndpointError> {
        if let Some(capabilities) = self.known_capabilities() {
            return Ok(capabilities);
        }
        // One probe at a time; the others find its result.
        let Ok(_turn) = timeout_at(until, self.probing.lock()).await else { return Err(EndpointError::Timeout) };
        if let Some(capabilities) = self.known_capabilities() {
            return Ok(capabilities);
        }
        let (_newest, capabilities) = self.probe(until).await;
        self.learn(capabilities);
        capabilities
    }

    pub(super) fn learn(&self, capabilities: Result<Capabilities, EndpointError>) {
        let Ok(capabilities) = capabilities else { return };
        let mut learned = self.learned.lock();
        if matches!(learned.chain, ChainCheck::Wrong { .. }) {
            return;
        }
        learned.has_multicall |= capabilities.batch_method == BatchMethod::Multicall3;
        learned.capabilities = Some((capabilities, Instant::now() + CAPABILITIES_FOR));
        tracing::debug!(endpoint = %self, ?capabilities, "endpoint probed");
    }

    /// Returns its newest block and its capabilities, in one round trip where it supports state overrides.
    pub(super) async fn probe(
        &self,
        until: Instant,
    ) -> (Result<Block, EndpointError>, Result<Capabilities, EndpointError>) {
        let (newest, head, at_made_up_hash) = tokio::join!(
            self.newest_block(until),
            self.run_empty_program(BlockId::Latest, until),
            self.run_empty_program(BlockId::Hash(MADE_UP_HASH), until)
        );
        // Any reply at all, the program's or not, is one at a block that does not exist.
        let checks_block_hash = at_made_up_hash.is_err();
        let capabilities = match head {
            Ok(Some(head)) => self.confirm_chain(head.chain_id).map(|()| {
                let matches_head = |block: &Block| block.number == head.number && block.parent == head.parent;
                let sees_parent_hash = newest.as_ref().is_ok_and(matches_head);
                Capabilities { batch_method: BatchMethod::Override, checks_block_hash, sees_parent_hash }
            }),
            Err(RequestError::Endpoint(error)) if !error.rejects_request_kind() => Err(error),
            _ => self.method_without_override(until).await.map(|batch_method| Capabilities {
                batch_method,
                checks_block_hash,
                sees_parent_hash: false,
            }),
        };
        (newest, capabilities)
    }

    async fn method_without_override(&self, until: Instant) -> Result<BatchMethod, EndpointError> {
        let code: Result<Bytes, RequestError> =
            self.request("eth_getCode", &(MULTICALL3, BlockId::Latest), until).await;
        if !code.map_err(RequestError::into_endpoint_error)?.is_empty() {
            return Ok(BatchMethod::Multicall3);
        }
        if !self.learned.lock().has_multicall {
            return Ok(BatchMethod::Single);
        }
        // This may be the node of another chain, and single reads prove least.
        self.check_chain(until).await?;
        Err(EndpointError::Malformed)
    }

    /// Whether it answered a call that was sent since then, or does so now: the smallest, at its newest block. That it
    /// answers requests of other kinds says nothing about calls.
    pub(super) async fn answers_beside(&self, since: Instant, until: Instant) -> bool {
        let Ok(_turn) = timeout_at(until, self.calling_beside.lock()).await else { return false };
        if self.health.has_answered_since(since) {
            return true;
        }
        let (start, data) = (Instant::now(), packed::encode(&ReadSet::default(), &[], NO_READ_GAS));
        let call = EthCall { from: MULTICALL3, to: MULTICALL3, data: &data, gas: Some(PROBE_GAS), code: None };
        // Not within the endpoint's limits: the slow reads may have all of them.
        let reply = timeout_at(until, self.rpc.call(&call, BlockId::Latest)).await;
        let answers = matches!(reply, Ok(Ok(_))) || matches!(reply, Ok(Err(error)) if !error.is_of_endpoint());
        if answers {
            self.health.record_beside(start);
        }
        answers
    }

    /// Returns the head that the program replies with when it has nothing to read; `None` if something else replied.
    async fn run_empty_program(&self, at: BlockId, until: Instant) -> Result<Option<Head>, RequestError> {
        let data = packed::encode(&ReadSet::default(), &[], NO_READ_GAS);
        let call = EthCall {
            from: MULTICALL3,
            to: MULTICALL3,
            data: &data,
            gas: Some(PROBE_GAS),
            code: Some(packed::PROGRAM),
        };
        let reply = self.send_until_taken(RequestKind::Probe, until, || self.rpc.call(&call, at)).await?;
        Ok(packed::decode(&reply, 0).ok().map(|(head, _)| head))
    }
}
