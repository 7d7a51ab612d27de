//! Fallbacks: serves the last known good build or settings of a plugin if those in the folder must not be used, and
//! reports plugins that are not served at all, with the reason.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use metrics::counter;

use super::slugs::PluginShare;
use super::{PluginTable, Slot, file_name, is_in};
use crate::load::examine::{Refusal, RefusalKind};
use crate::load::library::Library;
use crate::reconcile::entry::{FileEntry, FileState};
use crate::serve::instance::{BuildError, Built};
use crate::serve::unavailable::{Unavailable, UnavailableWhy};
use crate::trust::known_good::{GoodBuild, GoodPlugin, GoodProtocol};

/// A build of the last known good set that is to be served.
#[derive(Clone, Debug)]
pub(crate) struct Fallback {
    pub(crate) plugin: String,
    pub(crate) good: GoodBuild,
    /// Reason why nothing else of the plugin is served.
    pub(crate) reason: String,
}

/// The outcome of a fallback.
pub(crate) type FallbackOutcome = Result<(Arc<Library>, Result<Built, BuildError>), Refusal>;

impl PluginTable {
    /// Handles a scan of a folder that is suddenly empty: its plugins stay in force, or are restored from the known
    /// good set.
    pub(crate) fn on_emptied(&mut self) {
        self.is_emptied = true;
    }

    /// Returns the fallbacks to start, once all files were examined and built: known good builds of plugins that have
    /// no permitted build in force. Each is returned once. Forgets plugins whose files are gone.
    pub(crate) fn next_fallbacks(&mut self) -> Vec<Fallback> {
        let unavailable: Vec<String> =
            self.known_good.iter().map(|(name, _)| name.clone()).filter(|name| self.needs_fallback(name)).collect();
        let mut wanted = Vec::new();
        for plugin in unavailable {
            let Some(good) = self.known_good.get(&plugin) else { continue };
            let Some((_, reason)) = self.trouble(&plugin, good) else {
                self.forget(&plugin);
                continue;
            };
            let is_free = |build: &&GoodBuild| {
                self.policy.rejection(build.digest, &plugin).is_none()
                    && !self.tried.contains(&(plugin.clone(), build.digest))
            };
            if let Some(good) = good.builds().find(is_free).cloned() {
                self.tried.insert((plugin.clone(), good.digest));
                wanted.push(Fallback { plugin, good, reason });
            } else {
                self.withdraw(&plugin);
            }
        }
        wanted
    }

    /// Takes the outcome of a fallback.
    pub(crate) fn on_fallback(&mut self, folder: &Path, fallback: Fallback, outcome: FallbackOutcome) {
        let Fallback { plugin, good, reason } = fallback;
        let built = match outcome {
            Ok((library, Ok(Built::New { instance, key }))) => Ok((library, instance, key)),
            Ok((_, Ok(Built::Same))) => return,
            Ok((_, Err(error))) => Err(error.to_string()),
            Err(refusal) => Err(refusal.reason),
        };
        if self.is_well_served(&plugin) || self.policy.rejection(good.digest, &plugin).is_some() {
            return;
        }
        let (digest, version) = (good.digest, &good.version);
        let (library, instance, key) = match built {
            Ok(built) => built,
            Err(error) => {
                tracing::error!(plugin, version, %digest, error, "the last known good build cannot be served");
                return;
            }
        };
        tracing::error!(plugin, version, %digest, reason, "the last known good build is served instead");
        counter!("portolan_plugin_fallbacks_total", "plugin" => plugin.clone()).increment(1);
        let file = folder.join(&good.file);
        let slot = self.plugin_table.entry(plugin.clone()).or_insert_with(|| Slot::new(file, Arc::clone(&library)));
        if slot.refusal.is_none() {
            slot.library = library;
        }
        let refusal = slot.refusal.take();
        let reason = format!("the last known good one: {reason}");
        self.install(&plugin, instance, key, Some(reason));
        if let Some(slot) = self.plugin_table.get_mut(&plugin).filter(|slot| slot.active.is_some()) {
            slot.refusal = refusal;
        }
    }

