//! Replies that readers share through a store: readers at one block cost their nodes hardly more than one does, and no
//! reply of the store proves anything.

use alloy::primitives::B256;
use portolan_store::testing::{Mood, Server};

use super::replica::Replica;
use super::{ETHEREUM, ample, call, echo, echoed, node, session};
use crate::{Block, Freshness, Outcome, Read, ReadFailure, Reader, Reply};

/// A step of an answer: many equal reads, of which most are not zero, and others.
fn step() -> Vec<Read> {
    let others = [node::REVERTER, node::NOBODY, node::SILENT, node::SENDER].map(call);
    (0..500).map(echo).chain(others).collect()
}

async fn two(server: &Server) -> (Replica, Replica) {
    (Replica::start(server, 1).await, Replica::start(server, 1).await)
}

fn outcomes(replies: &[Reply]) -> Vec<&Outcome> {
    replies.iter().map(|reply| &reply.outcome).collect()
}

#[tokio::test]
async fn a_step_that_one_reader_made_costs_another_one_look_up() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    let replies = one.read(step()).await;
    one.until(|status| status.written == 1).await;
    let found = other.read(step()).await;
    assert_eq!(outcomes(&found), outcomes(&replies));
    assert!(found.iter().all(|reply| reply.shared && reply.cached) && replies.iter().all(|reply| !reply.shared));
    assert_eq!(other.node.count("eth_call"), 0);
    assert_eq!(other.store.status().hits, 1);
    // It is held from then on, whatever becomes of the store.
    let look_ups = server.commands("MGET");
    server.set(Mood::Hung);
    assert_eq!(outcomes(&other.read(step()).await), outcomes(&replies));
    assert_eq!((server.commands("MGET"), other.node.count("eth_call")), (look_ups, 0));
}

#[tokio::test]
async fn what_is_to_be_proven_is_read_from_the_own_node() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    one.read_and_share(step(), 1).await;
    other.read(step()).await;
    let proven: Vec<Read> = step().into_iter().map(|read| read.fresh(Freshness::Proven)).collect();
    let replies = other.read(proven.clone()).await;
    assert!(replies.iter().all(|reply| !reply.shared && !reply.cached) && other.node.count("eth_call") > 0);
    // Nor is it shared, because nobody takes it.
    let written = other.store.status().written;
    one.read_and_share(vec![echo(900)], 1).await;
    assert_eq!((other.store.status().written, written), (0, 0));
}

#[tokio::test]
async fn replies_are_good_for_their_block_alone() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    // The node knows the block by this hash too.
    let renamed = Block { hash: node::OTHER_NAME, ..node::BLOCK };
    session(&one.reader, renamed, ample()).read(vec![echo(7)]).await;
    one.until(|status| status.written == 1).await;
    let replies = other.read(vec![echo(7)]).await;
    assert!(!replies[0].shared && replies[0].outcome == echoed(7), "{replies:?}");
    assert_eq!(other.store.status().misses, 1);
}

#[tokio::test]
async fn replies_that_stand_for_a_while_are_taken_at_later_blocks_and_zeros_alone_of_others() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    let slow = |number| echo(number).fresh(Freshness::Within(60));
    // A word of 32 bytes that is zero.
    let zero = Read::call(node::ECHO, [0; 32]).fresh(Freshness::ZeroWithin(60));
    let not_zero = echo(6).fresh(Freshness::ZeroWithin(60));
    let reads = vec![slow(5), zero.clone(), not_zero.clone()];
    one.read_and_share(reads.clone(), 2).await;
    let Block { number, timestamp, .. } = node::BLOCK;
    let hash = B256::repeat_byte(9);
    let at = |age_s| Block { number: number + 1, timestamp: timestamp + age_s, hash, ..node::BLOCK };
    let replies = session(&other.reader, at(60), ample()).read(reads.clone()).await;
    let (age_s, cached) = (60, true);
    assert_eq!(replies[0], Reply { cached, age_s, ..Reply::fresh(echoed(5)) });
    assert_eq!(replies[1], Reply { cached, age_s, ..Reply::fresh(Outcome::Ok([0; 32].into())) });
    // The node does not know the block, and nothing else answers.
    assert!(matches!(replies[2].outcome, Outcome::Failed(_)), "{replies:?}");
    let third = Replica::start(&server, 1).await;
    let replies = session(&third.reader, at(61), ample()).read(reads.clone()).await;
    assert!(replies.iter().all(|reply| matches!(reply.outcome, Outcome::Failed(_))), "too old: {replies:?}");
    // At the same block, all of them are good.
    let fourth = Replica::start(&server, 1).await;
    let replies = fourth.read(reads).await;
    assert!(replies.iter().all(|reply| reply.shared) && replies[2].outcome == echoed(6), "{replies:?}");
    assert_eq!(fourth.node.count("eth_call"), 0);
}

