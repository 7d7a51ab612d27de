//! The blocks that an endpoint reports: the newest one, or by hash, height or tag.
//!
//! Invariant: a block is the one that was requested. If it was requested by number or tag, the chain id was reported
//! after it.

use std::time::Duration;

use alloy::primitives::{B256, U64};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until};

use super::Endpoint;
use crate::Block;
use crate::chain::next_block::{HeaderFees, NextBlock};
use crate::endpoints::health::RequestKind;
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::BlockId;

/// Pauses before a height is requested again: a lagging node catches up soon, and the next request may go to another
/// one.
const KNOWN_BLOCK_PAUSES: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(150), Duration::from_millis(300), Duration::from_millis(600)];
/// Answers under way are pinned at a few blocks only.
const NEXT_BLOCKS_MAX: usize = 16;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockHeader {
    number: U64,
    hash: B256,
    parent_hash: B256,
    timestamp: U64,
    /// Arbitrum only: the number that contracts see as `block.number`.
    l1_block_number: Option<U64>,
    #[serde(flatten)]
    fees: HeaderFees,
}

impl From<&BlockHeader> for Block {
    fn from(header: &BlockHeader) -> Self {
        let number = header.number.to();
        Self {
            number,
            hash: header.hash,
            parent: header.parent_hash,
            timestamp: header.timestamp.to(),
            evm_number: header.l1_block_number.map_or(number, |number| number.to()),
        }
    }
}

impl Endpoint {
    pub(crate) async fn newest_block(&self, until: Instant) -> Result<Block, EndpointError> {
        self.ensure_chain(until).await?;
        let reply: Result<BlockHeader, _> = self.request("eth_getBlockByNumber", &("latest", false), until).await;
        let block = self.take_header(&reply.map_err(RequestError::into_endpoint_error)?);
        if !self.continues_chain(&block) {
            self.check_chain(until).await?;
        }
        self.learned.lock().head = Some(block.hash);
        self.health.record_head(Instant::now(), block.timestamp);
        Ok(block)
    }

    /// Records the expected properties of the next block, and the fork of this one.
    fn take_header(&self, header: &BlockHeader) -> Block {
        let block = Block::from(header);
        let next = NextBlock::after(self.chain_id, &block, &header.fees);
        let is_of_amsterdam = header.fees.is_of_amsterdam();
        let mut learned = self.learned.lock();
        learned.native_logs.record(block.number, is_of_amsterdam);
        if let Some(next) = next
            && learned.next_blocks.iter().all(|(hash, _)| *hash != block.hash)
        {
            if learned.next_blocks.len() == NEXT_BLOCKS_MAX {
                learned.next_blocks.pop_front();
            }
            learned.next_blocks.push_back((block.hash, next));
        }
        block
    }

    fn known_block(&self, reply: Result<Option<BlockHeader>, RequestError>) -> Result<Option<Block>, EndpointError> {
        Ok(known(reply)?.map(|header| self.take_header(&header)))
    }

    /// Returns true if this head is the last one or its child, and so of the same chain. Any other, lower or higher,
    /// may be of another chain.
    fn continues_chain(&self, block: &Block) -> bool {
        let learned = self.learned.lock();
        learned.head.map_or(learned.chain.is_fresh(), |head| head == block.hash || head == block.parent)
    }

    /// Returns the block with this hash; `None` if the endpoint does not know it.
    pub(crate) async fn block_by_hash(&self, hash: B256, until: Instant) -> Result<Option<Block>, EndpointError> {
        self.ensure_usable(until).await?;
        let block = self.known_block(self.request("eth_getBlockByHash", &(hash, false), until).await)?;
        self.verify(block, |block| block.hash == hash)
    }

    /// Returns the block that the endpoint's chain has at this height.
    pub(crate) async fn block_by_number(&self, number: u64, until: Instant) -> Result<Option<Block>, EndpointError> {
        let block = self.block_at(U64::from(number), until).await?;
        self.verify(block, |block| block.number == number)
    }

