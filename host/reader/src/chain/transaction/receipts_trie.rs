//! The trie of a block's receipts, whose root its header states.
//!
//! Invariant: a receipt is proven only if all receipts of its block, each as its chain hashes it, make up the
//! header's root, and the transaction's own has its logs, its status and its gas. Nothing else of a receipt is
//! hashed: neither its transaction and sender, nor what it created or cost.
//!
//! A receipt is the RLP list of status (EIP-658; before Byzantium the state root), cumulative gas, bloom filter and
//! logs, after the byte of its type (EIP-2718) if it has one.
//! - Deposits of the OP stack have nonce and version in the list since Canyon. The nonces between Regolith and Canyon
//!   are not hashed (<https://specs.optimism.io/protocol/deposits.html#deposit-receipt>).
//! - Arbitrum's types are hashed like any; what came over from its first chain is hashed without a type
//!   (<https://github.com/OffchainLabs/go-ethereum/blob/master/core/types/receipt.go>).
//! - Polygon's state syncs are in no trie before Madhugiri (PIP-74), though nodes list them: without type and sender.

use alloy::primitives::{Address, B256, Bytes, Log as HashedLog, U8, U64, logs_bloom};
use alloy_rlp::{Encodable, encode_list};
use alloy_trie::root::ordered_trie_root_with_encoder;
use serde::Deserialize;

use super::{Receipt, SUCCEEDED, TransactionStatus};
use crate::chain::sealed_header::SealedHeader;
use crate::wire::error::EndpointError;

/// Ethereum's first block with EIP-658. Many nodes lack the roots of receipts before it.
const BYZANTIUM: (u64, u64) = (1, 4_370_000);
const LEGACY: u8 = 0;
const OP_DEPOSIT: u8 = 0x7e;
const ARBITRUM_LEGACY: u8 = 0x78;
const STATE_SYNC: u8 = 0x7f;

/// A receipt of the reply to `eth_getBlockReceipts`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockReceipt {
    transaction_hash: B256,
    from: Option<Address>,
    #[serde(rename = "type")]
    kind: Option<U8>,
    status: Option<U64>,
    /// The state root after the transaction, before Byzantium.
    root: Option<Bytes>,
    cumulative_gas_used: U64,
    logs: Vec<HashedLog>,
    deposit_nonce: Option<U64>,
    deposit_receipt_version: Option<U64>,
}

/// All receipts of a block that are in its trie.
#[derive(Debug)]
pub(crate) struct ReceiptsTrie {
    receipts: Vec<BlockReceipt>,
    root: B256,
}

impl ReceiptsTrie {
    /// Computes the root, which takes milliseconds for a full block.
    pub(crate) fn new(mut receipts: Vec<BlockReceipt>) -> Self {
        receipts.retain(|receipt| !receipt.is_state_sync());
        let root = ordered_trie_root_with_encoder(&receipts, BlockReceipt::encode);
        Self { receipts, root }
    }

    /// Returns the place of a transaction, which must have this receipt. Fails if it is in no trie.
    pub(crate) fn place_of(&self, transaction: B256, receipt: &Receipt) -> Result<usize, EndpointError> {
        let place = self.receipts.iter().position(|hashed| hashed.transaction_hash == transaction);
        let place = place.ok_or(EndpointError::Unproven)?;
        let up_to_it = self.receipts.get(..=place).unwrap_or_default();
        let is_same = match up_to_it {
            [.., before, hashed] => hashed.is_of(receipt, before.cumulative_gas_used),
            [hashed] => hashed.is_of(receipt, U64::ZERO),
            [] => false,
        };
        if is_same { Ok(place) } else { Err(EndpointError::Inconsistent) }
    }

    /// Checks that the root is the header's. A different one proves nothing if it is not known how the chain computes
    /// it.
    pub(crate) fn check_root(&self, chain_id: u64, header: &SealedHeader) -> Result<(), EndpointError> {
        if self.root == header.receipts_root {
            return Ok(());
        }
        let is_wrong = self.is_encodable((chain_id, header.number));
        Err(if is_wrong { EndpointError::Inconsistent } else { EndpointError::Unproven })
    }

    /// Returns true if it is known how the chain hashes each receipt, and the node returned all that is hashed.
    fn is_encodable(&self, block: (u64, u64)) -> bool {
        let is_early = block.0 == BYZANTIUM.0 && block.1 < BYZANTIUM.1;
        self.receipts.iter().all(|receipt| {
            let has_outcome = if is_early { receipt.state_root().is_some() } else { receipt.outcome().is_some() };
            has_outcome
                && matches!(receipt.kind(), LEGACY..=4 | 0x64..=0x6a | ARBITRUM_LEGACY | OP_DEPOSIT | STATE_SYNC)
        })
    }
}

impl BlockReceipt {
    fn kind(&self) -> u8 {
        self.kind.map_or(LEGACY, |kind| kind.to())
    }

    /// Returns true for Polygon's state syncs before Madhugiri.
    fn is_state_sync(&self) -> bool {
        self.kind() == LEGACY && self.from.is_some_and(|from| from.is_zero())
    }

    /// Returns the state root. Some nodes return an empty one beside the status.
    fn state_root(&self) -> Option<&Bytes> {
        self.root.as_ref().filter(|root| root.len() == B256::len_bytes() && root.iter().any(|byte| *byte != 0))
    }

    /// Returns the state root or else the status, if the node returned either.
    fn outcome(&self) -> Option<Bytes> {
        let status = || self.status.map(|status| status.to_be_bytes_trimmed_vec().into());
        self.state_root().cloned().or_else(status)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let kind = self.kind();
        if !matches!(kind, LEGACY | ARBITRUM_LEGACY) {
            out.push(kind);
        }
        let outcome = self.outcome().unwrap_or_default();
        // Computed here, because many nodes state none.
        let bloom = logs_bloom(&self.logs);
        let mut members: Vec<&dyn Encodable> = vec![&outcome, &self.cumulative_gas_used, &bloom, &self.logs];
        if let (OP_DEPOSIT, Some(nonce), Some(version)) = (kind, &self.deposit_nonce, &self.deposit_receipt_version) {
            members.extend([nonce as &dyn Encodable, version]);
        }
        encode_list::<&dyn Encodable, dyn Encodable>(&members, out);
    }

    /// Returns true if all that is hashed of it matches this receipt. Before Byzantium the status is not hashed.
    fn is_of(&self, receipt: &Receipt, gas_before: U64) -> bool {
        let hashed = self.logs.iter().map(|log| (log.address, log.topics(), &log.data.data));
        let logs = receipt.logs.iter().map(|log| (log.address, log.topics.as_slice(), &log.data));
        let has_succeeded = receipt.status == TransactionStatus::Succeeded;
        let gas_used = self.cumulative_gas_used.checked_sub(gas_before);
        hashed.eq(logs)
            && (self.state_root().is_some() || has_succeeded == (self.status == Some(SUCCEEDED)))
            && receipt.gas.is_none_or(|gas| gas_used == Some(U64::from(gas.used)))
    }
}

#[cfg(test)]
mod tests;