#[tokio::test]
async fn what_the_store_changed_or_others_wrote_is_read_from_the_node() {
    type Change = fn(&mut Vec<Option<Vec<u8>>>);
    let poison: Change = |values| values.iter_mut().flatten().for_each(|value| *value.last_mut().unwrap() ^= 1);
    let cut: Change = |values| values.iter_mut().flatten().for_each(|value| value.truncate(200));
    for (secret, mood) in [(1, Mood::Changing(poison)), (1, Mood::Changing(cut)), (2, Mood::Sound)] {
        let server = Server::start().await;
        let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, secret).await);
        let expected = one.read(step()).await;
        one.until(|status| status.written == 1).await;
        server.set(mood);
        let replies = other.read(step()).await;
        assert_eq!(outcomes(&replies), outcomes(&expected), "{mood:?}");
        assert!(replies.iter().all(|reply| !reply.shared) && other.store.status().refused == 1, "{mood:?}");
    }
}

#[tokio::test]
async fn once_the_chain_contradicts_a_reply_none_is_taken_for_a_while() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    one.read_and_share(step(), 1).await;
    assert!(other.read(step()).await[0].shared);
    other.reader.refute(ETHEREUM, &echo(3));
    let replies = other.read(step()).await;
    assert!(replies.iter().all(|reply| !reply.shared) && other.node.count("eth_call") > 0);
}

#[tokio::test]
async fn the_price_of_gas_at_a_block_is_requested_once() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    let price = |replica: &Replica| session(&replica.reader, node::BLOCK, ample());
    let expected = price(&one).gas_price().await.unwrap();
    one.until(|status| status.written == 1).await;
    assert_eq!(price(&other).gas_price().await, Ok(expected));
    assert_eq!((one.node.count("eth_feeHistory"), other.node.count("eth_feeHistory")), (1, 0));
}

#[tokio::test]
async fn failures_are_not_shared() {
    let server = Server::start().await;
    let replica = Replica::start(&server, 1).await;
    let unknown = Block { hash: B256::repeat_byte(9), ..node::BLOCK };
    let replies = session(&replica.reader, unknown, ample()).read(vec![echo(1)]).await;
    assert_eq!(replies[0].outcome, Outcome::Failed(ReadFailure::BlockLost));
    replica.read_and_share(vec![echo(2)], 1).await;
    assert_eq!(server.commands("SET"), 1);
}

#[tokio::test]
async fn replies_of_an_endpoint_that_was_caught_are_not_taken() {
    let server = Server::start().await;
    let (one, other) = two(&server).await;
    let fact = echo(1).fresh(Freshness::Immutable);
    one.read_and_share(vec![fact.clone(), echo(2)], 2).await;
    assert!(other.read(vec![fact.clone()]).await[0].cached);
    other.reader.refute(ETHEREUM, &fact);
    let replies = other.read(vec![echo(2)]).await;
    assert!(!replies[0].shared && replies[0].outcome == echoed(2), "{replies:?}");
    assert_eq!(other.store.status().refused, 1);
}
