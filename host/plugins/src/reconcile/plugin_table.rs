//! The table of plugins: the file of each plugin, its instance in force, and the build that is to replace it.
//!
//! It does no IO and never waits: the reconciler reports scans, examinations and builds, and performs the actions
//! that the table returns. Invariant: the instance in force changes only by a finished build, by the removal of its
//! plugin's last file, or by a decision of the policy. A plugin that has a file and is not served is reported as
//! unavailable. `slugs.rs` decides which plugin serves a slug that several have.

pub(crate) mod fallback;
mod new_capabilities;
mod slugs;
mod status_rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use metrics::counter;
use tokio::time::Instant;

use self::slugs::{Holders, PluginShare};
use crate::files::manifest;
use crate::files::scan::{FileFingerprint, StableFiles, is_dylib, is_settings};
use crate::files::staging::Digest;
use crate::load::examine::{Examined, RefusalKind};
use crate::load::library::Library;
use crate::reconcile::entry::{FileEntry, FileState};
use crate::reconcile::status::{ActivePlugin, DrainingInstance, StatusReport};
use crate::serve::instance::{BuildError, Built, Instance, InstanceKey, file_name};
use crate::serve::snapshot::{Served, Snapshot};
use crate::serve::targets;
use crate::trust::known_good::{GoodBuild, GoodProtocol, KnownGood};
use crate::trust::policy::Policy;
use crate::trust::signature::BuildSignature;

/// The plugins and their files.
#[derive(Debug, Default)]
pub(crate) struct PluginTable {
    files: BTreeMap<PathBuf, FileEntry>,
    /// Settled settings files and table of claim functions, by file name without extension.
    settings: BTreeMap<String, FileFingerprint>,
    /// Slots by plugin name.
    plugin_table: BTreeMap<String, Slot>,
    staged: BTreeSet<Digest>,
    draining: Vec<DrainingInstance>,
    /// Settings files already logged as belonging to no plugin.
    warned_of: BTreeSet<String>,
    snapshot: Arc<Snapshot>,
    is_changed: bool,
    policy: Policy,
    known_good: Arc<KnownGood>,
    /// True if the known good set has changed since it was last taken for writing.
    is_set_changed: bool,
    /// Builds of the set that were tried since a decision, or since their plugin was last in force.
    tried: BTreeSet<(String, Digest)>,
    /// The plugin that serves each slug, now and in the process before.
    holders: Holders,
    remembered: Holders,
    /// Names of all dylibs of the last scan, settled or not.
    present: BTreeSet<String>,
    /// True if the whole folder was suddenly empty, which may be temporary.
    is_emptied: bool,
    /// True once the first scan is done.
    is_started: bool,
    /// Unix seconds of the last scan, against which keys expire.
    now_s: u64,
}

/// A plugin's name, and the file that provides it.
#[derive(Debug)]
struct Slot {
    file: PathBuf,
    /// The library that is to be in force.
    library: Arc<Library>,
    key: Option<BuildKey>,
    is_building: bool,
    refusal: Option<Refused>,
    active: Option<Active>,
}

/// Identifies the inputs of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BuildKey {
    digest: Digest,
    signature: Arc<BuildSignature>,
    settings: Option<FileFingerprint>,
    functions: Option<FileFingerprint>,
}

/// A failed build.
#[derive(Debug)]
struct Refused {
    library: Arc<Library>,
    reason: String,
    retry: Retry,
}

/// Time of the next attempt of a failed build whose file and settings have not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retry {
    Never,
    /// Once the operator accepts what the build may do.
    WhenAccepted,
    /// The plugin did not answer in time.
    At(Instant),
}

/// Delay before an unresponsive plugin is configured again; each attempt may leave a thread stuck.
const RETRY_AFTER: Duration = Duration::from_secs(5);

#[derive(Debug)]
struct Active {
    file: PathBuf,
    library: Arc<Library>,
    key: InstanceKey,
    /// The protocols of its catalogue.
    offered: Vec<Served>,
    /// The protocols that it serves.
    share: PluginShare,
    instance: Arc<Instance>,
    generation: u64,
    loaded_at: SystemTime,
    /// Reason why the last known good build or settings are in force.
    fallback: Option<String>,
}

