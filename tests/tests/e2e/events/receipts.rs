//! Transactions that an endpoint knows and no contract made: a receipt around any logs.

use alloy::primitives::{Address, B256, Bloom, Log, keccak256, logs_bloom};
use portolan_tests::problem;
use portolan_tests::rpc_fault::Transactions;
use serde_json::{Value, json};

use super::{fixture, inputs, odd, tokens};

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
        known.add(&hash.to_string(), &transaction(hash, Some(1)), &receipt(hash, &logs));
    }
    for (title, lie) in LIES {
        let hash = hash(title);
        let mut receipt = receipt(hash, &[token_transfer(1), token_transfer(2)]);
        lie(&mut receipt);
        known.add(&hash.to_string(), &transaction(hash, Some(1)), &receipt);
    }
    let pending = hash(inputs::PENDING);
    known.add(&pending.to_string(), &transaction(pending, None), &Value::Null);
    known
}

/// One with these logs.
pub(crate) fn only(title: &str, logs: &[Log]) -> Transactions {
    let (mut known, hash) = (Transactions::default(), hash(title));
    known.add(&hash.to_string(), &transaction(hash, Some(1)), &receipt(hash, logs));
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

type Lie = (&'static str, fn(&mut Value));

/// The receipts of two transfers that a lying node makes.
const LIES: [Lie; 6] = [
    ("no logs under a bloom filter that has some", |receipt| {
        receipt["logs"] = json!([]);
        receipt["logsBloom"] = json!(bloom(2));
    }),
    ("one log under a bloom filter that has two", |receipt| {
        receipt["logsBloom"] = json!(bloom(2));
        receipt["logs"].as_array_mut().unwrap().truncate(1);
    }),
    ("two logs under a bloom filter that has one", |receipt| receipt["logsBloom"] = json!(bloom(1))),
    ("two logs of one index", |receipt| receipt["logs"][1]["logIndex"] = receipt["logs"][0]["logIndex"].clone()),
    ("a log left out", |receipt| receipt["logs"][1]["logIndex"] = json!(format!("{:#x}", FIRST_LOG + 2))),
    ("a log of another block", |receipt| receipt["logs"][1]["blockHash"] = json!(B256::repeat_byte(0xbc))),
];

fn token_transfer(to: u8) -> Log {
    let topics =
        vec![keccak256("Transfer(address,address,uint256)"), SENDER.into_word(), Address::repeat_byte(to).into_word()];
    Log::new_unchecked(Address::repeat_byte(0xc0), topics, B256::with_last_byte(to).into())
}

/// Returns the filter of the first transfers.
fn bloom(transfers: u8) -> Bloom {
    logs_bloom(&(1..=transfers).map(token_transfer).collect::<Vec<_>>())
}

#[test]
fn a_receipt_that_contradicts_itself_is_no_answer() {
    for (title, _) in LIES {
        let response = fixture().fetch(&hash(title).to_string(), "network=polygon");
        problem::detail(&response, 502, "upstream").unwrap_or_else(|error| panic!("{title}: {error:#}"));
    }
}
