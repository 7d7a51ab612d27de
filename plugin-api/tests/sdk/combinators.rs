//! Combinators of futures-util, which only re-poll woken futures: each must wake, end, and read in the fewest batches.

use std::pin::pin;

use futures_util::future::{
    Either, FusedFuture, FutureExt, join, join_all, select, select_all, try_join, try_join_all,
};
use futures_util::stream::{self, FuturesOrdered, FuturesUnordered, StreamExt, TryStreamExt};
use portolan_plugin_api::testing::{End, Outcome};
use portolan_plugin_api::{Error, JobContext, U256};

use crate::scenario::{found, found_all, numbers, packed, play, scenario, unpacked, value};

const SIZES: [u64; 4] = [1, 31, 1_000, 10_000];

/// Defines a scenario per size.
macro_rules! sizes {
    ($name:ident, |$cx:ident, $count:ident| $body:expr) => {
        mod $name {
            use super::*;

            async fn numbers($cx: &JobContext, $count: u64) -> Result<Vec<U256>, Error> {
                $body
            }

            scenario!(S0, |cx| { Ok(packed(numbers(cx, SIZES[0]).await?)) });
            scenario!(S1, |cx| { Ok(packed(numbers(cx, SIZES[1]).await?)) });
            scenario!(S2, |cx| { Ok(packed(numbers(cx, SIZES[2]).await?)) });
            scenario!(S3, |cx| { Ok(packed(numbers(cx, SIZES[3]).await?)) });

            pub(super) fn outcomes() -> [Outcome; 4] {
                [play::<S0>(), play::<S1>(), play::<S2>(), play::<S3>()]
            }
        }
    };
}

sizes!(joined_all, |cx, count| join_all((0..count).map(|number| value(cx, number))).await.into_iter().collect());
sizes!(try_joined_all, |cx, count| try_join_all((0..count).map(|number| value(cx, number))).await);
sizes!(unordered, |cx, count| {
    let reads: FuturesUnordered<_> = (0..count).map(|number| value(cx, number)).collect();
    reads.try_collect().await
});
sizes!(ordered, |cx, count| {
    let reads: FuturesOrdered<_> = (0..count).map(|number| value(cx, number)).collect();
    reads.try_collect().await
});
sizes!(buffered_whole, |cx, count| {
    let reads = stream::iter((0..count).map(|number| value(cx, number)));
    reads.buffered(10_000).try_collect().await
});
sizes!(buffered_in_windows, |cx, count| {
    let reads = stream::iter((0..count).map(|number| value(cx, number)));
    reads.buffered(500).try_collect().await
});
sizes!(buffered_unordered_in_windows, |cx, count| {
    let reads = stream::iter((0..count).map(|number| value(cx, number)));
    reads.buffer_unordered(500).try_collect().await
});

/// Asserts that every read is answered once, and in order if the combinator has one.
fn assert_answered(outcomes: &[Outcome; 4], in_order: bool) {
    for (outcome, count) in outcomes.iter().zip(SIZES) {
        assert_eq!(outcome.end, End::Complete, "{count}: {}", outcome.message);
        assert_eq!(outcome.batches.iter().sum::<usize>() as u64, count);
        let mut actual = unpacked(outcome);
        if !in_order {
            actual.sort_unstable();
        }
        assert_eq!(actual, (0..count).map(|number| 2 * number + 1).collect::<Vec<_>>(), "{count}");
    }
}

fn batches(outcomes: &[Outcome; 4]) -> [usize; 4] {
    outcomes.each_ref().map(|outcome| outcome.batches.len())
}

#[test]
fn join_all_is_one_batch() {
    let outcomes = joined_all::outcomes();
    assert_answered(&outcomes, true);
    assert_eq!(batches(&outcomes), [1, 1, 1, 1]);
}

#[test]
fn try_join_all_is_one_batch() {
    let outcomes = try_joined_all::outcomes();
    assert_answered(&outcomes, true);
    assert_eq!(batches(&outcomes), [1, 1, 1, 1]);
}

#[test]
fn futures_unordered_are_one_batch() {
    let outcomes = unordered::outcomes();
    assert_answered(&outcomes, false);
    assert_eq!(batches(&outcomes), [1, 1, 1, 1]);
}

#[test]
fn futures_ordered_are_one_batch() {
    let outcomes = ordered::outcomes();
    assert_answered(&outcomes, true);
    assert_eq!(batches(&outcomes), [1, 1, 1, 1]);
}

#[test]
fn a_buffer_that_holds_all_is_one_batch() {
    let outcomes = buffered_whole::outcomes();
    assert_answered(&outcomes, true);
    assert_eq!(batches(&outcomes), [1, 1, 1, 1]);
}

