//! The ranks of endpoints, by tables of their results.

use super::*;
use crate::endpoints::health::RequestKind::{Probe, Read};
use crate::wire::error::EndpointError;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Endpoints `a`, `b`, … in the configured order.
struct Peers {
    selector: EndpointSelector,
    endpoints: Vec<Health>,
    now: Instant,
}

impl Peers {
    fn new(count: usize) -> Self {
        let endpoints = (0..count).map(|_| Health::default()).collect();
        Self { selector: EndpointSelector::default(), endpoints, now: Instant::now() }
    }

    /// Returns the ranks as letters, first rank first.
    fn ranked(&self) -> String {
        let all: Vec<&Health> = self.endpoints.iter().collect();
        let ranked = self.selector.ranked(self.now, &all);
        ranked.into_iter().map(|place| char::from(b'a' + u8::try_from(place).unwrap())).collect()
    }

    fn placements(&self) -> Vec<Placement> {
        self.selector.placements(self.now, &self.endpoints.iter().collect::<Vec<_>>())
    }

    fn states(&self) -> Vec<EndpointState> {
        self.placements().into_iter().map(|placement| placement.state).collect()
    }

    fn reply(&self, place: usize, took_ms: u32) {
        for _ in 0..20 {
            self.endpoints[place].record(Read, self.now, took_ms * MS, Ok(()));
        }
    }

    fn fail(&self, place: usize, times: u32) {
        for _ in 0..times {
            self.endpoints[place].record(Read, self.now, MS, Err(EndpointError::Http(502)));
        }
    }

    fn throttle(&self, place: usize, wait: Duration) {
        // As many in a row as begin a pause.
        for _ in 0..4 {
            self.endpoints[place].record(Read, self.now, MS, Err(EndpointError::Throttled(Some(wait))));
        }
    }

    fn head(&self, place: usize, timestamp_s: u64) {
        self.endpoints[place].record_head(self.now, timestamp_s);
    }

    fn probe(&self, place: usize) {
        assert!(self.endpoints[place].may_probe(self.now));
        self.endpoints[place].record(Probe, self.now, Duration::ZERO, Ok(()));
    }

    /// Lets seconds pass, with one request in each.
    fn pass(&mut self, seconds: u32) {
        for _ in 0..seconds {
            self.now += SECOND;
            self.ranked();
        }
    }
}

#[test]
fn endpoints_that_were_never_measured_are_ranked_as_configured() {
    let peers = Peers::new(3);
    assert_eq!(peers.ranked(), "abc");
    assert_eq!(peers.states(), [EndpointState::Unknown; 3]);
    assert!(peers.placements().iter().all(|placement| placement.score == 1.0 && placement.lag_s.is_none()));
}

#[test]
fn no_endpoints_have_no_ranks_and_a_single_one_is_always_first() {
    assert_eq!(Peers::new(0).ranked(), "");
    let peers = Peers::new(1);
    peers.fail(0, 3);
    assert_eq!(peers.ranked(), "a");
    assert_eq!(peers.states(), [EndpointState::Excluded]);
}

#[test]
fn the_preferred_endpoint_is_first_though_only_others_were_measured() {
    let peers = Peers::new(3);
    peers.reply(1, 10);
    peers.reply(2, 500);
    assert_eq!(peers.ranked(), "bac", "the average is between them");
    let peers = Peers::new(2);
    peers.reply(1, 1);
    assert_eq!(peers.ranked(), "ab", "nobody to compare with");
}

#[test]
fn an_endpoint_that_errs_loses_its_rank_and_gets_it_back_after_its_probe() {
    let mut peers = Peers::new(3);
    peers.reply(0, 20);
    peers.reply(1, 20);
    peers.reply(2, 20);
    assert_eq!(peers.ranked(), "abc");
    peers.fail(0, 3);
    assert_eq!(peers.ranked(), "bca");
    assert_eq!(peers.states(), [EndpointState::Excluded, EndpointState::Primary, EndpointState::Standby]);
    peers.pass(5);
    assert_eq!(peers.ranked(), "bca", "not before its probe");
    peers.probe(0);
    assert_eq!(peers.ranked(), "bac", "healthy again, but it has to stay so");
    peers.pass(9);
    assert_eq!(peers.ranked(), "bac");
    peers.pass(1);
    assert_eq!(peers.ranked(), "abc");
}

#[test]
fn excluded_endpoints_are_still_ranked_when_there_are_no_others() {
    let mut peers = Peers::new(3);
    for place in 0..3 {
        peers.fail(place, 3);
    }
    assert_eq!(peers.ranked(), "abc");
    peers.pass(5);
    peers.probe(2);
    assert_eq!(peers.ranked(), "cab");
}

#[test]
fn small_differences_never_replace_the_primary() {
    // Milliseconds that the first and the second endpoint take.
    for (first, second) in [(20, 19), (40, 20), (49, 10), (5, 1), (100, 50), (8, 0), (20, 20)] {
        let mut peers = Peers::new(2);
        peers.reply(0, first);
        assert_eq!(peers.ranked(), "ab");
        peers.reply(1, second);
        peers.pass(60);
        assert_eq!(peers.ranked(), "ab", "{first} ms and {second} ms");
    }
}

#[test]
fn an_endpoint_that_is_eight_times_as_slow_loses_its_rank_after_ten_seconds() {
    let mut peers = Peers::new(2);
    peers.reply(0, 70);
    assert_eq!(peers.ranked(), "ab");
    peers.reply(1, 0);
    // 70 + 10 is eight times 0 + 10: three doublings of four, of 0.4.
    assert!((peers.placements()[0].score - 0.7).abs() < 1e-9);
    assert_eq!(peers.ranked(), "ab");
    peers.pass(9);
    assert_eq!(peers.ranked(), "ab");
    peers.pass(1);
    assert_eq!(peers.ranked(), "ba");
    peers.pass(60);
    assert_eq!(peers.ranked(), "ba", "and does not come back while it is");
}

