//! The circuit breakers of one build, one per network. After consecutive faults no job runs there for a while; then
//! one job at a time is tried.
//!
//! Invariant: only the build's own faults count, never a node's. Jobs about a single account, transaction or set of
//! tokens cannot open a breaker, so that no client can close a build to others. A build is reported for quarantine,
//! once, if its breaker keeps reopening and it had more faults than successes since it was loaded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy::primitives::{Address, B256};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::files::staging::Digest;

/// Consecutive faults that open a breaker.
const FAULTS_MAX: u32 = 10;
/// Number of these faults that may be about the same input; further ones do not count.
const FAULTS_OF_ONE_MAX: u32 = 3;
/// Number of inputs of consecutive faults that are remembered; the one that failed longest ago is dropped first.
const FAILED_MAX: usize = 64;
/// The first pause; each consecutive one is twice as long.
const PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_secs(5 * 60);
/// Consecutive openings after which a build may be reported.
const OPENED_MAX: u32 = 3;
/// Time after which a trial job without an outcome is given up.
const TRY_MAX: Duration = Duration::from_secs(30);

/// The input of a job, whatever its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobInput {
    Account(Address),
    Tokens(Arc<[Address]>),
    /// The transaction's hash.
    Transaction(B256),
}

/// The outcome of a job, as far as it concerns its build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobVerdict {
    /// The job succeeded.
    Fine,
    /// A panic, an exceeded call deadline, a violation of the interface, or findings that break the rules.
    Fault,
    /// Something else failed.
    Unknown,
}

/// A transition of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerChange {
    /// The build's jobs on the network pause after this many consecutive faults.
    Opened { faults: u32 },
    /// Jobs run again after this time.
    Closed { after: Duration },
}

/// A build to put into quarantine, as it keeps failing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailingBuild {
    pub(crate) digest: Digest,
    pub(crate) plugin: String,
    pub(crate) version: String,
    pub(crate) reason: String,
}

/// The breakers of a build.
#[derive(Debug)]
pub struct Breakers {
    digest: Digest,
    plugin: String,
    version: String,
    reports: mpsc::Sender<FailingBuild>,
    /// By chain id.
    breakers: Mutex<BTreeMap<u64, Breaker>>,
}

#[derive(Clone, Debug, Default)]
struct Breaker {
    state: BreakerState,
    faults_in_a_row: u32,
    opened_in_a_row: u32,
    fine: u64,
    faults: u64,
    is_reported: bool,
    has_opened: bool,
    /// Time of the first opening since it was last closed.
    opened_at: Option<Instant>,
    /// Inputs of the consecutive faults, the latest last.
    failed: VecDeque<FailedInput>,
}

#[derive(Clone, Debug)]
struct FailedInput {
    input: JobInput,
    /// Faults about this input that counted.
    faults: u32,
    last: Instant,
}

#[derive(Clone, Copy, Debug, Default)]
enum BreakerState {
    #[default]
    Closed,
    Open {
        until: Instant,
    },
    Trying {
        since: Instant,
    },
}

const CLOSED: &str = "closed";

/// A row of a plugin's `breakers` in `/plugins`. The names that it serializes to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakerStatus {
    pub chain_id: u64,
    /// `closed`, `open` or `half-open`.
    pub(crate) state: &'static str,
    pub(crate) faults_in_a_row: u32,
    /// Seconds until a job is tried.
    pub(crate) retry_in_seconds: Option<u64>,
}

impl BreakerStatus {
    /// Returns true if jobs pause.
    pub fn is_open(&self) -> bool {
        self.state != CLOSED
    }
}

#[cfg(any(test, feature = "testing"))]
impl Breakers {
    /// Breakers of a dummy build.
    pub(crate) fn of_nobody() -> Arc<Self> {
        Arc::new(Self::new(Digest::default(), "nobody", "0", mpsc::channel(1).0))
    }
}

impl Breakers {
    pub(crate) fn new(digest: Digest, plugin: &str, version: &str, reports: mpsc::Sender<FailingBuild>) -> Self {
        let (plugin, version) = (plugin.to_owned(), version.to_owned());
        Self { digest, plugin, version, reports, breakers: Mutex::default() }
    }

