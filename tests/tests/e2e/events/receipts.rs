//! Transactions that an endpoint knows and no contract made: a receipt around any logs.

use alloy::primitives::{Address, B256, Log, keccak256};
use portolan_tests::rpc_fault::Transactions;
use serde_json::{Value, json};

use super::{inputs, odd, tokens};

pub(crate) const SENDER: Address = Address::repeat_byte(0xa1);
/// Logs of a block are counted through all of its transactions.
pub(crate) const FIRST_LOG: usize = 40;
const BLOCK: B256 = B256::repeat_byte(0xbb);

/// The hash of a transaction that is known by a title.
pub(crate) fn hash(title: &str) -> B256 {
    keccak256(title)
}

/// All of the tests' own.
pub(crate) fn all() -> Transactions {
    let mut known = Transactions::default();
    for (title, logs) in [tokens::all(), odd::all(), inputs::all()].concat() {
        let hash = hash(title);
        known.add(&hash.to_string(), transaction(hash, Some(1)), receipt(hash, &logs));
    }
    let pending = hash(inputs::PENDING);
    known.add(&pending.to_string(), transaction(pending, None), Value::Null);
    known
}

fn transaction(hash: B256, block: Option<u64>) -> Value {
    let number = block.map(|number| format!("{number:#x}"));
    json!({
        "hash": hash, "blockHash": block.map(|_| BLOCK), "blockNumber": number,
        "transactionIndex": block.map(|_| "0x0"), "from": SENDER, "to": Address::repeat_byte(0xc0), "value": "0x0",
        "input": "0x", "gas": "0x30d40", "gasPrice": "0x1", "nonce": "0x1", "type": "0x0", "chainId": "0x89",
        "v": "0x0", "r": "0x1", "s": "0x1",
    })
}

fn receipt(hash: B256, logs: &[Log]) -> Value {
    let log = |(place, log): (usize, &Log)| {
        json!({
            "address": log.address, "topics": log.data.topics(), "data": log.data.data, "removed": false,
            "logIndex": format!("{:#x}", FIRST_LOG + place), "transactionHash": hash, "transactionIndex": "0x0",
            "blockHash": BLOCK, "blockNumber": "0x1",
        })
    };
    json!({
        "transactionHash": hash, "transactionIndex": "0x0", "blockHash": BLOCK, "blockNumber": "0x1", "from": SENDER,
        "to": Address::repeat_byte(0xc0), "contractAddress": null, "cumulativeGasUsed": "0x5208", "gasUsed": "0x5208",
        "effectiveGasPrice": "0x1", "status": "0x1", "type": "0x0", "logsBloom": format!("0x{}", "00".repeat(256)),
        "logs": logs.iter().enumerate().map(log).collect::<Vec<Value>>(),
    })
}
