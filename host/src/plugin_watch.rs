//! `--watch`: tries a plugin again at each new build of its file, until SIGINT or SIGTERM.
//!
//! Invariant: answers go to stdout, all else to stderr; a file that is still being written is not reported.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portolan_base::rfc3339;
use portolan_plugins::FolderWatch;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::cli::PluginFile;
use crate::lone_gateway::LoneGatewayError;
use crate::lone_plugin::{LonePluginError, files};

/// Time without a change after which files count as written.
const QUIET: Duration = Duration::from_millis(300);
/// Time that a refused file has to change further; a linker may pause while it writes.
const GRACE: Duration = Duration::from_secs(2);
/// File events miss changes behind symbolic links; looking by the clock finds these.
const LOOK: Duration = Duration::from_secs(1);

/// Tries the plugin at each build, and prints what comes of it; returns true if the last try was sound.
///
/// # Errors
/// The configuration is wrong, or the folders cannot be watched. A build that is refused is no error here.
pub(crate) async fn run(
    of: &PluginFile,
    try_once: impl AsyncFn() -> Result<(String, bool), LonePluginError>,
) -> Result<bool, LonePluginError> {
    let stop = |kind| signal(kind).map_err(|error| LonePluginError::File("signals".into(), error));
    let (mut interrupt, mut terminate) = (stop(SignalKind::interrupt())?, stop(SignalKind::terminate())?);
    let was_sound = Cell::new(false);
    let mut builds = Builds::watch(of)?;
    let trying = async {
        loop {
            builds.settle().await;
            let tried = try_once().await;
            match tried {
                Ok((text, is_sound)) => {
                    was_sound.set(is_sound);
                    builds.say("");
                    // Nobody reads the error of a closed output.
                    let _ = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
                }
                Err(error @ LonePluginError::Gateway(LoneGatewayError::Config(_))) => return error,
                Err(error) => {
                    was_sound.set(false);
                    if builds.change_within(GRACE).await {
                        continue;
                    }
                    builds.say(&format!(": {error}; waiting for the next build"));
                }
            }
            while !builds.change_within(LOOK).await {}
        }
    };
    tokio::select! {
        error = trying => Err(error),
        _ = interrupt.recv() => Ok(was_sound.get()),
        _ = terminate.recv() => Ok(was_sound.get()),
    }
}

/// The builds of a plugin's file, and its settings.
struct Builds<'a> {
    of: &'a PluginFile,
    hints: mpsc::Receiver<()>,
    _watches: Vec<FolderWatch>,
    /// The files as they were when they last settled.
    settled: Option<FileStates>,
}

/// What tells a file from its next version, for each file; `None` for a file that is not there.
type FileStates = Vec<(PathBuf, Option<(u64, u64, i64, i64)>)>;

impl<'a> Builds<'a> {
    fn watch(of: &'a PluginFile) -> Result<Self, LonePluginError> {
        let (hint, hints) = mpsc::channel(1);
        let folder = |file: &PathBuf| {
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            parent.unwrap_or(Path::new(".")).to_owned()
        };
        let folders: BTreeSet<PathBuf> = files(of).iter().map(folder).collect();
        let watch = |folder: PathBuf| {
            let watched = FolderWatch::start(&folder, hint.clone());
            watched.map_err(|error| LonePluginError::File(folder.display().to_string(), error))
        };
        let watches = folders.into_iter().map(watch).collect::<Result<_, _>>()?;
        Ok(Self { of, hints, _watches: watches, settled: None })
    }

    fn now(&self) -> FileStates {
        let state = |path: PathBuf| {
            let found = fs::metadata(&path).ok();
            let state = found.map(|found| (found.ino(), found.len(), found.mtime(), found.mtime_nsec()));
            (path, state)
        };
        files(self.of).into_iter().map(state).collect()
    }

    /// Waits until the dylib is there and no file has changed for a while.
    async fn settle(&mut self) {
        let mut is_waiting = false;
        loop {
            let before = self.now();
            while timeout(QUIET, self.hints.recv()).await.is_ok() {}
            let is_there = before.first().is_some_and(|(_, state)| state.is_some());
            if is_there && self.now() == before {
                self.settled = Some(before);
                return;
            }
            if !is_there && !is_waiting {
                self.say(" is not there; waiting for it");
                is_waiting = true;
            }
        }
    }

    /// Returns true as soon as a file changes, and false if none does within this time.
    async fn change_within(&mut self, time: Duration) -> bool {
        let is_changed = |builds: &Self| builds.settled.as_ref() != Some(&builds.now());
        let until = tokio::time::Instant::now() + time;
        while !is_changed(self) {
            if tokio::time::timeout_at(until, self.hints.recv()).await.is_err() {
                return is_changed(self);
            }
        }
        true
    }

    /// Prints a line with the time.
    fn say(&self, words: &str) {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let line = format!("{} {}{words}\n", rfc3339::of_unix_s(seconds), self.of.file.display());
        let _ = io::stderr().write_all(line.as_bytes());
    }
}
