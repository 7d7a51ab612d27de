//! Transactions: read in one request, and absent only if all endpoints agree on that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U64, U256, address, b256};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::node::{self, BATCH, BLOCK, Chain, Node, NodeReply, NodeRequest, OTHER_NAME};
use super::{ETHEREUM, ample, echo, echoed, outcomes, reader, reader_of};
use crate::wire::transport::BODY_MAX_BYTES;
use crate::{
    Block, ChainReader, EndpointState, Log, ReadFailure, Reader, Receipt, TransactionLookup, TransactionStatus,
};

const HASH: B256 = b256!("00000000000000000000000000000000000000000000000000000000000000aa");
const ALICE: Address = address!("00000000000000000000000000000000000000a1");
const TOKEN: Address = address!("00000000000000000000000000000000000000c0");
const TRANSACTION: &str = "eth_getTransactionByHash";
const RECEIPT: &str = "eth_getTransactionReceipt";

/// The state of the transaction, as a node knows it.
#[derive(Clone, Copy)]
enum Knows {
    Nothing,
    Pending,
    /// With this many logs.
    Mined(u64),
    Reverted,
    Creation,
    /// The block, but not the receipt.
    Indexing,
    /// Logs of a block that is no longer canonical.
    Removed,
    /// No logs, but a bloom filter that has some.
    Hiding,
    /// A block of another hash at the same height.
    Elsewhere,
}

impl Knows {
    fn reply_to(self, request: &NodeRequest) -> NodeReply {
        match request.method.as_str() {
            TRANSACTION | RECEIPT if request.params != json!([HASH]) => NodeReply::Result(Value::Null),
            TRANSACTION => NodeReply::Result(self.transaction()),
            RECEIPT => NodeReply::Result(self.receipt()),
            _ => Chain::default().reply_to(request),
        }
    }

    fn transaction(self) -> Value {
        let reply = |block: Value, to: Value| json!({"hash": HASH, "blockHash": block, "from": ALICE, "to": to, "value": "0x7", "input": "0x"});
        match self {
            Self::Nothing => Value::Null,
            Self::Pending => reply(Value::Null, json!(TOKEN)),
            Self::Creation => reply(json!(BLOCK.hash), Value::Null),
            Self::Elsewhere => reply(json!(OTHER_NAME), json!(TOKEN)),
            _ => reply(json!(BLOCK.hash), json!(TOKEN)),
        }
    }

    fn receipt(self) -> Value {
        let reply = |status: u64, created: Value, logs: Vec<Value>| {
            json!({
                "transactionHash": HASH, "blockHash": BLOCK.hash, "blockNumber": U64::from(BLOCK.number),
                "status": U64::from(status), "contractAddress": created, "logs": logs,
            })
        };
        match self {
            Self::Nothing | Self::Pending | Self::Indexing => Value::Null,
            Self::Mined(logs) => reply(1, Value::Null, (0..logs).map(|index| wire_log(index, false)).collect()),
            Self::Reverted => reply(0, Value::Null, Vec::new()),
            Self::Creation => reply(1, json!(TOKEN), Vec::new()),
            Self::Removed => reply(1, Value::Null, vec![wire_log(0, true)]),
            Self::Hiding => {
                let mut receipt = reply(1, Value::Null, Vec::new());
                receipt["logsBloom"] = json!(Bytes::from(vec![1; 256]));
                receipt
            }
            Self::Elsewhere => {
                let mut receipt = reply(1, Value::Null, Vec::new());
                receipt["blockHash"] = json!(OTHER_NAME);
                receipt
            }
        }
    }
}

/// A log as long as that of a transfer at a real node.
fn wire_log(index: u64, removed: bool) -> Value {
    json!({
        "address": TOKEN, "topics": topics(index), "data": B256::repeat_byte(0xda),
        "blockNumber": U64::from(BLOCK.number), "transactionHash": HASH, "transactionIndex": "0x5",
        "blockHash": BLOCK.hash, "blockTimestamp": U64::from(BLOCK.timestamp), "logIndex": U64::from(index),
        "removed": removed,
    })
}

fn topics(index: u64) -> [B256; 3] {
    [B256::repeat_byte(0xdd), B256::from(U256::from(index)), B256::repeat_byte(0xf2)]
}

