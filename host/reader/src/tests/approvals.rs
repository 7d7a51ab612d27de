//! Approvals in logs: searched from the newest block to the oldest, in as many blocks a request as the node takes.

use std::collections::BTreeSet;

use alloy::primitives::{Address, B256, U64, U256, b256};
use serde_json::{Value, json};

use super::node::{Chain, Node, NodeReply, NodeRequest};
use super::{ETHEREUM, ample, reader};
use crate::{ApprovalQuery, ChainReader, FoundApprovals, ReadBudget, ReadFailure, Reader, SearchEnd};

const GET_LOGS: &str = "eth_getLogs";
const APPROVAL: B256 = b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");
const ACCOUNT: Address = Address::repeat_byte(0xac);
const SPENDER: Address = Address::repeat_byte(0x5e);

/// Returns the lowest and the highest block of a request for logs.
fn range(request: &NodeRequest) -> (u64, u64) {
    let number = |name: &str| serde_json::from_value::<U64>(request.params[0][name].clone()).unwrap().to();
    (number("fromBlock"), number("toBlock"))
}

/// Returns a log of an approval of the token with this byte.
fn log(token: u8, block: u64) -> Value {
    json!({
        "address": Address::repeat_byte(token), "blockNumber": U64::from(block), "logIndex": "0x0",
        "topics": [APPROVAL, ACCOUNT.into_word(), SPENDER.into_word()], "data": "0x",
    })
}

/// A node with approvals of tokens 1, 2 and 3 in the blocks 5, 70,000 and 99,999, which may refuse requests.
async fn node(refuses: impl Fn(u64, u64) -> Option<Value> + Send + Sync + 'static) -> Node {
    Node::start(move |request, _| match request.method.as_str() {
        GET_LOGS => {
            let (from, to) = range(request);
            if let Some(error) = refuses(from, to) {
                return NodeReply::Error(error);
            }
            let all = [(1, 5), (2, 70_000), (3, 99_999)];
            let in_range = all.into_iter().filter(|(_, block)| (from..=to).contains(block));
            NodeReply::Result(in_range.map(|(token, block)| log(token, block)).collect())
        }
        _ => Chain::multicall().reply_to(request),
    })
    .await
}

/// The widths of the requests for logs, in order.
fn widths(node: &Node) -> Vec<u64> {
    let requests = node.seen().into_iter().filter(|request| request.method == GET_LOGS);
    requests.map(|request| range(&request)).map(|(from, to)| to - from + 1).collect()
}

async fn search(reader: &ChainReader, from: u64, requests_max: u32, budget: &ReadBudget) -> FoundApprovals {
    let query = ApprovalQuery { account: ACCOUNT, from, to: 99_999, requests_max };
    reader.approvals(ETHEREUM, query, ample(), budget).await
}

fn tokens(found: &FoundApprovals) -> Vec<u8> {
    assert!(found.pairs.iter().all(|(_, spender)| *spender == SPENDER));
    found.pairs.iter().map(|(token, _)| token[0]).collect()
}

#[tokio::test]
async fn a_node_that_takes_all_is_asked_for_ever_more_blocks() {
    let node = node(|_, _| None).await;
    let found = search(&reader(&[&node]), 0, 20, &ReadBudget::unbounded()).await;
    assert_eq!((tokens(&found), found.from, found.end), (vec![1, 2, 3], Some(0), SearchEnd::Whole));
    // The chain has 100,000 blocks: 10 + 20 + 40 thousand, and what is left.
    assert_eq!(widths(&node), [10_000, 20_000, 40_000, 30_000]);
    assert_eq!(node.count("eth_chainId"), 2, "before the first and after the last");
}

#[tokio::test]
async fn what_is_refused_is_halved_and_remembered() {
    for message in ["query returned more than 10000 results", "limit exceeded"] {
        let limit = move |from, to| (to - from >= 8_000).then(|| json!({"code": -32005, "message": message}));
        let node = node(limit).await;
        let reader = reader(&[&node]);
        let found = search(&reader, 80_000, 20, &ReadBudget::unbounded()).await;
        assert_eq!((tokens(&found), found.from, found.end), (vec![3], Some(80_000), SearchEnd::Whole), "{message}");
        assert_eq!(widths(&node), [10_000, 5_000, 5_000, 5_000, 5_000], "{message}");
        search(&reader, 95_000, 20, &ReadBudget::unbounded()).await;
        assert_eq!(widths(&node).last(), Some(&5_000), "not refused again");
    }
}

