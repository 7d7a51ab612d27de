//! Facts that readers share through a store: what one has read costs the next one no request, and whatever the store
//! does, answers are those of the node.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use portolan_store::testing::{Mood, Server};
use portolan_store::{
    SECRET_BYTES_MIN, SharedStore, SharedStoreSettings, SharedStoreStatus, StoreAuthorities, StoreSecret, StoreUrl,
};
use tokio::time::{Instant, interval};

use super::node::{self, Chain, Node};
use super::{AMPLE, ETHEREUM, ample, echo, echoed, session};
use crate::{Block, ChainReader, Freshness, Limits, Outcome, Read, Reader, Reply, Upstream};

/// Many times the default, so that a busy machine does not pass for a slow store.
const WAIT: Duration = Duration::from_secs(2);

/// A reader with a node and a part in the store.
struct Replica {
    node: Node,
    reader: Arc<ChainReader>,
    store: Arc<SharedStore>,
}

impl Replica {
    async fn start(server: &Server, secret: u8) -> Self {
        let node = Node::truthful(Chain::multicall()).await;
        let store = SharedStore::start(SharedStoreSettings {
            url: StoreUrl::parse(&server.url()).unwrap(),
            secret: StoreSecret::new(&[secret; SECRET_BYTES_MIN]).unwrap(),
            authorities: StoreAuthorities::of_the_web().unwrap(),
            wait: WAIT,
        });
        let endpoints = vec![node.url().parse().unwrap()];
        let ethereum = Upstream { chain_id: ETHEREUM, name: "ethereum".into(), endpoints, verify_receipts: false };
        let reader = ChainReader::new(vec![ethereum], Limits::default(), None, Some(Arc::clone(&store)));
        let replica = Self { node, reader, store };
        replica.until(|status| status.connected).await;
        replica
    }

    async fn until(&self, is_it: impl Fn(&SharedStoreStatus) -> bool) {
        let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(5)));
        while !is_it(&self.store.status()) {
            assert!(begin.elapsed() < AMPLE, "{:?}", self.store.status());
            looks.tick().await;
        }
    }

    async fn read(&self, reads: Vec<Read>) -> Vec<Reply> {
        session(&self.reader, node::BLOCK, ample()).read(reads).await
    }

    /// Reads facts, and waits until the store has them.
    async fn read_and_share(&self, count: u32) {
        let written = self.store.status().written;
        self.read(facts(count)).await;
        self.until(|status| status.written == written + u64::from(count)).await;
    }
}

fn facts(count: u32) -> Vec<Read> {
    (1..=count).map(|number| echo(number).fresh(Freshness::Immutable)).collect()
}

fn are_right(replies: &[Reply]) -> bool {
    replies.iter().zip(1..).all(|(reply, number)| reply.outcome == echoed(number))
}

#[tokio::test]
async fn what_one_reader_has_read_costs_the_next_one_no_request_and_counts_as_cached() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    one.read_and_share(700).await;
    let replies = other.read(facts(700)).await;
    assert!(replies.len() == 700 && are_right(&replies));
    // What counts as cached never makes a claim's target by itself.
    assert!(replies.iter().all(|reply| reply.cached));
    assert_eq!(other.node.count("eth_call"), 0);
    let mixed = other.read([facts(1), vec![echo(8)], facts(2), vec![echo(9)]].concat()).await;
    let outcomes: Vec<_> = mixed.into_iter().map(|reply| reply.outcome).collect();
    assert_eq!(outcomes, [1, 8, 1, 2, 9].map(echoed));
}

#[tokio::test]
async fn some_are_shared_and_the_rest_is_read_in_their_order() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    one.read_and_share(5).await;
    let mut reads = facts(9);
    reads.swap(0, 8);
    let replies = other.read(reads).await;
    let expected = [9, 2, 3, 4, 5, 6, 7, 8, 1];
    assert!(replies.iter().map(|reply| reply.outcome.clone()).eq(expected.map(echoed)));
    assert!(replies.iter().map(|reply| reply.cached).eq(expected.map(|number| number <= 5)));
}

