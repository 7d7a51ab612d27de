//! Balancer's vaults, one row each. A settings file adds rows.
//!
//! Sources: <https://docs.balancer.fi/developer-reference/contracts/deployment-addresses/mainnet.html> and its
//! neighbours; <https://docs.beets.fi>.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Known, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, ETHEREUM, FANTOM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: &[Listed] = &[
    ("balancer", ETHEREUM, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", OPTIMISM, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", POLYGON, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", BASE, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", ARBITRUM, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", AVALANCHE, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", ETHEREUM, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", OPTIMISM, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", BASE, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", ARBITRUM, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", AVALANCHE, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("beethovenx", FANTOM, "vault-v2", &["v2"], &[address!("0x20dd72ed959b6147912c2e529f0a0c651c33c9ce")]),
];

const KNOWN: &[Known] =
    &[("balancer", ETHEREUM, "pools-v1", &["v1"], address!("0x9424b1412450d0f8fc2255faf6046b98213b76bd"), "isBPool")];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED.iter().copied()).chain(shipped::known(KNOWN.iter().copied()))
}

const PROTOCOLS: [Named; 2] = [
    ("balancer", "BALANCER", "https://balancer.fi", &["POOLING"], ("Balancer", "balancer")),
    ("beethovenx", "BEETHOVENX", "https://beets.fi", &["POOLING"], ("Beethoven X", "beethovenx")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
