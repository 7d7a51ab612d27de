//! Decisions of operators about plugins while the gateway runs.
//!
//! Invariant: a confirmed command has been written to the policy's file, or its answer says that it was not.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use crate::files::staging::Digest;
use crate::reconcile::status::{ACTIVE, PluginStatus, STUCK, WAITING};
use crate::trust::crashes::Crashes;
use crate::trust::known_good::{GoodPlugin, KnownGood};
use crate::trust::policy::Policy;

/// Minimum number of digits that name a build.
const DIGITS_MIN: usize = 8;

/// A command about one plugin. Builds are named by the first digits of their digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PluginDecision {
    /// Never run a build again; by default the one in force.
    Quarantine {
        build: Option<String>,
        reason: String,
    },
    /// Take one build of the plugin, or all of them, out of quarantine.
    Release {
        build: Option<String>,
    },
    /// Quarantine the build in force if there is an earlier one.
    Rollback {
        reason: String,
    },
    Enable,
    Disable {
        reason: String,
    },
    /// Serve only one build; by default the one in force.
    Pin {
        build: Option<String>,
    },
    Unpin,
    /// Serve a build that may do more than the one before; by default the one that waits for it.
    Accept {
        build: Option<String>,
    },
}

/// Reason why a command has no effect, or does not outlive the process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    #[error("no plugin is called {name:?}; there are {known}")]
    NoPlugin { name: String, known: String },
    #[error("{0} is not in force")]
    NotActive(String),
    #[error("{build:?} names no build of {plugin}; there are {known}")]
    NoBuild { plugin: String, build: String, known: String },
    #[error("no build of {0} is in quarantine")]
    NotQuarantined(String),
    #[error("{0} has no build before the one in force")]
    NoPrevious(String),
    #[error("{0} is not disabled")]
    NotDisabled(String),
    #[error("{0} is not pinned")]
    NotPinned(String),
    #[error("no build of {0} waits to be accepted; `--build` names one")]
    NothingWaits(String),
    #[error("it is in force now, but will be lost at a restart: {0}")]
    Unwritten(String),
}

impl From<io::Error> for DecisionError {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error.to_string())
    }
}

/// The state of the plugins at one moment, against which commands are checked.
pub(crate) struct PluginKnowledge<'a> {
    pub(crate) rows: &'a [PluginStatus],
    pub(crate) known_good: &'a KnownGood,
    pub(crate) policy: &'a Policy,
    pub(crate) crashes: &'a Crashes,
}

