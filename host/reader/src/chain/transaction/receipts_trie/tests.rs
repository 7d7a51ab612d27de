//! Roots of real blocks, and changes that lead to other roots.

use alloy::primitives::U256;
use serde_json::{Value, json};

use super::*;
use crate::tests::blocks;
use crate::{GasPaid, Log};

const ETHEREUM: u64 = 1;
/// Chain id of the test chain of geth's blocks.
const GETH: u64 = 0xc_72dd_9d5e_883e;

fn root_of(receipts: &[Value]) -> B256 {
    ReceiptsTrie::new(serde_json::from_value(json!(receipts)).unwrap()).root
}

fn stated(name: &str) -> B256 {
    serde_json::from_value(blocks::header(name)["receiptsRoot"].clone()).unwrap()
}

#[test]
fn receipts_of_real_blocks_have_the_roots_of_their_headers() {
    for name in [
        "geth, frontier",
        "geth, prague",
        "ethereum, homestead",
        "optimism, bedrock",
        "optimism, canyon",
        "optimism, isthmus",
    ] {
        assert_eq!(root_of(&blocks::receipts(name)), stated(name), "{name}");
    }
    let empty = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
    assert_eq!(root_of(&[]).to_string(), empty, "of no receipts, in any header without transactions");
}

#[test]
fn state_syncs_of_polygon_before_they_had_a_type_are_left_out() {
    let state_sync = json!({
        "type": "0x0", "from": Address::ZERO, "to": Address::ZERO, "status": "0x1", "cumulativeGasUsed": "0x0",
        "logs": [], "transactionHash": B256::repeat_byte(7),
    });
    let mut receipts = blocks::receipts("geth, prague");
    receipts.push(state_sync.clone());
    assert_eq!(root_of(&receipts), stated("geth, prague"));
    receipts[4]["type"] = json!("0x7f");
    assert_ne!(root_of(&receipts), stated("geth, prague"));
}

#[test]
fn nonces_of_deposits_before_canyon_are_not_hashed() {
    let mut receipts = blocks::receipts("optimism, bedrock");
    receipts[0]["depositNonce"] = json!("0x25b1");
    assert_eq!(root_of(&receipts), stated("optimism, bedrock"));
    receipts[0]["depositReceiptVersion"] = json!("0x1");
    assert_ne!(root_of(&receipts), stated("optimism, bedrock"));
}

#[test]
fn an_empty_root_beside_the_status_is_none() {
    let mut receipts = blocks::receipts("geth, prague");
    for root in [json!("0x"), json!(B256::ZERO), Value::Null] {
        receipts[1]["root"] = root;
        assert_eq!(root_of(&receipts), stated("geth, prague"));
    }
}

/// Returns the second receipt of a block, and the hash of its transaction.
fn second(name: &str) -> (B256, Receipt) {
    let wire = blocks::receipts(name)[1].clone();
    let log = |(index, log): (u64, &Value)| Log {
        index,
        address: serde_json::from_value(log["address"].clone()).unwrap(),
        topics: serde_json::from_value(log["topics"].clone()).unwrap(),
        data: serde_json::from_value(log["data"].clone()).unwrap(),
    };
    let used = wire["gasUsed"].as_str().map_or(0x10994 - 0xb41c, |gas| gas.parse::<U64>().unwrap().to());
    let gas = GasPaid { used, price: U256::ONE, data_fee: U256::ZERO, operator_fee: U256::ZERO };
    let receipt = Receipt {
        block_number: 0,
        block_hash: B256::ZERO,
        status: TransactionStatus::Succeeded,
        from: Address::ZERO,
        to: None,
        created: None,
        value: U256::ZERO,
        deposited: U256::ZERO,
        gas: Some(gas),
        logs: (0..).zip(wire["logs"].as_array().unwrap()).map(log).collect(),
    };
    let hash = serde_json::from_value(blocks::header(name)["transactions"][1].clone()).unwrap();
    (hash, receipt)
}

