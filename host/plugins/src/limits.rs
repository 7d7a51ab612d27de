//! Operators' settings of plugins: isolation, limits, hosts that one may read, and protocols that it must not serve.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_base::net::off_chain::HostGrants;

/// Limits of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum duration of one call into the plugin; in a worker, of its processor time.
    pub resume_ms: u64,
    /// Maximum duration of a job, its reads included.
    pub job_ms: u64,
    /// Maximum memory of a worker in MiB, beyond what an idle one has.
    pub memory_mib: u64,
    /// Maximum processor time of its workers, in percent of one core over each second.
    pub cpu_percent: u64,
    /// Maximum open jobs in its workers.
    pub jobs_max: u64,
    /// Maximum size of one answer of a worker in MiB.
    pub answer_mib: u64,
}

/// The limits of a plugin that the configuration does not name.
pub const DEFAULT: Limits =
    Limits { resume_ms: 1000, job_ms: 5000, memory_mib: 256, cpu_percent: 800, jobs_max: 65_536, answer_mib: 32 };

/// Where the code of plugins runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// In sandboxed processes of their own.
    #[default]
    Worker,
    /// In the host's process, which a plugin can then end, and read.
    InProcess,
}

impl Isolation {
    /// Its name in the configuration and in `/plugins`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::InProcess => "in-process",
        }
    }
}

/// The parts of a worker's sandbox that a kernel may lack.
pub const SANDBOX_PARTS: [&str; 2] = ["landlock", "seccomp"];

/// Treatment of a build that may do more than the build before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewCapabilities {
    /// It is not served until the operator accepts it.
    Wait,
    /// It is served, and the log names what is new.
    #[default]
    Log,
}

/// The settings of all plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginLimits {
    pub isolation: Isolation,
    pub new_capabilities: NewCapabilities,
    /// Parts of the sandbox that the kernel need not have: names of [`SANDBOX_PARTS`].
    pub sandbox_may_lack: BTreeSet<String>,
    pub all: Limits,
    /// Limits by plugin name.
    pub own: BTreeMap<String, Limits>,
    /// Granted hosts by plugin name.
    pub hosts: BTreeMap<String, HostGrants>,
    /// Excluded slugs by plugin name.
    pub leave_out: BTreeMap<String, Arc<BTreeSet<String>>>,
    /// Maximum bytes of the fact lists of all plugins.
    pub fact_lists_bytes: usize,
}

/// Maximum bytes of the fact lists of all plugins, unless memory limits them further.
pub const FACT_LISTS_BYTES: u64 = 256 << 20;

impl PluginLimits {
    /// Sets the maximum bytes of the fact lists.
    pub fn with_fact_lists(self, bytes: u64) -> Self {
        Self { fact_lists_bytes: usize::try_from(bytes).unwrap_or(usize::MAX), ..self }
    }

    /// The limits of this plugin.
    pub fn of(&self, plugin: &str) -> Limits {
        self.own.get(plugin).copied().unwrap_or(self.all)
    }

    /// The hosts that the operator grants this plugin.
    pub fn grants(&self, plugin: &str) -> HostGrants {
        self.hosts.get(plugin).cloned().unwrap_or_default()
    }

    /// The slugs that this plugin must not serve.
    pub fn left_out(&self, plugin: &str) -> Arc<BTreeSet<String>> {
        self.leave_out.get(plugin).cloned().unwrap_or_default()
    }
}

impl Default for PluginLimits {
    fn default() -> Self {
        Self {
            isolation: Isolation::default(),
            new_capabilities: NewCapabilities::default(),
            sandbox_may_lack: BTreeSet::new(),
            all: DEFAULT,
            own: BTreeMap::new(),
            hosts: BTreeMap::new(),
            leave_out: BTreeMap::new(),
            fact_lists_bytes: usize::try_from(FACT_LISTS_BYTES).unwrap_or(usize::MAX),
        }
    }
}
