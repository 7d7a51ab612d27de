//! Aave's contracts and those of its forks: one row each, with its source. A settings file adds rows on any network.

use portolan_kits::aave_v3::{AavePools, AaveV3, AaveVersion};
use portolan_kits::accounts::DeploymentRow;
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::networks::{
    ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, GNOSIS, LINEA, OPTIMISM, POLYGON, SCROLL,
};
use portolan_plugin_api::{Question, address};

const AAVE: &str = "aave_v3";
const SPARK: &str = "spark";
const SEAMLESS: &str = "seamless";
const KINZA: &str = "kinza";
const EXTRA_FINANCE: &str = "extra-finance";

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: AAVE,
        name: "AAVE_V3",
        website: "https://aave.com/",
        primitives: &["LENDING", "BORROWING", "POOLING", "FARMING"],
        company: "Aave",
        company_slug: "aave",
        // The pool of a network of which events are told alone: `POOL` of src/AaveV3Scroll.sol in
        // https://github.com/bgd-labs/aave-address-book and https://aave.com/docs/resources/addresses
        emitters: &[EmitterRow {
            market: "main",
            sections: &["pool", "rewards"],
            contracts: Listed(&[(&[SCROLL], &[address!("0x11fcfe756c05ad438e312a7fd934381537d3cffe")])]),
        }],
    },
    ProtocolRow {
        slug: SPARK,
        name: "SPARK",
        website: "https://sparkprotocol.io",
        primitives: &["LENDING", "BORROWING"],
        company: "Spark",
        company_slug: "spark",
        emitters: &[],
    },
    ProtocolRow {
        slug: SEAMLESS,
        name: "SEAMLESS",
        website: "https://seamlessprotocol.com",
        primitives: &["LENDING", "BORROWING"],
        company: "Seamless",
        company_slug: "seamless",
        emitters: &[],
    },
    ProtocolRow {
        slug: KINZA,
        name: "KINZA",
        website: "https://kinza.finance",
        primitives: &["LENDING", "BORROWING"],
        company: "Kinza",
        company_slug: "kinza",
        emitters: &[],
    },
    ProtocolRow {
        slug: EXTRA_FINANCE,
        name: "EXTRA_FINANCE",
        website: "https://app.extrafi.io/",
        primitives: &["LENDING", "BORROWING"],
        company: "Extra Finance",
        company_slug: "extra-finance",
        emitters: &[],
    },
];

/// Names of Aave's rows begin with its version too.
pub(crate) const TITLES: &[(&str, &str)] = &[(AAVE, "Aave v3")];

/// The mechanism.
pub(crate) const POOLS: AavePools = AavePools { version: AaveVersion::V3, reward_type: "aave-v3-rewards" };

