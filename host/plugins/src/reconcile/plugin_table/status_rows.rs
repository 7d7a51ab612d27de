//! The table's rows in `/plugins`: plugins, files, and settings files without a plugin.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Active, PluginTable, Retry, Slot, file_name, second};
use crate::files::manifest;
use crate::reconcile::entry::{FileEntry, FileState};
use crate::reconcile::status::{ACTIVE, PluginStatus, REJECTED, WAITING};
use crate::serve::targets::TargetStatus;

impl PluginTable {
    pub(super) fn rows(&self) -> Vec<PluginStatus> {
        let of_slots = self.plugin_table.values().flat_map(Slot::rows);
        let of_files = self.files.iter().filter_map(|(path, entry)| self.file_row(path, entry));
        let of_settings = self.without_plugin().into_iter().map(|name| {
            PluginStatus::without_plugin(format!("{name}.toml"), settings_of_nobody(&name, self.plugin_table.keys()))
        });
        of_slots.chain(of_files).chain(of_settings).collect()
    }

    /// Settings files that belong to no plugin, by file name without extension. Empty while a file is examined, as
    /// they may belong to it.
    fn without_plugin(&self) -> BTreeSet<String> {
        let states = || self.files.values().map(|entry| &entry.state);
        if states().any(|state| matches!(state, FileState::Examining { .. })) {
            return BTreeSet::new();
        }
        let refused = states().filter_map(|state| match state {
            FileState::Refused { refusal, .. } => Some(refusal.manifest.as_ref()?.plugin.as_str()),
            FileState::Examining { .. } | FileState::Loaded(_) => None,
        });
        let named: BTreeSet<&str> =
            refused.chain(self.plugin_table.keys().map(String::as_str)).chain([manifest::RESERVED_NAME]).collect();
        self.settings.keys().filter(|name| !named.contains(name.as_str())).cloned().collect()
    }

    pub(super) fn warn_of_settings(&mut self) {
        let without_plugin = self.without_plugin();
        for name in without_plugin.difference(&self.warned_of) {
            let reason = settings_of_nobody(name, self.plugin_table.keys());
            tracing::warn!(file = format!("{name}.toml"), reason, "a settings file is not used");
        }
        self.warned_of = without_plugin;
    }

    fn file_row(&self, path: &Path, entry: &FileEntry) -> Option<PluginStatus> {
        match &entry.state {
            FileState::Examining { before } => before.as_deref().map(|refusal| PluginStatus::refused(refusal, path)),
            FileState::Refused { refusal, .. } => Some(PluginStatus::refused(refusal, path)),
            FileState::Loaded(library) => {
                let slot = self.plugin_table.get(&library.manifest.plugin).filter(|slot| slot.file != path)?;
                Some(PluginStatus::not_in_force(REJECTED, library, path, second(&slot.file)))
            }
        }
    }
}

impl Slot {
    fn rows(&self) -> Vec<PluginStatus> {
        let active = self.active.as_ref().map(|active| {
            let is_wanted = active.library.digest == self.library.digest;
            PluginStatus { file: file_name(if is_wanted { &self.file } else { &active.file }), ..active.row() }
        });
        let digest = self.active.as_ref().map(|active| active.library.digest);
        match (active, &self.refusal) {
            // Refused settings of the dylib in force are shown in its own row.
            (Some(active), Some(refused)) if digest == Some(refused.library.digest) => {
                vec![PluginStatus { reason: Some(active.reason.unwrap_or_else(|| refused.reason.clone())), ..active }]
            }
            (active, refused) => {
                let refused = refused.as_ref().map(|refused| {
                    let state = if refused.retry == Retry::WhenAccepted { WAITING } else { REJECTED };
                    PluginStatus::not_in_force(state, &refused.library, &self.file, refused.reason.clone())
                });
                active.into_iter().chain(refused).collect()
            }
        }
    }
}

impl Active {
    pub(super) fn row(&self) -> PluginStatus {
        let reasons: Vec<String> = self.fallback.iter().cloned().chain(self.share.reason()).collect();
        let protocols: Vec<String> = self.share.slugs().map(str::to_owned).collect();
        let serves_nothing = protocols.is_empty() && !self.share.refused.is_empty();
        PluginStatus {
            state: if serves_nothing { REJECTED } else { ACTIVE },
            reason: Some(reasons.join("; ")).filter(|reason| !reason.is_empty()),
            protocols,
            generation: self.generation,
            loaded_at: Some(self.loaded_at),
            capabilities: self.instance.may_do(),
            unknown_networks: self.instance.unknown_networks.iter().copied().collect(),
            claims: self.instance.claim_templates.status(),
            lineages: self.instance.claim_templates.lineages().shown(),
            targets: TargetStatus::all(&self.instance),
            hosts: self.instance.hosts.status(),
            signature: self.instance.signature.clone(),
            ..PluginStatus::of(&self.library, &self.file)
        }
    }
}

fn settings_of_nobody<'a>(name: &str, plugins: impl Iterator<Item = &'a String>) -> String {
    let plugins: Vec<_> = plugins.map(String::as_str).collect();
    let meant = plugins.iter().find(|plugin| **plugin == name.replace('_', "-"));
    match meant {
        Some(plugin) => format!("no plugin is called {name:?}; the settings of {plugin:?} are in {plugin}.toml"),
        None if plugins.is_empty() => format!("no plugin is called {name:?}, and none is in force"),
        None => format!("no plugin is called {name:?}; there are {}", plugins.join(", ")),
    }
}
