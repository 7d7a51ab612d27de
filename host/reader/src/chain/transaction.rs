//! One transaction as a node reports it: its own reply and its receipt's, combined.
//!
//! Invariant: a mined transaction has the hash that was looked up, and is whole and in one block. Its logs match its
//! bloom filter, are consecutive, and have its block and place. A pair of replies that contradict each other, or of
//! which one is missing, is malformed; a receipt that contradicts itself is inconsistent.
//!
//! These integrity checks that eRPC publishes (<https://docs.erpc.cloud/config/failsafe/integrity>) are made here:
//! the match of the bloom filter; log indices that rise by one; lengths of addresses, topics, hashes and the filter;
//! block hash, block number and place of the transaction, the receipt and each log; the receipt's transaction hash.
//! The endpoints compare the block with the chain's at its height. These are not:
//! - A filter of zeros beside logs passes, because honest nodes return it (`bloom`).
//! - A created contract may be left out: it is then unknown, and no log depends on it.
//! - The root of a block's receipts is compared if the network's settings say so (`receipts_trie`), because it takes
//!   all of them; it also covers their number and order. The root of transactions would take each of these as it was
//!   signed.
//! - Unique hashes, and log indices from one receipt to the next, are about whole blocks too, and one transaction is
//!   requested.
//! - Heads are compared with those before them (`heads`), and no logs are requested by range.

mod bloom;
mod receipts_trie;

use alloy::primitives::{Address, B256, Bytes, U64, U256, address};
use serde::Deserialize;

pub(crate) use self::receipts_trie::{BlockReceipt, ReceiptsTrie};
use crate::wire::error::EndpointError;

/// The EVM has `LOG0` to `LOG4`.
const TOPICS_MAX: usize = 4;
/// The status of a successful transaction (EIP-658).
const SUCCEEDED: U64 = U64::ONE;
/// Gas of a transaction that runs no code.
const PLAIN_GAS: U64 = U64::from_limbs([21_000]);
/// Emitter of logs about movements of ETH (EIP-7708).
const SYSTEM_ADDRESS: Address = address!("fffffffffffffffffffffffffffffffffffffffe");
/// Types of transactions that nobody on the network sent.
const OP_DEPOSIT: u64 = 0x7e;
const ARBITRUM_DEPOSIT: u64 = 0x64;
const ARBITRUM_RETRY: u64 = 0x68;
const ARBITRUM_SUBMIT_RETRYABLE: u64 = 0x69;

/// The state of a transaction, as the endpoints know it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "an answer has one, and moves it a few times")]
pub enum TransactionLookup {
    /// No endpoint knows it.
    Unknown,
    /// It is in no block yet.
    Pending,
    Mined(Receipt),
}

/// A transaction that is in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub block_number: u64,
    pub block_hash: B256,
    pub status: TransactionStatus,
    pub from: Address,
    /// The address that it called; `None` if it created a contract.
    pub to: Option<Address>,
    /// The contract that it created, if it called no address.
    pub created: Option<Address>,
    /// Wei.
    pub value: U256,
    /// Wei that the sender got from the layer below before execution, even if the transaction failed.
    pub deposited: U256,
    /// `None` if the node does not report it.
    pub gas: Option<GasPaid>,
    /// In the node's order.
    pub logs: Vec<Log>,
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    Succeeded,
    /// It changed only its sender's nonce and balance.
    Failed,
    /// Receipts of blocks before Byzantium have no status; this one used all its gas and logged nothing, like a
    /// failed one.
    Unknown,
}

/// Fees that the sender of a transaction paid, besides its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GasPaid {
    pub used: u64,
    /// Wei per unit of gas.
    pub price: U256,
    /// Wei for the transaction's data: blobs, and a rollup's fee for its first layer. Arbitrum counts the latter as
    /// gas.
    pub data_fee: U256,
    /// Wei for the operator of an OP stack rollup.
    pub operator_fee: U256,
}

impl GasPaid {
    /// Returns the sum, in wei.
    pub fn total(&self) -> U256 {
        let gas = U256::from(self.used).saturating_mul(self.price);
        gas.saturating_add(self.data_fee).saturating_add(self.operator_fee)
    }
}

/// A log of a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Index in its block.
    pub index: u64,
    pub address: Address,
    /// At most four.
    pub topics: Vec<B256>,
    pub data: Bytes,
}