    /// Applies the policy's latest decisions. Files that it refused are examined again. A build that it now rejects
    /// stays in force only until the build before it is, if there is one.
    pub(crate) fn on_policy(&mut self) {
        self.tried.clear();
        // What was refused is built again: the decision may accept it.
        self.plugin_table.values_mut().filter(|slot| slot.refusal.is_some()).for_each(|slot| slot.key = None);
        for entry in self.files.values_mut() {
            match &entry.state {
                FileState::Loaded(library) => {
                    let plugin = library.manifest.plugin.as_str();
                    if let Some(rejection) = self.policy.rejection(library.digest, plugin) {
                        let (digest, manifest) = (Some(library.digest), Some(library.manifest.clone()));
                        let (kind, reason) = (RefusalKind::from(&rejection), rejection.to_string());
                        let refusal = Refusal { digest, manifest, reason, kind, retry_after: None };
                        entry.state = FileState::Refused { refusal: Arc::new(refusal), retry_at: None };
                    }
                }
                FileState::Refused { refusal, .. } if refusal.kind.is_decided() => entry.fingerprint = None,
                FileState::Refused { .. } | FileState::Examining { .. } => {}
            }
        }
    }

    /// Clears the fallback flag of plugins whose active build is back in the folder.
    pub(super) fn end_fallbacks(&mut self) {
        for slot in self.plugin_table.values_mut().filter(|slot| slot.refusal.is_none() && !slot.is_building) {
            if let Some(active) = slot.active.as_mut().filter(|active| is_in(&self.files, active.key.digest)) {
                active.fallback = None;
            }
        }
    }

    /// Takes a build out of force if the policy rejects it or its key has expired.
    fn withdraw(&mut self, plugin: &str) {
        let Some(slot) = self.plugin_table.get_mut(plugin) else { return };
        let Some(active) = slot.active.take() else { return };
        // Builds it anew once it may run again.
        slot.key = None;
        let (digest, rejection) = (active.key.digest, self.policy.rejection(active.key.digest, plugin));
        let reason =
            rejection.map_or_else(|| "the key that signed it has ended".to_owned(), |rejection| rejection.to_string());
        tracing::warn!(plugin, %digest, reason, "a plugin is in force no more");
        self.retire(active);
    }

    /// Marks the known good set dirty again after a failed write.
    pub(crate) fn set_is_unwritten(&mut self) {
        self.is_set_changed = true;
    }

    /// The text of the known good set, if it has changed since it was last taken.
    pub(crate) fn take_changed_set(&mut self) -> Option<std::io::Result<String>> {
        std::mem::take(&mut self.is_set_changed).then(|| self.known_good.text())
    }

    pub(super) fn note(&mut self, plugin: &str, good: GoodBuild) {
        self.tried.retain(|(name, _)| name != plugin);
        // A start without changes writes nothing.
        if self.known_good.get(plugin).is_some_and(|known| known.current == good) {
            return;
        }
        Arc::make_mut(&mut self.known_good).note(plugin, good);
        self.is_set_changed = true;
    }

    pub(super) fn forget(&mut self, plugin: &str) {
        if self.known_good.get(plugin).is_some() {
            Arc::make_mut(&mut self.known_good).forget(plugin);
            self.is_set_changed = true;
        }
    }

    /// Returns true if the build in force is permitted.
    fn is_well_served(&self, plugin: &str) -> bool {
        let active = self.plugin_table.get(plugin).and_then(|slot| slot.active.as_ref());
        active.is_some_and(|active| {
            self.policy.rejection(active.key.digest, plugin).is_none() && !active.key.signature.is_void(self.now_s)
        })
    }

    /// Returns true if a known good build is needed: the plugin has no permitted build in force, and no file that a
    /// decision freed. Such a file is examined again first, at the next scan, unless the folder is suddenly empty.
    fn needs_fallback(&self, plugin: &str) -> bool {
        let is_freed = |entry: &FileEntry| match &entry.state {
            FileState::Refused { refusal, .. } => {
                let manifest = refusal.manifest.as_ref().filter(|_| entry.fingerprint.is_none());
                let digest = refusal.digest.unwrap_or_default();
                manifest.is_some_and(|manifest| manifest.plugin == plugin)
                    && self.policy.rejection(digest, plugin).is_none()
            }
            FileState::Examining { .. } | FileState::Loaded(_) => false,
        };
        !self.is_well_served(plugin) && (self.is_emptied || !self.files.values().any(is_freed))
    }