/// A build to start.
#[derive(Debug)]
pub(crate) struct Build {
    pub(crate) plugin: String,
    pub(crate) file: PathBuf,
    pub(crate) key: BuildKey,
    pub(crate) library: Arc<Library>,
    pub(crate) in_force: Option<InstanceKey>,
}

impl PluginTable {
    /// A table that starts from the recorded decisions and known good builds.
    pub(crate) fn new(policy: Policy, known_good: KnownGood) -> Self {
        let (staged, remembered) = (known_good.digests(), Holders::remembered(&known_good));
        Self { policy, known_good: Arc::new(known_good), staged, remembered, ..Self::default() }
    }

    /// Sets the time. Builds whose key has expired are judged again at the next scan, and are not in force any more.
    pub(crate) fn set_time(&mut self, now_s: u64) {
        self.now_s = now_s;
    }

    /// Takes the result of a scan, and returns the files to examine now.
    pub(crate) fn on_scan(&mut self, stable: &StableFiles, now: Instant) -> Vec<(PathBuf, FileFingerprint)> {
        self.is_emptied = false;
        self.present = stable.files.keys().filter(|path| is_dylib(path)).map(|path| file_name(path)).collect();
        self.on_settings_scan(stable);
        self.files.retain(|path, _| stable.files.contains_key(path));
        let mut examine = Vec::new();
        let settled =
            stable.files.iter().filter_map(|(path, fingerprint)| fingerprint.map(|fingerprint| (path, fingerprint)));
        for (path, fingerprint) in settled.filter(|(path, _)| is_dylib(path)) {
            let Some(beside) = stable.beside(path) else { continue };
            if self.files.get(path).is_none_or(|entry| entry.is_due(fingerprint, beside, now, self.now_s)) {
                let before = self.files.remove(path).and_then(FileEntry::into_refusal);
                let state = FileState::Examining { before };
                let entry = FileEntry { fingerprint: Some(fingerprint), beside, state, is_warned_of: false };
                self.files.insert(path.clone(), entry);
                examine.push((path.clone(), fingerprint));
            }
        }
        examine
    }

