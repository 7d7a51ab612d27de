//! Heads and pins that other gateways report.

use std::sync::Arc;

use tokio::time::Instant;

use super::super::Heads;
use super::node::*;
use crate::ReadFailure;

/// Lets each take what the other announces.
fn connect(heads: [&Arc<Heads>; 2]) {
    for [from, to] in [heads, [heads[1], heads[0]]] {
        let to = Arc::downgrade(to);
        from.announce_by(Box::new(move |block, is_pin| {
            // Later, as through a store: nothing is locked then.
            let (to, block) = (to.clone(), *block);
            tokio::spawn(async move { to.upgrade().inspect(|to| to.take(&block, is_pin)) });
        }));
    }
}

/// A source at block 100 that was pinned, and its heads.
async fn pinned() -> (Arc<HeadNode>, Arc<Heads>) {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    (node, heads)
}

#[tokio::test(start_paused = true)]
async fn two_gateways_pin_the_same_blocks_and_poll_hardly_more_than_one() {
    let grows = Newest::Grows(ms(2_000));
    let (node, lone) = (HeadNode::new(grows), HeadNode::new(grows));
    let (one, other, alone) = (node.heads(), node.heads(), lone.heads());
    connect([&one, &other]);
    let mut differ = 0;
    for step in 0..1_200 {
        let (one, other) = (pin(&one).await.unwrap(), pin(&other).await.unwrap());
        assert!(pin(&alone).await.unwrap().number.abs_diff(one.number) <= 2, "as new as without the other");
        // Both have learned the block time by then.
        differ += u32::from(one != other && step > 200);
        pass(100).await;
    }
    assert_eq!(differ, 0, "of 1,000 pairs");
    let (both, alone) = (node.polls(), lone.polls());
    // The other polls every ten seconds for itself, where one polls each second.
    assert!(both * 100 <= alone * 115, "{both} polls of two, {alone} of one");
}

#[tokio::test(start_paused = true)]
async fn a_head_of_another_gateway_is_pinned_a_second_later_once_it_is_confirmed() {
    let (_node, heads) = pinned().await;
    let (head, next) = (block(101, NOW_S), block(102, NOW_S));
    heads.take(&head, false);
    let start = Instant::now();
    pass(900).await;
    heads.take(&next, false);
    assert_eq!(heads.pin_from(101, start + ms(999)).await, Err(ReadFailure::Behind));
    assert_eq!(heads.pin_from(101, start + ms(3_000)).await, Ok(head));
}

#[tokio::test(start_paused = true)]
async fn what_contradicts_own_heads_or_is_far_above_them_does_not_count() {
    let (node, heads) = pinned().await;
    node.set(Newest::Head(block(101, NOW_S)));
    pass(2_000).await;
    for (what, head) in [
        ("a lower one", block(99, OLD_S)),
        ("another one of the same height", fork(7, 101, NOW_S)),
        ("the child of another one", fork(7, 102, NOW_S)),
        ("one far above", block(101 + 65, NOW_S)),
        ("the last one", block(u64::MAX, NOW_S)),
    ] {
        heads.take(&head, false);
        heads.take(&head, false);
        heads.take(&head, true);
        assert_ne!(heads.hash_at(head.number), Some(head.hash), "{what}");
        assert_eq!(heads.hash_at(101), Some(block(101, NOW_S).hash), "{what}");
    }
    assert_eq!(pin(&heads).await, Ok(block(101, NOW_S)));
}

#[tokio::test(start_paused = true)]
async fn a_block_that_own_endpoints_do_not_know_ends_the_reports_for_a_while() {
    let (_node, heads) = pinned().await;
    let lie = block(101, NOW_S);
    for _ in 0..3 {
        heads.take(&lie, false);
        pass(700).await;
    }
    assert_eq!(pin(&heads).await, Ok(lie));
    // Its reads fail, and the answer is read again at another block.
    heads.mark_lost(&lie);
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    for _ in 0..25 {
        heads.take(&block(101, OLD_S), false);
        heads.take(&block(102, NOW_S), false);
        heads.take(&block(102, NOW_S), true);
        pass(1_000).await;
        assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    }
    pass(5_000).await;
    pin(&heads).await.unwrap();
    heads.take(&block(102, NOW_S), false);
    assert_eq!(heads.hash_at(102), Some(block(102, NOW_S).hash), "and they count again");
}

#[tokio::test(start_paused = true)]
async fn own_polls_go_on_and_reports_end_with_them() {
    let (node, heads) = pinned().await;
    let polls = node.polls();
    for number in 101..=140 {
        heads.take(&block(number, NOW_S), false);
        pass(500).await;
        pin(&heads).await.unwrap();
    }
    // In twenty seconds, where it would have polled twenty times.
    assert!((2..=3).contains(&(node.polls() - polls)), "{}", node.polls() - polls);
    node.set(Newest::Fails(ReadFailure::Upstream));
    pass(11_000).await;
    heads.take(&block(150, NOW_S), false);
    assert_eq!(heads.hash_at(150), None, "own endpoints do not answer");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_taken_before_own_endpoints_have_reported_and_after_nobody_asks() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    heads.take(&block(90, OLD_S), false);
    heads.take(&block(90, OLD_S), true);
    assert_eq!(heads.pinned(), None);
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    pass(31_000).await;
    heads.take(&block(101, NOW_S), false);
    assert_eq!(heads.hash_at(101), None);
}