fn mined(logs: u64) -> Receipt {
    let log = |index| Log {
        index,
        address: TOKEN,
        topics: topics(index).to_vec(),
        data: Bytes::from(B256::repeat_byte(0xda)),
    };
    Receipt {
        block_number: BLOCK.number,
        block_hash: BLOCK.hash,
        status: TransactionStatus::Succeeded,
        from: ALICE,
        to: Some(TOKEN),
        created: None,
        value: U256::from(7),
        deposited: U256::ZERO,
        gas: None,
        logs: (0..logs).map(log).collect(),
    }
}

async fn knowing(knows: Knows) -> Node {
    Node::start(move |request, _| knows.reply_to(request)).await
}

/// Makes a node that gives this reply to a batch, and answers its single requests from what it knows.
async fn batching(knows: Knows, reply: impl Fn() -> NodeReply + Send + Sync + 'static) -> Node {
    Node::start(move |request, _| if request.method == BATCH { reply() } else { knows.reply_to(request) }).await
}

async fn transaction_at(reader: &ChainReader) -> Result<TransactionLookup, ReadFailure> {
    reader.transaction(ETHEREUM, HASH, ample()).await
}

#[tokio::test]
async fn a_transaction_and_its_receipt_are_one_request() {
    let created = Receipt { to: None, created: Some(TOKEN), ..mined(0) };
    for (what, knows, expected) in [
        ("unknown", Knows::Nothing, TransactionLookup::Unknown),
        ("pending", Knows::Pending, TransactionLookup::Pending),
        ("without logs", Knows::Mined(0), TransactionLookup::Mined(mined(0))),
        ("with logs", Knows::Mined(3), TransactionLookup::Mined(mined(3))),
        (
            "reverted",
            Knows::Reverted,
            TransactionLookup::Mined(Receipt { status: TransactionStatus::Failed, ..mined(0) }),
        ),
        ("a creation", Knows::Creation, TransactionLookup::Mined(created)),
    ] {
        let node = knowing(knows).await;
        assert_eq!(transaction_at(&reader(&[&node])).await, Ok(expected), "{what}");
        // The chain id before and after, and the batch with its two requests.
        let methods: Vec<_> = node.seen().into_iter().map(|request| request.method).collect();
        assert_eq!(methods, ["eth_chainId", BATCH, TRANSACTION, RECEIPT, "eth_chainId"], "{what}");
    }
}

#[tokio::test]
async fn the_replies_of_a_batch_come_in_any_order() {
    let node = batching(Knows::Mined(2), || NodeReply::EachBackwards).await;
    assert_eq!(transaction_at(&reader(&[&node])).await, Ok(TransactionLookup::Mined(mined(2))));
    assert_eq!(node.count(TRANSACTION), 1);
}

