//! The outcomes of reads: their order, their chunks, and their independence of their neighbours.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, U256, bytes};
use serde_json::json;
use tokio::time::Instant;

use super::node::{self, Chain, Node, NodeReply};
use super::{ample, call, echo, echoed, outcomes, reader, session};
use crate::Freshness;
use crate::methods::multicall::MULTICALL3;
use crate::{Block, Kind, Outcome, Read, ReadFailure};

fn is_packed(request: &node::NodeRequest) -> bool {
    request.method == "eth_call" && request.to() == Some(MULTICALL3) && request.params[2].is_null()
}

/// Returns true if the request is neither about the chain nor a probe of the node's capabilities.
fn is_read(request: &node::NodeRequest) -> bool {
    let probes = request.params[2].is_object() || request.params[0] == json!(MULTICALL3);
    !matches!(request.method.as_str(), "eth_chainId" | "eth_getBlockByNumber" | "eth_syncing" | node::BATCH) && !probes
}

#[tokio::test]
async fn twelve_hundred_reads_are_three_requests_and_keep_their_order() {
    let node = Node::truthful(Chain::multicall()).await;
    let answers = outcomes(&reader(&[&node]), (0..1200).map(echo).collect(), ample()).await;
    assert!(answers.into_iter().eq((0..1200).map(echoed)));
    assert_eq!(node.seen().iter().filter(|request| is_packed(request)).count(), 3);
}

#[tokio::test]
async fn every_request_names_the_pinned_block_by_hash() {
    let node = Node::truthful(Chain::multicall()).await;
    let reads = vec![echo(1), call(node::NOBODY), Read { isolated: true, ..echo(2) }, balance(node::ECHO)];
    let code_size = Read { kind: Kind::CodeSize, ..balance(node::ECHO) };
    outcomes(&reader(&[&node]), [reads, vec![code_size]].concat(), ample()).await;
    let seen = node.seen();
    let at_block = seen.iter().filter(|request| is_read(request)).collect::<Vec<_>>();
    assert!(at_block.len() >= 4, "{at_block:?}");
    for request in at_block {
        assert_eq!(request.params[1], json!({"blockHash": node::BLOCK.hash}), "{}", request.method);
    }
}

fn balance(of: Address) -> Read {
    Read { kind: Kind::NativeBalance, ..Read::call(of, Bytes::new()) }
}

#[tokio::test]
async fn a_read_of_the_packed_programs_own_address_is_requested_alone() {
    let node = Node::truthful(Chain::default()).await;
    let reads = [node::ECHO, MULTICALL3, node::NOBODY].map(balance).to_vec();
    outcomes(&reader(&[&node]), reads, ample()).await;
    let alone: Vec<_> = node.seen().into_iter().filter(|request| request.method == "eth_getBalance").collect();
    let [only] = &alone[..] else { panic!("{alone:?}") };
    assert_eq!(only.params[0], json!(MULTICALL3));
}

/// Reads of every kind, each with its outcome.
fn every_kind() -> Vec<(Read, Outcome)> {
    let sent_by = |sender: Address| Outcome::Ok(B256::from(sender.into_word()).into());
    vec![
        (echo(7), echoed(7)),
        (call(node::REVERTER), Outcome::Reverted(bytes!("deadbeef"))),
        (call(node::MUTE), Outcome::Reverted(Bytes::new())),
        (call(node::SILENT), Outcome::Ok(Bytes::new())),
        (call(node::NOBODY), Outcome::NoCode),
        (call(node::BURNER), Outcome::GasCap),
        (call(node::HALTER), Outcome::Reverted(Bytes::new())),
        (call(node::COSTLY), Outcome::Ok(bytes!("01020304"))),
        (call(node::SENDER), sent_by(MULTICALL3)),
        (Read { from: Some(node::ECHO), ..call(node::SENDER) }, sent_by(node::ECHO)),
        (Read { gas_cap: Some(900_000), ..call(node::COSTLY) }, Outcome::GasCap),
        (Read { gas_cap: Some(1_100_000), ..call(node::COSTLY) }, Outcome::Ok(bytes!("01020304"))),
        (Read { isolated: true, ..call(node::REVERTER) }, Outcome::Reverted(bytes!("deadbeef"))),
        (balance(node::ECHO), Outcome::Ok(node::word(U256::from(0xe0)))),
        (Read { kind: Kind::CodeSize, ..balance(node::ECHO) }, Outcome::Ok(node::word(U256::from(6)))),
        (Read { kind: Kind::CodeSize, ..balance(node::NOBODY) }, Outcome::Ok(node::word(U256::ZERO))),
    ]
}

