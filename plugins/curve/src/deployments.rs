//! Curve's contracts, and the registries that know its pools and gauges: one row each. A settings file adds rows.
//!
//! Sources of those that emit events: <https://docs.curve.finance/references/deployed-contracts>; on other networks than
//! Ethereum, the pools of the stable factory of the new generation.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::curve_gauges::{CurveGaugeTypes, GaugeList};
use portolan_kits::curve_pools::CurvePools;
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::llamalend::{LlamaLendTypes, MarketFactory};
use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, GNOSIS, OPTIMISM, POLYGON};
use portolan_plugin_api::{Question, address};

const CURVE: &str = "curve";

/// Gauges.
pub(crate) const GAUGES: CurveGaugeTypes = CurveGaugeTypes { gauge: "curve-gauge" };
/// Locks of CRV, and the fees that they earn.
pub(crate) const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "curve-lock", fee: "curve-fees" };
/// Loans of crvUSD and of LlamaLend.
pub(crate) const LOANS: LlamaLendTypes = LlamaLendTypes { loan: "curve-loan", vault: "llamalend-vault" };

/// Shares of pools.
pub(crate) const POOLS: CurvePools = CurvePools { share: "CURVE" };

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: CURVE,
    name: "CURVE",
    website: "https://curve.finance",
    primitives: &["POOLING", "FARMING", "LENDING", "BORROWING"],
    company: "Curve",
    company_slug: "curve",
    emitters: &[
        EmitterRow {
            market: "router",
            sections: &["router"],
            contracts: Listed(&[(
                &[ETHEREUM],
                &[
                    address!("0x16c6521dff6bab339122a0fe25a9116693265353"),
                    address!("0xf0d4c12a5768d806021f80a262b4d39d26c58b8d"),
                    address!("0x99a58482bd75cbab83b27ec03ca68ff489b5788f"),
                    address!("0x81c46feca27b31f3adc2b91ee4be9717d1cd3dd7"),
                ],
            )]),
        },
        EmitterRow {
            market: "minter",
            sections: &["minter"],
            contracts: Listed(&[
                (&[ETHEREUM], &[address!("0xd061d61a4d941c39e5453435b6345dc261c2fce0")]),
                // <https://github.com/curvefi/curve-xchain-factory>: the factory of the gauges pays there.
                (
                    &[OPTIMISM, POLYGON, GNOSIS, BASE, ARBITRUM],
                    &[address!("0xabc000d88f23bb45525e447528dbf656a9d55bf5")],
                ),
            ]),
        },
        EmitterRow {
            market: "escrow",
            sections: &["escrow"],
            contracts: Listed(&[(&[ETHEREUM], &[address!("0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2")])]),
        },
        EmitterRow {
            market: "distributor",
            sections: &["distributor"],
            contracts: Listed(&[(
                &[ETHEREUM],
                &[
                    address!("0xa464e6dcda8ac41e03616f95f4bc98a13b8922dc"),
                    address!("0xd16d5ec345dd86fb63c6a9c43c517210f1027914"),
                ],
            )]),
        },
        EmitterRow {
            market: "pools",
            sections: &["pool"],
            contracts: Registry {
                view: "is_registered",
                registries: &[(&[ETHEREUM], address!("0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc"))],
            },
        },
        EmitterRow {
            market: "gauges",
            sections: &["gauge"],
            contracts: Registry {
                view: "get_gauge_weight",
                registries: &[(&[ETHEREUM], address!("0x2f50d538606fa9edd2b11e2446beb18c9d5846bb"))],
            },
        },
        EmitterRow {
            market: "pools-ng",
            sections: &["pool"],
            contracts: Registry {
                view: "get_n_coins",
                registries: &[
                    (&[OPTIMISM], address!("0x5eee3091f747e60a045a2e715a4c71e600e31f6e")),
                    (&[BSC], address!("0xd7e72f3615aa65b92a4dbdc211e296a35512988b")),
                    (&[POLYGON], address!("0x1764ee18e8b3cca4787249ceb249356192594585")),
                    (&[FANTOM], address!("0xe61fb97ef6ebfba12b36ffd7be785c1f5a2de66b")),
                    (&[BASE], address!("0xd2002373543ce3527023c75e7518c274a51ce712")),
                    (&[ARBITRUM], address!("0x9af14d26075f142eb3f292d5065eb3faa646167b")),
                    (&[AVALANCHE], address!("0x1764ee18e8b3cca4787249ceb249356192594585")),
                ],
            },
        },
    ],
}];

