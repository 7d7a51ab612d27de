//! Sources that fail, hang and come back.

use futures_util::future::join_all;
use tokio::time::Instant;

use super::node::*;
use crate::ReadFailure;

#[tokio::test(start_paused = true)]
async fn a_dead_source_fails_at_once_while_polls_go_on() {
    let node = HeadNode::slow(Newest::Fails(ReadFailure::WrongChain), ms(50));
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Err(ReadFailure::WrongChain));
    for _ in 0..600 {
        pass(100).await;
        let start = Instant::now();
        assert_eq!(pin(&heads).await, Err(ReadFailure::WrongChain));
        assert_eq!(Instant::now(), start);
    }
    // Pauses of 0.5, 1, 2 and then 4 s, and 50 ms for each poll: 4 polls until 3.7 s, then one every 4.05 s for 56.3
    // s.
    assert_eq!(node.polls(), 4 + 13);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_comes_back_is_pinned_within_the_longest_pause() {
    let node = HeadNode::new(Newest::Fails(ReadFailure::Upstream));
    let heads = node.heads();
    busy(&heads, 20_000).await;
    assert_eq!(pin(&heads).await, Err(ReadFailure::Upstream));
    node.set(Newest::Head(block(100, OLD_S)));
    pass(4_000).await;
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_comes_back_is_not_pinned_at_its_old_head() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    busy(&heads, 5_000).await;
    node.set(Newest::Fails(ReadFailure::Upstream));
    busy(&heads, 60_000).await;
    node.set(Newest::Head(block(130, OLD_S + 60)));
    pass(4_000).await;
    assert_eq!(pin(&heads).await, Ok(block(130, OLD_S + 60)));
}

#[tokio::test(start_paused = true)]
async fn after_a_pause_a_dead_source_leaves_the_pin_for_three_slow_blocks_too() {
    let node = HeadNode::new(Newest::Grows(ms(12_000)));
    let heads = node.heads();
    busy(&heads, 60_000).await;
    // The follower ends after 30 s; its last polls, every four seconds, reported the block of second 84.
    pass(34_000).await;
    node.set(Newest::Fails(ReadFailure::Upstream));
    assert_eq!(pin(&heads).await.map(|block| block.number), Ok(107));
    pass(32_000).await;
    assert_eq!(pin(&heads).await, Err(ReadFailure::Upstream));
}

#[tokio::test(start_paused = true)]
async fn a_failure_from_before_a_pause_is_forgotten() {
    let node = HeadNode::new(Newest::Fails(ReadFailure::Upstream));
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Err(ReadFailure::Upstream));
    pass(60_000).await;
    node.set(Newest::Head(block(100, OLD_S)));
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
}

#[tokio::test(start_paused = true)]
async fn a_pin_outlives_the_last_successful_poll_by_ten_seconds() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    pin(&heads).await.unwrap();
    node.set(Newest::Fails(ReadFailure::Upstream));
    pass(9_999).await;
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    pass(1).await;
    let start = Instant::now();
    assert_eq!(pin(&heads).await, Err(ReadFailure::Upstream));
    assert_eq!(Instant::now(), start);
}

#[tokio::test(start_paused = true)]
async fn a_pin_outlives_the_last_successful_poll_by_three_slow_blocks() {
    let node = HeadNode::new(Newest::Grows(ms(12_000)));
    let heads = node.heads();
    // By then, polls come at multiples of four seconds: the last successful one is at the end of this minute.
    busy(&heads, 60_000).await;
    assert_eq!(heads.block_time(), Some(ms(12_000)));
    let polls = node.polls();
    while node.polls() == polls {
        pass(1).await;
    }
    let pinned = pin(&heads).await.unwrap();
    node.set(Newest::Fails(ReadFailure::Upstream));
    // With pins, so that the follower goes on.
    busy(&heads, 35_900).await;
    pass(99).await;
    assert!(pin(&heads).await.unwrap().number >= pinned.number);
    pass(1).await;
    assert_eq!(pin(&heads).await, Err(ReadFailure::Upstream));
}

#[tokio::test(start_paused = true)]
async fn each_caller_keeps_its_own_deadline_while_the_source_hangs() {
    let node = HeadNode::new(Newest::Hangs);
    let heads = node.heads();
    let start = Instant::now();
    let ended = join_all([10, 500, 2_500, 5_000, 9_000].map(|wait_ms| {
        let heads = heads.clone();
        async move {
            assert_eq!(heads.pin(start + ms(wait_ms)).await, Err(ReadFailure::Timeout));
            Instant::now() - start
        }
    }));
    assert_eq!(ended.await, [10, 500, 2_500, 5_000, 9_000].map(ms));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_costs_later_callers_nothing() {
    let node = HeadNode::new(Newest::Hangs);
    let heads = node.heads();
    assert_eq!(pin(&heads).await, Err(ReadFailure::Timeout));
    for _ in 0..20 {
        pass(1_000).await;
        let start = Instant::now();
        assert_eq!(pin(&heads).await, Err(ReadFailure::Timeout));
        assert_eq!(Instant::now(), start);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hasty_caller_does_not_make_a_slow_source_fail_for_the_next() {
    let node = HeadNode::slow(Newest::Head(block(100, OLD_S)), ms(800));
    let heads = node.heads();
    assert_eq!(heads.pin(Instant::now() + ms(20)).await, Err(ReadFailure::Timeout));
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    assert_eq!(node.polls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_with_more_time_than_a_poll_sees_the_source_recover() {
    let node = HeadNode::new(Newest::Hangs);
    let heads = node.heads();
    let recover = async {
        pass(3_000).await;
        node.set(Newest::Head(block(100, OLD_S)));
    };
    let start = Instant::now();
    let (pinned, ()) = tokio::join!(heads.pin(start + ms(9_000)), recover);
    // The first poll hangs for its four seconds, the second follows at once.
    assert_eq!((pinned, Instant::now() - start), (Ok(block(100, OLD_S)), ms(4_000)));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_is_over_still_gets_a_warm_pin() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    assert_eq!(heads.pin(Instant::now()).await, Err(ReadFailure::Timeout));
    pin(&heads).await.unwrap();
    assert_eq!(heads.pin(Instant::now()).await, Ok(block(100, OLD_S)));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_gives_up_early_is_not_polled_again_by_waiting_callers() {
    let node = HeadNode::slow(Newest::Fails(ReadFailure::Timeout), ms(50));
    let heads = node.heads();
    let start = Instant::now();
    assert_eq!(heads.pin(start + ms(60_000)).await, Err(ReadFailure::Timeout));
    assert_eq!((node.polls(), Instant::now() - start), (1, ms(50)));
}
