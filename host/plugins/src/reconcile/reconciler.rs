//! The reconciler task. Scans, examinations and builds run as separate tasks; only this one changes the registry.
//!
//! Invariant: it waits for none of them, so that a file that hangs delays only itself. The exception is the first
//! scan, whose outcome must not depend on which file loads faster.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use portolan_base::files::{self, TrustedOwners};
use portolan_base::network::Networks;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use crate::files::scan::{self, FileFingerprint, FolderScan, ScanError, ScanHistory};
use crate::files::staging::Stage;
use crate::files::watch::Watch;
use crate::limits::PluginLimits;
use crate::load::examine::{Examined, Examiner};
use crate::load::library::Libraries;
use crate::load::runner::call::Calls;
use crate::reconcile::plugin_table::fallback::{Fallback, FallbackOutcome};
use crate::reconcile::plugin_table::{Build, BuildKey, PluginTable};
use crate::reconcile::published::{Current, Published};
use crate::serve::fact_lists::FactStore;
use crate::serve::instance::{self, BuildError, BuildInput, Built, SettingsTexts};
use crate::trust::breaker::FailingBuild;
use crate::trust::crashes::Crashes;
use crate::trust::known_good::{GoodBuild, KnownGood};
use crate::trust::policy::Policy;
use crate::trust::signature::{self, Signatures};

/// Time between scans without file events. With the second scan, staging and probing, a change takes effect within
/// two seconds.
const RESCAN: Duration = Duration::from_millis(500);
/// Time between the two scans that must agree.
const SETTLE: Duration = Duration::from_millis(150);
/// Minimum pause between two scans, however many file events arrive.
const SPACING: Duration = Duration::from_millis(50);
/// A scan takes milliseconds; only a file system that hangs takes longer.
const SCAN_LIMIT: Duration = Duration::from_secs(10);
/// Time for which plugins stay in force after their folder vanished or became empty at once. A swapped mount is back
/// sooner, and an operator can act on the alarm.
const VANISHED_GRACE: Duration = Duration::from_secs(5 * 60);
/// Minimum number of plugins for this: a folder that loses its only plugin was changed on purpose.
const EMPTIED_MIN: usize = 2;
/// Capacity of the channel of reports about builds that keep failing; a report that does not fit is repeated.
const REPORTS: usize = 16;

/// Keeps the registry in step with one folder.
#[derive(Debug)]
pub(crate) struct Reconciler {
    folder: PathBuf,
    writers: TrustedOwners,
    networks: Networks,
    facts: FactStore,
    examiner: Arc<Examiner>,
    /// Calls that read the folder's files; the number of hanging ones is bounded.
    reads: Calls,
    published: Arc<Published>,
    history: ScanHistory,
    plugin_table: PluginTable,
    watch: Watch,
    hints: mpsc::Receiver<()>,
    tasks: JoinSet<Done>,
    aside: JoinSet<Aside>,
    is_scanning: bool,
    /// Number of examinations, builds and other tasks in progress.
    busy: usize,
    /// Finished builds that are held back until the first scan is done.
    held: Vec<FinishedBuild>,
    /// The file of the known good set, whether it is being written, and the error of the last attempt.
    set_path: PathBuf,
    is_saving: bool,
    unsaved: Option<String>,
    policy: Policy,
    /// Signals that the policy changed.
    decided: Arc<Notify>,
    reports: mpsc::Receiver<FailingBuild>,
    vanished_at: Option<Instant>,
    trouble: Option<String>,
}

/// The outcome of a task that the first scan waits for.
#[derive(Debug)]
enum Done {
    Scanned(Result<FolderScan, ScanError>),
    Examined(PathBuf, Examined),
    Built(Box<FinishedBuild>),
    FellBack(Box<(Fallback, FallbackOutcome)>),
    Cleaned,
}

/// The outcome of a task that nothing waits for.
#[derive(Debug)]
enum Aside {
    Saved(io::Result<()>),
    Decided,
}

/// State from earlier processes, which this one continues.
#[derive(Debug)]
pub(crate) struct RegistryState {
    pub(crate) state_dir: PathBuf,
    pub(crate) stage: Stage,
    pub(crate) crashes: Crashes,
    pub(crate) policy: Policy,
    pub(crate) signatures: Signatures,
    pub(crate) known_good: KnownGood,
    pub(crate) decided: Arc<Notify>,
}

