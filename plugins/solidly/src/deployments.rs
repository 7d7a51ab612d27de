//! Locks, voters and position managers, and the factories and voters that know pools and gauges: one row each. A
//! settings file adds rows.
//!
//! Sources: <https://github.com/velodrome-finance/contracts>, <https://github.com/velodrome-finance/slipstream>,
//! <https://github.com/aerodrome-finance/contracts>, <https://docs.thena.fi>, <https://docs.ramses.exchange>,
//! <https://docs.equalizer.exchange>. Gauges, locks and rebases of the others have a second source at their row.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::events::Salt;
use portolan_kits::merkle_distributor::MerkleDistributors;
use portolan_kits::protocol::Emitters::{Factory, Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::solidly::{Generation, SolidlyContracts, SolidlyTypes};
use portolan_plugin_api::networks::{ARBITRUM, BASE, BSC, FANTOM, OPTIMISM};
use portolan_plugin_api::{B256, address, b256};

/// The code of a minimal proxy (EIP-1167) of 0x95885af5492195f0754be71ad1545fe81364e531, `implementation` of the factory:
/// <https://github.com/velodrome-finance/contracts/blob/main/README.md>; its hash stands in
/// <https://github.com/velodrome-finance/universal-router> too.
const VELODROME_POOL_CODE: B256 = b256!("0xc0629f1c7daa09624e54d4f711ba99922a844907cce02997176399e4cc7e8fcf");
/// The same of 0xa4e46b4f701c62e14df11b48dce76a7d793cd6d7:
/// <https://github.com/aerodrome-finance/contracts/blob/main/README.md>; both hashes give the pools of recorded logs.
const AERODROME_POOL_CODE: B256 = b256!("0x6f178972b07752b522a4da1c5b71af6524e8b0bd6027ccb29e5312b0e5bcdc3c");

/// The words for gauges, locks, rebases and what votes earn.
pub(crate) const TYPES: SolidlyTypes = SolidlyTypes {
    gauge: "solidly-gauge",
    lock: "solidly-lock",
    rebase: "solidly-rebase",
    fees: "solidly-fees",
    bribe: "solidly-bribe",
};

/// The airdrops that settings add.
pub(crate) const AIRDROPS: MerkleDistributors = MerkleDistributors { reward_type: "solidly-airdrop" };

/// Gauges, locks and rebases.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: "velodrome_v2",
        network: OPTIMISM,
        market: "main",
        contracts: &TYPES.of(SolidlyContracts {
            voter: address!("0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c"),
            escrow: Some(address!("0xfaf8fd17d9840595845582fcb047df13f006787d")),
            distributor: Some(address!("0x9d4736ec60715e71afe72973f7885dcbc21ea99b")),
        }),
    },
    DeploymentRow {
        protocol: "aerodrome",
        network: BASE,
        market: "main",
        contracts: &TYPES.of(SolidlyContracts {
            voter: address!("0x16613524e02ad97edfef371bc883f2f5d6c480a5"),
            escrow: Some(address!("0xebf418fe2512e7e6bd9b87a8f0f294acdc67e6b4")),
            distributor: Some(address!("0x227f65131a261548b057215bb1d5ab2997964c7d")),
        }),
    },
    // <https://github.com/velodrome-finance/v1>, and <https://github.com/Zapper-fi/studio>.
    DeploymentRow {
        protocol: "velodrome_v1",
        network: OPTIMISM,
        market: "main",
        contracts: &TYPES.of_generation(
            Generation::VelodromeV1,
            SolidlyContracts {
                voter: address!("0x09236cff45047dbee6b921e00704bed6d6b8cf7e"),
                escrow: Some(address!("0x9c7305eb78a432ced5c4d14cac27e8ed569a2e26")),
                distributor: Some(address!("0x5d5bea9f0fc13d967511668a60a3369fd53f784f")),
            },
        ),
    },
    // <https://github.com/ThenafiBNB/THENA-Contracts>, and <https://github.com/llamafolio/llamafolio-api>; the distributor
    // from one source, the constants of a front end on `thena-sdk-core`.
    DeploymentRow {
        protocol: "thena",
        network: BSC,
        market: "main",
        contracts: &TYPES.of_generation(
            Generation::Thena,
            SolidlyContracts {
                voter: address!("0x3a1d0952809f4948d15ebce8d345962a282c4fcb"),
                escrow: Some(address!("0xfbbf371c9b0b994eebfcc977cef603f7f31c070d")),
                distributor: Some(address!("0xa6e0e731cb1e99aede0f9c9128d04f948e18727d")),
            },
        ),
    },
    // The voter that was replaced in 2023; the present one made other gauges.
    // <https://github.com/ThenafiBNB/THENA-Contracts> (V1_Deprecated_Contracts, scripts/V1), and
    // <https://github.com/beefyfinance/beefy-api> (`oldVoter`).
    DeploymentRow {
        protocol: "thena",
        network: BSC,
        market: "gauges-v1",
        contracts: &TYPES.of_generation(
            Generation::ThenaV1,
            SolidlyContracts {
                voter: address!("0x62ee96e6365ab515ec647c065c2707d1122d7b26"),
                escrow: None,
                distributor: None,
            },
        ),
    },
    // <https://github.com/ftm1337/equalizer-exchange-core>, and <https://github.com/llamafolio/llamafolio-api>; the
    // distributor by <https://github.com/Equalizer-Exchange/v1-core> alone.
    DeploymentRow {
        protocol: "equalizer",
        network: FANTOM,
        market: "main",
        contracts: &TYPES.of_generation(
            Generation::Equalizer,
            SolidlyContracts {
                voter: address!("0xe3d1a117df7dcac2eb0ac8219341bad92f18dac1"),
                escrow: Some(address!("0x8313f3551c4d3984ffbadfb42f780d0c8763ce94")),
                distributor: Some(address!("0x4325d07222186f438c83ac1ed579ecac2a7d1426")),
            },
        ),
    },
    // The voter that was replaced in 2023, whose gauges are as those of Velodrome v1; the present one names others.
    // <https://github.com/ftm1337/equalizer-exchange-core> (contracts/v1.3.16), and
    // <https://github.com/beefyfinance/beefy-api> (`oldVoter`).
    DeploymentRow {
        protocol: "equalizer",
        network: FANTOM,
        market: "gauges-v1",
        contracts: &TYPES.of_generation(
            Generation::VelodromeV1,
            SolidlyContracts {
                voter: address!("0x4bebeb8188aef8287f9a7d1e4f01d76cbe060d5b"),
                escrow: None,
                distributor: None,
            },
        ),
    },
    // The voter: <https://github.com/DefiLlama/dimension-adapters>, and <https://github.com/beefyfinance/beefy-api>; the
    // escrow: <https://github.com/DefiLlama/DefiLlama-Adapters>, and <https://github.com/llamafolio/llamafolio-api>.
    DeploymentRow {
        protocol: "equalizer",
        network: BASE,
        market: "main",
        contracts: &TYPES.of_generation(
            Generation::Equalizer,
            SolidlyContracts {
                voter: address!("0x46abb88ae1f2a35ea559925d99fdc5441b592687"),
                escrow: Some(address!("0x28c9c71c776a1203000b56c0cca48bef1cd51c53")),
                distributor: None,
            },
        ),
    },
    // <https://github.com/Zapper-fi/studio>, and <https://github.com/beefyfinance/beefy-api>; the distributor by the first
    // alone.
    DeploymentRow {
        protocol: "ramses",
        network: ARBITRUM,
        market: "main",
        contracts: &TYPES.of_generation(
            Generation::VelodromeV1,
            SolidlyContracts {
                voter: address!("0xaaa2564deb34763e3d05162ed3f5c2658691f499"),
                escrow: Some(address!("0xaaa343032aa79ee9a6897dab03bef967c3289a06")),
                distributor: Some(address!("0xaaa86b908a3b500a0de661301ea63966923a97b1")),
            },
        ),
    },
];

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "velodrome_v1",
        name: "VELODROME_V1",
        website: "https://app.velodrome.finance",
        primitives: &["POOLING", "FARMING"],
        company: "Velodrome",
        company_slug: "velodrome",
        emitters: &[
            EmitterRow {
                market: "escrow",
                sections: &["escrow"],
                contracts: Listed(&[(&[OPTIMISM], &[address!("0x9c7305eb78a432ced5c4d14cac27e8ed569a2e26")])]),
            },
            EmitterRow {
                market: "voter",
                sections: &["voter"],
                contracts: Listed(&[(&[OPTIMISM], &[address!("0x09236cff45047dbee6b921e00704bed6d6b8cf7e")])]),
            },
            EmitterRow {
                market: "pairs",
                sections: &["v2", "pool"],
                contracts: Registry {
                    view: "isPair",
                    registries: &[(&[OPTIMISM], address!("0x25cbddb98b35ab1ff77413456b31ec81a6b6b746"))],
                },
            },
            EmitterRow {
                market: "gauges",
                sections: &["gauge"],
                contracts: Registry {
                    view: "isGauge",
                    registries: &[(&[OPTIMISM], address!("0x09236cff45047dbee6b921e00704bed6d6b8cf7e"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "velodrome_v2",
        name: "VELODROME_V2",
        website: "https://app.velodrome.finance",
        primitives: &["POOLING", "FARMING"],
        company: "Velodrome",
        company_slug: "velodrome",
        emitters: &[
            EmitterRow {
                market: "escrow",
                sections: &["escrow"],
                contracts: Listed(&[(&[OPTIMISM], &[address!("0xfaf8fd17d9840595845582fcb047df13f006787d")])]),
            },
            EmitterRow {
                market: "voter",
                sections: &["voter"],
                contracts: Listed(&[(&[OPTIMISM], &[address!("0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c")])]),
            },
            EmitterRow {
                market: "distributor",
                sections: &["distributor"],
                contracts: Listed(&[(&[OPTIMISM], &[address!("0x9d4736ec60715e71afe72973f7885dcbc21ea99b")])]),
            },
            EmitterRow {
                market: "positions",
                sections: &["v3-positions"],
                contracts: Listed(&[(&[OPTIMISM], &[address!("0x416b433906b1b72fa758e166e239c43d68dc6f29")])]),
            },
            EmitterRow {
                market: "pools",
                sections: &["v2", "pool"],
                contracts: Factory {
                    init_code_hash: VELODROME_POOL_CODE,
                    salt: Salt::WithStable,
                    factories: &[(&[OPTIMISM], address!("0xf1046053aa5682b4f9a81b5481394da16be5ff5a"))],
                },
            },
            EmitterRow {
                market: "concentrated",
                sections: &["v3"],
                contracts: Registry {
                    view: "isPool",
                    registries: &[(&[OPTIMISM], address!("0xcc0bddb707055e04e497ab22a59c2af4391cd12f"))],
                },
            },
            EmitterRow {
                market: "gauges",
                sections: &["gauge"],
                contracts: Registry {
                    view: "isGauge",
                    registries: &[(&[OPTIMISM], address!("0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "aerodrome",
        name: "AERODROME",
        website: "https://aerodrome.finance",
        primitives: &["POOLING", "FARMING"],
        company: "Aerodrome",
        company_slug: "aerodrome",
        emitters: &[
            EmitterRow {
                market: "escrow",
                sections: &["escrow"],
                contracts: Listed(&[(&[BASE], &[address!("0xebf418fe2512e7e6bd9b87a8f0f294acdc67e6b4")])]),
            },
            EmitterRow {
                market: "voter",
                sections: &["voter"],
                contracts: Listed(&[(&[BASE], &[address!("0x16613524e02ad97edfef371bc883f2f5d6c480a5")])]),
            },
            EmitterRow {
                market: "distributor",
                sections: &["distributor"],
                contracts: Listed(&[(&[BASE], &[address!("0x227f65131a261548b057215bb1d5ab2997964c7d")])]),
            },
            EmitterRow {
                market: "positions",
                sections: &["v3-positions"],
                contracts: Listed(&[(&[BASE], &[address!("0x827922686190790b37229fd06084350e74485b72")])]),
            },
            EmitterRow {
                market: "pools",
                sections: &["v2", "pool"],
                contracts: Factory {
                    init_code_hash: AERODROME_POOL_CODE,
                    salt: Salt::WithStable,
                    factories: &[(&[BASE], address!("0x420dd381b31aef6683db6b902084cb0ffece40da"))],
                },
            },
            EmitterRow {
                market: "concentrated",
                sections: &["v3"],
                contracts: Registry {
                    view: "isPool",
                    registries: &[(&[BASE], address!("0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a"))],
                },
            },
            EmitterRow {
                market: "gauges",
                sections: &["gauge"],
                contracts: Registry {
                    view: "isGauge",
                    registries: &[(&[BASE], address!("0x16613524e02ad97edfef371bc883f2f5d6c480a5"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "thena",
        name: "THENA",
        website: "https://thena.fi",
        primitives: &["POOLING", "FARMING"],
        company: "Thena",
        company_slug: "thena",
        emitters: &[
            EmitterRow {
                market: "escrow",
                sections: &["escrow"],
                contracts: Listed(&[(&[BSC], &[address!("0xfbbf371c9b0b994eebfcc977cef603f7f31c070d")])]),
            },
            EmitterRow {
                market: "voter",
                sections: &["voter"],
                contracts: Listed(&[(&[BSC], &[address!("0x3a1d0952809f4948d15ebce8d345962a282c4fcb")])]),
            },
            EmitterRow {
                market: "pairs",
                sections: &["v2", "pool"],
                contracts: Registry {
                    view: "isPair",
                    registries: &[(&[BSC], address!("0xafd89d21bdb66d00817d4153e055830b1c2b3970"))],
                },
            },
            EmitterRow {
                market: "gauges",
                sections: &["gauge"],
                contracts: Registry {
                    view: "isGauge",
                    registries: &[(&[BSC], address!("0x3a1d0952809f4948d15ebce8d345962a282c4fcb"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "ramses",
        name: "RAMSES",
        website: "https://ramses.exchange",
        primitives: &["POOLING", "FARMING"],
        company: "Ramses",
        company_slug: "ramses",
        emitters: &[
            EmitterRow {
                market: "escrow",
                sections: &["escrow"],
                contracts: Listed(&[(&[ARBITRUM], &[address!("0xaaa343032aa79ee9a6897dab03bef967c3289a06")])]),
            },
            EmitterRow {
                market: "voter",
                sections: &["voter"],
                contracts: Listed(&[(&[ARBITRUM], &[address!("0xaaa2564deb34763e3d05162ed3f5c2658691f499")])]),
            },
            EmitterRow {
                market: "pairs",
                sections: &["v2", "pool"],
                contracts: Registry {
                    view: "isPair",
                    registries: &[(&[ARBITRUM], address!("0xaaa20d08e59f6561f242b08513d36266c5a29415"))],
                },
            },
            EmitterRow {
                market: "gauges",
                sections: &["gauge"],
                contracts: Registry {
                    view: "isGauge",
                    registries: &[(&[ARBITRUM], address!("0xaaa2564deb34763e3d05162ed3f5c2658691f499"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "equalizer",
        name: "EQUALIZER",
        website: "https://equalizer.exchange",
        primitives: &["POOLING", "FARMING"],
        company: "Equalizer",
        company_slug: "equalizer",
        emitters: &[
            EmitterRow {
                market: "escrow",
                sections: &["escrow"],
                contracts: Listed(&[
                    (&[FANTOM], &[address!("0x8313f3551c4d3984ffbadfb42f780d0c8763ce94")]),
                    (&[BASE], &[address!("0x28c9c71c776a1203000b56c0cca48bef1cd51c53")]),
                ]),
            },
            EmitterRow {
                market: "voter",
                sections: &["voter"],
                contracts: Listed(&[
                    (&[FANTOM], &[address!("0xe3d1a117df7dcac2eb0ac8219341bad92f18dac1")]),
                    (&[BASE], &[address!("0x46abb88ae1f2a35ea559925d99fdc5441b592687")]),
                ]),
            },
            EmitterRow {
                market: "pairs",
                sections: &["v2", "pool"],
                contracts: Registry {
                    view: "isPair",
                    registries: &[
                        (&[FANTOM], address!("0xc6366efd0af1d09171fe0ebf32c7943bb310832a")),
                        (&[BASE], address!("0xed8db60acc29e14bc867a497d94ca6e3ceb5ec04")),
                    ],
                },
            },
            EmitterRow {
                market: "gauges",
                sections: &["gauge"],
                contracts: Registry {
                    view: "isGauge",
                    registries: &[
                        (&[FANTOM], address!("0xe3d1a117df7dcac2eb0ac8219341bad92f18dac1")),
                        (&[BASE], address!("0x46abb88ae1f2a35ea559925d99fdc5441b592687")),
                    ],
                },
            },
        ],
    },
];
