//! Hundreds of answers, from endpoints that hang, lag for a while, or refuse a share of all requests.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::node::{Chain, Node, NodeReply, NodeRequest};
use super::{ETHEREUM, echo, echoed, reader, session};
use crate::{ChainReader, Outcome, ReadFailure, Reader};

const ANSWERS: u32 = 300;

/// Makes one answer as the gateway does: retries once, at another block, if no endpoint knows the pinned one.
async fn answer(reader: &Arc<ChainReader>, number: u32, deadline: Instant) -> Outcome {
    let mut outcome = Outcome::Failed(ReadFailure::BlockLost);
    for _ in 0..2 {
        outcome = match reader.pin(ETHEREUM, deadline).await {
            Ok(block) => session(reader, block, deadline).read(vec![echo(number)]).await.remove(0).outcome,
            Err(failure) => Outcome::Failed(failure),
        };
        if outcome != Outcome::Failed(ReadFailure::BlockLost) {
            break;
        }
    }
    outcome
}

/// Makes answers for this many clients at once, and counts those that fail.
async fn failures(reader: &Arc<ChainReader>, numbers: std::ops::Range<u32>, clients: usize, time: Duration) -> usize {
    let answers = stream::iter(numbers).map(|number| async move {
        let outcome = answer(reader, number, Instant::now() + time).await;
        assert!(outcome == echoed(number) || matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
        outcome != echoed(number)
    });
    answers.buffer_unordered(clients).filter(|failed| std::future::ready(*failed)).count().await
}

/// Makes a node that gives this reply to every `nth` call.
async fn every(nth: usize, reply: fn() -> NodeReply) -> Node {
    let calls = AtomicUsize::new(0);
    let is_nth = move |request: &NodeRequest| {
        request.method == "eth_call" && calls.fetch_add(1, Ordering::SeqCst) % nth == nth - 1
    };
    Node::start(move |request, _| if is_nth(request) { reply() } else { Chain::default().reply_to(request) }).await
}

/// Makes a node that gives this reply to every `nth` call, and a truthful one when such a call is repeated.
async fn once_of(nth: usize, reply: fn() -> NodeReply) -> Node {
    let seen = Mutex::new(HashSet::new());
    let is_nth = move |request: &NodeRequest| {
        let mut seen = seen.lock();
        request.method == "eth_call" && seen.insert(request.params.to_string()) && seen.len() % nth == 0
    };
    Node::start(move |request, _| if is_nth(request) { reply() } else { Chain::default().reply_to(request) }).await
}

#[tokio::test]
async fn a_second_endpoint_that_hangs_makes_no_answer_fail() {
    const STUMBLES: [fn() -> NodeReply; 3] = [
        || NodeReply::Raw(500, b"oops".to_vec()),
        || NodeReply::Error(json!({"code": -32603, "message": "internal error"})),
        || NodeReply::Raw(200, b"<html>".to_vec()),
    ];
    for stumble in STUMBLES {
        let (good, hanging) = (once_of(20, stumble).await, Node::start(|_, _| NodeReply::Hang).await);
        let (alone, both) = (reader(&[&good]), reader(&[&good, &hanging]));
        for reader in [&alone, &both] {
            let is_alone = Arc::ptr_eq(reader, &alone);
            let first = if is_alone { 0 } else { ANSWERS };
            let failed = failures(reader, first..first + ANSWERS, 4, Duration::from_secs(3)).await;
            assert_eq!(failed, 0, "of {ANSWERS}, alone: {is_alone}");
        }
    }
}

#[tokio::test]
async fn two_seconds_without_the_block_lose_no_answer_though_no_other_block_comes() {
    let lost = Arc::new(AtomicBool::new(false));
    let is_lost = Arc::clone(&lost);
    let node = Node::start(move |request, _| match request.method.as_str() {
        "eth_call" | "eth_getCode" | "eth_getBalance" if is_lost.load(Ordering::SeqCst) => {
            NodeReply::Error(json!({"code": -32000, "message": "header not found"}))
        }
        _ => Chain::default().reply_to(request),
    })
    .await;
    let reader = reader(&[&node]);
    assert_eq!(failures(&reader, 0..1, 1, Duration::from_secs(5)).await, 0);
    lost.store(true, Ordering::SeqCst);
    let finds_it = async {
        sleep(Duration::from_secs(2)).await;
        lost.store(false, Ordering::SeqCst);
    };
    let (failed, ()) = tokio::join!(failures(&reader, 1..1 + ANSWERS, 4, Duration::from_secs(10)), finds_it);
    assert_eq!(failed, 0);
}

#[tokio::test]
async fn an_endpoint_that_refuses_a_tenth_gives_half_the_rate_or_more() {
    const REFUSALS: [fn() -> NodeReply; 2] = [
        || NodeReply::Raw(429, b"slow down".to_vec()),
        || {
            NodeReply::Error(
                json!({"code": -32005, "message": "limit exceeded", "data": {"rate": {"backoff_seconds": 30}}}),
            )
        },
    ];
    for refusal in REFUSALS {
        let (whole, tenth) = (Node::truthful(Chain::default()).await, every(10, refusal).await);
        let readers = [reader(&[&whole]), reader(&[&tenth])];
        let mut took = [Duration::ZERO; 2];
        // In turns, so that both have the same share of a busy machine.
        for turn in 0..10 {
            for (reader, took) in readers.iter().zip(&mut took) {
                let (start, first) = (Instant::now(), turn * ANSWERS / 10);
                assert_eq!(failures(reader, first..first + ANSWERS / 10, 4, Duration::from_secs(20)).await, 0);
                *took += start.elapsed();
            }
        }
        let refused = readers[1].status()[0].endpoints[0].throttled;
        assert!(refused >= u64::from(ANSWERS / 10), "{refused}");
        assert!(took[1] < took[0] * 2 + Duration::from_millis(500), "{took:?}");
    }
}
