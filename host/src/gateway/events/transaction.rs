//! A transaction as the decoders take it.

use std::sync::Arc;

use alloy::primitives::B256;
use portolan_abi::frame::FrameError;
use portolan_abi::map;
use portolan_events::{Log, Transaction};
use portolan_reader::{Receipt, TransactionLookup, TransactionStatus};

use crate::gateway::problem::Problem;
use crate::network::Network;

/// The receipt of a transaction that is in a block.
pub(super) fn mined(network: &Arc<Network>, found: TransactionLookup) -> Result<Receipt, Problem> {
    match found {
        TransactionLookup::Mined(receipt) => Ok(receipt),
        TransactionLookup::Unknown => {
            Err(Problem::TransactionNotFound(format!("there is no such transaction on {}", network.name)))
        }
        TransactionLookup::Pending => Err(Problem::TransactionNotFound("the transaction is in no block yet".into())),
    }
}

/// The transaction that has this receipt.
pub(super) fn of(hash: B256, receipt: Receipt) -> Transaction {
    let Receipt { status, from, to, value, logs, .. } = receipt;
    // A node that shows what was reverted shows what did not happen.
    let logs = if status == TransactionStatus::Succeeded { logs } else { Vec::new() };
    let log =
        |log: portolan_reader::Log| Log { index: log.index, address: log.address, topics: log.topics, data: log.data };
    Transaction { hash, from, to, value, logs: logs.into_iter().map(log).collect() }
}

/// The same transaction as plugins get it.
pub(super) fn for_plugins(transaction: &Transaction, network: &Network) -> Result<map::Transaction, FrameError> {
    Ok(map::Transaction { wrapped_native: network.wrapped_native, ..transaction.to_map()? })
}
