//! The host's side of one worker: one request at a time, and its reply.
//!
//! Invariant: a worker that ends, is late, or sends what is not a reply has done so by the request that it was given.
//! Only that request fails by it; those behind it are told that the worker was lost, and were not sent.

use std::collections::HashSet;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
use portolan_base::client_share::ClientShare;
use portolan_base::process_memory;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::message::{self, HEAD_BYTES, Head, MessageError, request};
use super::spawner::{Process, Spawner};
use crate::load::run_failure::RunFailure;

/// Processor time of `configure` and `catalogue` together.
pub(crate) const CONFIGURE_LIMIT: Duration = Duration::from_secs(5);
/// Processor time of a drop.
const DROP_LIMIT: Duration = Duration::from_secs(1);
/// How many times the limit of its processor time a call may take on a machine that is busy with other work.
const WALL_FACTOR: u32 = 4;
/// Time for a reply that was sent to be read.
const REPLY_ARRIVES: Duration = Duration::from_millis(20);
/// Time after which a call holds up those that wait behind it: most take less than a millisecond.
const HELD_UP_AFTER: Duration = Duration::from_millis(50);
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
    /// `None` once the worker has ended.
    connection: Arc<AsyncMutex<Option<Connection>>>,
    /// Requests that wait or are under way.
    queued: Arc<AtomicUsize>,
    /// Start of the request that is under way.
    since: Arc<Mutex<Option<Instant>>>,
    /// Jobs and instances that the worker drops before its next request.
    dropped: Mutex<Vec<Request>>,
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
        let replies = BufReader::with_capacity(READ_BYTES, replies);
        let (since, process_id) = (Arc::default(), process.id());
        let connection = Connection {
            requests,
            replies,
            process,
            reply_bytes_max,
            configured: HashSet::new(),
            cpu_ns,
            spent: Duration::ZERO,
            since: Arc::clone(&since),
            used: Instant::now(),
        };
        let connection = Arc::new(AsyncMutex::new(Some(connection)));
        let dropped = Mutex::default();
        let client = Arc::new(Self { connection, queued: Arc::default(), since, dropped, process_id });
        tokio::spawn(end_when_idle(Arc::downgrade(&client)));
        Ok(client)
    }

    /// Returns true unless the worker has ended.
    pub(crate) fn is_alive(&self) -> bool {
        self.connection.try_lock().map_or(true, |connection| connection.is_some())
    }

    /// Memory of the worker, without pages of files; `None` if it cannot be read.
    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        process_memory::bytes(self.process_id, &process_memory::RESIDENT)
    }

    /// Requests that wait or are under way.
    pub(crate) fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// Returns true if the request under way takes so long that others had better go elsewhere.
    pub(crate) fn is_held_up(&self) -> bool {
        self.since.lock().is_some_and(|since| since.elapsed() > HELD_UP_AFTER)
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
        let queued = Queued::new(&self.queued);
        let turn = self.turn(may_leave).await?;
        let (dropped, share) = (std::mem::take(&mut *self.dropped.lock()), ClientShare::current());
        let call = async move {
            let _queued = queued;
            run(turn, dropped, request, limit, share).await
        };
        Detaching(Some(Box::pin(call))).await
    }

    /// Waits until no other request is under way.
    async fn turn(&self, may_leave: impl Fn() -> bool) -> Result<Turn, WorkerFailure> {
        let mut turn = pin!(Arc::clone(&self.connection).lock_owned());
        loop {
            match timeout(HELD_UP_AFTER, &mut turn).await {
                Ok(turn) => return Ok(turn),
                Err(_) if self.is_held_up() && may_leave() => return Err(WorkerFailure::Lost),
                Err(_) => {}
            }
        }
    }

    /// Drops a job or an instance before the next request.
    pub(crate) fn drop_later(&self, request: Request) {
        self.dropped.lock().push(request);
    }
}

/// Ends a worker that nobody has used for long.
async fn end_when_idle(client: Weak<Client>) {
    let mut until = Instant::now() + IDLE_LIMIT;
    loop {
        sleep_until(until).await;
        let Some(client) = client.upgrade() else { return };
        let mut turn = client.connection.lock().await;
        match &*turn {
            Some(connection) if connection.used.elapsed() < IDLE_LIMIT => until = connection.used + IDLE_LIMIT,
            _ => {
                *turn = None;
                return;
            }
        }
    }
}

/// The turn to use a worker.
type Turn = OwnedMutexGuard<Option<Connection>>;

/// Sends a request, after the drops that are due. A call that is itself dropped before its reply has come ends the
/// worker.
async fn run(
    mut turn: Turn,
    dropped: Vec<Request>,
    request: Request,
    limit: Duration,
    share: Option<Arc<ClientShare>>,
) -> Result<Vec<u8>, WorkerFailure> {
    let mut connection = turn.take().ok_or(WorkerFailure::Lost)?;
    for request in dropped {
        if connection.perform(&request, DROP_LIMIT, None).await.is_err() {
            // Its end is that of a drop, which no answer depends on.
            let _ = connection.process.end().await;
            return Err(WorkerFailure::Lost);
        }
    }
    match connection.perform(&request, limit, share.as_deref()).await {
        Ok(outcome) => {
            *turn = Some(connection);
            Ok(outcome?)
        }
        Err(death) => Err(death.explained(connection.process.end().await)),
    }
}