/// The reply to `eth_getTransactionByHash`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireTransaction {
    hash: B256,
    block_hash: Option<B256>,
    block_number: Option<U64>,
    transaction_index: Option<U64>,
    from: Address,
    to: Option<Address>,
    value: U256,
    /// The gas limit.
    gas: Option<U64>,
    #[serde(rename = "type")]
    kind: Option<U64>,
    /// Wei, of deposits of the OP stack: <https://specs.optimism.io/protocol/deposits.html>.
    mint: Option<U256>,
    /// Wei, of retryable tickets of Arbitrum:
    /// <https://docs.arbitrum.io/how-arbitrum-works/deep-dives/l1-to-l2-messaging>.
    deposit_value: Option<U256>,
}

/// The reply to `eth_getTransactionReceipt`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireReceipt {
    transaction_hash: B256,
    block_hash: B256,
    block_number: U64,
    transaction_index: Option<U64>,
    contract_address: Option<Address>,
    /// Missing in blocks before Byzantium: a failed transaction showed only by its gas.
    status: Option<U64>,
    gas_used: Option<U64>,
    effective_gas_price: Option<U256>,
    /// Wei, on rollups of the OP stack and on Scroll.
    l1_fee: Option<U256>,
    /// Scalar of an OP stack operator's charge for gas, from Isthmus on.
    operator_fee_scalar: Option<U64>,
    /// Wei.
    operator_fee_constant: Option<U64>,
    /// Present from Jovian on, where the scalar has another unit.
    da_footprint_gas_scalar: Option<U64>,
    blob_gas_used: Option<U64>,
    blob_gas_price: Option<U256>,
    /// Hex, of any length.
    logs_bloom: Option<String>,
    logs: Vec<WireLog>,
}

/// A log in a receipt. The specification requires only the transaction's hash
/// (<https://github.com/ethereum/execution-apis/blob/main/src/schemas/receipt.yaml>). Block and place, if present,
/// must be the receipt's.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireLog {
    transaction_hash: B256,
    block_hash: Option<B256>,
    block_number: Option<U64>,
    transaction_index: Option<U64>,
    log_index: U64,
    address: Address,
    topics: Vec<B256>,
    data: Bytes,
    /// True if the log is of a block that is no longer canonical.
    removed: Option<bool>,
}

/// Combines the two replies about this hash.
pub(crate) fn combine(
    hash: B256,
    transaction: Option<WireTransaction>,
    receipt: Option<WireReceipt>,
) -> Result<TransactionLookup, EndpointError> {
    let (transaction, receipt) = match (transaction, receipt) {
        (None, None) => return Ok(TransactionLookup::Unknown),
        (Some(transaction), None) if transaction.hash == hash && transaction.block_hash.is_none() => {
            return Ok(TransactionLookup::Pending);
        }
        // A node that has a block and no receipt is still indexing it, or has pruned it.
        (Some(transaction), Some(receipt)) => (transaction, receipt),
        _ => return Err(EndpointError::Malformed),
    };
    // It may have been pending at the first read, and in a block at the second.
    let in_that_block = transaction.block_hash.is_none_or(|block| block == receipt.block_hash);
    let of_this_hash = transaction.hash == hash && receipt.transaction_hash == hash;
    if !of_this_hash || !in_that_block {
        return Err(EndpointError::Malformed);
    }
    let status = match receipt.status {
        Some(SUCCEEDED) => TransactionStatus::Succeeded,
        Some(U64::ZERO) => TransactionStatus::Failed,
        Some(_) => return Err(EndpointError::Malformed),
        None if used_all_and_logged_nothing(&transaction, &receipt) => TransactionStatus::Unknown,
        None => TransactionStatus::Succeeded,
    };
    // A reverted transaction logs nothing; only the chain itself may log beside it, as Bor does its fee.
    if status == TransactionStatus::Failed && receipt.logs.iter().any(|log| !is_of_system(log.address)) {
        return Err(EndpointError::Inconsistent);
    }
    if !agrees(transaction.block_number, Some(receipt.block_number))
        || !agrees(transaction.transaction_index, receipt.transaction_index)
    {
        return Err(EndpointError::Inconsistent);
    }
    Ok(TransactionLookup::Mined(Receipt {
        block_number: receipt.block_number.to(),
        block_hash: receipt.block_hash,
        status,
        from: transaction.from,
        to: transaction.to,
        created: receipt.contract_address.filter(|_| transaction.to.is_none()),
        value: transaction.value,
        deposited: transaction.deposited(),
        gas: receipt.gas(),
        logs: receipt.into_logs(transaction.from)?,
    }))
}

