//! The breaker, pause and metrics of one endpoint at chosen moments.

use super::RequestKind::{Optional, Probe, Read};
use super::*;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const BROKEN: Result<(), EndpointError> = Err(EndpointError::Unreachable);

/// Records `n` requests that take no time.
fn record_reads(health: &Health, now: Instant, n: u32, result: Result<(), EndpointError>) {
    for _ in 0..n {
        health.record(Read, now, Duration::ZERO, result);
    }
}

#[test]
fn three_errors_in_a_row_open_the_breaker_and_an_answered_read_between_them_prevents_it() {
    let start = Instant::now();
    for (ends, expected) in [("xx", false), ("xxx", true), ("xxoxx", false), ("xoxoxo", false), ("oooxxx", true)] {
        let health = Health::default();
        for end in ends.chars() {
            record_reads(&health, start, 1, if end == 'x' { BROKEN } else { Ok(()) });
        }
        assert_eq!(health.is_excluded(start), expected, "{ends}");
    }
}

#[test]
fn answered_probes_do_not_excuse_failing_reads() {
    let (health, start) = (Health::default(), Instant::now());
    for _ in 0..3 {
        health.record(Read, start, MS, BROKEN);
        health.record(Probe, start, MS, Ok(()));
    }
    assert!(health.is_excluded(start));
}

#[test]
fn a_half_of_errors_opens_the_breaker_from_ten_requests_on() {
    let (health, start) = (Health::default(), Instant::now());
    for _ in 0..4 {
        record_reads(&health, start, 1, Ok(()));
        record_reads(&health, start, 1, BROKEN);
    }
    record_reads(&health, start, 1, Ok(()));
    assert!(!health.is_excluded(start), "nine requests");
    record_reads(&health, start, 1, BROKEN);
    assert!(health.is_excluded(start), "ten");
}

#[test]
fn what_is_not_the_endpoints_failure_does_not_count() {
    let start = Instant::now();
    // The error, the milliseconds that the request had, and whether several of them open the breaker.
    for (error, took_ms, expected) in [
        (EndpointError::UnknownBlock, 900, false),
        (EndpointError::TooLarge, 900, false),
        (EndpointError::Timeout, 499, false),
        (EndpointError::Timeout, 500, true),
        (EndpointError::Throttled(None), 1, false),
        (EndpointError::Throttled(Some(SECOND)), 1, false),
        (EndpointError::Unreachable, 0, true),
        (EndpointError::Http(500), 1, true),
        (EndpointError::Rpc(-32603), 1, true),
        (EndpointError::Malformed, 1, true),
        (EndpointError::IgnoredBlock, 1, true),
    ] {
        let health = Health::default();
        for _ in 0..20 {
            health.record(Read, start, took_ms * MS, Err(error));
        }
        assert_eq!(health.is_excluded(start), expected, "{error:?} after {took_ms} ms");
        assert_eq!(health.totals().errors > 0, expected, "{error:?} after {took_ms} ms");
    }
}

#[test]
fn the_breaker_stays_open_for_twice_as_long_each_time_up_to_eighty_seconds() {
    let (health, mut now) = (Health::default(), Instant::now());
    record_reads(&health, now, 3, BROKEN);
    for seconds in [5, 10, 20, 40, 80, 80, 80] {
        let over = now + seconds * SECOND;
        assert!(!health.may_probe(over - MS), "before {seconds} s");
        assert!(health.may_probe(over), "after {seconds} s");
        health.record(Probe, over, Duration::ZERO, BROKEN);
        assert!(health.is_excluded(over));
        now = over;
    }
}

#[test]
fn one_probe_has_the_turn_and_closes_the_breaker() {
    let (health, start) = (Health::default(), Instant::now());
    assert!(!health.may_probe(start), "a healthy one needs none");
    record_reads(&health, start, 3, BROKEN);
    let over = start + 5 * SECOND;
    assert!(health.may_probe(over));
    assert!(!health.may_probe(over + SECOND), "the turn is taken");
    assert!(health.is_excluded(over + SECOND));
    health.record(Probe, over + 2 * SECOND, 2 * SECOND, Ok(()));
    assert_eq!(health.state(over + 2 * SECOND), HealthState::Healthy);
    assert_eq!(health.metrics(over + 2 * SECOND).errors, 0.0, "forgotten");
}

