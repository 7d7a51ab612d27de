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
use crate::endpoint::Endpoint;
use crate::error::EndpointError;
use crate::sealed_header::SealedHeader;
use crate::transaction::Receipt;

impl Endpoints {
    /// Checks that no other block is known at the height of a receipt's block; if receipts are verified, proves that
    /// the block has the receipt. `known` is the hash that was last seen at the height.
    pub(super) async fn check_receipt(
        &self,
        turn: &Turn<'_>,
        (hash, receipt): (B256, &Receipt),
        known: Option<B256>,
        deadline: Instant,
    ) -> Result<(), EndpointError> {
        let contradicts = known.is_some_and(|known| known != receipt.block_hash);
        if self.verify_receipts {
            return Box::pin(self.prove(turn, (hash, receipt), deadline)).await;
        }
        if contradicts && !self.is_canonical(turn.endpoint, receipt, deadline).await {
            return Err(turn.endpoint.blame_for_receipt());
        }
        Ok(())
    }

    /// Returns true if the receipt's block is at its height now, according to another endpoint if one replies.
    async fn is_canonical(&self, of: &Arc<Endpoint>, receipt: &Receipt, deadline: Instant) -> bool {
        for turn in turns::turns(&self.others_first(of), 1) {
            let until = turn.until(deadline);
            let block = turn.endpoint.block_at_known_height(receipt.block_number, until).await;
            if let Ok(Some(block)) = block {
                return block.hash == receipt.block_hash;
            }
        }
        false
    }

    /// Proves a receipt by all receipts that its endpoint has of the block, and by another endpoint's header.
    async fn prove(
        &self,
        turn: &Turn<'_>,
        (hash, receipt): (B256, &Receipt),
        deadline: Instant,
    ) -> Result<(), EndpointError> {
        let of = turn.endpoint;
        let trie = of.receipts_trie(receipt.block_hash, turn.until(deadline)).await?;
        let proven = match trie.place_of(hash, receipt) {
            Ok(place) => {
                let header = self.header(of, receipt, (hash, place), turn.until(deadline)).await?;
                trie.check_root(of.chain_id, &header)
            }
            Err(error) => Err(error),
        };
        match proven {
            Err(EndpointError::Inconsistent) => Err(of.blame_for_proof(turn.until(deadline)).await),
            proven => proven,
        }
    }

    /// Returns the sealed header of the receipt's block, from an endpoint that has the block at its height and the
    /// transaction at its place. Uses the receipt's own endpoint only if no other replies.
    async fn header(
        &self,
        of: &Arc<Endpoint>,
        receipt: &Receipt,
        (hash, place): (B256, usize),
        deadline: Instant,
    ) -> Result<SealedHeader, EndpointError> {
        let mut error = EndpointError::Unproven;
        for turn in turns::turns(&self.others_first(of), 1) {
            if error == EndpointError::Inconsistent && Arc::ptr_eq(turn.endpoint, of) {
                break;
            }
            let header = turn.endpoint.sealed_header(receipt.block_number, turn.until(deadline)).await;
            let header = header.map_err(|error| self.log(turn.endpoint, error)).ok().flatten();
            match header.filter(|header| header.is_sealed) {
                Some(header) if header.hash == receipt.block_hash && header.has_at(place, hash) => return Ok(header),
                Some(_) => error = EndpointError::Inconsistent,
                None => {}
            }
        }
        Err(error)
    }

    /// Returns the endpoints in order, with this one last.
    fn others_first<'a>(&'a self, last: &'a Arc<Endpoint>) -> Vec<&'a Arc<Endpoint>> {
        let others = self.ranked().into_iter().filter(|endpoint| !Arc::ptr_eq(endpoint, last));
        others.chain([last]).collect()
    }
}
