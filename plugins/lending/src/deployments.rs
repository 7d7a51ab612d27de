//! Whose contracts emit the events of the table: one row each, with their source. A settings file adds rows.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Known, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: [Listed; 12] = [
    // POOL, DEFAULT_INCENTIVES_CONTROLLER of src/AaveV2*.sol, STK_AAVE and STK_ABPT of src/AaveSafetyModule.sol in
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1
    (
        "aave_v2",
        ETHEREUM,
        "main",
        &["pool", "rewards", "safety"],
        &[
            address!("0x7d2768de32b0b80b7a3454c06bdac94a69ddc7a9"),
            address!("0xd784927ff2f95ba542bfc824c8a8a98f3495f6b5"),
            address!("0x4da27a545c0c5b758a6ba100e3a049001de870f5"),
            address!("0xa1116930326d21fb917d5a27f1e9943a9595fb47"),
        ],
    ),
    (
        "aave_v2",
        POLYGON,
        "main",
        &["pool", "rewards"],
        &[
            address!("0x8dff5e27ea6b7ac08ebfdf9eb090f32ee9a30fcf"),
            address!("0x357d51124f59836ded84c8a1730d72b749d8bc23"),
        ],
    ),
    (
        "aave_v2",
        AVALANCHE,
        "main",
        &["pool", "rewards"],
        &[
            address!("0x4f01aed16d97e3ab5ab2b501154dc9bb0f1a5a2c"),
            address!("0x01d83fe6a10d2f2b7af17034343746188272cac9"),
        ],
    ),
    // https://docs.radiant.capital/radiant/contracts-and-security/arbitrum-contracts
    ("radiant", ARBITRUM, "main", &["pool"], &[address!("0xf4b1486dd74d07706052a33d31d7c0aafd0659e1")]),
    ("radiant", BSC, "main", &["pool"], &[address!("0xd50cf00b6e600dd036ba8ef475677d816d6c4281")]),
    ("radiant", ETHEREUM, "main", &["pool"], &[address!("0xa950974f64aa33f27f6c5e017eee93bf7588ed07")]),
    // https://docs.morpho.org/get-started/resources/addresses/
    ("morpho", ETHEREUM, "main", &["morpho"], &[address!("0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb")]),
    ("morpho", BASE, "main", &["morpho"], &[address!("0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb")]),
    ("morpho", OPTIMISM, "main", &["morpho"], &[address!("0xce95afbb8ea029495c66020883f87aae8864af92")]),
    ("morpho", POLYGON, "main", &["morpho"], &[address!("0x1bf0c2541f820e775182832f06c0b7fc27a25f67")]),
    ("morpho", ARBITRUM, "main", &["morpho"], &[address!("0x6c247b1f6182318877311737bac0844baa518f5e")]),
    // https://github.com/liquity/dev/blob/main/packages/lib-ethers/deployments/default/mainnet.json
    (
        "liquity",
        ETHEREUM,
        "main",
        &["liquity"],
        &[
            address!("0x4f9fbb3f1e99b56e0fe2892e623ed36a76fc605d"),
            address!("0x66017d22b0f8556afdd19fc67041899eb65a21bb"),
            address!("0xa39739ef8b0231dbfa0dcda07d7e29faabcf4bb2"),
        ],
    ),
];

const REGISTRIES: [Known; 6] = [
    // https://github.com/euler-xyz/euler-interfaces/tree/master/addresses
    ("euler", ETHEREUM, "main", &["euler"], address!("0x29a56a1b8214d9cf7c5561811750d5cbdb45cc8e"), "isProxy"),
    ("euler", BASE, "main", &["euler"], address!("0x7f321498a801a191a93c840750ed637149ddf8d0"), "isProxy"),
    // https://devdocs.silo.finance/security/smart-contracts
    ("silo", ETHEREUM, "v1", &["silo_v1"], address!("0xd998c35b7900b344bbbe6555cc11576942cf309d"), "isSilo"),
    // https://github.com/Instadapp/fluid-contracts-public/blob/main/deployments/deployments.md
    ("fluid-lending", ETHEREUM, "main", &["fluid"], address!("0x324c5dc1fc42c7a4d43d92df1eba58a54d13bf2d"), "isVault"),
    ("fluid-lending", ARBITRUM, "main", &["fluid"], address!("0x324c5dc1fc42c7a4d43d92df1eba58a54d13bf2d"), "isVault"),
    ("fluid-lending", BASE, "main", &["fluid"], address!("0x324c5dc1fc42c7a4d43d92df1eba58a54d13bf2d"), "isVault"),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED).chain(shipped::known(REGISTRIES))
}

const PROTOCOLS: [Named; 7] = [
    ("aave_v2", "AAVE_V2", "https://aave.com/", &["LENDING", "BORROWING", "FARMING", "POOLING"], ("Aave", "aave")),
    ("radiant", "RADIANT", "https://radiant.capital/", &["LENDING", "FARMING"], ("Radiant", "radiant")),
    ("morpho", "MORPHO", "https://morpho.org", &["LENDING", "BORROWING"], ("Morpho", "morpho")),
    ("euler", "EULER", "https://euler.finance", &["LENDING", "BORROWING"], ("Euler", "euler")),
    ("silo", "SILO", "https://silo.finance", &["LENDING", "BORROWING"], ("Silo", "silo")),
    ("fluid-lending", "FLUID_LENDING", "https://fluid.io", &["LENDING", "BORROWING"], ("Fluid", "fluid")),
    ("liquity", "LIQUITY", "https://liquity.org", &["LENDING", "FARMING"], ("Liquity", "liquity")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