/// Throttles as many requests in a row as begin a pause.
fn refuse(health: &Health, now: Instant, wait: Option<Duration>) {
    record_reads(health, now, 4, Err(EndpointError::Throttled(wait)));
}

#[test]
fn a_paused_endpoint_is_not_probed_either() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 3, BROKEN);
    refuse(&health, start, Some(8 * SECOND));
    assert!(!health.may_probe(start + 8 * SECOND - MS));
    assert!(health.may_probe(start + 8 * SECOND));
}

#[test]
fn a_turn_that_is_never_given_back_expires() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 3, BROKEN);
    let over = start + 5 * SECOND;
    assert!(health.may_probe(over));
    assert!(!health.may_probe(over + 5 * SECOND - MS));
    assert!(health.may_probe(over + 5 * SECOND));
}

#[test]
fn requests_from_before_the_breaker_opened_neither_close_nor_prolong_it() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 3, BROKEN);
    let over = start + 6 * SECOND;
    health.record(Read, over, 7 * SECOND, Ok(()));
    assert!(health.is_excluded(over));
    health.record(Read, over, 7 * SECOND, Err(EndpointError::Timeout));
    assert!(health.may_probe(over), "not opened anew");
}

#[test]
fn an_excluded_endpoint_comes_back_by_any_answered_read() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 3, BROKEN);
    health.record(Read, start + SECOND, 100 * MS, Ok(()));
    assert_eq!(health.state(start + SECOND), HealthState::Healthy);
}

#[test]
fn an_endpoint_that_fails_soon_after_its_probe_is_excluded_for_longer_than_a_steady_one() {
    for (healthy_for, open_for) in [(SECOND, 10 * SECOND), (59 * SECOND, 10 * SECOND), (60 * SECOND, 5 * SECOND)] {
        let (health, start) = (Health::default(), Instant::now());
        record_reads(&health, start, 3, BROKEN);
        let closed = start + 5 * SECOND;
        assert!(health.may_probe(closed));
        health.record(Probe, closed, Duration::ZERO, Ok(()));
        let again = closed + healthy_for;
        record_reads(&health, again, 3, BROKEN);
        assert!(!health.may_probe(again + open_for - MS), "{healthy_for:?}");
        assert!(health.may_probe(again + open_for), "{healthy_for:?}");
    }
}

#[test]
fn a_wrong_chain_excludes_for_a_minute_and_then_needs_a_probe() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 1, Err(EndpointError::WrongChain(5)));
    assert_eq!(health.state(start), HealthState::WrongChain);
    assert!(!health.may_probe(start + 60 * SECOND - MS));
    // Reads that were under way to the other node, or are still sent to it.
    health.record(Read, start + SECOND, MS, Ok(()));
    assert_eq!(health.state(start + SECOND), HealthState::WrongChain);
    assert!(health.may_probe(start + 60 * SECOND));
    health.record(Probe, start + 60 * SECOND, Duration::ZERO, Ok(()));
    assert_eq!(health.state(start + 60 * SECOND), HealthState::Healthy);
    assert_eq!(health.totals().errors, 0);
}

#[test]
fn a_wrong_chain_forgets_what_was_measured_of_the_node_before() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 20, Ok(()));
    record_reads(&health, start, 2, Err(EndpointError::Http(500)));
    health.record_head(start, 1000);
    record_reads(&health, start, 1, Err(EndpointError::WrongChain(5)));
    let metrics = health.metrics(start);
    assert!(metrics.reads.is_none() && metrics.errors == 0.0, "{metrics:?}");
    assert_eq!(health.head(), None);
    assert_eq!(health.totals().requests, 23);
}

#[test]
fn throttling_pauses_for_the_requested_time() {
    let start = Instant::now();
    // The requested time, and the pause that follows.
    for (requested, expected) in [(3 * SECOND, 3 * SECOND), (3600 * SECOND, 60 * SECOND), (Duration::ZERO, SECOND)] {
        let health = Health::default();
        refuse(&health, start, Some(requested));
        assert_eq!(health.paused_until(start), Some(start + expected), "{requested:?}");
        assert_eq!(health.state(start + expected - MS), HealthState::Paused(start + expected), "{requested:?}");
        assert_eq!(health.state(start + expected), HealthState::Healthy, "{requested:?}");
        assert_eq!(health.totals(), Totals { requests: 4, errors: 0, throttled: 4 });
    }
}

