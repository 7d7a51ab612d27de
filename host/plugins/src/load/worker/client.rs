//! The host's side of one worker: a task that sends one request at a time and waits for its reply.
//!
//! Invariant: a worker that ends, is late, or sends what is not a reply has done so by the request that it was given.
//! Only that request fails by it; those behind it are told that the worker was lost, and were not sent.

use std::collections::HashSet;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use portolan_base::client_share::ClientShare;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

use super::message::{self, HEAD_BYTES, Head, MessageError, request};
use super::spawner::{Process, Spawner};
use crate::load::cells::ANSWER_BYTES_MAX;
use crate::load::run_failure::RunFailure;

/// How many times the limit of its processor time a call may take on a machine that is busy with other work.
const WALL_FACTOR: u32 = 4;
/// Time for a reply that was sent to be read.
const REPLY_ARRIVES: Duration = Duration::from_millis(20);
/// Time after which a call holds up those that wait behind it: most take less than a millisecond.
pub(crate) const HELD_UP_AFTER: Duration = Duration::from_millis(50);
/// Time without a call after which a worker ends; the next call starts another one.
const IDLE_LIMIT: Duration = Duration::from_secs(300);
/// Bytes of a reply that are read at once.
const READ_BYTES: usize = 64 << 10;
/// Bytes of a reply for which room is made before any has come.
const REPLY_BYTES_AHEAD: usize = 64 << 10;

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
    /// The worker had ended before; nothing was sent.
    #[error("the worker had ended")]
    Lost,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Death {
    #[error("the plugin did not return in time, and its process was ended")]
    Late,
    #[error("the plugin ended its process ({0})")]
    Ended(ExitStatus),
    #[error("the plugin's process sent {0}, and was ended")]
    Message(#[from] MessageError),
    #[error("the plugin's process cannot be reached: {0}")]
    Socket(String),
}

/// A worker that runs.
#[derive(Debug)]
pub(crate) struct Client {
    calls: mpsc::UnboundedSender<QueuedCall>,
    /// Requests that wait or are under way.
    queued: Arc<AtomicUsize>,
    /// Start of the request that is under way.
    since: Arc<Mutex<Option<Instant>>>,
}

#[derive(Debug)]
struct QueuedCall {
    request: Request,
    limit: Duration,
    client: Option<Arc<ClientShare>>,
    has_begun: Arc<AtomicBool>,
    reply: oneshot::Sender<Result<Vec<u8>, WorkerFailure>>,
}

/// A request that waits or is under way. Its drop gives it up if it waits; otherwise it continues.
#[derive(Debug)]
pub(crate) struct Pending {
    outcome: oneshot::Receiver<Result<Vec<u8>, WorkerFailure>>,
    has_begun: Arc<AtomicBool>,
    _queued: Queued,
}

impl Pending {
    /// Returns true if the worker has it.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// Waits for the reply.
    pub(crate) async fn outcome(&mut self) -> Result<Vec<u8>, WorkerFailure> {
        (&mut self.outcome).await.unwrap_or(Err(WorkerFailure::Lost))
    }
}

impl Client {
    /// Starts a process and its task. Adds the processor time of its calls to `cpu_ns`.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(crate) async fn start(spawner: &Spawner, cpu_ns: Arc<AtomicU64>) -> io::Result<Self> {
        let (process, socket) = spawner.spawn().await?;
        let socket = BufReader::with_capacity(READ_BYTES, UnixStream::from_std(socket)?);
        let (calls, waiting) = mpsc::unbounded_channel();
        let since = Arc::default();
        let spent = Duration::ZERO;
        let connection =
            Connection { socket, process, configured: HashSet::new(), cpu_ns, spent, since: Arc::clone(&since) };
        tokio::spawn(connection.run(waiting));
        Ok(Self { calls, queued: Arc::default(), since })
    }

    /// Returns true unless the worker has ended.
    pub(crate) fn is_alive(&self) -> bool {
        !self.calls.is_closed()
    }

    /// Requests that wait or are under way.
    pub(crate) fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// Returns true if the request under way takes so long that others had better go elsewhere.
    pub(crate) fn is_held_up(&self) -> bool {
        self.since.lock().is_some_and(|since| since.elapsed() > HELD_UP_AFTER)
    }

    /// Sends a request. `limit` bounds the processor time of the call and, fourfold, its time.
    pub(crate) fn send(&self, request: Request, limit: Duration) -> Pending {
        let (reply, outcome) = oneshot::channel();
        let has_begun = Arc::<AtomicBool>::default();
        let _queued = Queued::new(&self.queued);
        let call =
            QueuedCall { request, limit, client: ClientShare::current(), has_begun: Arc::clone(&has_begun), reply };
        // Without its worker the reply is dropped, which tells the same.
        let _ = self.calls.send(call);
        Pending { outcome, has_begun, _queued }
    }

    /// Sends a request and waits for its reply.
    pub(crate) async fn call(&self, request: Request, limit: Duration) -> Result<Vec<u8>, WorkerFailure> {
        self.send(request, limit).outcome().await
    }

    /// Sends a request whose reply nobody needs.
    pub(crate) fn notify(&self, request: Request, limit: Duration) {
        let (has_begun, reply) = (Arc::default(), oneshot::channel().0);
        let call = QueuedCall { request, limit, client: None, has_begun, reply };
        // A worker that has ended has dropped everything.
        let _ = self.calls.send(call);
    }
}

