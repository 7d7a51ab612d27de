//! Runs a plugin in the host's process, by calling the dylib's functions on the blocking pool.
//!
//! Invariant: a job is dropped before its instance, each exactly once, and neither during a call: a call holds the
//! cells that it uses, and a job's cell holds its instance's. The host does not survive a plugin that ends the
//! process.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::root::PluginRef;

use super::call::{CallFailure, Calls};
use super::{Configured, InstanceId, InstanceLease, JobId, JobLease, RunFailure, Runner};
use crate::load::cells::{InstanceCell, JobCell, is_last};

/// Time for `configure` and `catalogue` together. They parse tables and read nothing, which takes milliseconds; the
/// rest is for a machine under load, because each attempt that exceeds it may leave a thread stuck.
const CONFIGURE_LIMIT: Duration = Duration::from_secs(5);
/// Time for `drop_job` and `drop_instance`.
const DROP_LIMIT: Duration = Duration::from_secs(1);

/// One loaded plugin in this process.
pub(crate) struct InProcess {
    plugin: PluginRef,
    resume_limit: Duration,
    calls: Calls,
    next_id: AtomicU64,
    instances: Mutex<HashMap<InstanceId, Arc<InstanceCell>>>,
    jobs: Mutex<HashMap<JobId, Arc<JobEntry>>>,
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
        let (cell, catalogue) = InstanceCell::configure(self.plugin, settings)?;
        let id = InstanceId(self.next_id());
        self.instances.lock().insert(id, cell);
        Ok(Configured { instance: InstanceLease::new(Arc::clone(self) as _, id), catalogue })
    }

    /// Runs on the pool's thread.
    fn begin_now(
        self: &Arc<Self>,
        instance: &Arc<InstanceCell>,
        start: &[u8],
        frame: &[u8],
    ) -> Result<(JobLease, Vec<u8>), RunFailure> {
        let (cell, answer) = instance.begin(start, frame)?;
        let id = JobId(self.next_id());
        if !is_last(&answer) {
            self.jobs.lock().insert(id, Arc::new(JobEntry { cell, busy: AtomicBool::new(false) }));
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
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        Box::pin(async move {
            let cell = self.instances.lock().get(&instance).cloned();
            let cell = cell.ok_or_else(|| RunFailure::Fault("start on an instance that has ended".into()))?;
            let this = Arc::clone(&self);
            self.calls.call(self.resume_limit, move || this.begin_now(&cell, &start, &frame)).await?
        })
    }

    fn resume(self: Arc<Self>, job: JobId, frame: Vec<u8>) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        Box::pin(async move {
            let (claim, this) = (self.claim(job)?, Arc::clone(&self));
            let work = move || {
                let answer = claim.0.cell.resume(&frame)?;
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

/// A job, and its use by one call at a time.
struct JobEntry {
    cell: JobCell,
    busy: AtomicBool,
}

/// Exclusive use of a job by one call.
struct Claim(Arc<JobEntry>);

impl Claim {
    fn new(job: &Arc<JobEntry>) -> Option<Self> {
        (!job.busy.swap(true, Ordering::SeqCst)).then(|| Self(Arc::clone(job)))
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
