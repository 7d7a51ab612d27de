//! A call of a worker: what is asked, who waits for the reply, and how it fails.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use portolan_base::client_share::ClientShare;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::message::MessageError;
use crate::load::run_failure::RunFailure;

/// Processor time of `configure` and `catalogue` together.
pub(crate) const CONFIGURE_LIMIT: Duration = Duration::from_secs(5);

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

/// What the callers of a worker and its connection both know.
#[derive(Debug, Default)]
pub(super) struct WorkerCalls {
    /// Calls that wait or are under way.
    pub(super) queued: AtomicUsize,
    /// The call that the worker runs.
    pub(super) running: Mutex<Option<RunningCall>>,
    /// Jobs and instances that the worker drops before its next call.
    pub(super) dropped: Mutex<Vec<Request>>,
    /// Mean processor time of the latest calls, in nanoseconds.
    pub(super) call_ns: AtomicU64,
    /// Processor time of all calls of the plugin, in nanoseconds.
    pub(super) cpu_ns: Arc<AtomicU64>,
}

/// A call that the worker runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningCall {
    /// `None` for a drop.
    pub(super) number: Option<u64>,
    pub(super) since: Instant,
}

/// A request, and who waits for its reply.
#[derive(Debug)]
pub(super) struct WorkerCall {
    pub(super) number: u64,
    pub(super) request: Request,
    pub(super) limit: Duration,
    pub(super) share: Option<Arc<ClientShare>>,
    pub(super) reply: oneshot::Sender<Result<Vec<u8>, WorkerFailure>>,
    /// Counts it until it is dropped.
    pub(super) _queued: QueuedCall,
}

/// Counts a call until it is dropped.
#[derive(Debug)]
pub(super) struct QueuedCall(Arc<WorkerCalls>);

impl QueuedCall {
    pub(super) fn new(shared: &Arc<WorkerCalls>) -> Self {
        shared.queued.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(shared))
    }
}

impl Drop for QueuedCall {
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
