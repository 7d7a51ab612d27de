//! Checks that a receipt from an endpoint is one of the network's chain.
//!
//! Invariant: which block is at a height, and which transaction at a place in it, is for another endpoint to say if
//! one replies: the one that gave the receipt may have made up either. If they differ in a proof, neither is blamed.
//! Data that the hash of the block commits to needs no other endpoint.

use std::sync::Arc;

use alloy::primitives::B256;
use tokio::time::Instant;

use super::Endpoints;
use super::turns::{self, Turn};
use crate::chain::sealed_header::SealedHeader;
use crate::chain::transaction::Receipt;
use crate::endpoints::endpoint::Endpoint;
use crate::wire::error::EndpointError;

/// A check of one receipt.
pub(super) struct ReceiptCheck<'a> {
    pub(super) endpoints: &'a Endpoints,
    /// Turn of the endpoint that gave the receipt.
    pub(super) turn: &'a Turn<'a>,
    pub(super) transaction: B256,
    pub(super) receipt: &'a Receipt,
    pub(super) deadline: Instant,
}

impl ReceiptCheck<'_> {
    /// Checks that no other block is known at the height of a receipt's block; if receipts are verified, proves that
    /// the block has the receipt. `known` is the hash that was last seen at the height.
    pub(super) async fn run(&self, known: Option<B256>) -> Result<(), EndpointError> {
        let contradicts = known.is_some_and(|known| known != self.receipt.block_hash);
        if self.endpoints.verify_receipts {
            return Box::pin(self.prove()).await;
        }
        if contradicts && !self.is_canonical().await {
            return Err(self.turn.endpoint.blame_for_receipt());
        }
        Ok(())
    }

    /// Returns true if the receipt's block is at its height now, according to another endpoint if one replies.
    async fn is_canonical(&self) -> bool {
        for turn in turns::turns(&self.others_first(), 1) {
            let until = turn.until(self.deadline);
            let block = turn.endpoint.block_at_known_height(self.receipt.block_number, until).await;
            if let Ok(Some(block)) = block {
                return block.hash == self.receipt.block_hash;
            }
        }
        false
    }

    /// Proves a receipt by all receipts that its endpoint has of the block, and by another endpoint's header.
    async fn prove(&self) -> Result<(), EndpointError> {
        let of = self.turn.endpoint;
        let trie = of.receipts_trie(self.receipt.block_hash, self.until()).await?;
        let proven = match trie.place_of(self.transaction, self.receipt) {
            Ok(place) => {
                let header = self.header(place, self.until()).await?;
                trie.check_root(of.chain_id, &header)
            }
            Err(error) => Err(error),
        };
        match proven {
            Err(EndpointError::Inconsistent) => Err(of.blame_for_proof(self.until()).await),
            proven => proven,
        }
    }

    /// Returns when the turn of the receipt's endpoint ends.
    fn until(&self) -> Instant {
        self.turn.until(self.deadline)
    }

    /// Returns the sealed header of the receipt's block, from an endpoint that has the block at its height and the
    /// transaction at its place. Uses the receipt's own endpoint only if no other replies.
    async fn header(&self, place: usize, deadline: Instant) -> Result<SealedHeader, EndpointError> {
        let is_its =
            |header: &SealedHeader| header.hash == self.receipt.block_hash && header.has_at(place, self.transaction);
        let mut error = EndpointError::Unproven;
        for turn in turns::turns(&self.others_first(), 1) {
            if error == EndpointError::Inconsistent && Arc::ptr_eq(turn.endpoint, self.turn.endpoint) {
                break;
            }
            let header = turn.endpoint.sealed_header(self.receipt.block_number, turn.until(deadline)).await;
            let header = header.map_err(|error| self.endpoints.log(turn.endpoint, error)).ok().flatten();
            match header.filter(|header| header.is_sealed) {
                Some(header) if is_its(&header) => return Ok(header),
                Some(_) => error = EndpointError::Inconsistent,
                None => {}
            }
        }
        Err(error)
    }

    /// Returns the endpoints in order, with the receipt's own last.
    fn others_first(&self) -> Vec<&Arc<Endpoint>> {
        let last = self.turn.endpoint;
        let others = self.endpoints.ranked().into_iter().filter(|endpoint| !Arc::ptr_eq(endpoint, last));
        others.chain([last]).collect()
    }
}
