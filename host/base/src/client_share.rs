//! One client's use of shared resources: answers under way, tasks of the CPU pool, and processor time of plugins.
//!
//! Invariant: a client has one task of the CPU pool at a time, and an answer counts until it is dropped.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::Duration;

use portolan_reader::ClientId;
use tokio::sync::Semaphore;

tokio::task_local! {
    /// The client whose request this task answers.
    static CURRENT: Arc<ClientShare>;
}

/// Resources that one client uses.
#[derive(Debug)]
pub struct ClientShare {
    /// `None` if the gateway itself is the client.
    pub id: Option<ClientId>,
    answers: AtomicUsize,
    /// Nanoseconds of processor time on other threads that were not accounted for yet.
    charged_ns: AtomicU64,
    /// Held while a task of the CPU pool runs for the client.
    pub cpu_pool: Semaphore,
}

/// Answers that count for their client until this is dropped.
#[derive(Debug)]
pub struct CountedAnswers {
    client: Arc<ClientShare>,
    count: usize,
}

impl ClientShare {
    pub fn new(id: Option<ClientId>) -> Arc<Self> {
        let (answers, charged_ns) = (AtomicUsize::new(0), AtomicU64::new(0));
        Arc::new(Self { id, answers, charged_ns, cpu_pool: Semaphore::new(1) })
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

    /// Counts so many more answers; `None` if there would be more than `max`.
    pub fn count_answers(self: &Arc<Self>, count: usize, max: usize) -> Option<CountedAnswers> {
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
