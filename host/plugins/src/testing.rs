//! A scripted plugin, for tests: a catalogue, and a function that says what a job does next.
//!
//! The function gets the replies that the job has had so far, so a script keeps no state of its own. Invariant: what a
//! script requests and finds reaches the host as the bytes that a dylib would return.

mod frames;
mod lone_worker;

use std::fmt;
use std::sync::Arc;

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending, ready};
use parking_lot::Mutex;
use portolan_abi::codec;
use portolan_abi::map::{Catalogue, Finding, Start};
use portolan_abi::row::{self, kind, state};

pub use self::lone_worker::LoneWorker;
use crate::limits::{DEFAULT, Limits};
use crate::load::cells::is_last;
use crate::load::runner::{Configured, InstanceId, JobId, JobLease, RunFailure, Runner};
use crate::serve::instance::Instance;

type Script = Arc<dyn Fn(&ScriptedJob) -> ScriptedStep + Send + Sync>;

/// A plugin without a dylib, and a record of its jobs. Copies share the record.
#[derive(Clone)]
pub struct ScriptedPlugin {
    name: &'static str,
    catalogue: Catalogue,
    limits: Limits,
    script: Script,
    jobs: Arc<Mutex<Vec<ScriptedJob>>>,
}

/// A job of a scripted plugin so far.
#[derive(Clone, Debug, Default)]
pub struct ScriptedJob {
    pub start: Start,
    /// The replies of each resume after the first, which has none.
    pub replies: Vec<Vec<ScriptedReply>>,
}

/// The reply to a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedReply {
    /// One of [`row::status`].
    pub status: u8,
    /// One of [`row::source`].
    pub source: u8,
    pub bytes: Bytes,
}

impl ScriptedReply {
    /// The address that the first word encodes; zero if there is none.
    pub fn address(&self) -> Address {
        self.bytes.get(12..32).map(Address::from_slice).unwrap_or_default()
    }
}

/// The next step of a job.
#[derive(Clone, Debug)]
pub enum ScriptedStep {
    /// Requests these reads.
    Reads(Vec<ScriptedRead>),
    Ends(ScriptedEnd),
    /// The call fails.
    Fails(RunFailure),
    /// The call never returns.
    Hangs,
}

impl ScriptedStep {
    /// Ends the job with one finding, complete.
    pub fn finds(finding: impl Into<Finding>) -> Self {
        Self::Ends(ScriptedEnd { findings: vec![finding.into()], ..ScriptedEnd::default() })
    }
}

/// A read that a job requests.
#[derive(Clone, Debug, Default)]
pub struct ScriptedRead {
    /// The fields other than the data's place.
    pub row: row::Read,
    pub data: Vec<u8>,
}

impl ScriptedRead {
    /// A call at the answer's block.
    pub fn call(to: Address, data: &[u8]) -> Self {
        Self { row: row::Read { to, ..row::Read::default() }, data: data.to_vec() }
    }

    /// A document of an HTTPS server.
    pub fn document(url: &str) -> Self {
        Self { row: row::Read { kind: kind::HTTP, ..row::Read::default() }, data: url.into() }
    }

    /// A fact list, named `market/key`.
    pub fn facts(list: &str) -> Self {
        Self { row: row::Read { kind: kind::FACTS, ..row::Read::default() }, data: list.into() }
    }

    /// Sets one of [`row::freshness`], and its seconds.
    #[must_use]
    pub fn fresh(mut self, freshness: u8, seconds: u32) -> Self {
        (self.row.freshness, self.row.freshness_s) = (freshness, seconds);
        self
    }

    /// Sets one of [`row::purpose`].
    #[must_use]
    pub fn with_purpose(mut self, purpose: u8) -> Self {
        self.row.purpose = purpose;
        self
    }
}

/// How a job ends: by default complete, without findings.
#[derive(Clone, Debug)]
pub struct ScriptedEnd {
    /// One of [`state`], but not [`state::READING`].
    pub state: u8,
    pub message: &'static str,
    pub findings: Vec<Finding>,
    /// Adds entries to a fact list.
    pub facts: Option<ScriptedFacts>,
}

