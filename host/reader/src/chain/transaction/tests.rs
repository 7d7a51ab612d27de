//! Pairs of replies as nodes return them, and as none may.

use alloy::primitives::{address, b256, bytes};
use serde_json::{Value, json};

use super::*;

const HASH: B256 = b256!("00000000000000000000000000000000000000000000000000000000000000aa");
const OTHER: B256 = b256!("00000000000000000000000000000000000000000000000000000000000000ab");
const BLOCK: B256 = b256!("00000000000000000000000000000000000000000000000000000000000000bb");
const ALICE: Address = address!("00000000000000000000000000000000000000a1");
const TOKEN: Address = address!("00000000000000000000000000000000000000c0");

/// With members of a real node's reply that the reader ignores.
fn transaction() -> Value {
    json!({
        "hash": HASH, "blockHash": BLOCK, "blockNumber": "0x3e8", "transactionIndex": "0x5", "from": ALICE,
        "to": TOKEN, "value": "0x64", "input": "0xa9059cbb", "nonce": "0x0", "type": "0x2", "accessList": [],
    })
}

fn receipt() -> Value {
    json!({
        "transactionHash": HASH, "blockHash": BLOCK, "blockNumber": "0x3e8", "from": ALICE, "to": TOKEN,
        "contractAddress": null, "status": "0x1", "logs": [log(7)], "logsBloom": "0x00", "l1Fee": "0x1",
    })
}

fn log(index: u64) -> Value {
    json!({
        "transactionHash": HASH, "blockHash": BLOCK, "blockNumber": "0x3e8", "transactionIndex": "0x5",
        "logIndex": U64::from(index), "address": TOKEN, "topics": [HASH, OTHER], "data": "0x0102", "removed": false,
    })
}

/// Bits of the address and the topics of these logs, three each: those of a hash, modulo 2048.
const BITS: [usize; 8] = [1539, 1293, 254, 1513, 992, 1079, 608, 1690];

/// Makes a filter of 2048 bits, the lowest in the last byte.
fn filter(bits: &[usize]) -> Value {
    let mut filter = [0_u8; 256];
    bits.iter().for_each(|bit| filter[255 - bit / 8] |= 1 << (bit % 8));
    json!(Bytes::copy_from_slice(&filter))
}

/// Replaces members of an object; removes those without a value.
fn with<const N: usize>(mut object: Value, members: [(&str, Option<Value>); N]) -> Value {
    for (name, value) in members {
        match value {
            Some(value) => object[name] = value,
            None => drop(object.as_object_mut().unwrap().remove(name)),
        }
    }
    object
}

fn of(transaction: Value, receipt: Value) -> Result<TransactionLookup, EndpointError> {
    let transaction = serde_json::from_value(transaction).map_err(|_| EndpointError::Malformed)?;
    let receipt = serde_json::from_value(receipt).map_err(|_| EndpointError::Malformed)?;
    combine(HASH, transaction, receipt)
}