type Refused = (&'static str, fn() -> NodeReply);

/// Replies that reject a batch for being one.
fn refusals() -> Vec<Refused> {
    vec![
        ("an error", || NodeReply::Error(json!({"code": -32600, "message": "batch requests are not supported"}))),
        ("an unclear error", || NodeReply::Error(json!({"code": -32000, "message": "unmarshal error"}))),
        ("a status", || NodeReply::Raw(400, b"bad request".to_vec())),
        ("a failure", || NodeReply::Raw(500, b"oops".to_vec())),
        ("too large", || NodeReply::Raw(413, Vec::new())),
        ("no list", || NodeReply::Result(json!("0x1"))),
        ("nothing", || NodeReply::Raw(200, Vec::new())),
        ("an empty list", || NodeReply::Raw(200, b"[]".to_vec())),
        ("a list of one error", || {
            NodeReply::Raw(
                200,
                br#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}]"#.to_vec(),
            )
        }),
    ]
}

#[tokio::test]
async fn an_endpoint_that_takes_no_batches_gets_two_requests_and_is_remembered() {
    for (what, reply) in refusals() {
        let node = batching(Knows::Mined(1), reply).await;
        let reader = reader(&[&node]);
        for _ in 0..2 {
            assert_eq!(transaction_at(&reader).await, Ok(TransactionLookup::Mined(mined(1))), "{what}");
        }
        assert_eq!((node.count(BATCH), node.count(TRANSACTION), node.count(RECEIPT)), (1, 2, 2), "{what}");
        let status = reader.status();
        assert_eq!(status[0].endpoints[0].errors, 0, "{what} is not a fault");
    }
}

#[tokio::test]
async fn batches_are_not_given_up_for_a_failure_of_everything() {
    let node = Node::start(|request, number| match (request.method.as_str(), number) {
        // The chain id, the batch, the two requests of the first round.
        (_, 1..=3) => NodeReply::Raw(500, b"oops".to_vec()),
        _ => Knows::Mined(1).reply_to(request),
    })
    .await;
    assert_eq!(transaction_at(&reader(&[&node])).await, Ok(TransactionLookup::Mined(mined(1))));
    assert_eq!(node.count(BATCH), 2);
}

#[tokio::test]
async fn a_throttled_batch_is_not_split_in_two() {
    let node = batching(Knows::Mined(1), || NodeReply::Raw(429, b"slow down".to_vec())).await;
    let soon = Instant::now() + Duration::from_millis(500);
    assert_eq!(reader(&[&node]).transaction(ETHEREUM, HASH, soon).await, Err(ReadFailure::Upstream));
    assert_eq!((node.count(TRANSACTION), node.count(RECEIPT)), (0, 0));
}

#[tokio::test]
async fn an_endpoint_that_lags_does_not_hide_what_the_next_one_knows() {
    let (nothing, pending, included) =
        (knowing(Knows::Nothing).await, knowing(Knows::Pending).await, knowing(Knows::Mined(1)).await);
    assert_eq!(transaction_at(&reader(&[&nothing, &included])).await, Ok(TransactionLookup::Mined(mined(1))));
    assert_eq!(transaction_at(&reader(&[&pending, &included])).await, Ok(TransactionLookup::Mined(mined(1))));
    assert_eq!(transaction_at(&reader(&[&nothing, &pending, &nothing])).await, Ok(TransactionLookup::Pending));
    assert_eq!(transaction_at(&reader(&[&nothing, &nothing])).await, Ok(TransactionLookup::Unknown));
    let before = nothing.count(BATCH);
    assert_eq!(transaction_at(&reader(&[&included, &nothing])).await, Ok(TransactionLookup::Mined(mined(1))));
    assert_eq!(nothing.count(BATCH), before, "whose request was answered sends no further one");
}

#[tokio::test]
async fn a_failure_is_never_taken_for_an_unknown_transaction() {
    let broken = || {
        Node::start(|request, _| match request.method.as_str() {
            BATCH | TRANSACTION | RECEIPT => NodeReply::Raw(500, b"oops".to_vec()),
            _ => Chain::default().reply_to(request),
        })
    };
    for knows in [Knows::Nothing, Knows::Pending] {
        let (one, other) = (knowing(knows).await, broken().await);
        assert_eq!(transaction_at(&reader(&[&one, &other])).await, Err(ReadFailure::Upstream));
        assert_eq!(transaction_at(&reader(&[&other, &one])).await, Err(ReadFailure::Upstream));
    }
    let (included, other) = (knowing(Knows::Mined(1)).await, broken().await);
    assert_eq!(transaction_at(&reader(&[&other, &included])).await, Ok(TransactionLookup::Mined(mined(1))));
    assert_eq!(transaction_at(&reader(&[&other])).await, Err(ReadFailure::Upstream));
}

#[tokio::test]
async fn an_endpoint_of_another_chain_does_not_count() {
    let wrong = Node::truthful(Chain { id: 5, ..Chain::default() }).await;
    let nothing = knowing(Knows::Nothing).await;
    assert_eq!(transaction_at(&reader(&[&wrong, &nothing])).await, Ok(TransactionLookup::Unknown));
    assert_eq!(transaction_at(&reader(&[&wrong])).await, Err(ReadFailure::WrongChain));
    assert_eq!(wrong.seen().len(), 2, "each reader requests the id alone");
}

#[tokio::test]
async fn the_deadline_is_kept_and_no_endpoint_is_a_failure_of_its_own() {
    let hanging = Node::start(|_, _| NodeReply::Hang).await;
    let nothing = knowing(Knows::Nothing).await;
    for nodes in [&[&hanging][..], &[&hanging, &nothing], &[&nothing, &hanging]] {
        let deadline = Instant::now() + Duration::from_millis(600);
        let state = reader(nodes).transaction(ETHEREUM, HASH, deadline).await;
        assert_eq!(state, Err(ReadFailure::Timeout));
        assert!(Instant::now() < deadline);
    }
    assert_eq!(transaction_at(&reader_of(&[])).await, Err(ReadFailure::NotConfigured));
}

#[tokio::test]
async fn a_receipt_that_contradicts_itself_is_left_for_the_next_endpoint() {
    let good = knowing(Knows::Mined(1)).await;
    for knows in [Knows::Indexing, Knows::Removed] {
        let bad = knowing(knows).await;
        assert_eq!(transaction_at(&reader(&[&bad])).await, Err(ReadFailure::Upstream));
        assert_eq!(transaction_at(&reader(&[&bad, &good])).await, Ok(TransactionLookup::Mined(mined(1))));
    }
}

#[tokio::test]
async fn a_receipt_that_hides_its_logs_counts_against_its_endpoint_and_is_no_answer() {
    let (hiding, good) = (knowing(Knows::Hiding).await, knowing(Knows::Mined(1)).await);
    let (alone, both) = (reader(&[&hiding]), reader(&[&hiding, &good]));
    assert_eq!(transaction_at(&alone).await, Err(ReadFailure::Upstream));
    assert_eq!(hiding.count(BATCH), 1, "it would be the same again");
    assert_eq!(transaction_at(&both).await, Ok(TransactionLookup::Mined(mined(1))));
    for reader in [&alone, &both] {
        assert_eq!(reader.status()[0].endpoints[0].errors, 1);
    }
    assert_eq!(both.status()[0].endpoints[1].errors, 0);
}

#[tokio::test]
async fn a_receipt_of_another_block_than_the_chains_is_no_answer() {
    let elsewhere = Receipt { block_hash: OTHER_NAME, ..mined(0) };
    let (lying, good) = (knowing(Knows::Elsewhere).await, knowing(Knows::Mined(1)).await);
    let alone = reader(&[&lying]);
    assert_eq!(transaction_at(&alone).await, Ok(TransactionLookup::Mined(elsewhere.clone())), "nothing is known yet");
    assert_eq!(alone.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert_eq!(transaction_at(&alone).await, Err(ReadFailure::Upstream));
    let both = reader(&[&lying, &good]);
    assert_eq!(both.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert_eq!(transaction_at(&both).await, Ok(TransactionLookup::Mined(mined(1))));
    // The block that was seen has been replaced since.
    let replaced = Node::start(|request, _| match request.method.as_str() {
        "eth_getBlockByNumber" if request.params[0] != "latest" => {
            NodeReply::Result(node::header(&Block { hash: OTHER_NAME, ..BLOCK }))
        }
        _ => Knows::Elsewhere.reply_to(request),
    })
    .await;
    let reader = reader(&[&replaced]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert_eq!(transaction_at(&reader).await, Ok(TransactionLookup::Mined(elsewhere)));
}

/// Makes a node whose blocks are Amsterdam's from this height on. For other hashes, the block's number is the hash.
async fn forked_at(fork: u64) -> Node {
    Node::start(move |request, _| {
        let block = match request.method.as_str() {
            "eth_getBlockByHash" => {
                let hash: B256 = serde_json::from_value(request.params[0].clone()).unwrap();
                if hash == BLOCK.hash {
                    BLOCK
                } else {
                    Block { number: U256::from_be_bytes(hash.0).to(), hash, ..BLOCK }
                }
            }
            "eth_getBlockByNumber" => BLOCK,
            _ => return Chain::default().reply_to(request),
        };
        let mut header = node::header(&block);
        if block.number >= fork {
            header["blockAccessListHash"] = json!(B256::ZERO);
        }
        NodeReply::Result(header)
    })
    .await
}

async fn logs_native(reader: &ChainReader, number: u64) -> bool {
    let hash = if number == BLOCK.number { BLOCK.hash } else { B256::from(U256::from(number)) };
    reader.logs_native(ETHEREUM, number, hash, ample()).await.unwrap()
}

#[tokio::test]
async fn the_headers_that_were_read_say_which_blocks_log_native_movements() {
    let node = forked_at(900).await;
    let reader = reader(&[&node]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    let read = || node.count("eth_getBlockByHash");
    assert!(logs_native(&reader, BLOCK.number).await);
    assert_eq!(read(), 0, "the head has shown it");
    assert!(logs_native(&reader, 950).await);
    assert!(!logs_native(&reader, 899).await);
    assert_eq!(read(), 2, "each between the fork and what was known of it");
    assert!(logs_native(&reader, 960).await && !logs_native(&reader, 3).await);
    assert_eq!(read(), 2);
}

#[tokio::test]
async fn before_the_fork_the_head_says_so_of_all_blocks() {
    let node = forked_at(BLOCK.number + 1).await;
    let reader = reader(&[&node]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert!(!logs_native(&reader, BLOCK.number).await && !logs_native(&reader, 3).await);
    assert_eq!(node.count("eth_getBlockByHash"), 0);
    let lacking = reader.logs_native(ETHEREUM, BLOCK.number + 1, B256::repeat_byte(9), ample()).await;
    assert_eq!(lacking, Err(ReadFailure::Upstream), "a header of another block is none");
}

#[tokio::test]
async fn five_thousand_logs_pass_and_a_body_beyond_the_bound_does_not() {
    let node = knowing(Knows::Mined(5_000)).await;
    let length = Knows::Mined(5_000).receipt().to_string().len();
    assert!(length > 2_500_000, "{length}");
    assert_eq!(transaction_at(&reader(&[&node])).await, Ok(TransactionLookup::Mined(mined(5_000))));
    let endless = Node::start(|request, _| match request.method.as_str() {
        BATCH | RECEIPT => NodeReply::Padded(json!(null), BODY_MAX_BYTES),
        _ => Knows::Mined(1).reply_to(request),
    })
    .await;
    assert_eq!(transaction_at(&reader(&[&endless])).await, Err(ReadFailure::Upstream));
    assert_eq!(transaction_at(&reader(&[&endless, &node])).await, Ok(TransactionLookup::Mined(mined(5_000))));
}

#[tokio::test]
async fn an_endpoint_without_receipts_is_still_read() {
    let node = Node::start(|request, _| match request.method.as_str() {
        RECEIPT => NodeReply::Error(json!({"code": -32601, "message": "the method does not exist"})),
        _ => Knows::Mined(1).reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    for _ in 0..3 {
        assert_eq!(transaction_at(&reader).await, Err(ReadFailure::Upstream));
    }
    let endpoint = reader.status()[0].endpoints[0].clone();
    assert_eq!((endpoint.state, endpoint.errors), (EndpointState::Primary, 0));
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
}

/// Makes nodes behind one address: each request for the receipt goes to the next of these, and finally to the last.
async fn balanced(nodes: &'static [Knows]) -> Node {
    let requests = AtomicUsize::new(0);
    Node::start(move |request, _| {
        let number = match request.method.as_str() {
            // A batch has both requests, with the receipt's last.
            RECEIPT => requests.fetch_add(1, Ordering::SeqCst),
            _ => requests.load(Ordering::SeqCst),
        };
        nodes[number.min(nodes.len() - 1)].reply_to(request)
    })
    .await
}

#[tokio::test]
async fn a_receipt_that_one_of_several_nodes_lacks_is_asked_for_again() {
    use Knows::{Indexing, Mined, Nothing, Pending};
    for nodes in [
        &[Indexing, Mined(1)][..],
        &[Indexing, Indexing, Indexing, Indexing, Mined(1)],
        // A transaction that one node has seen in a block is neither unknown nor pending because another says so.
        &[Indexing, Nothing, Pending, Nothing, Mined(1)],
    ] {
        let node = balanced(nodes).await;
        assert_eq!(transaction_at(&reader(&[&node])).await, Ok(TransactionLookup::Mined(mined(1))));
    }
    let never = balanced(&[Indexing, Nothing]).await;
    let start = Instant::now();
    assert_eq!(transaction_at(&reader(&[&never])).await, Err(ReadFailure::Upstream));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}
