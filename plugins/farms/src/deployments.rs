//! Whose contracts emit the events of the tables: one row each, with their source. A settings file adds rows.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, BASE, ETHEREUM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: [Listed; 6] = [
    // https://docs.convexfinance.com/convexfinance/faq/contract-addresses
    (
        "convex",
        ETHEREUM,
        "main",
        &["convex", "staking_rewards"],
        &[
            address!("0xf403c135812408bfbe8713b5a23a04b3d48aae31"),
            address!("0x72a19342e8f1838460ebfccef09f6585e32db86e"),
            address!("0xcf50b810e57ac33b91dcf525c6ddd9881b139332"),
            address!("0x3fe65692bfcd0e6cf84cb1e7d24108e434a7587e"),
            address!("0xaa0c3f5f7dfd688c6e646f66cd2a6b66acdbe434"),
        ],
    ),
    // https://docs.aura.finance/developers/deployed-addresses
    (
        "aura",
        ETHEREUM,
        "main",
        &["convex", "staking_rewards"],
        &[
            address!("0xa57b8d98dae62b26ec3bcc4a365338157060b234"),
            address!("0x3fa73f1e5d8a792c80f426fc8f84fbf7ce9bbcac"),
            address!("0x00a7ba8ae7bca0b10a32ea1f8e2a1da980c6cad2"),
        ],
    ),
    ("aura", OPTIMISM, "main", &["convex"], &[address!("0x98ef32edd24e2c92525e59afc4475c1242a30184")]),
    ("aura", ARBITRUM, "main", &["convex"], &[address!("0x98ef32edd24e2c92525e59afc4475c1242a30184")]),
    ("aura", POLYGON, "main", &["convex"], &[address!("0x98ef32edd24e2c92525e59afc4475c1242a30184")]),
    ("aura", BASE, "main", &["convex"], &[address!("0x98ef32edd24e2c92525e59afc4475c1242a30184")]),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED)
}

const PROTOCOLS: [Named; 2] = [
    ("convex", "CONVEX", "https://convexfinance.com/", &["FARMING"], ("Convex", "convex")),
    ("aura", "AURA", "https://aura.finance", &["FARMING"], ("Aura", "aura")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