/// A future that goes on in a task of its own if it is dropped before its end.
struct Detaching<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> Future for Detaching<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        let outcome = ready!(future.as_mut().poll(context));
        self.0 = None;
        Poll::Ready(outcome)
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for Detaching<F> {
    fn drop(&mut self) {
        // Where the runtime has ended, the process ends.
        if let (Some(future), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(future);
        }
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

/// The worker's pipes and process.
#[derive(Debug)]
struct Connection {
    requests: Sender,
    replies: BufReader<Receiver>,
    process: Process,
    reply_bytes_max: usize,
    /// Instances that this worker has configured.
    configured: HashSet<u64>,
    cpu_ns: Arc<AtomicU64>,
    /// Processor time of the process up to its latest reply; it uses none until the next request.
    spent: Duration,
    since: Arc<Mutex<Option<Instant>>>,
    /// The latest call.
    used: Instant,
}

impl Connection {
    async fn perform(
        &mut self,
        request: &Request,
        limit: Duration,
        share: Option<&ClientShare>,
    ) -> Result<Result<Vec<u8>, RunFailure>, Death> {
        let before = self.spent;
        self.used = Instant::now();
        *self.since.lock() = Some(self.used);
        let outcome = self.answer(request, limit).await;
        *self.since.lock() = None;
        self.charge(self.spent.saturating_sub(before), share);
        outcome
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
                if let Err(failure) = self.configure(instance).await? {
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
    async fn configure(&mut self, instance: &InstanceRecord) -> Result<Result<(), RunFailure>, Death> {
        if self.configured.contains(&instance.id) {
            return Ok(Ok(()));
        }
        let catalogue = self.exchange(request::CONFIGURE, instance.id, &[&instance.settings], CONFIGURE_LIMIT).await?;
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
        let mut exchange = pin!(exchange((&mut self.requests, &mut self.replies), self.reply_bytes_max, &bytes, id));
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
    (requests, replies): (&mut Sender, &mut BufReader<Receiver>),
    reply_bytes_max: usize,
    request: &[u8],
    id: u64,
) -> Result<Result<Vec<u8>, RunFailure>, Death> {
    requests.write_all(request).await?;
    let mut head = [0; HEAD_BYTES];
    replies.read_exact(&mut head).await?;
    let head = Head::parse(head, reply_bytes_max)?;
    if head.id != id {
        return Err(MessageError::Kind.into());
    }
    // Room is made as bytes come, whatever the head says.
    let mut body = Vec::with_capacity(head.len.min(REPLY_BYTES_AHEAD));
    let len = u64::try_from(head.len).unwrap_or(u64::MAX);
    if (&mut *replies).take(len).read_to_end(&mut body).await? < head.len {
        return Err(MessageError::Cut.into());
    }
    // It speaks only when it is asked.
    if !replies.buffer().is_empty() {
        return Err(MessageError::Kind.into());
    }
    Ok(message::parse_outcome(head.kind, body)?)
}

impl From<io::Error> for Death {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error.to_string())
    }
}

impl Death {
    /// Adds what the status of the process tells.
    fn explained(self, status: io::Result<ExitStatus>) -> WorkerFailure {
        match (self, status) {
            // The plugin cannot send itself this signal, and the host did not.
            (Self::Unreachable(_), Ok(status)) if status.signal() == Some(libc::SIGKILL) => WorkerFailure::Killed,
            (Self::Unreachable(_) | Self::Message(MessageError::Cut), Ok(status)) => Self::Ended(status).into(),
            (death, _) => death.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, PipeWriter, Read as _, Write as _};

    use super::super::message::reply;
    use super::*;

    /// Returns the host's ends of two pipes, and the worker's.
    fn pipes() -> io::Result<(Sender, BufReader<Receiver>, PipeReader, PipeWriter)> {
        let ((requests, own_requests), (own_replies, replies)) = (io::pipe()?, io::pipe()?);
        let own_replies = Receiver::from_owned_fd(own_replies.into())?;
        Ok((Sender::from_owned_fd(own_requests.into())?, BufReader::new(own_replies), requests, replies))
    }

    #[tokio::test]
    async fn messages_larger_than_a_pipe_arrive_whole_both_ways() {
        let (mut own_requests, mut own_replies, mut requests, mut replies) = pipes().unwrap();
        let body: Vec<u8> = (0_u32..1 << 18).flat_map(u32::to_le_bytes).collect();
        let [sent, answered] = [request::RESUME, reply::DONE].map(|kind| message::message(kind, 7, &[&body]).unwrap());
        let expected = sent.clone();
        let worker = std::thread::spawn(move || {
            let mut came = vec![0; expected.len()];
            requests.read_exact(&mut came).unwrap();
            assert!(came == expected);
            replies.write_all(&answered).unwrap();
        });
        let came = exchange((&mut own_requests, &mut own_replies), body.len(), &sent, 7).await.unwrap();
        assert!(came.unwrap() == body);
        worker.join().unwrap();
    }

    #[tokio::test]
    async fn a_closed_pipe_is_an_error_to_send_to() {
        let (mut own_requests, mut own_replies, requests, replies) = pipes().unwrap();
        drop((requests, replies));
        let sent = exchange((&mut own_requests, &mut own_replies), 0, b"request", 7).await;
        assert!(matches!(sent, Err(Death::Unreachable(_))), "{sent:?}");
    }
}
