//! The task that keeps the registry: looks, examinations and builds run beside it, and it alone changes what is.
//!
//! Invariant: it never waits for any one of them, so that a file that hangs holds up nothing but itself. The one
//! exception is the first scan, whose outcome does not depend on which file was loaded faster.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use super::examine::{Examined, Examiner};
use super::instance::{self, BuildError, Built, Recipe};
use super::library::Libraries;
use super::scan::{self, Look, Looks, Stamp};
use super::slots::{Attempt, Slots, Wanted};
use super::stage::Stage;
use super::watch::Watch;
use super::{Current, Published};
use crate::network::Networks;
use crate::registry::limits::PluginLimits;

/// Looks without any hint: with the second look, staging and probing, a change is in force within two seconds.
const RESCAN: Duration = Duration::from_millis(500);
/// Between the two looks that must agree.
const SETTLE: Duration = Duration::from_millis(150);
/// Between any two looks, however many hints come.
const SPACING: Duration = Duration::from_millis(50);
/// How long the plugins of a folder that has vanished are served: a mount that is swapped is back sooner.
const VANISHED_GRACE: Duration = Duration::from_secs(30);

/// Keeps the registry of one folder.
#[derive(Debug)]
pub(crate) struct Keeper {
    folder: PathBuf,
    networks: Networks,
    examiner: Arc<Examiner>,
    published: Arc<Published>,
    looks: Looks,
    slots: Slots,
    watch: Watch,
    hints: mpsc::Receiver<()>,
    tasks: JoinSet<Done>,
    is_looking: bool,
    /// Examinations and builds under way.
    busy: usize,
    /// Builds that the first scan holds back until all are done.
    held: Vec<(PathBuf, String, Attempt, Result<Built, BuildError>)>,
    vanished_at: Option<Instant>,
    trouble: Option<String>,
}

/// What a task beside the keeper gave.
#[derive(Debug)]
enum Done {
    Looked(io::Result<Look>),
    Examined(PathBuf, Examined),
    Built { file: PathBuf, plugin: String, attempt: Attempt, outcome: Result<Built, BuildError> },
    Cleaned,
}

impl Keeper {
    pub(crate) fn new(
        folder: PathBuf,
        stage: Stage,
        networks: Networks,
        limits: PluginLimits,
        published: Arc<Published>,
    ) -> Self {
        let (watch, hints) = Watch::new(folder.clone());
        Self {
            folder,
            networks,
            examiner: Arc::new(Examiner::new(stage, Libraries::new(limits))),
            published,
            looks: Looks::default(),
            slots: Slots::default(),
            watch,
            hints,
            tasks: JoinSet::new(),
            is_looking: false,
            busy: 0,
            held: Vec::new(),
            vanished_at: None,
            trouble: None,
        }
    }

    /// Until it is aborted.
    pub(crate) async fn run(mut self) {
        let (mut due, mut looked) = (Instant::now(), Instant::now());
        loop {
            tokio::select! {
                Some(done) = self.tasks.join_next() => match done {
                    Ok(Done::Looked(look)) => {
                        looked = Instant::now();
                        due = looked + self.take_look(look, looked);
                        self.go_on();
                    }
                    Ok(done) => self.take(done),
                    // The tasks hand panics over as outcomes; this one is a bug of the host's.
                    Err(error) => tracing::error!(%error, "a task of the registry ended without outcome"),
                },
                Some(()) = self.hints.recv() => due = due.min(looked + SPACING),
                () = sleep_until(due), if !self.is_looking => self.look(),
            }
        }
    }

    fn look(&mut self) {
        self.is_looking = true;
        let folder = self.folder.clone();
        self.tasks.spawn(async move {
            let look = spawn_blocking(move || scan::look(&folder)).await;
            Done::Looked(look.unwrap_or_else(|_| Err(io::Error::other("looking at it panicked"))))
        });
    }

