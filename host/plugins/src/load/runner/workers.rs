//! Runs a plugin in worker processes: starts them, hands jobs to them, and goes on with the jobs of one that ended.
//!
//! Invariant: a job that ends its worker fails alone. Every other job of that worker goes on in another one, from the
//! replies that the host recorded, without a read; a plugin that then answers otherwise than before is at fault.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rustix::process::getpid;

use super::{Configured, InstanceId, InstanceLease, JobId, JobLease, RunFailure, Runner};
use crate::files::staging::Digest;
use crate::limits::Limits;
use crate::load::cells::is_last;
use crate::load::worker::call::{CONFIGURE_LIMIT, Death, InstanceRecord, Request, WorkerFailure};
use crate::load::worker::client::Client;
use crate::load::worker::sandbox::{Restrictions, SandboxStatus};
use crate::load::worker::spawner::Spawner;

/// Time to start, restrict itself and load, which takes milliseconds; the rest is for a machine under load.
const START_LIMIT: Duration = Duration::from_secs(5);
const SECOND: Duration = Duration::from_secs(1);
/// Pause after the first failed start; it doubles with each further one.
const START_PAUSE: Duration = Duration::from_millis(50);
const START_PAUSE_MAX: Duration = Duration::from_secs(5);
/// Workers of one plugin. A call is short, and more of them than cores gain nothing while none is held up.
const WORKERS_MAX: usize = 8;
/// Processor time of the calls of a worker from which on further calls go to another one. Two workers take more of it
/// for the same calls, since each has to bring code and data into the caches.
const BACKLOG_MAX: Duration = Duration::from_millis(10);
/// Attempts of one call, each on another worker, where workers are killed from outside, or end by other calls or are
/// held up by them.
const ATTEMPTS_MAX: usize = WORKERS_MAX;
/// Found once: each look reads files of the process's control group.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, usize::from));

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
    pub(crate) limits: Limits,
}

impl WorkerBuild {
    /// Processor time of one call.
    fn resume_limit(&self) -> Duration {
        Duration::from_millis(self.limits.resume_ms)
    }

    /// Maximum bytes of a reply.
    fn reply_bytes_max(&self) -> usize {
        usize::try_from(self.limits.answer_mib << 20).unwrap_or(usize::MAX)
    }
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
    debt: Mutex<CpuDebt>,
    state: Mutex<WorkerPool>,
    /// Held while a worker starts.
    starting: tokio::sync::Mutex<StartBackoff>,
}

/// Failed attempts in a row to start a worker.
#[derive(Default)]
struct StartBackoff {
    attempts: u32,
    /// The latest one, and when the next may follow.
    latest: Option<(RunFailure, Instant)>,
}

impl StartBackoff {
    /// Returns the failure of the latest attempt until the next one may follow.
    fn check(&self) -> Result<(), RunFailure> {
        match &self.latest {
            Some((failure, until)) if Instant::now() < *until => Err(failure.clone()),
            _ => Ok(()),
        }
    }

    fn failed(&mut self, failure: RunFailure) {
        let pause = START_PAUSE.saturating_mul(1 << self.attempts.min(16)).min(START_PAUSE_MAX);
        self.attempts += 1;
        self.latest = Some((failure, Instant::now() + pause));
    }
}

/// Processor time of a plugin's calls beyond the rate that it may take.
struct CpuDebt {
    checked: Instant,
    /// What all calls had taken then.
    cpu: Duration,
    debt: Duration,
}

impl CpuDebt {
    fn new() -> Self {
        Self { checked: Instant::now(), cpu: Duration::ZERO, debt: Duration::ZERO }
    }