/// A build and its outcome.
#[derive(Debug)]
struct FinishedBuild {
    file: PathBuf,
    plugin: String,
    key: BuildKey,
    outcome: Result<Built, BuildError>,
}

impl Reconciler {
    pub(crate) fn new(
        folder: PathBuf,
        writers: TrustedOwners,
        state: RegistryState,
        networks: Networks,
        limits: PluginLimits,
        published: Arc<Published>,
    ) -> Self {
        let (watch, hints) = Watch::new(folder.clone());
        let reads = Calls::new(Handle::current());
        let RegistryState { state_dir, stage, crashes, policy, signatures, known_good, decided } = state;
        let (sender, reports) = mpsc::channel(REPORTS);
        let facts = FactStore::new(limits.fact_lists_bytes);
        let libraries = Libraries::new(limits, crashes, sender);
        Self {
            folder,
            writers,
            networks,
            facts,
            examiner: Arc::new(Examiner::new(stage, libraries, policy.clone(), signatures, reads.clone())),
            reads,
            published,
            history: ScanHistory::default(),
            plugin_table: PluginTable::new(policy.clone(), known_good),
            watch,
            hints,
            tasks: JoinSet::new(),
            aside: JoinSet::new(),
            is_scanning: false,
            busy: 0,
            held: Vec::new(),
            set_path: KnownGood::path(&state_dir),
            is_saving: false,
            unsaved: None,
            policy,
            decided,
            reports,
            vanished_at: None,
            trouble: None,
        }
    }

    /// Runs until aborted.
    pub(crate) async fn run(mut self) {
        let (mut due, mut scanned_at) = (Instant::now(), Instant::now());
        let decided = Arc::clone(&self.decided);
        loop {
            tokio::select! {
                Some(done) = self.tasks.join_next() => match done {
                    Ok(Done::Scanned(scanned)) => {
                        scanned_at = Instant::now();
                        due = scanned_at + self.on_scan(scanned, scanned_at);
                        self.advance();
                    }
                    Ok(done) => self.on_done(done),
                    // Tasks return panics as outcomes, so this is a bug of the host.
                    Err(error) => tracing::error!(%error, "a task of the registry ended without outcome"),
                },
                Some(Ok(done)) = self.aside.join_next() => self.on_aside(done),
                () = decided.notified() => {
                    self.on_decision();
                    due = due.min(scanned_at + SPACING);
                }
                Some(report) = self.reports.recv() => self.quarantine(report),
                Some(()) = self.hints.recv() => due = due.min(scanned_at + SPACING),
                () = sleep_until(due), if !self.is_scanning => self.scan(),
                // No second scan while one hangs: it would hang as well.
                () = sleep_until(due + SCAN_LIMIT), if self.is_scanning && self.trouble.is_none() => {
                    self.log_trouble(&format_args!("scanning it takes longer than {} s", SCAN_LIMIT.as_secs()));
                }
            }
        }
    }

    fn scan(&mut self) {
        self.is_scanning = true;
        let (folder, writers) = (self.folder.clone(), self.writers);
        self.tasks.spawn(async move {
            let scanned = spawn_blocking(move || scan::scan(&folder, writers)).await;
            Done::Scanned(scanned.unwrap_or(Err(ScanError::Panicked)))
        });
    }

    /// Handles the outcome of a scan, and returns the time until the next one.
    fn on_scan(&mut self, scanned: Result<FolderScan, ScanError>, now: Instant) -> Duration {
        self.is_scanning = false;
        self.plugin_table.set_time(signature::now_s());
        let files = match scanned {
            Ok(scan) if self.is_emptied(&scan) && !self.is_gone_for_good(now) => {
                let plugins = self.plugin_table.known_count();
                self.log_trouble(&format_args!(
                    "it is empty all at once; {plugins} plugins are taken for removed after {} s",
                    VANISHED_GRACE.as_secs()
                ));
                self.watch.follow(scan.folder);
                self.history.compare(scan.files);
                self.plugin_table.on_emptied();
                return if self.history.has_compared() { RESCAN } else { SETTLE };
            }
            Ok(scan) => {
                self.vanished_at = None;
                self.trouble = None;
                self.published.trouble.store(None);
                self.watch.follow(scan.folder);
                scan.files
            }
            Err(error) if error.is_missing() && self.is_gone_for_good(now) => BTreeMap::new(),
            Err(error) => {
                self.log_trouble(&error);
                return RESCAN;
            }
        };
        let stable = self.history.compare(files);
        for (file, fingerprint) in self.plugin_table.on_scan(&stable, now) {
            self.examine(file, fingerprint);
        }
        if stable.is_changing() || !self.history.has_compared() { SETTLE } else { RESCAN }
    }

