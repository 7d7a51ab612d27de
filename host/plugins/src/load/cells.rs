//! The calls into a loaded dylib, and the instances and jobs that they return.
//!
//! Invariant: a job is dropped before its instance, each exactly once: a job's cell holds its instance's. Every call
//! blocks until the plugin returns.

use std::sync::Arc;

use abi_stable::std_types::{RSlice, RVec};
use portolan_abi::codec;
use portolan_abi::frame::{Frame, resume_out};
use portolan_abi::map::{SettingsError, StartError};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};
use portolan_abi::row::{JobOut, state};

use super::run_failure::RunFailure;

/// Maximum bytes of an answer; a frame that uses up every budget of a job is far smaller.
pub(crate) const ANSWER_BYTES_MAX: usize = 32 << 20;

/// Owns an instance of the plugin; dropped after the last of its jobs.
pub(crate) struct InstanceCell {
    plugin: PluginRef,
    raw: RawInstance,
}

/// Owns a job of the plugin and keeps its instance alive.
pub(crate) struct JobCell {
    raw: RawJob,
    instance: Arc<InstanceCell>,
}

impl InstanceCell {
    /// Takes a CBOR `Settings`; returns an instance and its catalogue.
    pub(crate) fn configure(plugin: PluginRef, settings: &[u8]) -> Result<(Arc<Self>, Vec<u8>), RunFailure> {
        let raw = plugin.configure()(RSlice::from_slice(settings)).into_result().map_err(settings_failure)?;
        let cell = Self { plugin, raw };
        let catalogue = answered(plugin.catalogue()(&cell.raw), "catalogue")?;
        Ok((Arc::new(cell), catalogue))
    }

    /// Takes a CBOR `Start` and the first frame; returns a job and its first answer.
    pub(crate) fn begin(self: &Arc<Self>, start: &[u8], frame: &[u8]) -> Result<(JobCell, Vec<u8>), RunFailure> {
        let started = self.plugin.start()(&self.raw, RSlice::from_slice(start)).into_result();
        let job = JobCell { raw: started.map_err(start_failure)?, instance: Arc::clone(self) };
        let answer = job.resume(frame)?;
        Ok((job, answer))
    }
}

impl Drop for InstanceCell {
    fn drop(&mut self) {
        self.plugin.drop_instance()(self.raw);
    }
}

impl JobCell {
    /// Takes a frame and returns the answering frame.
    pub(crate) fn resume(&self, frame: &[u8]) -> Result<Vec<u8>, RunFailure> {
        let resume = self.instance.plugin.resume();
        answered(resume(RSlice::from_slice(&[self.raw]), RSlice::from_slice(frame)), "resume")
    }
}

impl Drop for JobCell {
    fn drop(&mut self) {
        self.instance.plugin.drop_job()(self.raw);
    }
}

/// Returns true if an answer of a job ends it. An invalid answer does too.
pub fn is_last(answer: &[u8]) -> bool {
    let state = Frame::parse(answer).ok().and_then(|frame| Some(frame.rows::<JobOut>(resume_out::JOBS).next()?.state));
    state != Some(state::READING)
}

fn settings_failure(bytes: RVec<u8>) -> RunFailure {
    decoded::<SettingsError>(bytes, "configure").map_or_else(|failure| failure, RunFailure::Settings)
}

fn start_failure(bytes: RVec<u8>) -> RunFailure {
    decoded::<StartError>(bytes, "start").map_or_else(|failure| failure, |error| RunFailure::Start(error.message))
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