impl PluginKnowledge<'_> {
    /// Applies a decision, and returns a sentence about the result.
    pub(crate) fn decide(&self, plugin: &str, decision: PluginDecision) -> Result<String, DecisionError> {
        self.check_name(plugin)?;
        let builds = self.builds(plugin);
        match decision {
            PluginDecision::Quarantine { build, reason } => {
                let digest = self.chosen(plugin, build, &builds)?;
                self.quarantine(plugin, digest, &builds, &reason)?;
                Ok(format!("the build {} of {plugin} is in quarantine", short(digest)))
            }
            PluginDecision::Rollback { reason } => {
                let digest = self.active(plugin)?;
                let good = self.known_good.get(plugin).ok_or_else(|| DecisionError::NoPrevious(plugin.to_owned()))?;
                let is_other = |other: &Digest| *other != digest && self.policy.rejection(*other, plugin).is_none();
                let previous = good.builds().map(|build| build.digest).find(is_other);
                let previous = previous.ok_or_else(|| DecisionError::NoPrevious(plugin.to_owned()))?;
                self.quarantine(plugin, digest, &builds, &reason)?;
                let (from, to) = (short(digest), short(previous));
                Ok(format!("{plugin} goes back from the build {from}, which is in quarantine, to {to}"))
            }
            PluginDecision::Release { build } => self.release(plugin, build, &builds),
            PluginDecision::Enable => {
                if !self.policy.decisions().disabled.contains_key(plugin) {
                    return Err(DecisionError::NotDisabled(plugin.to_owned()));
                }
                self.policy.change(|decisions| drop(decisions.disabled.remove(plugin)))?;
                Ok(format!("{plugin} is enabled"))
            }
            PluginDecision::Disable { reason } => {
                self.policy.change(|decisions| drop(decisions.disabled.insert(plugin.to_owned(), reason)))?;
                Ok(format!("{plugin} is disabled"))
            }
            PluginDecision::Pin { build } => {
                let digest = self.chosen(plugin, build, &builds)?;
                self.policy.change(|decisions| decisions.pinned.extend([(plugin.to_owned(), digest)]))?;
                Ok(format!("{plugin} is pinned to the build {}", short(digest)))
            }
            PluginDecision::Unpin => {
                if !self.policy.decisions().pinned.contains_key(plugin) {
                    return Err(DecisionError::NotPinned(plugin.to_owned()));
                }
                self.policy.change(|decisions| decisions.pinned.retain(|name, _| name != plugin))?;
                Ok(format!("{plugin} is not pinned any more"))
            }
            PluginDecision::Accept { build } => {
                let digest = match build {
                    Some(_) => self.chosen(plugin, build, &builds)?,
                    None => self.waiting(plugin)?,
                };
                self.policy.change(|decisions| decisions.accepted.extend([(plugin.to_owned(), digest)]))?;
                Ok(format!("the build {} of {plugin} is accepted", short(digest)))
            }
        }
    }

    fn check_name(&self, plugin: &str) -> Result<(), DecisionError> {
        let decisions = self.policy.decisions();
        let mut known: Vec<&str> = self.rows.iter().map(|row| row.plugin.as_str()).collect();
        known.extend(self.known_good.iter().map(|(name, _)| name.as_str()));
        known.extend(decisions.disabled.keys().chain(decisions.pinned.keys()).map(String::as_str));
        known.extend(decisions.quarantined.values().map(|quarantine| quarantine.plugin.as_str()));
        if known.contains(&plugin) {
            return Ok(());
        }
        known.retain(|name| !name.is_empty());
        known.sort_unstable();
        known.dedup();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(DecisionError::NoPlugin { name: plugin.to_owned(), known })
    }

    /// All known builds of a plugin, each with its version.
    fn builds(&self, plugin: &str) -> BTreeMap<Digest, String> {
        let rows = self.rows.iter().filter(|row| row.plugin == plugin);
        let rows = rows.filter_map(|row| Some((Digest::try_from(row.digest.clone()).ok()?, row.version.clone())));
        let good = self.known_good.get(plugin).into_iter().flat_map(GoodPlugin::builds);
        let good = good.map(|build| (build.digest, build.version.clone()));
        let decisions = self.policy.decisions();
        let quarantined = decisions.quarantined.into_iter().filter(|(_, quarantine)| quarantine.plugin == plugin);
        let quarantined = quarantined.map(|(digest, quarantine)| (digest, quarantine.version));
        rows.chain(good).chain(quarantined).collect()
    }

    fn active(&self, plugin: &str) -> Result<Digest, DecisionError> {
        let active = self.rows.iter().find(|row| row.plugin == plugin && [ACTIVE, STUCK].contains(&row.state));
        let digest = active.and_then(|row| Digest::try_from(row.digest.clone()).ok());
        digest.ok_or_else(|| DecisionError::NotActive(plugin.to_owned()))
    }

    /// The build that waits to be accepted.
    fn waiting(&self, plugin: &str) -> Result<Digest, DecisionError> {
        let waiting = self.rows.iter().find(|row| row.plugin == plugin && row.state == WAITING);
        let digest = waiting.and_then(|row| Digest::try_from(row.digest.clone()).ok());
        digest.ok_or_else(|| DecisionError::NothingWaits(plugin.to_owned()))
    }

    /// The named build, or the one in force.
    fn chosen(
        &self,
        plugin: &str,
        build: Option<String>,
        builds: &BTreeMap<Digest, String>,
    ) -> Result<Digest, DecisionError> {
        let Some(build) = build else { return self.active(plugin) };
        let text = build.to_ascii_lowercase();
        let mut named = builds.keys().filter(|digest| digest.to_string().starts_with(&text));
        match (named.next(), named.next()) {
            (Some(digest), None) if text.len() >= DIGITS_MIN => Ok(*digest),
            // A full digest may name a build that was never seen.
            _ if Digest::try_from(text.clone()).is_ok() => Ok(Digest::try_from(text).unwrap_or_default()),
            _ => {
                let known: Vec<String> = builds.keys().map(|digest| short(*digest)).collect();
                Err(DecisionError::NoBuild { plugin: plugin.to_owned(), build, known: known.join(", ") })
            }
        }
    }

    fn quarantine(
        &self,
        plugin: &str,
        digest: Digest,
        builds: &BTreeMap<Digest, String>,
        reason: &str,
    ) -> io::Result<()> {
        let version = builds.get(&digest).map_or("", String::as_str);
        self.policy.quarantine(digest, plugin, version, reason)
    }

    fn release(
        &self,
        plugin: &str,
        build: Option<String>,
        builds: &BTreeMap<Digest, String>,
    ) -> Result<String, DecisionError> {
        let released: Vec<Digest> = match build {
            Some(build) => vec![self.chosen(plugin, Some(build), builds)?],
            None => builds.keys().copied().collect(),
        };
        let quarantined = self.policy.decisions().quarantined;
        let decided = released.iter().filter(|digest| quarantined.contains_key(digest)).count();
        let crashed = self.crashes.release(&released)?;
        if decided + crashed == 0 {
            return Err(DecisionError::NotQuarantined(plugin.to_owned()));
        }
        self.policy.change(|decisions| decisions.quarantined.retain(|digest, _| !released.contains(digest)))?;
        let released = released.iter().map(|digest| short(*digest)).collect::<Vec<_>>().join(", ");
        Ok(format!("builds of {plugin} that are not in quarantine: {released}"))
    }
}

/// Enough digits to tell builds apart.
pub(crate) fn short(digest: Digest) -> String {
    digest.to_string().chars().take(DIGITS_MIN + 4).collect()
}
