//! The rows of `/plugins`: one for each plugin, with the reason if it is not in force.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Instant, SystemTime};

use portolan_base::net::off_chain::HostStatus;
use portolan_validation::ClaimStatus;
use serde::Serialize;

use crate::files::manifest::Manifest;
use crate::files::staging::Digest;
use crate::load::examine::{Refusal, RefusalKind};
use crate::load::library::Library;
use crate::load::runner::Runner;
use crate::load::runner::call::STUCK_MAX;
use crate::load::worker::sandbox::SandboxStatus;
use crate::serve::fact_lists::{FactListStatus, FactLists};
use crate::serve::instance::{Instance, file_name};
use crate::serve::job_figures::{JobFigures, JobFiguresStatus};
use crate::serve::targets::TargetStatus;
use crate::serve::without_code::{WithoutCode, WithoutCodeStatus};
use crate::trust::breaker::{BreakerStatus, Breakers};
use crate::trust::capabilities::Capabilities;
use crate::trust::job_failures::{JobFailureStatus, JobFailures};
use crate::trust::known_good::KnownGood;
use crate::trust::signature::SignatureStatus;

/// A row of `/plugins`. The serialized names are stable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginStatus {
    /// Empty if the file does not name it.
    pub plugin: String,
    /// File name in the plugins folder.
    pub file: String,
    /// Empty if the file could not be read.
    pub(crate) digest: String,
    pub version: String,
    pub(crate) api_rev: u32,
    /// One of `ACTIVE`, `STUCK`, `REJECTED`, `WAITING`, `QUARANTINED`, `DISABLED`, `DRAINING`.
    pub state: &'static str,
    /// Reason why it is not in force or, for an active plugin, why its newest settings are not.
    pub reason: Option<String>,
    /// Signature of a plugin in force; `None` if signatures are off.
    pub(crate) signature: Option<SignatureStatus>,
    pub(crate) protocols: Vec<String>,
    /// The generation that it came into force with; 0 if it never did.
    pub(crate) generation: u64,
    /// Where its code runs: `worker` or `in-process`.
    pub(crate) isolation: &'static str,
    /// What is in force of a worker's sandbox; `None` in the host's process.
    pub(crate) sandbox: Option<SandboxStatus>,
    /// What it may do.
    pub capabilities: Capabilities,
    /// Chain ids of deployments that are not served because this host does not know the chain.
    pub(crate) unknown_networks: Vec<u64>,
    /// The functions of its claims.
    pub(crate) claims: Vec<ClaimStatus>,
    /// The views whose replies permit further addresses in claims, beside `targets`.
    pub(crate) lineages: Vec<String>,
    /// The contracts that its claims may call or name.
    pub(crate) targets: Vec<TargetStatus>,
    /// The hosts that it declares.
    pub(crate) hosts: Vec<HostStatus>,
    /// What its jobs came to since its build and settings came in force.
    pub(crate) jobs: JobFiguresStatus,
    /// The latest failures of its jobs.
    pub(crate) failures: Vec<JobFailureStatus>,
    /// Listed contracts that its jobs found without code.
    pub(crate) without_code: Vec<WithoutCodeStatus>,
    /// The breakers of its jobs, by network.
    pub breakers: Vec<BreakerStatus>,
    /// The fact lists of its jobs.
    pub(crate) lists: Vec<FactListStatus>,
    /// Processor time of its code since it was loaded, in microseconds.
    pub(crate) cpu_us: u64,
    /// Memory of its workers, without pages of files; `None` if it is not known, as in the host's process.
    pub(crate) memory_bytes: Option<u64>,
    #[serde(serialize_with = "portolan_base::rfc3339::serialize")]
    pub(crate) loaded_at: Option<SystemTime>,
}

/// Where the code of plugins runs. The serialized names are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IsolationStatus {
    /// `worker` or `in-process`.
    pub(crate) isolation: &'static str,
    /// What is in force of the workers' sandbox; `None` before the first one, and in the host's process.
    pub(crate) sandbox: Option<SandboxStatus>,
}

impl PluginStatus {
    /// All states of a row.
    pub const STATES: [&str; 7] = [ACTIVE, STUCK, REJECTED, WAITING, QUARANTINED, DISABLED, DRAINING];

    /// All steps that refuse a file or settings, as the metric of refusals names them.
    pub const REFUSAL_STEPS: [&str; 7] = ["load", "settings", "slug", "signature", "quarantine", "disabled", "pin"];

    /// A row for a loaded library.
    pub(crate) fn of(library: &Library, file: &Path) -> Self {
        Self { sandbox: library.sandbox, ..Self::new(file, Some(library.digest), Some(&library.manifest)) }
    }

    /// A row for a library that was loaded and is not in force.
    pub(crate) fn not_in_force(state: &'static str, library: &Library, file: &Path, reason: String) -> Self {
        Self { state, reason: Some(reason), ..Self::of(library, file) }
    }

    /// A row for a file that was not loaded.
    pub(crate) fn refused(refusal: &Refusal, file: &Path) -> Self {
        let row = Self::new(file, refusal.digest, refusal.manifest.as_ref());
        let state = match refusal.kind {
            RefusalKind::Rejected | RefusalKind::Unpinned | RefusalKind::Unsigned => REJECTED,
            RefusalKind::Quarantined => QUARANTINED,
            RefusalKind::Disabled => DISABLED,
        };
        Self { state, reason: Some(refusal.reason.clone()), ..row }
    }

