//! Contracts of the exchanges, and the factories that know their pools: one row each. A settings file adds rows.
//!
//! Sources: <https://docs.bancor.network>, <https://docs.carbondefi.xyz>, <https://docs.mav.xyz>,
//! <https://github.com/Instadapp/fluid-contracts-public/blob/main/deployments/deployments.md>.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Known, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, BASE, BSC, ETHEREUM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: &[Listed] = &[
    ("bancor", ETHEREUM, "network", &["bancor"], &[address!("0xeef417e1d5cc832e619ae18d2f140de2999dd4fb")]),
    ("bancor", ETHEREUM, "carbon", &["bancor"], &[address!("0xc537e898cd774e2dcba3b14ea6f34c93d5ea45e1")]),
];

const KNOWN: &[Known] = &[
    (
        "maverick",
        ETHEREUM,
        "pools-v1",
        &["maverick-v1"],
        address!("0xeb6625d65a0553c9dbc64449e56abfe519bd9c9b"),
        "isFactoryPool",
    ),
    (
        "maverick",
        BSC,
        "pools-v1",
        &["maverick-v1"],
        address!("0x76311728ff86054ad4ac52d2e9ca005bc702f589"),
        "isFactoryPool",
    ),
    (
        "maverick",
        BASE,
        "pools-v1",
        &["maverick-v1"],
        address!("0xb2855783a346735e4aae0c1eb894def861fa9b45"),
        "isFactoryPool",
    ),
    (
        "maverick",
        ETHEREUM,
        "pools-v2",
        &["maverick-v2"],
        address!("0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e"),
        "isFactoryPool",
    ),
    (
        "maverick",
        BSC,
        "pools-v2",
        &["maverick-v2"],
        address!("0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e"),
        "isFactoryPool",
    ),
    (
        "maverick",
        BASE,
        "pools-v2",
        &["maverick-v2"],
        address!("0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e"),
        "isFactoryPool",
    ),
    (
        "maverick",
        ARBITRUM,
        "pools-v2",
        &["maverick-v2"],
        address!("0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e"),
        "isFactoryPool",
    ),
    ("fluid", ETHEREUM, "pools", &["fluid"], address!("0x91716c4eda1fb55e84bf8b4c7085f84285c19085"), "isDex"),
    ("fluid", POLYGON, "pools", &["fluid"], address!("0x91716c4eda1fb55e84bf8b4c7085f84285c19085"), "isDex"),
    ("fluid", BASE, "pools", &["fluid"], address!("0x91716c4eda1fb55e84bf8b4c7085f84285c19085"), "isDex"),
    ("fluid", ARBITRUM, "pools", &["fluid"], address!("0x91716c4eda1fb55e84bf8b4c7085f84285c19085"), "isDex"),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED.iter().copied()).chain(shipped::known(KNOWN.iter().copied()))
}

const PROTOCOLS: [Named; 3] = [
    ("bancor", "BANCOR", "https://bancor.network", &["POOLING"], ("Bancor", "bancor")),
    ("maverick", "MAVERICK", "https://mav.xyz", &["POOLING"], ("Maverick", "maverick")),
    ("fluid", "FLUID", "https://fluid.io", &["POOLING"], ("Fluid", "fluid")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
