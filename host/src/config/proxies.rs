//! Networks of proxies, as `clients.trusted_proxies` lists them.

use std::net::IpAddr;

use ipnet::IpNet;

use super::form::ValueOrigin;

/// Many more than anybody has proxies.
const PROXIES_MAX: usize = 256;

/// Parses networks of proxies; an address is a network of its own.
pub(super) fn networks(texts: &[String], _: ValueOrigin<'_>) -> Result<Vec<IpNet>, String> {
    if texts.len() > PROXIES_MAX {
        return Err(format!("{} entries are more than {PROXIES_MAX}", texts.len()));
    }
    texts.iter().map(|text| network(text)).collect()
}

fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    let refusal = || format!("{text} is neither an address nor a network, like 10.0.0.0/8");
    // A bit beyond the prefix is a mistake in one of the two.
    network.filter(|network| network.addr() == network.network()).ok_or_else(refusal)
}
