//! Conversion of a transaction for the decoders.

use std::sync::Arc;

use alloy::primitives::B256;
use portolan_abi::frame::FrameError;
use portolan_abi::map;
use portolan_base::network::Network;
use portolan_events::{Log, Transaction};
use portolan_reader::{Receipt, TransactionLookup, TransactionStatus};

use crate::gateway::problem::Problem;

/// Returns the receipt if the transaction is in a block.
pub(super) fn mined(network: &Arc<Network>, found: TransactionLookup) -> Result<Receipt, Problem> {
    match found {
        TransactionLookup::Mined(receipt) => Ok(receipt),
        TransactionLookup::Unknown => {
            Err(Problem::TransactionNotFound(format!("there is no transaction of this hash on {}", network.name)))
        }
        TransactionLookup::Pending => Err(Problem::TransactionNotFound("the transaction is not in a block yet".into())),
    }
}

/// Builds the transaction from its receipt.
pub(super) fn of(hash: B256, receipt: Receipt) -> Transaction {
    let Receipt { status, from, to, value, logs, .. } = receipt;
    // Some nodes return the logs of a reverted transaction; they did not happen.
    let logs = if status == TransactionStatus::Succeeded { logs } else { Vec::new() };
    let log =
        |log: portolan_reader::Log| Log { index: log.index, address: log.address, topics: log.topics, data: log.data };
    Transaction { hash, from, to, value, logs: logs.into_iter().map(log).collect() }
}

/// Converts the transaction into the form that plugins receive.
pub(super) fn for_plugins(transaction: &Transaction, network: &Network) -> Result<map::Transaction, FrameError> {
    Ok(map::Transaction { wrapped_native: network.wrapped_native, ..transaction.to_map()? })
}
