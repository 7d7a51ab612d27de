//! One client's use of shared resources: answers under way, reads of a day, tasks of the CPU pool, and processor time
//! of plugins.
//!
//! Invariant: a client has one task of the CPU pool at a time, and an answer counts until it is dropped.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use portolan_reader::ClientId;
use tokio::sync::Semaphore;

tokio::task_local! {
    /// The client whose request this task answers.
    static CURRENT: Arc<ClientShare>;
}

/// The time for which reads count: from midnight to midnight (UTC).
pub const DAY: Duration = Duration::from_secs(86_400);

/// Resources that one client uses.
#[derive(Debug)]
pub struct ClientShare {
    /// `None` if the gateway itself is the client.
    pub id: Option<ClientId>,
    answers: AtomicUsize,
    /// The most that this client may have, by its own limit.
    answers_max: AtomicUsize,
    reads: Mutex<ReadsOfDay>,
    /// The most of a day.
    reads_max: AtomicU64,
    /// Nanoseconds of processor time on other threads that were not accounted for yet.
    charged_ns: AtomicU64,
    /// Held while a task of the CPU pool runs for the client.
    pub cpu_pool: Semaphore,
}

/// Reads since a midnight.
#[derive(Clone, Copy, Debug, Default)]
struct ReadsOfDay {
    /// The day since 1970.
    day: u64,
    /// Those that [`ClientShare::collect_reads`] knows.
    collected: u64,
    /// Those since then.
    new: u64,
}

impl ReadsOfDay {
    /// Adds reads, on a new day to none, and returns all of the day.
    fn add(&mut self, day: u64, reads: u64) -> u64 {
        if self.day != day {
            *self = Self { day, ..Self::default() };
        }
        self.new = self.new.saturating_add(reads);
        self.collected.saturating_add(self.new)
    }
}

/// Reads of a client that has a limit of a day, since they were last collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewReads {
    /// The day since 1970 (UTC).
    pub day: u64,
    pub reads: u64,
    /// The most of a day.
    pub max: u64,
}

/// Answers that count for their client until this is dropped.
#[derive(Debug)]
pub struct CountedAnswers {
    client: Arc<ClientShare>,
    count: usize,
}

impl ClientShare {
    pub fn new(id: Option<ClientId>) -> Arc<Self> {
        Arc::new(Self {
            id,
            answers: AtomicUsize::new(0),
            answers_max: AtomicUsize::new(usize::MAX),
            reads: Mutex::default(),
            reads_max: AtomicU64::new(u64::MAX),
            charged_ns: AtomicU64::new(0),
            cpu_pool: Semaphore::new(1),
        })
    }

    /// Runs work on behalf of this client, which `current` then returns.
    pub async fn scope<F: Future>(self: &Arc<Self>, work: F) -> F::Output {
        CURRENT.scope(Arc::clone(self), work).await
    }