    fn on_settings_scan(&mut self, stable: &StableFiles) {
        let mut seen = BTreeMap::new();
        for (path, fingerprint) in stable.files.iter().filter(|(path, _)| is_settings(path)) {
            let Some(plugin) = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()) else { continue };
            // A file that is still changing keeps its earlier fingerprint.
            if let Some(fingerprint) = fingerprint.or_else(|| self.settings.get(&plugin).copied()) {
                seen.insert(plugin, fingerprint);
            }
        }
        self.settings = seen;
    }

    /// Takes the outcome of an examination.
    pub(crate) fn on_examined(&mut self, path: &Path, examined: Examined, now: Instant) {
        let digest = match &examined {
            Examined::Loaded(library) => Some(library.digest),
            Examined::Refused(refusal) => refusal.digest,
            Examined::Changed => None,
        };
        self.staged.extend(digest);
        let Some(entry) = self.files.get_mut(path) else { return };
        match examined {
            Examined::Loaded(library) => entry.state = FileState::Loaded(library),
            Examined::Changed => entry.fingerprint = None,
            Examined::Refused(refusal) => {
                let retry_at = refusal.retry_after.map(|after| now + after);
                if entry.was_refused_as(&refusal) {
                    entry.state = FileState::Refused { refusal, retry_at };
                    return;
                }
                let (file, reason) = (file_name(path), refusal.reason.as_str());
                counter!("portolan_plugin_rejections_total", "step" => refusal.kind.step()).increment(1);
                let plugin = refusal.manifest.as_ref().map(|manifest| manifest.plugin.as_str());
                let digest = refusal.digest.map(tracing::field::display);
                if refusal.kind == RefusalKind::Quarantined {
                    tracing::error!(plugin, file, digest, reason, "a plugin file is refused");
                } else {
                    tracing::warn!(plugin, file, digest, reason, "a plugin file is refused");
                }
                entry.state = FileState::Refused { refusal, retry_at };
            }
        }
    }

    /// Chooses the file that provides each plugin, and returns the builds to start now.
    pub(crate) fn next_builds(&mut self, now: Instant) -> Vec<Build> {
        let taken = self.files.values().filter_map(FileEntry::library);
        let mut names: BTreeSet<String> = taken.map(|library| library.manifest.plugin.clone()).collect();
        names.extend(self.plugin_table.keys().cloned());
        for name in &names {
            self.choose_file(name);
        }
        self.warn_of_duplicates();
        names.iter().filter_map(|name| self.begin_build(name, now)).collect()
    }

    fn choose_file(&mut self, name: &str) {
        let first = self.files.iter().find_map(|(path, entry)| Some((path.clone(), entry.library_of(name)?)));
        let Some(slot) = self.plugin_table.get_mut(name) else {
            if let Some((file, library)) = first {
                self.plugin_table.insert(name.to_owned(), Slot::new(file, library));
            }
            return;
        };
        if self.is_emptied {
            return;
        }
        let holder = self.files.get(&slot.file);
        if let Some(library) = holder.and_then(|entry| entry.library_of(name)) {
            slot.library = library;
            return;
        }
        match (holder.map(|entry| &entry.state), first, &slot.active) {
            (Some(FileState::Examining { .. }), _, _) => {}
            (_, Some((file, library)), _) => (slot.file, slot.library) = (file, library),
            // The file's current content cannot be loaded; its earlier build stays in force.
            (Some(FileState::Refused { .. }), None, Some(active)) => slot.library = Arc::clone(&active.library),
            // Its last known good build may be served instead.
            (Some(FileState::Refused { .. }), None, None) => drop(self.plugin_table.remove(name)),
            // A new file may hold it, under another name.
            _ if self.files.values().any(FileEntry::is_new) => {}
            _ => self.remove(name),
        }
    }

    fn remove(&mut self, name: &str) {
        let Some(slot) = self.plugin_table.remove(name) else { return };
        self.forget(name);
        if let Some(active) = slot.active {
            tracing::info!(plugin = name, file = file_name(&active.file), "a plugin is removed");
            self.retire(active);
        }
    }

    fn retire(&mut self, active: Active) {
        self.is_changed = true;
        self.draining.push(DrainingInstance { row: active.row(), instance: Arc::downgrade(&active.instance) });
    }

    fn warn_of_duplicates(&mut self) {
        for (path, entry) in &mut self.files {
            let holder = entry.library().and_then(|library| self.plugin_table.get(&library.manifest.plugin));
            let is_second = holder.is_some_and(|slot| slot.file != *path);
            if let Some(slot) = holder.filter(|_| is_second && !entry.is_warned_of) {
                let (file, reason) = (file_name(path), second(&slot.file));
                tracing::warn!(plugin = slot.library.manifest.plugin, file, reason, "a plugin file is refused");
            }
            entry.is_warned_of = is_second;
        }
    }

    fn begin_build(&mut self, name: &str, now: Instant) -> Option<Build> {
        let key = self.key(name)?;
        let slot = self.plugin_table.get_mut(name)?;
        let is_retry_due = match slot.refusal.as_ref().map_or(Retry::Never, |refusal| refusal.retry) {
            Retry::Never | Retry::WhenAccepted => false,
            Retry::At(at) => at <= now,
        };
        // An empty folder has no settings either; those in force stay.
        let is_unchanged = slot.key.as_ref() == Some(&key) && !is_retry_due;
        if self.is_emptied || slot.is_building || is_unchanged || self.policy.rejection(key.digest, name).is_some() {
            return None;
        }
        slot.is_building = true;
        slot.key = Some(key.clone());
        Some(Build {
            plugin: name.to_owned(),
            file: slot.file.clone(),
            key,
            library: Arc::clone(&slot.library),
            in_force: slot.active.as_ref().map(|active| active.key.clone()),
        })
    }

    fn key(&self, name: &str) -> Option<BuildKey> {
        let library = &self.plugin_table.get(name)?.library;
        let (digest, signature) = (library.digest, Arc::clone(&library.signature));
        let file = |name: &str| self.settings.get(name).copied();
        Some(BuildKey { digest, signature, settings: file(name), functions: file(manifest::RESERVED_NAME) })
    }

    /// Takes the outcome of a build.
    pub(crate) fn on_built(&mut self, name: &str, key: BuildKey, outcome: Result<Built, BuildError>, now: Instant) {
        let is_wanted = self.key(name) == Some(key);
        let Some(slot) = self.plugin_table.get_mut(name) else { return };
        slot.is_building = false;
        if !is_wanted {
            return;
        }
        match outcome {
            Ok(Built::Same) => slot.refusal = None,
            Ok(Built::New { instance, key }) => self.install_or_hold_back(name, instance, key),
            Err(error) => {
                let retry = if error.is_retryable() { Retry::At(now + RETRY_AFTER) } else { Retry::Never };
                self.refuse(name, error.to_string(), retry);
            }
        }
    }

    fn install(&mut self, name: &str, instance: Arc<Instance>, key: InstanceKey, fallback: Option<String>) {
        let generation = self.snapshot.generation + 1;
        let Some(slot) = self.plugin_table.get_mut(name) else { return };
        let protocols = instance.catalogue.protocols.iter();
        let offered = protocols.map(|protocol| Served::new(protocol, &instance));
        // New settings for a build that is served as a fallback.
        let kept = slot.active.as_ref().filter(|active| active.key.digest == key.digest);
        let fallback = fallback.or_else(|| kept.filter(|_| !is_in(&self.files, key.digest))?.fallback.clone());
        let active = Active {
            file: slot.file.clone(),
            library: Arc::clone(&slot.library),
            key,
            offered: offered.collect(),
            share: PluginShare::default(),
            instance: Arc::clone(&instance),
            generation,
            loaded_at: SystemTime::now(),
            fallback,
        };
        let good = active.good();
        let (file, digest, version) = (file_name(&active.file), active.key.digest, &slot.library.manifest.version);
        // The first scan is logged in one line.
        if self.is_started {
            tracing::info!(plugin = name, version, file, %digest, generation, "a plugin is in force");
        } else {
            tracing::debug!(plugin = name, version, file, %digest, generation, "a plugin is in force");
        }
        for reason in instance.claim_templates.left_out() {
            tracing::warn!(plugin = name, reason, "claims are left out");
        }
        for note in instance.hosts.notes(name) {
            tracing::warn!(plugin = name, note, "an off-chain host is not read");
        }
        slot.refusal = None;
        counter!("portolan_plugin_loads_total", "plugin" => name.to_owned()).increment(1);
        self.is_changed = true;
        if let Some(before) = slot.active.replace(active) {
            if let Some(targets) = targets::added(&before.instance, &instance) {
                tracing::warn!(plugin = name, targets, "claims may go where those of the build before did not");
            }
            self.retire(before);
        }
        self.note(name, good);
    }

    fn refuse(&mut self, name: &str, reason: String, retry: Retry) {
        let Some(slot) = self.plugin_table.get_mut(name) else { return };
        let is_logged = slot.refusal.as_ref().is_some_and(|refusal| refusal.reason == reason);
        if !is_logged {
            counter!("portolan_plugin_rejections_total", "step" => "settings").increment(1);
            let (file, digest) = (file_name(&slot.file), slot.library.digest);
            tracing::warn!(plugin = name, file, %digest, reason, "a plugin or its settings are refused");
        }
        slot.refusal = Some(Refused { library: Arc::clone(&slot.library), reason, retry });
    }

    /// The generation that will show all changes so far.
    fn next_generation(&self) -> u64 {
        self.snapshot.generation + u64::from(self.is_changed)
    }

    /// Returns the new snapshot and status report.
    pub(crate) fn publish(&mut self) -> (Arc<Snapshot>, StatusReport) {
        self.end_fallbacks();
        if self.is_changed {
            self.share_out();
        }
        let unavailable = self.unavailable();
        self.is_changed |= unavailable != self.snapshot.unavailable;
        let generation = self.next_generation();
        if std::mem::take(&mut self.is_changed) {
            let shares = || self.plugin_table.values().filter_map(|slot| Some(&slot.active.as_ref()?.share));
            let served = shares().flat_map(|share| &share.served);
            let served = served.map(|served| (served.protocol.slug.clone(), served.clone())).collect();
            let events = shares().flat_map(|share| &share.events).cloned().collect();
            self.snapshot = Arc::new(Snapshot { generation, served, events, unavailable, ..Snapshot::default() });
        }
        self.draining.retain(DrainingInstance::is_draining);
        self.warn_of_settings();
        let active = self.plugin_table.values().filter_map(|slot| slot.active.as_ref());
        let active = active.map(|Active { library, instance, .. }| {
            let runner = Arc::clone(&library.runner);
            let (failures, fact_lists) = (Arc::clone(&instance.failures), Arc::clone(&instance.fact_lists));
            let breakers = Arc::clone(&instance.breakers);
            let (without_code, jobs) = (Arc::clone(&instance.without_code), Arc::clone(&instance.job_figures));
            (library.digest.to_string(), ActivePlugin { runner, jobs, failures, without_code, breakers, fact_lists })
        });
        let report = StatusReport {
            rows: self.rows(),
            active: active.collect(),
            draining: self.draining.clone(),
            known_good: Arc::clone(&self.known_good),
        };
        (Arc::clone(&self.snapshot), report)
    }

    /// Staged copies that are not used any more; each is returned once.
    pub(crate) fn take_obsolete(&mut self) -> Vec<Digest> {
        let of_files = self.files.values().filter_map(FileEntry::library).map(|library| library.digest);
        let of_slots = self.plugin_table.values().flat_map(|slot| {
            let active = slot.active.as_ref().map(|active| active.key.digest);
            [Some(slot.library.digest), active].into_iter().flatten()
        });
        let needed: BTreeSet<Digest> = of_files.chain(of_slots).chain(self.known_good.digests()).collect();
        let (used, obsolete) = self.staged.iter().partition(|digest| needed.contains(digest));
        self.staged = used;
        let obsolete: BTreeSet<Digest> = obsolete;
        obsolete.into_iter().collect()
    }

    /// Marks the first scan as done.
    pub(crate) fn on_started(&mut self) {
        self.is_started = true;
    }

    /// Number of plugins in force, or known good from the process before if these are more.
    pub(crate) fn known_count(&self) -> usize {
        self.known_good.iter().count().max(self.active_count())
    }

    /// `name@version` of the plugins in force.
    pub(crate) fn labels(&self) -> String {
        let active = self.plugin_table.values().filter_map(|slot| slot.active.as_ref());
        active.map(|active| &*active.instance.label).collect::<Vec<_>>().join(", ")
    }

    /// Number of plugins in force.
    pub(crate) fn active_count(&self) -> usize {
        self.plugin_table.values().filter(|slot| slot.active.is_some()).count()
    }
}

impl Slot {
    fn new(file: PathBuf, library: Arc<Library>) -> Self {
        Self { file, library, key: None, is_building: false, refusal: None, active: None }
    }
}

impl Active {
    fn good(&self) -> GoodBuild {
        let catalogue = &self.instance.catalogue;
        GoodBuild {
            digest: self.key.digest,
            version: self.library.manifest.version.clone(),
            file: file_name(&self.file),
            settings: self.key.settings.clone(),
            functions: self.key.functions.clone(),
            serves: GoodProtocol::all(catalogue),
            topics: catalogue.event_topics.iter().flatten().copied().collect(),
            capabilities: Some(self.instance.may_do()),
        }
    }
}

/// Returns true if a file of the folder holds the build.
fn is_in(files: &BTreeMap<PathBuf, FileEntry>, digest: Digest) -> bool {
    files.values().filter_map(FileEntry::library).any(|library| library.digest == digest)
}

fn second(holder: &Path) -> String {
    format!("the file {} holds the same plugin", file_name(holder))
}

#[cfg(test)]
mod tests;
