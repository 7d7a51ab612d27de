//! Which endpoint is asked, and what is told when none answers.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::node::{self, BLOCK, Chain, Node, Say};
use super::{ETHEREUM, ample, call, echo, outcomes, reader, reader_of, session, told};
use crate::multicall::MULTICALL3;
use crate::transport::BODY_MAX_BYTES;
use crate::{Block, Outcome, Read, ReadFailure, Reader};

fn wrong_chain() -> Chain {
    Chain { id: 5, ..Chain::multicall() }
}

async fn hanging() -> Node {
    Node::start(|_, _| Say::Hang).await
}

/// A wave that asks in every way: packed, alone, and for code.
fn wave() -> Vec<Read> {
    vec![echo(1), Read { isolated: true, ..echo(2) }, call(node::NOBODY)]
}

fn answered() -> Vec<Outcome> {
    vec![told(1), told(2), Outcome::NoCode]
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
async fn contracts_on_arbitrum_see_the_number_that_its_header_tells() {
    let node = Node::start(|asked, _| match asked.method.as_str() {
        "eth_getBlockByNumber" => {
            let mut header = node::header(&BLOCK);
            header["l1BlockNumber"] = json!("0x10");
            Say::Result(header)
        }
        _ => Chain { runs_at: Block { evm_number: 17, ..BLOCK }, ..Chain::multicall() }.say(asked),
    })
    .await;
    let reader = reader(&[&node]);
    let block = reader.pin(ETHEREUM, ample()).await.unwrap();
    assert_eq!(block, Block { evm_number: 16, ..BLOCK });
    // Nodes there differ by a block of Ethereum inside of calls; the timestamp proves the block.
    let replies = session(&reader, block, ample()).read(vec![echo(1)]).await;
    assert_eq!(replies[0].outcome, told(1));
}

#[tokio::test]
async fn a_wrong_chain_is_asked_for_its_id_alone() {
    let wrong = Node::truthful(wrong_chain()).await;
    let reader = reader(&[&wrong]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Err(ReadFailure::WrongChain));
    assert_eq!(outcomes(&reader, wave(), ample()).await, failed(ReadFailure::WrongChain));
    assert_eq!(wrong.seen().len(), 1, "and it is remembered");
    assert_eq!(wrong.count("eth_chainId"), 1);
}

#[tokio::test]
async fn a_wrong_chain_is_stepped_over() {
    let (wrong, right) = (Node::truthful(wrong_chain()).await, Node::truthful(Chain::multicall()).await);
    let reader = reader(&[&wrong, &right]);
    assert_eq!(reader.pin(ETHEREUM, ample()).await, Ok(BLOCK));
    assert_eq!(outcomes(&reader, wave(), ample()).await, answered());
    assert_eq!(wrong.seen().len(), 1);
    assert_eq!(right.count("eth_chainId"), 1);
}

#[tokio::test]
async fn a_hanging_endpoint_leaves_time_for_the_next_and_is_remembered() {
    let (hanging, good) = (hanging().await, Node::truthful(Chain::multicall()).await);
    let reader = reader(&[&hanging, &good]);
    assert_eq!(reader.pin(ETHEREUM, Instant::now() + Duration::from_secs(2)).await, Ok(BLOCK));
    let start = Instant::now();
    assert_eq!(outcomes(&reader, wave(), start + Duration::from_secs(10)).await, answered());
    // A share of these ten seconds would have been five.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(hanging.count("eth_call"), 0);
}

#[tokio::test]
async fn the_only_endpoint_is_asked_though_it_failed() {
    let node = Node::start(|asked, number| match number {
        0 => Say::Raw(500, Vec::new()),
        _ => Chain::multicall().say(asked),
    })
    .await;
    let reader = reader(&[&node]);
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [told(1)]);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_is_kept_when_all_hang() {
    let (one, two) = (hanging().await, hanging().await);
    let reader = reader(&[&one, &two]);
    let deadline = Instant::now() + Duration::from_millis(300);
    assert_eq!(reader.pin(ETHEREUM, deadline).await, Err(ReadFailure::Timeout));
    assert!(Instant::now() < deadline);
    let deadline = Instant::now() + Duration::from_millis(300);
    assert_eq!(outcomes(&reader, wave(), deadline).await, failed(ReadFailure::Timeout));
    assert!(Instant::now() < deadline);
    assert_eq!(outcomes(&reader, wave(), Instant::now()).await, failed(ReadFailure::Timeout));
}

#[tokio::test]
async fn nothing_configured_and_nothing_there_are_told() {
    let nobody = reader_of(&[]);
    assert_eq!(nobody.pin(ETHEREUM, ample()).await, Err(ReadFailure::NotConfigured));
    assert_eq!(outcomes(&nobody, wave(), ample()).await, failed(ReadFailure::NotConfigured));
    let gone = Node::truthful(Chain::multicall()).await.url();
    let refused = reader_of(&[gone]);
    assert_eq!(refused.pin(ETHEREUM, ample()).await, Err(ReadFailure::Upstream));
    assert_eq!(outcomes(&refused, wave(), ample()).await, failed(ReadFailure::Upstream));
    assert_eq!(refused.pin(137, ample()).await, Err(ReadFailure::NotConfigured));
}

type Nonsense = (&'static str, fn() -> Say);

/// Ways to answer nothing, from the first request on or once the chain id is told.
fn nonsense() -> Vec<Nonsense> {
    vec![
        ("status 500", || Say::Raw(500, b"oops".to_vec())),
        ("redirect", || Say::Raw(302, Vec::new())),
        ("empty body", || Say::Raw(200, Vec::new())),
        ("no JSON", || Say::Raw(200, b"<html>".to_vec())),
        ("truncated", || Say::Raw(200, br#"{"jsonrpc":"2.0","id":0,"result":"0x"#.to_vec())),
        ("a batch", || Say::Raw(200, br#"[{"jsonrpc":"2.0","id":0,"result":"0x1"}]"#.to_vec())),
        ("another id", || Say::Raw(200, br#"{"jsonrpc":"2.0","id":999,"result":"0x1"}"#.to_vec())),
        ("null", || Say::Result(json!(null))),
        ("wrong shape", || Say::Result(json!({"number": []}))),
        ("wrong text", || Say::Result(json!("0xzz"))),
        ("internal error", || Say::Error(json!({"code": -32603, "message": "internal error"}))),
        ("rate limit", || Say::Error(json!({"code": -32005, "message": "rate limit reached"}))),
        ("no such method", || Say::Error(json!({"code": -32601, "message": "no such method"}))),
        ("rate limit by status", || Say::Raw(429, br#"{"error":{"code":429,"message":"slow down"},"id":0}"#.to_vec())),
        ("too much", || Say::Padded(json!("0x1"), BODY_MAX_BYTES)),
    ]
}

#[tokio::test]
async fn nonsense_is_upstream_and_the_next_endpoint_answers() {
    let good = Node::truthful(Chain::multicall()).await;
    for (what, say) in nonsense() {
        let bad = Node::start(move |_, _| say()).await;
        let alone = reader(&[&bad]);
        assert_eq!(alone.pin(ETHEREUM, ample()).await, Err(ReadFailure::Upstream), "{what}");
        assert!(!alone.is_usable(ample()).await, "{what}");
        let both = reader(&[&bad, &good]);
        assert_eq!(both.pin(ETHEREUM, ample()).await, Ok(BLOCK), "{what}");
        assert_eq!(outcomes(&both, wave(), ample()).await, answered(), "{what}");
    }
}

#[tokio::test]
async fn nonsense_to_reads_alone_is_upstream_and_the_next_endpoint_answers() {
    let good = Node::truthful(Chain::multicall()).await;
    for method in ["eth_call", "eth_getCode"] {
        for (what, say) in nonsense() {
            let bad =
                Node::start(move |asked, _| if asked.method == method { say() } else { Chain::multicall().say(asked) })
                    .await;
            let alone = reader(&[&bad]);
            assert_eq!(alone.pin(ETHEREUM, ample()).await, Ok(BLOCK), "{what} to {method}");
            // Too short for the pauses that it asks for.
            let until = if what.starts_with("rate limit") { Instant::now() + Duration::from_secs(1) } else { ample() };
            assert_eq!(outcomes(&alone, wave(), until).await, failed(ReadFailure::Upstream), "{what} to {method}");
            assert_eq!(outcomes(&reader(&[&bad, &good]), wave(), ample()).await, answered(), "{what} to {method}");
        }
    }
}

#[tokio::test]
async fn a_body_is_read_up_to_its_bound() {
    // The reply without its padding has less than a hundred bytes.
    for (spaces, usable) in [(BODY_MAX_BYTES - 100, true), (BODY_MAX_BYTES, false)] {
        let node = Node::start(move |_, _| Say::Padded(json!("0x1"), spaces)).await;
        assert_eq!(reader(&[&node]).is_usable(ample()).await, usable, "{spaces}");
    }
}

#[tokio::test]
async fn a_node_that_answers_no_single_read_is_soon_left() {
    let node = Node::start(|asked, _| match asked.to() {
        Some(node::ECHO) => Say::Error(json!({"code": -32603, "message": "internal error"})),
        _ => Chain::multicall().say(asked),
    })
    .await;
    let reads = (0..200).map(|number| Read { isolated: true, ..echo(number) }).collect();
    let answers = outcomes(&reader(&[&node]), reads, ample()).await;
    assert!(answers.iter().all(|outcome| *outcome == Outcome::Failed(ReadFailure::Upstream)));
    // Three rounds, each left after sixteen in flight and sixteen unclear ones.
    assert!(node.calls(node::ECHO) <= 3 * 32, "{}", node.calls(node::ECHO));
}

#[tokio::test]
async fn a_single_read_is_not_believed_before_the_block_is_proven() {
    let unproven = Node::start(|asked, _| match asked.to() {
        Some(MULTICALL3) if asked.params[2].is_null() => Say::Hang,
        _ => Chain::multicall().say(asked),
    })
    .await;
    let single = vec![Read { isolated: true, ..echo(2) }];
    let deadline = Instant::now() + Duration::from_millis(400);
    let answers = outcomes(&reader(&[&unproven]), single, deadline).await;
    assert_eq!(answers, [Outcome::Failed(ReadFailure::Timeout)]);
    assert_eq!(unproven.calls(node::ECHO), 1);
}

#[tokio::test]
async fn an_unknown_block_is_asked_again_at_the_same_endpoint() {
    let good = Node::truthful(Chain::multicall()).await;
    let lags = |times: usize| {
        let left = std::sync::atomic::AtomicUsize::new(times);
        move |asked: &node::Asked, _: usize| {
            use std::sync::atomic::Ordering::Relaxed;
            let unknown = asked.params[0] == json!(node::NOBODY)
                && left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok();
            if unknown {
                Say::Error(json!({"code": -32000, "message": "header not found"}))
            } else {
                Chain::multicall().say(asked)
            }
        }
    };
    let twice = Node::start(lags(2)).await;
    assert_eq!(outcomes(&reader(&[&twice]), wave(), ample()).await, answered());
    let for_ever = Node::start(lags(usize::MAX)).await;
    let unknown = outcomes(&reader(&[&for_ever]), vec![call(node::NOBODY)], ample()).await;
    assert_eq!(unknown, [Outcome::Failed(ReadFailure::BlockLost)]);
    // One for the code of Multicall3.
    assert_eq!(for_ever.count("eth_getCode"), 3 + 1);
    assert_eq!(outcomes(&reader(&[&for_ever, &good]), wave(), ample()).await, answered());
}

#[tokio::test]
async fn an_endpoint_that_ignores_the_block_is_not_believed() {
    let later = Block { number: 1001, evm_number: 1001, timestamp: BLOCK.timestamp + 12, ..BLOCK };
    let ignores = Node::truthful(Chain { runs_at: later, ..Chain::multicall() }).await;
    let good = Node::truthful(Chain::multicall()).await;
    let single = vec![Read { isolated: true, ..echo(2) }];
    assert_eq!(outcomes(&reader(&[&ignores]), wave(), ample()).await, failed(ReadFailure::Upstream));
    let alone = outcomes(&reader(&[&ignores]), single.clone(), ample()).await;
    assert_eq!(alone, [Outcome::Failed(ReadFailure::Upstream)]);
    assert_eq!(outcomes(&reader(&[&ignores, &good]), wave(), ample()).await, answered());
    assert_eq!(outcomes(&reader(&[&ignores, &good]), single, ample()).await, [told(2)]);
}

#[tokio::test]
async fn a_second_endpoint_is_asked_only_for_what_is_missing() {
    let first = Node::start(|asked, _| match asked.to() {
        Some(node::SENDER) => Say::Raw(500, Vec::new()),
        _ => Chain::multicall().say(asked),
    })
    .await;
    let second = Node::truthful(Chain::multicall()).await;
    let failing = Read { isolated: true, from: Some(node::ECHO), ..call(node::SENDER) };
    let reader = reader(&[&first, &second]);
    // One after the other, so that the packed reads are answered before the failing one is asked.
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [told(1)]);
    let sent = Outcome::Ok(node::ECHO.into_word().into());
    assert_eq!(outcomes(&reader, vec![failing], ample()).await, [sent]);
    assert_eq!(second.calls(node::SENDER), 1);
}

#[tokio::test]
async fn one_endpoint_that_tells_its_chain_makes_the_reader_usable() {
    let (wrong, hanging) = (Node::truthful(wrong_chain()).await, hanging().await);
    let soon = || Instant::now() + Duration::from_millis(300);
    assert!(!reader_of(&[]).is_usable(soon()).await);
    assert!(!reader(&[&wrong, &hanging]).is_usable(soon()).await);
    let good = Node::truthful(Chain::multicall()).await;
    assert!(reader(&[&wrong, &hanging, &good]).is_usable(soon()).await);
}
