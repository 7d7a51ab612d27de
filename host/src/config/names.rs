//! Names: `[names]`. Invariant: a gateway that the operator names is a host, not a URL.

use alloy::primitives::Address;
use portolan_assets::names::GatewayHost;

use super::form::ValueOrigin;
use crate::address;

/// Maximum number of gateway hosts. Only gateways in the operator's own network need one.
const HOSTS_MAX: usize = 64;
/// Disables the universal resolver, so that only the registry is read.
const NONE: &str = "none";

pub(super) fn universal_resolver(text: &str) -> Result<Option<Address>, String> {
    match text {
        NONE => Ok(None),
        text => address::parse(text).map(Some).map_err(|error| format!("{text} {error}")),
    }
}

pub(super) fn gateway_hosts(texts: &[String], _: ValueOrigin<'_>) -> Result<Vec<GatewayHost>, String> {
    if texts.len() > HOSTS_MAX {
        return Err(format!("names more than {HOSTS_MAX} hosts"));
    }
    let hosts = texts.iter().zip(1..);
    hosts.map(|(text, number)| GatewayHost::parse(text).map_err(|error| format!("host {number} {error}"))).collect()
}
