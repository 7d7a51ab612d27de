//! Curve's contracts, and the registries that know its pools and gauges: one row each. A settings file adds rows.
//!
//! Sources: <https://docs.curve.finance/references/deployed-contracts>; on other networks than Ethereum, the pools of
//! the stable factory of the new generation.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Known, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: &[Listed] = &[
    (
        "curve",
        ETHEREUM,
        "router",
        &["router"],
        &[
            address!("0x16c6521dff6bab339122a0fe25a9116693265353"),
            address!("0xf0d4c12a5768d806021f80a262b4d39d26c58b8d"),
            address!("0x99a58482bd75cbab83b27ec03ca68ff489b5788f"),
            address!("0x81c46feca27b31f3adc2b91ee4be9717d1cd3dd7"),
        ],
    ),
    ("curve", ETHEREUM, "minter", &["minter"], &[address!("0xd061d61a4d941c39e5453435b6345dc261c2fce0")]),
    ("curve", ETHEREUM, "escrow", &["escrow"], &[address!("0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2")]),
    (
        "curve",
        ETHEREUM,
        "distributor",
        &["distributor"],
        &[
            address!("0xa464e6dcda8ac41e03616f95f4bc98a13b8922dc"),
            address!("0xd16d5ec345dd86fb63c6a9c43c517210f1027914"),
        ],
    ),
];

const KNOWN: &[Known] = &[
    ("curve", ETHEREUM, "pools", &["pool"], address!("0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc"), "is_registered"),
    (
        "curve",
        ETHEREUM,
        "gauges",
        &["gauge"],
        address!("0x2f50d538606fa9edd2b11e2446beb18c9d5846bb"),
        "get_gauge_weight",
    ),
    ("curve", OPTIMISM, "pools-ng", &["pool"], address!("0x5eee3091f747e60a045a2e715a4c71e600e31f6e"), "get_n_coins"),
    ("curve", BSC, "pools-ng", &["pool"], address!("0xd7e72f3615aa65b92a4dbdc211e296a35512988b"), "get_n_coins"),
    ("curve", POLYGON, "pools-ng", &["pool"], address!("0x1764ee18e8b3cca4787249ceb249356192594585"), "get_n_coins"),
    ("curve", FANTOM, "pools-ng", &["pool"], address!("0xe61fb97ef6ebfba12b36ffd7be785c1f5a2de66b"), "get_n_coins"),
    ("curve", BASE, "pools-ng", &["pool"], address!("0xd2002373543ce3527023c75e7518c274a51ce712"), "get_n_coins"),
    ("curve", ARBITRUM, "pools-ng", &["pool"], address!("0x9af14d26075f142eb3f292d5065eb3faa646167b"), "get_n_coins"),
    ("curve", AVALANCHE, "pools-ng", &["pool"], address!("0x1764ee18e8b3cca4787249ceb249356192594585"), "get_n_coins"),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED.iter().copied()).chain(shipped::known(KNOWN.iter().copied()))
}

const PROTOCOLS: [Named; 1] = [("curve", "CURVE", "https://curve.finance", &["POOLING"], ("Curve", "curve"))];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
