//! Compound's contracts and those of its forks: one row each, with their source. A settings file adds rows.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Address, Deployment, Protocol, address};

/// Protocol, network, market, sections of the table, comptroller.
type Comptroller = (&'static str, u64, &'static str, &'static [&'static str], Address);

/// The markets of Compound v3 and the contracts of their rewards:
/// <https://docs.compound.finance/#networks>.
const LISTED: [Listed; 5] = [
    (
        "compound",
        ETHEREUM,
        "v3",
        &["comet", "rewards"],
        &[
            address!("0xc3d688b66703497daa19211eedff47f25384cdc3"),
            address!("0xa17581a9e3356d9a858b789d68b4d866e593ae94"),
            address!("0x3afdc9bca9213a35503b077a6072f3d0d5ab0840"),
            address!("0x3d0bb1ccab520a66e607822fc55bc921738fafe3"),
            address!("0x5d409e56d886231adaf00c8775665ad0f9897b56"),
            address!("0x1b0e765f6224c21223aea2af16c1c46e38885a40"),
        ],
    ),
    (
        "compound",
        OPTIMISM,
        "v3",
        &["comet", "rewards"],
        &[
            address!("0x2e44e174f7d53f0212823acc11c01a11d58c5bcb"),
            address!("0x995e394b8b2437ac8ce61ee0bc610d617962b214"),
            address!("0xe36a30d249f7761327fd973001a32010b521b6fd"),
        ],
    ),
    (
        "compound",
        ARBITRUM,
        "v3",
        &["comet", "rewards"],
        &[
            address!("0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf"),
            address!("0xa5edbdd9646f8dff606d7448e414884c7d905dca"),
            address!("0x6f7d514bbd4aff3bcd1140b7344b32f063dee486"),
            address!("0xd98be00b5d27fc98112bde293e487f8d4ca57d07"),
            address!("0x88730d254a2f7e6ac8388c3198afd694ba9f7fae"),
        ],
    ),
    (
        "compound",
        POLYGON,
        "v3",
        &["comet", "rewards"],
        &[
            address!("0xf25212e676d1f7f89cd72ffee66158f541246445"),
            address!("0xaeb318360f27748acb200ce616e389a6c9409a07"),
            address!("0x45939657d1ca34a8fa39a924b71d28fe8431e581"),
        ],
    ),
    (
        "compound",
        BASE,
        "v3",
        &["comet", "rewards"],
        &[
            address!("0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf"),
            address!("0x46e6b214b524310239732d51387075e0e70970bf"),
            address!("0xb125e6687d4313864e53df431d5425969c15eb2f"),
            address!("0x784efeb622244d2348d4f2522f8860b96fbece89"),
            address!("0x123964802e6ababbe1bc9547d72ef1b69b00a6b1"),
        ],
    ),
];

/// Comptrollers: their `markets(address)` says first whether a market is listed.
/// <https://docs.compound.finance/v2/>, <https://docs-v4.venus.io/deployed-contracts/core-pool>,
/// <https://docs.moonwell.fi/moonwell/protocol-information/contracts>,
/// <https://docs.benqi.fi/resources/contracts/benqi-markets>.
const COMPTROLLERS: [Comptroller; 9] = [
    ("compound", ETHEREUM, "v2", &["v2"], address!("0x3d9819210a31b4961b30ef54be2aed79b9c9cd3b")),
    ("venus", ETHEREUM, "main", &["v2", "venus"], address!("0x687a01ecf6d3907658f7a7c714749fac32336d1b")),
    ("venus", BSC, "main", &["v2", "venus"], address!("0xfd36e2c2a6789db23113685031d7f16329158384")),
    ("venus", ARBITRUM, "main", &["v2", "venus"], address!("0x317c1a5739f39046e20b08ac9beea3f10fd43326")),
    ("venus", BASE, "main", &["v2", "venus"], address!("0x0c7973f9598aa62f9e03b94e92c967fd5437426c")),
    ("venus", OPTIMISM, "main", &["v2", "venus"], address!("0x5593ff68be84c966821eef5f0a988c285d5b7cec")),
    ("moonwell", BASE, "main", &["v2"], address!("0xfbb21d0380bee3312b33c4353c8936a0f13ef26c")),
    ("moonwell", OPTIMISM, "main", &["v2"], address!("0xca889f40aae37fff165bccf69aef1e82b5c511b9")),
    ("benqi", AVALANCHE, "main", &["v2"], address!("0x486af39519b4dc9a7fccd318217352830e8ad9b4")),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    let known = COMPTROLLERS.map(|(slug, network, market, sections, comptroller)| {
        (slug, network, market, sections, comptroller, "markets")
    });
    shipped::listed(LISTED).chain(shipped::known(known))
}

const PROTOCOLS: [Named; 4] = [
    (
        "compound",
        "COMPOUND",
        "https://compound.finance",
        &["LENDING", "BORROWING", "FARMING"],
        ("Compound", "compound"),
    ),
    ("venus", "VENUS", "https://venus.io", &["LENDING", "BORROWING"], ("Venus", "venus")),
    ("moonwell", "MOONWELL", "https://moonwell.fi", &["LENDING", "BORROWING"], ("Moonwell", "moonwell")),
    ("benqi", "BENQI", "https://benqi.fi", &["LENDING", "BORROWING"], ("Benqi", "benqi")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
