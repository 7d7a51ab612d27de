//! The host's side of one worker: who calls it.
//!
//! Invariant: a worker that ends, is late, or sends what is not a reply has done so by the request that it ran. Only that
//! request fails by it; those behind it are told that the worker was lost.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use portolan_base::client_share::ClientShare;
use portolan_base::process_memory;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::call::{QueuedCall, Request, RunningCall, WorkerCall, WorkerCalls, WorkerFailure};
use super::connection::Connection;
use super::spawner::{Process, Spawner};

/// Time after which a call holds up those that wait behind it: most take less than a millisecond.
const HELD_UP_AFTER: Duration = Duration::from_millis(50);

/// A worker that runs.
#[derive(Debug)]
pub(crate) struct Client {
    /// Closed once the worker has ended.
    calls: mpsc::UnboundedSender<WorkerCall>,
    next_number: AtomicU64,
    shared: Arc<WorkerCalls>,
    process_id: u32,
}

impl Client {
    /// Starts a process, of whose replies none may be longer than `reply_bytes_max`. Adds the processor time of its
    /// calls to `cpu_ns`.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(crate) async fn start(
        spawner: &Spawner,
        cpu_ns: Arc<AtomicU64>,
        reply_bytes_max: usize,
    ) -> io::Result<Arc<Self>> {
        let (process, replies, requests) = spawner.spawn().await?;
        Ok(Arc::new(Self::connect((requests, replies), process, cpu_ns, reply_bytes_max)))
    }

    /// Calls a process over its pipes.
    pub(super) fn connect(
        pipes: (Sender, Receiver),
        process: Process,
        cpu_ns: Arc<AtomicU64>,
        reply_bytes_max: usize,
    ) -> Self {
        let process_id = process.id();
        // A job and an instance have one call at a time each, so that their limits bound this queue.
        let (calls, waiting) = mpsc::unbounded_channel();
        let shared = Arc::new(WorkerCalls { cpu_ns, ..WorkerCalls::default() });
        let connection = Connection::new(pipes, process, reply_bytes_max, waiting, Arc::clone(&shared));
        tokio::spawn(connection.run());
        Self { calls, next_number: AtomicU64::new(0), shared, process_id }
    }

    /// Returns true unless the worker has ended.
    pub(crate) fn is_alive(&self) -> bool {
        !self.calls.is_closed()
    }

    /// Memory of the worker, without pages of files; `None` if it cannot be read.
    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        process_memory::bytes(self.process_id, &process_memory::RESIDENT)
    }

    /// Processor time that the calls that wait or are under way will take, if each takes as long as the latest ones.
    pub(crate) fn backlog(&self) -> Duration {
        let calls = u64::try_from(self.shared.queued.load(Ordering::Relaxed)).unwrap_or(u64::MAX);
        Duration::from_nanos(self.shared.call_ns.load(Ordering::Relaxed).saturating_mul(calls))
    }

    /// Returns true if the call under way takes so long that others had better go elsewhere.
    pub(crate) fn is_held_up(&self) -> bool {
        self.holds_up().is_some()
    }

    /// Returns the call under way if it takes long.
    fn holds_up(&self) -> Option<RunningCall> {
        self.shared.running.lock().filter(|running| running.since.elapsed() > HELD_UP_AFTER)
    }

    /// Sends a request and waits for its reply, behind those that were sent before. `limit` bounds the processor time
    /// of the call and, fourfold, its time. While another request holds the worker up, the call is given up as
    /// [`WorkerFailure::Lost`] once `may_leave` returns true.
    ///
    /// Once it is sent, a request goes on if its caller goes.
    pub(crate) async fn call(
        &self,
        request: Request,
        limit: Duration,
        may_leave: impl Fn() -> bool,
    ) -> Result<Vec<u8>, WorkerFailure> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let (reply, mut outcome) = oneshot::channel();
        let queued = QueuedCall::new(&self.shared);
        let call = WorkerCall { number, request, limit, share: ClientShare::current(), reply, _queued: queued };
        self.calls.send(call).map_err(|_| WorkerFailure::Lost)?;
        loop {
            match timeout(HELD_UP_AFTER, &mut outcome).await {
                Ok(outcome) => return outcome.unwrap_or(Err(WorkerFailure::Lost)),
                Err(_) => {
                    let waits_for_another = self.holds_up().is_some_and(|running| running.number != Some(number));
                    if waits_for_another && may_leave() {
                        return Err(WorkerFailure::Lost);
                    }
                }
            }
        }
    }

    /// Drops a job or an instance before the next request.
    pub(crate) fn drop_later(&self, request: Request) {
        self.shared.dropped.lock().push(request);
    }
}