    /// Permits a job on the network. The caller then reports its outcome with [`Breakers::take`].
    ///
    /// # Errors
    /// Returns the time to wait before the next attempt.
    pub fn permit(&self, chain_id: u64, input: &JobInput, now: Instant) -> Result<(), Duration> {
        let mut breakers = self.breakers.lock();
        let Some(breaker) = breakers.get_mut(&chain_id) else { return Ok(()) };
        match breaker.state {
            BreakerState::Closed => return Ok(()),
            BreakerState::Open { until } if now < until => return Err(until - now),
            BreakerState::Trying { since } if now.duration_since(since) < TRY_MAX => return Err(PAUSE),
            BreakerState::Open { .. } | BreakerState::Trying { .. } => {}
        }
        // This input failed before: its failure would prove nothing, and other jobs would wait for it.
        let failed = breaker.failed.iter().find(|failed| failed.input == *input && failed.is_known());
        if let Some(wait) = failed.and_then(|failed| (failed.last + PAUSE_MAX).checked_duration_since(now)) {
            return Err(wait);
        }
        breaker.state = BreakerState::Trying { since: now };
        Ok(())
    }

    /// Records the outcome of a job, and returns the transition if the breaker opened or closed.
    pub fn take(
        &self,
        chain_id: u64,
        input: &JobInput,
        verdict: JobVerdict,
        detail: &str,
        now: Instant,
    ) -> Option<BreakerChange> {
        let mut breakers = self.breakers.lock();
        let breaker = breakers.entry(chain_id).or_default();
        let opened_before = breaker.opened_at;
        match verdict {
            JobVerdict::Fine => {
                *breaker = Breaker {
                    has_opened: breaker.has_opened,
                    fine: breaker.fine + 1,
                    faults: breaker.faults,
                    ..Breaker::default()
                }
            }
            JobVerdict::Fault if breaker.count(input, now) => breaker.fail(now),
            // The next job is tried instead.
            JobVerdict::Fault | JobVerdict::Unknown if matches!(breaker.state, BreakerState::Trying { .. }) => {
                breaker.state = BreakerState::Open { until: now };
            }
            JobVerdict::Fault | JobVerdict::Unknown => {}
        }
        let keeps_failing = breaker.opened_in_a_row >= OPENED_MAX && breaker.faults > breaker.fine;
        if verdict == JobVerdict::Fault && keeps_failing && !breaker.is_reported {
            let (faults, fine) = (breaker.faults, breaker.fine);
            let reason = format!("{faults} of {} jobs failed by its fault, the last one: {detail}", faults + fine);
            let (digest, plugin, version) = (self.digest, self.plugin.clone(), self.version.clone());
            // If the channel is full, the report is repeated at the next fault.
            breaker.is_reported = self.reports.try_send(FailingBuild { digest, plugin, version, reason }).is_ok();
        }
        match (opened_before, breaker.opened_at) {
            (None, Some(_)) => Some(BreakerChange::Opened { faults: breaker.faults_in_a_row }),
            (Some(at), None) => Some(BreakerChange::Closed { after: now.duration_since(at) }),
            _ => None,
        }
    }

    /// The breakers that are open or have been open, ordered by chain id.
    pub(crate) fn status(&self, now: Instant) -> Vec<BreakerStatus> {
        let breakers = self.breakers.lock();
        let row = |(chain_id, breaker): (&u64, &Breaker)| {
            let (state, retry_in_seconds) = match breaker.state {
                BreakerState::Closed if !breaker.has_opened => return None,
                BreakerState::Closed => (CLOSED, None),
                BreakerState::Open { until } => ("open", Some(until.saturating_duration_since(now).as_secs())),
                BreakerState::Trying { .. } => ("half-open", None),
            };
            let faults_in_a_row = breaker.faults_in_a_row;
            Some(BreakerStatus { chain_id: *chain_id, state, faults_in_a_row, retry_in_seconds })
        };
        breakers.iter().filter_map(row).collect()
    }
}

impl Breaker {
    /// Records a fault about this input, and returns true if it counts: at most [`FAULTS_OF_ONE_MAX`] do.
    fn count(&mut self, input: &JobInput, now: Instant) -> bool {
        let place = self.failed.iter().position(|failed| failed.input == *input);
        let mut failed =
            place.and_then(|place| self.failed.remove(place)).unwrap_or_else(|| FailedInput::first(input, now));
        let counts = !failed.is_known();
        failed.faults += u32::from(counts);
        failed.last = now;
        if self.failed.len() >= FAILED_MAX {
            self.failed.pop_front();
        }
        self.failed.push_back(failed);
        counts
    }