#[tokio::test]
async fn a_search_ends_at_its_bound_and_another_goes_on() {
    let node = node(|_, _| None).await;
    let reader = reader(&[&node]);
    let found = search(&reader, 0, 2, &ReadBudget::unbounded()).await;
    assert_eq!((tokens(&found), found.from, found.end), (vec![2, 3], Some(70_000), SearchEnd::Bound));
    let query = ApprovalQuery { account: ACCOUNT, from: 0, to: 69_999, requests_max: 2 };
    let rest = reader.approvals(ETHEREUM, query, ample(), &ReadBudget::unbounded()).await;
    assert_eq!((tokens(&rest), rest.from, rest.end), (vec![1], Some(0), SearchEnd::Whole));
}

#[tokio::test]
async fn half_of_the_budget_is_left_for_reads() {
    let node = node(|_, _| None).await;
    let budget = ReadBudget::new(1 << 20, 3);
    let found = search(&reader(&[&node]), 0, 20, &budget).await;
    assert_eq!((found.requests, found.from, found.end), (2, Some(70_000), SearchEnd::Bound));
    assert!(!budget.is_spent());
}

#[tokio::test]
async fn old_logs_that_a_node_has_pruned_are_not_requested_again() {
    let pruned = |from, _| (from < 90_000).then(|| json!({"code": 4444, "message": "pruned history unavailable"}));
    let node = node(pruned).await;
    let reader = reader(&[&node]);
    let found = search(&reader, 0, 40, &ReadBudget::unbounded()).await;
    let from = found.from.unwrap();
    assert_eq!((tokens(&found), found.end), (vec![3], SearchEnd::NoLogs));
    assert!((90_000..90_125).contains(&from), "{from}");
    let before = node.count(GET_LOGS);
    let query = ApprovalQuery { account: ACCOUNT, from: 0, to: from - 1, requests_max: 40 };
    let rest = reader.approvals(ETHEREUM, query, ample(), &ReadBudget::unbounded()).await;
    assert_eq!((rest.from, rest.end, node.count(GET_LOGS)), (None, SearchEnd::NoLogs, before));
}

#[tokio::test]
async fn another_endpoint_goes_on_where_the_first_has_no_logs() {
    let pruned = |from, _| (from < 90_000).then(|| json!({"code": -32000, "message": "no such history"}));
    let (young, archive) = (node(pruned).await, node(|_, _| None).await);
    let found = search(&reader(&[&young, &archive]), 0, 40, &ReadBudget::unbounded()).await;
    assert_eq!((tokens(&found), found.from, found.end), (vec![1, 2, 3], Some(0), SearchEnd::Whole));
    assert!(archive.seen().iter().filter(|one| one.method == GET_LOGS).all(|one| range(one).1 < 90_125));
}

#[tokio::test]
async fn logs_that_nobody_asked_for_are_not_used() {
    let lying = |logs: Value| async move {
        let node = Node::start(move |request, _| match request.method.as_str() {
            GET_LOGS => NodeReply::Result(logs.clone()),
            _ => Chain::multicall().reply_to(request),
        })
        .await;
        search(&reader(&[&node]), 0, 20, &ReadBudget::unbounded()).await
    };
    let mut removed = log(1, 99_999);
    removed["removed"] = json!(true);
    for logs in [json!([log(1, 99_999), log(2, 100_000)]), json!([removed]), json!({"a": 1}), json!([{"address": 1}])] {
        let found = lying(logs.clone()).await;
        let end = SearchEnd::Failed(ReadFailure::Upstream);
        assert_eq!((found.pairs, found.from, found.end), (BTreeSet::new(), None, end), "{logs}");
    }
}

#[tokio::test]
async fn the_logs_of_another_chain_are_not_used() {
    let node = Node::start(|request, number| match request.method.as_str() {
        GET_LOGS => NodeReply::Result(json!([log(1, 99_999)])),
        _ => Chain { id: if number == 0 { 1 } else { 5 }, ..Chain::multicall() }.reply_to(request),
    })
    .await;
    let found = search(&reader(&[&node]), 95_000, 20, &ReadBudget::unbounded()).await;
    assert_eq!((found.pairs.len(), found.from), (0, None));
    assert_eq!(found.end, SearchEnd::Failed(ReadFailure::WrongChain));
}

#[tokio::test]
async fn a_flood_of_logs_is_bounded() {
    let node = Node::start(|request, _| match request.method.as_str() {
        GET_LOGS => {
            let (from, to) = range(request);
            let token = |number: u64| Address::from_word(B256::from(U256::from(number)));
            let flood = (from..=to).map(|block| {
                let mut log = log(1, block);
                log["address"] = json!(token(block));
                log
            });
            NodeReply::Result(flood.collect())
        }
        _ => Chain::multicall().reply_to(request),
    })
    .await;
    let found = search(&reader(&[&node]), 85_000, 20, &ReadBudget::unbounded()).await;
    // Each of the 15,000 blocks has a log of another token. The others are left to the next search.
    assert_eq!((found.pairs.len(), found.from, found.end), (10_000, Some(90_000), SearchEnd::Bound));
}
