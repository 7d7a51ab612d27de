//! Time of the workers: for how long the tasks of each client occupy them.
//!
//! What a client's connections and streams do on the runtime's workers is timed, step by step. Invariant: a client that took
//! more than half of the workers' time goes on only when it is half again, as long as there are others that take some. It
//! may be ahead by a moment, so that a client whose requests come in bursts does not wait.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::ready;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::{Client, Connection};

/// The part of the workers' time that is one client's, while there are others.
const PARTS: u32 = 2;

/// How far ahead of its part a client may be.
const AHEAD_MAX: Duration = Duration::from_millis(250);

/// A client counts among the others for so long after a step of its tasks.
const ACTIVE_FOR: Duration = Duration::from_secs(1);

/// The time that the tasks of one client took.
#[derive(Debug)]
pub(super) struct WorkerTime {
    /// When what it took is no more than its part.
    even_at: Instant,
    /// When it last took some.
    taken_at: Instant,
}

impl WorkerTime {
    pub(super) fn new(now: Instant) -> Self {
        Self { even_at: now, taken_at: now }
    }

    /// Counts a step that took so long on one of so many workers.
    fn take(&mut self, took: Duration, workers: u32, now: Instant) {
        self.even_at = self.even_at.max(now) + took * PARTS / workers.max(1);
        self.taken_at = now;
    }

    /// When the next step may begin, where that is not now.
    fn pause_until(&self, now: Instant) -> Option<Instant> {
        let from = self.even_at.checked_sub(AHEAD_MAX)?;
        (from > now).then_some(from)
    }

    /// What it took while it was alone, it owes to nobody.
    fn forgive(&mut self, now: Instant) {
        self.even_at = self.even_at.min(now + AHEAD_MAX);
    }

    fn is_active(&self, now: Instant) -> bool {
        self.taken_at + ACTIVE_FOR > now
    }
}

impl Client {
    /// When the next step of its tasks may begin, where that is not now.
    fn pause_until(&self, connection: &Connection, now: Instant) -> Option<Instant> {
        let until = self.worker_time.lock().pause_until(now)?;
        let open = connection.guard.open.lock();
        let is_other = |client: &&Arc<Self>| client.address != self.address;
        let has_others = open.clients.values().filter(is_other).any(|other| other.worker_time.lock().is_active(now));
        drop(open);
        if !has_others {
            self.worker_time.lock().forgive(now);
        }
        has_others.then_some(until)
    }
}

/// Does the work of a client's task, and times its steps.
pub(super) async fn timed<F: Future>(connection: &Connection, work: F) -> F::Output {
    let (client, workers) = (&connection.client, connection.guard.workers);
    let (mut work, mut pause): (_, Option<Pin<Box<Sleep>>>) = (pin!(work), None);
    poll_fn(|context| {
        loop {
            if let Some(pause) = &mut pause {
                ready!(pause.as_mut().poll(context));
            }
            let began = Instant::now();
            pause = client.pause_until(connection, began).map(|until| Box::pin(sleep_until(until)));
            if pause.is_none() {
                let polled = work.as_mut().poll(context);
                let now = Instant::now();
                client.worker_time.lock().take(now - began, workers, now);
                return polled;
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn half_of_the_workers_time_is_one_clients() {
        let now = Instant::now();
        let mut time = WorkerTime::new(now);
        // On two workers a client may occupy one of them for ever.
        for step in 0..1_000 {
            let then = now + step * 10 * MS;
            assert_eq!(time.pause_until(then), None);
            time.take(10 * MS, 2, then);
        }
        let mut time = WorkerTime::new(now);
        // Both of them for 300 ms are 600 ms of a time of which 300 ms are its own: 250 ms ahead at most are left.
        for _ in 0..60 {
            time.take(10 * MS, 2, now);
        }
        assert_eq!(time.pause_until(now), Some(now + 350 * MS));
        assert_eq!(time.pause_until(now + 350 * MS), None);
        time.forgive(now);
        assert_eq!(time.pause_until(now), None);
        assert!(time.is_active(now + 999 * MS) && !time.is_active(now + 1_000 * MS));
    }
}
