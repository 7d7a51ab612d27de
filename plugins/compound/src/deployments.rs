//! Compound's contracts and those of its forks, one row each. A settings file adds rows.
//!
//! Sources of comptrollers, whose `markets(address)` returns first whether a market is listed:
//! <https://docs.compound.finance/v2/>, <https://docs-v4.venus.io/deployed-contracts/core-pool>,
//! <https://docs.moonwell.fi/moonwell/protocol-information/contracts>,
//! <https://docs.benqi.fi/resources/contracts/benqi-markets>.

use std::borrow::Cow;

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::comet::{CometContracts, CometTypes};
use portolan_kits::compound_v2::{
    CompoundV2, CompoundV2Contracts, CompoundV2Rewards, CompoundV2Types, IndexViews, Minted,
};
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, OPTIMISM, POLYGON, SCROLL};
use portolan_plugin_api::{Address, NATIVE, Question, address};

/// The words for markets of Compound v3 and their rewards.
pub(crate) const COMETS: CometTypes = CometTypes { market: "compound-v3", reward: "compound-v3-rewards" };

/// The words for markets of Compound v2 and its forks, and their rewards.
pub(crate) const COMPTROLLERS: CompoundV2Types =
    CompoundV2Types { market: "compound-v2", reward: "compound-v2-rewards" };

/// A comptroller that rewards nothing, or of which it is not known how.
const fn unrewarded(comptroller: Address, native_market: Option<Address>) -> CompoundV2 {
    let rewards = CompoundV2Rewards::None;
    COMPTROLLERS.of(CompoundV2Contracts { comptroller, native_market, minted: None, rewards })
}

/// A pool of Venus, whose comptroller lists distributors of its rewards.
const fn venus_pool(comptroller: Address) -> CompoundV2 {
    let rewards = CompoundV2Rewards::Listed;
    COMPTROLLERS.of(CompoundV2Contracts { comptroller, native_market: None, minted: None, rewards })
}

const ETHEREUM_REWARDS: Address = address!("0x1b0e765f6224c21223aea2af16c1c46e38885a40");
const OPTIMISM_REWARDS: Address = address!("0x443ea0340cb75a160f31a440722dec7b5bc3c2e9");
const ARBITRUM_REWARDS: Address = address!("0x88730d254a2f7e6ac8388c3198afd694ba9f7fae");
const POLYGON_REWARDS: Address = address!("0x45939657d1ca34a8fa39a924b71d28fe8431e581");
const BASE_REWARDS: Address = address!("0x123964802e6ababbe1bc9547d72ef1b69b00a6b1");

