//! Pins from a block on that another gateway has answered at.

use tokio::time::Instant;

use super::node::*;
use crate::ReadFailure;

#[tokio::test(start_paused = true)]
async fn a_newer_block_is_pinned_as_soon_as_the_rule_allows() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    pass(100).await;
    node.set(Newest::Head(block(101, NOW_S)));
    let start = Instant::now();
    let newer = heads.pin_from(101, start + ms(4_000)).await;
    assert_eq!(newer, Ok(block(101, NOW_S)));
    // Reported by the next poll at the latest, which may be half a second away, and again a second later.
    let (waited, reported) = (start.elapsed(), node.first_reported(&block(101, NOW_S)).unwrap());
    assert!(waited <= ms(2_000) && reported.elapsed() >= ms(1_000), "{waited:?}");
    assert_eq!(pin(&heads).await, newer, "all answers share it from then on");
    let (polls, start) = (node.polls(), Instant::now());
    assert_eq!(heads.pin_from(100, start + ms(4_000)).await, newer);
    assert_eq!((node.polls(), Instant::now()), (polls, start), "it is there");
}

#[tokio::test(start_paused = true)]
async fn a_block_that_never_comes_costs_the_wait_and_at_most_two_polls_a_second() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    let (polls, start) = (node.polls(), Instant::now());
    let waits = (0..50).map(|_| heads.pin_from(101, start + ms(3_000)));
    assert_eq!(futures_util::future::join_all(waits).await, vec![Err(ReadFailure::Behind); 50]);
    assert_eq!(start.elapsed(), ms(3_000));
    let hurried = node.polls() - polls;
    assert!((3..=7).contains(&hurried), "{hurried}");
    pass(100).await;
    let polls = node.polls();
    pass(4_000).await;
    assert!(node.polls() - polls <= 4, "as often as before");
}

#[tokio::test(start_paused = true)]
async fn a_block_far_above_all_heads_is_not_waited_for() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    let (polls, start) = (node.polls(), Instant::now());
    for far in [100 + 65, u64::MAX] {
        assert_eq!(heads.pin_from(far, start + ms(3_000)).await, Err(ReadFailure::Behind));
    }
    assert_eq!((node.polls(), Instant::now()), (polls, start));
}

#[tokio::test(start_paused = true)]
async fn a_network_without_a_block_says_why() {
    let node = HeadNode::new(Newest::Fails(ReadFailure::Upstream));
    let heads = node.heads();
    assert_eq!(heads.pin_from(5, Instant::now() + ms(3_000)).await, Err(ReadFailure::Upstream));
}
