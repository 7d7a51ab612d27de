//! The time that plugins may take, the hosts that they may read, and the protocols that they may not serve.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::net::off_chain::HostGrants;

/// What one plugin may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// For one call into the plugin.
    pub(crate) resume_ms: u64,
    /// For a whole job, its reads included.
    pub(crate) job_ms: u64,
}

/// The limits of a plugin that the configuration does not name.
pub(crate) const DEFAULT: Limits = Limits { resume_ms: 1000, job_ms: 5000 };

/// The limits of every plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginLimits {
    pub(crate) all: Limits,
    /// By plugin name.
    pub(crate) own: BTreeMap<String, Limits>,
    /// By plugin name.
    pub(crate) hosts: BTreeMap<String, HostGrants>,
    /// Slugs, by plugin name.
    pub(crate) leave_out: BTreeMap<String, Arc<BTreeSet<String>>>,
    /// Bytes of what the jobs of all plugins derived from lists.
    pub(crate) fact_lists_bytes: usize,
}

/// Bytes of what the jobs of all plugins derived from lists, where memory is no bound.
pub(crate) const FACT_LISTS_BYTES: u64 = 256 << 20;

impl PluginLimits {
    /// The same limits, with so many bytes for what jobs derived from lists.
    pub(crate) fn with_fact_lists(self, bytes: u64) -> Self {
        Self { fact_lists_bytes: usize::try_from(bytes).unwrap_or(usize::MAX), ..self }
    }

    /// Those of the plugin with this name.
    pub(crate) fn of(&self, plugin: &str) -> Limits {
        self.own.get(plugin).copied().unwrap_or(self.all)
    }

    /// What the operator grants the plugin with this name.
    pub(crate) fn grants(&self, plugin: &str) -> HostGrants {
        self.hosts.get(plugin).cloned().unwrap_or_default()
    }

    /// The slugs that the plugin with this name does not serve.
    pub(crate) fn left_out(&self, plugin: &str) -> Arc<BTreeSet<String>> {
        self.leave_out.get(plugin).cloned().unwrap_or_default()
    }
}

impl Default for PluginLimits {
    fn default() -> Self {
        Self {
            all: DEFAULT,
            own: BTreeMap::new(),
            hosts: BTreeMap::new(),
            leave_out: BTreeMap::new(),
            fact_lists_bytes: usize::try_from(FACT_LISTS_BYTES).unwrap_or(usize::MAX),
        }
    }
}