#[tokio::test]
async fn a_read_has_the_same_outcome_together_and_alone() {
    let packed = Node::truthful(Chain::default()).await;
    let together = Node::truthful(Chain::multicall()).await;
    let thrifty = Node::truthful(Chain { thrifty: true, ..Chain::multicall() }).await;
    let without = Node::truthful(Chain { multicall: false, ..Chain::multicall() }).await;
    let (reads, expected): (Vec<_>, Vec<_>) = every_kind().into_iter().unzip();
    for node in [&packed, &together, &thrifty, &without] {
        assert_eq!(outcomes(&reader(&[node]), reads.clone(), ample()).await, expected);
        for (read, expected) in reads.iter().zip(&expected) {
            let alone = outcomes(&reader(&[node]), vec![read.clone()], ample()).await;
            assert_eq!(alone, std::slice::from_ref(expected), "{read:?}");
        }
    }
    assert!(without.seen().iter().all(|request| !is_packed(request)));
}

#[tokio::test]
async fn a_gas_burner_starves_no_neighbour_wherever_it_stands() {
    for thrifty in [false, true] {
        for place in [0, 250, 499] {
            let node = Node::truthful(Chain { thrifty, ..Chain::multicall() }).await;
            let mut reads: Vec<_> = (0..500).map(echo).collect();
            let mut expected: Vec<_> = (0..500).map(echoed).collect();
            reads[place] = call(node::BURNER);
            expected[place] = Outcome::GasCap;
            // After a burner that had 40 million gas, 610 thousand are left, which is too little for this one alone.
            reads[300] = call(node::COSTLY);
            expected[300] = Outcome::Ok(bytes!("01020304"));
            let reader = reader(&[&node]);
            assert_eq!(outcomes(&reader, reads.clone(), ample()).await, expected, "{place} {thrifty}");
            assert!(node.count("eth_call") <= 30, "{} requests", node.count("eth_call"));
            let before = node.count("eth_call");
            // At another block, because everything is known at this one.
            let block = Block { hash: node::OTHER_NAME, ..node::BLOCK };
            let again = session(&reader, block, ample()).read(reads).await;
            assert!(again.into_iter().map(|reply| reply.outcome).eq(expected), "{place} {thrifty}");
            assert_eq!(node.count("eth_call") - before, 2, "the burner is known now");
        }
    }
}

#[tokio::test]
async fn a_read_that_the_node_cannot_answer_takes_no_other_with_it() {
    let stumbles = |error: serde_json::Value| {
        move |request: &node::NodeRequest, _: usize| {
            let meets = request.to() == Some(node::STUMBLE)
                || node::packed(request).iter().any(|call| call.target == node::STUMBLE);
            if meets { NodeReply::Error(error.clone()) } else { Chain::multicall().reply_to(request) }
        }
    };
    for error in [
        json!({"code": -32000, "message": "method handler crashed"}),
        json!({"code": -32000, "message": "execution aborted (timeout = 5s)"}),
        json!({"code": -32008, "message": "Response is too big"}),
    ] {
        let node = Node::start(stumbles(error.clone())).await;
        let mut reads: Vec<_> = (0..100).map(echo).collect();
        let mut expected: Vec<_> = (0..100).map(echoed).collect();
        reads[42] = call(node::STUMBLE);
        expected[42] = Outcome::Failed(ReadFailure::Upstream);
        assert_eq!(outcomes(&reader(&[&node]), reads, ample()).await, expected, "{error}");
    }
}

#[tokio::test]
async fn a_chunk_that_is_too_large_for_the_node_is_split() {
    let node = Node::start(|request, _| match node::packed(request).len() {
        0..=40 => Chain::multicall().reply_to(request),
        _ => NodeReply::Raw(413, b"Request Entity Too Large".to_vec()),
    })
    .await;
    let answers = outcomes(&reader(&[&node]), (0..300).map(echo).collect(), ample()).await;
    assert!(answers.into_iter().eq((0..300).map(echoed)));
}

