//! File events as hints: any event in the plugins folder only means "scan again".
//!
//! Invariant: nothing depends on a hint. Events miss a changed target of a symbolic link and cease when the folder is
//! recreated; the timer's scans find these changes.

use std::io;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use crate::files::scan::FolderIdentity;

/// A watch of one folder; it ends when it is dropped.
#[derive(Debug)]
pub struct FolderWatch(#[expect(dead_code, reason = "it watches until it is dropped")] RecommendedWatcher);

impl FolderWatch {
    /// Watches a folder; any change in it puts a hint into the channel, unless one is there already.
    ///
    /// # Errors
    /// The folder is not there, or the system refuses a watch.
    pub fn start(folder: &Path, hint: mpsc::Sender<()>) -> io::Result<Self> {
        watch(folder, hint).map(Self).map_err(io::Error::other)
    }
}

/// Watches a folder by its path, also after it was recreated.
#[derive(Debug)]
pub(crate) struct Watch {
    folder: PathBuf,
    hint: mpsc::Sender<()>,
    /// The watched folder, and its watcher; `None` if the system refused one.
    current: Option<(FolderIdentity, Option<FolderWatch>)>,
}

impl Watch {
    /// Creates a watch that starts with the first [`Watch::follow`], and the receiver of its hints.
    pub(crate) fn new(folder: PathBuf) -> (Self, mpsc::Receiver<()>) {
        // One hint says as much as many.
        let (hint, hints) = mpsc::channel(1);
        (Self { folder, hint, current: None }, hints)
    }

    /// Watches the folder that a scan has just found; starts anew if it is another folder than before.
    pub(crate) fn follow(&mut self, identity: FolderIdentity) {
        if self.current.as_ref().is_some_and(|(watched, _)| *watched == identity) {
            return;
        }
        let watcher = FolderWatch::start(&self.folder, self.hint.clone());
        if let Err(error) = &watcher {
            tracing::warn!(%error, "no file events for the plugins folder, changes are found by the timer alone");
        }
        self.current = Some((identity, watcher.ok()));
    }
}

fn watch(folder: &Path, hint: mpsc::Sender<()>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| is_change(event.kind)) {
            // A full channel holds a hint already.
            let _ = hint.try_send(());
        }
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Returns true for events that change files; the registry's own reads open and close files too.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn identity(folder: &Path) -> FolderIdentity {
        FolderIdentity::of(&std::fs::metadata(folder).unwrap())
    }

    #[tokio::test]
    async fn a_dropped_file_gives_a_hint_also_after_the_folder_was_made_anew() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("plugins");
        let (mut watch, mut hints) = Watch::new(folder.clone());
        for _ in 0..2 {
            std::fs::create_dir(&folder).unwrap();
            watch.follow(identity(&folder));
            while hints.try_recv().is_ok() {}
            std::fs::write(folder.join("a.so"), "1").unwrap();
            timeout(LONG, hints.recv()).await.expect("a hint comes");
            std::fs::rename(&folder, parent.path().join("old")).unwrap();
            std::fs::remove_dir_all(parent.path().join("old")).unwrap();
        }
    }

    #[test]
    fn reading_is_no_change() {
        assert!(!is_change(EventKind::Access(AccessKind::Open(AccessMode::Any))));
        assert!(!is_change(EventKind::Access(AccessKind::Close(AccessMode::Read))));
        assert!(is_change(EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(is_change(EventKind::Any));
    }
}