/// Counts a request until it is dropped.
#[derive(Debug)]
struct Queued(Arc<AtomicUsize>);

impl Queued {
    fn new(queued: &Arc<AtomicUsize>) -> Self {
        queued.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(queued))
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The worker's socket and process.
struct Connection {
    socket: BufReader<UnixStream>,
    process: Process,
    /// Instances that this worker has configured.
    configured: HashSet<u64>,
    cpu_ns: Arc<AtomicU64>,
    /// Processor time of the process up to its latest reply; it uses none until the next request.
    spent: Duration,
    since: Arc<Mutex<Option<Instant>>>,
}

impl Connection {
    /// Answers calls until the worker ends, is idle for long, or nobody can call it any more.
    async fn run(mut self, mut calls: mpsc::UnboundedReceiver<QueuedCall>) {
        while let Ok(Some(call)) = timeout(IDLE_LIMIT, calls.recv()).await {
            let is_drop = matches!(call.request, Request::DropJob(_) | Request::DropInstance(_));
            if call.reply.is_closed() && !is_drop {
                continue;
            }
            call.has_begun.store(true, Ordering::Relaxed);
            let before = self.spent;
            *self.since.lock() = Some(Instant::now());
            let outcome = self.answer(&call.request, call.limit).await;
            *self.since.lock() = None;
            self.charge(self.spent.saturating_sub(before), call.client.as_deref());
            match outcome {
                Ok(outcome) => drop(call.reply.send(outcome.map_err(WorkerFailure::Run))),
                Err(death) => {
                    // Calls that come now or wait are lost.
                    drop(calls);
                    let failure = death.explained(self.process.end().await);
                    drop(call.reply.send(Err(failure)));
                    return;
                }
            }
        }
    }

    fn charge(&self, took: Duration, client: Option<&ClientShare>) {
        self.cpu_ns.fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(client) = client {
            client.charge(took);
        }
    }

    async fn answer(&mut self, request: &Request, limit: Duration) -> Result<Result<Vec<u8>, RunFailure>, Death> {
        match request {
            Request::Restrict(body) => self.exchange(request::RESTRICT, 0, &[body], limit).await,
            Request::Open(manifest) => self.exchange(request::OPEN, 0, &[manifest.as_bytes()], limit).await,
            Request::Probe => self.exchange(request::PROBE, 0, &[], limit).await,
            Request::Configure { id, settings } => {
                let configured = self.exchange(request::CONFIGURE, *id, &[settings], limit).await?;
                if configured.is_ok() {
                    self.configured.insert(*id);
                }
                Ok(configured)
            }
            Request::Begin { instance, job, start, frame } => {
                if let Err(failure) = self.configure(instance, limit).await? {
                    return Ok(Err(failure));
                }
                let head = message::begin(instance.id, start);
                self.exchange(request::BEGIN, *job, &[&head, start, frame], limit).await
            }
            Request::Resume { job, frame } => self.exchange(request::RESUME, *job, &[frame], limit).await,
            Request::DropJob(job) => self.exchange(request::DROP_JOB, *job, &[], limit).await,
            Request::DropInstance(id) => {
                self.configured.remove(id);
                self.exchange(request::DROP_INSTANCE, *id, &[], limit).await
            }
        }
    }

