//! The JSON-RPC endpoints of each network.
//!
//! Invariant: all endpoints of a network come from one layer. The public defaults apply only if no layer names an
//! endpoint of any network. No error repeats a URL.

use std::collections::BTreeMap;

use portolan_base::network::{FORMS, Network, Networks};

use super::ConfigError;
use super::layers::{Layers, variable};
use super::networks::NetworkTable;
use super::settings::KEYS;
use portolan_networks::NETWORKS;
use portolan_reader::RpcUrl;

/// Maximum endpoints of a network; an answer's deadline has no room to try more.
const ENDPOINTS_MAX: usize = 16;

const FLAG: &str = "--rpc";
const VARIABLE: &str = "PORTOLAN_RPC_";

/// Endpoints by chain id.
type Endpoints = BTreeMap<u64, Vec<RpcUrl>>;

/// Reads the endpoints of each network that has any, in the order of networks.
pub(super) fn read(
    tables: &BTreeMap<String, NetworkTable>,
    networks: &Networks,
    layers: &Layers<'_>,
) -> Result<Vec<(u64, Vec<RpcUrl>)>, ConfigError> {
    let mut urls = of_file(tables, networks, layers)?;
    urls.extend(of_environment(networks, layers)?);
    urls.extend(of_flags(&layers.flags.rpc, networks)?);
    if urls.is_empty() {
        urls = public()?;
    }
    let of_network = |chain_id: u64| Some((chain_id, urls.remove(&chain_id)?)).filter(|(_, own)| !own.is_empty());
    Ok(networks.iter().map(|network| network.chain_id).filter_map(of_network).collect())
}

fn of_flags(flags: &[String], networks: &Networks) -> Result<Endpoints, ConfigError> {
    let mut endpoints = Endpoints::new();
    for flag in flags {
        let Some((name, url)) = flag.split_once('=') else {
            return Err(ConfigError::new(FLAG, "needs NETWORK=URL"));
        };
        let network = networks.named(name).ok_or_else(|| unknown(FLAG, name, networks))?;
        let place = format!("{FLAG} {name}");
        push(endpoints.entry(network.chain_id).or_default(), url, &place)?;
    }
    Ok(endpoints)
}

/// Reads variables such as `PORTOLAN_RPC_ETHEREUM`, by slug, name, chain id or CAIP-2 id, with underscores for hyphens
/// and colons.
fn of_environment(networks: &Networks, layers: &Layers<'_>) -> Result<Endpoints, ConfigError> {
    let mut endpoints = Endpoints::new();
    for (name, urls) in layers.environment.with_prefix(VARIABLE) {
        let place = format!("{VARIABLE}{name}");
        // The settings of the table `[rpc]` have variables that begin like those of networks.
        if KEYS.iter().any(|key| variable(key) == place) {
            continue;
        }
        let is_named = |text: &str| text.replace(['-', ':'], "_").eq_ignore_ascii_case(name);
        let is_it = |network: &Network| {
            is_named(&network.slug)
                || is_named(&network.name)
                || is_named(&network.chain_id.to_string())
                || is_named(&network.caip2())
        };
        let network = networks.iter().find(|network| is_it(network));
        let network = network.ok_or_else(|| unknown(&place, name, networks))?;
        let mut list = Vec::new();
        for url in urls.split(',').map(str::trim).filter(|url| !url.is_empty()) {
            push(&mut list, url, &place)?;
        }
        if endpoints.insert(network.chain_id, list).is_some() {
            return Err(ConfigError::new(place, format!("names the endpoints of {} a second time", network.slug)));
        }
    }
    Ok(endpoints)
}

fn of_file(
    tables: &BTreeMap<String, NetworkTable>,
    networks: &Networks,
    layers: &Layers<'_>,
) -> Result<Endpoints, ConfigError> {
    let mut endpoints = Endpoints::new();
    for (slug, table) in tables {
        let (Some(urls), Some(network)) = (&table.rpc, networks.named(slug)) else { continue };
        let place = table.place("rpc", layers);
        // An empty list is a setting too: this network has no endpoint.
        let list = endpoints.entry(network.chain_id).or_default();
        for url in urls {
            push(list, url, &place)?;
        }
    }
    Ok(endpoints)
}

/// Returns the public endpoints of the built-in networks.
fn public() -> Result<Endpoints, ConfigError> {
    let mut endpoints = Endpoints::new();
    for network in &NETWORKS {
        let list = endpoints.entry(network.chain_id).or_default();
        for url in network.public_rpc {
            push(list, url, "default endpoints")?;
        }
    }
    Ok(endpoints)
}

fn push(list: &mut Vec<RpcUrl>, url: &str, place: &str) -> Result<(), ConfigError> {
    if list.len() == ENDPOINTS_MAX {
        return Err(ConfigError::new(place, format!("has more than {ENDPOINTS_MAX} endpoints")));
    }
    list.push(url.parse::<RpcUrl>().map_err(|error| ConfigError::new(place, error.to_string()))?);
    Ok(())
}

fn unknown(place: &str, name: &str, networks: &Networks) -> ConfigError {
    let names: Vec<&str> = networks.iter().map(|network| network.slug.as_str()).collect();
    ConfigError::new(place, format!("unknown network {name}: give {FORMS}; the networks are {}", names.join(", ")))
}
