//! Nodes that know no block by its hash: they are read by number, and their replies prove the hash.

use alloy::primitives::B256;
use serde_json::{Value, json};

use super::node::{self, BLOCK, Chain, Node, NodeReply, NodeRequest};
use super::{ETHEREUM, ample, call, echo, echoed, outcomes, reader};
use crate::{Block, EndpointState, Outcome, Read, ReadFailure, Reader};

/// A node that supports the best method, and nodes that support only the others.
fn chains() -> [Chain; 3] {
    [Chain::default(), Chain::multicall(), Chain { multicall: false, ..Chain::multicall() }]
}

/// Errors of nodes without EIP-1898 about an object in the place of the block.
fn refusals() -> [Value; 4] {
    let go = "invalid argument 1: json: cannot unmarshal object into Go value of type string";
    [
        json!({"code": -32602, "message": go}),
        json!({"code": -32000, "message": "invalid block"}),
        json!({"code": -32603, "message": "internal error"}),
        // As if the block were not there. Only the same error for its newest block shows what is meant.
        json!({"code": -32000, "message": "header not found"}),
    ]
}

fn names_hash(request: &NodeRequest) -> bool {
    !request.params[1]["blockHash"].is_null()
}

async fn refusing(chain: Chain, refusal: Value) -> Node {
    Node::start(
        move |request, _| {
            if names_hash(request) { NodeReply::Error(refusal.clone()) } else { chain.reply_to(request) }
        },
    )
    .await
}

fn mixed_reads() -> Vec<Read> {
    vec![echo(1), Read { isolated: true, ..echo(2) }, call(node::NOBODY)]
}

#[tokio::test]
async fn a_node_that_refuses_block_hashes_is_read_by_number() {
    for chain in chains() {
        for refusal in refusals() {
            let node = refusing(chain, refusal.clone()).await;
            let reader = reader(&[&node]);
            assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK), "{refusal}");
            let answers = outcomes(&reader, mixed_reads(), ample()).await;
            assert_eq!(answers, [echoed(1), echoed(2), Outcome::NoCode], "{refusal}");
            let status = reader.status().remove(0).endpoints.remove(0);
            assert_eq!((status.state, status.errors), (EndpointState::Primary, 0), "{refusal}: {status:?}");
            // This is known by now: no hash is tried again.
            let before = node.seen().iter().filter(|request| names_hash(request)).count();
            assert_eq!(outcomes(&reader, vec![echo(3)], ample()).await, [echoed(3)], "{refusal}");
            assert_eq!(node.seen().iter().filter(|request| names_hash(request)).count(), before, "{refusal}");
        }
    }
}

#[tokio::test]
async fn what_is_read_by_number_at_another_block_is_not_believed() {
    let other = Block { hash: B256::repeat_byte(9), ..BLOCK };
    let later = Block { timestamp: BLOCK.timestamp + 12, ..BLOCK };
    for chain in chains() {
        let node = Node::start(move |request, _| match request.method.as_str() {
            _ if names_hash(request) => NodeReply::Error(refusals()[0].clone()),
            // It has another block at that height, which shows in its header or inside calls.
            "eth_getBlockByNumber" if request.params[0] != "latest" => NodeReply::Result(node::header(&other)),
            _ => Chain { runs_at: later, ..chain }.reply_to(request),
        })
        .await;
        let reader = reader(&[&node]);
        assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
        let answers = outcomes(&reader, vec![Read { isolated: true, ..echo(2) }], ample()).await;
        assert!(
            matches!(answers[..], [Outcome::Failed(ReadFailure::Upstream | ReadFailure::BlockLost)]),
            "{chain:?}: {answers:?}"
        );
    }
}

#[tokio::test]
async fn a_node_that_knows_hashes_is_asked_for_one_that_does_not_exist_alone() {
    let node = Node::truthful(Chain::default()).await;
    assert_eq!(reader(&[&node]).pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert_eq!(node.seen().iter().filter(|request| names_hash(request)).count(), 1);
}

#[tokio::test]
async fn another_word_for_an_unknown_block_is_not_a_refusal_of_hashes() {
    let node = Node::start(|request, _| match &request.params[1]["blockHash"] {
        hash if !hash.is_null() && *hash != json!(BLOCK.hash) => {
            NodeReply::Error(json!({"code": -32000, "message": "what is that?"}))
        }
        _ => Chain::default().reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    let is_of_read = |request: &NodeRequest| request.params[1]["blockHash"] == json!(BLOCK.hash);
    assert_eq!(node.seen().iter().filter(|request| is_of_read(request)).count(), 2, "the check and the read");
}