    fn is_emptied(&self, scan: &FolderScan) -> bool {
        self.plugin_table.known_count() >= EMPTIED_MIN && !scan.files.keys().any(|path| scan::is_dylib(path))
    }

    /// Returns true once the folder has been missing or empty for [`VANISHED_GRACE`].
    fn is_gone_for_good(&mut self, now: Instant) -> bool {
        let since = *self.vanished_at.get_or_insert(now);
        now.duration_since(since) >= VANISHED_GRACE
    }

    fn log_trouble(&mut self, error: &dyn Display) {
        let trouble = error.to_string();
        self.published.trouble.store(Some(Arc::new(trouble.clone())));
        if self.trouble.as_ref() != Some(&trouble) {
            let (folder, plugins) = (self.folder.display(), self.plugin_table.active_count());
            tracing::error!(%folder, error = trouble, plugins, "cannot scan the plugins folder, its plugins stay in force");
            self.trouble = Some(trouble);
        }
    }

    fn examine(&mut self, file: PathBuf, fingerprint: FileFingerprint) {
        let examiner = Arc::clone(&self.examiner);
        self.busy += 1;
        self.tasks.spawn(async move {
            let examined = examiner.examine(file.clone(), fingerprint).await;
            Done::Examined(file, examined)
        });
    }

    fn build(&mut self, build: Build) {
        let Build { plugin, file, key, library, in_force } = build;
        let settings_file = self.folder.join(format!("{plugin}.toml"));
        let functions_file = self.folder.join(portolan_validation::FILE_NAME);
        let (writers, reads, networks) = (self.writers, self.reads.clone(), self.networks.clone());
        let texts = SettingsTexts::Folder { settings_file, functions_file, writers, reads };
        let (examiner, built) = (Arc::clone(&self.examiner), Arc::clone(&library));
        let input = BuildInput { library, texts, networks, facts: self.facts.clone(), in_force };
        self.busy += 1;
        self.tasks.spawn(async move {
            let outcome = instance::build(input).await;
            if matches!(outcome, Ok(Built::New { .. })) {
                examiner.note(built).await;
            }
            Done::Built(Box::new(FinishedBuild { file, plugin, key, outcome }))
        });
    }

    fn fall_back(&mut self, fallback: Fallback) {
        let (examiner, networks, facts) = (Arc::clone(&self.examiner), self.networks.clone(), self.facts.clone());
        self.busy += 1;
        self.tasks.spawn(async move {
            let GoodBuild { digest, settings, functions, .. } = fallback.good.clone();
            let file = format!("{}.toml", fallback.plugin);
            let outcome = match examiner.load_staged(digest).await {
                Err(refusal) => Err(refusal),
                Ok(library) => {
                    let texts = SettingsTexts::Kept { file, settings, functions };
                    let input = BuildInput { library: Arc::clone(&library), texts, networks, facts, in_force: None };
                    Ok((library, instance::build(input).await))
                }
            };
            Done::FellBack(Box::new((fallback, outcome)))
        });
    }

    /// Quarantines a build that keeps failing.
    fn quarantine(&mut self, report: FailingBuild) {
        let policy = self.policy.clone();
        self.aside.spawn_blocking(move || {
            let FailingBuild { digest, plugin, version, reason } = report;
            tracing::error!(plugin, version, %digest, reason, "a build is put in quarantine");
            if let Err(error) = policy.quarantine(digest, &plugin, &version, &reason) {
                tracing::error!(plugin, %digest, %error, "the quarantine does not outlive the process");
            }
            Aside::Decided
        });
    }

    fn on_decision(&mut self) {
        self.plugin_table.on_policy();
        self.advance();
    }

    fn on_aside(&mut self, aside: Aside) {
        match aside {
            Aside::Decided => self.on_decision(),
            Aside::Saved(saved) => {
                self.is_saving = false;
                let Err(error) = saved else {
                    self.unsaved = None;
                    // The set may have changed while it was written.
                    return self.save();
                };
                self.plugin_table.set_is_unwritten();
                let reason = error.to_string();
                if self.unsaved.as_ref() != Some(&reason) {
                    tracing::error!(reason, "cannot write the last known good set; a restart may serve less");
                }
                self.unsaved = Some(reason);
            }
        }
    }

