//! Starts and ends worker processes, on one thread that lives as long as the host: a worker dies with the thread that
//! started it.
#![expect(unsafe_code, reason = "the clock of another process is behind the C library alone")]

use std::fs;
use std::io::{self, PipeReader, PipeWriter};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::oneshot;

/// Hands work to the thread that starts workers.
#[derive(Clone, Debug)]
pub(crate) struct Spawner(mpsc::Sender<SpawnerTask>);

enum SpawnerTask {
    Start { requests: PipeReader, replies: PipeWriter, started: oneshot::Sender<io::Result<Child>> },
    End { child: Child, ended: oneshot::Sender<io::Result<ExitStatus>> },
}

impl Spawner {
    /// Starts the thread, which ends with the last clone of the spawner, and its workers with it.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, jobs) = mpsc::channel();
        thread::Builder::new().name("workers".into()).spawn(move || run(&jobs))?;
        Ok(Self(sender))
    }

    /// Starts a worker, and returns it with the host's ends of its pipes: for its replies, and for requests. Pipes cost
    /// half of what a socket costs: reading from a socket wakes who waits on its other end.
    pub(crate) async fn spawn(&self) -> io::Result<(Process, Receiver, Sender)> {
        let ((requests, own_requests), (own_replies, replies)) = (io::pipe()?, io::pipe()?);
        let own_replies = Receiver::from_owned_fd(own_replies.into())?;
        let own_requests = Sender::from_owned_fd(own_requests.into())?;
        let (started, outcome) = oneshot::channel();
        self.send(SpawnerTask::Start { requests, replies, started })?;
        let child = outcome.await.map_err(|_| ended())??;
        let clock = clock(&child);
        Ok((Process { child: Some(child), clock, spawner: self.clone() }, own_replies, own_requests))
    }

    fn send(&self, job: SpawnerTask) -> io::Result<()> {
        self.0.send(job).map_err(|_| ended())
    }
}

fn ended() -> io::Error {
    io::Error::other("the thread that starts workers has ended")
}

fn run(jobs: &mpsc::Receiver<SpawnerTask>) {
    while let Ok(job) = jobs.recv() {
        match job {
            SpawnerTask::Start { requests, replies, started } => {
                if let Err(Ok(mut child)) = started.send(start(requests, replies)) {
                    let _ = child.kill();
                    let _ = child.wait();
                }
            }
            SpawnerTask::End { mut child, ended } => {
                // One that has ended keeps the status that it ended with.
                let status = child.kill().and_then(|()| child.wait());
                let _ = ended.send(status);
            }
        }
    }
}

fn start(requests: PipeReader, replies: PipeWriter) -> io::Result<Child> {
    // The running executable, even if its file was replaced.
    let mut command = Command::new(PathBuf::from("/proc/self/exe"));
    command.arg("worker").env_clear().stdin(requests).stdout(replies).stderr(Stdio::null()).spawn()
}

/// A worker process. Its drop ends it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Option<Child>,
    /// The clock of its processor time.
    clock: Option<libc::clockid_t>,
    spawner: Spawner,
}

fn clock(child: &Child) -> Option<libc::clockid_t> {
    let (id, mut clock) = (libc::pid_t::try_from(child.id()).ok()?, 0);
    // SAFETY: it writes to the clock alone.
    (unsafe { libc::clock_getcpuclockid(id, &mut clock) } == 0).then_some(clock)
}

impl Process {
    /// One that has ended before.
    #[cfg(test)]
    pub(super) fn ended(spawner: Spawner) -> Self {
        Self { child: None, clock: None, spawner }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().map(Child::id).unwrap_or_default()
    }

    /// Processor time of the process so far; zero if it cannot be read.
    pub(crate) fn cpu(&self) -> Duration {
        let Some(clock) = self.clock.filter(|_| self.child.is_some()) else { return Duration::ZERO };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: it writes to the time alone. The process is not reaped before this value is dropped, so that the clock
        // is its own.
        let is_read = unsafe { libc::clock_gettime(clock, &mut time) == 0 };
        let part = |part: i64| u64::try_from(part).unwrap_or_default();
        if is_read {
            Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
        } else {
            Duration::ZERO
        }
    }

    /// Returns true if the process computes, or waits for the processor or a page, or if that cannot be read; false if
    /// it waits for anything else.
    pub(crate) fn is_runnable(&self) -> bool {
        let id = self.id();
        // Hidden where `/proc` shows only the processes that its reader may trace.
        let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat")) else { return true };
        // The name, in parentheses, may contain any character.
        stat.rsplit(") ").next().is_some_and(|fields| fields.starts_with(['R', 'D']))
    }

    /// Kills the process unless it has ended, and returns the status that it ended with.
    pub(crate) async fn end(mut self) -> io::Result<ExitStatus> {
        let child = self.child.take().ok_or_else(ended)?;
        let (sender, status) = oneshot::channel();
        self.spawner.send(SpawnerTask::End { child, ended: sender })?;
        status.await.map_err(|_| ended())?
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            // Without the thread the worker has ended, too.
            let _ = self.spawner.send(SpawnerTask::End { child, ended: oneshot::channel().0 });
        }
    }
}
