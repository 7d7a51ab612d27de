//! The proof of a transaction's receipt: the header of its block, and all receipts of that block in one request.
//!
//! Invariant: an endpoint that cannot return all receipts of a block is not blamed. One whose receipts prove wrong
//! is, once it has reported its chain id again.

use alloy::primitives::{B256, U64};
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::Endpoint;
use super::blocks::until_known;
use crate::chain::sealed_header::SealedHeader;
use crate::chain::transaction::{BlockReceipt, ReceiptsTrie};
use crate::endpoints::health::RequestKind;
use crate::wire::error::{EndpointError, RequestError};

const RECEIPTS: &str = "eth_getBlockReceipts";

impl Endpoint {
    /// Returns the header at a height that the chain is known to have.
    pub(crate) async fn sealed_header(
        &self,
        number: u64,
        until: Instant,
    ) -> Result<Option<SealedHeader>, EndpointError> {
        let header = until_known(until, || self.header_at::<SealedHeader>(U64::from(number), until)).await?;
        self.verify(header, |header| header.number == number)
    }

    /// Returns the trie of all receipts in a block.
    pub(crate) async fn receipts_trie(&self, block: B256, until: Instant) -> Result<ReceiptsTrie, EndpointError> {
        let params = [block];
        let request = || self.rpc.request::<Option<Vec<BlockReceipt>>>(RECEIPTS, &params);
        let receipts = match self.send_until_taken(RequestKind::Optional, until, request).await {
            Ok(Some(receipts)) => receipts,
            Ok(None) | Err(RequestError::UnknownBlock) => return Err(EndpointError::HalfKnown),
            Err(error) => {
                return Err(match error.into_endpoint_error() {
                    EndpointError::Rpc(_) => EndpointError::Unproven,
                    error => error,
                });
            }
        };
        let computed = spawn_blocking(|| ReceiptsTrie::new(receipts)).await;
        computed.map_err(|_| EndpointError::Malformed)
    }

    /// Blames the endpoint for a receipt whose proof failed, unless it serves another chain by now.
    pub(crate) async fn blame_for_proof(&self, until: Instant) -> EndpointError {
        match self.check_chain(until).await {
            Ok(()) => self.blame_for_receipt(),
            Err(error) => error,
        }
    }
}