    /// A row for a settings file that belongs to no plugin.
    pub(crate) fn without_plugin(file: String, reason: String) -> Self {
        Self { file, state: REJECTED, reason: Some(reason), ..Self::default() }
    }

    /// Its problem, as a clause; `None` if there is none.
    fn trouble(&self) -> Option<String> {
        let is_well = [ACTIVE, DRAINING].contains(&self.state);
        let name = if self.plugin.is_empty() { &self.file } else { &self.plugin };
        let Some(reason) = self.reason.as_deref().or((!is_well).then_some("of unknown reason")) else {
            let paused = self.breakers.iter().find(|breaker| breaker.is_open())?;
            return Some(format!("{name} pauses on the chain {}, because its jobs failed", paused.chain_id));
        };
        (self.state != DRAINING).then(|| format!("{name} is {}: {reason}", self.state))
    }

    fn new(file: &Path, digest: Option<Digest>, manifest: Option<&Manifest>) -> Self {
        Self {
            plugin: manifest.map(|manifest| manifest.plugin.clone()).unwrap_or_default(),
            file: file_name(file),
            digest: digest.map(|digest| digest.to_string()).unwrap_or_default(),
            version: manifest.map(|manifest| manifest.version.clone()).unwrap_or_default(),
            api_rev: manifest.map(|manifest| manifest.api_rev).unwrap_or_default(),
            ..Self::default()
        }
    }
}

pub(crate) const ACTIVE: &str = "active";
/// In force, but so many of its calls do not return that no more are made.
pub(crate) const STUCK: &str = "stuck";
pub(crate) const REJECTED: &str = "rejected";
/// The operator has to accept its new capabilities.
pub(crate) const WAITING: &str = "waiting";
pub(crate) const DRAINING: &str = "draining";
/// Not run because the build misbehaved or the operator quarantined it.
pub(crate) const QUARANTINED: &str = "quarantined";
/// Not run because the operator disabled the plugin.
pub(crate) const DISABLED: &str = "disabled";

/// Live data of an active plugin.
#[derive(Clone, Debug)]
pub(crate) struct ActivePlugin {
    /// Counts stuck calls, processor time and memory.
    pub(crate) runner: Arc<dyn Runner>,
    pub(crate) jobs: Arc<JobFigures>,
    pub(crate) failures: Arc<JobFailures>,
    pub(crate) without_code: Arc<WithoutCode>,
    pub(crate) breakers: Arc<Breakers>,
    pub(crate) fact_lists: Arc<FactLists>,
}

/// The rows at one moment. Old instances leave it when their last job ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatusReport {
    /// Rows of active and rejected plugins.
    pub(crate) rows: Vec<PluginStatus>,
    /// Live data of the active plugins, by digest.
    pub(crate) active: BTreeMap<String, ActivePlugin>,
    pub(crate) draining: Vec<DrainingInstance>,
    pub(crate) known_good: Arc<KnownGood>,
}

/// An instance that is not served any more.
#[derive(Clone, Debug)]
pub(crate) struct DrainingInstance {
    pub(crate) row: PluginStatus,
    pub(crate) instance: Weak<Instance>,
}

impl DrainingInstance {
    pub(crate) fn is_draining(&self) -> bool {
        self.instance.strong_count() > 0
    }
}

impl StatusReport {
    /// All rows, those of old instances last.
    pub(crate) fn rows(&self) -> Vec<PluginStatus> {
        let draining = self.draining.iter().filter(|draining| draining.is_draining());
        let draining = draining.map(|draining| PluginStatus { state: DRAINING, reason: None, ..draining.row.clone() });
        let rows = self.rows.iter().cloned().map(|mut row| {
            if let Some(ActivePlugin { jobs, failures, without_code, fact_lists, runner, .. }) = self.active(&row) {
                row.jobs = jobs.status();
                (row.lists, row.failures) = (fact_lists.status(Instant::now()), failures.status());
                row.without_code = without_code.status();
                row.cpu_us = u64::try_from(runner.cpu().as_micros()).unwrap_or(u64::MAX);
                row.memory_bytes = runner.memory_bytes();
            }
            self.with_health(row)
        });
        rows.chain(draining).collect()
    }

    /// The problems of plugins, each as a clause.
    pub(crate) fn troubles(&self) -> Vec<String> {
        // Called several times a second, so it leaves out the long lists of a row.
        let brief = |row: &PluginStatus| PluginStatus {
            plugin: row.plugin.clone(),
            file: row.file.clone(),
            digest: row.digest.clone(),
            state: row.state,
            reason: row.reason.clone(),
            unknown_networks: row.unknown_networks.clone(),
            ..PluginStatus::default()
        };
        self.rows.iter().filter_map(|row| self.with_health(brief(row)).trouble()).collect()
    }

    fn active(&self, row: &PluginStatus) -> Option<&ActivePlugin> {
        self.active.get(&row.digest).filter(|_| row.state == ACTIVE)
    }

    fn with_health(&self, mut row: PluginStatus) -> PluginStatus {
        let Some(ActivePlugin { runner, breakers, .. }) = self.active(&row) else { return row };
        row.breakers = breakers.status(Instant::now());
        let stuck = runner.stuck();
        if stuck > 0 {
            row.state = if stuck < STUCK_MAX { ACTIVE } else { STUCK };
            let stuck = format!("{stuck} of its calls do not return; at {STUCK_MAX} no more are made");
            row.reason = Some(row.reason.map_or(stuck.clone(), |reason| format!("{reason}; {stuck}")));
        }
        row
    }
}
