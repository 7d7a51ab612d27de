//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

pub(crate) mod euler;
pub(crate) mod fluid;
pub(crate) mod morpho;
pub(crate) mod silo;

use portolan_kits::aave_v3::{AavePools, AaveV3, AaveVersion};
use portolan_kits::accounts::DeploymentRow;
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::liquity::{LiquityContracts, LiquityTypes};
use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::safety_module::SafetyModules;
use portolan_kits::umbrella::UmbrellaTypes;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Address, Question, address};

/// The words for troves, deposits in stability pools, and stakes.
pub(crate) const LIQUITY: LiquityTypes =
    LiquityTypes { trove: "liquity-trove", deposit: "liquity-stability-pool", stake: "liquity-staking" };

/// The pools of Aave v2 and its forks.
pub(crate) const AAVE_V2: AavePools = AavePools { version: AaveVersion::V2, reward_type: "aave-v2-rewards" };

/// Stakes of Aave's safety module.
pub(crate) const SAFETY_MODULES: SafetyModules = SafetyModules { stake: "aave-safety-module" };

/// Stakes of Aave's Umbrella.
pub(crate) const UMBRELLA: UmbrellaTypes = UmbrellaTypes { stake: "aave-umbrella" };

/// Rewards that Euler pays as rEUL, which becomes EUL over half a year:
/// <https://github.com/euler-xyz/euler-interfaces> (`EulerChains.json`), and their view
/// <https://github.com/euler-xyz/evk-periphery> (`src/ERC20/implementation/ERC20WrapperLocked.sol`).
const fn rewards_of_euler(token: Address) -> KnownGap {
    KnownGap::by(token, "getLockedAmountsLength", "rEUL, which becomes EUL over time,")
}