impl Default for ScriptedEnd {
    fn default() -> Self {
        Self { state: state::COMPLETE, message: "", findings: Vec::new(), facts: None }
    }
}

/// The first entries of a fact list.
#[derive(Clone, Debug)]
pub struct ScriptedFacts {
    /// `market/key`.
    pub list: &'static str,
    /// Number of entries.
    pub total: u32,
    /// The entries, as [`portolan_abi::fact_entries`] writes them.
    pub entries: Vec<u8>,
}

impl ScriptedPlugin {
    /// A plugin whose calls all fail, until it gets a script.
    pub fn new(name: &'static str, catalogue: Catalogue) -> Self {
        let limits = Limits { job_ms: 10_000, ..DEFAULT };
        let script = Arc::new(|_: &_| ScriptedStep::Fails(RunFailure::Stuck));
        Self { name, catalogue, limits, script, jobs: Arc::default() }
    }

    /// Sets what a job does after each resume.
    #[must_use]
    pub fn script(self, script: impl Fn(&ScriptedJob) -> ScriptedStep + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), ..self }
    }

    /// Sets the maximum duration of a job, which is ten seconds by default.
    #[must_use]
    pub fn within_ms(mut self, job_ms: u64) -> Self {
        self.limits.job_ms = job_ms;
        self
    }

    /// Returns an instance of version 1.0.0.
    pub fn instance(&self) -> Instance {
        let label = format!("{}@1.0.0", self.name);
        Instance::run_by(Arc::new(self.clone()), &label, self.limits, self.catalogue.clone())
    }

    /// Returns all jobs so far.
    pub fn jobs(&self) -> Vec<ScriptedJob> {
        self.jobs.lock().clone()
    }

    /// Has a job do its next step, after it was changed.
    fn step(
        &self,
        id: JobId,
        change: impl FnOnce(&mut ScriptedJob),
    ) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        let mut jobs = self.jobs.lock();
        let job = usize::try_from(id.0).ok().and_then(|id| jobs.get_mut(id));
        let Some(job) = job else { return ready(Err(RunFailure::Fault(format!("unknown job {}", id.0)))).boxed() };
        change(job);
        let (frame, ends) = match (self.script)(job) {
            ScriptedStep::Reads(reads) => (frames::reading(&reads, job.start.chain_id), false),
            ScriptedStep::Ends(end) => (frames::ending(&end), true),
            ScriptedStep::Fails(failure) => return ready(Err(failure)).boxed(),
            ScriptedStep::Hangs => return pending().boxed(),
        };
        if let Ok(frame) = &frame {
            assert_eq!(is_last(frame), ends, "the host knows the last answer of a job");
        }
        ready(frame.map_err(|error| RunFailure::Fault(error.to_string()))).boxed()
    }
}

impl Runner for ScriptedPlugin {
    fn configure(self: Arc<Self>, _: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        ready(Err(RunFailure::Stuck)).boxed()
    }

    fn begin(
        self: Arc<Self>,
        _: InstanceId,
        start: Vec<u8>,
        _: Vec<u8>,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        let start = match codec::decode(&start) {
            Ok(start) => start,
            Err(error) => return ready(Err(RunFailure::Fault(error.to_string()))).boxed(),
        };
        let mut jobs = self.jobs.lock();
        let id = JobId(jobs.len() as u64);
        jobs.push(ScriptedJob { start, replies: Vec::new() });
        drop(jobs);
        let answered = self.step(id, |_| {});
        async move { answered.await.map(|answer| (JobLease::new(self, id), answer)) }.boxed()
    }

    fn resume(self: Arc<Self>, id: JobId, frame: Vec<u8>) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        match frames::replies(&frame) {
            Ok(replies) => self.step(id, |job| job.replies.push(replies)),
            Err(error) => ready(Err(RunFailure::Fault(error.to_string()))).boxed(),
        }
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

impl fmt::Debug for ScriptedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedPlugin").field("name", &self.name).finish_non_exhaustive()
    }
}
