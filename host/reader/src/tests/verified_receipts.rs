//! Receipts that the header of their block must prove, from nodes that lie about them.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, b256};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::node::{Chain, Node, NodeReply, NodeRequest};
use super::{ample, blocks};
use crate::wire::transport::BODY_MAX_BYTES;
use crate::{ChainReader, Limits, ReadFailure, Reader, Receipt, TransactionLookup, Upstream};

const TRANSACTION: &str = "eth_getTransactionByHash";
const RECEIPT: &str = "eth_getTransactionReceipt";
const RECEIPTS: &str = "eth_getBlockReceipts";
/// Chain id of the test chain of geth's blocks.
const CHAIN_ID: u64 = 0xc_72dd_9d5e_883e;
/// Index of a transaction with ten logs.
const PLACE: usize = 1;

/// A node's replies about a block and one transaction in it.
#[derive(Clone)]
struct BlockReplies {
    header: Value,
    receipt: Value,
    receipts: Vec<Value>,
}

type Lie = fn(&mut BlockReplies);

impl BlockReplies {
    fn honest() -> Self {
        let receipts = blocks::receipts("geth, prague");
        Self { header: blocks::header("geth, prague"), receipt: receipts[PLACE].clone(), receipts }
    }

    fn lying(lie: Lie) -> Self {
        let mut replies = Self::honest();
        lie(&mut replies);
        replies
    }

    fn reply_to(&self, request: &NodeRequest) -> NodeReply {
        match request.method.as_str() {
            TRANSACTION => {
                let mut transaction = self.receipt.clone();
                (transaction["hash"], transaction["value"]) = (json!(hash()), json!("0x0"));
                NodeReply::Result(transaction)
            }
            RECEIPT => NodeReply::Result(self.receipt.clone()),
            RECEIPTS if request.params == json!([self.header["hash"]]) => NodeReply::Result(json!(self.receipts)),
            "eth_getBlockByNumber" if request.params[0] == self.header["number"] => {
                NodeReply::Result(self.header.clone())
            }
            _ => Chain { id: CHAIN_ID, ..Chain::default() }.reply_to(request),
        }
    }
}

fn hash() -> B256 {
    serde_json::from_value(blocks::header("geth, prague")["transactions"][PLACE].clone()).unwrap()
}

async fn replying(replies: BlockReplies) -> Node {
    Node::start(move |request, _| replies.reply_to(request)).await
}

async fn lying(lie: Lie) -> Node {
    replying(BlockReplies::lying(lie)).await
}

async fn honest() -> Node {
    replying(BlockReplies::honest()).await
}

/// Makes a node that is honest, except for this reply to one method.
async fn with_reply(method: &'static str, reply: fn() -> NodeReply) -> Node {
    let replies = BlockReplies::honest();
    Node::start(move |request, _| if request.method == method { reply() } else { replies.reply_to(request) }).await
}

fn reader(nodes: &[&Node], verify_receipts: bool) -> Arc<ChainReader> {
    let endpoints = nodes.iter().map(|node| node.url().parse().unwrap()).collect();
    let upstream = Upstream { chain_id: CHAIN_ID, name: "geth".into(), endpoints, verify_receipts };
    ChainReader::new(vec![upstream], Limits::default(), None, None)
}

async fn read(reader: &ChainReader) -> Result<Receipt, ReadFailure> {
    match reader.transaction(CHAIN_ID, hash(), ample()).await? {
        TransactionLookup::Mined(receipt) => Ok(receipt),
        other => panic!("{other:?}"),
    }
}

async fn verified(nodes: &[&Node]) -> Result<Receipt, ReadFailure> {
    read(&reader(nodes, true)).await
}

fn errors(reader: &ChainReader) -> Vec<u64> {
    reader.status()[0].endpoints.iter().map(|endpoint| endpoint.errors).collect()
}

#[tokio::test]
async fn a_proven_receipt_is_the_same_as_without_proof_and_costs_two_requests() {
    let node = honest().await;
    let unverified = read(&reader(&[&node], false)).await.unwrap();
    assert_eq!((node.count(RECEIPTS), node.count("eth_getBlockByNumber")), (0, 0));
    assert_eq!(unverified.logs.len(), 10);
    assert_eq!(verified(&[&node]).await, Ok(unverified));
    assert_eq!((node.count(RECEIPTS), node.count("eth_getBlockByNumber")), (1, 1));
}

#[tokio::test]
async fn a_lie_that_the_root_shows_counts_against_its_node_and_the_next_one_answers() {
    let lies: [(&str, Lie); 6] = [
        ("a log changed everywhere", |block| {
            block.receipts[PLACE]["logs"][0]["data"] = json!("0x02");
            block.receipt = block.receipts[PLACE].clone();
        }),
        ("a log changed in the receipt alone", |block| block.receipt["logs"][9]["address"] = json!(Address::ZERO)),
        ("a log left out of the receipt alone", |block| drop(block.receipt["logs"].as_array_mut().unwrap().pop())),
        ("a receipt left out", |block| drop(block.receipts.remove(3))),
        ("another order", |block| block.receipts.swap(0, 2)),
        ("another use of gas", |block| block.receipt["gasUsed"] = json!("0x1")),
    ];
    let good = honest().await;
    let truth = verified(&[&good]).await.unwrap();
    for (what, lie) in lies {
        let bad = lying(lie).await;
        assert!(read(&reader(&[&bad], false)).await.is_ok(), "{what} is not found out otherwise");
        let (alone, both) = (reader(&[&bad], true), reader(&[&bad, &good], true));
        assert_eq!(read(&alone).await, Err(ReadFailure::Upstream), "{what}");
        assert_eq!(read(&both).await, Ok(truth.clone()), "{what}");
        assert_eq!((errors(&alone), errors(&both)), (vec![1], vec![1, 0]), "{what}");
    }
}