/// Aave's rows name the file of <https://github.com/aave-dao/aave-address-book/tree/v4.68.1> that they are from:
/// `POOL`, `AAVE_PROTOCOL_DATA_PROVIDER`, `DEFAULT_INCENTIVES_CONTROLLER`.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // src/AaveV3Ethereum.sol
    DeploymentRow {
        protocol: AAVE,
        network: ETHEREUM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2"),
            data_provider: address!("0x0a16f2fcc0d44fae41cc54e079281d84a363becd"),
            rewards_controller: Some(address!("0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb")),
            pools: POOLS,
        },
    },
    // src/AaveV3EthereumLido.sol
    DeploymentRow {
        protocol: AAVE,
        network: ETHEREUM,
        market: "prime",
        contracts: &AaveV3 {
            pool: address!("0x4e033931ad43597d96d6bcc25c280717730b58b1"),
            data_provider: address!("0xb85b2bfebec4f5f401dbf92ac147a3076391fcd5"),
            rewards_controller: Some(address!("0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb")),
            pools: POOLS,
        },
    },
    // src/AaveV3EthereumEtherFi.sol
    DeploymentRow {
        protocol: AAVE,
        network: ETHEREUM,
        market: "etherfi",
        contracts: &AaveV3 {
            pool: address!("0x0aa97c284e98396202b6a04024f5e2c65026f3c0"),
            data_provider: address!("0x7c8509591f9693d21280d96e149a08a3bf69cd0c"),
            rewards_controller: Some(address!("0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb")),
            pools: POOLS,
        },
    },
    // src/AaveV3EthereumHorizon.sol
    DeploymentRow {
        protocol: AAVE,
        network: ETHEREUM,
        market: "horizon",
        contracts: &AaveV3 {
            pool: address!("0xae05cd22df81871bc7cc2a04becfb516bfe332c8"),
            data_provider: address!("0x53519c32f73fe1797d10210c4950ffeba3b21504"),
            rewards_controller: Some(address!("0x1d5d386a90cea8acea9fa75389e97cf5f1ae21d3")),
            pools: POOLS,
        },
    },
    // src/AaveV3Optimism.sol
    DeploymentRow {
        protocol: AAVE,
        network: OPTIMISM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x794a61358d6845594f94dc1db02a252b5b4814ad"),
            data_provider: address!("0x243aa95cac2a25651eda86e80bee66114413c43b"),
            rewards_controller: Some(address!("0x929ec64c34a17401f460460d4b9390518e5b473e")),
            pools: POOLS,
        },
    },
    // src/AaveV3Arbitrum.sol
    DeploymentRow {
        protocol: AAVE,
        network: ARBITRUM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x794a61358d6845594f94dc1db02a252b5b4814ad"),
            data_provider: address!("0x243aa95cac2a25651eda86e80bee66114413c43b"),
            rewards_controller: Some(address!("0x929ec64c34a17401f460460d4b9390518e5b473e")),
            pools: POOLS,
        },
    },
    // src/AaveV3Fantom.sol
    DeploymentRow {
        protocol: AAVE,
        network: FANTOM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x794a61358d6845594f94dc1db02a252b5b4814ad"),
            data_provider: address!("0x69fa688f1dc47d4b5d8029d5a35fb7a548310654"),
            rewards_controller: Some(address!("0x929ec64c34a17401f460460d4b9390518e5b473e")),
            pools: POOLS,
        },
    },
    // src/AaveV3Avalanche.sol
    DeploymentRow {
        protocol: AAVE,
        network: AVALANCHE,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x794a61358d6845594f94dc1db02a252b5b4814ad"),
            data_provider: address!("0x243aa95cac2a25651eda86e80bee66114413c43b"),
            rewards_controller: Some(address!("0x929ec64c34a17401f460460d4b9390518e5b473e")),
            pools: POOLS,
        },
    },
    // src/AaveV3BNB.sol
    DeploymentRow {
        protocol: AAVE,
        network: BSC,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x6807dc923806fe8fd134338eabca509979a7e0cb"),
            data_provider: address!("0xc90df74a7c16245c5f5c5870327ceb38fe5d5328"),
            rewards_controller: Some(address!("0xc206c2764a9dbf27d599613b8f9a63acd1160ab4")),
            pools: POOLS,
        },
    },
    // src/AaveV3Polygon.sol
    DeploymentRow {
        protocol: AAVE,
        network: POLYGON,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x794a61358d6845594f94dc1db02a252b5b4814ad"),
            data_provider: address!("0x243aa95cac2a25651eda86e80bee66114413c43b"),
            rewards_controller: Some(address!("0x929ec64c34a17401f460460d4b9390518e5b473e")),
            pools: POOLS,
        },
    },
    // src/AaveV3Base.sol
    DeploymentRow {
        protocol: AAVE,
        network: BASE,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0xa238dd80c259a72e81d7e4664a9801593f98d1c5"),
            data_provider: address!("0x0f43731eb8d45a581f4a36dd74f5f358bc90c73a"),
            rewards_controller: Some(address!("0xf9cc4f0d883f1a1eb2c253bdb46c254ca51e1f44")),
            pools: POOLS,
        },
    },
    // POOL, PROTOCOL_DATA_PROVIDER and INCENTIVES of
    // src/AaveV3Gnosis.sol
    DeploymentRow {
        protocol: AAVE,
        network: GNOSIS,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0xb50201558b00496a145fe76f7424749556e326d8"),
            data_provider: address!("0xf1f5acb596568895393cb5e4d0452d6592a2fa70"),
            rewards_controller: Some(address!("0xad4f91d26254b6b0c6346b390dda2991fde2f20d")),
            pools: POOLS,
        },
    },
    // src/AaveV3Linea.sol
    DeploymentRow {
        protocol: AAVE,
        network: LINEA,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0xc47b8c00b0f69a36fa203ffeac0334874574a8ac"),
            data_provider: address!("0x47cd4b507b81cb831669c71c7077f4daf6762ff4"),
            rewards_controller: Some(address!("0xc67bb8f2314fa0df50cba314c6509a7bdad500c0")),
            pools: POOLS,
        },
    },
    // https://github.com/sparkdotfi/spark-address-registry/blob/cc224bb40ec86b315bdcc8bf0b9ef665cc85b256/src/SparkLend.sol
    DeploymentRow {
        protocol: SPARK,
        network: ETHEREUM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0xc13e21b648a5ee794902342038ff3adab66be987"),
            data_provider: address!("0xfc21d6d146e6086b8359705c8b28512a983db0cb"),
            rewards_controller: Some(address!("0x4370d3b6c9588e02ce9d22e684387859c7ff5b34")),
            pools: POOLS,
        },
    },
    // https://github.com/sparkdotfi/spark-address-registry (src/Gnosis.sol) and
    // https://github.com/llamafolio/llamafolio-api
    DeploymentRow {
        protocol: SPARK,
        network: GNOSIS,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x2dae5307c5e3fd1cf5a72cb6f698f915860607e0"),
            data_provider: address!("0x2a002054a06546bb5a264d57a81347e23af91d18"),
            rewards_controller: Some(address!("0x98e6bcba7d5dafbfa4a92daf08d3d7512820c30c")),
            pools: POOLS,
        },
    },
    // POOL_ADDRESS and INCENTIVES_CONTROLLER_ADDRESS of
    // https://github.com/seamless-protocol/governance/blob/94fc11b3f59afecac0dbaf461bab68dcecdfe2e3/src/library/Constants.sol
    // and https://basescan.org/address/0x2a0979257105834789bc6b9e1b00446dfba8dfba#code
    DeploymentRow {
        protocol: SEAMLESS,
        network: BASE,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x8f44fd754285aa6a2b8b9b97739b79746e0475a7"),
            data_provider: address!("0x2a0979257105834789bc6b9e1b00446dfba8dfba"),
            rewards_controller: Some(address!("0x91ac2fff8cbef5859eaa6dda661febd533cd3780")),
            pools: POOLS,
        },
    },
    // https://github.com/DefiLlama/yield-server, kinza, and llamafolio-api, src/adapters
    DeploymentRow {
        protocol: KINZA,
        network: BSC,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0xcb0620b181140e57d1c0d8b724cde623ca963c8c"),
            data_provider: address!("0x09ddc4ae826601b0f9671b9edffdf75e7e6f5d61"),
            rewards_controller: None,
            pools: POOLS,
        },
    },
    // https://github.com/DefiLlama/yield-server, extra-xlend, and the addresses in Extra's documentation
    DeploymentRow {
        protocol: EXTRA_FINANCE,
        network: OPTIMISM,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x345d2827f36621b02b783f7d5004b4a2fec00186"),
            data_provider: address!("0xcc61e9470b5f0ce21a3f6255c73032b47aaea9c0"),
            rewards_controller: None,
            pools: POOLS,
        },
    },
    // https://github.com/DefiLlama/yield-server, extra-xlend, and the addresses in Extra's documentation
    DeploymentRow {
        protocol: EXTRA_FINANCE,
        network: BASE,
        market: "main",
        contracts: &AaveV3 {
            pool: address!("0x09b11746dfd1b5a8325e30943f8b3d5000922e03"),
            data_provider: address!("0x1566da4640b6a0b32ff309b07b8df6ade40fd98d"),
            rewards_controller: None,
            pools: POOLS,
        },
    },
    // https://github.com/seamless-protocol/governance (README.md, src/EscrowSeam.sol)
    DeploymentRow {
        protocol: SEAMLESS,
        network: BASE,
        market: "vesting",
        contracts: &KnownGaps.with_questions(
            &[Question::CLAIMABLES, Question::LENDING],
            &[KnownGap::at(address!("0x998e44232bef4f8b033e5a5175bdc97f2b10d5e5"), "the vesting of SEAM")],
        ),
    },
];