    /// Like [`Self::block_by_number`], for a height that the chain is known to have. Repeats the request: one URL may
    /// lead to many nodes, some of which lag.
    pub(crate) async fn block_at_known_height(
        &self,
        number: u64,
        until: Instant,
    ) -> Result<Option<Block>, EndpointError> {
        until_known(until, || self.block_by_number(number, until)).await
    }

    /// Returns the block if it is the requested one. Another one is an error of the endpoint.
    pub(super) fn verify<B>(
        &self,
        block: Option<B>,
        is_requested: impl Fn(&B) -> bool,
    ) -> Result<Option<B>, EndpointError> {
        match block {
            Some(block) if !is_requested(&block) => Err(self.blame(RequestKind::Probe, EndpointError::Malformed)),
            block => Ok(block),
        }
    }

    /// Returns the block with this hash; `None` if the chain has another one at that height.
    pub(crate) async fn canonical_block(&self, hash: B256, until: Instant) -> Result<Option<Block>, EndpointError> {
        let Some(block) = self.block_by_hash(hash, until).await? else { return Err(EndpointError::UnknownBlock) };
        let canonical = self.block_at_known_height(block.number, until).await?;
        Ok(canonical.filter(|canonical| canonical.hash == hash))
    }

    /// Returns the block with this tag: `safe`, `finalized`.
    pub(crate) async fn tagged_block(&self, tag: &str, until: Instant) -> Result<Option<Block>, EndpointError> {
        self.block_at(tag, until).await
    }

    /// Checks the chain. If the endpoint is read by number, checks that its chain has this very block at its height:
    /// a number does not prove a hash.
    pub(crate) async fn check_block(&self, block: &Block, until: Instant) -> Result<(), EndpointError> {
        if let BlockId::Hash(_) = self.block_id(block) {
            return self.check_chain(until).await;
        }
        let at_height = self.block_at_known_height(block.number, until).await?;
        if at_height.is_some_and(|found| found.hash == block.hash) { Ok(()) } else { Err(EndpointError::UnknownBlock) }
    }

    async fn block_at(&self, place: impl Serialize, until: Instant) -> Result<Option<Block>, EndpointError> {
        Ok(self.header_at(place, until).await?.map(|header| self.take_header(&header)))
    }

    /// Requests a header by number or tag. Neither identifies the chain, so the chain id is requested again after it.
    pub(super) async fn header_at<H: DeserializeOwned + Send + 'static>(
        &self,
        place: impl Serialize,
        until: Instant,
    ) -> Result<Option<H>, EndpointError> {
        self.ensure_usable(until).await?;
        let header = known(self.request("eth_getBlockByNumber", &(place, false), until).await)?;
        self.check_chain(until).await?;
        Ok(header)
    }

    /// Returns true if each movement of the native token in the block at a height left a log; `None` if no header has
    /// shown that.
    pub(crate) fn logs_native(&self, number: u64) -> Option<bool> {
        self.learned.lock().native_logs.at(number)
    }

    /// Returns the finalized height; `None` if the endpoint does not report it.
    pub(crate) async fn finalized_number(&self, until: Instant) -> Result<Option<u64>, EndpointError> {
        self.ensure_usable(until).await?;
        match self.known_block(self.request("eth_getBlockByNumber", &("finalized", false), until).await) {
            Ok(block) => Ok(block.map(|block| block.number)),
            Err(EndpointError::Rpc(_) | EndpointError::Malformed) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns the header; `None` if the endpoint does not know the block.
fn known<H>(reply: Result<Option<H>, RequestError>) -> Result<Option<H>, EndpointError> {
    match reply {
        Ok(header) => Ok(header),
        Err(RequestError::UnknownBlock) => Ok(None),
        Err(error) => Err(error.into_endpoint_error()),
    }
}

/// Repeats the request a few times until the block is known.
pub(super) async fn until_known<H, F: Future<Output = Result<Option<H>, EndpointError>>>(
    until: Instant,
    request: impl Fn() -> F,
) -> Result<Option<H>, EndpointError> {
    for pause in KNOWN_BLOCK_PAUSES {
        let header = request().await?;
        if header.is_some() || Instant::now() + pause >= until {
            return Ok(header);
        }
        sleep_until(Instant::now() + pause).await;
    }
    request().await
}