fn mined(transaction: Value, receipt: Value) -> Receipt {
    match of(transaction, receipt) {
        Ok(TransactionLookup::Mined(receipt)) => receipt,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_transaction_in_a_block_is_returned_with_its_logs() {
    let expected = Receipt {
        block_number: 1000,
        block_hash: BLOCK,
        status: TransactionStatus::Succeeded,
        from: ALICE,
        to: Some(TOKEN),
        created: None,
        value: U256::from(100),
        deposited: U256::ZERO,
        gas: None,
        logs: vec![Log { index: 7, address: TOKEN, topics: vec![HASH, OTHER], data: bytes!("0102") }],
    };
    assert_eq!(mined(transaction(), receipt()), expected);
    let without = with(receipt(), [("logs", Some(json!([])))]);
    assert_eq!(mined(transaction(), without), Receipt { logs: Vec::new(), ..expected });
}

#[test]
fn gas_is_what_was_used_at_its_price_and_the_fee_for_data() {
    let paid = |members: [(&str, Option<Value>); 4]| mined(transaction(), with(receipt(), members)).gas;
    let (used, price) = (("gasUsed", Some(json!("0x5208"))), ("effectiveGasPrice", Some(json!("0x3b9aca00"))));
    let blobs = [("blobGasUsed", Some(json!("0x20000"))), ("blobGasPrice", Some(json!("0x3")))];
    // 21,000 gas at 1 gwei, and 1 wei to the first layer.
    let plain = paid([used.clone(), price.clone(), ("blobGasUsed", None), ("blobGasPrice", None)]).unwrap();
    assert_eq!(
        (plain.used, plain.data_fee, plain.total()),
        (21_000, U256::from(1), U256::from(21_000_000_000_001_u64))
    );
    // 131,072 units of blob gas at 3 wei.
    let [blob_gas, blob_price] = blobs;
    let with_blobs = paid([used.clone(), price.clone(), blob_gas, blob_price]).unwrap();
    assert_eq!(with_blobs.data_fee, U256::from(393_217));
    let silent = |name| paid([used.clone(), price.clone(), ("l1Fee", None), (name, None)]);
    assert!(silent("gasUsed").is_none() && silent("effectiveGasPrice").is_none());
    assert_eq!(silent("blobGasUsed").unwrap().data_fee, U256::ZERO);
}

#[test]
fn what_no_node_knows_and_what_is_in_no_block_are_two_things() {
    assert_eq!(of(Value::Null, Value::Null), Ok(TransactionLookup::Unknown));
    let pending = with(transaction(), [("blockHash", Some(Value::Null)), ("blockNumber", Some(Value::Null))]);
    assert_eq!(of(pending.clone(), Value::Null), Ok(TransactionLookup::Pending));
    assert_eq!(of(with(pending.clone(), [("blockHash", None)]), Value::Null), Ok(TransactionLookup::Pending));
    // It was mined between the two replies.
    assert_eq!(mined(pending, receipt()), mined(transaction(), receipt()));
}

#[test]
fn a_status_is_success_failure_or_older_than_byzantium() {
    use TransactionStatus::{Failed, Succeeded, Unknown};
    for (status, expected) in [(Some(json!("0x1")), Succeeded), (Some(json!("0x0")), Failed), (None, Succeeded)] {
        let receipt = with(receipt(), [("status", status.clone()), ("root", Some(json!(OTHER)))]);
        assert_eq!(mined(transaction(), receipt).status, expected, "{status:?}");
    }
    // Without a status: the gas used, the gas limit, and the logs decide.
    for (used, limit, logs, expected) in [
        ("0xea60", "0xea60", json!([]), Unknown),
        ("0xea5f", "0xea60", json!([]), Succeeded),
        ("0xea60", "0xea60", json!([log(7)]), Succeeded),
        ("0x5208", "0x5208", json!([]), Succeeded),
    ] {
        let silent = with(receipt(), [("status", None), ("gasUsed", Some(json!(used))), ("logs", Some(logs))]);
        let limited = with(transaction(), [("gas", Some(json!(limit)))]);
        assert_eq!(mined(limited, silent).status, expected, "{used} of {limit}");
    }
}

#[test]
fn what_failed_logged_nothing_but_what_the_chain_itself_logs() {
    let failed = |address: Value| {
        let log = with(log(7), [("address", Some(address))]);
        of(transaction(), with(receipt(), [("status", Some(json!("0x0"))), ("logs", Some(json!([log])))]))
    };
    for contract in [
        address!("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"),
        address!("0000000000000000000000000000000000010000"),
        address!("ffffffffffffffffffffffffffffffffffffffff"),
    ] {
        assert_eq!(failed(json!(contract)), Err(EndpointError::Inconsistent), "{contract}");
    }
    // Bor's fee of a transaction, the last below 2^16, and what EIP-7708 logs.
    for system in [
        address!("0000000000000000000000000000000000001010"),
        address!("000000000000000000000000000000000000ffff"),
        address!("fffffffffffffffffffffffffffffffffffffffe"),
    ] {
        let Ok(TransactionLookup::Mined(receipt)) = failed(json!(system)) else { panic!("{system} may log") };
        assert_eq!((receipt.status, receipt.logs.len()), (TransactionStatus::Failed, 1), "{system}");
    }
}

#[test]
fn a_deposit_from_the_layer_below_brings_what_its_type_says() {
    let deposited = |kind: &str, members: [(&str, Option<Value>); 2]| {
        let transaction = with(with(transaction(), members), [("type", Some(json!(kind)))]);
        mined(transaction, with(receipt(), [("type", Some(json!(kind)))])).deposited
    };
    let (mint, deposit) = (("mint", Some(json!("0x7"))), ("depositValue", Some(json!("0x9"))));
    let both = || [mint.clone(), deposit.clone()];
    for (kind, expected) in [("0x7e", 7), ("0x64", 100), ("0x68", 100), ("0x69", 9), ("0x2", 0), ("0x65", 0)] {
        assert_eq!(deposited(kind, both()), U256::from(expected), "{kind}");
    }
    assert_eq!(deposited("0x7e", [("mint", Some(Value::Null)), deposit]), U256::ZERO);
}

#[test]
fn the_operator_fee_of_a_rollup_is_part_of_what_was_paid() {
    let fee = |scalar: Option<Value>| {
        let gas = [("gasUsed", Some(json!("0x5208"))), ("effectiveGasPrice", Some(json!("0xf4240")))];
        let operator =
            [("operatorFeeScalar", Some(json!("0x7a120"))), ("operatorFeeConstant", Some(json!("0xe8d4a51000")))];
        let receipt = with(with(receipt(), gas), operator);
        mined(transaction(), with(receipt, [("daFootprintGasScalar", scalar)])).gas.unwrap().operator_fee
    };
    // 21,000 gas at a scalar of 500,000, and a constant of 10^12 wei.
    assert_eq!(fee(None), U256::from(1_000_000_010_500_u64));
    assert_eq!(fee(Some(json!("0x190"))), U256::from(2_050_000_000_000_u64));
}

#[test]
fn a_creation_names_its_contract_and_a_call_none() {
    let created = with(receipt(), [("contractAddress", Some(json!(TOKEN)))]);
    let creation = mined(with(transaction(), [("to", Some(Value::Null))]), created.clone());
    assert_eq!((creation.to, creation.created), (None, Some(TOKEN)));
    let call = mined(transaction(), created);
    assert_eq!((call.to, call.created), (Some(TOKEN), None));
}

#[test]
fn a_log_has_four_topics_at_most_and_any_data() {
    for topics in 0..=4 {
        let log = with(log(1), [("topics", Some(json!(vec![HASH; topics]))), ("data", Some(json!("0x")))]);
        let logs = mined(transaction(), with(receipt(), [("logs", Some(json!([log])))])).logs;
        assert_eq!(logs, [Log { index: 1, address: TOKEN, topics: vec![HASH; topics], data: Bytes::new() }]);
    }
}

#[test]
fn replies_that_contradict_each_other_are_malformed() {
    for (what, transaction, receipt) in [
        ("a receipt without its transaction", Value::Null, receipt()),
        ("a block and no receipt", transaction(), Value::Null),
        ("another transaction", with(transaction(), [("hash", Some(json!(OTHER)))]), receipt()),
        (
            "another one that is pending",
            with(transaction(), [("hash", Some(json!(OTHER))), ("blockHash", None)]),
            Value::Null,
        ),
        ("another receipt", transaction(), with(receipt(), [("transactionHash", Some(json!(OTHER)))])),
        ("another block", transaction(), with(receipt(), [("blockHash", Some(json!(OTHER)))])),
    ] {
        assert_eq!(of(transaction, receipt), Err(EndpointError::Malformed), "{what}");
    }
}

#[test]
fn a_receipt_of_the_wrong_shape_is_malformed() {
    for (name, value) in [
        ("status", Some(json!("0x2"))),
        ("status", Some(json!(true))),
        ("blockNumber", None),
        ("blockNumber", Some(Value::Null)),
        ("blockNumber", Some(json!("0x10000000000000000"))),
        ("contractAddress", Some(json!("0x00"))),
        ("logs", None),
        ("logs", Some(Value::Null)),
        ("logs", Some(json!({}))),
        ("logs", Some(json!([null]))),
        ("logs", Some(json!([[]]))),
    ] {
        let receipt = with(receipt(), [(name, value.clone())]);
        assert_eq!(of(transaction(), receipt), Err(EndpointError::Malformed), "{name} {value:?}");
    }
}

#[test]
fn one_log_of_the_wrong_shape_spoils_the_receipt() {
    for (name, value) in [
        ("removed", Some(json!(true))),
        ("transactionHash", Some(json!(OTHER))),
        ("transactionHash", None),
        ("logIndex", None),
        ("logIndex", Some(Value::Null)),
        ("address", Some(json!("0x00000000000000000000000000000000000000000c"))),
        ("topics", None),
        ("topics", Some(json!(vec![HASH; 5]))),
        ("topics", Some(json!([null]))),
        ("topics", Some(json!(["0x"]))),
        ("topics", Some(json!(["0x01"]))),
        ("topics", Some(json!([format!("{HASH:#x}00")]))),
        ("data", None),
        ("data", Some(json!("0x012"))),
        ("data", Some(json!("0xzz"))),
        ("data", Some(json!(12))),
    ] {
        let logs = json!([log(6), with(log(7), [(name, value.clone())])]);
        let receipt = with(receipt(), [("logs", Some(logs))]);
        assert_eq!(of(transaction(), receipt), Err(EndpointError::Malformed), "{name} {value:?}");
    }
}

#[test]
fn a_transaction_of_the_wrong_shape_is_malformed() {
    for (name, value) in [
        ("hash", None),
        ("from", None),
        ("value", None),
        ("value", Some(json!(format!("0x1{}", "0".repeat(64))))),
        ("to", Some(json!("0x"))),
        ("blockHash", Some(json!("0x"))),
    ] {
        let transaction = with(transaction(), [(name, value.clone())]);
        assert_eq!(of(transaction, receipt()), Err(EndpointError::Malformed), "{name} {value:?}");
    }
}

fn with_logs(logs: &[Value], bloom: Option<Value>) -> Result<TransactionLookup, EndpointError> {
    of(transaction(), with(receipt(), [("logs", Some(json!(logs))), ("logsBloom", bloom)]))
}

#[test]
fn logs_are_those_of_their_filter() {
    for logs in [vec![log(7)], vec![log(7), log(8)]] {
        assert!(with_logs(&logs, Some(filter(&BITS))).is_ok());
        let with_another = [&BITS[..], &[0]].concat();
        for (what, bits) in [("a log is missing", &with_another[..]), ("a log is of another", &BITS[1..])] {
            assert_eq!(with_logs(&logs, Some(filter(bits))), Err(EndpointError::Inconsistent), "{what}");
        }
    }
    let topicless = with(log(7), [("topics", Some(json!([])))]);
    assert!(with_logs(std::slice::from_ref(&topicless), Some(filter(&BITS[..3]))).is_ok());
    assert_eq!(with_logs(&[topicless], Some(filter(&BITS))), Err(EndpointError::Inconsistent));
}

#[test]
fn no_logs_under_a_filter_that_has_some_are_no_answer() {
    for bits in [&BITS[..], &BITS[..1], &[0], &[2047]] {
        assert_eq!(with_logs(&[], Some(filter(bits))), Err(EndpointError::Inconsistent), "{bits:?}");
    }
    assert!(with_logs(&[], Some(filter(&[]))).is_ok());
}

#[test]
fn a_filter_without_bits_states_nothing() {
    for nothing in [None, Some(Value::Null), Some(json!("0x")), Some(json!("0x0")), Some(filter(&[]))] {
        assert!(with_logs(&[log(7)], nothing.clone()).is_ok(), "{nothing:?}");
        assert!(with_logs(&[], nothing.clone()).is_ok(), "{nothing:?}");
    }
}

#[test]
fn a_filter_of_the_wrong_shape_is_malformed() {
    let short = filter(&BITS).as_str().unwrap()[..512].to_owned();
    for bloom in [json!("0x1"), json!("0x01"), json!(short), json!("zz"), json!(7)] {
        assert_eq!(with_logs(&[log(7)], Some(bloom.clone())), Err(EndpointError::Malformed), "{bloom}");
    }
}

#[test]
fn the_logs_of_a_receipt_follow_each_other() {
    let indexed = |indexes: &[u64]| {
        let logs: Vec<Value> = indexes.iter().map(|index| log(*index)).collect();
        with_logs(&logs, Some(filter(&BITS)))
    };
    assert!(indexed(&[0, 1, 2]).is_ok(), "Skale counts from the transaction's first");
    for indexes in [&[7, 7][..], &[8, 7], &[7, 9], &[7, 8, 8], &[u64::MAX, 0]] {
        assert_eq!(indexed(indexes), Err(EndpointError::Inconsistent), "{indexes:?}");
    }
}

#[test]
fn the_place_of_a_log_and_of_a_transaction_is_the_receipts() {
    let receipt = || with(receipt(), [("transactionIndex", Some(json!("0x5")))]);
    let foreign = [("blockHash", json!(OTHER)), ("blockNumber", json!("0x3e9")), ("transactionIndex", json!("0x6"))];
    for (name, value) in foreign {
        let logs = |value| json!([log(6), with(log(7), [(name, value)])]);
        let result = |value| of(transaction(), with(receipt(), [("logs", Some(logs(value)))]));
        assert_eq!(result(Some(value.clone())), Err(EndpointError::Inconsistent), "a log's {name}");
        assert!(result(None).is_ok() && result(Some(Value::Null)).is_ok(), "no node has to name a log's {name}");
        if name != "blockHash" {
            let transaction = with(transaction(), [(name, Some(value))]);
            assert_eq!(of(transaction, receipt()), Err(EndpointError::Inconsistent), "a transaction's {name}");
        }
    }
}

#[test]
fn logs_of_a_state_sync_may_have_another_place_in_the_block() {
    let synced = with(transaction(), [("from", Some(json!(Address::ZERO)))]);
    let last = [("transactionIndex", Some(json!("0x5")))];
    let first = with(log(7), [("transactionIndex", Some(json!("0x0")))]);
    let receipt = with(with(receipt(), last), [("logs", Some(json!([first])))]);
    assert!(of(synced, receipt.clone()).is_ok());
    assert_eq!(of(transaction(), receipt), Err(EndpointError::Inconsistent));
}
