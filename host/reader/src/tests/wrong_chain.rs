//! A URL that comes to lead to a node of another chain: none of that node's replies is believed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use alloy::primitives::{B256, U64, U256};
use serde_json::{Value, json};

use super::node::{self, BLOCK, Chain, Node, NodeReply, NodeRequest};
use super::{ETHEREUM, ample, echo, echoed, outcomes, reader};
use crate::endpoints::endpoint::Endpoint;
use crate::wire::error::EndpointError;
use crate::wire::transport::Pool;
use crate::{BatchMethod, Block, ChainReader, EndpointState, Kind, Limits, Outcome, Read, ReadFailure, Reader};

const OTHER_CHAIN: u64 = 5;
const WRONG: Outcome = Outcome::Failed(ReadFailure::WrongChain);

/// Chains by how their nodes can be read, each with the best batch method.
fn chains() -> [(Chain, BatchMethod); 3] {
    let single = Chain { multicall: false, ..Chain::multicall() };
    [
        (Chain::default(), BatchMethod::Override),
        (Chain::multicall(), BatchMethod::Multicall3),
        (single, BatchMethod::Single),
    ]
}

/// Makes a node whose URL leads to the second chain once the flag is set.
async fn turning(right: Chain, wrong: Chain) -> (Node, Arc<AtomicBool>) {
    let turned = Arc::new(AtomicBool::new(false));
    let is_turned = Arc::clone(&turned);
    let script = move |request: &NodeRequest, _| {
        if is_turned.load(Ordering::SeqCst) { wrong.reply_to(request) } else { right.reply_to(request) }
    };
    (Node::start(script).await, turned)
}

/// Reads that are packed, and reads that are made alone.
fn reads(first: u32) -> Vec<Read> {
    let balance = Read { kind: Kind::NativeBalance, ..echo(first) };
    let capped = Read { gas_cap: Some(100_000), ..echo(first + 1) };
    vec![
        balance,
        echo(first),
        Read { isolated: true, ..echo(first + 2) },
        capped,
        Read { from: Some(node::SENDER), ..echo(first + 3) },
    ]
}

fn right_outcomes(first: u32) -> Vec<Outcome> {
    let balance = Outcome::Ok(node::word(U256::from(node::ECHO[19])));
    vec![balance, echoed(first), echoed(first + 2), echoed(first + 1), echoed(first + 3)]
}

fn state(reader: &ChainReader, place: usize) -> EndpointState {
    reader.status()[0].endpoints[place].state
}

#[tokio::test]
async fn reads_of_another_chain_are_not_believed() {
    for (right, method) in chains() {
        // The other chain has the block, or its node does not check.
        for hashes in [true, false] {
            let (node, turned) = turning(right, Chain { id: OTHER_CHAIN, hashes, ..right }).await;
            let sound = Node::truthful(right).await;
            let (alone, both) = (reader(&[&node]), reader(&[&node, &sound]));
            for reader in [&alone, &both] {
                assert_eq!(outcomes(reader, reads(10), ample()).await, right_outcomes(10), "{method:?}");
                assert_eq!(reader.status()[0].endpoints[0].batch_method, Some(method));
            }
            turned.store(true, Ordering::SeqCst);
            assert_eq!(outcomes(&alone, reads(20), ample()).await, vec![WRONG; 5], "{method:?}");
            assert_eq!(outcomes(&both, reads(20), ample()).await, right_outcomes(20), "{method:?}");
            for reader in [&alone, &both] {
                let status = reader.status().remove(0).endpoints.remove(0);
                assert_eq!((status.state, status.batch_method), (EndpointState::WrongChain, None), "{method:?}");
            }
            assert_eq!(state(&both, 1), EndpointState::Primary);
            // This is known by now: nothing more is requested of it.
            let seen = node.seen().len();
            assert_eq!(outcomes(&alone, reads(30), ample()).await, vec![WRONG; 5], "{method:?}");
            assert_eq!(outcomes(&both, reads(30), ample()).await, right_outcomes(30), "{method:?}");
            assert_eq!(node.seen().len(), seen, "{method:?}");
        }
    }
}

#[tokio::test]
async fn each_kind_of_read_is_proven_for_itself() {
    for (right, method) in chains() {
        for place in 0..5 {
            let (node, turned) = turning(right, Chain { id: OTHER_CHAIN, ..right }).await;
            let reader = reader(&[&node]);
            assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
            turned.store(true, Ordering::SeqCst);
            let one = reads(10).remove(place);
            assert_eq!(outcomes(&reader, vec![one.clone()], ample()).await, [WRONG], "{method:?}: {one:?}");
        }
    }
}

#[tokio::test]
async fn a_node_that_refuses_the_block_for_being_of_another_chain_is_found_out() {
    let refuses = |request: &NodeRequest| match request.method.as_str() {
        "eth_chainId" => NodeReply::Result(json!(U64::from(OTHER_CHAIN))),
        _ => NodeReply::Error(json!({"code": -32000, "message": "header not found"})),
    };
    for (right, method) in chains() {
        let turned = Arc::new(AtomicBool::new(false));
        let is_turned = Arc::clone(&turned);
        let script = move |request: &NodeRequest, _| {
            if is_turned.load(Ordering::SeqCst) { refuses(request) } else { right.reply_to(request) }
        };
        let node = Node::start(script).await;
        let reader = reader(&[&node]);
        assert_eq!(outcomes(&reader, reads(10), ample()).await, right_outcomes(10), "{method:?}");
        turned.store(true, Ordering::SeqCst);
        assert_eq!(outcomes(&reader, reads(20), ample()).await, vec![WRONG; 5], "{method:?}");
    }
}