    /// Returns true while it is less than the rate allows in a second; `cpu` is what all calls have taken.
    fn is_small(&mut self, cpu: Duration, percent: u32) -> bool {
        let rate = |time: Duration| time * percent / 100;
        let paid = rate(self.checked.elapsed());
        self.debt = (self.debt + cpu.saturating_sub(self.cpu)).saturating_sub(paid);
        (self.checked, self.cpu) = (Instant::now(), cpu);
        self.debt < rate(SECOND)
    }
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
        Self {
            build,
            spawner,
            next_id: AtomicU64::new(1),
            cpu_ns: Arc::default(),
            debt: Mutex::new(CpuDebt::new()),
            state: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
        }
    }

    /// Refuses calls while those before have taken more processor time than they may.
    fn check_cpu(&self) -> Result<(), RunFailure> {
        let percent = u32::try_from(self.build.limits.cpu_percent).unwrap_or(u32::MAX);
        let is_small = self.debt.lock().is_small(self.cpu(), percent);
        if is_small { Ok(()) } else { Err(RunFailure::Limit("cpu_percent")) }
    }

    /// Starts the first worker, and tries what needs no chain: the self-test, and the settings that the plugin ships
    /// with. Returns what is in force of the sandbox.
    pub(crate) async fn probe(&self) -> Result<SandboxStatus, StartError> {
        let (client, sandbox) = self.start().await?;
        client.call(Request::Probe, CONFIGURE_LIMIT, stay).await?;
        self.state.lock().clients.push(client);
        Ok(sandbox)
    }

    async fn start(&self) -> Result<(Arc<Client>, SandboxStatus), StartError> {
        let client = Client::start(&self.spawner, Arc::clone(&self.cpu_ns), self.build.reply_bytes_max()).await;
        let client = client.map_err(|error| StartError::Spawn(error.to_string()))?;
        let restrictions = Restrictions {
            file: self.build.file.clone(),
            parent: getpid().as_raw_nonzero().get(),
            memory_bytes: self.build.limits.memory_mib << 20,
        };
        let restrictions = serde_json::to_vec(&restrictions).map_err(|error| StartError::Spawn(error.to_string()))?;
        let report = client.call(Request::Restrict(restrictions), START_LIMIT, stay).await?;
        let sandbox = serde_json::from_slice(&report).map_err(|_| StartError::Report)?;
        client.call(Request::Open(self.build.manifest.clone()), START_LIMIT, stay).await?;
        Ok((client, sandbox))
    }

    /// Returns a worker to call, or starts one where calls hold up all of them.
    async fn client(self: &Arc<Self>) -> Result<Arc<Client>, RunFailure> {
        loop {
            if let Some(client) = self.least_busy() {
                return Ok(client);
            }
            let mut backoff = self.starting.lock().await;
            if self.least_busy().is_none() {
                self.start_after(&mut backoff).await?;
            }
        }
    }

    /// Returns the first worker that has not much to do, or else the one that has least; `None` if another one has to
    /// start. If all have much to do and there are cores for more, another one starts meanwhile.
    fn least_busy(self: &Arc<Self>) -> Option<Arc<Client>> {
        let mut state = self.state.lock();
        state.clients.retain(|client| client.is_alive());
        let may_start = state.clients.len() < WORKERS_MAX;
        let (held_up, free): (Vec<_>, Vec<_>) = state.clients.iter().partition(|client| client.is_held_up());
        let usable = if free.is_empty() && !may_start { held_up } else { free };
        if let Some(client) = usable.iter().find(|client| client.backlog() < BACKLOG_MAX) {
            return Some(Arc::clone(client));
        }
        let least = usable.iter().min_by_key(|client| client.backlog())?;
        if may_start && usable.len() < *CORES {
            let this = Arc::clone(self);
            tokio::spawn(async move { this.start_another().await });
        }
        Some(Arc::clone(least))
    }

    /// Starts a worker unless one is being started.
    async fn start_another(&self) {
        if let Ok(mut backoff) = self.starting.try_lock() {
            // It is logged, and this call has a worker.
            let _ = self.start_after(&mut backoff).await;
        }
    }

    /// Starts a worker, unless the last attempt failed too short a time ago.
    async fn start_after(&self, backoff: &mut StartBackoff) -> Result<(), RunFailure> {
        backoff.check()?;
        match self.start().await {
            Ok((client, _)) => {
                *backoff = StartBackoff::default();
                self.state.lock().clients.push(client);
                Ok(())
            }
            Err(error) => {
                tracing::warn!(plugin = self.build.label, %error, "cannot start a worker");
                let failure = match error {
                    StartError::Spawn(_) => RunFailure::Lost(error.to_string()),
                    _ => RunFailure::Fault(error.to_string()),
                };
                backoff.failed(failure.clone());
                Err(failure)
            }
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
        self.check_cpu()?;
        let id = JobId(self.next_id());
        // Its drop ends the job if the caller goes.
        let lease = JobLease::new(Arc::clone(&self) as _, id);
        {
            let mut state = self.state.lock();
            let instance = state.instances.get(&instance).cloned();
            let instance = instance.ok_or_else(|| RunFailure::Fault("start on an instance that has ended".into()))?;
            if state.jobs.len() >= usize::try_from(self.build.limits.jobs_max).unwrap_or(usize::MAX) {
                return Err(RunFailure::Limit("jobs_max"));
            }
            let (start, frames) = (start.into(), vec![frame.into()]);
            state.jobs.insert(id, JobRecord { client: None, instance, start, frames, answers: Vec::new() });
        }
        let answer = self.run(Work::Job(id)).await;
        self.answered(id, answer).map(|answer| (lease, answer))
    }

    async fn resume_next(self: Arc<Self>, id: JobId, frame: Vec<u8>) -> Result<Vec<u8>, RunFailure> {
        self.check_cpu()?;
        let frame = Arc::<[u8]>::from(frame);
        let client = {
            let mut state = self.state.lock();
            let job = state.jobs.get_mut(&id);
            let job = job.ok_or_else(|| RunFailure::Fault("resume of a job that has ended".into()))?;
            job.frames.push(Arc::clone(&frame));
            job.client.clone()
        };
        let outcome = match client {
            Some(client) => self.call(&client, Request::Resume { job: id.0, frame }, self.build.resume_limit()).await,
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
    async fn call(&self, client: &Client, request: Request, limit: Duration) -> Result<Vec<u8>, WorkerFailure> {
        client.call(request, limit, || self.has_another()).await
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
                before.drop_later(Request::DropJob(id.0));
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
            answer = self.call(client, request, self.build.resume_limit()).await?;
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
            let _ = self.call(&client, resume, self.build.resume_limit()).await;
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
            client.drop_later(Request::DropJob(job.0));
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
            client.drop_later(Request::DropInstance(instance.0));
        }
    }

    fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns.load(Ordering::Relaxed))
    }

    fn memory_bytes(&self) -> Option<u64> {
        let clients = self.state.lock().clients.clone();
        clients.iter().filter(|client| client.is_alive()).map(|client| client.memory_bytes()).sum()
    }
}

/// Returns false: a worker that starts has no other to give its calls to.
fn stay() -> bool {
    false
}

fn hash(answer: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    answer.hash(&mut hasher);
    hasher.finish()
}
