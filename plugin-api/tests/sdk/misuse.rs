//! Futures that never read, or wake themselves without end.

use std::future::{pending, poll_fn};
use std::task::Poll;

use portolan_abi::row::state;
use portolan_plugin_api::testing::End;
use portolan_plugin_api::{Error, JobContext, U256};

use crate::host::Host;
use crate::scenario::{Play, found, numbers, play, scenario, value};

const NO_READ: &str = "awaited something that is not a chain read";
const NO_REST: &str = "woke itself too often without asking for a read";

/// Stays pending this many times, and wakes itself at once.
async fn yields(times: u32) {
    let mut left = times;
    poll_fn(|cx| match left.checked_sub(1) {
        None => Poll::Ready(()),
        Some(less) => {
            left = less;
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

scenario!(NeverAsks, |_cx| { pending().await });

#[test]
fn a_future_that_never_reads_is_misuse() {
    let outcome = play::<NeverAsks>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Misuse, NO_READ));
    assert!(outcome.batches.is_empty());
}

scenario!(StopsAsking, |cx| {
    cx.emit(found(value(cx, 1).await?));
    pending().await
});

#[test]
fn a_future_that_stops_reading_is_misuse_and_keeps_what_it_reported() {
    let outcome = play::<StopsAsking>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Misuse, NO_READ));
    assert_eq!((outcome.batches.as_slice(), numbers(&outcome)), (&[1][..], vec![3]));
}

scenario!(OneNeverAsks, |cx| {
    let parts = [true, false].map(async |reads| if reads { value(cx, 1).await } else { pending().await });
    cx.join(parts).await.map(|_| Vec::new())
});

#[test]
fn a_join_with_a_part_that_never_reads_is_misuse_once_the_others_have_their_replies() {
    let outcome = play::<OneNeverAsks>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Misuse, NO_READ));
    assert_eq!(outcome.batches, [1]);
}

scenario!(NeverRests, |_cx| {
    yields(u32::MAX).await;
    Ok(Vec::new())
});

#[test]
fn a_future_that_wakes_itself_for_ever_is_misuse() {
    let outcome = play::<NeverRests>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Misuse, NO_REST));
}

async fn reads_and_never_rests(cx: &JobContext) -> Result<U256, Error> {
    let read = value(cx, 1);
    let mut read = std::pin::pin!(read);
    let mut other = std::pin::pin!(yields(u32::MAX));
    poll_fn(|task| {
        let _ = other.as_mut().poll(task);
        read.as_mut().poll(task)
    })
    .await
}

scenario!(ReadsAndNeverRests, |cx| { reads_and_never_rests(cx).await.map(|answer| vec![found(answer)]) });

#[test]
fn a_read_beside_something_that_never_rests_is_misuse() {
    let outcome = play::<ReadsAndNeverRests>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Misuse, NO_REST));
}

scenario!(YieldsOften, |cx| {
    yields(5_000).await;
    let answer = value(cx, 1).await?;
    yields(5_000).await;
    Ok(vec![found(answer)])
});

#[test]
fn a_future_may_yield_some_thousand_times_between_its_reads() {
    let outcome = play::<YieldsOften>();
    assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![3]));
}

scenario!(PolledAfterItsEnd, |cx| {
    let mut read = Box::pin(value(cx, 1));
    read.as_mut().await?;
    read.as_mut().await.map(|answer| vec![found(answer)])
});

#[test]
fn a_read_that_is_awaited_twice_is_misuse() {
    let outcome = play::<PolledAfterItsEnd>();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Misuse, NO_READ));
}

#[test]
fn misuse_of_one_job_leaves_the_instance_whole() {
    let host = Host::<Play<StopsAsking>>::new();
    for _ in 0..3 {
        let (step, found) = host.run_to_end();
        assert_eq!((step.state, found.len()), (state::MISUSE, 1));
    }
}