    /// Returns the client on whose behalf this task works; `None` in tasks of the gateway itself.
    pub fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Charges processor time that was used for this client on a thread of its own.
    pub fn charge(&self, time: Duration) {
        self.charged_ns.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Returns the time that was charged since the last call.
    pub fn take_charged(&self) -> Duration {
        Duration::from_nanos(self.charged_ns.swap(0, Relaxed))
    }

    /// Sets the client's own limits: answers under way, and reads of a day; `None` for no limit.
    pub fn limit(&self, answers_max: Option<usize>, reads_max: Option<u64>) {
        self.answers_max.store(answers_max.unwrap_or(usize::MAX), Relaxed);
        self.reads_max.store(reads_max.unwrap_or(u64::MAX), Relaxed);
    }

    /// Returns the most answers that the client may have under way.
    pub fn answers_max(&self) -> usize {
        self.answers_max.load(Relaxed)
    }

    /// Returns how many more answers its own limit allows; `None` without one.
    pub fn answers_left(&self) -> Option<usize> {
        let max = self.answers_max();
        (max < usize::MAX).then(|| max.saturating_sub(self.answers.load(Relaxed)))
    }

    /// Counts reads of an answer that has ended.
    pub fn charge_reads(&self, reads: u64) {
        let (day, _) = today();
        self.reads.lock().add(day, reads);
    }

    /// Passes the reads of today that were not collected yet to `collect`, which returns all reads of the day that count
    /// for the client, also those of other gateways; `None` leaves them for later. Does nothing without a limit.
    pub fn collect_reads(&self, collect: impl FnOnce(NewReads) -> Option<u64>) {
        let max = self.reads_max.load(Relaxed);
        if max == u64::MAX {
            return;
        }
        let ((day, _), mut reads) = (today(), self.reads.lock());
        reads.add(day, 0);
        if let Some(collected) = collect(NewReads { day, reads: reads.new, max }) {
            *reads = ReadsOfDay { day, collected, new: 0 };
        }
    }

    /// Returns how many reads are left of today's, and the time until midnight; `None` without a limit.
    pub fn reads_left(&self) -> Option<(u64, Duration)> {
        let max = self.reads_max.load(Relaxed);
        let ((day, rest), is_limited) = (today(), max < u64::MAX);
        is_limited.then(|| (max.saturating_sub(self.reads.lock().add(day, 0)), rest))
    }

    /// Counts so many more answers; `None` if there would be more than `max`, or than its own limit.
    pub fn count_answers(self: &Arc<Self>, count: usize, max: usize) -> Option<CountedAnswers> {
        let max = max.min(self.answers_max());
        let fitting = |answers: usize| answers.checked_add(count).filter(|answers| *answers <= max);
        self.answers.fetch_update(Relaxed, Relaxed, fitting).ok()?;
        Some(CountedAnswers { client: Arc::clone(self), count })
    }
}

impl Drop for CountedAnswers {
    fn drop(&mut self) {
        self.client.answers.fetch_sub(self.count, Relaxed);
    }
}

/// Returns the day since 1970 (UTC), and how much is left of it.
fn today() -> (u64, Duration) {
    // A clock before 1970 is on its first day.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let day = since.as_secs() / DAY.as_secs();
    (day, Duration::from_secs((day + 1) * DAY.as_secs()).saturating_sub(since))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_count_for_their_day() {
        let mut reads = ReadsOfDay::default();
        assert_eq!([reads.add(20_000, 3), reads.add(20_000, 4), reads.add(20_000, 0)], [3, 7, 7]);
        assert_eq!(reads.add(20_001, 1), 1);
        let client = ClientShare::new(None);
        assert_eq!(client.reads_left(), None);
        client.limit(None, Some(10));
        client.charge_reads(11);
        let (left, until) = client.reads_left().unwrap();
        assert!(left == 0 && until <= DAY, "{until:?}");
    }

    #[test]
    fn reads_are_collected_once_and_those_of_others_count() {
        let client = ClientShare::new(None);
        client.charge_reads(5);
        client.collect_reads(|_| panic!("it has no limit"));
        client.limit(None, Some(100));
        client.collect_reads(|new| {
            assert_eq!((new.reads, new.max), (5, 100));
            None
        });
        let left = || client.reads_left().unwrap().0;
        assert_eq!(left(), 95);
        // Others have read 30.
        client.collect_reads(|new| Some(new.reads + 30));
        assert_eq!(left(), 65);
        client.charge_reads(7);
        client.collect_reads(|new| {
            assert_eq!(new.reads, 7);
            Some(30 + 5 + 7)
        });
        assert_eq!(left(), 58);
        let mut reads = ReadsOfDay { day: 20_000, collected: 42, new: 8 };
        assert_eq!([reads.add(20_000, 1), reads.add(20_001, 1)], [51, 1], "a new day has none");
    }

    #[test]
    fn a_client_has_as_many_answers_as_its_own_limit_says() {
        let client = ClientShare::new(None);
        client.limit(Some(2), None);
        let first = client.count_answers(2, 100);
        assert!(first.is_some() && client.count_answers(1, 100).is_none());
        assert_eq!(client.answers_left(), Some(0));
        drop(first);
        assert_eq!(client.answers_left(), Some(2));
        assert!(client.count_answers(2, 1).is_none(), "the bound of all holds too");
    }
}
