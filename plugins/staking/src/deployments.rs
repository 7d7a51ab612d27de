//! Whose contracts emit the events of the table: one row each, with their source. A settings file adds rows.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Listed, Named};
use portolan_plugin_api::networks::ETHEREUM;
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: [Listed; 10] = [
    // https://docs.lido.fi/deployed-contracts/
    (
        "lido",
        ETHEREUM,
        "main",
        &["lido"],
        &[
            address!("0xae7ab96520de3a18e5e111b5eaab095312d7fe84"),
            address!("0x889edc2edab5f40e902b864ad4d7ade8e412f9b1"),
        ],
    ),
    // https://docs.rocketpool.net/overview/contracts-integrations
    ("rocketpool", ETHEREUM, "main", &["rocket_pool"], &[address!("0xae78736cd615f374d3085123a210448e74fc6393")]),
    // https://github.com/Layr-Labs/eigenlayer-contracts#current-mainnet-deployment
    (
        "eigenlayer",
        ETHEREUM,
        "main",
        &["eigenlayer"],
        &[
            address!("0x858646372cc42e1a627fce94aa7a7033e7cf075a"),
            address!("0x39053d51b77dc0d36036fc1fcc8cb819df8ef37a"),
            address!("0x7750d328b314effa365a0402ccfd489b80b0adda"),
        ],
    ),
    // https://docs.frax.finance/smart-contracts/frxeth-and-sfrxeth-contract-addresses
    ("frax", ETHEREUM, "main", &["frax"], &[address!("0xbafa44efe7901e04e39dad13167d089c559c1138")]),
    // https://etherfi.gitbook.io/etherfi/contracts-and-integrations/deployed-contracts
    (
        "ether-fi",
        ETHEREUM,
        "main",
        &["etherfi"],
        &[
            address!("0x308861a430be4cce5502d0a12724771fc6daf216"),
            address!("0x7d5706f6ef3f89b3951e23e557cdfbc3239d4e2c"),
        ],
    ),
    // https://developers.swellnetwork.io/docs/developer-resources/smart-contracts
    (
        "swell",
        ETHEREUM,
        "main",
        &["swell"],
        &[
            address!("0xf951e335afb289353dc249e82926178eac7ded78"),
            address!("0xfae103dc9cf190ed75350761e95403b7b8afa6c0"),
        ],
    ),
    // https://docs.renzoprotocol.com/docs/contracts/ethereum
    ("renzo", ETHEREUM, "main", &["renzo"], &[address!("0x74a09653a083691711cf8215a6ab074bb4e99ef5")]),
    // https://kelp.gitbook.io/kelp/protocol/smart-contracts
    ("kelp", ETHEREUM, "main", &["kelp"], &[address!("0x036676389e48133b63a802f8635ad39e752d375d")]),
    // https://docs.mantle.xyz/meth/components/smart-contracts
    ("mantle", ETHEREUM, "main", &["mantle"], &[address!("0xe3cbd06d7dadb3f4e6557bab7edd924cd1489e8f")]),
    // https://github.com/0xPolygon/static/blob/master/network/mainnet/v1/index.json
    ("polygon-protocol", ETHEREUM, "main", &["polygon"], &[address!("0xa59c847bd5ac0172ff4fe912c5d29e5a71a7512b")]),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED)
}

const PROTOCOLS: [Named; 10] = [
    ("lido", "LIDO", "https://lido.fi/", &["FARMING"], ("Lido", "lido")),
    ("rocketpool", "ROCKETPOOL", "https://rocketpool.net", &["FARMING"], ("Rocketpool", "rocketpool")),
    ("eigenlayer", "EIGENLAYER", "https://eigenlayer.xyz", &["FARMING"], ("Eigenlayer", "eigenlayer")),
    ("frax", "FRAX", "https://frax.finance", &["FARMING"], ("Frax", "frax")),
    ("ether-fi", "ETHER_FI", "https://ether.fi", &["FARMING"], ("Ether.fi", "ether-fi")),
    ("swell", "SWELL", "https://swellnetwork.io", &["FARMING"], ("Swell", "swell")),
    ("renzo", "RENZO", "https://www.renzoprotocol.com", &["FARMING"], ("Renzo", "renzo")),
    ("kelp", "KELP", "https://kerneldao.com/kelp", &["FARMING"], ("Kelp", "kelp")),
    ("mantle", "MANTLE", "https://mantle.xyz", &["FARMING"], ("Mantle", "mantle")),
    ("polygon-protocol", "POLYGON", "https://polygon.technology", &["FARMING"], ("Polygon", "polygon")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
