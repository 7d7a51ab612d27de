//! Reads that meet others under way. The tests complete the flights themselves.

use std::cell::RefCell;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;
use tokio::join;

use super::*;
use crate::{Freshness, Read};

fn block(number: u8) -> Block {
    let hash = B256::repeat_byte(number);
    Block { number: number.into(), hash, parent: B256::ZERO, timestamp: 1, evm_number: 1 }
}

fn read(number: u8) -> Read {
    Read::call(Address::repeat_byte(number), [number])
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// Returns the reads of a flight.
fn reads_of(flight: &FlightGuard) -> Vec<Read> {
    flight.reads().iter().collect()
}

fn echo(reads: &[Read]) -> Vec<Outcome> {
    reads.iter().map(|read| Outcome::Ok(read.data.clone())).collect()
}

fn echoed(numbers: &[u8]) -> Vec<Outcome> {
    numbers.iter().map(|number| Outcome::Ok(Bytes::from(vec![*number]))).collect()
}

fn outcomes(replies: ReplySet) -> Vec<Outcome> {
    replies.into_iter().map(|reply| reply.outcome).collect()
}

/// Returns the reply that is known at the block.
fn reply(cache: &BlockCache, at: u8, read: &Read) -> Option<Reply> {
    let known = cache.replies(&block(at), [(7, read.into())].into_iter())?;
    let [(7, reply)] = &known[..] else { panic!("{known:?}") };
    Some(reply.clone())
}

/// Calls of these contracts with the same data: a long row.
fn row(contracts: std::ops::Range<u8>) -> Vec<Read> {
    contracts.map(|to| Read::call(Address::repeat_byte(to), [1])).collect()
}

/// Begins these batches one after the other, completes their flights with the address of each contract, and compares
/// the flights and the answers.
async fn read_at_once<const N: usize>(cache: &BlockCache, batches: &[Vec<Read>], expected_flights: [Vec<Read>; N]) {
    let (started, first) = (RefCell::new(Vec::new()), block(1));
    let keep = |flight: FlightGuard| started.borrow_mut().push(flight);
    let mut answers = Vec::new();
    for reads in batches {
        let mut answer = cache.read(&first, reads.clone().into(), soon(), keep).boxed_local();
        assert!(answer.as_mut().now_or_never().is_none());
        answers.push(answer);
    }
    let flights = started.take();
    assert_eq!(flights.iter().map(reads_of).collect::<Vec<_>>(), expected_flights);
    let contract = |reads: &[Read]| reads.iter().map(|read| Outcome::Ok(read.to.to_vec().into())).collect::<Vec<_>>();
    for flight in flights {
        let outcomes = contract(&reads_of(&flight));
        flight.complete(outcomes.into());
    }
    for (reads, answer) in batches.iter().zip(answers) {
        assert_eq!(outcomes(answer.await), contract(reads));
    }
}

#[tokio::test]
async fn ten_equal_batches_are_one_flight() {
    let (cache, started) = (BlockCache::new(u64::MAX), RefCell::new(Vec::new()));
    let fetch = |numbers: &[u8]| {
        let reads = numbers.iter().map(|number| read(*number)).collect();
        let (cache, started) = (&cache, &started);
        async move { cache.read(&block(1), reads, soon(), |flight| started.borrow_mut().push(flight)).await }
    };
    let mut ten: Vec<_> = (0..10).map(|_| fetch(&[1, 2, 1]).boxed_local()).collect();
    for subscriber in &mut ten {
        assert!(subscriber.now_or_never().is_none());
    }
    let flight = started.borrow_mut().pop().unwrap();
    assert!(started.borrow().is_empty());
    assert_eq!(reads_of(&flight), [read(1), read(2)]);
    flight.complete(echo(&[read(1), read(2)]).into());
    for subscriber in ten {
        assert_eq!(outcomes(subscriber.await), echoed(&[1, 2, 1]));
    }
    let fresh = Read { freshness: Freshness::Within(9), ..read(2) };
    assert_eq!(reply(&cache, 1, &fresh), Some(Reply { cached: true, ..Reply::fresh(echoed(&[2])[0].clone()) }));
    assert_eq!(reply(&cache, 2, &read(2)), None, "another block");
    for other in [
        Read { from: Some(Address::ZERO), ..read(2) },
        Read { isolated: true, ..read(2) },
        Read { gas_cap: Some(7), ..read(2) },
        Read { kind: crate::Kind::CodeSize, ..read(2) },
        Read { data: Bytes::new(), ..read(2) },
    ] {
        assert_eq!(reply(&cache, 1, &other), None, "{other:?}");
    }
}

#[tokio::test]
async fn what_is_not_under_way_is_fetched_beside_it() {
    let (cache, started, first) = (BlockCache::new(u64::MAX), RefCell::new(Vec::new()), block(1));
    let keep = |flight: FlightGuard| started.borrow_mut().push(flight);
    let mut one = cache.read(&first, vec![read(1), read(2)].into(), soon(), keep).boxed_local();
    let mut two = cache.read(&first, vec![read(3), read(2)].into(), soon(), keep).boxed_local();
    assert!(one.as_mut().now_or_never().is_none() && two.as_mut().now_or_never().is_none());
    let flights = started.take();
    assert_eq!(flights.iter().map(reads_of).collect::<Vec<_>>(), [&[read(1), read(2)][..], &[read(3)]]);
    for flight in flights {
        let outcomes = echo(&reads_of(&flight));
        flight.complete(outcomes.into());
    }
    let (one, two) = join!(one, two);
    assert_eq!((outcomes(one), outcomes(two)), (echoed(&[1, 2]), echoed(&[3, 2])));
}

#[tokio::test]
async fn twins_and_strangers_in_one_batch_find_their_slots() {
    let (cache, started, first) = (BlockCache::new(u64::MAX), RefCell::new(Vec::new()), block(1));
    let keep = |flight: FlightGuard| started.borrow_mut().push(flight);
    let reads = |numbers: &[u8]| numbers.iter().map(|number| read(*number)).collect::<Vec<_>>();
    let mut one = cache.read(&first, reads(&[1, 2]).into(), soon(), keep).boxed_local();
    let mut two = cache.read(&first, reads(&[3, 2, 3, 4, 1, 4, 5]).into(), soon(), keep).boxed_local();
    assert!(one.as_mut().now_or_never().is_none() && two.as_mut().now_or_never().is_none());
    let mut three = cache.read(&first, reads(&[5, 4, 3]).into(), soon(), keep).boxed_local();
    assert!(three.as_mut().now_or_never().is_none());
    let flights = started.take();
    assert_eq!(flights.iter().map(reads_of).collect::<Vec<_>>(), [reads(&[1, 2]), reads(&[3, 4, 5])]);
    for flight in flights {
        let outcomes = echo(&reads_of(&flight));
        flight.complete(outcomes.into());
    }
    assert_eq!(outcomes(two.await), echoed(&[3, 2, 3, 4, 1, 4, 5]));
    assert_eq!(outcomes(three.await), echoed(&[5, 4, 3]));
    assert_eq!(reply(&cache, 1, &read(5)).map(|reply| reply.outcome), echoed(&[5]).pop());
}

#[tokio::test(start_paused = true)]
async fn one_with_more_time_fetches_again_what_another_did_not_get() {
    let (cache, started, first) = (BlockCache::new(u64::MAX), RefCell::new(Vec::new()), block(1));
    let keep = |flight: FlightGuard| started.borrow_mut().push(flight);
    let hasty = cache.read(&first, vec![read(1)].into(), Instant::now() + Duration::from_secs(1), keep);
    let patient = cache.read(&first, vec![read(1)].into(), Instant::now() + Duration::from_secs(9), |flight| {
        let outcomes = echo(&reads_of(&flight));
        flight.complete(outcomes.into());
    });
    let fails = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        drop(started.borrow_mut().pop());
    };
    let (hasty, patient, ()) = join!(hasty, patient, fails);
    assert_eq!(outcomes(hasty), [Outcome::Failed(ReadFailure::Timeout)]);
    assert_eq!(outcomes(patient), echoed(&[1]));
    assert!(reply(&cache, 1, &read(1)).is_some(), "the answer took the failure's place");
}

