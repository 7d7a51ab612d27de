//! Decisions of the operator and the host about builds and plugins: quarantined digests, disabled plugins, pinned
//! builds. They outlive the process.
//!
//! Invariant: a decision applies as soon as it is made. The file is replaced as a whole, and a start that cannot read
//! it fails, because it would serve quarantined builds.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::{Mutex, RwLock};
use portolan_base::files::{self, TrustedOwners};
use portolan_base::rfc3339;
use serde::{Deserialize, Serialize};

use crate::files::staging::Digest;
use crate::limits::NewCapabilities;

const FILE: &str = "plugin-policy.json";
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Maximum number of quarantined digests; the oldest is removed, with a log line.
const QUARANTINED_MAX: usize = 1_000;

/// The decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decisions {
    /// Quarantined builds by digest.
    pub quarantined: BTreeMap<Digest, Quarantine>,
    /// Reasons by plugin name.
    pub disabled: BTreeMap<String, String>,
    /// Pinned builds by plugin name.
    pub pinned: BTreeMap<String, Digest>,
    /// Builds whose new capabilities the operator accepted, by plugin name; the latest of each.
    #[serde(default)]
    pub accepted: BTreeMap<String, Digest>,
}

/// Reason why a digest must not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantine {
    pub plugin: String,
    pub(crate) version: String,
    /// Unix seconds.
    pub since: u64,
    pub reason: String,
}

/// Reason why a build must not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PolicyRejection {
    #[error("{0}")]
    Quarantined(String),
    #[error("its build is revoked by [signatures] of the configuration")]
    Revoked,
    #[error("it is disabled: {0}")]
    Disabled(String),
    #[error("the plugin is pinned to the build {0}")]
    Pinned(Digest),
}

/// The decisions of this process and of earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy(Arc<PolicyStore>);

#[derive(Debug, Default)]
struct PolicyStore {
    /// `None` if the decisions are not stored.
    path: Option<PathBuf>,
    /// Builds that the configuration revokes.
    revoked: BTreeSet<Digest>,
    new_capabilities: NewCapabilities,
    decisions: RwLock<Decisions>,
    /// Held while the file is replaced, so that the latest decision is written last.
    writing: Mutex<()>,
}

impl Policy {
    /// Reads the decisions of earlier processes; `revoked` are the builds that the configuration revokes.
    ///
    /// # Errors
    /// The file cannot be read or parsed.
    pub(crate) fn open(
        state_dir: &Path,
        revoked: BTreeSet<Digest>,
        new_capabilities: NewCapabilities,
        writers: TrustedOwners,
    ) -> io::Result<Self> {
        let path = state_dir.join(FILE);
        let named = |error: &serde_json::Error| io::Error::other(format!("{}: {error}", path.display()));
        let decisions = match files::read_state(&path, FILE_BYTES_MAX, writers)? {
            Some(text) => serde_json::from_str(&text).map_err(|error| named(&error))?,
            None => Decisions::default(),
        };
        let (path, decisions) = (Some(path), RwLock::new(decisions));
        let writing = Mutex::default();
        Ok(Self(Arc::new(PolicyStore { path, revoked, new_capabilities, decisions, writing })))
    }

    /// Returns true if a build that may do more than the one before has to wait for the operator.
    pub(crate) fn holds_back(&self, digest: Digest, plugin: &str) -> bool {
        let is_accepted = || self.0.decisions.read().accepted.get(plugin) == Some(&digest);
        self.0.new_capabilities == NewCapabilities::Wait && !is_accepted()
    }

    /// Reason why a build must not run; `None` if it may.
    pub(crate) fn rejection(&self, digest: Digest, plugin: &str) -> Option<PolicyRejection> {
        let decisions = self.0.decisions.read();
        if let Some(quarantine) = decisions.quarantined.get(&digest) {
            let since = rfc3339::of_unix_s(quarantine.since);
            return Some(PolicyRejection::Quarantined(format!("in quarantine since {since}: {}", quarantine.reason)));
        }
        if self.0.revoked.contains(&digest) {
            return Some(PolicyRejection::Revoked);
        }
        if let Some(reason) = decisions.disabled.get(plugin) {
            return Some(PolicyRejection::Disabled(reason.clone()));
        }
        let pinned = decisions.pinned.get(plugin).copied();
        pinned.filter(|pinned| *pinned != digest).map(PolicyRejection::Pinned)
    }

    /// Returns true if the operator pinned the plugin to one build.
    pub(crate) fn pins(&self, plugin: &str) -> bool {
        self.0.decisions.read().pinned.contains_key(plugin)
    }

    /// The current decisions.
    pub(crate) fn decisions(&self) -> Decisions {
        self.0.decisions.read().clone()
    }

