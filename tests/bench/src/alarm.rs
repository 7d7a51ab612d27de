//! A clock that wakes tasks exact to a fraction of a millisecond; tokio's own rounds up to whole ones, twice in a round
//! trip.
//!
//! A thread of its own that ends with the last handle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result};
use tokio::sync::oneshot;

/// A handle of the clock.
#[derive(Clone, Debug)]
pub(super) struct Alarm(Sender<Sleeper>);

#[derive(Debug)]
struct Sleeper {
    due: Instant,
    wake: oneshot::Sender<()>,
}

impl Alarm {
    pub(super) fn new() -> Self {
        let (sender, sleepers) = channel();
        thread::spawn(move || run(&sleepers));
        Self(sender)
    }

    /// Waits until `due`; not at all where that is over.
    pub(super) async fn until(&self, due: Instant) -> Result<()> {
        if due <= Instant::now() {
            return Ok(());
        }
        let (wake, woken) = oneshot::channel();
        self.0.send(Sleeper { due, wake }).ok().context("the clock has ended")?;
        Ok(woken.await?)
    }
}

fn run(incoming: &Receiver<Sleeper>) {
    let mut asleep = BinaryHeap::new();
    loop {
        let next = match asleep.peek() {
            None => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(Reverse(Sleeper { due, .. })) => incoming.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match next {
            Ok(sleeper) => asleep.push(Reverse(sleeper)),
            Err(RecvTimeoutError::Timeout) => {
                // One whose task is gone is woken by nobody.
                asleep.pop().and_then(|Reverse(sleeper)| sleeper.wake.send(()).ok());
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.due.cmp(&other.due)
    }
}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Sleeper {}