/// The hash of the block with an `extraData` of one byte, 1.
const FORGED: B256 = b256!("e2182d27faae494e4f102b2f36aa19d45d3e5493e8b3d83ad4bb2de1a773f931");

/// Makes a node that has this block in the place of the chain's.
async fn forging() -> Node {
    lying(|block| {
        (block.header["extraData"], block.header["hash"]) = (json!("0x01"), json!(FORGED));
        block.receipt["blockHash"] = json!(FORGED);
        block.receipt["logs"].as_array_mut().unwrap().iter_mut().for_each(|log| log["blockHash"] = json!(FORGED));
    })
    .await
}

#[tokio::test]
async fn the_receipt_of_another_transaction_is_found_out_by_another_endpoint() {
    let swapping = lying(|block| {
        let mut other = block.receipts[3].clone();
        other["transactionHash"] = json!(hash());
        other["logs"].as_array_mut().unwrap().iter_mut().for_each(|log| log["transactionHash"] = json!(hash()));
        block.receipt = other;
        block.receipts[PLACE]["transactionHash"] = block.receipts[3]["transactionHash"].take();
        block.receipts[3] = block.receipt.clone();
        block.header["transactions"].as_array_mut().unwrap().swap(PLACE, 3);
    })
    .await;
    let (good, third) = (honest().await, honest().await);
    assert_eq!(verified(&[&swapping]).await.unwrap().logs.len(), 1, "no hash commits to the place");
    let both = reader(&[&swapping, &good], true);
    assert_eq!(read(&both).await, Err(ReadFailure::Upstream), "one word against another");
    assert_eq!(errors(&both), [0, 0]);
    assert_eq!(verified(&[&swapping, &good, &third]).await.unwrap().logs.len(), 10);
}

/// The root of the block's receipts if one log is changed.
const ROOT_OF_LIE: B256 = b256!("0d26b7c0b16de9d86057e4b00974f1764b79c65e4542c6f3610935535ba14940");

#[tokio::test]
async fn a_root_that_the_hash_does_not_commit_to_proves_nothing() {
    let good = honest().await;
    let made_up: [Lie; 2] = [
        |block| {
            block.receipts[PLACE]["logs"][0]["data"] = json!("0x02");
            block.receipt = block.receipts[PLACE].clone();
            block.header["receiptsRoot"] = json!(ROOT_OF_LIE);
        },
        |block| block.header["receiptsRoot"] = json!(B256::ZERO),
    ];
    for lie in made_up {
        let bad = lying(lie).await;
        let alone = reader(&[&bad], true);
        assert_eq!(read(&alone).await, Err(ReadFailure::Unproven));
        assert_eq!(errors(&alone), [0], "networks may make hashes of something else");
        assert!(verified(&[&bad, &good]).await.is_ok() && verified(&[&good, &bad]).await.is_ok());
    }
}

#[tokio::test]
async fn a_block_that_another_endpoint_does_not_have_is_no_proof() {
    let (forging, good) = (forging().await, honest().await);
    let third = honest().await;
    assert!(verified(&[&forging]).await.is_ok(), "alone it is the chain");
    let both = reader(&[&forging, &good], true);
    assert_eq!(read(&both).await, Err(ReadFailure::Upstream), "one word against another");
    assert_eq!(errors(&both), [0, 0]);
    let truth = verified(&[&good]).await.unwrap();
    assert_eq!(verified(&[&forging, &good, &third]).await, Ok(truth.clone()));
    assert_eq!(verified(&[&good, &forging, &third]).await, Ok(truth));
}

#[tokio::test]
async fn an_endpoint_that_cannot_prove_is_at_no_fault_and_the_next_one_is_tried() {
    let no_method = || NodeReply::Error(json!({"code": -32601, "message": "the method does not exist"}));
    let (cannot, can) = (with_reply(RECEIPTS, no_method).await, honest().await);
    let (alone, both) = (reader(&[&cannot], true), reader(&[&cannot, &can], true));
    assert_eq!(read(&alone).await, Err(ReadFailure::Unproven));
    assert_eq!(errors(&alone), [0]);
    assert!(read(&both).await.is_ok());
    assert_eq!(cannot.count(RECEIPTS), 2, "it would be the same again");
    // Nodes behind one address, one of which does not have the block yet, and a list beyond the bound.
    let behind = with_reply(RECEIPTS, || NodeReply::Result(Value::Null)).await;
    assert_eq!(verified(&[&behind]).await, Err(ReadFailure::Upstream));
    let endless = with_reply(RECEIPTS, || NodeReply::Padded(json!([]), BODY_MAX_BYTES)).await;
    assert_eq!(verified(&[&endless]).await, Err(ReadFailure::Upstream));
    assert!(verified(&[&endless, &behind, &can]).await.is_ok());
}

#[tokio::test]
async fn an_endpoint_that_does_not_reply_leaves_time_for_the_next_one() {
    let good = honest().await;
    for method in [RECEIPTS, "eth_getBlockByNumber"] {
        let hanging = with_reply(method, || NodeReply::Hang).await;
        let (reader, deadline) = (reader(&[&hanging, &good], true), Instant::now() + Duration::from_secs(4));
        let found = reader.transaction(CHAIN_ID, hash(), deadline).await;
        assert!(matches!(found, Ok(TransactionLookup::Mined(_))), "{method}: {found:?}");
    }
}