    /// Writes the known good set if it has changed.
    fn save(&mut self) {
        if self.is_saving {
            return;
        }
        let Some(text) = self.plugin_table.take_changed_set() else { return };
        let path = self.set_path.clone();
        self.is_saving = true;
        self.aside.spawn_blocking(move || Aside::Saved(text.and_then(|text| files::replace(&path, text.as_bytes()))));
    }

    fn on_done(&mut self, done: Done) {
        self.busy = self.busy.saturating_sub(1);
        match done {
            Done::Examined(file, examined) => self.plugin_table.on_examined(&file, examined, Instant::now()),
            Done::Built(finished) => self.held.push(*finished),
            Done::FellBack(fallen) => self.plugin_table.on_fallback(&self.folder, fallen.0, fallen.1),
            Done::Scanned(_) | Done::Cleaned => {}
        }
        self.advance();
    }

    /// Applies finished builds, starts the builds that are due, and publishes the result.
    fn advance(&mut self) {
        let is_first = !self.published.first_scan_done.load(Ordering::Relaxed);
        if is_first && self.busy > 0 {
            return;
        }
        let now = Instant::now();
        // In the order of files, so that a start does not depend on which build finished first.
        self.held.sort_by(|one, other| one.file.cmp(&other.file));
        for FinishedBuild { plugin, key, outcome, .. } in std::mem::take(&mut self.held) {
            self.plugin_table.on_built(&plugin, key, outcome, now);
        }
        for build in self.plugin_table.next_builds(now) {
            self.build(build);
        }
        if self.busy == 0 && self.history.has_compared() {
            for fallback in self.plugin_table.next_fallbacks() {
                self.fall_back(fallback);
            }
        }
        let (snapshot, status) = self.plugin_table.publish();
        self.published.current.store(Arc::new(Current { snapshot, status }));
        self.save();
        if self.busy > 0 {
            return;
        }
        if is_first && self.history.has_compared() {
            self.published.first_scan_done.store(true, Ordering::Release);
            self.plugin_table.on_started();
            let (count, plugins) = (self.plugin_table.active_count(), self.plugin_table.labels());
            tracing::info!(count, plugins, "the first scan of the plugins folder is done");
        }
        self.clean();
    }

    /// Removes staged copies that are no longer used. Nothing is being staged now.
    fn clean(&mut self) {
        let obsolete = self.plugin_table.take_obsolete();
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
    use std::collections::BTreeSet;

    use super::*;

    #[tokio::test]
    async fn a_vanished_folder_is_taken_for_empty_only_after_its_grace() {
        let folder = tempfile::tempdir().unwrap();
        let writers = TrustedOwners::of_process(None);
        let state = RegistryState {
            state_dir: folder.path().to_owned(),
            stage: Stage::open(folder.path(), writers, &BTreeSet::new()).unwrap(),
            crashes: Crashes::open(folder.path(), writers).unwrap(),
            policy: Policy::default(),
            signatures: Signatures::default(),
            known_good: KnownGood::default(),
            decided: Arc::default(),
        };
        let plugins = folder.path().join("plugins");
        let (networks, limits) = (Networks::new([]), PluginLimits::default());
        let mut reconciler = Reconciler::new(plugins.clone(), writers, state, networks, limits, Arc::default());
        let begun = Instant::now();
        let vanished = |reconciler: &mut Reconciler, now| reconciler.on_scan(scan::scan(&plugins, writers), now);
        vanished(&mut reconciler, begun);
        vanished(&mut reconciler, begun + VANISHED_GRACE - RESCAN);
        assert!(reconciler.trouble.is_some());
        assert!(!reconciler.history.has_compared());
        vanished(&mut reconciler, begun + VANISHED_GRACE);
        vanished(&mut reconciler, begun + VANISHED_GRACE);
        assert!(reconciler.history.has_compared());

        std::fs::create_dir(&plugins).unwrap();
        reconciler.on_scan(scan::scan(&plugins, writers), begun + VANISHED_GRACE);
        std::fs::remove_dir(&plugins).unwrap();
        assert!(!reconciler.is_gone_for_good(begun + VANISHED_GRACE), "the grace begins anew");
    }
}
