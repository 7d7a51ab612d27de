//! Runs a plugin in the host's process, by calling the dylib's functions on the blocking pool.
//!
//! Invariant: a job is dropped before its instance, each exactly once, and neither during a call: a call holds the
//! cells that it uses, and a job's cell holds its instance's. The host does not survive a plugin that ends the
//! process; this would need worker processes.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use abi_stable::std_types::{RSlice, RVec};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::codec;
use portolan_abi::map::{SettingsError, StartError};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};

use super::call::{CallFailure, Calls};
use super::{Configured, InstanceId, InstanceLease, IsLast, JobId, JobLease, RunFailure, Runner};

/// Time for `configure` and `catalogue` together. They parse tables and read nothing, which takes milliseconds; the
/// rest is for a machine under load, because each attempt that exceeds it may leave a thread stuck.
const CONFIGURE_LIMIT: Duration = Duration::from_secs(5);
/// Time for `drop_job` and `drop_instance`.
const DROP_LIMIT: Duration = Duration::from_secs(1);
/// Maximum bytes of an answer; a frame that uses up every budget of a job is far smaller.
const ANSWER_BYTES_MAX: usize = 32 << 20;

/// One loaded plugin in this process.
pub(crate) struct InProcess {
    plugin: PluginRef,
    resume_limit: Duration,
    calls: Calls,
    next_id: AtomicU64,
    instances: Mutex<HashMap<InstanceId, Arc<InstanceCell>>>,
    jobs: Mutex<HashMap<JobId, Arc<JobCell>>>,
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl InProcess {
    /// A runner that calls `plugin` through `calls`.
    pub(crate) fn new(plugin: PluginRef, resume_limit: Duration, calls: Calls) -> Self {
        Self {
            plugin,
            resume_limit,
            calls,
            next_id: AtomicU64::new(1),
            instances: Mutex::default(),
            jobs: Mutex::default(),
        }
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Runs on the pool's thread.
    fn configure_now(self: &Arc<Self>, settings: &[u8]) -> Result<Configured, RunFailure> {
        let raw = self.plugin.configure()(RSlice::from_slice(settings)).into_result().map_err(settings_failure)?;
        let cell = InstanceCell { plugin: self.plugin, raw };
        let catalogue = answered(self.plugin.catalogue()(&cell.raw), "catalogue")?;
        let id = InstanceId(self.next_id());
        self.instances.lock().insert(id, Arc::new(cell));
        Ok(Configured { instance: InstanceLease::new(Arc::clone(self) as _, id), catalogue })
    }

    /// Runs on the pool's thread.
    fn begin_now(
        self: &Arc<Self>,
        instance: Arc<InstanceCell>,
        start: &[u8],
        frame: &[u8],
        is_last: IsLast,
    ) -> Result<(JobLease, Vec<u8>), RunFailure> {
        let started = self.plugin.start()(&instance.raw, RSlice::from_slice(start)).into_result();
        let raw = started.map_err(start_failure)?;
        let cell = JobCell { raw, instance, busy: AtomicBool::new(false) };
        let answer = cell.resume(frame)?;
        let id = JobId(self.next_id());
        if !is_last(&answer) {
            self.jobs.lock().insert(id, Arc::new(cell));
        }
        Ok((JobLease::new(Arc::clone(self) as _, id), answer))
    }

    fn claim(&self, job: JobId) -> Result<Claim, RunFailure> {
        let table = self.jobs.lock();
        let cell = table.get(&job).ok_or_else(|| RunFailure::Fault("resume of a job that has ended".into()))?;
        Claim::new(cell).ok_or_else(|| RunFailure::Fault("resume of a job that has not returned".into()))
    }
}

impl Runner for InProcess {
    fn configure(self: Arc<Self>, settings: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        Box::pin(async move {
            let this = Arc::clone(&self);
            self.calls.call(CONFIGURE_LIMIT, move || this.configure_now(&settings)).await?
        })
    }

    fn begin(
        self: Arc<Self>,
        instance: InstanceId,
        start: Vec<u8>,
        frame: Vec<u8>,
        is_last: IsLast,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        Box::pin(async move {
            let cell = self.instances.lock().get(&instance).cloned();
            let cell = cell.ok_or_else(|| RunFailure::Fault("start on an instance that has ended".into()))?;
            let this = Arc::clone(&self);
            self.calls.call(self.resume_limit, move || this.begin_now(cell, &start, &frame, is_last)).await?
        })
    }

    fn resume(
        self: Arc<Self>,
        job: JobId,
        frame: Vec<u8>,
        is_last: IsLast,
    ) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        Box::pin(async move {
            let (claim, this) = (self.claim(job)?, Arc::clone(&self));
            let work = move || {
                let answer = claim.0.resume(&frame)?;
                if is_last(&answer) {
                    drop(this.jobs.lock().remove(&job)); // The claim holds the cell.
                }
                Ok(answer)
            };
            self.calls.call(self.resume_limit, work).await?
        })
    }

    fn drop_job(&self, job: JobId) {
        let cell = self.jobs.lock().remove(&job);
        if let Some(cell) = cell {
            self.calls.dispose(DROP_LIMIT, cell);
        }
    }

    fn stuck(&self) -> usize {
        self.calls.stuck()
    }

    fn cpu(&self) -> Duration {
        self.calls.cpu()
    }

    fn drop_instance(&self, instance: InstanceId) {
        let cell = self.instances.lock().remove(&instance);
        if let Some(cell) = cell {
            self.calls.dispose(DROP_LIMIT, cell);
        }
    }
}

/// Owns an instance of the plugin; dropped after the last of its jobs.
struct InstanceCell {
    plugin: PluginRef,
    raw: RawInstance,
}

impl Drop for InstanceCell {
    fn drop(&mut self) {
        self.plugin.drop_instance()(self.raw);
    }
}

/// Owns a job of the plugin and keeps its instance alive.
struct JobCell {
    raw: RawJob,
    instance: Arc<InstanceCell>,
    busy: AtomicBool,
}

impl JobCell {
    fn resume(&self, frame: &[u8]) -> Result<Vec<u8>, RunFailure> {
        let resume = self.instance.plugin.resume();
        answered(resume(RSlice::from_slice(&[self.raw]), RSlice::from_slice(frame)), "resume")
    }
}

impl Drop for JobCell {
    fn drop(&mut self) {
        self.instance.plugin.drop_job()(self.raw);
    }
}

/// Exclusive use of a job by one call.
struct Claim(Arc<JobCell>);

impl Claim {
    fn new(cell: &Arc<JobCell>) -> Option<Self> {
        (!cell.busy.swap(true, Ordering::SeqCst)).then(|| Self(Arc::clone(cell)))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::SeqCst);
    }
}

