//! Which block is pinned, and for how long.

use tokio::time::Instant;

use super::node::*;
use crate::ReadFailure;

#[tokio::test(start_paused = true)]
async fn a_cold_start_pins_the_newest_block_if_it_is_old_enough() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    assert_eq!(pin(&node.heads()).await, Ok(block(100, OLD_S)));
    assert_eq!((node.polls(), node.parents()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_cold_start_pins_the_parent_of_a_young_block() {
    let node = HeadNode::new(Newest::Head(block(100, YOUNG_S)));
    assert_eq!(pin(&node.heads()).await.map(|block| block.hash), Ok(hash(0, 99)));
    assert_eq!((node.polls(), node.parents()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_local_clock_that_is_wrong_makes_no_pin_wait() {
    let start = Instant::now();
    for (timestamp, number) in [(NOW_S + 86_400, 99), (u64::MAX, 99), (NOW_S - 86_400, 100), (0, 100)] {
        let node = HeadNode::new(Newest::Head(block(100, timestamp)));
        assert_eq!(pin(&node.heads()).await.map(|block| block.number), Ok(number), "{timestamp}");
    }
    assert_eq!(Instant::now(), start);
}

#[tokio::test(start_paused = true)]
async fn a_young_block_without_a_parent_to_be_had_is_pinned() {
    let genesis = HeadNode::new(Newest::Head(block(0, YOUNG_S)));
    assert_eq!(pin(&genesis.heads()).await, Ok(block(0, YOUNG_S)));
    assert_eq!(genesis.parents(), 0);
    for parent in [Parent::Unknown, Parent::Wrong] {
        let orphan = HeadNode::with_parent(parent, Newest::Head(block(100, YOUNG_S)));
        assert_eq!(pin(&orphan.heads()).await, Ok(block(100, YOUNG_S)));
        assert_eq!(orphan.parents(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pin_is_shared_for_two_seconds_exactly_while_the_block_time_is_unknown() {
    let node = HeadNode::new(Newest::Grows(ms(500)));
    let heads = node.heads();
    let first = pin(&heads).await.unwrap();
    pass(1_999).await;
    assert_eq!(pin(&heads).await, Ok(first));
    pass(1).await;
    let second = pin(&heads).await.unwrap();
    assert!(second.number > first.number);
    pass(1_999).await;
    assert_eq!(pin(&heads).await, Ok(second));
    pass(1).await;
    assert!(pin(&heads).await.unwrap().number > second.number);
}

#[tokio::test(start_paused = true)]
async fn a_pin_is_shared_for_two_seconds_where_blocks_are_faster() {
    let node = HeadNode::new(Newest::Grows(ms(250)));
    let heads = node.heads();
    busy(&heads, 30_000).await;
    assert_eq!(heads.block_time(), Some(ms(250)));
    pass(2_000).await;
    let pinned = pin(&heads).await;
    pass(1_999).await;
    assert_eq!(pin(&heads).await, pinned);
    pass(1).await;
    assert_ne!(pin(&heads).await, pinned);
}

#[tokio::test(start_paused = true)]
async fn a_pause_within_the_share_of_a_pin_does_not_end_it() {
    let node = HeadNode::new(Newest::Grows(ms(50_000)));
    let heads = node.heads();
    busy(&heads, 300_000).await;
    assert_eq!(heads.block_time(), Some(ms(50_000)));
    let old = pin(&heads).await;
    while pin(&heads).await == old {
        pass(1).await;
    }
    let pinned = pin(&heads).await;
    // The follower ends after 30 s, the next block comes before 50 s.
    pass(49_000).await;
    let polls = node.polls();
    assert_eq!(pin(&heads).await, pinned);
    pass(999).await;
    assert_eq!((pin(&heads).await, node.polls()), (pinned, polls + 1));
    // The newest block waits for its second poll.
    pass(3_001).await;
    assert_ne!(pin(&heads).await, pinned);
}

#[tokio::test(start_paused = true)]
async fn a_pin_is_shared_for_a_block_time_exactly_where_blocks_are_slow() {
    let node = HeadNode::new(Newest::Grows(ms(12_000)));
    let heads = node.heads();
    busy(&heads, 60_000).await;
    assert_eq!(heads.block_time(), Some(ms(12_000)));
    let old = pin(&heads).await.unwrap();
    let mut new = old;
    let mut since = Instant::now();
    while new == old {
        pass(1).await;
        since = Instant::now();
        new = pin(&heads).await.unwrap();
    }
    assert_eq!(new.number, old.number + 1);
    for _ in 0..11_999 {
        pass(1).await;
        assert_eq!(pin(&heads).await, Ok(new));
    }
    assert_eq!(Instant::now() - since, ms(11_999));
    pass(1).await;
    assert_eq!(pin(&heads).await.unwrap().number, new.number + 1);
}

#[tokio::test(start_paused = true)]
async fn a_block_first_reported_less_than_a_second_ago_is_not_pinned() {
    for every_ms in [100, 250, 1_000, 2_000, 5_000, 12_000] {
        let node = HeadNode::new(Newest::Grows(ms(every_ms)));
        let heads = node.heads();
        let cold = pin(&heads).await.unwrap();
        let mut pinned = cold;
        for _ in 0..6_000 {
            pass(10).await;
            let now = pin(&heads).await.unwrap();
            assert!(now.number >= pinned.number, "backwards");
            if now != pinned {
                let age = node.first_reported(&now).expect("a pinned head was reported").elapsed();
                assert!(age >= ms(1_000), "{every_ms}: pinned after {age:?}");
            }
            pinned = now;
        }
        assert!(pinned.number > cold.number, "{every_ms}: the pin stands still");
    }
}

#[tokio::test(start_paused = true)]
async fn a_block_that_one_poll_reported_is_not_pinned_however_long_ago() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    pin(&heads).await.unwrap();
    node.set(Newest::Head(block(101, OLD_S)));
    pass(1_100).await;
    assert!(node.first_reported(&block(101, OLD_S)).is_some());
    node.set(Newest::Fails(ReadFailure::Upstream));
    pass(5_000).await;
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
}

#[tokio::test(start_paused = true)]
async fn a_reorg_of_the_pinned_block_ends_its_share_at_the_next_poll() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    pin(&heads).await.unwrap();
    node.set(Newest::Head(fork(1, 100, OLD_S)));
    pass(1_000).await;
    assert_eq!(pin(&heads).await, Ok(fork(1, 100, OLD_S)));
    // The parent link of the block above it shows it, too.
    node.set(Newest::Head(fork(2, 101, OLD_S)));
    pass(1_000).await;
    assert_eq!(pin(&heads).await, Ok(fork(2, 101, OLD_S)));
}

#[tokio::test(start_paused = true)]
async fn a_lagging_reply_does_not_take_the_pin_back() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    pin(&heads).await.unwrap();
    for _ in 0..10 {
        for head in [95, 96, 100] {
            node.set(Newest::Head(block(head, OLD_S)));
            let polls = node.polls();
            while node.polls() == polls {
                pass(100).await;
                assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_chain_set_back_is_followed_at_the_third_poll() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    pin(&heads).await.unwrap();
    node.set(Newest::Head(block(90, OLD_S)));
    // Polls come every second, the first of them a second after the cold start.
    pass(2_999).await;
    assert_eq!(node.polls(), 3);
    assert_eq!(pin(&heads).await, Ok(block(100, OLD_S)));
    pass(1).await;
    assert_eq!(node.polls(), 4);
    assert_eq!(pin(&heads).await, Ok(block(90, OLD_S)));
    assert_eq!(node.polls(), 4, "reported three times, it is old enough without a further poll");
}

#[tokio::test(start_paused = true)]
async fn a_chain_set_back_without_pins_is_confirmed_by_three_polls_at_once() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    pin(&heads).await.unwrap();
    pass(60_000).await;
    node.set(Newest::Head(block(90, OLD_S)));
    let (polls, start) = (node.polls(), Instant::now());
    assert_eq!(pin(&heads).await, Ok(block(90, OLD_S)));
    assert_eq!((node.polls() - polls, Instant::now()), (3, start));
}

#[tokio::test(start_paused = true)]
async fn a_lost_block_is_not_pinned_again_while_there_is_another() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    let lost = pin(&heads).await.unwrap();
    heads.mark_lost(&lost);
    assert_eq!(heads.pinned(), None);
    assert_eq!(pin(&heads).await.map(|block| block.hash), Ok(lost.parent));
    assert_eq!((node.polls(), node.parents()), (2, 1), "the next pin polls anew");
    pass(60_000).await;
    assert_eq!(pin(&heads).await.map(|block| block.hash), Ok(lost.parent));
    node.set(Newest::Head(block(101, OLD_S)));
    pass(4_000).await;
    assert_eq!(pin(&heads).await, Ok(block(101, OLD_S)));
    node.set(Newest::Head(block(100, OLD_S)));
    busy(&heads, 10_000).await;
    assert_ne!(heads.pinned(), Some(lost));
}

#[tokio::test(start_paused = true)]
async fn a_chain_that_rests_is_pinned_again_though_all_of_it_was_lost() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    let lost = pin(&heads).await.unwrap();
    heads.mark_lost(&lost);
    heads.mark_lost(&block(99, OLD_S));
    assert_eq!(heads.pin(Instant::now() + ms(100)).await, Err(ReadFailure::BlockLost), "no time is left to wait");
    let start = Instant::now();
    assert_eq!(pin(&heads).await.map(|block| block.number), Ok(99));
    // Half a second after the poll that found nothing.
    assert_eq!(Instant::now() - start, ms(500));
}

#[tokio::test(start_paused = true)]
async fn an_older_block_that_is_lost_leaves_the_pin() {
    let node = HeadNode::new(Newest::Head(block(100, OLD_S)));
    let heads = node.heads();
    let pinned = pin(&heads).await;
    heads.mark_lost(&block(97, OLD_S));
    assert_eq!(pin(&heads).await, pinned);
    assert_eq!(node.polls(), 1);
}
