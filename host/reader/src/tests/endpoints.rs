//! Which endpoint is read, and the failures when none replies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use alloy::primitives::B256;
use serde_json::json;
use tokio::time::Instant;

use super::node::{self, BLOCK, Chain, Node, NodeReply};
use super::{ETHEREUM, ample, call, echo, echoed, outcomes, reader, reader_of, session};
use crate::methods::multicall::MULTICALL3;
use crate::wire::transport::BODY_MAX_BYTES;
use crate::{Block, BlockRef, EndpointState, Outcome, Read, ReadFailure, Reader};

fn wrong_chain() -> Chain {
    Chain { id: 5, ..Chain::multicall() }
}

async fn hanging() -> Node {
    Node::start(|_, _| NodeReply::Hang).await
}

/// Reads that are made in every way: packed, alone, and with a request for code.
fn mixed_reads() -> Vec<Read> {
    vec![echo(1), Read { isolated: true, ..echo(2) }, call(node::NOBODY)]
}

fn mixed_outcomes() -> Vec<Outcome> {
    vec![echoed(1), echoed(2), Outcome::NoCode]
}

fn failed(failure: ReadFailure) -> Vec<Outcome> {
    vec![Outcome::Failed(failure); 3]
}

#[tokio::test]
async fn the_newest_block_of_the_first_endpoint_is_pinned() {
    let node = Node::truthful(Chain::multicall()).await;
    assert_eq!(reader(&[&node]).pin(ETHEREUM, ample()).await, Ok(BLOCK));
}

