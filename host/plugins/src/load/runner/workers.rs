//! Runs a plugin in worker processes: starts them, hands jobs to them, and goes on with the jobs of one that ended.
//!
//! Invariant: a job that ends its worker fails alone. Every other job of that worker goes on in another one, from the
//! replies that the host recorded, without a read; a plugin that then answers otherwise than before is at fault.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rustix::process::getpid;
use tokio::time::timeout;

use super::{Configured, InstanceId, InstanceLease, JobId, JobLease, RunFailure, Runner};
use crate::files::staging::Digest;
use crate::load::cells::is_last;
use crate::load::worker::client::{Client, Death, HELD_UP_AFTER, InstanceRecord, Request, WorkerFailure};
use crate::load::worker::sandbox::{Restrictions, SandboxStatus};
use crate::load::worker::spawner::Spawner;

/// Time to start, restrict itself and load, which takes milliseconds; the rest is for a machine under load.
const START_LIMIT: Duration = Duration::from_secs(5);
/// Processor time of `configure` and `catalogue` together.
const CONFIGURE_LIMIT: Duration = Duration::from_secs(5);
/// Processor time of a drop.
const DROP_LIMIT: Duration = Duration::from_secs(1);
/// Workers of one plugin. A call is short, and more of them than cores gain nothing while none is held up.
const WORKERS_MAX: usize = 8;
/// Attempts of one call, each on another worker, where workers are killed from outside, or end by other calls or are
/// held up by them.
const ATTEMPTS_MAX: usize = WORKERS_MAX;

/// A build as workers load it.
#[derive(Clone, Debug)]
pub(crate) struct WorkerBuild {
    /// The staged copy.
    pub(crate) file: PathBuf,
    /// The manifest in its note, as JSON.
    pub(crate) manifest: String,
    /// `name@version`, for the log.
    pub(crate) label: String,
    pub(crate) digest: Digest,
    /// Processor time of one call.
    pub(crate) resume_limit: Duration,
    /// Address space of a worker beyond what it starts with.
    pub(crate) memory_bytes: u64,
}

/// Reason why no worker of a build runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    /// A failure of the host, not of the file.
    #[error("cannot start a worker: {0}")]
    Spawn(String),
    #[error("{0}")]
    Worker(#[from] WorkerFailure),
    #[error("the worker's report of its sandbox is not valid")]
    Report,
}

/// The workers of one build.
pub(crate) struct Workers {
    build: WorkerBuild,
    spawner: Spawner,
    next_id: AtomicU64,
    cpu_ns: Arc<AtomicU64>,
    state: Mutex<WorkerPool>,
    /// Held while a worker starts.
    starting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct WorkerPool {
    clients: Vec<Arc<Client>>,
    instances: HashMap<InstanceId, Arc<InstanceRecord>>,
    jobs: HashMap<JobId, JobRecord>,
}

/// What a worker is to do.
enum Work {
    Configure {
        id: u64,
        settings: Arc<[u8]>,
    },
    /// Begin a job, or go on with it in another worker.
    Job(JobId),
}

/// A job that has not ended, with all that it was given.
#[derive(Clone)]
struct JobRecord {
    /// The worker that runs it; `None` before it begins.
    client: Option<Arc<Client>>,
    instance: Arc<InstanceRecord>,
    start: Arc<[u8]>,
    frames: Vec<Arc<[u8]>>,
    /// Hashes of its answers, to compare with those of another worker.
    answers: Vec<u64>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("build", &self.build).finish_non_exhaustive()
    }
}

impl Workers {
    pub(crate) fn new(build: WorkerBuild, spawner: Spawner) -> Self {
        let (next_id, cpu_ns) = (AtomicU64::new(1), Arc::default());
        Self { build, spawner, next_id, cpu_ns, state: Mutex::default(), starting: tokio::sync::Mutex::default() }
    }

    /// Starts the first worker, and tries what needs no chain: the self-test, and the settings that the plugin ships
    /// with. Returns what is in force of the sandbox.
    pub(crate) async fn probe(&self) -> Result<SandboxStatus, StartError> {
        let (client, sandbox) = self.start().await?;
        client.call(Request::Probe, CONFIGURE_LIMIT).await?;
        self.state.lock().clients.push(client);
        Ok(sandbox)
    }

    async fn start(&self) -> Result<(Arc<Client>, SandboxStatus), StartError> {
        let spawned = Client::start(&self.spawner, Arc::clone(&self.cpu_ns)).await;
        let client = Arc::new(spawned.map_err(|error| StartError::Spawn(error.to_string()))?);
        let restrictions = Restrictions {
            file: self.build.file.clone(),
            parent: getpid().as_raw_nonzero().get(),
            memory_bytes: self.build.memory_bytes,
        };
        let restrictions = serde_json::to_vec(&restrictions).map_err(|error| StartError::Spawn(error.to_string()))?;
        let report = client.call(Request::Restrict(restrictions), START_LIMIT).await?;
        let sandbox = serde_json::from_slice(&report).map_err(|_| StartError::Report)?;
        client.call(Request::Open(self.build.manifest.clone()), START_LIMIT).await?;
        Ok((client, sandbox))
    }

