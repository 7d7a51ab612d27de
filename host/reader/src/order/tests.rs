//! Who is asked first, through tables of what the endpoints did.

use super::*;
use crate::error::EndpointError;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Endpoints `a`, `b`, … in the configured order.
struct Scene {
    order: Order,
    endpoints: Vec<Health>,
    now: Instant,
}

impl Scene {
    fn new(count: usize) -> Self {
        let endpoints = (0..count).map(|_| Health::default()).collect();
        Self { order: Order::default(), endpoints, now: Instant::now() }
    }

    /// As letters, the first one first.
    fn turn(&self) -> String {
        let all: Vec<&Health> = self.endpoints.iter().collect();
        let turn = self.order.in_turn(self.now, &all);
        turn.into_iter().map(|place| char::from(b'a' + u8::try_from(place).unwrap())).collect()
    }

    fn placed(&self) -> Vec<Placed> {
        self.order.placed(self.now, &self.endpoints.iter().collect::<Vec<_>>())
    }

    fn states(&self) -> Vec<EndpointState> {
        self.placed().into_iter().map(|placed| placed.state).collect()
    }

    fn answer(&self, place: usize, took_ms: u32) {
        for _ in 0..20 {
            self.endpoints[place].note(self.now, took_ms * MS, Ok(()));
        }
    }

    fn fail(&self, place: usize, times: u32) {
        for _ in 0..times {
            self.endpoints[place].note(self.now, MS, Err(EndpointError::Http(502)));
        }
    }

    fn throttle(&self, place: usize, wait: Duration) {
        self.endpoints[place].note(self.now, MS, Err(EndpointError::Throttled(Some(wait))));
    }

    fn head(&self, place: usize, timestamp_s: u64) {
        self.endpoints[place].saw_head(self.now, timestamp_s);
    }

    fn probe(&self, place: usize) {
        assert!(self.endpoints[place].may_probe(self.now));
        self.endpoints[place].note_probe(self.now, Duration::ZERO, Ok(()));
    }

    /// Seconds pass, in each of which somebody asks.
    fn pass(&mut self, seconds: u32) {
        for _ in 0..seconds {
            self.now += SECOND;
            self.turn();
        }
    }
}

#[test]
fn endpoints_that_were_never_measured_are_asked_as_configured() {
    let scene = Scene::new(3);
    assert_eq!(scene.turn(), "abc");
    assert_eq!(scene.states(), [EndpointState::Unknown; 3]);
    assert!(scene.placed().iter().all(|placed| placed.score == 1.0 && placed.lag_s.is_none()));
}

#[test]
fn no_endpoints_have_no_order_and_one_has_the_first_place_always() {
    assert_eq!(Scene::new(0).turn(), "");
    let scene = Scene::new(1);
    scene.fail(0, 3);
    assert_eq!(scene.turn(), "a");
    assert_eq!(scene.states(), [EndpointState::Excluded]);
}

#[test]
fn the_preferred_one_is_asked_first_though_only_others_were_measured() {
    let scene = Scene::new(3);
    scene.answer(1, 10);
    scene.answer(2, 500);
    assert_eq!(scene.turn(), "bac", "the average is between them");
    let scene = Scene::new(2);
    scene.answer(1, 1);
    assert_eq!(scene.turn(), "ab", "nobody to compare with");
}

#[test]
fn an_endpoint_that_errs_loses_its_place_and_gets_it_back_after_its_probe() {
    let mut scene = Scene::new(3);
    scene.answer(0, 20);
    scene.answer(1, 20);
    scene.answer(2, 20);
    assert_eq!(scene.turn(), "abc");
    scene.fail(0, 3);
    assert_eq!(scene.turn(), "bca");
    assert_eq!(scene.states(), [EndpointState::Excluded, EndpointState::Primary, EndpointState::Standby]);
    scene.pass(5);
    assert_eq!(scene.turn(), "bca", "not before its probe");
    scene.probe(0);
    assert_eq!(scene.turn(), "bac", "sound again, but it has to stay so");
    scene.pass(9);
    assert_eq!(scene.turn(), "bac");
    scene.pass(1);
    assert_eq!(scene.turn(), "abc");
}

#[test]
fn all_that_are_excluded_are_asked_all_the_same() {
    let mut scene = Scene::new(3);
    for place in 0..3 {
        scene.fail(place, 3);
    }
    assert_eq!(scene.turn(), "abc");
    scene.pass(5);
    scene.probe(2);
    assert_eq!(scene.turn(), "cab");
}

#[test]
fn small_differences_never_move_the_first() {
    // Milliseconds that the first takes, and that the second does.
    for (first, second) in [(20, 19), (40, 20), (49, 10), (5, 1), (100, 50), (8, 0), (20, 20)] {
        let mut scene = Scene::new(2);
        scene.answer(0, first);
        assert_eq!(scene.turn(), "ab");
        scene.answer(1, second);
        scene.pass(60);
        assert_eq!(scene.turn(), "ab", "{first} ms and {second} ms");
    }
}

#[test]
fn one_that_is_eight_times_as_slow_loses_its_place_after_ten_seconds_of_it() {
    let mut scene = Scene::new(2);
    scene.answer(0, 70);
    assert_eq!(scene.turn(), "ab");
    scene.answer(1, 0);
    // 70 + 10 is eight times 0 + 10: three doublings of four, of 0.4.
    assert!((scene.placed()[0].score - 0.7).abs() < 1e-9);
    assert_eq!(scene.turn(), "ab");
    scene.pass(9);
    assert_eq!(scene.turn(), "ab");
    scene.pass(1);
    assert_eq!(scene.turn(), "ba");
    scene.pass(60);
    assert_eq!(scene.turn(), "ba", "and does not come back while it is");
}

