//! Worker time: how long the tasks of each client occupy the runtime's workers.
//!
//! Each poll of a client's connections and streams is timed, and the processor time of the plugins' calls that it
//! causes is added: they run on other threads, but on the same cores. Invariant: while others need workers, the
//! clients above their even share get three quarters of the workers' time together, and the others the rest. A client
//! may be ahead for a moment, so that bursts of requests do not wait.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::Ordering::Relaxed;
use std::task::ready;
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep_until};

use super::{Client, Connection, Guard};

/// Quarters of the workers' time for the clients above their share, together.
const QUARTERS: u32 = 3;

/// Maximum lead of all clients together over their shares, which is the queue that each step of a request may find; each
/// active client has an even part of it, and at least what a usual request takes.
const AHEAD_MAX: Duration = Duration::from_millis(20);
const AHEAD_MIN: Duration = Duration::from_millis(1);

/// A client counts as active for this long after a step of its tasks.
const ACTIVE_FOR: Duration = Duration::from_secs(1);

/// Minimum time between two counts of clients.
const COUNT_EVERY: Duration = Duration::from_millis(10);

/// The worker time that one client used.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkerTime {
    /// When its use will have come down to its share.
    even_at: Instant,
    /// When it last used a worker.
    taken_at: Instant,
    /// How far it may be ahead of its share, by the clients that were active then.
    ahead_max: Duration,
}

/// The number of clients that share the workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharers {
    counted_at: Instant,
    /// Clients with a recent step.
    active: u32,
    /// Clients above their share.
    heavy: u32,
}

impl WorkerTime {
    pub(super) fn new(now: Instant) -> Self {
        Self { even_at: now, taken_at: now, ahead_max: AHEAD_MAX }
    }

    /// Counts a step of this duration on one of `workers`.
    fn take(&mut self, took: Duration, sharers: Sharers, workers: u32, now: Instant) {
        self.taken_at = now;
        self.even_at = self.even_at.max(now) + took * sharers.heavy.max(1) * 4 / (QUARTERS * workers.max(1));
        self.ahead_max = (AHEAD_MAX / sharers.active.max(1)).max(AHEAD_MIN);
        if sharers.active < 2 {
            // A client that is alone builds up no debt.
            self.even_at = self.even_at.min(now + self.ahead_max);
        }
    }

    #[cfg(test)]
    pub(super) fn even_in(&self, now: Instant) -> Duration {
        self.even_at.saturating_duration_since(now)
    }

    /// Returns when the next step may begin; `None` for now.
    fn pause_until(&self, now: Instant) -> Option<Instant> {
        let from = self.even_at.checked_sub(self.ahead_max)?;
        (from > now).then_some(from)
    }
}

impl Sharers {
    pub(super) fn none(now: Instant) -> Self {
        Self { counted_at: now, active: 0, heavy: 0 }
    }

    fn count(clients: impl Iterator<Item = WorkerTime>, now: Instant) -> Self {
        let mut sharers = Self::none(now);
        for time in clients {
            sharers.active += u32::from(time.taken_at + ACTIVE_FOR > now);
            sharers.heavy += u32::from(time.even_at > now);
        }
        sharers
    }
}

impl Guard {
    /// Returns the number of clients that share the workers, counted a moment ago.
    fn sharers(&self, now: Instant) -> Sharers {
        let mut sharers = self.sharers.lock();
        if now.saturating_duration_since(sharers.counted_at) >= COUNT_EVERY {
            let open = self.open.lock();
            *sharers = Sharers::count(open.clients.values().map(|client| *client.worker_time.lock()), now);
        }
        *sharers
    }
}

/// Runs a connection's task for its client. What requests of other clients took meanwhile counts for them alone.
pub(super) async fn timed<F: Future>(connection: &Connection, work: F) -> F::Output {
    let own = |took: Duration| took.saturating_sub(Duration::from_nanos(connection.elsewhere_ns.swap(0, Relaxed)));
    timed_for(&connection.guard, &connection.client, own, work).await
}