    /// Returns the worker with the shortest queue, or starts one where calls hold up all of them.
    async fn client(self: &Arc<Self>) -> Result<Arc<Client>, RunFailure> {
        loop {
            if let Some(client) = self.least_busy() {
                return Ok(client);
            }
            let _starting = self.starting.lock().await;
            if self.least_busy().is_none() {
                let (client, _) = self.start().await.map_err(|error| match error {
                    StartError::Spawn(_) => RunFailure::Lost(error.to_string()),
                    _ => RunFailure::Fault(error.to_string()),
                })?;
                self.state.lock().clients.push(client);
            }
        }
    }

    /// Returns the worker with the shortest queue; `None` if another one has to start. If all are busy and there are
    /// cores for more, another one starts meanwhile.
    fn least_busy(self: &Arc<Self>) -> Option<Arc<Client>> {
        let mut state = self.state.lock();
        state.clients.retain(|client| client.is_alive());
        let may_start = state.clients.len() < WORKERS_MAX;
        let usable: Vec<_> = state.clients.iter().filter(|client| !may_start || !client.is_held_up()).collect();
        let least = usable.iter().min_by_key(|client| client.queued())?;
        if may_start && least.queued() > 0 && usable.len() < cores() {
            let this = Arc::clone(self);
            tokio::spawn(async move { this.start_another().await });
        }
        Some(Arc::clone(least))
    }