    fn is_active(&self, plugin: &str) -> bool {
        self.plugin_table.get(plugin).is_some_and(|slot| slot.active.is_some())
    }

    /// Reason why the plugin's files in the folder are not served; `None` if it has none.
    fn trouble(&self, plugin: &str, good: &GoodPlugin) -> Option<(RefusalKind, String)> {
        if let Some(refused) = self.plugin_table.get(plugin).and_then(|slot| slot.refusal.as_ref()) {
            return Some((RefusalKind::Rejected, refused.reason.clone()));
        }
        let refusals = self.files.iter().filter_map(|(path, entry)| Some((path, refusal(entry)?)));
        let own = |(path, refusal): &(&std::path::PathBuf, &Arc<Refusal>)| match &refusal.manifest {
            Some(manifest) => manifest.plugin == plugin,
            None => file_name(path) == good.current.file,
        };
        if let Some((path, refusal)) = refusals.into_iter().find(own) {
            return Some((refusal.kind, format!("{}: {}", file_name(path), refusal.reason)));
        }
        let reason = match () {
            () if self.is_emptied => "the plugins folder is empty",
            () if self.plugin_table.contains_key(plugin) => "it is being built",
            () if self.present.contains(&good.current.file) => "its file is not examined yet",
            () => return None,
        };
        Some((RefusalKind::Rejected, reason.to_owned()))
    }

    /// Protocols and plugins that are in the folder, or were served, and are not served now.
    pub(super) fn unavailable(&self) -> Vec<Unavailable> {
        let shares = || self.plugin_table.values().filter_map(|slot| Some(&slot.active.as_ref()?.share));
        let served: BTreeSet<&str> = shares().flat_map(PluginShare::slugs).collect();
        let whole: BTreeSet<&str> = shares().flat_map(PluginShare::whole_slugs).collect();
        // A plugin that only decodes a protocol's events does not serve the protocol.
        let is_free = |protocol: &&GoodProtocol| {
            let taken = if protocol.has_events_alone() { &served } else { &whole };
            !taken.contains(protocol.slug.as_str())
        };
        let known = self.known_good.iter().filter(|(name, _)| !self.is_active(name));
        let known = known.filter_map(|(name, good)| {
            let (kind, reason) = self.trouble(name, good)?;
            let unavailable = |protocol: &GoodProtocol| Unavailable {
                plugin: name.clone(),
                protocol: Some(protocol.clone()),
                topics: Arc::new(good.current.topics.clone()),
                why: UnavailableWhy::of(kind),
                reason: reason.clone(),
            };
            let free = good.current.serves.iter().filter(is_free);
            Some(free.map(unavailable).collect::<Vec<_>>())
        });
        let mut all: Vec<Unavailable> = known.flatten().collect();
        all.extend(self.never_served());
        all
    }

    /// Refused plugins that were never served, known only by their own or their file's name.
    fn never_served(&self) -> impl Iterator<Item = Unavailable> {
        let is_known = |name: &str| self.known_good.get(name).is_some();
        let files = self.known_good.iter().map(|(_, good)| good.current.file.as_str());
        let known_files: BTreeSet<&str> = files.collect();
        let of_files = self.files.iter().filter_map(move |(path, entry)| {
            let refusal = refusal(entry)?;
            let name = match &refusal.manifest {
                Some(manifest) if is_known(&manifest.plugin) => return None,
                Some(manifest) => manifest.plugin.clone(),
                None if known_files.contains(file_name(path).as_str()) => return None,
                None => path.file_stem()?.to_string_lossy().trim_start_matches("lib").to_owned(),
            };
            Some(Unavailable::plugin(name, UnavailableWhy::of(refusal.kind), refusal.reason.clone()))
        });
        let of_slots = self.plugin_table.iter().filter_map(move |(name, slot)| {
            let refused = slot.refusal.as_ref().filter(|_| slot.active.is_none() && !is_known(name))?;
            Some(Unavailable::plugin(name.clone(), UnavailableWhy::Rejected, refused.reason.clone()))
        });
        of_files.chain(of_slots)
    }
}

fn refusal(entry: &FileEntry) -> Option<&Arc<Refusal>> {
    match &entry.state {
        FileState::Refused { refusal, .. } => Some(refusal),
        FileState::Examining { before } => before.as_ref(),
        FileState::Loaded(_) => None,
    }
}
