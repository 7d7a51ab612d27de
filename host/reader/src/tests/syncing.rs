//! Nodes that are still syncing, or stopped: they are not believed, and the first of two sound ones leads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy::primitives::B256;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::node::{self, BLOCK, Chain, Node, NodeReply, NodeRequest};
use super::{AMPLE, ETHEREUM, ample, echo, echoed, outcomes, reader};
use crate::{Block, ChainReader, EndpointState, EndpointStatus, Outcome, ReadFailure, Reader};

/// Makes a node that reports to be syncing while the flag is set.
async fn syncing() -> (Node, Arc<AtomicBool>) {
    let syncing = Arc::new(AtomicBool::new(true));
    let is_syncing = Arc::clone(&syncing);
    let script = move |request: &NodeRequest, _| match request.method.as_str() {
        "eth_syncing" if is_syncing.load(Ordering::SeqCst) => {
            NodeReply::Result(json!({"startingBlock": "0x0", "currentBlock": "0x10", "highestBlock": "0x3e8"}))
        }
        "eth_syncing" => NodeReply::Result(json!(false)),
        _ => Chain::default().reply_to(request),
    };
    (Node::start(script).await, syncing)
}

fn status(reader: &ChainReader, place: usize) -> EndpointStatus {
    reader.status().remove(0).endpoints.remove(place)
}

/// Waits until it holds.
async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let deadline = Instant::now() + AMPLE;
    while !holds().await {
        assert!(Instant::now() < deadline, "{what}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// Counts the reads at the pinned block.
fn reads(node: &Node) -> usize {
    node.seen().iter().filter(|request| request.params[1]["blockHash"] == json!(BLOCK.hash)).count()
}

#[tokio::test]
async fn a_node_that_is_still_syncing_is_not_read_and_is_told() {
    let (node, _syncing) = syncing().await;
    let reader = reader(&[&node]);
    let failure = ReadFailure::Syncing;
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Err(failure));
    for number in 0..3 {
        assert_eq!(outcomes(&reader, vec![echo(number)], ample()).await, [Outcome::Failed(failure)]);
        assert_eq!(reader.transaction(ETHEREUM, B256::ZERO, ample()).await, Err(failure));
    }
    assert_eq!((reads(&node), node.count("eth_syncing")), (0, 1), "it is remembered");
    let status = status(&reader, 0);
    assert_eq!((status.state, status.errors), (EndpointState::Syncing, 0));
    assert_eq!(status.last_failure.unwrap().reason, "its node is still syncing");
}

#[tokio::test]
async fn beside_a_sound_endpoint_one_that_is_still_syncing_is_never_read() {
    for is_first in [true, false] {
        let ((node, _syncing), sound) = (syncing().await, Node::truthful(Chain::default()).await);
        let nodes = if is_first { [&node, &sound] } else { [&sound, &node] };
        let (reader, place) = (reader(&nodes), usize::from(!is_first));
        assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
        until("it is asked", async || status(&reader, place).state == EndpointState::Syncing).await;
        for number in 0..5 {
            assert_eq!(outcomes(&reader, vec![echo(number)], ample()).await, [echoed(number)]);
        }
        assert_eq!(status(&reader, 1 - place).state, EndpointState::Primary);
        assert_eq!(reads(&node), 0);
    }
}

#[tokio::test]
async fn a_node_is_used_once_it_says_that_it_is_in_step() {
    let (node, syncing) = syncing().await;
    let reader = reader(&[&node]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Err(ReadFailure::Syncing));
    syncing.store(false, Ordering::SeqCst);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(6)).await;
    tokio::time::resume();
    until("it is used", async || reader.pin(ETHEREUM, ample()).await.is_ok()).await;
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    assert_eq!(status(&reader, 0).state, EndpointState::Primary);
}

#[tokio::test]
async fn a_node_that_never_says_whether_it_is_syncing_is_read() {
    let node = Node::start(|request, _| match request.method.as_str() {
        "eth_syncing" => NodeReply::Hang,
        _ => Chain::default().reply_to(request),
    })
    .await;
    let (reader, start) = (reader(&[&node]), Instant::now());
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    assert!(start.elapsed() < AMPLE / 4, "{:?}", start.elapsed());
    assert_eq!(status(&reader, 0).errors, 0);
}

#[tokio::test]
async fn a_node_whose_head_is_old_is_not_first_where_another_has_new_blocks() {
    let old = Block { number: 700, evm_number: 700, timestamp: BLOCK.timestamp - 3_600, ..BLOCK };
    let stopped = Node::start(move |request, _| match request.method.as_str() {
        "eth_getBlockByNumber" => NodeReply::Result(node::header(&old)),
        _ => Chain { runs_at: old, ..Chain::default() }.reply_to(request),
    })
    .await;
    let sound = Node::truthful(Chain::default()).await;
    for nodes in [[&stopped, &sound], [&sound, &stopped]] {
        let reader = reader(&nodes);
        assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
        assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    }
    let alone = reader(&[&stopped]);
    assert_eq!(alone.pin(ETHEREUM, ample()).await, Ok(old), "its age is told with the block");
}

#[tokio::test]
async fn of_two_sound_endpoints_the_first_leads_from_the_start() {
    let without_overrides = || {
        Node::start(|request, _| {
            if request.params[2].is_object() {
                return NodeReply::Error(json!({"code": -32602, "message": "too many arguments, want at most 2"}));
            }
            Chain::default().reply_to(request)
        })
    };
    let (first, second) = (without_overrides().await, without_overrides().await);
    let reader = reader(&[&first, &second]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    until("both are probed", async || status(&reader, 1).batch_method.is_some()).await;
    for number in 0..5 {
        assert_eq!(outcomes(&reader, vec![echo(number)], ample()).await, [echoed(number)]);
    }
    let states = [0, 1].map(|place| (status(&reader, place).state, status(&reader, place).errors));
    assert_eq!(states, [(EndpointState::Primary, 0), (EndpointState::Standby, 0)]);
    assert!(reads(&first) >= 5 && second.calls(node::ECHO) == 0);
}