#[tokio::test]
async fn contracts_on_arbitrum_see_the_number_that_its_header_reports() {
    let node = Node::start(|request, _| match request.method.as_str() {
        "eth_getBlockByNumber" => {
            let mut header = node::header(&BLOCK);
            header["l1BlockNumber"] = json!("0x10");
            NodeReply::Result(header)
        }
        _ => Chain { runs_at: Block { evm_number: 17, ..BLOCK }, ..Chain::multicall() }.reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    let block = reader.pin(ETHEREUM, ample()).await.unwrap();
    assert_eq!(block, Block { evm_number: 16, ..BLOCK });
    // Nodes there differ by a block of Ethereum inside calls; the timestamp proves the block.
    let replies = session(&reader, block, ample()).read(vec![echo(1)]).await;
    assert_eq!(replies[0].outcome, echoed(1));
}

#[tokio::test]
async fn a_wrong_chain_gets_a_request_for_its_id_alone() {
    let wrong = Node::truthful(wrong_chain()).await;
    let reader = reader(&[&wrong]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Err(ReadFailure::WrongChain));
    assert_eq!(outcomes(&reader, mixed_reads(), ample()).await, failed(ReadFailure::WrongChain));
    assert_eq!(wrong.seen().len(), 1, "and it is remembered");
    assert_eq!(wrong.count("eth_chainId"), 1);
}

#[tokio::test]
async fn a_wrong_chain_is_stepped_over() {
    let (wrong, right) = (Node::truthful(wrong_chain()).await, Node::truthful(Chain::multicall()).await);
    let reader = reader(&[&wrong, &right]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert_eq!(right.count("eth_chainId"), 1);
    assert_eq!(outcomes(&reader, mixed_reads(), ample()).await, mixed_outcomes());
    assert_eq!(wrong.seen().len(), 1);
    assert!(right.count("eth_chainId") > 1, "single reads need it after them");
}

#[tokio::test]
async fn a_hanging_endpoint_leaves_time_for_the_next_and_is_remembered() {
    let (hanging, good) = (hanging().await, Node::truthful(Chain::multicall()).await);
    let reader = reader(&[&hanging, &good]);
    assert_eq!(reader.pin(ETHEREUM, Instant::now() + Duration::from_secs(2)).await, Ok(BLOCK));
    let start = Instant::now();
    assert_eq!(outcomes(&reader, mixed_reads(), start + Duration::from_secs(10)).await, mixed_outcomes());
    // A share of these ten seconds would have been five.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(hanging.count("eth_call"), 0);
}

#[tokio::test]
async fn a_single_endpoint_is_read_though_it_failed() {
    let node = Node::start(|request, number| match number {
        0 => NodeReply::Raw(500, Vec::new()),
        _ => Chain::multicall().reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_is_kept_when_all_hang() {
    let (one, two) = (hanging().await, hanging().await);
    let reader = reader(&[&one, &two]);
    let deadline = Instant::now() + Duration::from_millis(300);
    assert_eq!(reader.pin(ETHEREUM, deadline).await, Err(ReadFailure::Timeout));
    assert!(Instant::now() < deadline);
    let deadline = Instant::now() + Duration::from_millis(300);
    assert_eq!(outcomes(&reader, mixed_reads(), deadline).await, failed(ReadFailure::Timeout));
    assert!(Instant::now() < deadline);
    assert_eq!(outcomes(&reader, mixed_reads(), Instant::now()).await, failed(ReadFailure::Timeout));
}

#[tokio::test]
async fn no_endpoint_and_an_unreachable_one_are_failures_of_their_own() {
    let nobody = reader_of(&[]);
    assert_eq!(nobody.pin(ETHEREUM, ample()).await, Err(ReadFailure::NotConfigured));
    assert_eq!(outcomes(&nobody, mixed_reads(), ample()).await, failed(ReadFailure::NotConfigured));
    let gone = Node::truthful(Chain::multicall()).await.url();
    let refused = reader_of(&[gone]);
    assert_eq!(refused.pin(ETHEREUM, ample()).await, Err(ReadFailure::Upstream));
    assert_eq!(outcomes(&refused, mixed_reads(), ample()).await, failed(ReadFailure::Upstream));
    assert_eq!(refused.pin(137, ample()).await, Err(ReadFailure::NotConfigured));
}

type Nonsense = (&'static str, fn() -> NodeReply);

/// Useless replies, from the first request on or after the chain id was reported.
fn nonsense() -> Vec<Nonsense> {
    vec![
        ("status 500", || NodeReply::Raw(500, b"oops".to_vec())),
        ("redirect", || NodeReply::Raw(302, Vec::new())),
        ("empty body", || NodeReply::Raw(200, Vec::new())),
        ("no JSON", || NodeReply::Raw(200, b"<html>".to_vec())),
        ("truncated", || NodeReply::Raw(200, br#"{"jsonrpc":"2.0","id":0,"result":"0x"#.to_vec())),
        ("a batch", || NodeReply::Raw(200, br#"[{"jsonrpc":"2.0","id":0,"result":"0x1"}]"#.to_vec())),
        ("another id", || NodeReply::Raw(200, br#"{"jsonrpc":"2.0","id":999,"result":"0x1"}"#.to_vec())),
        ("null", || NodeReply::Result(json!(null))),
        ("wrong shape", || NodeReply::Result(json!({"number": []}))),
        ("wrong text", || NodeReply::Result(json!("0xzz"))),
        ("internal error", || NodeReply::Error(json!({"code": -32603, "message": "internal error"}))),
        ("rate limit", || NodeReply::Error(json!({"code": -32005, "message": "rate limit reached"}))),
        ("no such method", || NodeReply::Error(json!({"code": -32601, "message": "no such method"}))),
        ("rate limit by status", || {
            NodeReply::Raw(429, br#"{"error":{"code":429,"message":"slow down"},"id":0}"#.to_vec())
        }),
        ("too much", || NodeReply::Padded(json!("0x1"), BODY_MAX_BYTES)),
    ]
}

#[tokio::test]
async fn nonsense_is_an_upstream_failure_and_the_next_endpoint_is_read() {
    let good = Node::truthful(Chain::multicall()).await;
    for (what, reply) in nonsense() {
        let bad = Node::start(move |_, _| reply()).await;
        let alone = reader(&[&bad]);
        assert_eq!(alone.pin(ETHEREUM, ample()).await, Err(ReadFailure::Upstream), "{what}");
        assert!(!alone.is_usable(ample()).await, "{what}");
        let both = reader(&[&bad, &good]);
        assert_eq!(both.pin(ETHEREUM, ample()).await, Ok(BLOCK), "{what}");
        assert_eq!(outcomes(&both, mixed_reads(), ample()).await, mixed_outcomes(), "{what}");
    }
}

#[tokio::test]
async fn nonsense_to_reads_alone_is_an_upstream_failure_and_the_next_endpoint_is_read() {
    let good = Node::truthful(Chain::multicall()).await;
    for method in ["eth_call", "eth_getCode"] {
        for (what, reply) in nonsense() {
            let bad =
                Node::start(
                    move |request, _| {
                        if request.method == method { reply() } else { Chain::multicall().reply_to(request) }
                    },
                )
                .await;
            let alone = reader(&[&bad]);
            assert_eq!(alone.pin(ETHEREUM, ample()).await, Ok(BLOCK), "{what} to {method}");
            // Too short for the pauses that it asks for.
            let until = if what.starts_with("rate limit") { Instant::now() + Duration::from_secs(1) } else { ample() };
            assert_eq!(
                outcomes(&alone, mixed_reads(), until).await,
                failed(ReadFailure::Upstream),
                "{what} to {method}"
            );
            assert_eq!(
                outcomes(&reader(&[&bad, &good]), mixed_reads(), ample()).await,
                mixed_outcomes(),
                "{what} to {method}"
            );
        }
    }
}

#[tokio::test]
async fn a_body_is_read_up_to_its_bound() {
    // The reply without its padding has less than a hundred bytes.
    for (spaces, usable) in [(BODY_MAX_BYTES - 100, true), (BODY_MAX_BYTES, false)] {
        let node = Node::start(move |_, _| NodeReply::Padded(json!("0x1"), spaces)).await;
        assert_eq!(reader(&[&node]).is_usable(ample()).await, usable, "{spaces}");
    }
}

#[tokio::test]
async fn a_node_that_answers_no_single_read_is_soon_given_up() {
    let node = Node::start(|request, _| match request.to() {
        Some(node::ECHO) => NodeReply::Error(json!({"code": -32603, "message": "internal error"})),
        _ => Chain::multicall().reply_to(request),
    })
    .await;
    let reads = (0..200).map(|number| Read { isolated: true, ..echo(number) }).collect();
    let answers = outcomes(&reader(&[&node]), reads, ample()).await;
    assert!(answers.iter().all(|outcome| *outcome == Outcome::Failed(ReadFailure::Upstream)));
    // Three rounds, each left after sixteen requests in flight and sixteen unclear errors.
    assert!(node.calls(node::ECHO) <= 3 * 32, "{}", node.calls(node::ECHO));
}

#[tokio::test]
async fn a_single_read_is_not_believed_before_the_block_is_proven() {
    let unproven = Node::start(|request, _| match request.to() {
        Some(MULTICALL3) if request.params[2].is_null() => NodeReply::Hang,
        _ => Chain::multicall().reply_to(request),
    })
    .await;
    let single = vec![Read { isolated: true, ..echo(2) }];
    let deadline = Instant::now() + Duration::from_millis(400);
    let answers = outcomes(&reader(&[&unproven]), single, deadline).await;
    assert_eq!(answers, [Outcome::Failed(ReadFailure::Timeout)]);
    assert_eq!(unproven.calls(node::ECHO), 1);
}

#[tokio::test]
async fn an_unknown_block_is_retried_at_the_same_endpoint() {
    let good = Node::truthful(Chain::multicall()).await;
    let lags = |times: usize| {
        let left = AtomicUsize::new(times);
        move |request: &node::NodeRequest, _: usize| {
            use std::sync::atomic::Ordering::Relaxed;
            let unknown = request.params[0] == json!(node::NOBODY)
                && left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok();
            if unknown {
                NodeReply::Error(json!({"code": -32000, "message": "header not found"}))
            } else {
                Chain::multicall().reply_to(request)
            }
        }
    };
    let twice = Node::start(lags(2)).await;
    assert_eq!(outcomes(&reader(&[&twice]), mixed_reads(), ample()).await, mixed_outcomes());
    let for_ever = Node::start(lags(usize::MAX)).await;
    let soon = Instant::now() + Duration::from_secs(2);
    let unknown = outcomes(&reader(&[&for_ever]), vec![call(node::NOBODY)], soon).await;
    assert_eq!(unknown, [Outcome::Failed(ReadFailure::BlockLost)]);
    assert!(Instant::now() < soon, "there is time for another block");
    // Three in a round, and one for the code of Multicall3; the chain has the block, so there is more than one round.
    assert!(for_ever.count("eth_getCode") > 3 + 1);
    assert_eq!(outcomes(&reader(&[&for_ever, &good]), mixed_reads(), ample()).await, mixed_outcomes());
}

#[tokio::test]
async fn an_endpoint_that_ignores_the_block_is_not_believed() {
    let later = Block { number: 1001, evm_number: 1001, timestamp: BLOCK.timestamp + 12, ..BLOCK };
    let ignores = Node::truthful(Chain { runs_at: later, ..Chain::multicall() }).await;
    let good = Node::truthful(Chain::multicall()).await;
    let single = vec![Read { isolated: true, ..echo(2) }];
    assert_eq!(outcomes(&reader(&[&ignores]), mixed_reads(), ample()).await, failed(ReadFailure::Upstream));
    let alone = outcomes(&reader(&[&ignores]), single.clone(), ample()).await;
    assert_eq!(alone, [Outcome::Failed(ReadFailure::Upstream)]);
    assert_eq!(outcomes(&reader(&[&ignores, &good]), mixed_reads(), ample()).await, mixed_outcomes());
    assert_eq!(outcomes(&reader(&[&ignores, &good]), single, ample()).await, [echoed(2)]);
}

#[tokio::test]
async fn a_second_endpoint_is_read_only_for_what_is_missing() {
    let first = Node::start(|request, _| match request.to() {
        Some(node::SENDER) => NodeReply::Raw(500, Vec::new()),
        _ => Chain::multicall().reply_to(request),
    })
    .await;
    let second = Node::truthful(Chain::multicall()).await;
    let failing = Read { isolated: true, from: Some(node::ECHO), ..call(node::SENDER) };
    let reader = reader(&[&first, &second]);
    // One after the other, so that the packed reads are answered before the failing one is sent.
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    let sent = Outcome::Ok(node::ECHO.into_word().into());
    assert_eq!(outcomes(&reader, vec![failing], ample()).await, [sent]);
    assert_eq!(second.calls(node::SENDER), 1);
}

#[tokio::test]
async fn one_endpoint_that_reports_its_chain_makes_the_reader_usable() {
    let (wrong, hanging) = (Node::truthful(wrong_chain()).await, hanging().await);
    let soon = || Instant::now() + Duration::from_millis(300);
    assert!(!reader_of(&[]).is_usable(soon()).await);
    assert!(!reader(&[&wrong, &hanging]).is_usable(soon()).await);
    let good = Node::truthful(Chain::multicall()).await;
    assert!(reader(&[&wrong, &hanging, &good]).is_usable(soon()).await);
}

#[tokio::test]
async fn a_read_that_takes_too_long_is_not_held_against_an_endpoint_that_answers_others() {
    for (hangs_at_all, state) in [(false, EndpointState::Primary), (true, EndpointState::Excluded)] {
        let hangs = Arc::new(AtomicBool::new(false));
        let is_hanging = Arc::clone(&hangs);
        let node = Node::start(move |request, _| {
            let is_slow = hangs_at_all || request.params[0]["from"] == json!(node::SENDER);
            match request.method.as_str() {
                "eth_call" if is_slow && is_hanging.load(Ordering::SeqCst) => NodeReply::Hang,
                _ => Chain { multicall: false, ..Chain::multicall() }.reply_to(request),
            }
        })
        .await;
        let reader = reader(&[&node]);
        assert_eq!(outcomes(&reader, vec![echo(0)], ample()).await, [echoed(0)]);
        hangs.store(true, Ordering::SeqCst);
        for number in 1..=3 {
            let slow = Read { from: Some(node::SENDER), ..echo(number) };
            let soon = Instant::now() + Duration::from_millis(1_200);
            assert_eq!(outcomes(&reader, vec![slow], soon).await, [Outcome::Failed(ReadFailure::Timeout)]);
        }
        let status = reader.status().remove(0).endpoints.remove(0);
        assert_eq!(status.state, state, "{status:?}");
    }
}

#[tokio::test]
async fn an_endpoint_whose_replies_fail_their_proof_is_told_of() {
    let later = Block { number: 1001, evm_number: 1001, timestamp: BLOCK.timestamp + 12, ..BLOCK };
    let good = Node::truthful(Chain::multicall()).await;
    for chain in [Chain::default(), Chain::multicall()] {
        let ignores = Node::truthful(Chain { runs_at: later, ..chain }).await;
        for nodes in [&[&ignores][..], &[&ignores, &good]] {
            let reader = reader(nodes);
            outcomes(&reader, mixed_reads(), ample()).await;
            let status = reader.status().remove(0).endpoints.remove(0);
            assert!(status.errors >= 1, "{status:?}");
            let failure = status.last_failure.unwrap();
            assert_eq!(failure.reason, "it answered at another block than the pinned one");
        }
    }
}

#[tokio::test]
async fn a_block_that_was_not_asked_for_counts_against_its_endpoint() {
    let other = Block { hash: B256::repeat_byte(9), ..BLOCK };
    let node = Node::start(move |request, _| match request.method.as_str() {
        "eth_getBlockByHash" => NodeReply::Result(node::header(&other)),
        _ => Chain::default().reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    assert_eq!(reader.block(ETHEREUM, BLOCK.hash, ample()).await, Err(ReadFailure::Upstream));
    let status = reader.status().remove(0).endpoints.remove(0);
    assert!(status.errors >= 1, "{status:?}");
    assert_eq!(status.last_failure.unwrap().reason, "a reply of the wrong shape");
}

#[tokio::test]
async fn a_named_block_that_one_of_several_nodes_lacks_is_asked_for_again() {
    for named in [BlockRef::Number(BLOCK.number), BlockRef::Hash(BLOCK.hash)] {
        let missing = AtomicUsize::new(2);
        let node = Node::start(move |request, _| {
            let less = |left: usize| left.checked_sub(1);
            let is_missing = || missing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok();
            match request.method.as_str() {
                "eth_getBlockByHash" => NodeReply::Result(node::header(&BLOCK)),
                "eth_getBlockByNumber" if request.params[0] != "latest" && is_missing() => {
                    NodeReply::Result(json!(null))
                }
                _ => Chain::default().reply_to(request),
            }
        })
        .await;
        assert_eq!(reader(&[&node]).named_block(ETHEREUM, named, ample()).await, Ok(BLOCK), "{named:?}");
    }
}

#[tokio::test]
async fn finality_is_learned_once_where_a_block_is_named_and_no_answer_needs_it() {
    let requested = Arc::new(AtomicUsize::new(0));
    for (finalized, is_final) in [
        (Some(node::header(&BLOCK)), true),
        (Some(node::header(&Block { number: BLOCK.number - 1, ..BLOCK })), false),
        (None, false),
    ] {
        requested.store(0, Ordering::SeqCst);
        let counter = Arc::clone(&requested);
        let node = Node::start(move |request, _| match request.method.as_str() {
            "eth_getBlockByHash" => NodeReply::Result(node::header(&BLOCK)),
            "eth_getBlockByNumber" if request.params[0] == "finalized" => {
                counter.fetch_add(1, Ordering::SeqCst);
                let unknown = || NodeReply::Error(json!({"code": -32602, "message": "unknown tag"}));
                finalized.clone().map_or_else(unknown, NodeReply::Result)
            }
            _ => Chain::default().reply_to(request),
        })
        .await;
        let reader = reader(&[&node]);
        assert!(!reader.is_final(ETHEREUM, &BLOCK), "nothing is known yet");
        for named in [BlockRef::Number(BLOCK.number), BlockRef::Hash(BLOCK.hash), BlockRef::Number(BLOCK.number)] {
            assert_eq!(reader.named_block(ETHEREUM, named, ample()).await, Ok(BLOCK), "{named:?}");
            assert_eq!(reader.is_final(ETHEREUM, &BLOCK), is_final, "{named:?}");
        }
        assert_eq!(requested.load(Ordering::SeqCst), 1);
    }
}