    /// Configures an instance that another worker has configured first.
    async fn configure(&mut self, instance: &InstanceRecord, limit: Duration) -> Result<Result<(), RunFailure>, Death> {
        if self.configured.contains(&instance.id) {
            return Ok(Ok(()));
        }
        let catalogue = self.exchange(request::CONFIGURE, instance.id, &[&instance.settings], limit).await?;
        Ok(catalogue.and_then(|catalogue| {
            if catalogue != instance.catalogue {
                return Err(RunFailure::Fault("its catalogue differs from the one that it returned before".into()));
            }
            self.configured.insert(instance.id);
            Ok(())
        }))
    }

    async fn exchange(
        &mut self,
        kind: u8,
        id: u64,
        parts: &[&[u8]],
        limit: Duration,
    ) -> Result<Result<Vec<u8>, RunFailure>, Death> {
        let bytes = message::message(kind, id, parts)?;
        let (before, began) = (self.spent, Instant::now());
        let mut exchange = std::pin::pin!(exchange(&mut self.socket, &bytes, id));
        let mut wait = limit;
        let outcome = loop {
            if let Ok(outcome) = timeout_at(began + wait, &mut exchange).await {
                break outcome;
            }
            // A worker that waits for the processor has not used its time; one that sleeps does not return.
            let left = limit.saturating_sub(self.process.cpu().saturating_sub(before));
            if left.is_zero() || wait >= limit * WALL_FACTOR || !self.process.is_runnable() {
                // It may sleep because it has just replied.
                break timeout(REPLY_ARRIVES, exchange).await.unwrap_or(Err(Death::Late));
            }
            wait = (wait + left).min(limit * WALL_FACTOR);
        };
        self.spent = self.process.cpu().max(before);
        outcome
    }
}

/// Sends a request and reads its reply.
async fn exchange(
    socket: &mut BufReader<UnixStream>,
    request: &[u8],
    id: u64,
) -> Result<Result<Vec<u8>, RunFailure>, Death> {
    socket.write_all(request).await?;
    let mut head = [0; HEAD_BYTES];
    socket.read_exact(&mut head).await?;
    let head = Head::parse(head, ANSWER_BYTES_MAX)?;
    if head.id != id {
        return Err(MessageError::Kind.into());
    }
    // Room is made as bytes come, whatever the head says.
    let mut body = Vec::with_capacity(head.len.min(REPLY_BYTES_AHEAD));
    let len = u64::try_from(head.len).unwrap_or(u64::MAX);
    if (&mut *socket).take(len).read_to_end(&mut body).await? < head.len {
        return Err(MessageError::Cut.into());
    }
    // It speaks only when it is asked.
    if !socket.buffer().is_empty() {
        return Err(MessageError::Kind.into());
    }
    Ok(message::parse_outcome(head.kind, body)?)
}

impl From<io::Error> for Death {
    fn from(error: io::Error) -> Self {
        Self::Socket(error.to_string())
    }
}

impl Death {
    /// Adds what the status of the process tells.
    fn explained(self, status: io::Result<ExitStatus>) -> WorkerFailure {
        match (self, status) {
            // The plugin cannot send itself this signal, and the host did not.
            (Self::Socket(_), Ok(status)) if status.signal() == Some(libc::SIGKILL) => WorkerFailure::Killed,
            (Self::Socket(_) | Self::Message(MessageError::Cut), Ok(status)) => Self::Ended(status).into(),
            (death, _) => death.into(),
        }
    }
}
