//! The worker's side: the hidden subcommand `worker`, with requests on standard input and replies on standard output.
//!
//! It answers one request at a time, in the order in which they come, on its only thread.
#![expect(unsafe_code, reason = "descriptors that nobody here owns are closed by number")]

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use portolan_abi::root::PluginRef;
use rustix::stdio::dup2_stdout;

use super::message::{self, BODY_BYTES_MAX, HEAD_BYTES, Head, request};
use super::sandbox::{self, Restrictions};
use crate::files::manifest::Manifest;
use crate::load::cells::{InstanceCell, JobCell, is_last};
use crate::load::dylib;
use crate::load::probe;
use crate::load::run_failure::RunFailure;

/// Bytes of the host that are read at once: most requests are one read.
const READ_BYTES: usize = 64 << 10;

/// The first descriptor after those of the standard streams.
const FIRST_DESCRIPTOR: libc::c_uint = 3;

/// Answers requests until the host closes its pipe.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads a message: the host sees that the pipe is closed.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Closes descriptors that the host was started with and passed on unknowingly.
fn close_inherited() -> io::Result<()> {
    // SAFETY: nothing has been opened yet, so nobody owns a descriptor above those of the standard streams.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, FIRST_DESCRIPTOR, libc::c_uint::MAX, 0) };
    if closed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn serve() -> io::Result<()> {
    close_inherited()?;
    let requests = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut writer = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // What the plugin prints is no reply.
    dup2_stdout(io::stderr())?;
    let mut reader = BufReader::with_capacity(READ_BYTES, requests);
    let mut worker = Worker::default();
    while let Some((head, body)) = next_request(&mut reader)? {
        let (kind, body) = message::outcome(worker.answer(head, body));
        writer.write_all(&message::message(kind, head.id, &[&body]).map_err(io::Error::other)?)?;
    }
    Ok(())
}

fn next_request(reader: &mut impl Read) -> io::Result<Option<(Head, Vec<u8>)>> {
    let mut head = [0; HEAD_BYTES];
    match reader.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let head = Head::parse(head, BODY_BYTES_MAX).map_err(io::Error::other)?;
    let mut body = vec![0; head.len];
    reader.read_exact(&mut body)?;
    Ok(Some((head, body)))
}

/// What a worker has loaded and runs.
#[derive(Default)]
struct Worker {
    file: PathBuf,
    /// True if the first filter of system calls is in force, and the second one has to be.
    is_filtered: bool,
    plugin: Option<PluginRef>,
    // Dropped before the instances.
    jobs: HashMap<u64, JobCell>,
    instances: HashMap<u64, Arc<InstanceCell>>,
}

impl Worker {
    fn answer(&mut self, head: Head, body: Vec<u8>) -> Result<Vec<u8>, RunFailure> {
        let id = head.id;
        match head.kind {
            request::RESTRICT => self.restrict(&body),
            request::OPEN => self.open(&body),
            request::PROBE => probe::check(self.plugin()?).map(|()| Vec::new()).map_err(RunFailure::Fault),
            request::CONFIGURE => {
                let (instance, catalogue) = InstanceCell::configure(self.plugin()?, &body)?;
                self.instances.insert(id, instance);
                Ok(catalogue)
            }
            request::BEGIN => {
                let (instance, start, frame) = message::parse_begin(&body).map_err(fault)?;
                let instance = self.instances.get(&instance).ok_or_else(|| fault("no such instance"))?;
                let (job, answer) = instance.begin(start, frame)?;
                if !is_last(&answer) {
                    self.jobs.insert(id, job);
                }
                Ok(answer)
            }
            request::RESUME => {
                let answer = self.jobs.get(&id).ok_or_else(|| fault("no such job"))?.resume(&body)?;
                if is_last(&answer) {
                    self.jobs.remove(&id);
                }
                Ok(answer)
            }
            request::DROP_JOB => {
                self.jobs.remove(&id);
                Ok(Vec::new())
            }
            request::DROP_INSTANCE => {
                self.instances.remove(&id);
                Ok(Vec::new())
            }
            _ => Err(fault("no such request")),
        }
    }

    fn restrict(&mut self, body: &[u8]) -> Result<Vec<u8>, RunFailure> {
        let restrictions: Restrictions = serde_json::from_slice(body).map_err(fault)?;
        let status = sandbox::restrict(&restrictions).map_err(fault)?;
        (self.file, self.is_filtered) = (restrictions.file, status.seccomp);
        serde_json::to_vec(&status).map_err(fault)
    }

    fn open(&mut self, body: &[u8]) -> Result<Vec<u8>, RunFailure> {
        let manifest = std::str::from_utf8(body).map_err(fault)?;
        let manifest = Manifest::parse(manifest).map_err(fault)?;
        let opened = dylib::open(&self.file, &manifest).map_err(fault);
        // Also where it failed: its constructors may have run.
        if self.is_filtered {
            sandbox::restrict_to_running().map_err(fault)?;
        }
        self.plugin = Some(opened?);
        Ok(Vec::new())
    }

    fn plugin(&self) -> Result<PluginRef, RunFailure> {
        self.plugin.ok_or_else(|| fault("no plugin is loaded"))
    }
}

fn fault(reason: impl std::fmt::Display) -> RunFailure {
    RunFailure::Fault(reason.to_string())
}