    /// Puts a build of a plugin in quarantine.
    ///
    /// # Errors
    /// The file cannot be written: the quarantine applies, but does not outlive the process.
    pub(crate) fn quarantine(&self, digest: Digest, plugin: &str, version: &str, reason: &str) -> io::Result<()> {
        let (plugin, version) = (plugin.to_owned(), version.to_owned());
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.change(|decisions| {
            let quarantine = Quarantine { plugin, version, since, reason: reason.to_owned() };
            decisions.quarantined.insert(digest, quarantine);
            while decisions.quarantined.len() > QUARANTINED_MAX {
                let oldest = decisions.quarantined.iter().filter(|(other, _)| **other != digest);
                let Some(oldest) = oldest.min_by_key(|(_, quarantine)| quarantine.since).map(|(digest, _)| *digest)
                else {
                    return;
                };
                tracing::warn!(digest = %oldest, "the quarantine is full, this digest leaves it");
                decisions.quarantined.remove(&oldest);
            }
        })
    }

    /// Changes the decisions.
    ///
    /// # Errors
    /// The file cannot be written: the change applies, but does not outlive the process.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Decisions)) -> io::Result<()> {
        let _writing = self.0.writing.lock();
        let mut changed = self.decisions();
        change(&mut changed);
        *self.0.decisions.write() = changed.clone();
        let Some(path) = &self.0.path else { return Ok(()) };
        files::replace(path, &serde_json::to_vec_pretty(&changed)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> Policy {
        Policy::open(folder, BTreeSet::new(), NewCapabilities::Wait, TrustedOwners::of_process(None)).unwrap()
    }

    #[test]
    fn decisions_outlive_the_process_whatever_the_file_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (Digest::of_test(1), Digest::of_test(2));
        let policy = open(folder.path());
        assert_eq!(policy.rejection(one, "acme"), None);
        policy.quarantine(one, "acme", "1.0.0", "it panicked").unwrap();
        let again = open(folder.path());
        let rejection = again.rejection(one, "other-name").unwrap().to_string();
        assert!(rejection.starts_with("in quarantine since 2") && rejection.ends_with("Z: it panicked"), "{rejection}");
        assert_eq!(again.rejection(two, "acme"), None);
        again.change(|decisions| drop(decisions.quarantined.remove(&one))).unwrap();
        assert_eq!(open(folder.path()).rejection(one, "acme"), None);
    }

    #[test]
    fn a_build_that_the_configuration_revokes_is_rejected_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let revoked = [Digest::of_test(1)].into();
        let writers = TrustedOwners::of_process(None);
        let policy = Policy::open(folder.path(), revoked, NewCapabilities::Log, writers).unwrap();
        assert_eq!(policy.rejection(Digest::of_test(1), "acme"), Some(PolicyRejection::Revoked));
        assert_eq!(policy.rejection(Digest::of_test(2), "acme"), None);
    }

    #[test]
    fn a_plugin_is_disabled_by_its_name_and_pinned_to_one_build() {
        let policy = Policy::default();
        let (one, two) = (Digest::of_test(1), Digest::of_test(2));
        policy.change(|decisions| decisions.pinned.extend([("acme".to_owned(), one)])).unwrap();
        assert_eq!(policy.rejection(one, "acme"), None);
        assert_eq!(policy.rejection(two, "acme"), Some(PolicyRejection::Pinned(one)));
        assert_eq!(policy.rejection(two, "other"), None);
        policy.change(|decisions| drop(decisions.disabled.insert("acme".into(), "not ours".into()))).unwrap();
        assert_eq!(policy.rejection(one, "acme"), Some(PolicyRejection::Disabled("not ours".into())));
    }

    #[test]
    fn a_build_with_new_capabilities_waits_until_it_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (Digest::of_test(1), Digest::of_test(2));
        let policy = open(folder.path());
        assert!(policy.holds_back(one, "acme"));
        policy.change(|decisions| decisions.accepted.extend([("acme".to_owned(), one)])).unwrap();
        assert!(!policy.holds_back(one, "acme") && policy.holds_back(two, "acme") && policy.holds_back(one, "other"));
        assert!(!open(folder.path()).holds_back(one, "acme"), "over a restart");
        assert!(!Policy::default().holds_back(two, "acme"), "where new capabilities are logged alone");
    }

    #[test]
    fn the_quarantine_is_bounded_and_the_newest_stays() {
        let policy = Policy::default();
        let full = (0..QUARANTINED_MAX).map(|number| {
            let digest = Digest::try_from(format!("{number:064x}")).unwrap();
            let since = u64::try_from(number).unwrap();
            let (plugin, version) = ("acme".to_owned(), "1".to_owned());
            (digest, Quarantine { plugin, version, since, reason: String::new() })
        });
        policy.change(|decisions| decisions.quarantined = full.collect()).unwrap();
        policy.quarantine(Digest::of_test(9), "acme", "1.0.0", "new").unwrap();
        let decisions = policy.decisions();
        assert_eq!(decisions.quarantined.len(), QUARANTINED_MAX);
        assert!(decisions.quarantined.contains_key(&Digest::of_test(9)));
        assert!(!decisions.quarantined.contains_key(&Digest::try_from("0".repeat(64)).unwrap()));
    }

    #[test]
    fn a_start_does_not_go_on_without_what_was_decided() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{\"quarantined\":").unwrap();
        let writers = TrustedOwners::of_process(None);
        let opened = Policy::open(folder.path(), BTreeSet::new(), NewCapabilities::Log, writers);
        let refused = opened.unwrap_err().to_string();
        assert!(refused.contains(FILE), "{refused}");
    }
}
