//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::unified_farms::UnifiedFarmTypes;
use portolan_kits::validator_shares::ValidatorShares;
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::address;
use portolan_plugin_api::networks::ETHEREUM;

/// Delegations to validators.
pub(crate) const VALIDATOR_SHARES: ValidatorShares = ValidatorShares { delegation: "validator-shares" };

/// Locks of FXS.
pub(crate) const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// Frax' farms.
pub(crate) const FRAX_FARMS: UnifiedFarmTypes = UnifiedFarmTypes { farm: "frax-unified-farm" };

/// The deployments that the plugin ships with.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://github.com/0xPolygon/pos-contracts/blob/main/scripts/deployers/input.json
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/sumTokens.js, and of POL projects/helper/coreAssets.json
    DeploymentRow {
        protocol: "polygon-protocol",
        network: ETHEREUM,
        market: "delegations",
        contracts: &VALIDATOR_SHARES.of(
            address!("0x5e3ef299fddf15eaa0432e6e66473ace8c13d908"),
            address!("0x455e53cbb86018ac2b8092fdcd39d8444affc3f6"),
        ),
    },
    // https://github.com/FraxFinance/frax-solidity (src/types/constants.ts), https://github.com/stake-dao/LiquidLockers-contracts
    DeploymentRow {
        protocol: "frax",
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.of(address!("0xc8418af6358ffdda74e09ca9cc3fe03ca6adc5b0"), &[]),
    },
    // What the present distributor pays for veFXS; one source:
    // https://github.com/llamafolio/llamafolio-api (src/adapters/frax-finance/ethereum)
    DeploymentRow {
        protocol: "frax",
        network: ETHEREUM,
        market: "yields",
        contracts: &KnownGaps.of(&[KnownGap::by(
            address!("0xc6764e58b36e26b08fd1d2aed4538c02171fa872"),
            "earned",
            "the distributor of yields for veFXS",
        )]),
    },
    // https://github.com/FraxFinance/frax-solidity (src/types/constants.ts), by its names
    // https://github.com/llamafolio/llamafolio-api (src/adapters/frax-finance/ethereum/contracts.json)
    DeploymentRow {
        protocol: "frax",
        network: ETHEREUM,
        market: "farms",
        contracts: &FRAX_FARMS.of(&[
            address!("0xd1f21322bbdd3586dc1151adccaa2684641c2b31"), // Convex stkcvxagEURFRAXBP
            address!("0xa0657642224fc53dab4a3d2069430afe157bec5d"), // Convex stkcvxALCXFRAXBP
            address!("0x5a92ef27f4baa7c766aee6d751f754ebdebd9fae"), // Convex stkcvxBADGERFRAXBP
            address!("0xacf54f101b86f9e55d35c0674ebd8c854e5f80e4"), // Convex stkcvxBUSDFRAXBP
            address!("0x5745506d56b0088f800085b1227b3f1f7d419c89"), // Convex stkcvxclevUSDFRAXBP
            address!("0xec670c5e0a8a8d5ae5639158565d840de44ca03f"), // Convex stkcvxCVXFRAXBP
            address!("0x57c9f019b25aaaf822926f4cacf0a860f61edd8d"), // Convex stkcvxcvxCRVFRAXBP
            address!("0x2f9504988675c91787e188ed928d6e042d9052e9"), // Convex stkcvxcvxFXSFRAXBP
            address!("0xe7211e87d60177575846936f2123b5fa6f0ce8ab"), // Convex stkcvxDOLAFRAXBP
            address!("0x0a08673e3d7c454e1c6b27acd059c50df6727fc9"), // Convex stkcvxFPIFRAX
            address!("0x963f487796d54d2f27ba6f3fbe91154ca103b199"), // Convex stkcvxFRAXBP
            address!("0xa537d64881b84faffb9ae43c951eebf368b71cda"), // Convex stkcvxfrxETHETH
            address!("0xf0ffe16810b7f412c52c1610e3bc9819a7dcb366"), // Convex stkcvxGUSDFRAXBP
            address!("0xf0a9b6f6593b4bf96e1ab13921a8a3fbfd9d4f16"), // Convex stkcvxLUSDFRAXBP
            address!("0xde5684f85a78f6cccffb4b9301ad0944eb5ce3ee"), // Convex stkcvxMAIFRAXBP
            address!("0xfb2ccc82755a734c53c8b45f260ffc2df026fe87"), // Convex stkcvxmsUSDFRAXBP
            address!("0xc96e1a26264d965078bd01eaceb129a65c09ffe7"), // Convex stkcvxOHMFRAXBP
            address!("0x40b42e4ab3c044e67cbfb0bd99c9e975dcb83668"), // Convex stkcvxpUSDFRAXBP
            address!("0xf22d3c85e41ef4b5ac8cb8b89a14718e290a0561"), // Convex stkcvxRSRFRAXBP
            address!("0x9c8d9667d5726aeca4d24171958bee9f46861bed"), // Convex stkcvxSDTFRAXBP
            address!("0xb324b2bd8a3dc55b04111e84d5cce0c3771f8889"), // Convex stkcvxTUSDFRAXBP
            address!("0xf7242a1ce383174802818febb36b6eebb56d5bfb"), // Convex stkcvxUSDDFRAXBP
            address!("0x711d650cd10df656c2c28d375649689f137005fa"), // Convex stkcvxalUSDFRAXBP
            address!("0xa810d1268cef398ec26095c27094596374262826"), // Convex stkcvxapeUSDFRAXBP
            address!("0x560c7668459221e33ed515d1d17c09ecda1996f5"), // Convex stkcvxsUSDFRAXBP
            address!("0x4edf7c64dad8c256f6843acfe56876024b54a1b6"), // Convex stkcvxXAIFRAXBP
            address!("0xbf33b67f243a4dabed494ff5840f113b2e202a0d"), // Fraxswap V1 FRAX/IQ V2
            address!("0x35678017e1d252da1cdd6745b147e3e75d1f9c27"), // Fraxswap V1 FRAX/IQ V3
            address!("0x5e15e40a3aa06beca711ede9f3f76e1d80c34490"), // Fraxswap V1 FRAX/IQ
            address!("0xe8453a2e8e97cba69365a1d727fde3768b18d814"), // Fraxswap V1 FRAX/SYN
            address!("0x899aa575e0e46344d18471f69337663c48b76e35"), // Fraxswap V1 FRAX/pitchFXS V2
            address!("0x24c66ba25ca2a53bb97b452b9f45dd075b07cf55"), // Fraxswap V1 FRAX/pitchFXS V3
            address!("0x9e66e7811feacf5402b65021475d1a293f7ea797"), // Fraxswap V1 FRAX/pitchFXS
            address!("0x9d46c0584c5c89e14fb1143e2414712fef36f00f"), // Fraxswap V2 FRAX/FPIS
            address!("0x3f2e53b1a3036fd33f3c2f3cc49dab26a88df2e0"), // Fraxswap V2 FRAX/FXS
            address!("0x7af00cf8d3a8a75210a5ed74f2254e2ec43b5b5b"), // Fraxswap V2 FRAX/IQ
            address!("0xf562b2f33b3c90d5d273f88cdf0ced866e17092e"), // Fraxswap V2 FRAX/OHM
            address!("0xa632fab76fe013199c8271ac22b466b9d11bfe88"), // Fraxswap V2 FRAX/pitchFXS
            address!("0x8875a328eadb1e142f4021fc2098096796a30cf8"), // Fraxswap V2 FRAX/SDL
            address!("0x788e44b6424a0e4160ae4766e86640ec5a6bad5b"), // Fraxswap V2 FRAX/SYN
            address!("0x38950d42cd549842b3fc862a45f00eb24331f462"), // Fraxswap V2 FRAX/ZZ
            address!("0xcdfc491804a420b677f8e788b5157856910e2f6f"), // Gelato Uniswap FRAX/DAI
            address!("0x10460d02226d6ef7b2419ae150e6377bdbb7ef16"), // Temple FRAX/TEMPLE
            address!("0x0a53544b2194dd8ebc62c779043fc0624705bb56"), // StakeDAO sdETH-FraxPut
            address!("0x698137c473bc1f0ea9b85ade45caf64ef2df48d6"), // Vesper Orbit FRAX
        ]),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/tree/main/projects/frax-ETH
    // https://github.com/FraxFinance/frax-ether-redemption-queue
    DeploymentRow {
        protocol: "frax",
        network: ETHEREUM,
        market: "redemptions",
        contracts: &KnownGaps.of(&[KnownGap::at(
            address!("0x82ba8da44cd5261762e629dd5c605b17715727bd"),
            "the redemption queue of frxETH",
        )]),
    },
];

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "lido",
        name: "LIDO",
        website: "https://lido.fi/",
        primitives: &["FARMING"],
        company: "Lido",
        company_slug: "lido",
        emitters: &[
            // https://docs.lido.fi/deployed-contracts/
            EmitterRow {
                market: "main",
                sections: &["lido"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xae7ab96520de3a18e5e111b5eaab095312d7fe84"),
                        address!("0x889edc2edab5f40e902b864ad4d7ade8e412f9b1"),
                    ],
                )]),
            },
        ],
    },
    ProtocolRow {
        slug: "rocketpool",
        name: "ROCKETPOOL",
        website: "https://rocketpool.net",
        primitives: &["FARMING"],
        company: "Rocketpool",
        company_slug: "rocketpool",
        emitters: &[
            // https://docs.rocketpool.net/overview/contracts-integrations
            EmitterRow {
                market: "main",
                sections: &["rocket_pool"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0xae78736cd615f374d3085123a210448e74fc6393")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "eigenlayer",
        name: "EIGENLAYER",
        website: "https://eigenlayer.xyz",
        primitives: &["FARMING"],
        company: "Eigenlayer",
        company_slug: "eigenlayer",
        emitters: &[
            // https://github.com/Layr-Labs/eigenlayer-contracts#current-mainnet-deployment
            EmitterRow {
                market: "main",
                sections: &["eigenlayer"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0x858646372cc42e1a627fce94aa7a7033e7cf075a"),
                        address!("0x39053d51b77dc0d36036fc1fcc8cb819df8ef37a"),
                        address!("0x7750d328b314effa365a0402ccfd489b80b0adda"),
                        address!("0x7fe7e9cc0f274d2435ad5d56d5fa73e47f6a23d8"),
                    ],
                )]),
            },
        ],
    },
    ProtocolRow {
        slug: "frax",
        name: "FRAX",
        website: "https://frax.finance",
        primitives: &["FARMING"],
        company: "Frax",
        company_slug: "frax",
        emitters: &[
            // https://docs.frax.finance/smart-contracts/frxeth-and-sfrxeth-contract-addresses
            EmitterRow {
                market: "main",
                sections: &["frax"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0xbafa44efe7901e04e39dad13167d089c559c1138")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "ether-fi",
        name: "ETHER_FI",
        website: "https://ether.fi",
        primitives: &["FARMING"],
        company: "Ether.fi",
        company_slug: "ether-fi",
        emitters: &[
            // https://etherfi.gitbook.io/etherfi/contracts-and-integrations/deployed-contracts
            EmitterRow {
                market: "main",
                sections: &["etherfi"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0x308861a430be4cce5502d0a12724771fc6daf216"),
                        address!("0x7d5706f6ef3f89b3951e23e557cdfbc3239d4e2c"),
                    ],
                )]),
            },
        ],
    },
    ProtocolRow {
        slug: "swell",
        name: "SWELL",
        website: "https://swellnetwork.io",
        primitives: &["FARMING"],
        company: "Swell",
        company_slug: "swell",
        emitters: &[
            // https://developers.swellnetwork.io/docs/developer-resources/smart-contracts
            EmitterRow {
                market: "main",
                sections: &["swell"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xf951e335afb289353dc249e82926178eac7ded78"),
                        address!("0xfae103dc9cf190ed75350761e95403b7b8afa6c0"),
                    ],
                )]),
            },
        ],
    },
    ProtocolRow {
        slug: "renzo",
        name: "RENZO",
        website: "https://www.renzoprotocol.com",
        primitives: &["FARMING"],
        company: "Renzo",
        company_slug: "renzo",
        emitters: &[
            // https://docs.renzoprotocol.com/docs/contracts/ethereum
            EmitterRow {
                market: "main",
                sections: &["renzo"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0x74a09653a083691711cf8215a6ab074bb4e99ef5")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "kelp",
        name: "KELP",
        website: "https://kerneldao.com/kelp",
        primitives: &["FARMING"],
        company: "Kelp",
        company_slug: "kelp",
        emitters: &[
            // https://kelp.gitbook.io/kelp/protocol/smart-contracts
            EmitterRow {
                market: "main",
                sections: &["kelp"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0x036676389e48133b63a802f8635ad39e752d375d")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "mantle",
        name: "MANTLE",
        website: "https://mantle.xyz",
        primitives: &["FARMING"],
        company: "Mantle",
        company_slug: "mantle",
        emitters: &[
            // https://docs.mantle.xyz/meth/components/smart-contracts
            EmitterRow {
                market: "main",
                sections: &["mantle"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0xe3cbd06d7dadb3f4e6557bab7edd924cd1489e8f")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "polygon-protocol",
        name: "POLYGON",
        website: "https://polygon.technology",
        primitives: &["FARMING"],
        company: "Polygon",
        company_slug: "polygon",
        emitters: &[
            // https://github.com/0xPolygon/static/blob/master/network/mainnet/v1/index.json
            EmitterRow {
                market: "main",
                sections: &["polygon"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0xa59c847bd5ac0172ff4fe912c5d29e5a71a7512b")])]),
            },
        ],
    },
];