    /// Takes a look; the time until the next one.
    fn take_look(&mut self, look: io::Result<Look>, now: Instant) -> Duration {
        self.is_looking = false;
        let files = match look {
            Ok(look) => {
                self.vanished_at = None;
                self.trouble = None;
                self.watch.follow(look.folder);
                look.files
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.is_gone_for_good(now) => BTreeMap::new(),
            Err(error) => {
                self.tell_trouble(&error);
                return RESCAN;
            }
        };
        let settled = self.looks.settle(files);
        for (file, stamp) in self.slots.see(&settled, now) {
            self.examine(file, stamp);
        }
        if settled.is_changing() || !self.looks.have_compared() { SETTLE } else { RESCAN }
    }

    /// A folder that has vanished is not yet one without plugins.
    fn is_gone_for_good(&mut self, now: Instant) -> bool {
        let since = *self.vanished_at.get_or_insert(now);
        now.duration_since(since) >= VANISHED_GRACE
    }

    fn tell_trouble(&mut self, error: &io::Error) {
        let trouble = error.to_string();
        if self.trouble.as_ref() != Some(&trouble) {
            let (folder, plugins) = (self.folder.display(), self.slots.active_count());
            tracing::error!(%folder, error = trouble, plugins, "cannot look at the plugins folder, its plugins stay in force");
            self.trouble = Some(trouble);
        }
    }

    fn examine(&mut self, file: PathBuf, stamp: Stamp) {
        let examiner = Arc::clone(&self.examiner);
        self.busy += 1;
        self.tasks.spawn(async move {
            let examined = examiner.examine(file.clone(), stamp).await;
            Done::Examined(file, examined)
        });
    }

    fn build(&mut self, wanted: Wanted) {
        let Wanted { plugin, file, attempt, library, in_force } = wanted;
        let settings_file = self.folder.join(format!("{plugin}.toml"));
        let recipe = Recipe { library, settings_file, networks: self.networks.clone(), in_force };
        self.busy += 1;
        self.tasks.spawn(async move {
            let outcome = instance::build(recipe).await;
            Done::Built { file, plugin, attempt, outcome }
        });
    }

    fn take(&mut self, done: Done) {
        self.busy = self.busy.saturating_sub(1);
        match done {
            Done::Examined(file, examined) => self.slots.examined(&file, examined, Instant::now()),
            Done::Built { file, plugin, attempt, outcome } => self.held.push((file, plugin, attempt, outcome)),
            Done::Looked(_) | Done::Cleaned => {}
        }
        self.go_on();
    }

    /// Does what follows from what is known now, and publishes it.
    fn go_on(&mut self) {
        let is_first = !self.published.first_scan_done.load(Ordering::Relaxed);
        if is_first && self.busy > 0 {
            return;
        }
        let now = Instant::now();
        // Of two plugins with one slug, the one whose file name comes first wins.
        self.held.sort_by(|one, other| one.0.cmp(&other.0));
        for (_, plugin, attempt, outcome) in std::mem::take(&mut self.held) {
            self.slots.built(&plugin, attempt, outcome, now);
        }
        for wanted in self.slots.elect(now) {
            self.build(wanted);
        }
        let (snapshot, status) = self.slots.publish();
        self.published.current.store(Arc::new(Current { snapshot, status }));
        if self.busy > 0 {
            return;
        }
        if is_first && self.looks.have_compared() {
            self.published.first_scan_done.store(true, Ordering::Release);
            tracing::info!(plugins = self.slots.active_count(), "the first scan of the plugins folder is done");
        }
        self.clean();
    }

    /// Removes staged copies that nothing holds; nothing is being staged now.
    fn clean(&mut self) {
        let obsolete = self.slots.take_obsolete();
        if obsolete.is_empty() {
            return;
        }
        let stage = self.examiner.stage().clone();
        self.busy += 1;
        self.tasks.spawn(async move {
            let removed = spawn_blocking(move || stage.remove(&obsolete)).await;
            if let Ok(Err(error)) = removed {
                tracing::warn!(%error, "cannot remove staged copies that are not needed");
            }
            Done::Cleaned
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_vanished_folder_is_taken_for_empty_only_after_its_grace() {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open(folder.path()).unwrap();
        let plugins = folder.path().join("plugins");
        let mut keeper =
            Keeper::new(plugins.clone(), stage, Networks::new([]), PluginLimits::default(), Arc::default());
        let begun = Instant::now();
        let vanished = |keeper: &mut Keeper, now| keeper.take_look(scan::look(&plugins), now);
        vanished(&mut keeper, begun);
        vanished(&mut keeper, begun + VANISHED_GRACE - RESCAN);
        assert!(keeper.trouble.is_some());
        assert!(!keeper.looks.have_compared());
        vanished(&mut keeper, begun + VANISHED_GRACE);
        vanished(&mut keeper, begun + VANISHED_GRACE);
        assert!(keeper.looks.have_compared());

        std::fs::create_dir(&plugins).unwrap();
        keeper.take_look(scan::look(&plugins), begun + VANISHED_GRACE);
        std::fs::remove_dir(&plugins).unwrap();
        assert!(!keeper.is_gone_for_good(begun + VANISHED_GRACE), "the grace begins anew");
    }
}
