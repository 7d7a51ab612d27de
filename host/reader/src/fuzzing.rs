//! Entry points of the fuzz targets in `host/fuzz`: every decoder of nodes' replies, with properties that hold for
//! any bytes.
//!
//! Invariant: an entry point panics only if a decoder is wrong. Nothing else may use them.

use alloy::hex;
use alloy::primitives::B256;
use serde_json::Value;

use crate::chain::sealed_header::SealedHeader;
use crate::chain::transaction::{BlockReceipt, ReceiptsTrie, combine};
use crate::methods::multicall;
use crate::methods::packed::{self, Head};
use crate::wire::rpc::{call_reply, pair_reply, request_reply};
use crate::{Block, TransactionLookup};

/// The id that replies must have.
const ID: u64 = 1;
/// The chain that replies of Multicall3 must prove.
const CHAIN_ID: u64 = 1;
/// The block that they must prove.
const BLOCK: Block = Block { number: 7, hash: B256::ZERO, parent: B256::ZERO, timestamp: 0x1122_3344, evm_number: 7 };

/// Decodes a JSON-RPC reply. The result must equal that of a decoder that builds a tree.
pub fn json_rpc(body: &[u8]) {
    let call = call_reply(body, ID);
    let request = request_reply::<Value>(body, ID);
    if let Ok(bytes) = &call {
        let Ok(Value::String(text)) = &request else { unreachable!("{request:?} of {bytes}") };
        assert_eq!(text.to_ascii_lowercase(), hex::encode_prefixed(bytes));
    }
    // A tree has no duplicate members, and is shallower than what may be skipped: it confirms only what is right.
    if let (Ok(result), Ok(tree)) = (request, serde_json::from_slice::<Value>(body)) {
        assert_eq!(tree.get("id").and_then(Value::as_u64), Some(ID));
        assert_eq!(tree.get("result"), Some(&result));
        assert!(tree.get("error").is_none_or(Value::is_null));
    }
}

/// Decodes a batch about a transaction. It must have as many logs as its tree, and no more data than the body.
pub fn transaction(body: &[u8]) {
    let Ok((transaction, receipt)) = pair_reply(body, [ID, ID + 1]) else { return };
    let Ok(TransactionLookup::Mined(receipt)) = combine(B256::ZERO, transaction, receipt) else { return };
    assert!(receipt.logs.iter().all(|log| log.topics.len() <= 4));
    assert!(receipt.logs.iter().map(|log| 32 * log.topics.len() + log.data.len()).sum::<usize>() <= body.len());
    // A tree is shallower than what may be skipped, and an object of a struct may be an array there.
    let Ok(Value::Array(replies)) = serde_json::from_slice(body) else { return };
    let reply = replies.iter().find(|reply| reply.get("id").and_then(Value::as_u64) == Some(ID + 1));
    if let Some(logs) = reply.and_then(|reply| reply.pointer("/result/logs")?.as_array()) {
        assert_eq!(logs.len(), receipt.logs.len());
    }
}

/// Decodes a reply with a header, or with all receipts of a block, and hashes them.
pub fn block(body: &[u8]) {
    if let Ok(Some(header)) = request_reply::<Option<SealedHeader>>(body, ID) {
        assert!(!header.is_sealed || !header.hash.is_zero());
    }
    if let Ok(Some(receipts)) = request_reply::<Option<Vec<BlockReceipt>>>(body, ID) {
        drop(ReceiptsTrie::new(receipts));
    }
}

/// Decodes a reply of `call.yul`. It must name reads in order, and none that it has not reached.
pub fn packed(bytes: &[u8]) {
    let (count, reply) = counted(bytes);
    if let Ok((head, named)) = packed::decode(reply, count) {
        named_in_order(&head, count, &named);
    }
}

fn named_in_order<T>(head: &Head, count: usize, named: &[(usize, T)]) {
    assert!(head.done <= count);
    assert!(named.is_sorted_by(|(one, _), (next, _)| one < next));
    assert!(named.iter().all(|(place, _)| *place < head.done));
}

/// Decodes a reply of Multicall3. It must have as many results as reads, and no more data than the reply.
pub fn multicall(bytes: &[u8]) {
    let (count, reply) = counted(bytes);
    if let Ok(results) = multicall::unpack(reply, count, CHAIN_ID, &BLOCK) {
        assert_eq!(results.len(), count);
        assert!(results.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() <= reply.len());
    }
}

/// Takes the number of reads from the first two bytes.
fn counted(bytes: &[u8]) -> (usize, &[u8]) {
    match bytes {
        [high, low, reply @ ..] => (u16::from_be_bytes([*high, *low]).into(), reply),
        _ => (0, bytes),
    }
}