#[tokio::test]
async fn what_was_read_alone_before_the_chain_changed_is_taken_back() {
    let single = Chain { multicall: false, ..Chain::multicall() };
    let left = Arc::new(AtomicU64::new(u64::MAX));
    let counted = Arc::clone(&left);
    let node = Node::start(move |request, _| {
        let is_right = match request.method.as_str() {
            "eth_call" => counted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok(),
            _ => counted.load(Ordering::SeqCst) > 0,
        };
        Chain { id: if is_right { ETHEREUM } else { OTHER_CHAIN }, ..single }.reply_to(request)
    })
    .await;
    let reader = reader(&[&node]);
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    left.store(40, Ordering::SeqCst);
    assert_eq!(outcomes(&reader, (100..164).map(echo).collect(), ample()).await, vec![WRONG; 64]);
}

#[tokio::test]
async fn single_reads_share_requests_for_the_chain_id() {
    let node = Node::truthful(Chain { multicall: false, ..Chain::multicall() }).await;
    let reader = reader(&[&node]);
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    assert_eq!(node.count("eth_chainId"), 2, "before the first request and after the read");
    let answers = outcomes(&reader, (100..300).map(echo).collect(), ample()).await;
    assert!(answers.into_iter().eq((100..300).map(echoed)));
    assert!(node.count("eth_chainId") < 100, "{}", node.count("eth_chainId"));
}

#[tokio::test]
async fn packed_reads_need_no_request_for_the_chain_id() {
    for chain in [Chain::default(), Chain::multicall()] {
        let node = Node::truthful(chain).await;
        let reader = reader(&[&node]);
        outcomes(&reader, (0..600).map(echo).collect(), ample()).await;
        assert_eq!(node.count("eth_chainId"), 1);
    }
}

#[tokio::test]
async fn a_transaction_of_another_chain_is_not_believed() {
    // Neither chain knows it, but the other one cannot speak for this one.
    let unknown = |id: u64| {
        move |request: &NodeRequest| match request.method.as_str() {
            "eth_getTransactionByHash" | "eth_getTransactionReceipt" => NodeReply::Result(Value::Null),
            _ => Chain { id, ..Chain::default() }.reply_to(request),
        }
    };
    let turned = Arc::new(AtomicBool::new(false));
    let is_turned = Arc::clone(&turned);
    let script = move |request: &NodeRequest, _| {
        if is_turned.load(Ordering::SeqCst) { unknown(OTHER_CHAIN)(request) } else { unknown(ETHEREUM)(request) }
    };
    let node = Node::start(script).await;
    let reader = reader(&[&node]);
    let hash = B256::repeat_byte(7);
    assert!(reader.transaction(ETHEREUM, hash, ample()).await.is_ok());
    turned.store(true, Ordering::SeqCst);
    assert_eq!(reader.transaction(ETHEREUM, hash, ample()).await, Err(ReadFailure::WrongChain));
}

/// Makes a node with these heads, one after the other, and this chain id.
async fn with_heads(heads: Vec<Block>, chain_id: Arc<AtomicU64>) -> Node {
    let next = AtomicU64::new(0);
    Node::start(move |request, _| match request.method.as_str() {
        "eth_chainId" => NodeReply::Result(json!(U64::from(chain_id.load(Ordering::SeqCst)))),
        "eth_getBlockByNumber" => {
            let place = usize::try_from(next.fetch_add(1, Ordering::SeqCst)).unwrap();
            NodeReply::Result(node::header(&heads[place.min(heads.len() - 1)]))
        }
        _ => NodeReply::Error(json!({"code": -32601, "message": "Method not found"})),
    })
    .await
}

fn block(number: u64) -> Block {
    let hash = |number: u64| B256::from(U256::from(number));
    Block { number, evm_number: number, hash: hash(number), parent: hash(number - 1), ..BLOCK }
}

#[tokio::test]
async fn a_head_that_does_not_follow_the_last_one_is_suspicious() {
    // The head that comes after head 100, and whether the chain id is requested for it.
    for (what, head, is_suspicious) in [
        ("the same", block(100), false),
        ("its child", block(101), false),
        ("a jump", block(102), true),
        ("a far jump", block(1_000_000), true),
        ("its parent", block(99), true),
        ("a far fall", block(7), true),
        ("another at its height", Block { hash: B256::repeat_byte(9), ..block(100) }, true),
    ] {
        for id in [ETHEREUM, OTHER_CHAIN] {
            let chain_id = Arc::new(AtomicU64::new(ETHEREUM));
            let node = with_heads(vec![block(100), head], Arc::clone(&chain_id)).await;
            let endpoint = Endpoint::new(ETHEREUM, node.url().parse().unwrap(), &Pool::default(), Limits::default());
            assert_eq!(endpoint.newest_block(ample()).await, Ok(block(100)), "{what}");
            assert_eq!(node.count("eth_chainId"), 1, "{what}");
            chain_id.store(id, Ordering::SeqCst);
            let is_wrong = is_suspicious && id == OTHER_CHAIN;
            let expected = if is_wrong { Err(EndpointError::WrongChain(OTHER_CHAIN)) } else { Ok(head) };
            assert_eq!(endpoint.newest_block(ample()).await, expected, "{what}");
            assert_eq!(node.count("eth_chainId"), 1 + usize::from(is_suspicious), "{what}");
        }
    }
}
