//! Plugins: `[plugins.limits.<plugin>]` with the limits of one, and `[plugins.<plugin>]` with the hosts that one
//! may read and the protocols that it must not serve.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use portolan_abi::off_chain::check_host;
use portolan_base::net::off_chain::{HostGrants, Mirror};
use portolan_plugins::limits::{DEFAULT, Limits, PluginLimits, SANDBOX_PARTS};
use serde::Deserialize;

use super::ConfigError;
use super::form::ValueOrigin;
use super::layers::Layers;

/// A longer call would occupy a thread of the host for longer than any answer waits.
pub(super) const RESUME_MS: RangeInclusive<u64> = 1..=60_000;

/// A longer job would outlive every answer.
pub(super) const JOB_MS: RangeInclusive<u64> = 1..=120_000;

/// Less does not hold a large catalogue.
pub(super) const MEMORY_MIB: RangeInclusive<u64> = 16..=65_536;

/// Eight workers use eight cores at most, and less than a tenth of one answers nothing in time.
pub(super) const CPU_PERCENT: RangeInclusive<u64> = 10..=800;

/// More than all answers at once have for a plugin of some hundred protocols.
pub(super) const JOBS_MAX: RangeInclusive<u64> = 1..=1_000_000;

/// The interface allows no larger answers.
pub(super) const ANSWER_MIB: RangeInclusive<u64> = 1..=DEFAULT.answer_mib;

/// Maximum hosts that one plugin may read: as many as a catalogue declares, and some for later versions.
const HOSTS_MAX: usize = 16;

/// The limits of one plugin.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "the limits of a plugin")]
pub(super) struct LimitsTable {
    resume_ms: Option<u64>,
    job_ms: Option<u64>,
    memory_mib: Option<u64>,
    cpu_percent: Option<u64>,
    jobs_max: Option<u64>,
    answer_mib: Option<u64>,
}

/// The table of one plugin.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "the table of a plugin")]
pub(super) struct GrantTable {
    hosts: Vec<String>,
    /// By host.
    mirrors: BTreeMap<String, String>,
    leave_out: BTreeSet<String>,
}

/// Checks the parts of the sandbox that a kernel may lack.
pub(super) fn sandbox_parts(parts: &[String], _: ValueOrigin<'_>) -> Result<BTreeSet<String>, String> {
    let unknown = parts.iter().find(|part| !SANDBOX_PARTS.contains(&part.as_str()));
    match unknown {
        Some(part) => Err(format!("{part} is not a part of the sandbox: {}", SANDBOX_PARTS.join(", "))),
        None => Ok(parts.iter().cloned().collect()),
    }
}

/// Reads the tables of plugins; `all` has the limits of those without any.
pub(super) fn read(
    all: Limits,
    limits: &BTreeMap<String, LimitsTable>,
    grants: &BTreeMap<String, GrantTable>,
    layers: &Layers<'_>,
) -> Result<PluginLimits, ConfigError> {
    let own = limits.iter().map(|(name, table)| Ok((name.clone(), table.limits(name, all, layers)?)));
    let hosts = grants.iter().map(|(name, table)| Ok((name.clone(), table.grants(name, layers)?)));
    let leave_out = grants.iter().map(|(name, table)| (name.clone(), Arc::new(table.leave_out.clone())));
    Ok(PluginLimits {
        all,
        own: own.collect::<Result<_, _>>()?,
        hosts: hosts.collect::<Result<_, _>>()?,
        leave_out: leave_out.collect(),
        ..PluginLimits::default()
    })
}

impl LimitsTable {
    fn limits(self, plugin: &str, all: Limits, layers: &Layers<'_>) -> Result<Limits, ConfigError> {
        let check = |key: &str, number: u64, range: &RangeInclusive<u64>| {
            let reason = || format!("{number} is not a whole number from {} to {}", range.start(), range.end());
            let place = || layers.place(&format!("plugins.limits.{plugin}.{key}"));
            range.contains(&number).then_some(number).ok_or_else(|| ConfigError::new(place(), reason()))
        };
        Ok(Limits {
            resume_ms: check("resume_ms", self.resume_ms.unwrap_or(all.resume_ms), &RESUME_MS)?,
            job_ms: check("job_ms", self.job_ms.unwrap_or(all.job_ms), &JOB_MS)?,
            memory_mib: check("memory_mib", self.memory_mib.unwrap_or(all.memory_mib), &MEMORY_MIB)?,
            cpu_percent: check("cpu_percent", self.cpu_percent.unwrap_or(all.cpu_percent), &CPU_PERCENT)?,
            jobs_max: check("jobs_max", self.jobs_max.unwrap_or(all.jobs_max), &JOBS_MAX)?,
            answer_mib: check("answer_mib", self.answer_mib.unwrap_or(all.answer_mib), &ANSWER_MIB)?,
        })
    }
}

impl GrantTable {
    fn grants(&self, plugin: &str, layers: &Layers<'_>) -> Result<HostGrants, ConfigError> {
        let bad =
            |key: &str, reason: String| ConfigError::new(layers.place(&format!("plugins.{plugin}.{key}")), reason);
        if self.hosts.len() > HOSTS_MAX {
            return Err(bad("hosts", format!("names more than {HOSTS_MAX} hosts")));
        }
        let mut grants = BTreeMap::new();
        for host in &self.hosts {
            check_host(host).map_err(|error| bad("hosts", error.to_string()))?;
            grants.insert(host.clone(), None);
        }
        for (host, text) in &self.mirrors {
            let key = format!("mirrors.{host}");
            let grant = grants.get_mut(host).ok_or_else(|| bad(&key, "is not one of the plugin's hosts".to_owned()))?;
            *grant = Some(Mirror::parse(text).map_err(|error| bad(&key, format!("{text} {error}")))?);
        }
        Ok(HostGrants(grants))
    }
}
