//! Requests that an endpoint does not want yet, and those that its limits hold back.

use std::time::{Duration, Instant};

use portolan_reader::Limits;
use portolan_tests::rpc_fault::Fault;

use crate::test_reader::TestReader;

use super::{before, chain, echoes, with_each_batch_method};

/// Longer than requests that had left when the endpoint requested fewer are on their way.
const ON_THE_WAY: Duration = Duration::from_millis(300);

#[test]
fn an_endpoint_that_requests_a_wait_is_left_alone_for_that_time() {
    const WAIT_S: u64 = 3;
    let chain = chain();
    let (busy, good) = (before(&chain), before(&chain));
    let reader = TestReader::behind(&[&busy, &good]);
    let block = reader.pin().unwrap();
    let (reads, expected) = echoes(6, 3);
    assert_eq!(reader.read(block, &reads), expected);
    let (requested, start) = (busy.requests(), Instant::now());
    busy.set(Fault::Throttled(Some(WAIT_S)));
    let wait = Duration::from_secs(WAIT_S);
    let mut rounds = 7..;
    let mut read = || {
        let (reads, expected) = echoes(rounds.next().unwrap(), 3);
        assert_eq!(reader.read(block, &reads), expected);
    };
    while start.elapsed() < wait + ON_THE_WAY {
        read();
    }
    // From then on it is there for those who need it.
    busy.set(Fault::None);
    good.set(Fault::Close);
    read();
    let arrivals: Vec<Instant> = busy.seen().into_iter().skip(requested).map(|requested| requested.at).collect();
    let refused = arrivals[0];
    let early: Vec<Duration> =
        arrivals.iter().map(|at| *at - refused).filter(|after| *after > ON_THE_WAY && *after < wait).collect();
    assert!(early.is_empty(), "requested again after {early:?} of {wait:?}");
}

#[test]
fn the_only_endpoint_is_waited_for_where_the_deadline_allows() {
    let chain = chain();
    let busy = before(&chain);
    let reader = TestReader::behind(&[&busy]);
    let block = reader.pin().unwrap();
    let (reads, expected) = echoes(8, 3);
    assert_eq!(reader.read(block, &reads), expected);
    let (requested, calls) = (busy.requests(), busy.requested("eth_call"));
    busy.set(Fault::Throttled(Some(1)));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            busy.wait_until_requested("eth_call", calls).unwrap();
            busy.set(Fault::None);
        });
        let (reads, expected) = echoes(9, 3);
        assert_eq!(reader.read(block, &reads), expected);
    });
    let arrivals: Vec<Instant> = busy.seen().into_iter().skip(requested).map(|requested| requested.at).collect();
    let early = arrivals
        .iter()
        .filter(|at| **at - arrivals[0] > ON_THE_WAY)
        .find(|at| **at - arrivals[0] < Duration::from_secs(1));
    assert_eq!(early, None, "requested again within the second");
}

#[test]
fn no_more_requests_are_in_flight_than_the_limit_says() {
    const IN_FLIGHT_MAX: usize = 3;
    let chain = chain();
    let rpc = before(&chain);
    let [_, _, single] = with_each_batch_method();
    rpc.flawed(single);
    rpc.set(Fault::Late(Duration::from_millis(10)));
    let reader =
        TestReader::with(&[&rpc], Limits { in_flight_max: IN_FLIGHT_MAX, per_second_max: 0, ..Limits::default() });
    let block = reader.pin().unwrap();
    let (reads, expected) = echoes(10, 60);
    assert_eq!(reader.read(block, &reads), expected);
    assert_eq!(rpc.in_flight_max(), IN_FLIGHT_MAX);
}

#[test]
fn no_more_requests_leave_in_a_second_than_the_limit_says() {
    const PER_SECOND_MAX: u32 = 20;
    let chain = chain();
    let rpc = before(&chain);
    let [_, _, single] = with_each_batch_method();
    rpc.flawed(single);
    let reader = TestReader::with(&[&rpc], Limits { per_second_max: PER_SECOND_MAX, ..Limits::default() });
    let block = reader.pin().unwrap();
    let (reads, expected) = echoes(11, 60);
    assert_eq!(reader.read(block, &reads), expected);
    let arrivals: Vec<Instant> = rpc.seen().into_iter().map(|requested| requested.at).collect();
    assert!(arrivals.len() >= 60);
    // A burst of one second's worth, and its rate from then on; what was on its way may arrive together.
    let span = *arrivals.last().unwrap() - arrivals[0] + ON_THE_WAY;
    let most = f64::from(PER_SECOND_MAX) * (1.0 + span.as_secs_f64());
    assert!(f64::from(u32::try_from(arrivals.len()).unwrap()) <= most, "{} in {span:?}", arrivals.len());
}
