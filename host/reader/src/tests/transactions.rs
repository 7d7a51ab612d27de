//! What becomes of a transaction: asked in one request, believed only where all agree that there is none.

use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U64, U256, address, b256};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::node::{Asked, BATCH, BLOCK, Chain, Node, Say};
use super::{ETHEREUM, ample, echo, outcomes, reader, reader_of, told};
use crate::transport::BODY_MAX_BYTES;
use crate::{ChainReader, EndpointState, Log, ReadFailure, Reader, Receipt, Told};

const HASH: B256 = b256!("00000000000000000000000000000000000000000000000000000000000000aa");
const ALICE: Address = address!("00000000000000000000000000000000000000a1");
const TOKEN: Address = address!("00000000000000000000000000000000000000c0");
const TRANSACTION: &str = "eth_getTransactionByHash";
const RECEIPT: &str = "eth_getTransactionReceipt";

/// What a node knows of the transaction.
#[derive(Clone, Copy)]
enum Knows {
    Nothing,
    Pending,
    /// With so many logs.
    Mined(u64),
    Reverted,
    Creation,
    /// The block, but not the receipt.
    Indexing,
    /// Logs of a block that is no longer of the chain.
    Removed,
}

impl Knows {
    fn say(self, asked: &Asked) -> Say {
        match asked.method.as_str() {
            TRANSACTION | RECEIPT if asked.params != json!([HASH]) => Say::Result(Value::Null),
            TRANSACTION => Say::Result(self.transaction()),
            RECEIPT => Say::Result(self.receipt()),
            _ => Chain::default().say(asked),
        }
    }

    fn transaction(self) -> Value {
        let told = |block: Value, to: Value| json!({"hash": HASH, "blockHash": block, "from": ALICE, "to": to, "value": "0x7", "input": "0x"});
        match self {
            Self::Nothing => Value::Null,
            Self::Pending => told(Value::Null, json!(TOKEN)),
            Self::Creation => told(json!(BLOCK.hash), Value::Null),
            _ => told(json!(BLOCK.hash), json!(TOKEN)),
        }
    }

    fn receipt(self) -> Value {
        let told = |status: u64, created: Value, logs: Vec<Value>| {
            json!({
                "transactionHash": HASH, "blockHash": BLOCK.hash, "blockNumber": U64::from(BLOCK.number),
                "status": U64::from(status), "contractAddress": created, "logs": logs,
            })
        };
        match self {
            Self::Nothing | Self::Pending | Self::Indexing => Value::Null,
            Self::Mined(logs) => told(1, Value::Null, (0..logs).map(|index| wire_log(index, false)).collect()),
            Self::Reverted => told(0, Value::Null, Vec::new()),
            Self::Creation => told(1, json!(TOKEN), Vec::new()),
            Self::Removed => told(1, Value::Null, vec![wire_log(0, true)]),
        }
    }
}

/// As long as a transfer's is at a real node.
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
        succeeded: true,
        from: ALICE,
        to: Some(TOKEN),
        created: None,
        value: U256::from(7),
        logs: (0..logs).map(log).collect(),
    }
}

async fn knowing(knows: Knows) -> Node {
    Node::start(move |asked, _| knows.say(asked)).await
}

/// A node that says this to a batch, and to its requests what it knows.
async fn batching(knows: Knows, say: impl Fn() -> Say + Send + Sync + 'static) -> Node {
    Node::start(move |asked, _| if asked.method == BATCH { say() } else { knows.say(asked) }).await
}

async fn asked(reader: &ChainReader) -> Result<Told, ReadFailure> {
    reader.transaction(ETHEREUM, HASH, ample()).await
}

#[tokio::test]
async fn a_transaction_and_its_receipt_are_one_request() {
    let created = Receipt { to: None, created: Some(TOKEN), ..mined(0) };
    for (what, knows, expected) in [
        ("unknown", Knows::Nothing, Told::Unknown),
        ("pending", Knows::Pending, Told::Pending),
        ("without logs", Knows::Mined(0), Told::Mined(mined(0))),
        ("with logs", Knows::Mined(3), Told::Mined(mined(3))),
        ("reverted", Knows::Reverted, Told::Mined(Receipt { succeeded: false, ..mined(0) })),
        ("a creation", Knows::Creation, Told::Mined(created)),
    ] {
        let node = knowing(knows).await;
        assert_eq!(asked(&reader(&[&node])).await, Ok(expected), "{what}");
        // The chain's id, and the batch with what stands in it.
        let methods: Vec<_> = node.seen().into_iter().map(|asked| asked.method).collect();
        assert_eq!(methods, ["eth_chainId", BATCH, TRANSACTION, RECEIPT], "{what}");
    }
}

