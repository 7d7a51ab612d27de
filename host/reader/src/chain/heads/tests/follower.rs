//! When the follower makes requests, and how many.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::Instant;

use super::node::*;
use crate::ReadFailure;

#[tokio::test(start_paused = true)]
async fn fifty_callers_at_a_cold_start_share_one_request() {
    let node = HeadNode::slow(Newest::Head(block(100, OLD_S)), ms(50));
    let heads = node.heads();
    let pins = join_all((0..50).map(|_| pin(&heads))).await;
    assert_eq!(pins, vec![Ok(block(100, OLD_S)); 50]);
    assert_eq!(node.polls(), 1);
}

#[tokio::test(start_paused = true)]
async fn callers_that_come_during_a_poll_join_it() {
    let node = HeadNode::slow(Newest::Head(block(100, OLD_S)), ms(50));
    let heads = node.heads();
    let late = async {
        pass(49).await;
        pin(&heads).await
    };
    let (first, second) = tokio::join!(pin(&heads), late);
    assert_eq!((first, second), (Ok(block(100, OLD_S)), Ok(block(100, OLD_S))));
    assert_eq!(node.polls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_warm_pin_makes_no_request_and_does_not_wait() {
    let node = HeadNode::slow(Newest::Grows(ms(2_000)), ms(50));
    let heads = node.heads();
    let first = pin(&heads).await.unwrap();
    for _ in 0..10 {
        // Long after answers shared the former pin.
        pass(7_300).await;
        let (polls, start) = (node.polls(), Instant::now());
        let warm = pin(&heads).await.unwrap();
        assert!(warm.number > first.number);
        assert_eq!((node.polls(), node.parents(), Instant::now()), (polls, 0, start));
    }
}

#[tokio::test(start_paused = true)]
async fn heads_are_polled_every_half_block_time_between_half_a_second_and_four() {
    for (block_time_ms, polls_a_minute) in [(250, 120), (2_000, 60), (6_000, 20), (12_000, 15), (30_000, 15)] {
        let node = HeadNode::new(Newest::Grows(ms(block_time_ms)));
        let heads = node.heads();
        busy(&heads, 180_000).await;
        assert_eq!(heads.block_time(), Some(ms(block_time_ms)));
        let before = node.polls();
        busy(&heads, 60_000).await;
        assert_eq!(node.polls() - before, polls_a_minute, "{block_time_ms}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_follower_ends_without_pins_and_the_next_pin_polls_anew() {
    let node = HeadNode::new(Newest::Grows(ms(2_000)));
    let heads = node.heads();
    let old = pin(&heads).await.unwrap();
    pass(30_000).await;
    let polls = node.polls();
    assert_eq!(polls, 30, "one poll a second, the last before the thirtieth");
    pass(3_600_000).await;
    assert_eq!(node.polls(), polls);
    assert_eq!(heads.pinned(), Some(old));
    let fresh = pin(&heads).await.unwrap();
    // 3,630 s are 1,815 blocks; the newest is two seconds old by its timestamp.
    assert_eq!((fresh.number, node.polls()), (100 + 1_815, polls + 1));
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_slow_blocks_are_polled_anew_too() {
    let node = HeadNode::new(Newest::Grows(ms(12_000)));
    let heads = node.heads();
    busy(&heads, 60_000).await;
    // The last poll was less than three block times ago, but the follower has ended since.
    pass(34_000).await;
    let polls = node.polls();
    // 94 s are seven blocks and ten seconds.
    assert_eq!(pin(&heads).await.map(|block| block.number), Ok(107));
    assert_eq!(node.polls(), polls + 1);
}

#[tokio::test(start_paused = true)]
async fn a_shared_poll_has_the_time_of_the_most_patient_caller() {
    let node = HeadNode::slow(Newest::Head(block(100, OLD_S)), ms(2_500));
    let heads = node.heads();
    let hasty = heads.pin(Instant::now() + ms(1_000));
    let (patient, hasty) = tokio::join!(heads.pin(Instant::now() + ms(3_000)), hasty);
    assert_eq!((patient, hasty), (Ok(block(100, OLD_S)), Err(ReadFailure::Timeout)));
    assert_eq!(node.polls(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_follower_ends_with_its_heads() {
    for newest in [Newest::Head(block(100, OLD_S)), Newest::Hangs] {
        let node = HeadNode::new(newest);
        let heads = node.heads();
        let _ = heads.pin(Instant::now() + ms(10)).await;
        assert!(Arc::strong_count(&node) > 1);
        drop(heads);
        pass(1).await;
        assert_eq!(Arc::strong_count(&node), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_takes_no_poll_from_the_others() {
    let node = HeadNode::slow(Newest::Head(block(100, OLD_S)), ms(400));
    let heads = node.heads();
    let hasty = heads.pin(Instant::now() + ms(100));
    let (hasty, patient) = tokio::join!(hasty, pin(&heads));
    assert_eq!((hasty, patient), (Err(ReadFailure::Timeout), Ok(block(100, OLD_S))));
    assert_eq!(node.polls(), 1);
}