#[test]
fn being_better_must_last() {
    let mut scene = Scene::new(2);
    scene.answer(0, 300);
    assert_eq!(scene.turn(), "ab");
    for _ in 0..20 {
        scene.answer(1, 10);
        scene.pass(6);
        assert_eq!(scene.turn(), "ab");
        // Nine of ten of its answers are as slow as the first one's.
        for _ in 0..13 {
            scene.answer(1, 300);
        }
        scene.pass(1);
    }
    assert_eq!(scene.turn(), "ab");
}

#[test]
fn heads_are_compared_with_heads_and_reads_with_reads() {
    let mut scene = Scene::new(2);
    scene.answer(0, 400);
    for _ in 0..20 {
        scene.endpoints[0].note_probe(scene.now, 10 * MS, Ok(()));
        scene.endpoints[1].note_probe(scene.now, 10 * MS, Ok(()));
    }
    scene.pass(20);
    assert_eq!(scene.turn(), "ab");
    assert_eq!(scene.placed()[0].score, 1.0);
    let scene = Scene::new(2);
    scene.answer(0, 1);
    scene.endpoints[0].note_probe(scene.now, 70 * MS, Ok(()));
    scene.endpoints[1].note_probe(scene.now, Duration::ZERO, Ok(()));
    // Eight times as slow: reads that nobody can be compared in do not make up for it.
    assert!((scene.placed()[0].score - 0.7).abs() < 1e-9);
}

#[test]
fn lag_moves_the_first_and_one_late_head_does_not() {
    let mut scene = Scene::new(2);
    scene.answer(0, 20);
    scene.answer(1, 20);
    for second in 0..30 {
        scene.head(1, 1000 + second);
        // The first tells every head at the same moment, but for one.
        scene.head(0, if second == 15 { 1014 } else { 1000 + second });
        scene.pass(1);
    }
    assert_eq!(scene.turn(), "ab");
    // From now on it stands still.
    for second in 30..46 {
        scene.head(1, 1000 + second);
        scene.head(0, 1029);
        scene.pass(1);
    }
    assert_eq!(scene.placed()[0].lag_s, Some(16));
    assert_eq!(scene.turn(), "ab", "6 s of lag cost 0.2, and it has more for less than ten seconds");
    scene.head(1, 1046);
    scene.head(0, 1029);
    scene.pass(1);
    assert_eq!(scene.turn(), "ba");
}

#[test]
fn one_that_is_asked_seldom_is_not_taken_to_lag() {
    let mut scene = Scene::new(2);
    for second in 0..30 {
        scene.head(0, 1000 + second);
        if second % 20 == 0 {
            scene.head(1, 1000 + second);
        }
        scene.pass(1);
    }
    assert_eq!(scene.placed()[1].lag_s, Some(0));
    scene.pass(60);
    assert_eq!(scene.placed()[1].lag_s, None, "too long ago");
}

#[test]
fn throttling_pauses_the_first_and_the_shorter_pause_is_asked_first() {
    let mut scene = Scene::new(3);
    for place in 0..3 {
        scene.answer(place, 20);
    }
    scene.throttle(0, 4 * SECOND);
    assert_eq!(scene.turn(), "bca");
    assert_eq!(scene.states()[0], EndpointState::Paused);
    scene.throttle(1, 2 * SECOND);
    scene.throttle(2, 3 * SECOND);
    assert_eq!(scene.turn(), "bca");
    scene.fail(1, 3);
    assert_eq!(scene.turn(), "cab", "excluded ones come after paused ones");
    scene.pass(4);
    assert_eq!(scene.turn(), "cab");
    scene.pass(10);
    assert_eq!(scene.turn(), "acb");
}

#[test]
fn a_wrong_chain_is_asked_last_of_all() {
    let scene = Scene::new(3);
    scene.endpoints[0].note(scene.now, MS, Err(EndpointError::WrongChain(5)));
    scene.fail(1, 3);
    assert_eq!(scene.turn(), "cba");
    assert_eq!(scene.states()[..2], [EndpointState::WrongChain, EndpointState::Excluded]);
}

#[test]
fn a_failing_standby_or_a_dead_one_with_old_heads_does_not_move_the_first() {
    let mut scene = Scene::new(2);
    scene.answer(0, 20);
    scene.head(0, 1000);
    // It tells a block far in the future, and fails.
    scene.head(1, u64::MAX);
    scene.fail(1, 3);
    scene.head(0, 1001);
    scene.pass(20);
    assert_eq!(scene.turn(), "ab");
    assert_eq!(scene.placed()[0].lag_s, Some(0));
}

#[test]
fn the_worst_endpoint_keeps_a_score_that_can_be_compared() {
    let scene = Scene::new(2);
    scene.endpoints[0].note(scene.now, Duration::MAX, Ok(()));
    scene.endpoints[1].note(scene.now, Duration::ZERO, Ok(()));
    scene.head(1, u64::MAX);
    scene.head(0, 0);
    let placed = scene.placed();
    assert_eq!(placed[0].lag_s, Some(u64::MAX));
    // The whole of 0.4 for latency and of 0.6 for lag.
    assert!(placed[0].score.abs() < 1e-6, "{}", placed[0].score);
    assert_eq!(scene.turn(), "ba");
}