#[test]
fn a_buffer_that_holds_500_is_a_batch_for_each_500() {
    let outcomes = buffered_in_windows::outcomes();
    assert_answered(&outcomes, true);
    assert_eq!(batches(&outcomes), [1, 1, 2, 20]);
    let outcomes = buffered_unordered_in_windows::outcomes();
    assert_answered(&outcomes, false);
    assert_eq!(batches(&outcomes), [1, 1, 2, 20]);
}

scenario!(Pairs, |cx| {
    let (one, two) = join(value(cx, 1), value(cx, 2)).await;
    let (three, both) = try_join(value(cx, 3), try_join(value(cx, 4), value(cx, 5))).await?;
    Ok(found_all([one?, two?, three, both.0, both.1]))
});

#[test]
fn pairs_are_a_batch_each() {
    let outcome = play::<Pairs>();
    assert_eq!(outcome.batches, [2, 3]);
    assert_eq!(numbers(&outcome), [3, 5, 7, 9, 11]);
}

scenario!(Loser, |cx| {
    // The right side needs a second batch, so the left one wins, and the right one is dropped midway.
    let slow = pin!(async {
        let first = value(cx, 10).await?;
        value(cx, first.to()).await
    });
    let winner = match select(value(cx, 1), slow).await {
        Either::Left((winner, _loser)) => winner?,
        Either::Right((other, _)) => other?,
    };
    Ok(found_all([winner, value(cx, 2).await?, value(cx, 3).await?]))
});

#[test]
fn reads_after_a_select_get_their_own_replies() {
    let outcome = play::<Loser>();
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(outcome.batches, [2, 1, 1]);
    assert_eq!(numbers(&outcome), [3, 5, 7]);
}

scenario!(DroppedRequested, |cx| {
    // A polled read is requested, even if it is dropped afterwards; its reply is ignored.
    let mut dropped = Box::pin(value(cx, 100));
    assert!(dropped.as_mut().now_or_never().is_none());
    drop(dropped);
    // A read that was never polled is not requested.
    drop(value(cx, 200));
    Ok(found_all(cx.join([value(cx, 1), value(cx, 2)]).await?))
});

#[test]
fn the_reply_to_a_dropped_read_is_nobodys() {
    let outcome = play::<DroppedRequested>();
    assert_eq!(outcome.batches, [3]);
    assert_eq!(numbers(&outcome), [3, 5]);
}

scenario!(Racers, |cx| {
    let mut racers: Vec<_> = (0..40).map(|number| value(cx, number)).collect();
    let mut first = Vec::new();
    while !racers.is_empty() {
        let (winner, _, rest) = select_all(racers).await;
        first.push(winner?);
        racers = rest;
    }
    Ok(found_all(first))
});

#[test]
fn select_all_takes_what_one_batch_brought() {
    let outcome = play::<Racers>();
    assert_eq!(outcome.batches, [40]);
    let mut actual = numbers(&outcome);
    actual.sort_unstable();
    assert_eq!(actual, (0..40).map(|number| 2 * number + 1).collect::<Vec<_>>());
}

scenario!(Shared, |cx| {
    let read = value(cx, 7).map(|answer| answer.map_err(|error| error.to_string())).shared();
    let (one, two) = join(read.clone(), read.clone()).await;
    let again = read.await;
    Ok(found_all([one, two, again].into_iter().flatten()))
});

#[test]
fn a_shared_read_is_made_once() {
    let outcome = play::<Shared>();
    assert_eq!((outcome.end, outcome.batches.as_slice()), (End::Complete, &[1][..]));
    assert_eq!(numbers(&outcome), [15, 15, 15]);
}

scenario!(Fused, |cx| {
    let mut read = value(cx, 4).fuse();
    let answer = (&mut read).await?;
    assert!(read.is_terminated());
    Ok(vec![found(answer)])
});

#[test]
fn a_read_can_be_fused() {
    assert_eq!(numbers(&play::<Fused>()), [9]);
}

scenario!(Nested, |cx| {
    let inner = |outer: u64| cx.join((0..40).map(move |number| value(cx, 40 * outer + number)));
    let all = cx.join((0..300).map(inner)).await?;
    Ok(packed(all.into_iter().flatten()))
});

#[test]
fn a_join_of_long_joins_is_one_batch() {
    let outcome = play::<Nested>();
    assert_eq!((outcome.end, outcome.batches.as_slice()), (End::Complete, &[12_000][..]), "{}", outcome.message);
    assert_eq!(unpacked(&outcome), (0..12_000).map(|number| 2 * number + 1).collect::<Vec<_>>());
}
