//! One client's use of shared resources: answers under way and turns of long work.
//!
//! Invariant: a client has one turn of long work at a time, and an answer counts until it is dropped.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use tokio::sync::Semaphore;

/// Resources that one client uses.
#[derive(Debug)]
pub(crate) struct ClientShare {
    /// The client's address, or its prefix for IPv6; `None` if the gateway itself is the client.
    pub(crate) address: Option<IpAddr>,
    answers: AtomicUsize,
    /// Held during a turn of long work (`long_work.rs`).
    pub(crate) long_work: Semaphore,
}

/// An answer that counts for its client until this is dropped.
#[derive(Debug)]
pub(crate) struct CountedAnswer(Arc<ClientShare>);

impl ClientShare {
    pub(crate) fn new(address: Option<IpAddr>) -> Arc<Self> {
        Arc::new(Self { address, answers: AtomicUsize::new(0), long_work: Semaphore::new(1) })
    }

    /// Counts one more answer; `None` if `max` are counted already.
    pub(crate) fn count_answer(self: &Arc<Self>, max: usize) -> Option<CountedAnswer> {
        let fitting = |answers: usize| (answers < max).then(|| answers + 1);
        self.answers.fetch_update(Relaxed, Relaxed, fitting).ok()?;
        Some(CountedAnswer(Arc::clone(self)))
    }
}

impl Drop for CountedAnswer {
    fn drop(&mut self) {
        self.0.answers.fetch_sub(1, Relaxed);
    }
}