/// Sources: the aliases of <https://github.com/curvefi/curve-js>, which are Curve's own; where another one has a row too, it
/// stands beside it.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://docs.curve.finance/references/deployed-contracts
    DeploymentRow {
        protocol: CURVE,
        network: ETHEREUM,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Controller {
                controller: address!("0x2f50d538606fa9edd2b11e2446beb18c9d5846bb"),
                minter: address!("0xd061d61a4d941c39e5453435b6345dc261c2fce0"),
            },
            address!("0xd533a949740bb3306d119cc777fa900ba034cd52"),
        ),
    },
    DeploymentRow {
        protocol: CURVE,
        network: OPTIMISM,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0x871fbd4e01012e2e8457346059e8c189d664dba4")),
            address!("0x0994206dfe8de6ec6920ff4d779b0d950605fb53"),
        ),
    },
    // https://github.com/DefiLlama/yield-server
    DeploymentRow {
        protocol: CURVE,
        network: OPTIMISM,
        market: "old",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xabc000d88f23bb45525e447528dbf656a9d55bf5")),
            address!("0x0994206dfe8de6ec6920ff4d779b0d950605fb53"),
        ),
    },
    DeploymentRow {
        protocol: CURVE,
        network: POLYGON,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0x55a1c26ce60490a15bdd6bd73de4f6346525e01e")),
            address!("0x172370d5cd63279efa6d502dab29171933a610af"),
        ),
    },
    // https://github.com/DefiLlama/yield-server
    DeploymentRow {
        protocol: CURVE,
        network: POLYGON,
        market: "old",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xabc000d88f23bb45525e447528dbf656a9d55bf5")),
            address!("0x172370d5cd63279efa6d502dab29171933a610af"),
        ),
    },
    DeploymentRow {
        protocol: CURVE,
        network: FANTOM,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0x004a476b5b76738e34c86c7144554b9d34402f13")),
            address!("0x1e4f97b9f9f913c46f1632781732927b9019c68b"),
        ),
    },
    DeploymentRow {
        protocol: CURVE,
        network: GNOSIS,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xabc000d88f23bb45525e447528dbf656a9d55bf5")),
            address!("0x712b3d230f3c1c19db860d80619288b1f0bdd0bd"),
        ),
    },
    // https://github.com/stake-dao
    DeploymentRow {
        protocol: CURVE,
        network: BASE,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xe35a879e5efb4f1bb7f70dcf3250f2e19f096bd8")),
            address!("0x8ee73c484a26e0a5df2ee2a4960b789967dd0415"),
        ),
    },
    // https://github.com/DefiLlama/yield-server
    DeploymentRow {
        protocol: CURVE,
        network: BASE,
        market: "old",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xabc000d88f23bb45525e447528dbf656a9d55bf5")),
            address!("0x8ee73c484a26e0a5df2ee2a4960b789967dd0415"),
        ),
    },
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/curve-dex
    DeploymentRow {
        protocol: CURVE,
        network: ARBITRUM,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xabc000d88f23bb45525e447528dbf656a9d55bf5")),
            address!("0x11cdb42b0eb46d95f990bedd4695a6e3fa034978"),
        ),
    },
    DeploymentRow {
        protocol: CURVE,
        network: AVALANCHE,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0x97adc08fa1d849d2c48c5dcc1dab568b169b0267")),
            address!("0x47536f17f4ff30e64a96a7555826b8f9e66ec468"),
        ),
    },
    // https://docs.curve.finance
    DeploymentRow {
        protocol: CURVE,
        network: ARBITRUM,
        market: "v2",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0x988d1037e9608b21050a8efba0c6c45e01a3bce7")),
            address!("0x11cdb42b0eb46d95f990bedd4695a6e3fa034978"),
        ),
    },
    // https://docs.curve.finance
    DeploymentRow {
        protocol: CURVE,
        network: BSC,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Factory(address!("0xe35a879e5efb4f1bb7f70dcf3250f2e19f096bd8")),
            address!("0x9996d0276612d23b35f90c51ee935520b3d7355b"),
        ),
    },
    // https://docs.curve.finance/references/deployed-contracts
    DeploymentRow {
        protocol: CURVE,
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.of(
            address!("0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2"),
            &[
                address!("0xa464e6dcda8ac41e03616f95f4bc98a13b8922dc"),
                address!("0xd16d5ec345dd86fb63c6a9c43c517210f1027914"),
            ],
        ),
    },
    // https://github.com/curvefi/curve-stablecoin and https://github.com/DefiLlama/DefiLlama-Adapters
    DeploymentRow {
        protocol: CURVE,
        network: ETHEREUM,
        market: "crvusd",
        contracts: &LOANS.of(MarketFactory::CrvUsd(address!("0xc9332fdcb1c491dcc683bae86fe3cb70360738bc"))),
    },
    // https://github.com/curvefi/curve-stablecoin and https://github.com/DefiLlama/DefiLlama-Adapters
    DeploymentRow {
        protocol: CURVE,
        network: ETHEREUM,
        market: "llamalend",
        contracts: &LOANS.of(MarketFactory::Lending(address!("0xea6876dde9e3467564acbee1ed5bac88783205e0"))),
    },
    // https://github.com/curvefi/curve-stablecoin and https://github.com/DefiLlama/DefiLlama-Adapters
    DeploymentRow {
        protocol: CURVE,
        network: OPTIMISM,
        market: "llamalend",
        contracts: &LOANS.of(MarketFactory::Lending(address!("0x5ea8f3d674c70b020586933a0a5b250734798bef"))),
    },
    // https://github.com/curvefi/curve-stablecoin and https://github.com/DefiLlama/DefiLlama-Adapters
    DeploymentRow {
        protocol: CURVE,
        network: ARBITRUM,
        market: "llamalend",
        contracts: &LOANS.of(MarketFactory::Lending(address!("0xcaec110c784c9df37240a8ce096d352a75922dea"))),
    },
    // Registries of pools: https://github.com/curvefi/docs (static/deployments.json), and but for BSC and Base also
    // https://github.com/curvefi/metaregistry (deployments.yaml; Ethereum's is the one of the events above). For Avalanche the
    // two name different ones.
    DeploymentRow {
        protocol: CURVE,
        network: ETHEREUM,
        market: "shares",
        contracts: &POOLS.of(address!("0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: OPTIMISM,
        market: "shares",
        contracts: &POOLS.of(address!("0xc65cb3156225380beda366610bab18d5835a1647")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: BSC,
        market: "shares",
        contracts: &POOLS.of(address!("0x4c7a5a5d57f98d362f1c00d7135f0da5b6f82227")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: GNOSIS,
        market: "shares",
        contracts: &POOLS.of(address!("0xb6265659d7e9feccb59e076e949da556fc5e1429")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: POLYGON,
        market: "shares",
        contracts: &POOLS.of(address!("0x296d2b5c23833a70d07c8fcbb97d846c1ff90ddd")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: FANTOM,
        market: "shares",
        contracts: &POOLS.of(address!("0x803de445f0c272bb6a036495f531a828d538ab9a")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: BASE,
        market: "shares",
        contracts: &POOLS.of(address!("0x87dd13dd25a1dbde0e1edcf5b8fa6cfff7eabcad")),
    },
    DeploymentRow {
        protocol: CURVE,
        network: ARBITRUM,
        market: "shares",
        contracts: &POOLS.of(address!("0x13526206545e2dc7ccfbaf28dc88f440ce7ad3e0")),
    },
    // https://github.com/curvefi/curve-dao-contracts (contracts/CRVInfo.vy, contracts/VestingEscrow.vy)
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/curve-dex
    DeploymentRow {
        protocol: CURVE,
        network: ETHEREUM,
        market: "vesting",
        contracts: &KnownGaps.with_questions(
            &[Question::CLAIMABLES, Question::LOCKED],
            &[
                KnownGap::at(address!("0x575ccd8e2d300e2377b43478339e364000318e2c"), "the vesting of CRV"),
                KnownGap::at(address!("0xd2d43555134dc575bf7279f4ba18809645db0f1d"), "the vesting of CRV"),
                KnownGap::at(address!("0x2a7d59e327759acd5d11a8fb652bf4072d28ac04"), "the vesting of CRV"),
                KnownGap::at(address!("0x679fcb9b33fc4ae10ff4f96caef49c1ae3f8fa67"), "the vesting of CRV"),
            ],
        ),
    },
];
