//! Attributes a crash of the process to plugins, by marks that outlive it.
//!
//! While a plugin's code runs, between [`Mark::enter`] and the drop of its guard, the plugin's line of the file
//! `running` begins with `!`. This costs two writes of one byte, about a microsecond. If the process ends by a fatal
//! signal or an exit on the plugin's own thread, the line begins with `X`, and the next start turns it into a line of
//! `crashes`.
//!
//! Invariant: a digest that ended two processes within a day is not loaded until its lines are removed. After one
//! crash the suspects run one at a time. A kill from outside counts against no plugin; those that were running are
//! logged.

mod attribution;
mod fatal;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use parking_lot::{Mutex, RwLock};
use portolan_base::files::{self, TrustedOwners};
use tokio::sync::{Semaphore, SemaphorePermit};

use self::attribution::Crash;
use crate::files::manifest::Manifest;
use crate::files::staging::Digest;

const RUNNING: &str = "running";
const CRASHES: &str = "crashes";
/// Mark, digest, and the longest name and version; the rest of a line is blank.
const LINE_BYTES: usize = 200;
const RUNS: u8 = b'!';
const RESTS: u8 = b' ';
/// A larger file has something else in it: a thousand libraries fit.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Each blamed plugin takes two lines.
const LINES_MAX: usize = 200;
/// Changes with each boot of the machine; marks of an earlier boot count for nothing.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The marks of this process, and the record of earlier crashes.
#[derive(Clone, Debug)]
pub(crate) struct Crashes {
    marks: Arc<Marks>,
    record: PathBuf,
    writers: TrustedOwners,
    suspects: Arc<BTreeSet<String>>,
}

#[derive(Debug)]
struct Marks {
    /// `None` once the process shuts down normally.
    file: RwLock<Option<File>>,
    /// Number of lines allotted in `file`, the boot id included.
    lines: AtomicU64,
    /// Permit to run as a suspect; one at a time.
    alone: Semaphore,
}

impl Crashes {
    /// Records the crash of an earlier process, if its marks show one, and begins the marks of this process.
    ///
    /// # Errors
    /// The old marks or the record of crashes cannot be read, or the old marks cannot be removed.
    pub(crate) fn open(state_dir: &Path, writers: TrustedOwners) -> io::Result<Self> {
        let (running, record) = (state_dir.join(RUNNING), state_dir.join(CRASHES));
        let boot_id = fs::read_to_string(BOOT_ID).unwrap_or_default();
        let now = SystemTime::now();
        let LeftBehind { ended_it, were_running } = left_behind(&running, boot_id.trim(), writers)?;
        if !ended_it.is_empty() {
            let crash = Crash { at: now, plugins: ended_it };
            tracing::error!(plugins = crash.labels(), "the process before this one ended in the code of these plugins");
            if let Err(error) = append(&record, &crash, writers) {
                tracing::error!(%error, "cannot record that crash");
            }
        } else if !were_running.is_empty() {
            let plugins = Crash { at: now, plugins: were_running }.labels();
            tracing::error!(
                plugins,
                "the process before this one was killed from outside while these plugins were running: by an operator or \
                 for memory, or by a thread that none of them waits for; none of them is accused"
            );
        }
        let file = begin(&running, boot_id.trim()).inspect_err(|error| {
            tracing::error!(%error, "cannot mark plugins that run: a crash of this process will name none");
        });
        fatal::watch(file.as_ref().ok().and_then(|file| file.try_clone().ok()));
        let suspects = attribution::attribute(&read(&record, writers)?, now).suspects;
        let marks = Marks { file: RwLock::new(file.ok()), lines: AtomicU64::new(1), alone: Semaphore::new(1) };
        Ok(Self { marks: Arc::new(marks), record, writers, suspects: Arc::new(suspects) })
    }

    /// Reason why a digest is not loaded. The record is read on each call, so that removing a line needs no restart.
    pub(crate) fn refusal(&self, digest: Digest) -> Option<String> {
        let crashes = match read(&self.record, self.writers) {
            Ok(crashes) => crashes,
            Err(error) => {
                tracing::warn!(%error, "cannot read which plugins crashed");
                return None;
            }
        };
        let blamed = attribution::attribute(&crashes, SystemTime::now()).blamed;
        let at = blamed.get(&digest.to_string())?;
        let record = self.record.display();
        Some(format!(
            "the process ended in its code, at {at}: replace it, or remove its lines from {record} and touch the file"
        ))
    }

    /// Removes builds from the recorded crashes, and returns how many of them were in any.
    ///
    /// # Errors
    /// The record is unchanged.
    pub(crate) fn release(&self, digests: &[Digest]) -> io::Result<usize> {
        let mut crashes = read(&self.record, self.writers)?;
        let names: BTreeSet<String> = digests.iter().map(ToString::to_string).collect();
        let named = crashes.iter().flat_map(|crash| crash.plugins.keys()).filter(|digest| names.contains(*digest));
        let count = named.collect::<BTreeSet<_>>().len();
        if count == 0 {
            return Ok(0);
        }
        crashes.iter_mut().for_each(|crash| crash.plugins.retain(|digest, _| !names.contains(digest)));
        crashes.retain(|crash| !crash.plugins.is_empty());
        let lines: String = crashes.iter().map(|crash| format!("{crash}\n")).collect();
        files::replace(&self.record, lines.as_bytes())?;
        Ok(count)
    }