#[test]
fn being_better_must_last() {
    let mut peers = Peers::new(2);
    peers.reply(0, 300);
    assert_eq!(peers.ranked(), "ab");
    for _ in 0..20 {
        peers.reply(1, 10);
        peers.pass(6);
        assert_eq!(peers.ranked(), "ab");
        // Nine of ten of its replies are as slow as those of the primary.
        for _ in 0..13 {
            peers.reply(1, 300);
        }
        peers.pass(1);
    }
    assert_eq!(peers.ranked(), "ab");
}

#[test]
fn heads_are_compared_with_heads_and_reads_with_reads() {
    let mut peers = Peers::new(2);
    peers.reply(0, 400);
    for _ in 0..20 {
        peers.endpoints[0].record(Probe, peers.now, 10 * MS, Ok(()));
        peers.endpoints[1].record(Probe, peers.now, 10 * MS, Ok(()));
    }
    peers.pass(20);
    assert_eq!(peers.ranked(), "ab");
    assert_eq!(peers.placements()[0].score, 1.0);
    let peers = Peers::new(2);
    peers.reply(0, 1);
    peers.endpoints[0].record(Probe, peers.now, 70 * MS, Ok(()));
    peers.endpoints[1].record(Probe, peers.now, Duration::ZERO, Ok(()));
    // Eight times as slow: reads that cannot be compared do not make up for it.
    assert!((peers.placements()[0].score - 0.7).abs() < 1e-9);
}

#[test]
fn lag_replaces_the_primary_and_one_late_head_does_not() {
    let mut peers = Peers::new(2);
    peers.reply(0, 20);
    peers.reply(1, 20);
    for second in 0..30 {
        peers.head(1, 1000 + second);
        // The primary reports every head at the same moment, except one.
        peers.head(0, if second == 15 { 1014 } else { 1000 + second });
        peers.pass(1);
    }
    assert_eq!(peers.ranked(), "ab");
    // From now on its head stands still.
    for second in 30..46 {
        peers.head(1, 1000 + second);
        peers.head(0, 1029);
        peers.pass(1);
    }
    assert_eq!(peers.placements()[0].lag_s, Some(16));
    assert_eq!(peers.ranked(), "ab", "6 s of lag cost 0.2, and it has more for less than ten seconds");
    peers.head(1, 1046);
    peers.head(0, 1029);
    peers.pass(1);
    assert_eq!(peers.ranked(), "ba");
}

#[test]
fn an_endpoint_with_few_requests_is_not_taken_to_lag() {
    let mut peers = Peers::new(2);
    for second in 0..30 {
        peers.head(0, 1000 + second);
        if second % 20 == 0 {
            peers.head(1, 1000 + second);
        }
        peers.pass(1);
    }
    assert_eq!(peers.placements()[1].lag_s, Some(0));
    peers.pass(60);
    assert_eq!(peers.placements()[1].lag_s, None, "too long ago");
}

#[test]
fn throttling_pauses_the_primary_and_the_shorter_pause_ranks_first() {
    let mut peers = Peers::new(3);
    for place in 0..3 {
        peers.reply(place, 20);
    }
    peers.throttle(0, 4 * SECOND);
    assert_eq!(peers.ranked(), "bca");
    assert_eq!(peers.states()[0], EndpointState::Paused);
    peers.throttle(1, 2 * SECOND);
    peers.throttle(2, 3 * SECOND);
    assert_eq!(peers.ranked(), "bca");
    peers.fail(1, 3);
    assert_eq!(peers.ranked(), "cab", "excluded ones come after paused ones");
    peers.pass(4);
    assert_eq!(peers.ranked(), "cab");
    peers.pass(10);
    assert_eq!(peers.ranked(), "acb");
}

#[test]
fn a_wrong_chain_is_ranked_last_of_all() {
    let peers = Peers::new(3);
    peers.endpoints[0].record(Read, peers.now, MS, Err(EndpointError::WrongChain(5)));
    peers.fail(1, 3);
    assert_eq!(peers.ranked(), "cba");
    assert_eq!(peers.states()[..2], [EndpointState::WrongChain, EndpointState::Excluded]);
}

#[test]
fn a_failing_standby_with_heads_of_the_future_does_not_replace_the_primary() {
    let mut peers = Peers::new(2);
    peers.reply(0, 20);
    peers.head(0, 1000);
    // It reports a block far in the future, and fails.
    peers.head(1, u64::MAX);
    peers.fail(1, 3);
    peers.head(0, 1001);
    peers.pass(20);
    assert_eq!(peers.ranked(), "ab");
    assert_eq!(peers.placements()[0].lag_s, Some(0));
}

#[test]
fn the_worst_endpoint_keeps_a_score_that_can_be_compared() {
    let peers = Peers::new(2);
    peers.endpoints[0].record(Read, peers.now, Duration::MAX, Ok(()));
    peers.endpoints[1].record(Read, peers.now, Duration::ZERO, Ok(()));
    peers.head(1, u64::MAX);
    peers.head(0, 0);
    let placements = peers.placements();
    assert_eq!(placements[0].lag_s, Some(u64::MAX));
    // The full penalties of 0.4 for latency and 0.6 for lag.
    assert!(placements[0].score.abs() < 1e-6, "{}", placements[0].score);
    assert_eq!(peers.ranked(), "ba");
}