/// Runs a request for a client that is not the connection's.
pub(super) async fn timed_elsewhere<F: Future>(connection: &Connection, client: &Client, work: F) -> F::Output {
    let counted = |took: Duration| {
        connection.elsewhere_ns.fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        took
    };
    timed_for(&connection.guard, client, counted, work).await
}

/// Runs a client's task: times its polls, of which `own` returns what counts, and delays them while the client is too
/// far ahead.
pub(super) async fn timed_for<F: Future>(
    guard: &Guard,
    client: &Client,
    own: impl Fn(Duration) -> Duration,
    work: F,
) -> F::Output {
    let (mut work, mut waiting) = (pin!(work), None);
    poll_fn(|context| {
        if waiting.is_none() && client.worker_time.lock().pause_until(Instant::now()).is_some() {
            waiting = Some(Box::pin(client.wait_for_step()));
        }
        let step = match &mut waiting {
            Some(wait) => ready!(wait.as_mut().poll(context)),
            None => None,
        };
        waiting = None;
        let began = Instant::now();
        let polled = work.as_mut().poll(context);
        let now = Instant::now();
        let sharers = guard.sharers(now);
        let took = own(now - began) + client.usage.share.take_charged();
        client.worker_time.lock().take(took, sharers, guard.workers, now);
        drop(step);
        polled
    })
    .await
}

impl Client {
    /// Waits until a task may take a step. One task waits for the time and the client's others queue behind it: woken
    /// all at once, they would take more than one step.
    async fn wait_for_step(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let step = self.step.acquire().await.ok();
        loop {
            let until = self.worker_time.lock().pause_until(Instant::now());
            match until {
                Some(until) => sleep_until(until).await,
                None => return step,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn sharers(active: u32, heavy: u32) -> Sharers {
        Sharers { active, heavy, ..Sharers::none(Instant::now()) }
    }

    /// Returns the state of a client after a thousand steps of this length on two workers, one per `every`, none of
    /// which waits; and the time after the last.
    fn never_paused(took: Duration, every: Duration, sharers: Sharers) -> (WorkerTime, Instant) {
        let now = Instant::now();
        let mut time = WorkerTime::new(now);
        for step in 0..1_000 {
            let then = now + step * every;
            assert_eq!(time.pause_until(then), None);
            time.take(took, sharers, 2, then);
        }
        (time, now + 1_000 * every)
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_wants_all_has_three_quarters_beside_others() {
        // A client may occupy one and a half of two workers forever.
        let _ = never_paused(15 * MS, 10 * MS, sharers(2, 1));
        let now = Instant::now();
        let mut time = WorkerTime::new(now);
        // 600 ms of work at 1.5 workers take 400 ms, of which one of two clients may be 10 ms ahead.
        for _ in 0..60 {
            time.take(10 * MS, sharers(2, 1), 2, now);
        }
        assert_eq!(time.pause_until(now).map(|until| (until - now).as_millis()), Some(389));
        assert_eq!(time.pause_until(now + 390 * MS), None);
    }

    #[tokio::test(start_paused = true)]
    async fn many_that_want_all_have_three_quarters_together() {
        // A twelfth of one and a half workers is an eighth of one.
        let (mut time, end) = never_paused(10 * MS, 80 * MS, sharers(13, 12));
        time.take(100 * MS, sharers(13, 12), 2, end);
        assert!(time.pause_until(end).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn one_alone_has_all_and_owes_nothing() {
        let now = Instant::now();
        let mut time = WorkerTime::new(now);
        for _ in 0..1_000 {
            time.take(10 * MS, sharers(1, 1), 1, now);
            assert_eq!(time.pause_until(now), None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn those_count_that_took_some_or_too_much() {
        let now = Instant::now();
        let time = |taken_ago: u32, ahead: u32| WorkerTime {
            even_at: now + ahead * MS,
            taken_at: now - taken_ago * MS,
            ahead_max: AHEAD_MAX,
        };
        let clients = [time(0, 0), time(999, 0), time(1_000, 0), time(10, 1), time(5_000, 60)];
        let counted = Sharers::count(clients.into_iter(), now);
        assert_eq!((counted.active, counted.heavy), (3, 2));
    }
}
