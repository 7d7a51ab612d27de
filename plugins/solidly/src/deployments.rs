//! Locks, voters and position managers, and the factories and voters that know pools and gauges: one row each. A
//! settings file adds rows.
//!
//! Sources: <https://github.com/velodrome-finance/contracts>, <https://github.com/velodrome-finance/slipstream>,
//! <https://github.com/aerodrome-finance/contracts>, <https://docs.thena.fi>, <https://docs.ramses.exchange>,
//! <https://docs.equalizer.exchange>.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Known, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, BASE, BSC, FANTOM, OPTIMISM};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: &[Listed] = &[
    ("velodrome_v1", OPTIMISM, "escrow", &["escrow"], &[address!("0x9c7305eb78a432ced5c4d14cac27e8ed569a2e26")]),
    ("velodrome_v1", OPTIMISM, "voter", &["voter"], &[address!("0x09236cff45047dbee6b921e00704bed6d6b8cf7e")]),
    ("velodrome_v2", OPTIMISM, "escrow", &["escrow"], &[address!("0xfaf8fd17d9840595845582fcb047df13f006787d")]),
    ("velodrome_v2", OPTIMISM, "voter", &["voter"], &[address!("0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c")]),
    (
        "velodrome_v2",
        OPTIMISM,
        "distributor",
        &["distributor"],
        &[address!("0x9d4736ec60715e71afe72973f7885dcbc21ea99b")],
    ),
    (
        "velodrome_v2",
        OPTIMISM,
        "positions",
        &["v3-positions"],
        &[address!("0x416b433906b1b72fa758e166e239c43d68dc6f29")],
    ),
    ("aerodrome", BASE, "escrow", &["escrow"], &[address!("0xebf418fe2512e7e6bd9b87a8f0f294acdc67e6b4")]),
    ("aerodrome", BASE, "voter", &["voter"], &[address!("0x16613524e02ad97edfef371bc883f2f5d6c480a5")]),
    ("aerodrome", BASE, "distributor", &["distributor"], &[address!("0x227f65131a261548b057215bb1d5ab2997964c7d")]),
    ("aerodrome", BASE, "positions", &["v3-positions"], &[address!("0x827922686190790b37229fd06084350e74485b72")]),
    ("thena", BSC, "escrow", &["escrow"], &[address!("0xfbbf371c9b0b994eebfcc977cef603f7f31c070d")]),
    ("thena", BSC, "voter", &["voter"], &[address!("0x3a1d0952809f4948d15ebce8d345962a282c4fcb")]),
    ("ramses", ARBITRUM, "escrow", &["escrow"], &[address!("0xaaa343032aa79ee9a6897dab03bef967c3289a06")]),
    ("equalizer", FANTOM, "escrow", &["escrow"], &[address!("0x8313f3551c4d3984ffbadfb42f780d0c8763ce94")]),
    ("equalizer", FANTOM, "voter", &["voter"], &[address!("0xe3d1a117df7dcac2eb0ac8219341bad92f18dac1")]),
];

const KNOWN: &[Known] = &[
    (
        "velodrome_v1",
        OPTIMISM,
        "pairs",
        &["v2", "pool"],
        address!("0x25cbddb98b35ab1ff77413456b31ec81a6b6b746"),
        "isPair",
    ),
    ("velodrome_v1", OPTIMISM, "gauges", &["gauge"], address!("0x09236cff45047dbee6b921e00704bed6d6b8cf7e"), "isGauge"),
    (
        "velodrome_v2",
        OPTIMISM,
        "pools",
        &["v2", "pool"],
        address!("0xf1046053aa5682b4f9a81b5481394da16be5ff5a"),
        "isPool",
    ),
    (
        "velodrome_v2",
        OPTIMISM,
        "concentrated",
        &["v3"],
        address!("0xcc0bddb707055e04e497ab22a59c2af4391cd12f"),
        "isPool",
    ),
    ("velodrome_v2", OPTIMISM, "gauges", &["gauge"], address!("0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c"), "isGauge"),
    ("aerodrome", BASE, "pools", &["v2", "pool"], address!("0x420dd381b31aef6683db6b902084cb0ffece40da"), "isPool"),
    ("aerodrome", BASE, "concentrated", &["v3"], address!("0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a"), "isPool"),
    ("aerodrome", BASE, "gauges", &["gauge"], address!("0x16613524e02ad97edfef371bc883f2f5d6c480a5"), "isGauge"),
    ("thena", BSC, "pairs", &["v2", "pool"], address!("0xafd89d21bdb66d00817d4153e055830b1c2b3970"), "isPair"),
    ("thena", BSC, "gauges", &["gauge"], address!("0x3a1d0952809f4948d15ebce8d345962a282c4fcb"), "isGauge"),
    ("ramses", ARBITRUM, "pairs", &["v2", "pool"], address!("0xaaa20d08e59f6561f242b08513d36266c5a29415"), "isPair"),
    ("equalizer", FANTOM, "pairs", &["v2", "pool"], address!("0xc6366efd0af1d09171fe0ebf32c7943bb310832a"), "isPair"),
    ("equalizer", FANTOM, "gauges", &["gauge"], address!("0xe3d1a117df7dcac2eb0ac8219341bad92f18dac1"), "isGauge"),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED.iter().copied()).chain(shipped::known(KNOWN.iter().copied()))
}

const PROTOCOLS: [Named; 6] = [
    ("velodrome_v1", "VELODROME_V1", "https://app.velodrome.finance", &["POOLING"], ("Velodrome", "velodrome")),
    ("velodrome_v2", "VELODROME_V2", "https://app.velodrome.finance", &["POOLING"], ("Velodrome", "velodrome")),
    ("aerodrome", "AERODROME", "https://aerodrome.finance", &["POOLING"], ("Aerodrome", "aerodrome")),
    ("thena", "THENA", "https://thena.fi", &["POOLING"], ("Thena", "thena")),
    ("ramses", "RAMSES", "https://ramses.exchange", &["POOLING"], ("Ramses", "ramses")),
    ("equalizer", "EQUALIZER", "https://equalizer.exchange", &["POOLING"], ("Equalizer", "equalizer")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
