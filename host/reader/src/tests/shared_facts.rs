//! Facts that readers share through a store: what one has read costs the next one no request, and whatever the store
//! does, answers are those of the node.

use alloy::primitives::B256;
use portolan_store::testing::{Mood, Server};
use tokio::time::Instant;

use super::replica::{Replica, WAIT};
use super::{ETHEREUM, ample, echo, echoed, node, session};
use crate::{Block, Freshness, Outcome, Read, Reader, Reply};

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
    one.read_and_share(facts(700), 700).await;
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
    one.read_and_share(facts(5), 5).await;
    let mut reads = facts(9);
    reads.swap(0, 8);
    let replies = other.read(reads).await;
    let expected = [9, 2, 3, 4, 5, 6, 7, 8, 1];
    assert!(replies.iter().map(|reply| reply.outcome.clone()).eq(expected.map(echoed)));
    assert!(replies.iter().map(|reply| reply.cached).eq(expected.map(|number| number <= 5)));
}

#[tokio::test]
async fn zeros_refusals_and_missing_contracts_are_not_facts() {
    let server = Server::start().await;
    let replica = Replica::start(&server, 1).await;
    let none = [echo(0), super::call(node::REVERTER), super::call(node::NOBODY)];
    replica.read(none.map(|read| read.fresh(Freshness::Immutable)).to_vec()).await;
    replica.read_and_share(facts(1), 1).await;
    assert_eq!((server.commands("SET"), server.commands("MGET")), (1, 2), "one look-up for each batch");
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
        one.read_and_share(facts(4), 4).await;
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
    // What was to be written may have ended the connection before the third look-up began a pause.
    let status = replica.store.status();
    assert!(status.paused || !status.connected, "{status:?}");
}

#[tokio::test]
async fn facts_of_an_endpoint_that_was_caught_are_not_taken_again() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    one.read_and_share(facts(2), 2).await;
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
    one.read_and_share(facts(1), 1).await;
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
