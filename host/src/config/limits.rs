//! Limits of plugins: `[plugins.limits]` for all, `[plugins.limits.<plugin>]` for one.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use portolan_plugins::limits::{DEFAULT, Limits, PluginLimits};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::ConfigError;
use super::layer::Layers;

/// A longer call would occupy a thread of the host for longer than any answer waits.
const RESUME_MS: RangeInclusive<u64> = 1..=60_000;

/// A longer job would outlive every answer.
const JOB_MS: RangeInclusive<u64> = 1..=120_000;

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    resume_ms: Option<u64>,
    job_ms: Option<u64>,
}

/// The table as written.
#[derive(Debug, Default)]
pub(super) struct PluginLimitsTable {
    all: LimitsTable,
    plugins: BTreeMap<String, LimitsTable>,
}

impl PluginLimitsTable {
    pub(super) fn checked(&self, layers: &Layers<'_>) -> Result<PluginLimits, ConfigError> {
        let all = self.all.over(DEFAULT, "plugins.limits", layers)?;
        let one = |(plugin, table): (&String, &LimitsTable)| {
            Ok((plugin.clone(), table.over(all, &format!("plugins.limits.{plugin}"), layers)?))
        };
        let own = self.plugins.iter().map(one).collect::<Result<_, _>>()?;
        Ok(PluginLimits { all, own, ..PluginLimits::default() })
    }
}

impl LimitsTable {
    fn over(self, default: Limits, table: &str, layers: &Layers<'_>) -> Result<Limits, ConfigError> {
        let checked = |key: &str, setting: Option<u64>, default: u64, range: &RangeInclusive<u64>| match setting {
            Some(setting) if !range.contains(&setting) => {
                let reason = format!("{setting} is not a whole number from {} to {}", range.start(), range.end());
                Err(ConfigError::new(layers.place(&format!("{table}.{key}")), reason))
            }
            setting => Ok(setting.unwrap_or(default)),
        };
        Ok(Limits {
            resume_ms: checked("resume_ms", self.resume_ms, default.resume_ms, &RESUME_MS)?,
            job_ms: checked("job_ms", self.job_ms, default.job_ms, &JOB_MS)?,
        })
    }
}

/// Written by hand: limits for all and tables of plugins share one table, and a derived flattening would take a
/// misspelt limit for a plugin.
impl<'de> Deserialize<'de> for PluginLimitsTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table;

        impl<'de> Visitor<'de> for Table {
            type Value = PluginLimitsTable;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a table of limits")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut table = PluginLimitsTable::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "resume_ms" => table.all.resume_ms = Some(map.next_value()?),
                        "job_ms" => table.all.job_ms = Some(map.next_value()?),
                        plugin if is_plugin_name(plugin) => {
                            let limits = map.next_value()?;
                            table.plugins.insert(key, limits);
                        }
                        _ => return Err(A::Error::custom(format!("unknown field `{key}`, expected {EXPECTED}"))),
                    }
                }
                Ok(table)
            }
        }

        deserializer.deserialize_map(Table)
    }
}

const EXPECTED: &str = "`resume_ms`, `job_ms` or the name of a plugin";

/// Returns true for kebab-case.
pub(super) fn is_plugin_name(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.split('-').all(is_part)
}