impl From<CallFailure> for RunFailure {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Timeout => Self::Timeout,
            CallFailure::Stuck => Self::Stuck,
            CallFailure::Panicked => Self::Fault("the call panicked".into()),
            // The process ends, so no caller sees this.
            CallFailure::Ending => Self::Timeout,
        }
    }
}

fn settings_failure(bytes: RVec<u8>) -> RunFailure {
    match decoded::<SettingsError>(bytes, "configure") {
        Ok(error) => RunFailure::Settings(error),
        Err(failure) => failure,
    }
}

fn start_failure(bytes: RVec<u8>) -> RunFailure {
    match decoded::<StartError>(bytes, "start") {
        Ok(error) => RunFailure::Start(error.message),
        Err(failure) => failure,
    }
}

fn decoded<T: for<'b> minicbor::Decode<'b, ()>>(bytes: RVec<u8>, call: &str) -> Result<T, RunFailure> {
    let bytes = answered(bytes, call)?;
    codec::decode(&bytes).map_err(|error| RunFailure::Fault(format!("the error of {call} is not a CBOR map: {error}")))
}

/// Copies an answer, so that the plugin's memory is returned to the plugin at once.
fn answered(bytes: RVec<u8>, call: &str) -> Result<Vec<u8>, RunFailure> {
    match bytes.len() {
        0 => Err(RunFailure::Fault(format!("{call} answered no bytes"))),
        len if len > ANSWER_BYTES_MAX => {
            Err(RunFailure::Fault(format!("{call} answered {len} bytes, at most {ANSWER_BYTES_MAX} are taken")))
        }
        _ => Ok(bytes.to_vec()),
    }
}