#[tokio::test]
async fn a_flight_that_nobody_completes_completes_with_failures() {
    let (cache, first) = (BlockCache::new(u64::MAX), block(1));
    let replies = cache.read(&first, vec![read(1), read(2)].into(), soon(), drop).await;
    assert_eq!(outcomes(replies), vec![Outcome::Failed(ReadFailure::Upstream); 2]);
}

#[tokio::test]
async fn the_last_blocks_are_cached_within_their_bytes() {
    let cache = BlockCache::new(u64::MAX);
    let fetch = async |number: u8, reply: usize| {
        let complete = |flight: FlightGuard| {
            let outcomes = vec![Outcome::Ok(vec![1; reply].into()); flight.reads().len()];
            flight.complete(outcomes.into());
        };
        cache.read(&block(number), vec![read(number)].into(), soon(), complete).await
    };
    for number in 1..=6 {
        fetch(number, 10).await;
    }
    let cached = |numbers: std::ops::RangeInclusive<u8>| -> Vec<bool> {
        numbers.map(|number| reply(&cache, number, &read(number)).is_some()).collect()
    };
    assert_eq!(cached(1..=6), [false, false, true, true, true, true]);
    fetch(7, 10 << 20).await;
    fetch(8, 10 << 20).await;
    fetch(9, 10).await;
    assert_eq!(cached(4..=9), [false, false, false, false, true, true]);
}