    /// Creates the mark of a library that is about to be loaded.
    pub(crate) fn mark(&self, digest: Digest, manifest: &Manifest) -> Arc<Mark> {
        let label = manifest.label();
        let at = self.marks.lines.fetch_add(1, Ordering::Relaxed) * u64::try_from(LINE_BYTES).unwrap_or_default();
        let digest = digest.to_string();
        let is_suspect = self.suspects.contains(&digest);
        let text = line(&format!(" {digest} {label}"));
        let mark = Mark { label, at, is_suspect, calls: Mutex::new(0), marks: Arc::clone(&self.marks) };
        mark.write(&text);
        Arc::new(mark)
    }

    /// Ends the marking at a normal shutdown: code that still runs is not a crash.
    pub(crate) fn close(&self) {
        fatal::unwatch();
        let file = self.marks.file.write().take();
        if let Some(Err(error)) = file.map(|file| file.set_len(0)) {
            tracing::warn!(%error, "cannot remove the marks of running plugins");
        }
    }
}

/// The line of one library in `running`.
#[derive(Debug)]
pub(crate) struct Mark {
    /// `name@version`.
    pub(crate) label: String,
    at: u64,
    is_suspect: bool,
    calls: Mutex<usize>,
    marks: Arc<Marks>,
}

impl Mark {
    /// Marks the library as running on this thread while the guard lives. The caller must hold [`Mark::turn`].
    pub(crate) fn enter(self: &Arc<Self>) -> Running {
        let mut calls = self.calls.lock();
        *calls += 1;
        if *calls == 1 {
            self.write(&[RUNS]);
        }
        drop(calls);
        Running { mark: Arc::clone(self), outer: fatal::enter(Some(self.at)) }
    }

    /// Waits until this plugin may run if it is a suspect; returns `None` at once if it is not.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        if self.is_suspect { self.marks.alone.acquire().await.ok() } else { None }
    }

    /// Records that the process ends by this library, whatever thread ends it.
    pub(crate) fn accuse(&self) {
        self.write(&[fatal::ENDED]);
    }

    fn write(&self, bytes: &[u8]) {
        let written = self.marks.file.read().as_ref().map(|file| file.write_all_at(bytes, self.at));
        if let Some(Err(error)) = written {
            tracing::debug!(%error, plugin = self.label, "cannot mark a plugin that runs");
        }
    }
}

/// While it lives, the plugin's code may be running on this thread.
#[derive(Debug)]
pub(crate) struct Running {
    mark: Arc<Mark>,
    /// The line of the plugin that ran on this thread before.
    outer: Option<u64>,
}

impl Drop for Running {
    fn drop(&mut self) {
        fatal::enter(self.outer);
        let mut calls = self.mark.calls.lock();
        *calls = calls.saturating_sub(1);
        if *calls == 0 {
            self.mark.write(&[RESTS]);
        }
    }
}

fn line(text: &str) -> [u8; LINE_BYTES] {
    let mut line = [b' '; LINE_BYTES];
    line.iter_mut().zip(text.bytes().take(LINE_BYTES - 1)).for_each(|(place, byte)| *place = byte);
    line[LINE_BYTES - 1] = b'\n';
    line
}

/// Plugins that an earlier process left marks of: label by digest.
#[derive(Debug, Default)]
struct LeftBehind {
    /// Plugins in whose code the process ended.
    ended_it: BTreeMap<String, String>,
    /// Other plugins whose code was running.
    were_running: BTreeMap<String, String>,
}

/// Reads and removes the marks of an earlier process on the same boot of the machine.
fn left_behind(running: &Path, boot_id: &str, writers: TrustedOwners) -> io::Result<LeftBehind> {
    let text = match files::open(running, writers) {
        Ok((file, _)) if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) => String::new(),
        _ => files::read_state(running, FILE_BYTES_MAX, writers)?.unwrap_or_default(),
    };
    let mut lines = text.lines().map(str::trim);
    let is_of_this_boot = lines.next() == Some(boot_id);
    let marked = |mark: u8| {
        let plugins = lines.clone().filter_map(move |line| line.strip_prefix(char::from(mark))?.trim().split_once(' '));
        plugins.filter(|_| is_of_this_boot).map(|(digest, label)| (digest.to_owned(), label.to_owned())).collect()
    };
    let left = LeftBehind { ended_it: marked(fatal::ENDED), were_running: marked(RUNS) };
    fs::remove_file(running).or_else(missing_is_fine)?;
    Ok(left)
}

/// Creates the file of this process's marks.
fn begin(running: &Path, boot_id: &str) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(running)?;
    // Another process that starts meanwhile sees the lock, and does not take these marks for a crash. Some file
    // systems have no locks; there two processes must not share the folder.
    let _ = file.try_lock();
    file.write_all_at(&line(boot_id), 0)?;
    Ok(file)
}

fn append(record: &Path, crash: &Crash, writers: TrustedOwners) -> io::Result<()> {
    let text = files::read_state(record, FILE_BYTES_MAX, writers)?.unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().collect();
    let line = crash.to_string();
    lines.push(&line);
    let newest = lines.split_off(lines.len().saturating_sub(LINES_MAX));
    files::replace(record, (newest.join("\n") + "\n").as_bytes())
}

fn read(record: &Path, writers: TrustedOwners) -> io::Result<Vec<Crash>> {
    // A malformed line, edited by an operator, is skipped.
    let text = files::read_state(record, FILE_BYTES_MAX, writers)?.unwrap_or_default();
    Ok(text.lines().filter_map(Crash::parse).collect())
}

fn missing_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests;