/// Returns the place of the receipt in the trie of a block that was changed.
fn place_in(
    name: &str,
    (hash, receipt): &(B256, Receipt),
    change: impl Fn(&mut Vec<Value>),
) -> Result<usize, EndpointError> {
    let mut receipts = blocks::receipts(name);
    change(&mut receipts);
    ReceiptsTrie::new(serde_json::from_value(json!(receipts)).unwrap()).place_of(*hash, receipt)
}

#[test]
fn a_receipt_is_the_one_that_is_hashed_for_its_transaction() {
    for name in ["geth, frontier", "geth, prague", "optimism, isthmus"] {
        let place = |hash, receipt| place_in(name, &(hash, receipt), |_| ());
        let (hash, receipt) = second(name);
        assert_eq!(place(hash, receipt.clone()), Ok(1), "{name}");
        assert_eq!(place(hash, Receipt { gas: None, ..receipt.clone() }), Ok(1), "{name}");
        let more = GasPaid { used: receipt.gas.unwrap().used + 1, ..receipt.gas.unwrap() };
        let mut other_logs = receipt.logs.clone();
        match other_logs.first_mut() {
            Some(log) => log.data = Bytes::new(),
            None => other_logs.push(Log { index: 0, address: Address::ZERO, topics: Vec::new(), data: Bytes::new() }),
        }
        for changed in [Receipt { gas: Some(more), ..receipt.clone() }, Receipt { logs: other_logs, ..receipt.clone() }]
        {
            assert_eq!(place(hash, changed), Err(EndpointError::Inconsistent), "{name}");
        }
        // Receipts before Byzantium do not show it.
        let of_failed = if name == "geth, frontier" { Ok(1) } else { Err(EndpointError::Inconsistent) };
        assert_eq!(place(hash, Receipt { status: TransactionStatus::Failed, ..receipt.clone() }), of_failed, "{name}");
        assert_eq!(place(B256::repeat_byte(1), receipt), Err(EndpointError::Unproven), "{name}");
    }
}

#[test]
fn gas_is_counted_from_the_receipt_before() {
    let second = second("geth, prague");
    let place = |change: Change| place_in("geth, prague", &second, change);
    assert_eq!(place(|receipts| receipts[0]["cumulativeGasUsed"] = json!("0x1")), Err(EndpointError::Inconsistent));
    assert_eq!(
        place(|receipts| receipts[0]["cumulativeGasUsed"] = json!("0xffffff")),
        Err(EndpointError::Inconsistent)
    );
    assert_eq!(place(|receipts| drop(receipts.remove(0))), Err(EndpointError::Inconsistent));
}

type Change = fn(&mut Vec<Value>);

#[test]
fn a_wrong_root_counts_against_the_node_where_all_that_is_hashed_is_known() {
    let header = serde_json::from_value(blocks::header("geth, prague")).unwrap();
    let changed = |chain_id, change: Change| {
        let mut receipts = blocks::receipts("geth, prague");
        change(&mut receipts);
        ReceiptsTrie::new(serde_json::from_value(json!(receipts)).unwrap()).check_root(chain_id, &header)
    };
    for chain_id in [GETH, ETHEREUM] {
        assert_eq!(changed(chain_id, |_| ()), Ok(()));
    }
    let lies: [Change; 5] = [
        |receipts| receipts[1]["logs"][0]["data"] = json!("0x"),
        |receipts| receipts[3]["status"] = json!("0x0"),
        |receipts| receipts.swap(0, 1),
        |receipts| drop(receipts.remove(2)),
        |receipts| receipts[0]["type"] = json!("0x2"),
    ];
    for (place, lie) in lies.into_iter().enumerate() {
        assert_eq!(changed(GETH, lie), Err(EndpointError::Inconsistent), "{place}");
        // On Ethereum it is a block before Byzantium, whose roots the node does not have.
        assert_eq!(changed(ETHEREUM, lie), Err(EndpointError::Unproven), "{place}");
    }
    let unknown: [Change; 2] =
        [|receipts| receipts[0]["type"] = json!("0x7b"), |receipts| receipts[0]["status"] = Value::Null];
    for (place, change) in unknown.into_iter().enumerate() {
        assert_eq!(changed(GETH, change), Err(EndpointError::Unproven), "{place}");
    }
}
