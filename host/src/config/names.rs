//! Names: `[names]`. Invariant: a gateway that the operator names is a host, not a URL.

use portolan_assets::names::{GatewayHost, NameSettings, UNIVERSAL_RESOLVER};

use super::ConfigError;
use super::file::NamesTable;
use super::layer::Layers;
use crate::address;

/// Maximum number of gateway hosts. Only gateways in the operator's own network need one.
const HOSTS_MAX: usize = 64;
/// Disables the universal resolver, so that only the registry is read.
const NONE: &str = "none";

pub(super) fn read(table: &NamesTable, layers: &Layers<'_>) -> Result<NameSettings, ConfigError> {
    let bad = |key: &str, reason: String| ConfigError::new(layers.place(&format!("names.{key}")), reason);
    let universal_resolver = match table.universal_resolver.as_deref() {
        None => Some(UNIVERSAL_RESOLVER),
        Some(NONE) => None,
        Some(text) => Some(address::parse(text).map_err(|error| bad("universal_resolver", format!("{text} {error}")))?),
    };
    let hosts = table.gateway_hosts.iter().zip(1..).map(|(text, number)| {
        GatewayHost::parse(text).map_err(|error| bad("gateway_hosts", format!("host {number} {error}")))
    });
    if table.gateway_hosts.len() > HOSTS_MAX {
        return Err(bad("gateway_hosts", format!("names more than {HOSTS_MAX} hosts")));
    }
    Ok(NameSettings { universal_resolver, gateway_hosts: hosts.collect::<Result<_, _>>()? })
}