#[tokio::test]
async fn a_read_is_one_whether_it_is_made_alone_or_in_a_long_row() {
    let cache = BlockCache::new(u64::MAX);
    let batches = [
        row(7..8),
        [row(0..100), row(0..100)].concat(),
        row(90..110),
        [vec![read(1)], row(50..150), vec![read(2)]].concat(),
        row(149..151),
        [vec![read(2)], row(0..150), vec![read(1)]].concat(),
    ];
    let flights = [
        row(7..8),
        [row(0..7), row(8..100)].concat(),
        row(100..110),
        [row(110..150), vec![read(2)]].concat(),
        row(150..151),
    ];
    read_at_once(&cache, &batches, flights).await;
    assert!(batches.iter().flatten().all(|read| reply(&cache, 1, read).is_some()));
}

#[tokio::test]
async fn the_reads_of_a_long_row_are_found_by_those_who_read_them_later() {
    let batches = [row(0..100), row(99..101), row(50..150), row(0..100)];
    let flights = [row(0..100), row(100..101), row(101..150)];
    read_at_once(&BlockCache::new(u64::MAX), &batches, flights).await;
}

#[tokio::test]
async fn what_failed_in_a_long_row_is_fetched_again() {
    let (cache, first) = (BlockCache::new(u64::MAX), block(1));
    let row = row(0..100);
    let replies = cache.read(&first, row.clone().into(), soon(), drop).await;
    assert_eq!(outcomes(replies), vec![Outcome::Failed(ReadFailure::Upstream); 100]);
    assert_eq!(reply(&cache, 1, &row[7]), None);
    let fetched = cache.read(&first, vec![row[7].clone(), row[8].clone()].into(), soon(), |flight| {
        let outcomes = vec![Outcome::Ok(vec![9].into()); flight.reads().len()];
        flight.complete(outcomes.into());
    });
    assert_eq!(outcomes(fetched.await), vec![Outcome::Ok(vec![9].into()); 2]);
    assert!(reply(&cache, 1, &row[8]).is_some());
}

/// Completes a flight with these numbers, as an answer of this endpoint.
fn complete_by(flight: FlightGuard, endpoint: u8, numbers: &[u8]) {
    let mut outcomes: Outcomes = echoed(numbers).into();
    outcomes.note_answering(endpoint);
    flight.complete(outcomes);
}

#[tokio::test]
async fn what_an_endpoint_said_is_read_anew_beside_the_word_of_another_at_the_same_block() {
    let (cache, started, first) = (BlockCache::new(u64::MAX), RefCell::new(VecDeque::new()), block(1));
    let keep = |flight: FlightGuard| started.borrow_mut().push_back(flight);
    let next = || started.borrow_mut().pop_front();
    let mut one = cache.read(&first, vec![read(1)].into(), soon(), keep).boxed_local();
    assert!(one.as_mut().now_or_never().is_none());
    complete_by(next().unwrap(), 0, &[6]);
    assert_eq!(outcomes(one.await), echoed(&[6]), "a lie");
    // The same endpoint: known replies stay.
    let mut same = cache.read(&first, vec![read(1), read(3)].into(), soon(), keep).boxed_local();
    assert!(same.as_mut().now_or_never().is_none());
    complete_by(next().unwrap(), 0, &[3]);
    assert_eq!(outcomes(same.await), echoed(&[6, 3]));
    // Another endpoint.
    let mut both = cache.read(&first, vec![read(1), read(2)].into(), soon(), keep).boxed_local();
    assert!(both.as_mut().now_or_never().is_none());
    let flight = next().unwrap();
    assert_eq!(reads_of(&flight), [read(2)]);
    complete_by(flight, 1, &[2]);
    assert!(both.as_mut().now_or_never().is_none());
    let again = next().unwrap();
    assert_eq!(reads_of(&again), [read(1)]);
    complete_by(again, 1, &[1]);
    assert_eq!(outcomes(both.await), echoed(&[1, 2]));
    assert_eq!(reply(&cache, 1, &read(1)).unwrap().outcome, echoed(&[1])[0]);
    assert!(next().is_none());
}