    /// Starts a worker unless one is being started.
    async fn start_another(&self) {
        let Ok(_starting) = self.starting.try_lock() else { return };
        match self.start().await {
            Ok((client, _)) => self.state.lock().clients.push(client),
            Err(error) => tracing::warn!(plugin = self.build.label, %error, "cannot start another worker"),
        }
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    async fn configure_first(self: Arc<Self>, settings: Vec<u8>) -> Result<Configured, RunFailure> {
        let id = self.next_id();
        let settings = Arc::<[u8]>::from(settings);
        let catalogue = self.run(Work::Configure { id, settings: Arc::clone(&settings) }).await?;
        let record = InstanceRecord { id, settings, catalogue: catalogue.clone() };
        self.state.lock().instances.insert(InstanceId(id), Arc::new(record));
        Ok(Configured { instance: InstanceLease::new(self, InstanceId(id)), catalogue })
    }

    async fn begin_first(
        self: Arc<Self>,
        instance: InstanceId,
        start: Vec<u8>,
        frame: Vec<u8>,
    ) -> Result<(JobLease, Vec<u8>), RunFailure> {
        let id = JobId(self.next_id());
        // Its drop ends the job if the caller goes.
        let lease = JobLease::new(Arc::clone(&self) as _, id);
        {
            let mut state = self.state.lock();
            let instance = state.instances.get(&instance).cloned();
            let instance = instance.ok_or_else(|| RunFailure::Fault("start on an instance that has ended".into()))?;
            let (start, frames) = (start.into(), vec![frame.into()]);
            state.jobs.insert(id, JobRecord { client: None, instance, start, frames, answers: Vec::new() });
        }
        let answer = self.run(Work::Job(id)).await;
        self.answered(id, answer).map(|answer| (lease, answer))
    }

    async fn resume_next(self: Arc<Self>, id: JobId, frame: Vec<u8>) -> Result<Vec<u8>, RunFailure> {
        let frame = Arc::<[u8]>::from(frame);
        let client = {
            let mut state = self.state.lock();
            let job = state.jobs.get_mut(&id);
            let job = job.ok_or_else(|| RunFailure::Fault("resume of a job that has ended".into()))?;
            job.frames.push(Arc::clone(&frame));
            job.client.clone()
        };
        let outcome = match client {
            Some(client) => self.call(&client, Request::Resume { job: id.0, frame }, self.build.resume_limit).await,
            None => Err(WorkerFailure::Lost),
        };
        let answer = match outcome {
            Ok(answer) => Ok(answer),
            Err(WorkerFailure::Lost | WorkerFailure::Killed) => self.run(Work::Job(id)).await,
            Err(failure) => Err(self.failed(failure)),
        };
        self.answered(id, answer)
    }

    /// Sends a request and waits for its reply. Gives it up while another call holds the worker up, if another worker
    /// can have it.
    async fn call(&self, client: &Arc<Client>, request: Request, limit: Duration) -> Result<Vec<u8>, WorkerFailure> {
        let mut pending = client.send(request, limit);
        loop {
            match timeout(HELD_UP_AFTER, pending.outcome()).await {
                Ok(outcome) => return outcome,
                Err(_) if pending.has_begun() || !client.is_held_up() || !self.has_another() => {}
                Err(_) => return Err(WorkerFailure::Lost),
            }
        }
    }

    /// Returns true if a worker is not held up, or another may start.
    fn has_another(&self) -> bool {
        let state = self.state.lock();
        state.clients.len() < WORKERS_MAX
            || state.clients.iter().any(|client| client.is_alive() && !client.is_held_up())
    }

    /// Does work on one worker after another, while they end for other reasons than this work.
    async fn run(self: &Arc<Self>, work: Work) -> Result<Vec<u8>, RunFailure> {
        let mut last = WorkerFailure::Lost;
        for _ in 0..ATTEMPTS_MAX {
            let client = self.client().await?;
            let outcome = match &work {
                Work::Configure { id, settings } => {
                    let configure = Request::Configure { id: *id, settings: Arc::clone(settings) };
                    self.call(&client, configure, CONFIGURE_LIMIT).await
                }
                Work::Job(id) => self.replay(&client, *id).await,
            };
            match outcome {
                Err(failure @ (WorkerFailure::Lost | WorkerFailure::Killed)) => last = failure,
                outcome => return outcome.map_err(|failure| self.failed(failure)),
            }
        }
        Err(self.failed(last))
    }

    /// Gives a worker all that a job was given so far, and returns the last answer.
    async fn replay(&self, client: &Arc<Client>, id: JobId) -> Result<Vec<u8>, WorkerFailure> {
        let job = {
            let mut state = self.state.lock();
            let job = state.jobs.get_mut(&id);
            let job = job.ok_or_else(|| RunFailure::Fault("start of a job that has ended".into()))?;
            if let Some(before) = job.client.replace(Arc::clone(client)) {
                before.notify(Request::DropJob(id.0), DROP_LIMIT);
            }
            job.clone()
        };
        let mut answer = Vec::new();
        for (place, frame) in job.frames.iter().enumerate() {
            let (job_id, frame) = (id.0, Arc::clone(frame));
            let request = if place == 0 {
                let (instance, start) = (Arc::clone(&job.instance), Arc::clone(&job.start));
                Request::Begin { instance, job: job_id, start, frame }
            } else {
                Request::Resume { job: job_id, frame }
            };
            answer = self.call(client, request, self.build.resume_limit).await?;
            if job.answers.get(place).is_some_and(|before| *before != hash(&answer)) {
                return Err(RunFailure::Fault("it answers otherwise than before to the same replies".into()).into());
            }
        }
        Ok(answer)
    }

    /// Records an answer of a job, or its end.
    fn answered(&self, id: JobId, outcome: Result<Vec<u8>, RunFailure>) -> Result<Vec<u8>, RunFailure> {
        let mut state = self.state.lock();
        match &outcome {
            Ok(answer) if !is_last(answer) => {
                if let Some(job) = state.jobs.get_mut(&id) {
                    job.answers.push(hash(answer));
                }
            }
            _ => drop(state.jobs.remove(&id)),
        }
        outcome
    }

    /// Logs how a call ended a worker, and returns it as the call's failure.
    fn failed(&self, failure: WorkerFailure) -> RunFailure {
        if let WorkerFailure::Died(death) = &failure {
            let (plugin, digest) = (&self.build.label, self.build.digest);
            tracing::warn!(plugin, %digest, error = %death, "a worker of a plugin ended");
        }
        match failure {
            WorkerFailure::Run(failure) => failure,
            WorkerFailure::Died(Death::Late) => RunFailure::Timeout,
            WorkerFailure::Died(death) => RunFailure::Crashed(death.to_string()),
            failure @ (WorkerFailure::Killed | WorkerFailure::Lost) => RunFailure::Lost(failure.to_string()),
        }
    }
}

#[cfg(any(test, feature = "testing"))]
impl Workers {
    /// Sends a message about a job that there is not, and waits for the reply.
    pub(crate) async fn round_trip(&self, frame: &Arc<[u8]>) {
        let client = self.state.lock().clients.first().cloned();
        if let Some(client) = client {
            let resume = Request::Resume { job: u64::MAX, frame: Arc::clone(frame) };
            let _ = client.call(resume, self.build.resume_limit).await;
        }
    }
}

impl Runner for Workers {
    fn configure(self: Arc<Self>, settings: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        Box::pin(self.configure_first(settings))
    }

    fn begin(
        self: Arc<Self>,
        instance: InstanceId,
        start: Vec<u8>,
        frame: Vec<u8>,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        Box::pin(self.begin_first(instance, start, frame))
    }

    fn resume(self: Arc<Self>, job: JobId, frame: Vec<u8>) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        Box::pin(self.resume_next(job, frame))
    }

    fn drop_job(&self, job: JobId) {
        let record = self.state.lock().jobs.remove(&job);
        if let Some(client) = record.and_then(|record| record.client) {
            client.notify(Request::DropJob(job.0), DROP_LIMIT);
        }
    }

    fn drop_instance(&self, instance: InstanceId) {
        let mut state = self.state.lock();
        state.instances.remove(&instance);
        if state.instances.is_empty() {
            // Nobody needs this build: its workers end, and give back all that they hold.
            state.clients.clear();
            return;
        }
        for client in &state.clients {
            client.notify(Request::DropInstance(instance.0), DROP_LIMIT);
        }
    }

    fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns.load(Ordering::Relaxed))
    }
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn hash(answer: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    answer.hash(&mut hasher);
    hasher.finish()
}
