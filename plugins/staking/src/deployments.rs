//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::validator_shares::ValidatorShares;
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::address;
use portolan_plugin_api::networks::ETHEREUM;

/// Delegations to validators.
pub(crate) const VALIDATOR_SHARES: ValidatorShares = ValidatorShares { delegation: "validator-shares" };

/// Locks of FXS.
pub(crate) const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "vote-escrow", fee: "vote-escrow-fees" };

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