/// Liquity v1, Aave v2 and its forks, Aave's safety module and Umbrella, Morpho Blue, Euler v2, Silo v2 and Fluid.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: "liquity",
        network: ETHEREUM,
        market: "main",
        // https://github.com/liquity/dev/blob/main/packages/lib-ethers/deployments/default/mainnet.json
        // https://github.com/defisaver/defisaver-v3-contracts/blob/main/contracts/actions/liquity/helpers/MainnetLiquityAddresses.sol
        contracts: &LIQUITY.of(LiquityContracts {
            trove_manager: address!("0xa39739ef8b0231dbfa0dcda07d7e29faabcf4bb2"),
            price_feed: address!("0x4c517d4e2c851ca76d7ec94b805269df0f2201de"),
            stability_pool: address!("0x66017d22b0f8556afdd19fc67041899eb65a21bb"),
            debt_token: address!("0x5f98805a4e8be255a32880fdec7f6728c6568ba0"),
            reward_token: address!("0x6dea81c8171d0ba574754ef6f8b412f2ed88c54d"),
            staking: Some(address!("0x4f9fbb3f1e99b56e0fe2892e623ed36a76fc605d")),
            surplus_pool: Some(address!("0x3d32e8b97ed5881324241cf03b2da5e2ebce5521")),
            borrower_operations: Some(address!("0x24179cd81c9e782a4096035f7ec97fb8b783e007")),
        }),
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveV2Ethereum.sol
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/aave-v2
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "pool",
        contracts: &AaveV3 {
            pool: address!("0x7d2768de32b0b80b7a3454c06bdac94a69ddc7a9"),
            data_provider: address!("0x057835ad21a177dbdd3090bb1cae03eacf78fc6d"),
            rewards_controller: Some(address!("0xd784927ff2f95ba542bfc824c8a8a98f3495f6b5")),
            pools: AAVE_V2,
        },
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveV2EthereumAMM.sol
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "amm",
        contracts: &AaveV3 {
            pool: address!("0x7937d4799803fbbe595ed57278bc4ca21f3bffcb"),
            data_provider: address!("0xc443ad9dde3cecfb9dfc5736578f447afe3590ba"),
            rewards_controller: None,
            pools: AAVE_V2,
        },
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveV2Polygon.sol
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/aave-v2
    DeploymentRow {
        protocol: "aave_v2",
        network: POLYGON,
        market: "pool",
        contracts: &AaveV3 {
            pool: address!("0x8dff5e27ea6b7ac08ebfdf9eb090f32ee9a30fcf"),
            data_provider: address!("0x7551b5d2763519d4e37e8b81929d336de671d46d"),
            rewards_controller: Some(address!("0x357d51124f59836ded84c8a1730d72b749d8bc23")),
            pools: AAVE_V2,
        },
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveV2Avalanche.sol
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/aave-v2
    DeploymentRow {
        protocol: "aave_v2",
        network: AVALANCHE,
        market: "pool",
        contracts: &AaveV3 {
            pool: address!("0x4f01aed16d97e3ab5ab2b501154dc9bb0f1a5a2c"),
            data_provider: address!("0x65285e9dfab318f57051ab2b139cccf232945451"),
            rewards_controller: Some(address!("0x01d83fe6a10d2f2b7af17034343746188272cac9")),
            pools: AAVE_V2,
        },
    },
    // https://github.com/llamafolio/llamafolio-api, src/adapters
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/granary-finance
    DeploymentRow {
        protocol: "granary",
        network: ETHEREUM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0xb702ce183b4e1faa574834715e5d4a6378d0eed3"),
            data_provider: address!("0x33c62bc416309f010c4941163abea3725e4645bf"),
            rewards_controller: None,
            pools: AAVE_V2,
        },
    },
    // https://github.com/llamafolio/llamafolio-api, src/adapters
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/granary-finance
    DeploymentRow {
        protocol: "granary",
        network: OPTIMISM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x8fd4af47e4e63d1d2d45582c3286b4bd9bb95dfe"),
            data_provider: address!("0x9546f673ef71ff666ae66d01fd6e7c6dae5a9995"),
            rewards_controller: None,
            pools: AAVE_V2,
        },
    },
    // https://github.com/llamafolio/llamafolio-api, src/adapters
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/granary-finance
    DeploymentRow {
        protocol: "granary",
        network: ARBITRUM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x102442a3ba1e441043154bc0b8a2e2fb5e0f94a7"),
            data_provider: address!("0x96bcfb86f1bff315c13e00d850e2faea93ccd3e7"),
            rewards_controller: None,
            pools: AAVE_V2,
        },
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveSafetyModule.sol
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/aave-safety-module
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "stk-aave",
        contracts: &SAFETY_MODULES.token(address!("0x4da27a545c0c5b758a6ba100e3a049001de870f5")),
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveSafetyModule.sol
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/aave-safety-module
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "stk-abpt",
        contracts: &SAFETY_MODULES.token(address!("0xa1116930326d21fb917d5a27f1e9943a9595fb47")),
    },
    // https://github.com/aave-dao/aave-address-book/tree/v4.68.1, src/AaveSafetyModule.sol
    // https://github.com/rotki/rotki
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "stk-gho",
        contracts: &SAFETY_MODULES.token(address!("0x1a88df1cfe15af22b3c4c783d4e6f7f9e0c1885d")),
    },
    // https://github.com/bgd-labs/aave-address-book, src/AaveSafetyModule.sol
    // https://github.com/llamafolio/llamafolio-api, src/adapters/aave-v3/ethereum
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "stk-abpt-v2",
        contracts: &SAFETY_MODULES.token(address!("0x9eda81c21c273a82be9bbc19b6a6182212068101")),
    },
    // https://github.com/bgd-labs/aave-address-book, src/UmbrellaEthereum.sol
    // https://github.com/pendle-finance/pendle-sy-tests, test/sy/umbrella/umbrella4626.t.sol
    DeploymentRow {
        protocol: "aave_v2",
        network: ETHEREUM,
        market: "umbrella",
        contracts: &UMBRELLA.of(address!("0x4655ce3d625a63d30ba704087e52b4c31e38188b")),
    },
    DeploymentRow { protocol: "morpho", network: ETHEREUM, market: "main", contracts: &morpho::ETHEREUM },
    DeploymentRow { protocol: "morpho", network: OPTIMISM, market: "main", contracts: &morpho::OPTIMISM },
    DeploymentRow { protocol: "morpho", network: ARBITRUM, market: "main", contracts: &morpho::ARBITRUM },
    DeploymentRow { protocol: "morpho", network: POLYGON, market: "main", contracts: &morpho::POLYGON },
    DeploymentRow { protocol: "morpho", network: BASE, market: "main", contracts: &morpho::BASE },
    DeploymentRow { protocol: "euler", network: ETHEREUM, market: "main", contracts: &euler::ETHEREUM },
    DeploymentRow { protocol: "euler", network: ARBITRUM, market: "main", contracts: &euler::ARBITRUM },
    DeploymentRow { protocol: "euler", network: AVALANCHE, market: "main", contracts: &euler::AVALANCHE },
    DeploymentRow { protocol: "euler", network: BASE, market: "main", contracts: &euler::BASE },
    DeploymentRow { protocol: "euler", network: BSC, market: "main", contracts: &euler::BSC },
    DeploymentRow { protocol: "silo", network: ETHEREUM, market: "v2", contracts: &silo::ETHEREUM },
    DeploymentRow { protocol: "silo", network: OPTIMISM, market: "v2", contracts: &silo::OPTIMISM },
    DeploymentRow { protocol: "silo", network: ARBITRUM, market: "v2", contracts: &silo::ARBITRUM },
    DeploymentRow { protocol: "silo", network: AVALANCHE, market: "v2", contracts: &silo::AVALANCHE },
    DeploymentRow { protocol: "fluid-lending", network: ETHEREUM, market: "main", contracts: &fluid::EVERYWHERE },
    DeploymentRow { protocol: "fluid-lending", network: ARBITRUM, market: "main", contracts: &fluid::EVERYWHERE },
    DeploymentRow { protocol: "fluid-lending", network: POLYGON, market: "main", contracts: &fluid::EVERYWHERE },
    DeploymentRow { protocol: "fluid-lending", network: BASE, market: "main", contracts: &fluid::EVERYWHERE },
    DeploymentRow {
        protocol: "euler",
        network: ETHEREUM,
        market: "rewards",
        contracts: &KnownGaps.with_questions(
            &[Question::LENDING],
            &[rewards_of_euler(address!("0xf3e621395fc714b90da337aa9108771597b4e696"))],
        ),
    },
    DeploymentRow {
        protocol: "euler",
        network: BASE,
        market: "rewards",
        contracts: &KnownGaps.with_questions(
            &[Question::LENDING],
            &[rewards_of_euler(address!("0xe08e1f00d388e201e48842e53fa96195568e6813"))],
        ),
    },
    DeploymentRow {
        protocol: "euler",
        network: ARBITRUM,
        market: "rewards",
        contracts: &KnownGaps.with_questions(
            &[Question::LENDING],
            &[rewards_of_euler(address!("0xfa31599a4928c2d57c0dd77dfca5da1e94e6d2d2"))],
        ),
    },
    DeploymentRow {
        protocol: "euler",
        network: AVALANCHE,
        market: "rewards",
        contracts: &KnownGaps.with_questions(
            &[Question::LENDING],
            &[rewards_of_euler(address!("0x2e3b32730b4f6b6502bdaa9122df3b026ede5391"))],
        ),
    },
    DeploymentRow {
        protocol: "euler",
        network: BSC,
        market: "rewards",
        contracts: &KnownGaps.with_questions(
            &[Question::LENDING],
            &[rewards_of_euler(address!("0x5e13d41913adf18bb2acae34228e8d21f3c2f2eb"))],
        ),
    },
];

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "aave_v2",
        name: "AAVE_V2",
        website: "https://aave.com/",
        primitives: &["LENDING", "BORROWING", "FARMING", "POOLING"],
        company: "Aave",
        company_slug: "aave",
        emitters: &[
            // POOL, DEFAULT_INCENTIVES_CONTROLLER of src/AaveV2*.sol, STK_AAVE and STK_ABPT of
            // src/AaveSafetyModule.sol in https://github.com/aave-dao/aave-address-book/tree/v4.68.1,
            // STK_GHO and STK_AAVE_WSTETH_BPTV2 of the same file
            EmitterRow {
                market: "main",
                sections: &["pool", "rewards", "safety"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0x7d2768de32b0b80b7a3454c06bdac94a69ddc7a9"),
                        address!("0xd784927ff2f95ba542bfc824c8a8a98f3495f6b5"),
                        address!("0x4da27a545c0c5b758a6ba100e3a049001de870f5"),
                        address!("0xa1116930326d21fb917d5a27f1e9943a9595fb47"),
                        address!("0x1a88df1cfe15af22b3c4c783d4e6f7f9e0c1885d"),
                        address!("0x9eda81c21c273a82be9bbc19b6a6182212068101"),
                    ],
                )]),
            },
            EmitterRow {
                market: "main",
                sections: &["pool", "rewards"],
                contracts: Listed(&[
                    (
                        &[POLYGON],
                        &[
                            address!("0x8dff5e27ea6b7ac08ebfdf9eb090f32ee9a30fcf"),
                            address!("0x357d51124f59836ded84c8a1730d72b749d8bc23"),
                        ],
                    ),
                    (
                        &[AVALANCHE],
                        &[
                            address!("0x4f01aed16d97e3ab5ab2b501154dc9bb0f1a5a2c"),
                            address!("0x01d83fe6a10d2f2b7af17034343746188272cac9"),
                        ],
                    ),
                ]),
            },
        ],
    },
    ProtocolRow {
        slug: "granary",
        name: "GRANARY",
        website: "https://granary.finance",
        primitives: &["LENDING", "BORROWING"],
        company: "Granary",
        company_slug: "granary",
        emitters: &[],
    },
    ProtocolRow {
        slug: "radiant",
        name: "RADIANT",
        website: "https://radiant.capital/",
        primitives: &["LENDING", "FARMING"],
        company: "Radiant",
        company_slug: "radiant",
        emitters: &[
            // https://docs.radiant.capital/radiant/contracts-and-security/arbitrum-contracts
            EmitterRow {
                market: "main",
                sections: &["pool"],
                contracts: Listed(&[
                    (&[ARBITRUM], &[address!("0xf4b1486dd74d07706052a33d31d7c0aafd0659e1")]),
                    (&[BSC], &[address!("0xd50cf00b6e600dd036ba8ef475677d816d6c4281")]),
                    (&[ETHEREUM], &[address!("0xa950974f64aa33f27f6c5e017eee93bf7588ed07")]),
                ]),
            },
        ],
    },
    ProtocolRow {
        slug: "morpho",
        name: "MORPHO",
        website: "https://morpho.org",
        primitives: &["LENDING", "BORROWING"],
        company: "Morpho",
        company_slug: "morpho",
        emitters: &[
            // https://docs.morpho.org/get-started/resources/addresses/
            EmitterRow {
                market: "events",
                sections: &["morpho"],
                contracts: Listed(&[
                    (&[ETHEREUM, BASE], &[address!("0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb")]),
                    (&[OPTIMISM], &[address!("0xce95afbb8ea029495c66020883f87aae8864af92")]),
                    (&[POLYGON], &[address!("0x1bf0c2541f820e775182832f06c0b7fc27a25f67")]),
                    (&[ARBITRUM], &[address!("0x6c247b1f6182318877311737bac0844baa518f5e")]),
                ]),
            },
        ],
    },
    ProtocolRow {
        slug: "euler",
        name: "EULER",
        website: "https://euler.finance",
        primitives: &["LENDING", "BORROWING"],
        company: "Euler",
        company_slug: "euler",
        emitters: &[
            // https://github.com/euler-xyz/euler-interfaces/tree/master/addresses
            EmitterRow {
                market: "events",
                sections: &["euler"],
                contracts: Registry {
                    view: "isProxy",
                    registries: &[
                        (&[ETHEREUM], address!("0x29a56a1b8214d9cf7c5561811750d5cbdb45cc8e")),
                        (&[BASE], address!("0x7f321498a801a191a93c840750ed637149ddf8d0")),
                    ],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "silo",
        name: "SILO",
        website: "https://silo.finance",
        primitives: &["LENDING", "BORROWING"],
        company: "Silo",
        company_slug: "silo",
        emitters: &[
            // https://devdocs.silo.finance/security/smart-contracts
            EmitterRow {
                market: "main",
                sections: &["silo_v1"],
                contracts: Registry {
                    view: "isSilo",
                    registries: &[(&[ETHEREUM], address!("0xd998c35b7900b344bbbe6555cc11576942cf309d"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "fluid-lending",
        name: "FLUID_LENDING",
        website: "https://fluid.io",
        primitives: &["LENDING", "BORROWING"],
        company: "Fluid",
        company_slug: "fluid",
        emitters: &[
            // https://github.com/Instadapp/fluid-contracts-public/blob/main/deployments/deployments.md
            EmitterRow {
                market: "events",
                sections: &["fluid"],
                contracts: Registry {
                    view: "isVault",
                    registries: &[(
                        &[ETHEREUM, ARBITRUM, BASE],
                        address!("0x324c5dc1fc42c7a4d43d92df1eba58a54d13bf2d"),
                    )],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "liquity",
        name: "LIQUITY",
        website: "https://liquity.org",
        primitives: &["LENDING", "FARMING"],
        company: "Liquity",
        company_slug: "liquity",
        emitters: &[
            // https://github.com/liquity/dev/blob/main/packages/lib-ethers/deployments/default/mainnet.json
            EmitterRow {
                market: "events",
                sections: &["liquity"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0x4f9fbb3f1e99b56e0fe2892e623ed36a76fc605d"),
                        address!("0x66017d22b0f8556afdd19fc67041899eb65a21bb"),
                        address!("0xa39739ef8b0231dbfa0dcda07d7e29faabcf4bb2"),
                        address!("0x24179cd81c9e782a4096035f7ec97fb8b783e007"),
                    ],
                )]),
            },
        ],
    },
];
