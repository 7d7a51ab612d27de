//! Probes an endpoint's capabilities, with a program that identifies itself.
//!
//! Invariant: every capability was observed. A node that ignores state overrides replies without the program's magic
//! bytes. If contracts see another parent than the headers report (some test nodes), the parent is not checked. A
//! node is read by block hash only if it rejects a made-up one: a node that answers there ignores hashes. One that
//! refuses it for another reason may refuse all of them (EIP-1898); its newest block's own hash shows that.

use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes};
use futures_util::future::{Either, select};
use tokio::time::{Instant, timeout_at};

use super::{Capabilities, ChainCheck, Endpoint};
use crate::Block;
use crate::endpoints::health::RequestKind;
use crate::endpoints::status::BatchMethod;
use crate::methods::multicall::{MULTICALL3, multicall3};
use crate::methods::packed::{self, Head};
use crate::reads::read_set::ReadSet;
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::{BlockId, EthCall};

/// Lifetime of capabilities: a node's next version or a deployment may bring a better method.
pub(super) const CAPABILITIES_FOR: Duration = Duration::from_secs(600);
/// Many times what a program without reads takes, and allowed by every node.
const PROBE_GAS: u64 = 1_000_000;
/// The gas of each read. There are no reads, but the program takes zero for one.
const NO_READ_GAS: u32 = 1;
/// Within this time, the slowest of several small concurrent requests is answered.
const SYNCING_WAIT: Duration = Duration::from_millis(500);
/// No block has this hash.
const MADE_UP_HASH: B256 = B256::repeat_byte(0xad);