#[tokio::test]
async fn equal_reads_are_made_once() {
    let node = Node::truthful(Chain::multicall()).await;
    let reads =
        vec![echo(1), echo(2).fresh(Freshness::Immutable), echo(1), echo(2), Read { isolated: true, ..echo(1) }];
    let answers = outcomes(&reader(&[&node]), reads, ample()).await;
    assert_eq!(answers, [echoed(1), echoed(2), echoed(1), echoed(2), echoed(1)]);
    let packed: usize = node.seen().iter().map(|request| node::packed(request).len()).sum();
    assert_eq!((packed, node.calls(node::ECHO)), (2, 1));
}

#[tokio::test]
async fn immutable_reads_are_made_once_for_ever() {
    let node = Node::truthful(Chain::multicall()).await;
    let reader = reader(&[&node]);
    let reads = vec![echo(1).fresh(Freshness::Immutable), call(node::REVERTER).fresh(Freshness::Immutable), echo(3)];
    let first = session(&reader, node::BLOCK, ample()).read(reads.clone()).await;
    let block = Block { hash: node::OTHER_NAME, ..node::BLOCK };
    let second = session(&reader, block, ample()).read(reads).await;
    assert_eq!(first.iter().map(|reply| reply.cached).collect::<Vec<_>>(), [false, false, false]);
    assert_eq!(second.iter().map(|reply| reply.cached).collect::<Vec<_>>(), [true, false, false]);
    assert!(first.iter().zip(&second).all(|(first, second)| first.outcome == second.outcome));
    let last = node.seen().iter().rfind(|request| is_packed(request)).map(|request| node::packed(request).len());
    assert_eq!(last, Some(2));
}

#[tokio::test]
async fn no_reads_make_no_request() {
    let node = Node::truthful(Chain::multicall()).await;
    assert_eq!(outcomes(&reader(&[&node]), Vec::new(), ample()).await, []);
    assert!(node.seen().is_empty());
}

#[tokio::test]
async fn what_was_answered_before_the_deadline_is_kept() {
    let node = Node::start(|request, _| match request.to() {
        Some(node::SILENT) if request.method == "eth_call" => NodeReply::Hang,
        _ => Chain::multicall().reply_to(request),
    })
    .await;
    let hanging = Read { isolated: true, ..call(node::SILENT) };
    let deadline = Instant::now() + Duration::from_millis(400);
    let answers = outcomes(&reader(&[&node]), vec![echo(1), hanging], deadline).await;
    assert!(Instant::now() < deadline);
    assert_eq!(answers, [echoed(1), Outcome::Failed(ReadFailure::Timeout)]);
}

#[tokio::test]
async fn a_single_reply_of_another_chain_is_found_out_by_its_own_batch() {
    let of_other = Arc::new(AtomicBool::new(false));
    let node = Node::start(move |request, _| match request.method.as_str() {
        node::BATCH => {
            of_other.store(true, Ordering::SeqCst);
            NodeReply::Each
        }
        "eth_call" if of_other.load(Ordering::SeqCst) => NodeReply::Result(json!("0x05060708")),
        // The next request goes to the right chain again.
        "eth_chainId" if of_other.swap(false, Ordering::SeqCst) => NodeReply::Result(json!("0x5")),
        _ => Chain::default().reply_to(request),
    })
    .await;
    let alone = Read { from: Some(node::ECHO), ..call(node::COSTLY) };
    let answers = outcomes(&reader(&[&node]), vec![alone], ample()).await;
    assert_eq!(answers, [Outcome::Failed(ReadFailure::WrongChain)]);
}

#[tokio::test]
async fn an_endpoint_that_takes_no_batches_gets_single_requests_alone_and_is_remembered() {
    let node = Node::start(|request, _| match request.method.as_str() {
        node::BATCH => NodeReply::Error(json!({"code": -32600, "message": "batches are not allowed"})),
        _ => Chain::default().reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    for _ in 0..2 {
        let heavy = Read { from: Some(node::ECHO), ..call(node::COSTLY) };
        assert_eq!(outcomes(&reader, vec![heavy], ample()).await, [Outcome::Ok(bytes!("01020304"))]);
    }
    assert_eq!(node.count(node::BATCH), 1);
}