    fn fail(&mut self, now: Instant) {
        self.faults += 1;
        self.faults_in_a_row = self.faults_in_a_row.saturating_add(1);
        let opens = match self.state {
            BreakerState::Closed => self.faults_in_a_row >= FAULTS_MAX,
            BreakerState::Trying { .. } => true,
            // This job began before the breaker opened.
            BreakerState::Open { .. } => false,
        };
        if opens {
            let pause = PAUSE.saturating_mul(1 << self.opened_in_a_row.min(16)).min(PAUSE_MAX);
            self.opened_in_a_row = self.opened_in_a_row.saturating_add(1);
            self.has_opened = true;
            self.opened_at.get_or_insert(now);
            self.state = BreakerState::Open { until: now + pause };
        }
    }
}

impl FailedInput {
    fn first(input: &JobInput, last: Instant) -> Self {
        Self { input: input.clone(), faults: 0, last }
    }

    /// Returns true if the build is known to fail on this input.
    fn is_known(&self) -> bool {
        self.faults >= FAULTS_OF_ONE_MAX
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const POLYGON: u64 = 137;
    const S: fn(u64) -> Duration = Duration::from_secs;

    struct Tried {
        breakers: Breakers,
        reports: mpsc::Receiver<FailingBuild>,
        now: Instant,
        accounts: Cell<u64>,
    }

    fn account(number: u64) -> JobInput {
        JobInput::Account(Address::left_padding_from(&number.to_be_bytes()))
    }

    impl Tried {
        fn new() -> Self {
            let (sender, reports) = mpsc::channel(4);
            Self {
                breakers: Breakers::new(Digest::of_test(1), "acme", "1.0.0", sender),
                reports,
                now: Instant::now(),
                accounts: Cell::new(1_000),
            }
        }

        /// Returns an account that was not used before.
        fn another(&self) -> JobInput {
            self.accounts.set(self.accounts.get() + 1);
            account(self.accounts.get())
        }

        fn permit(&self, chain_id: u64) -> Result<(), Duration> {
            self.breakers.permit(chain_id, &self.another(), self.now)
        }

        fn take(&self, verdict: JobVerdict) -> Option<BreakerChange> {
            self.take_of(&self.another(), verdict)
        }

        fn take_of(&self, input: &JobInput, verdict: JobVerdict) -> Option<BreakerChange> {
            self.breakers.take(POLYGON, input, verdict, "it panicked", self.now)
        }

        /// Opens the breaker by faults in a row.
        fn open(&self) {
            for _ in 0..FAULTS_MAX {
                self.take(JobVerdict::Fault);
            }
        }
    }

    #[test]
    fn faults_in_a_row_pause_one_network_and_a_good_job_ends_it() {
        let mut tried = Tried::new();
        (0..9).for_each(|_| assert_eq!(tried.take(JobVerdict::Fault), None));
        assert_eq!(tried.take(JobVerdict::Fine), None);
        (0..9).for_each(|_| assert_eq!(tried.take(JobVerdict::Fault), None));
        assert_eq!(tried.permit(POLYGON), Ok(()), "nine in a row");
        assert_eq!(tried.take(JobVerdict::Fault), Some(BreakerChange::Opened { faults: 10 }));
        assert_eq!(tried.permit(POLYGON), Err(S(5)));
        assert_eq!(tried.permit(1), Ok(()), "another network");
        tried.now += S(5);
        assert_eq!(tried.permit(POLYGON), Ok(()), "one is tried");
        assert!(tried.permit(POLYGON).is_err(), "and only one");
        assert_eq!(tried.take(JobVerdict::Fine), Some(BreakerChange::Closed { after: S(5) }));
        assert_eq!((tried.permit(POLYGON), tried.permit(POLYGON)), (Ok(()), Ok(())));
    }

    #[test]
    fn one_account_alone_pauses_nothing_and_four_do() {
        let mut tried = Tried::new();
        let poisoned = account(1);
        for _ in 0..1_000 {
            assert_eq!(tried.take_of(&poisoned, JobVerdict::Fault), None);
        }
        assert_eq!(tried.breakers.permit(POLYGON, &poisoned, tried.now), Ok(()));
        // Three faults about one account count, and six about two others make nine.
        for number in [2, 3] {
            (0..5).for_each(|_| assert_eq!(tried.take_of(&account(number), JobVerdict::Fault), None));
        }
        assert_eq!(tried.permit(POLYGON), Ok(()));
        let opened = BreakerChange::Opened { faults: 10 };
        assert_eq!(tried.take_of(&account(4), JobVerdict::Fault), Some(opened));
        assert!(tried.permit(POLYGON).is_err() && tried.reports.try_recv().is_err());
    }

    #[test]
    fn what_is_known_to_fail_is_no_try_until_five_minutes_later() {
        let mut tried = Tried::new();
        let poisoned = account(1);
        (0..3).for_each(|_| assert_eq!(tried.take_of(&poisoned, JobVerdict::Fault), None));
        (0..7).for_each(|n| assert_eq!(tried.take(JobVerdict::Fault).is_some(), n == 6));
        tried.now += S(100);
        assert_eq!(tried.breakers.permit(POLYGON, &poisoned, tried.now), Err(S(200)));
        assert_eq!(tried.permit(POLYGON), Ok(()), "another is tried");
        // A late fault about the same account neither takes the trial of others nor doubles the pause.
        assert_eq!(tried.take_of(&poisoned, JobVerdict::Fault), None);
        assert_eq!(tried.permit(POLYGON), Ok(()));
        tried.take(JobVerdict::Fault);
        assert_eq!(tried.permit(POLYGON), Err(S(10)));
        tried.now += PAUSE_MAX + S(1);
        assert_eq!(tried.breakers.permit(POLYGON, &poisoned, tried.now), Ok(()), "it may be mended");
        let closed = BreakerChange::Closed { after: S(401) };
        assert_eq!(tried.take_of(&poisoned, JobVerdict::Fine), Some(closed));
    }

    #[test]
    fn what_failed_is_bounded() {
        let tried = Tried::new();
        for _ in 0..10 * FAILED_MAX {
            tried.take(JobVerdict::Fault);
        }
        assert_eq!(tried.breakers.breakers.lock()[&POLYGON].failed.len(), FAILED_MAX);
    }

    #[test]
    fn what_a_node_does_counts_for_nothing_and_the_next_job_is_tried() {
        let mut tried = Tried::new();
        for _ in 0..100 {
            tried.take(JobVerdict::Unknown);
        }
        assert_eq!(tried.permit(POLYGON), Ok(()));
        tried.open();
        tried.now += S(5);
        assert_eq!(tried.permit(POLYGON), Ok(()));
        tried.take(JobVerdict::Unknown);
        assert_eq!(tried.permit(POLYGON), Ok(()), "the try said nothing");
        tried.now += TRY_MAX;
        assert_eq!(tried.permit(POLYGON), Ok(()), "nothing was heard of the try");
    }

    #[test]
    fn pauses_double_up_to_a_bound() {
        let mut tried = Tried::new();
        tried.open();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            let pause = tried.permit(POLYGON).unwrap_err();
            pauses.push(pause.as_secs());
            tried.now += pause;
            assert_eq!(tried.permit(POLYGON), Ok(()));
            tried.take(JobVerdict::Fault);
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
    }

    #[test]
    fn a_build_that_fails_at_every_try_is_reported_once() {
        let mut tried = Tried::new();
        tried.open();
        for pause in [5, 10] {
            assert!(tried.reports.try_recv().is_err());
            tried.now += S(pause);
            assert_eq!(tried.permit(POLYGON), Ok(()));
            tried.take(JobVerdict::Fault);
        }
        let reason = "12 of 12 jobs failed by its fault, the last one: it panicked".to_owned();
        let (digest, plugin, version) = (Digest::of_test(1), "acme".to_owned(), "1.0.0".to_owned());
        assert_eq!(tried.reports.try_recv(), Ok(FailingBuild { digest, plugin, version, reason }));
        tried.now += S(20);
        assert_eq!(tried.permit(POLYGON), Ok(()));
        tried.take(JobVerdict::Fault);
        assert!(tried.reports.try_recv().is_err());
    }

    #[test]
    fn a_build_that_served_well_is_paused_and_never_reported() {
        let mut tried = Tried::new();
        for _ in 0..20 {
            tried.take(JobVerdict::Fine);
        }
        tried.open();
        for pause in [5, 10, 20, 40] {
            tried.now += S(pause);
            assert_eq!(tried.permit(POLYGON), Ok(()));
            tried.take(JobVerdict::Fault);
        }
        assert!(tried.reports.try_recv().is_err());
    }
}