impl Endpoint {
    /// Returns the capabilities; probes for them if they are not known.
    pub(crate) async fn capabilities(&self, until: Instant) -> Result<Capabilities, EndpointError> {
        if let Some(capabilities) = self.known_capabilities() {
            return Ok(capabilities);
        }
        // One probe at a time; the others use its result.
        let Ok(_turn) = timeout_at(until, self.probing.lock()).await else { return Err(EndpointError::Timeout) };
        if let Some(capabilities) = self.known_capabilities() {
            return Ok(capabilities);
        }
        let (_newest, capabilities) = self.probe(until).await;
        self.learn(capabilities);
        self.ensure_usable(until).await?;
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

    /// Returns its newest block and its capabilities, in one round trip if it supports state overrides. Concurrently
    /// requests whether it is still syncing.
    pub(super) async fn probe(
        &self,
        until: Instant,
    ) -> (Result<Block, EndpointError>, Result<Capabilities, EndpointError>) {
        // Boxed, because the future of a read contains that of a probe.
        let found = Box::pin(self.find_capabilities(until));
        match select(found, Box::pin(self.request_syncing(until))).await {
            Either::Left((found, syncing)) => {
                // A node that never replies to the method is not waited for. A later reply is lost.
                let _ = timeout_at(until.min(Instant::now() + SYNCING_WAIT), syncing).await;
                found
            }
            Either::Right(((), found)) => found.await,
        }
    }

    async fn find_capabilities(
        &self,
        until: Instant,
    ) -> (Result<Block, EndpointError>, Result<Capabilities, EndpointError>) {
        let (newest, head, at_made_up_hash) = tokio::join!(
            self.newest_block(until),
            self.run_empty_program(BlockId::Latest, until),
            self.run_empty_program(BlockId::Hash(MADE_UP_HASH), until)
        );
        let hashes = self.checks_block_hash(HashReply::of(&at_made_up_hash), newest.as_ref().ok(), until);
        let capabilities = match head {
            Ok(Some(head)) => match self.confirm_chain(head.chain_id) {
                Ok(()) => {
                    let matches_head = |block: &Block| block.number == head.number && block.parent == head.parent;
                    let sees_parent_hash = newest.as_ref().is_ok_and(matches_head);
                    let (batch_method, checks_block_hash) = (BatchMethod::Override, hashes.await);
                    Ok(Capabilities { batch_method, checks_block_hash, sees_parent_hash })
                }
                Err(error) => Err(error),
            },
            Err(RequestError::Endpoint(error)) if !error.rejects_request_kind() => Err(error),
            _ => {
                let (batch_method, checks_block_hash) = tokio::join!(self.method_without_override(until), hashes);
                batch_method.map(|batch_method| Capabilities {
                    batch_method,
                    checks_block_hash,
                    sees_parent_hash: false,
                })
            }
        };
        (newest, capabilities)
    }

    /// Returns true if it is to be read by hash, judging by its reply to the program at a made-up hash. If that is an
    /// error about the program or about hashes as such, plain calls decide: at the made-up hash, and at its newest
    /// block's own.
    async fn checks_block_hash(&self, at_made_up: HashReply, newest: Option<&Block>, until: Instant) -> bool {
        match (at_made_up, newest) {
            (HashReply::Answered, _) => false,
            (HashReply::Unknown, _) | (_, None) => true,
            (HashReply::Refused | HashReply::None, Some(newest)) => {
                let (at_made_up, answers_at_own) =
                    tokio::join!(self.call_nobody(MADE_UP_HASH, until), self.answers_at_hash_of(newest, until));
                at_made_up != HashReply::Answered && answers_at_own
            }
        }
    }

    async fn method_without_override(&self, until: Instant) -> Result<BatchMethod, EndpointError> {
        let code: Result<Bytes, RequestError> =
            self.request("eth_getCode", &(multicall3(self.chain_id), BlockId::Latest), until).await;
        if !code.map_err(RequestError::into_endpoint_error)?.is_empty() {
            return Ok(BatchMethod::Multicall3);
        }
        if !self.learned.lock().has_multicall {
            return Ok(BatchMethod::Single);
        }
        // This may be a node of another chain, and single reads prove least.
        self.check_chain(until).await?;
        Err(EndpointError::Malformed)
    }

    /// Returns true if it answered a call sent since `since`, or answers the smallest call now, at its newest block.
    /// Answers to requests of other kinds say nothing about calls.
    pub(super) async fn probe_while_waiting(&self, since: Instant, until: Instant) -> bool {
        let Ok(_turn) = timeout_at(until, self.calling_beside.lock()).await else { return false };
        if self.health.has_answered_since(since) {
            return true;
        }
        let (start, data) = (Instant::now(), packed::encode(&ReadSet::default(), &[], NO_READ_GAS));
        let call = EthCall { from: MULTICALL3, to: MULTICALL3, data: &data, gas: Some(PROBE_GAS), code: None };
        // Outside of the endpoint's limits: the slow reads may use all of them.
        let reply = timeout_at(until, self.rpc.call(&call, BlockId::Latest)).await;
        let answers = matches!(reply, Ok(Ok(_))) || matches!(reply, Ok(Err(error)) if !error.is_of_endpoint());
        if answers {
            self.health.record_beside(start);
        }
        answers
    }

    /// Returns true if it answers at the hash of its own newest block, or does not reply: a read by hash proves more
    /// than one by number.
    async fn answers_at_hash_of(&self, newest: &Block, until: Instant) -> bool {
        !matches!(self.call_nobody(newest.hash, until).await, HashReply::Refused | HashReply::Unknown)
    }

    /// Checks if an endpoint that has answered at no hash yet knows the hash of its newest block. If not, reads it by
    /// number from now on and returns true.
    pub(super) async fn turns_out_to_refuse_hashes(&self, until: Instant) -> bool {
        let is_open = |own: &Self| {
            let learned = own.learned.lock();
            !learned.answers_at_hash && learned.capabilities.is_some_and(|(known, _)| known.checks_block_hash)
        };
        // One check at a time; the others use its result.
        let Ok(_turn) = timeout_at(until, self.probing.lock()).await else { return false };
        if !is_open(self) {
            return self.known_capabilities().is_some_and(|capabilities| !capabilities.checks_block_hash);
        }
        let Ok(newest) = self.newest_block(until).await else { return false };
        let answers = self.answers_at_hash_of(&newest, until).await;
        let mut learned = self.learned.lock();
        learned.answers_at_hash = answers;
        if let Some((capabilities, _)) = &mut learned.capabilities {
            capabilities.checks_block_hash = answers;
        }
        !answers
    }

    /// Calls an account without code at the block with this hash; every node that knows the block answers.
    async fn call_nobody(&self, hash: B256, until: Instant) -> HashReply {
        let call = EthCall { from: MULTICALL3, to: Address::ZERO, data: &[], gas: Some(PROBE_GAS), code: None };
        let request = || self.rpc.call(&call, BlockId::Hash(hash));
        HashReply::of(&self.send_until_taken(RequestKind::Optional, until, request).await)
    }

    /// Runs the program without reads and returns the head of its reply; `None` if something else replied.
    async fn run_empty_program(&self, at: BlockId, until: Instant) -> Result<Option<Head>, RequestError> {
        let data = packed::encode(&ReadSet::default(), &[], NO_READ_GAS);
        let call = EthCall {
            from: MULTICALL3,
            to: MULTICALL3,
            data: &data,
            gas: Some(PROBE_GAS),
            code: Some(packed::PROGRAM),
        };
        // Many good nodes refuse state overrides.
        let request = || self.rpc.call(&call, at);
        let reply = self.send_until_taken(RequestKind::Optional, until, request).await?;
        Ok(packed::decode(&reply, 0).ok().map(|(head, _)| head))
    }
}

/// How an endpoint replied to a call at a block hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HashReply {
    Answered,
    /// The block is unknown.
    Unknown,
    /// Another error, perhaps about hashes as such.
    Refused,
    /// There was no reply.
    None,
}

impl HashReply {
    fn of<T>(reply: &Result<T, RequestError>) -> Self {
        match reply {
            Ok(_) | Err(RequestError::Reverted(_) | RequestError::Halted | RequestError::OutOfGas) => Self::Answered,
            Err(RequestError::UnknownBlock) => Self::Unknown,
            Err(RequestError::Endpoint(
                EndpointError::Timeout
                | EndpointError::Unreachable
                | EndpointError::Throttled(_)
                | EndpointError::NoRoom,
            )) => Self::None,
            Err(_) => Self::Refused,
        }
    }
}