/// Returns true if one reply shows that the transaction is in a block, and the other is missing: two nodes may have
/// replied, of which only one has the block.
pub(crate) fn is_half_known(transaction: Option<&WireTransaction>, receipt: Option<&WireReceipt>) -> bool {
    match (transaction, receipt) {
        (Some(transaction), None) => transaction.block_hash.is_some(),
        (None, Some(_)) => true,
        _ => false,
    }
}

/// Returns true for an address below 2^16, where networks have contracts of their own, and for [`SYSTEM_ADDRESS`].
fn is_of_system(address: Address) -> bool {
    address[..18].iter().all(|byte| *byte == 0) || address == SYSTEM_ADDRESS
}

/// Returns true unless both are present and differ.
fn agrees<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}

/// Returns true if a transaction without logs used all its gas. A plain transfer does so too, but is not counted.
fn used_all_and_logged_nothing(transaction: &WireTransaction, receipt: &WireReceipt) -> bool {
    let used = receipt.gas_used.filter(|used| *used > PLAIN_GAS);
    receipt.logs.is_empty() && used.is_some() && used == transaction.gas
}

impl WireTransaction {
    /// Returns the wei that come from the layer below. Arbitrum's deposits bring their value, and retried tickets
    /// bring the value that was waiting; its types:
    /// <https://github.com/OffchainLabs/go-ethereum/blob/master/core/types/transaction.go>.
    fn deposited(&self) -> U256 {
        match self.kind.map(|kind| kind.to::<u64>()) {
            Some(OP_DEPOSIT) => self.mint.unwrap_or_default(),
            Some(ARBITRUM_DEPOSIT | ARBITRUM_RETRY) => self.value,
            Some(ARBITRUM_SUBMIT_RETRYABLE) => self.deposit_value.unwrap_or_default(),
            _ => U256::ZERO,
        }
    }
}

impl WireReceipt {
    fn gas(&self) -> Option<GasPaid> {
        let (used, price) = (self.gas_used?.to(), self.effective_gas_price?);
        let blobs = self.blob_gas_used.zip(self.blob_gas_price);
        let blob_fee = blobs.map(|(gas, price)| U256::from(gas.to::<u64>()).saturating_mul(price)).unwrap_or_default();
        let data_fee = self.l1_fee.unwrap_or_default().saturating_add(blob_fee);
        Some(GasPaid { used, price, data_fee, operator_fee: self.operator_fee(used) })
    }

    /// Computes the operator fee: <https://specs.optimism.io/protocol/isthmus/exec-engine.html#operator-fee>,
    /// <https://specs.optimism.io/protocol/jovian/exec-engine.html#operator-fee>.
    fn operator_fee(&self, used: u64) -> U256 {
        let number = |number: Option<U64>| number.map(|number| U256::from(number.to::<u64>())).unwrap_or_default();
        let scaled = U256::from(used).saturating_mul(number(self.operator_fee_scalar));
        let scaled = match self.da_footprint_gas_scalar {
            Some(_) => scaled.saturating_mul(U256::from(100)),
            None => scaled / U256::from(1_000_000),
        };
        scaled.saturating_add(number(self.operator_fee_constant))
    }

    /// Returns the logs, if all of them are the receipt's.
    fn into_logs(mut self, sender: Address) -> Result<Vec<Log>, EndpointError> {
        // Polygon's state syncs, which nobody sent: in their logs, Erigon gives them the first place in the block
        // (https://github.com/erigontech/erigon/pull/12359).
        if sender.is_zero() {
            self.transaction_index = None;
        }
        let wire = std::mem::take(&mut self.logs);
        let logs = wire.into_iter().map(|log| log.of(&self)).collect::<Result<Vec<_>, _>>()?;
        // Some chains count the logs of each transaction from zero, but none skips a number.
        if !logs.is_sorted_by(|one, next| one.index.checked_add(1) == Some(next.index)) {
            return Err(EndpointError::Inconsistent);
        }
        bloom::check(self.logs_bloom.as_deref(), &logs)?;
        Ok(logs)
    }
}

impl WireLog {
    fn of(self, receipt: &WireReceipt) -> Result<Log, EndpointError> {
        let Self { transaction_hash, log_index, address, topics, data, removed, .. } = self;
        if transaction_hash != receipt.transaction_hash || topics.len() > TOPICS_MAX || removed == Some(true) {
            return Err(EndpointError::Malformed);
        }
        if !agrees(self.block_hash, Some(receipt.block_hash))
            || !agrees(self.block_number, Some(receipt.block_number))
            || !agrees(self.transaction_index, receipt.transaction_index)
        {
            return Err(EndpointError::Inconsistent);
        }
        Ok(Log { index: log_index.to(), address, topics, data })
    }
}

#[cfg(test)]
mod tests;