#[test]
fn an_endpoint_that_answers_between_its_refusals_gets_no_pause() {
    let (health, start) = (Health::default(), Instant::now());
    for wait in [None, Some(30 * SECOND)] {
        for _ in 0..20 {
            record_reads(&health, start, 3, Err(EndpointError::Throttled(wait)));
            assert_eq!(health.paused_until(start), None);
            record_reads(&health, start, 1, Ok(()));
        }
    }
}

#[test]
fn a_requested_time_is_bounded_by_how_long_refusals_lasted() {
    let (health, start) = (Health::default(), Instant::now());
    // Refusals lasted for 700 ms, until a request that was sent after the first of them was answered.
    record_reads(&health, start, 1, Err(EndpointError::Throttled(Some(30 * SECOND))));
    let mut now = start + 700 * MS;
    record_reads(&health, now, 1, Ok(()));
    for seconds in [1.4, 2.8, 8.4, 25.2, 30.0] {
        refuse(&health, now, Some(30 * SECOND));
        let pause = Duration::from_secs_f64(seconds);
        assert_eq!(health.paused_until(now), Some(now + pause), "{seconds}");
        now += pause;
    }
}

#[test]
fn what_was_under_way_when_refusals_began_does_not_show_how_long_they_last() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 1, Err(EndpointError::Throttled(None)));
    health.record(Read, start + 100 * MS, SECOND, Ok(()));
    refuse(&health, start + SECOND, Some(30 * SECOND));
    assert_eq!(health.paused_until(start + SECOND), Some(start + 31 * SECOND));
}

#[test]
fn a_shorter_requested_time_does_not_shorten_a_pause() {
    let (health, start) = (Health::default(), Instant::now());
    refuse(&health, start, Some(10 * SECOND));
    record_reads(&health, start + SECOND, 1, Err(EndpointError::Throttled(Some(SECOND))));
    assert_eq!(health.paused_until(start), Some(start + 10 * SECOND));
}

#[test]
fn without_a_requested_time_pauses_double_up_to_half_a_minute_until_an_answer() {
    let (health, mut now) = (Health::default(), Instant::now());
    record_reads(&health, now, 3, Err(EndpointError::Throttled(None)));
    for seconds in [1, 2, 4, 8, 16, 30, 30] {
        record_reads(&health, now, 1, Err(EndpointError::Throttled(None)));
        assert_eq!(health.paused_until(now), Some(now + seconds * SECOND));
        now += seconds * SECOND;
    }
    record_reads(&health, now, 1, Ok(()));
    refuse(&health, now, None);
    assert_eq!(health.paused_until(now), Some(now + SECOND));
}

#[test]
fn requests_throttled_together_pause_once() {
    let (health, start) = (Health::default(), Instant::now());
    for late in 0..20 {
        health.record(Read, start + late * MS, 100 * MS, Err(EndpointError::Throttled(None)));
    }
    assert_eq!(health.paused_until(start), Some(start + 3 * MS + SECOND));
}

#[test]
fn quantiles_are_those_of_answered_reads_by_nearest_rank() {
    let (health, start) = (Health::default(), Instant::now());
    assert_eq!(health.attempt_timeout(), None);
    for ms in (1..=100).rev() {
        health.record(Read, start, ms * MS, Ok(()));
    }
    health.record(Probe, start, 7 * SECOND, Ok(()));
    health.record(Read, start, 9 * SECOND, BROKEN);
    let expected = Latency { p50: 50 * MS, p90: 90 * MS, p99: 99 * MS };
    assert_eq!(health.metrics(start).reads, Some(expected));
    assert_eq!(health.attempt_timeout(), Some(720 * MS));
    assert_eq!(health.metrics(start + 120 * SECOND), Metrics::default(), "too old");
}