#[tokio::test]
async fn the_replies_of_a_batch_come_in_any_order() {
    let node = batching(Knows::Mined(2), || Say::EachBackwards).await;
    assert_eq!(asked(&reader(&[&node])).await, Ok(Told::Mined(mined(2))));
    assert_eq!(node.count(TRANSACTION), 1);
}

type Refused = (&'static str, fn() -> Say);

/// Ways to refuse a batch for being one.
fn refusals() -> Vec<Refused> {
    vec![
        ("an error", || Say::Error(json!({"code": -32600, "message": "batch requests are not supported"}))),
        ("an unclear error", || Say::Error(json!({"code": -32000, "message": "unmarshal error"}))),
        ("a status", || Say::Raw(400, b"bad request".to_vec())),
        ("a failure", || Say::Raw(500, b"oops".to_vec())),
        ("too large", || Say::Raw(413, Vec::new())),
        ("no list", || Say::Result(json!("0x1"))),
        ("nothing", || Say::Raw(200, Vec::new())),
        ("an empty list", || Say::Raw(200, b"[]".to_vec())),
        ("a list of one error", || {
            Say::Raw(200, br#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}]"#.to_vec())
        }),
    ]
}

#[tokio::test]
async fn who_takes_no_batches_is_asked_twice_and_remembered() {
    for (what, say) in refusals() {
        let node = batching(Knows::Mined(1), say).await;
        let reader = reader(&[&node]);
        for _ in 0..2 {
            assert_eq!(asked(&reader).await, Ok(Told::Mined(mined(1))), "{what}");
        }
        assert_eq!((node.count(BATCH), node.count(TRANSACTION), node.count(RECEIPT)), (1, 2, 2), "{what}");
        let status = reader.status();
        assert_eq!(status[0].endpoints[0].errors, 0, "{what} is no fault");
    }
}

#[tokio::test]
async fn batches_are_not_given_up_for_a_failure_of_everything() {
    let node = Node::start(|asked, number| match (asked.method.as_str(), number) {
        // The chain id, the batch, the two requests of the first round.
        (_, 1..=3) => Say::Raw(500, b"oops".to_vec()),
        _ => Knows::Mined(1).say(asked),
    })
    .await;
    assert_eq!(asked(&reader(&[&node])).await, Ok(Told::Mined(mined(1))));
    assert_eq!(node.count(BATCH), 2);
}

#[tokio::test]
async fn a_throttled_batch_is_not_asked_in_two() {
    let node = batching(Knows::Mined(1), || Say::Raw(429, b"slow down".to_vec())).await;
    let soon = Instant::now() + Duration::from_millis(500);
    assert_eq!(reader(&[&node]).transaction(ETHEREUM, HASH, soon).await, Err(ReadFailure::Upstream));
    assert_eq!((node.count(TRANSACTION), node.count(RECEIPT)), (0, 0));
}

#[tokio::test]
async fn an_endpoint_that_lags_does_not_hide_what_the_next_one_knows() {
    let (nothing, pending, included) =
        (knowing(Knows::Nothing).await, knowing(Knows::Pending).await, knowing(Knows::Mined(1)).await);
    assert_eq!(asked(&reader(&[&nothing, &included])).await, Ok(Told::Mined(mined(1))));
    assert_eq!(asked(&reader(&[&pending, &included])).await, Ok(Told::Mined(mined(1))));
    assert_eq!(asked(&reader(&[&nothing, &pending, &nothing])).await, Ok(Told::Pending));
    assert_eq!(asked(&reader(&[&nothing, &nothing])).await, Ok(Told::Unknown));
    let before = nothing.count(BATCH);
    assert_eq!(asked(&reader(&[&included, &nothing])).await, Ok(Told::Mined(mined(1))));
    assert_eq!(nothing.count(BATCH), before, "who is told asks no further");
}

#[tokio::test]
async fn a_failure_is_never_that_there_is_none() {
    let broken = || {
        Node::start(|asked, _| match asked.method.as_str() {
            BATCH | TRANSACTION | RECEIPT => Say::Raw(500, b"oops".to_vec()),
            _ => Chain::default().say(asked),
        })
    };
    for knows in [Knows::Nothing, Knows::Pending] {
        let (one, other) = (knowing(knows).await, broken().await);
        assert_eq!(asked(&reader(&[&one, &other])).await, Err(ReadFailure::Upstream));
        assert_eq!(asked(&reader(&[&other, &one])).await, Err(ReadFailure::Upstream));
    }
    let (included, other) = (knowing(Knows::Mined(1)).await, broken().await);
    assert_eq!(asked(&reader(&[&other, &included])).await, Ok(Told::Mined(mined(1))));
    assert_eq!(asked(&reader(&[&other])).await, Err(ReadFailure::Upstream));
}

#[tokio::test]
async fn an_endpoint_of_another_chain_has_no_say() {
    let wrong = Node::truthful(Chain { id: 5, ..Chain::default() }).await;
    let nothing = knowing(Knows::Nothing).await;
    assert_eq!(asked(&reader(&[&wrong, &nothing])).await, Ok(Told::Unknown));
    assert_eq!(asked(&reader(&[&wrong])).await, Err(ReadFailure::WrongChain));
    assert_eq!(wrong.seen().len(), 2, "each reader asks for the id alone");
}

#[tokio::test]
async fn the_deadline_is_kept_and_nobody_configured_is_told() {
    let hanging = Node::start(|_, _| Say::Hang).await;
    let nothing = knowing(Knows::Nothing).await;
    for nodes in [&[&hanging][..], &[&hanging, &nothing], &[&nothing, &hanging]] {
        let deadline = Instant::now() + Duration::from_millis(600);
        let told = reader(nodes).transaction(ETHEREUM, HASH, deadline).await;
        assert_eq!(told, Err(ReadFailure::Timeout));
        assert!(Instant::now() < deadline);
    }
    assert_eq!(asked(&reader_of(&[])).await, Err(ReadFailure::NotConfigured));
}

#[tokio::test]
async fn a_receipt_that_contradicts_itself_is_left_for_the_next_endpoint() {
    let good = knowing(Knows::Mined(1)).await;
    for knows in [Knows::Indexing, Knows::Removed] {
        let bad = knowing(knows).await;
        assert_eq!(asked(&reader(&[&bad])).await, Err(ReadFailure::Upstream));
        assert_eq!(asked(&reader(&[&bad, &good])).await, Ok(Told::Mined(mined(1))));
    }
}

#[tokio::test]
async fn five_thousand_logs_pass_and_a_body_beyond_the_bound_does_not() {
    let node = knowing(Knows::Mined(5_000)).await;
    let length = Knows::Mined(5_000).receipt().to_string().len();
    assert!(length > 2_500_000, "{length}");
    assert_eq!(asked(&reader(&[&node])).await, Ok(Told::Mined(mined(5_000))));
    let endless = Node::start(|asked, _| match asked.method.as_str() {
        BATCH | RECEIPT => Say::Padded(json!(null), BODY_MAX_BYTES),
        _ => Knows::Mined(1).say(asked),
    })
    .await;
    assert_eq!(asked(&reader(&[&endless])).await, Err(ReadFailure::Upstream));
    assert_eq!(asked(&reader(&[&endless, &node])).await, Ok(Told::Mined(mined(5_000))));
}

#[tokio::test]
async fn one_who_keeps_no_receipts_is_still_asked_for_reads() {
    let node = Node::start(|asked, _| match asked.method.as_str() {
        RECEIPT => Say::Error(json!({"code": -32601, "message": "the method does not exist"})),
        _ => Knows::Mined(1).say(asked),
    })
    .await;
    let reader = reader(&[&node]);
    for _ in 0..3 {
        assert_eq!(asked(&reader).await, Err(ReadFailure::Upstream));
    }
    let endpoint = reader.status()[0].endpoints[0].clone();
    assert_eq!((endpoint.state, endpoint.errors), (EndpointState::Primary, 0));
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [told(1)]);
}