/// Markets of Compound v3, by their base token, and comptrollers of v2. Sources of the former are `comet` and `rewards` of `deployments/*/*/roots.json` in
/// <https://github.com/compound-finance/comet>, and <https://docs.compound.finance/#networks>.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "usdc",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xc3d688b66703497daa19211eedff47f25384cdc3"),
            rewards: Some(ETHEREUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "weth",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xa17581a9e3356d9a858b789d68b4d866e593ae94"),
            rewards: Some(ETHEREUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "usdt",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x3afdc9bca9213a35503b077a6072f3d0d5ab0840"),
            rewards: Some(ETHEREUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "wsteth",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x3d0bb1ccab520a66e607822fc55bc921738fafe3"),
            rewards: Some(ETHEREUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "usds",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x5d409e56d886231adaf00c8775665ad0f9897b56"),
            rewards: Some(ETHEREUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "wbtc",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xe85dc543813b8c2cfeaac371517b925a166a9293"),
            rewards: Some(ETHEREUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: OPTIMISM,
        market: "usdc",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x2e44e174f7d53f0212823acc11c01a11d58c5bcb"),
            rewards: Some(OPTIMISM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: OPTIMISM,
        market: "usdt",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x995e394b8b2437ac8ce61ee0bc610d617962b214"),
            rewards: Some(OPTIMISM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: OPTIMISM,
        market: "weth",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xe36a30d249f7761327fd973001a32010b521b6fd"),
            rewards: Some(OPTIMISM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ARBITRUM,
        market: "usdc",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf"),
            rewards: Some(ARBITRUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ARBITRUM,
        market: "usdc-e",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xa5edbdd9646f8dff606d7448e414884c7d905dca"),
            rewards: Some(ARBITRUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ARBITRUM,
        market: "weth",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x6f7d514bbd4aff3bcd1140b7344b32f063dee486"),
            rewards: Some(ARBITRUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: ARBITRUM,
        market: "usdt",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xd98be00b5d27fc98112bde293e487f8d4ca57d07"),
            rewards: Some(ARBITRUM_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: POLYGON,
        market: "usdc-e",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xf25212e676d1f7f89cd72ffee66158f541246445"),
            rewards: Some(POLYGON_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: POLYGON,
        market: "usdt",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xaeb318360f27748acb200ce616e389a6c9409a07"),
            rewards: Some(POLYGON_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: BASE,
        market: "usdbc",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf"),
            rewards: Some(BASE_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: BASE,
        market: "weth",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x46e6b214b524310239732d51387075e0e70970bf"),
            rewards: Some(BASE_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: BASE,
        market: "usdc",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0xb125e6687d4313864e53df431d5425969c15eb2f"),
            rewards: Some(BASE_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: BASE,
        market: "aero",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x784efeb622244d2348d4f2522f8860b96fbece89"),
            rewards: Some(BASE_REWARDS),
        }),
    },
    DeploymentRow {
        protocol: "compound",
        network: BASE,
        market: "usds",
        contracts: &COMETS.of(CometContracts {
            comet: address!("0x2c776041ccfe903071af44aa147368a9c8eea518"),
            rewards: Some(BASE_REWARDS),
        }),
    },
    // Compound v2 and its forks. https://docs.compound.finance/v2/
    // https://github.com/DefiLlama/DefiLlama-Adapters/tree/main/projects/compound
    DeploymentRow {
        protocol: "compound",
        network: ETHEREUM,
        market: "v2-markets",
        contracts: &COMPTROLLERS.of(CompoundV2Contracts {
            comptroller: address!("0x3d9819210a31b4961b30ef54be2aed79b9c9cd3b"),
            native_market: Some(address!("0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5")),
            minted: None,
            rewards: CompoundV2Rewards::Indexed {
                views: IndexViews::Comp,
                tokens: Cow::Borrowed(&[address!("0xc00e94cb662c3520282e6f5717214004a7f26888")]),
                by_second: false,
            },
        }),
    },
    // https://docs-v4.venus.io/deployed-contracts/core-pool
    // https://github.com/VenusProtocol/venus-protocol/tree/main/deployments/bscmainnet
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "core",
        contracts: &COMPTROLLERS.of(CompoundV2Contracts {
            comptroller: address!("0xfd36e2c2a6789db23113685031d7f16329158384"),
            native_market: Some(address!("0xa07c5b74c9b40447a954e1466938b865b6bbea36")),
            minted: Some(Minted {
                controller: address!("0x004065d34c6b18ce4370ced1cebde94865dbfafe"),
                token: address!("0x4bd17003473389a42daf6a0a729f6fdb328bbbd7"),
            }),
            rewards: CompoundV2Rewards::Indexed {
                views: IndexViews::Venus,
                tokens: Cow::Borrowed(&[address!("0xcf6bb5389c92bdda8a3747ddb454cb7a64626c63")]),
                by_second: false,
            },
        }),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: ETHEREUM,
        market: "core",
        contracts: &venus_pool(address!("0x687a01ecf6d3907658f7a7c714749fac32336d1b")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: ARBITRUM,
        market: "core",
        contracts: &venus_pool(address!("0x317c1a5739f39046e20b08ac9beea3f10fd43326")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BASE,
        market: "core",
        contracts: &venus_pool(address!("0x0c7973f9598aa62f9e03b94e92c967fd5437426c")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: OPTIMISM,
        market: "core",
        contracts: &venus_pool(address!("0x5593ff68be84c966821eef5f0a988c285d5b7cec")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: ETHEREUM,
        market: "curve",
        contracts: &venus_pool(address!("0x67aa3ecc5831a65a5ba7be76bed3b5dc7db60796")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: ETHEREUM,
        market: "ethena",
        contracts: &venus_pool(address!("0x562d2b6ff1dbf5f63e233662416782318cc081e4")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: ETHEREUM,
        market: "liquid-staked-eth",
        contracts: &venus_pool(address!("0xf522cd0360ef8c2ff48b648d53ea1717ec0f3ac3")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: ARBITRUM,
        market: "liquid-staked-eth",
        contracts: &venus_pool(address!("0x52bab1af7ff770551bd05b9fc2329a0bf5e23f16")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "btc",
        contracts: &venus_pool(address!("0x9df11376cf28867e2b0741348044780fbb7cb1d6")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "defi",
        contracts: &venus_pool(address!("0x3344417c9360b963ca93a4e8305361aede340ab9")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "gamefi",
        contracts: &venus_pool(address!("0x1b43ea8622e76627b81665b1ecebb4867566b963")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "liquid-staked-bnb",
        contracts: &venus_pool(address!("0xd933909a4a2b7a4638903028f44d1d38ce27c352")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "liquid-staked-eth",
        contracts: &venus_pool(address!("0xbe609449eb4d76ad8545f957bbe04b596e8fc529")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "meme",
        contracts: &venus_pool(address!("0x33b6fa34cd23e5aeed1b112d5988b026b8a5567d")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "stablecoins",
        contracts: &venus_pool(address!("0x94c1495cd4c557f1560cbd68eab0d197e6291571")),
    },
    // https://docs-v4.venus.io/deployed-contracts/isolated-pools
    // https://github.com/VenusProtocol/isolated-pools/tree/develop/deployments
    DeploymentRow {
        protocol: "venus",
        network: BSC,
        market: "tron",
        contracts: &venus_pool(address!("0x23b4404e4e5ec5ff5a6ffb70b7d14e3fabf237b0")),
    },
    // https://docs.moonwell.fi/moonwell/protocol-information/contracts
    // https://github.com/moonwell-fi/moonwell-contracts-v2/tree/main/chains
    DeploymentRow {
        protocol: "moonwell",
        network: BASE,
        market: "markets",
        contracts: &COMPTROLLERS.of(CompoundV2Contracts {
            comptroller: address!("0xfbb21d0380bee3312b33c4353c8936a0f13ef26c"),
            native_market: None,
            minted: None,
            rewards: CompoundV2Rewards::Distributor(address!("0xe9005b078701e2a0948d2eac43010d35870ad9d2")),
        }),
    },
    // https://docs.moonwell.fi/moonwell/protocol-information/contracts
    // https://github.com/moonwell-fi/moonwell-contracts-v2/tree/main/chains
    DeploymentRow {
        protocol: "moonwell",
        network: OPTIMISM,
        market: "markets",
        contracts: &COMPTROLLERS.of(CompoundV2Contracts {
            comptroller: address!("0xca889f40aae37fff165bccf69aef1e82b5c511b9"),
            native_market: None,
            minted: None,
            rewards: CompoundV2Rewards::Distributor(address!("0xf9524bfa18c19c3e605fbfe8dfd05c6e967574aa")),
        }),
    },
    // https://docs.benqi.fi/resources/contracts/benqi-markets
    // https://github.com/DefiLlama/DefiLlama-Adapters/tree/main/projects/benqi
    DeploymentRow {
        protocol: "benqi",
        network: AVALANCHE,
        market: "markets",
        contracts: &COMPTROLLERS.of(CompoundV2Contracts {
            comptroller: address!("0x486af39519b4dc9a7fccd318217352830e8ad9b4"),
            native_market: Some(address!("0x5c0401e81bc07ca70fad469b451682c0d747ef1c")),
            minted: None,
            rewards: CompoundV2Rewards::Indexed {
                views: IndexViews::Typed,
                tokens: Cow::Borrowed(&[address!("0x8729438eb15e2c8b576fcc6aecda6a148776c0f5"), NATIVE]),
                by_second: true,
            },
        }),
    },
    // https://docs.fluxfinance.com/addresses
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "flux",
        network: ETHEREUM,
        market: "main",
        contracts: &unrewarded(address!("0x95af143a021df745bc78e845b54591c53a8b3a51"), None),
    },
    // https://github.com/WePiggy/contract_addresses
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "wepiggy",
        network: ETHEREUM,
        market: "main",
        contracts: &unrewarded(
            address!("0x0c8c1ab017c3c0c8a48dd9f1db2f59022d190f0b"),
            Some(address!("0x27a94869341838d5783368a8503fda5fbcd7987c")),
        ),
    },
    // https://github.com/WePiggy/contract_addresses
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "wepiggy",
        network: OPTIMISM,
        market: "main",
        contracts: &unrewarded(
            address!("0x896aecb9e73bf21c50855b7874729596d0e511cb"),
            Some(address!("0x8e1e582879cb8bac6283368e8ede458b63f499a5")),
        ),
    },
    // https://github.com/WePiggy/contract_addresses
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "wepiggy",
        network: ARBITRUM,
        market: "main",
        contracts: &unrewarded(
            address!("0xaa87715e858b482931eb2f6f92e504571588390b"),
            Some(address!("0x17933112e9780abd0f27f2b7d9dda9e840d43159")),
        ),
    },
    // https://github.com/WePiggy/contract_addresses
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "wepiggy",
        network: BSC,
        market: "main",
        contracts: &unrewarded(
            address!("0x8c925623708a94c7de98a8e83e8200259ff716e0"),
            Some(address!("0x33a32f0ad4aa704e28c93ed8ffa61d50d51622a7")),
        ),
    },
    // https://github.com/WePiggy/contract_addresses
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "wepiggy",
        network: POLYGON,
        market: "main",
        contracts: &unrewarded(
            address!("0xffceacfd39117030314a07b2c86da36e51787948"),
            Some(address!("0xc1b02e52e9512519edf99671931772e452fb4399")),
        ),
    },
    // Its markets on Optimism were drained in May 2024, and are left out. On Base its own `deployments/base`, and
    // https://github.com/DefiLlama/DefiLlama-Adapters, registries
    DeploymentRow {
        protocol: "sonne",
        network: BASE,
        market: "main",
        contracts: &unrewarded(address!("0x1db2466d9f5e10d7090e7152b68d62703a2245f0"), None),
    },
    // https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/benqi-staked-avax, and its view:
    // https://github.com/Benqi-fi/BENQI-Smart-Contracts (sAVAX/StakedAvax.sol)
    DeploymentRow {
        protocol: "benqi",
        network: AVALANCHE,
        market: "unlocks",
        contracts: &KnownGaps.with_questions(
            &[Question::CLAIMABLES, Question::LENDING],
            &[KnownGap::by(
                address!("0x2b2c81e08f1af8835a78bb2a90ae924ace0ea4be"),
                "getUnlockRequestCount",
                "the unlocking of sAVAX",
            )],
        ),
    },
];

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "compound",
        name: "COMPOUND",
        website: "https://compound.finance",
        primitives: &["LENDING", "BORROWING", "FARMING"],
        company: "Compound",
        company_slug: "compound",
        emitters: &[
            // https://docs.compound.finance/#networks: the markets of v3 and the contracts of their rewards
            EmitterRow {
                market: "v3",
                sections: &["comet", "rewards"],
                contracts: Listed(&[
                    (
                        &[ETHEREUM],
                        &[
                            address!("0xc3d688b66703497daa19211eedff47f25384cdc3"),
                            address!("0xa17581a9e3356d9a858b789d68b4d866e593ae94"),
                            address!("0x3afdc9bca9213a35503b077a6072f3d0d5ab0840"),
                            address!("0x3d0bb1ccab520a66e607822fc55bc921738fafe3"),
                            address!("0x5d409e56d886231adaf00c8775665ad0f9897b56"),
                            address!("0xe85dc543813b8c2cfeaac371517b925a166a9293"),
                            address!("0x1b0e765f6224c21223aea2af16c1c46e38885a40"),
                        ],
                    ),
                    (
                        &[OPTIMISM],
                        &[
                            address!("0x2e44e174f7d53f0212823acc11c01a11d58c5bcb"),
                            address!("0x995e394b8b2437ac8ce61ee0bc610d617962b214"),
                            address!("0xe36a30d249f7761327fd973001a32010b521b6fd"),
                            address!("0x443ea0340cb75a160f31a440722dec7b5bc3c2e9"),
                        ],
                    ),
                    (
                        &[ARBITRUM],
                        &[
                            address!("0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf"),
                            address!("0xa5edbdd9646f8dff606d7448e414884c7d905dca"),
                            address!("0x6f7d514bbd4aff3bcd1140b7344b32f063dee486"),
                            address!("0xd98be00b5d27fc98112bde293e487f8d4ca57d07"),
                            address!("0x88730d254a2f7e6ac8388c3198afd694ba9f7fae"),
                        ],
                    ),
                    (
                        &[POLYGON],
                        &[
                            address!("0xf25212e676d1f7f89cd72ffee66158f541246445"),
                            address!("0xaeb318360f27748acb200ce616e389a6c9409a07"),
                            address!("0x45939657d1ca34a8fa39a924b71d28fe8431e581"),
                        ],
                    ),
                    (
                        &[BASE],
                        &[
                            address!("0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf"),
                            address!("0x46e6b214b524310239732d51387075e0e70970bf"),
                            address!("0xb125e6687d4313864e53df431d5425969c15eb2f"),
                            address!("0x784efeb622244d2348d4f2522f8860b96fbece89"),
                            address!("0x2c776041ccfe903071af44aa147368a9c8eea518"),
                            address!("0x123964802e6ababbe1bc9547d72ef1b69b00a6b1"),
                        ],
                    ),
                    (
                        &[SCROLL],
                        &[
                            address!("0xb2f97c1bd3bf02f5e74d13f02e3e26f93d77ce44"),
                            address!("0x70167d30964cbfdc315ecae02441af747be0c5ee"),
                        ],
                    ),
                ]),
            },
            // The markets by name too, as the comptroller need not answer for a block of the past. The first fourteen:
            // https://github.com/compound-finance/compound-config/blob/master/networks/mainnet.json, and all:
            // https://docs.compound.finance/v2/#networks
            EmitterRow {
                market: "v2-listed",
                sections: &["v2"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xf5dce57282a584d2746faf1593d3121fcac444dc"),
                        address!("0x12392f67bdf24fae0af363c24ac620a2f67dad86"),
                        address!("0xface851a4921ce59e912d19329929ce6da6eb0c7"),
                        address!("0xccf4429db6322d5c611ee964527d42e5d685dd6a"),
                        address!("0x70e36f6bf80a52b3b46b3af8e106cc0ed743e8e4"),
                        address!("0x39aa39c021dfbae8fac545936693ac917d5e7563"),
                        address!("0x5d3a536e4d6dbd6114cc1ead35777bab948e3643"),
                        address!("0xf650c3d88d12db855b8bf7d11be6c55a4e07dcc9"),
                        address!("0x6c8c6b02e7b2be14d4fa6022dfd6d75921d90e4e"),
                        address!("0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5"),
                        address!("0x35a18000230da775cac24873d00ff85bccded550"),
                        address!("0x158079ee67fce2f58472a96584a73c7ab9ac95c1"),
                        address!("0xb3319f5d18bc0d84dd1b4825dcde5d5f7266d407"),
                        address!("0xc11b1268c1a384e55c48c2391d8d480264a3a7f4"),
                        address!("0xe65cdb6479bac1e22340e4e755fae7e509ecd06c"),
                        address!("0x7713dd9ca933848f6819f38b8352d9a15ea73f67"),
                        address!("0x95b4ef2869ebd94beb4eee400a99824bf5dc325b"),
                        address!("0x4b0181102a0112a2ef11abee5563bb4a3176c9d7"),
                        address!("0x041171993284df560249b57358f931d9eb7b925d"),
                    ],
                )]),
            },
            EmitterRow {
                market: "v2",
                sections: &["v2"],
                contracts: Registry {
                    view: "markets",
                    registries: &[(&[ETHEREUM], address!("0x3d9819210a31b4961b30ef54be2aed79b9c9cd3b"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "venus",
        name: "VENUS",
        website: "https://venus.io",
        primitives: &["LENDING", "BORROWING"],
        company: "Venus",
        company_slug: "venus",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["v2", "venus"],
            contracts: Registry {
                view: "markets",
                registries: &[
                    (&[ETHEREUM], address!("0x687a01ecf6d3907658f7a7c714749fac32336d1b")),
                    (&[BSC], address!("0xfd36e2c2a6789db23113685031d7f16329158384")),
                    (&[ARBITRUM], address!("0x317c1a5739f39046e20b08ac9beea3f10fd43326")),
                    (&[BASE], address!("0x0c7973f9598aa62f9e03b94e92c967fd5437426c")),
                    (&[OPTIMISM], address!("0x5593ff68be84c966821eef5f0a988c285d5b7cec")),
                ],
            },
        }],
    },
    ProtocolRow {
        slug: "moonwell",
        name: "MOONWELL",
        website: "https://moonwell.fi",
        primitives: &["LENDING", "BORROWING", "FARMING"],
        company: "Moonwell",
        company_slug: "moonwell",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["v2"],
            contracts: Registry {
                view: "markets",
                registries: &[
                    (&[BASE], address!("0xfbb21d0380bee3312b33c4353c8936a0f13ef26c")),
                    (&[OPTIMISM], address!("0xca889f40aae37fff165bccf69aef1e82b5c511b9")),
                ],
            },
        }],
    },
    ProtocolRow {
        slug: "benqi",
        name: "BENQI",
        website: "https://benqi.fi",
        primitives: &["LENDING", "BORROWING"],
        company: "Benqi",
        company_slug: "benqi",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["v2"],
            contracts: Registry {
                view: "markets",
                registries: &[(&[AVALANCHE], address!("0x486af39519b4dc9a7fccd318217352830e8ad9b4"))],
            },
        }],
    },
    ProtocolRow {
        slug: "flux",
        name: "FLUX",
        website: "https://fluxfinance.com",
        primitives: &["LENDING", "BORROWING"],
        company: "Flux Finance",
        company_slug: "flux-finance",
        emitters: &[],
    },
    ProtocolRow {
        slug: "wepiggy",
        name: "WEPIGGY",
        website: "https://wepiggy.com",
        primitives: &["LENDING", "BORROWING"],
        company: "WePiggy",
        company_slug: "wepiggy",
        emitters: &[],
    },
    ProtocolRow {
        slug: "sonne",
        name: "SONNE",
        website: "https://sonne.finance",
        primitives: &["LENDING", "BORROWING"],
        company: "Sonne",
        company_slug: "sonne",
        emitters: &[],
    },
];
