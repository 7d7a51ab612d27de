//! Plugins: `[plugins]`, and `[plugins.<plugin>]` with the hosts that one may read and the protocols that it must not
//! serve.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use portolan_abi::off_chain::check_host;
use portolan_base::net::off_chain::{HostGrants, Mirror};
use portolan_plugins::limits::PluginLimits;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::ConfigError;
use super::layer::Layers;
use super::limits::{PluginLimitsTable, is_plugin_name};

/// Maximum hosts that one plugin may read: as many as a catalogue declares, and some for later versions.
const HOSTS_MAX: usize = 16;

/// The table as written.
#[derive(Debug, Default)]
pub(super) struct PluginsTable {
    pub(super) dir: Option<String>,
    pub(super) isolation: Option<String>,
    pub(super) limits: PluginLimitsTable,
    /// By name.
    plugins: BTreeMap<String, GrantTable>,
}

/// The table of one plugin.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "the table of a plugin")]
struct GrantTable {
    hosts: Vec<String>,
    /// By host.
    mirrors: BTreeMap<String, String>,
    leave_out: BTreeSet<String>,
}

impl PluginsTable {
    /// Reads the limits of plugins, with the hosts that each may read and the protocols that it leaves out.
    pub(super) fn limits(&self, layers: &Layers<'_>) -> Result<PluginLimits, ConfigError> {
        let grants = |(name, table): (&String, &GrantTable)| Ok((name.clone(), table.grants(name, layers)?));
        let hosts = self.plugins.iter().map(grants).collect::<Result<_, _>>()?;
        let leave_out = self.plugins.iter().map(|(name, table)| (name.clone(), Arc::new(table.leave_out.clone())));
        Ok(PluginLimits { hosts, leave_out: leave_out.collect(), ..self.limits.checked(layers)? })
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

/// Written by hand: keys and tables of plugins share one table, and a derived flattening would take a misspelt key for
/// a plugin.
impl<'de> Deserialize<'de> for PluginsTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PluginsVisitor;

        impl<'de> Visitor<'de> for PluginsVisitor {
            type Value = PluginsTable;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a table of plugins")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut table = PluginsTable::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "dir" => table.dir = Some(map.next_value()?),
                        "isolation" => table.isolation = Some(map.next_value()?),
                        "limits" => table.limits = map.next_value()?,
                        plugin if is_plugin_name(plugin) => {
                            let one = map.next_value()?;
                            table.plugins.insert(key, one);
                        }
                        _ => {
                            return Err(serde::de::Error::custom(format!(
                                "unknown field `{key}`, expected {EXPECTED}"
                            )));
                        }
                    }
                }
                Ok(table)
            }
        }

        deserializer.deserialize_map(PluginsVisitor)
    }
}

const EXPECTED: &str = "`dir`, `isolation`, `limits` or the name of a plugin";