#[test]
fn the_latency_of_receipts_is_not_measured_but_their_errors_count() {
    let (health, start) = (Health::default(), Instant::now());
    health.record(Optional, start, 9 * SECOND, Ok(()));
    assert_eq!(health.metrics(start), Metrics::default());
    for _ in 0..3 {
        health.record(Optional, start, MS, BROKEN);
    }
    assert!(health.is_excluded(start));
    assert_eq!(health.totals(), Totals { requests: 4, errors: 3, throttled: 0 });
}

#[test]
fn the_attempt_timeout_is_bounded_on_both_sides() {
    for (took, expected) in [(MS, TIMEOUT_COUNTS_FROM), (100 * MS, 800 * MS), (3600 * SECOND, ATTEMPT_TIMEOUT_MAX)] {
        let health = Health::default();
        health.record(Read, Instant::now(), took, Ok(()));
        assert_eq!(health.attempt_timeout(), Some(expected), "{took:?}");
    }
}

#[test]
fn an_endpoint_that_exceeds_its_attempt_timeout_is_blamed() {
    let (health, start) = (Health::default(), Instant::now());
    health.record(Read, start, MS, Ok(()));
    let timeout = health.attempt_timeout().unwrap();
    for _ in 0..3 {
        health.record(Read, start, timeout, Err(EndpointError::Timeout));
    }
    assert!(health.is_excluded(start));
}

#[test]
fn the_window_keeps_the_last_256_requests_of_two_minutes() {
    let (health, start) = (Health::default(), Instant::now());
    record_reads(&health, start, 2, BROKEN);
    // Two errors of two requests, and a credit of four answered ones.
    assert!((health.metrics(start).errors - 2.0 / 6.0).abs() < 1e-9);
    record_reads(&health, start, 254, Ok(()));
    assert!((health.metrics(start).errors - 2.0 / 260.0).abs() < 1e-9);
    record_reads(&health, start, 2, Ok(()));
    assert_eq!(health.metrics(start).errors, 0.0);
    record_reads(&health, start, 1, BROKEN);
    record_reads(&health, start + 120 * SECOND, 1, Ok(()));
    assert_eq!(health.metrics(start + 120 * SECOND).errors, 0.0);
}

#[test]
fn heads_are_remembered_by_the_moment_they_were_reported_first() {
    let (health, start) = (Health::default(), Instant::now());
    assert_eq!((health.head(), health.head_at(start)), (None, None));
    for (second, timestamp_s) in [(0, 100), (1, 100), (2, 112), (3, 112)] {
        health.record_head(start + second * SECOND, timestamp_s);
    }
    assert_eq!(health.head(), Some((start + 3 * SECOND, 112)));
    assert_eq!(health.head_age(start + 5 * SECOND), Some(2 * SECOND));
    assert_eq!(health.head_at(start + SECOND), Some(100));
    assert_eq!(health.head_at(start + 2 * SECOND), Some(112));
    health.record_head(start + 4 * SECOND, 50);
    assert_eq!(health.head(), Some((start + 4 * SECOND, 50)), "set back");
    assert_eq!(health.head_at(start + 3 * SECOND), None);
    for timestamp_s in 1000..2000 {
        health.record_head(start + 5 * SECOND, timestamp_s);
    }
    assert_eq!(health.0.lock().heads.len(), 64);
}

#[test]
fn the_longest_durations_overflow_nothing() {
    let endless = Duration::from_secs(u64::MAX);
    let (health, start) = (Health::default(), Instant::now());
    for error in [
        EndpointError::Throttled(Some(Duration::MAX)),
        EndpointError::Timeout,
        EndpointError::Throttled(None),
        EndpointError::WrongChain(0),
    ] {
        for took in [endless, Duration::MAX] {
            record_reads(&health, start, 4, Err(error));
            health.record(Read, start, took, Err(error));
            health.record(Read, start, took, Ok(()));
            health.record(Probe, start, took, Err(error));
        }
    }
    // A wrong chain forgets all of it.
    health.record(Read, start, Duration::MAX, Ok(()));
    health.record_head(start, u64::MAX);
    assert_eq!(health.attempt_timeout(), Some(ATTEMPT_TIMEOUT_MAX));
    assert_eq!(health.state(start), HealthState::WrongChain);
    assert_eq!(health.paused_until(start), Some(start + 60 * SECOND));
}