#[tokio::test]
async fn only_facts_are_shared() {
    let server = Server::start().await;
    let replica = Replica::start(&server, 1).await;
    let kinds = [Freshness::Pinned, Freshness::Within(60), Freshness::ZeroWithin(60)];
    replica.read(kinds.map(|freshness| echo(3).fresh(freshness)).to_vec()).await;
    // A zero, a refusal, and a contract without code are not facts.
    let none = [echo(0), super::call(node::REVERTER), super::call(node::NOBODY)];
    replica.read(none.map(|read| read.fresh(Freshness::Immutable)).to_vec()).await;
    replica.read_and_share(1).await;
    assert_eq!(server.commands("SET"), 1);
    assert_eq!(server.commands("MGET"), 2, "one for each batch with facts");
}

#[tokio::test]
async fn what_the_store_changed_or_others_wrote_is_read_from_the_node() {
    type Change = fn(&mut Vec<Option<Vec<u8>>>);
    let poison: Change = |values| values.iter_mut().flatten().for_each(|value| *value.last_mut().unwrap() ^= 1);
    let swap: Change = |values| values.reverse();
    let cut: Change = |values| values.iter_mut().flatten().for_each(|value| value.truncate(70));
    for (secret, mood) in [
        (1, Mood::Changing(poison)),
        (1, Mood::Changing(swap)),
        (1, Mood::Changing(cut)),
        (1, Mood::Saying("-ERR out of order\r\n")),
        (2, Mood::Sound),
    ] {
        let server = Server::start().await;
        let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, secret).await);
        one.read_and_share(4).await;
        server.set(mood);
        let replies = other.read(facts(4)).await;
        assert!(are_right(&replies) && replies.iter().all(|reply| !reply.cached), "{mood:?}: {replies:?}");
        let refused = if matches!(mood, Mood::Saying(_)) { 0 } else { 4 };
        assert_eq!(other.store.status().refused, refused, "{mood:?}");
    }
}

#[tokio::test]
async fn a_store_that_hangs_delays_three_batches_and_fails_none() {
    let server = Server::start().await;
    let replica = Replica::start(&server, 1).await;
    server.set(Mood::Hung);
    let began = Instant::now();
    for number in 1..=20 {
        let replies = replica.read(vec![echo(number).fresh(Freshness::Immutable)]).await;
        assert_eq!(replies[0].outcome, echoed(number));
    }
    assert!(began.elapsed() < WAIT * 6, "{:?}", began.elapsed());
    assert!(replica.store.status().paused);
}

#[tokio::test]
async fn facts_of_an_endpoint_that_was_caught_are_not_taken_again() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    one.read_and_share(2).await;
    assert!(other.read(facts(2)).await.iter().all(|reply| reply.cached));
    other.reader.refute(ETHEREUM, &facts(1)[0]);
    let replies = other.read(facts(2)).await;
    assert!(are_right(&replies) && replies.iter().all(|reply| !reply.cached), "{replies:?}");
    assert_eq!(other.store.status().refused, 2);
}

#[tokio::test]
async fn a_fact_that_is_newer_than_a_named_block_is_not_taken_for_it() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    one.read_and_share(1).await;
    let Block { number, timestamp, .. } = node::BLOCK;
    let older = session(&other.reader, Block { number: number - 5, timestamp: timestamp - 60, ..node::BLOCK }, ample());
    // The node, which proves its own block alone, is requested, and cannot answer.
    let replies = older.past().read(facts(1)).await;
    assert!(matches!(replies[0].outcome, Outcome::Failed(_)), "{replies:?}");
    // An answer that is pinned a little behind another gateway may have what that one read.
    let replies = older.read(facts(1)).await;
    assert!(replies[0].cached && replies[0].outcome == echoed(1), "{replies:?}");
}

#[tokio::test]
async fn a_fact_of_a_block_that_was_replaced_is_refused() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    // The node knows the block by this hash too; the other reader has seen the canonical one at its height.
    let replaced = Block { hash: node::OTHER_NAME, ..node::BLOCK };
    session(&one.reader, replaced, ample()).read(facts(1)).await;
    one.until(|status| status.written == 1).await;
    let pinned = other.reader.pin(ETHEREUM, ample()).await.unwrap();
    assert_eq!((pinned.number, pinned.hash == B256::from(node::OTHER_NAME)), (node::BLOCK.number, false));
    let replies = other.read(facts(1)).await;
    assert!(replies[0].outcome == Outcome::Ok(1_u32.to_be_bytes().into()) && !replies[0].cached, "{replies:?}");
    assert_eq!(other.store.status().refused, 1);
}
