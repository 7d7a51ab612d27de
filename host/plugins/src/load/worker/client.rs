//! The host's side of one worker: who calls it, and how a call fails.
//!
//! Invariant: a worker that ends, is late, or sends what is not a reply has done so by the request that it ran. Only that
//! request fails by it; those behind it are told that the worker was lost.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use portolan_base::client_share::ClientShare;
use portolan_base::process_memory;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::connection::Connection;
use super::message::MessageError;
use super::spawner::{Process, Spawner};
use crate::load::run_failure::RunFailure;

/// Processor time of `configure` and `catalogue` together.
pub(crate) const CONFIGURE_LIMIT: Duration = Duration::from_secs(5);
/// Time after which a call holds up those that wait behind it: most take less than a millisecond.
const HELD_UP_AFTER: Duration = Duration::from_millis(50);

/// One instance, as each worker configures it.
#[derive(Debug)]
pub(crate) struct InstanceRecord {
    pub(crate) id: u64,
    /// CBOR `Settings`.
    pub(crate) settings: Arc<[u8]>,
    /// CBOR `Catalogue` that the first worker returned.
    pub(crate) catalogue: Vec<u8>,
}

/// A request of a job or an instance.
#[derive(Debug)]
pub(crate) enum Request {
    Restrict(Vec<u8>),
    Open(String),
    Probe,
    Configure { id: u64, settings: Arc<[u8]> },
    Begin { instance: Arc<InstanceRecord>, job: u64, start: Arc<[u8]>, frame: Arc<[u8]> },
    Resume { job: u64, frame: Arc<[u8]> },
    DropJob(u64),
    DropInstance(u64),
}

/// Reason why a worker did not answer a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WorkerFailure {
    /// The plugin answered so.
    #[error(transparent)]
    Run(#[from] RunFailure),
    /// The request ended the worker.
    #[error(transparent)]
    Died(#[from] Death),
    /// The worker was killed from outside while it ran this request: by an operator, or by the kernel for memory.
    #[error("the plugin's process was killed from outside")]
    Killed,
    /// The worker ended, or was held up, by another request.
    #[error("the worker had ended")]
    Lost,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Death {
    #[error(
        "the plugin did not return in time, and its process was ended: look for a loop without an end, or for seconds \
         of computing between two reads"
    )]
    Late,
    #[error("the plugin ended its process ({0})")]
    Ended(ExitStatus),
    #[error("the plugin's process sent {0}, and was ended")]
    Message(#[from] MessageError),
    #[error("the plugin's process cannot be reached: {0}")]
    Unreachable(String),
}

/// A worker that runs.
#[derive(Debug)]
pub(crate) struct Client {
    /// Closed once the worker has ended.
    calls: mpsc::UnboundedSender<Call>,
    next_number: AtomicU64,
    shared: Arc<Shared>,
    process_id: u32,
}

/// What the callers of a worker and its connection both know.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Calls that wait or are under way.
    queued: AtomicUsize,
    /// The call that the worker runs.
    pub(super) running: Mutex<Option<Running>>,
    /// Jobs and instances that the worker drops before its next call.
    pub(super) dropped: Mutex<Vec<Request>>,
    /// Mean processor time of the latest calls, in nanoseconds.
    pub(super) call_ns: AtomicU64,
    /// Processor time of all calls of the plugin, in nanoseconds.
    pub(super) cpu_ns: Arc<AtomicU64>,
}

/// A call that the worker runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    /// `None` for a drop.
    pub(super) number: Option<u64>,
    pub(super) since: Instant,
}

/// A request, and who waits for its reply.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) number: u64,
    pub(super) request: Request,
    pub(super) limit: Duration,
    pub(super) share: Option<Arc<ClientShare>>,
    pub(super) reply: oneshot::Sender<Result<Vec<u8>, WorkerFailure>>,
    /// Counts it until it is dropped.
    _queued: Queued,
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
        let shared = Arc::new(Shared { cpu_ns, ..Shared::default() });
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

    /// Calls that wait or are under way.
    pub(crate) fn queued(&self) -> usize {
        self.shared.queued.load(Ordering::Relaxed)
    }

    /// Processor time that these calls will take, if each takes as long as the latest ones.
    pub(crate) fn backlog(&self) -> Duration {
        let calls = u64::try_from(self.queued()).unwrap_or(u64::MAX);
        Duration::from_nanos(self.shared.call_ns.load(Ordering::Relaxed).saturating_mul(calls))
    }

    /// Returns true if the call under way takes so long that others had better go elsewhere.
    pub(crate) fn is_held_up(&self) -> bool {
        self.holds_up().is_some()
    }

    /// Returns the call under way if it takes long.
    fn holds_up(&self) -> Option<Running> {
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
        let queued = Queued::new(&self.shared);
        let call = Call { number, request, limit, share: ClientShare::current(), reply, _queued: queued };
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

/// Counts a call until it is dropped.
#[derive(Debug)]
struct Queued(Arc<Shared>);

impl Queued {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.queued.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(shared))
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Ordering::Relaxed);
    }
}

impl From<io::Error> for Death {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error.to_string())
    }
}

impl Death {
    /// Adds what the status of the process tells.
    pub(super) fn explained(self, status: io::Result<ExitStatus>) -> WorkerFailure {
        match (self, status) {
            // The plugin cannot send itself this signal, and the host did not.
            (Self::Unreachable(_), Ok(status)) if status.signal() == Some(libc::SIGKILL) => WorkerFailure::Killed,
            (Self::Unreachable(_), Ok(status)) => Self::Ended(status).into(),
            (death, _) => death.into(),
        }
    }
}
