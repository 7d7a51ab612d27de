//! The `Runner` interface: bytes into a plugin, bytes out of it, each call with a deadline.
//!
//! A runner is one loaded plugin: in worker processes ([`workers`]), or in the host's own ([`in_process`]). Invariant:
//! every instance and job that a runner returns is a lease. Its drop ends the instance or job exactly once, also if the
//! caller has gone. A runner does not interpret the bytes.

pub(crate) mod call;
pub(crate) mod in_process;
pub(crate) mod workers;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

pub(crate) use super::run_failure::RunFailure;

/// Identifies an instance of one runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InstanceId(pub(crate) u64);

/// Identifies a job of one runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct JobId(pub(crate) u64);

/// One loaded plugin. The futures are cancel-safe: a call continues without its caller and is still accounted for.
pub(crate) trait Runner: Send + Sync + fmt::Debug {
    /// Takes a CBOR `Settings`; returns an instance and its catalogue.
    fn configure(self: Arc<Self>, settings: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>>;

    /// Takes a CBOR `Start` and the first frame; returns a job and its first answer, in one call.
    /// A job whose answer is its last ends in the same call.
    fn begin(
        self: Arc<Self>,
        instance: InstanceId,
        start: Vec<u8>,
        frame: Vec<u8>,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>>;

    /// Takes a frame and returns the answering frame. A job is in at most one call at a time.
    fn resume(self: Arc<Self>, job: JobId, frame: Vec<u8>) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>>;

    /// Ends a job before its last answer, after a call that it is in. Never waits.
    fn drop_job(&self, job: JobId);

    /// Ends an instance, after its jobs. Never waits.
    fn drop_instance(&self, instance: InstanceId);

    /// Number of calls that exceeded their deadline and have not returned.
    fn stuck(&self) -> usize {
        0
    }

    /// Processor time of the calls that have returned.
    fn cpu(&self) -> Duration {
        Duration::ZERO
    }

    /// Memory of its processes, without pages of files; `None` if it has none of its own, or if it cannot be read.
    fn memory_bytes(&self) -> Option<u64> {
        None
    }
}

/// The result of `configure`.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) instance: InstanceLease,
    /// A CBOR `Catalogue`, unchecked.
    pub(crate) catalogue: Vec<u8>,
}

/// Owns an instance; its drop ends it.
#[derive(Debug)]
pub(crate) struct InstanceLease {
    runner: Arc<dyn Runner>,
    id: InstanceId,
}

impl InstanceLease {
    pub(crate) fn new(runner: Arc<dyn Runner>, id: InstanceId) -> Self {
        Self { runner, id }
    }

    pub(crate) fn runner(&self) -> &Arc<dyn Runner> {
        &self.runner
    }

    pub(crate) fn id(&self) -> InstanceId {
        self.id
    }
}

impl Drop for InstanceLease {
    fn drop(&mut self) {
        self.runner.drop_instance(self.id);
    }
}

/// Owns a job; its drop ends it.
#[derive(Debug)]
pub(crate) struct JobLease {
    runner: Arc<dyn Runner>,
    id: JobId,
}

impl JobLease {
    pub(crate) fn new(runner: Arc<dyn Runner>, id: JobId) -> Self {
        Self { runner, id }
    }

    pub(crate) fn id(&self) -> JobId {
        self.id
    }
}

impl Drop for JobLease {
    fn drop(&mut self) {
        self.runner.drop_job(self.id);
    }
}
