//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::booster::{BoosterTypes, Minting};
use portolan_kits::convex_stakes::ConvexStakes;
use portolan_kits::curve_gauges::CurveGaugeTypes;
use portolan_kits::fee_staking::FeeStakings;
use portolan_kits::kit::Deployed;
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChefs, Returns};
use portolan_kits::position_pools::PositionPools;
use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::safety_module::SafetyModules;
use portolan_kits::side_booster::SideBoosterTypes;
use portolan_kits::staking_rewards::{FarmTypes, Rewards, StakingFarms};
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_kits::vote_locker::VoteLockers;
use portolan_kits::yearn_gauges::YearnGaugeTypes;
use portolan_kits::yearn_vaults::YearnVaultTypes;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Question, address};

/// The chefs.
pub(crate) const CHEFS: MasterChefs = MasterChefs { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// The staking contracts.
pub(crate) const FARMS: StakingFarms = StakingFarms { single: FARM_TYPES, dual: FARM_TYPES };
const FARM_TYPES: FarmTypes = FarmTypes { reward_type: "staking-rewards", vault_type: "staking-rewards" };

/// The pools of Convex, of Aura and of their forks.
pub(crate) const BOOSTERS: BoosterTypes = BoosterTypes { pool: "booster" };

/// Convex's pools on networks but Ethereum.
pub(crate) const SIDE_BOOSTERS: SideBoosterTypes = SideBoosterTypes { pool: "side-booster" };

/// The booster of these, which has the address of the one on Ethereum.
const CONVEX_SIDE: &dyn Deployed = &SIDE_BOOSTERS.of(address!("0xf403c135812408bfbe8713b5a23a04b3d48aae31"));

/// The lockers of Convex, of Aura and of their forks.
pub(crate) const LOCKERS: VoteLockers = VoteLockers { lock: "vote-lock" };

/// The other stakes of Convex's tokens.
pub(crate) const OWN_STAKES: ConvexStakes = ConvexStakes("convex-stake");

/// The gauges of Angle, and those of Stake DAO's liquid lockers, which are copies of these.
pub(crate) const GAUGES: CurveGaugeTypes = CurveGaugeTypes { gauge: "curve-gauge" };

/// Locks of its own token, and the fees that they earn.
pub(crate) const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// Aura's booster on networks but Ethereum.
const AURA_LITE: &dyn Deployed =
    &BOOSTERS.of(address!("0x98ef32edd24e2c92525e59afc4475c1242a30184"), Minting::AuraLite);

/// The pools of that.
const fn aura_lite(network: u64) -> DeploymentRow {
    DeploymentRow { protocol: "aura", network, market: "pools", contracts: AURA_LITE }
}

/// The staking contracts that pay what arrives.
pub(crate) const FEE_STAKINGS: FeeStakings = FeeStakings { stake: "fee-staking" };

/// The pools of staking positions.
pub(crate) const POSITION_POOLS: PositionPools = PositionPools { stake: "nft-pool", nitro: "nitro-pool" };

/// Staked LYRA, a copy of Aave's safety module.
pub(crate) const SAFETY_MODULES: SafetyModules = SafetyModules { stake: "safety-module" };

/// LYRA that is staked on a network.
const fn staked_lyra(network: u64, contracts: &'static dyn Deployed) -> DeploymentRow {
    DeploymentRow { protocol: "lyra", network, market: "safety-module", contracts }
}

/// Yearn's vaults.
pub(crate) const YEARN_VAULTS: YearnVaultTypes = YearnVaultTypes { vault: "yearn-vault", share: "YEARN" };

/// Yearn's gauges.
pub(crate) const YEARN_GAUGES: YearnGaugeTypes = YearnGaugeTypes { gauge: "yearn-gauge" };

/// The deployments that the plugin ships with, each with the sources that its address and its interface are from.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/avax_png.js
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/avax/pangolin.ts
    DeploymentRow {
        protocol: "pangolin",
        network: AVALANCHE,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x1f806f7c8ded893fd3cae279191ad7aa3798e928"),
            Kind::Mini,
            "pendingReward",
            ClaimCall::Harvest,
        ),
    },
    // Stakes of PNG.
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/pangolin
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/pangolin/index.js
    DeploymentRow {
        protocol: "pangolin",
        network: AVALANCHE,
        market: "png",
        contracts: &FARMS.of_farms(&[address!("0x88afdae1a9f58da3e68584421937e5f564a0135b")], Rewards::Single),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/matic_apeswap.js
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/polygon/apeswap.ts
    DeploymentRow {
        protocol: "apeswap",
        network: POLYGON,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x54aff400858dcac39797a81894d9920f16972d1d"),
            Kind::Mini,
            "pendingBanana",
            ClaimCall::Harvest,
        ),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/bsc_apeswap.js
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/bsc/ape.ts
    DeploymentRow {
        protocol: "apeswap",
        network: BSC,
        market: "main",
        contracts: &CHEFS
            .renamed(
                address!("0x5c8d727b265dbafaba67e050f2f739caeeb4a6f9"),
                Kind::V1,
                "pendingCake",
                ClaimCall::Withdraw,
            )
            .with_single_stake(),
    },
    // The chef that the first one pays for. What its rewarders pay is left out.
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/apeswap-amm
    // https://github.com/DefiLlama/yield-server/blob/master/src/adaptors/apeswap-amm/config.js
    DeploymentRow {
        protocol: "apeswap",
        network: BSC,
        market: "v2",
        contracts: &CHEFS.renamed(
            address!("0x71354ac3c695dfb1d3f595afa5d4364e9e06339b"),
            Kind::V1,
            "pendingBanana",
            ClaimCall::Withdraw,
        ),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/uniswapV2.js
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/bsc_biswap.js
    DeploymentRow {
        protocol: "biswap",
        network: BSC,
        market: "main",
        contracts: &CHEFS
            .renamed(
                address!("0xdbc1a13490deef9c3c12b44fe77b503c1b061739"),
                Kind::V1,
                "pendingBSW",
                ClaimCall::Withdraw,
            )
            .with_single_stake(),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/uniswapV2.js
    // https://github.com/beefyfinance/beefy-api, getWigoApys
    DeploymentRow {
        protocol: "wigoswap",
        network: FANTOM,
        market: "main",
        contracts: &CHEFS
            .renamed(
                address!("0xa1a938855735c0651a6cfe2e93a32a28a236d0e9"),
                Kind::V1,
                "pendingWigo",
                ClaimCall::Withdraw,
            )
            .with_single_stake(),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/fantom_liquid.js
    // https://github.com/llamafolio/llamafolio-api, src/adapters
    DeploymentRow {
        protocol: "liquiddriver",
        network: FANTOM,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x6e2ad6527901c9664f016466b8da1357a004db0f"),
            Kind::V2,
            "pendingLqdr",
            ClaimCall::Harvest,
        ),
    },
    // The first chef.
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/liquid-driver
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/liquiddriver/index.js
    DeploymentRow {
        protocol: "liquiddriver",
        network: FANTOM,
        market: "v1",
        contracts: &CHEFS.renamed(
            address!("0x742474dae70fa2ab063ab786b1fbe5704e861a0c"),
            Kind::V1,
            "pendingLqdr",
            ClaimCall::Withdraw,
        ),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/matic_pickle.js
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/pickle
    DeploymentRow {
        protocol: "pickle",
        network: POLYGON,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x20b2a3fc7b13ca0ccf7af81a68a14cb3116e8749"),
            Kind::Mini,
            "pendingPickle",
            ClaimCall::Harvest,
        ),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/arbitrum_pickle.js
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/pickle
    DeploymentRow {
        protocol: "pickle",
        network: ARBITRUM,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x7ecc7163469f37b777d7b8f45a667314030ace24"),
            Kind::Mini,
            "pendingPickle",
            ClaimCall::Harvest,
        ),
    },
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/pickle
    // and Pickle's own scripts
    DeploymentRow {
        protocol: "pickle",
        network: OPTIMISM,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x849c283375a156a6632e8ee928308fcb61306b7b"),
            Kind::Mini,
            "pendingPickle",
            ClaimCall::Harvest,
        ),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/masterchef.js
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/matic_dinoswap.js
    DeploymentRow {
        protocol: "dinoswap",
        network: POLYGON,
        market: "main",
        contracts: &CHEFS.renamed(
            address!("0x1948abc5400aa1d72223882958da3bec643fb4e5"),
            Kind::V1,
            "pendingDino",
            ClaimCall::Withdraw,
        ),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/matic_mai.js
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/polygon/mai.ts
    DeploymentRow {
        protocol: "qidao",
        network: POLYGON,
        market: "main",
        contracts: &CHEFS
            .renamed(address!("0x574fe4e8120c4da1741b5fd45584de7a5b521f0f"), Kind::V1, "pending", ClaimCall::Withdraw)
            .paying(address!("0x580a84c73811e1839f75d86d75d88cca0c241ff4")),
    },
    // A later chef, which pays until a time that no view of the first one has: no rate is told.
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/qi-dao
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/polygon/platforms/mai.ts
    DeploymentRow {
        protocol: "qidao",
        network: POLYGON,
        market: "v3",
        contracts: &CHEFS.with_getter(
            address!("0xcc54afcecd0d89e0b2db58f5d9e58468e7ad20dc"),
            Kind::V1,
            "pending",
            ClaimCall::Withdraw,
            "erc20",
        ),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/base_baseswap.js
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/base/baseSwap.ts
    DeploymentRow {
        protocol: "baseswap",
        network: BASE,
        market: "main",
        contracts: &CHEFS
            .renamed(
                address!("0x2b0a43dccbd7d42c18f6a83f86d1a19fa58d541a"),
                Kind::V1,
                "pendingReward",
                ClaimCall::Withdraw,
            )
            .paying(address!("0x78a087d713be963bf307b18f2ff8122ef9a63ae9")),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/uniswapV2.js
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/arbitrum_swapfish.js
    DeploymentRow {
        protocol: "swapfish",
        network: ARBITRUM,
        market: "main",
        contracts: &CHEFS
            .renamed(
                address!("0x33141e87ad2dfae5fbd12ed6e61fa2374aaed029"),
                Kind::V1,
                "pendingCake",
                ClaimCall::Withdraw,
            )
            .with_single_stake(),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/base_alienbase.js
    // https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/alien-base-v2
    DeploymentRow {
        protocol: "alienbase",
        network: BASE,
        market: "main",
        contracts: &CHEFS
            .with_getter(
                address!("0x52eaecac2402633d98b95213d0b473e069d86590"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "alb",
            )
            .returning(Returns::Lists),
    },
    // https://github.com/traderjoe-xyz/joe-core/tree/main/deployments/avalanche
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/avax/platforms/joe.ts
    DeploymentRow {
        protocol: "trader-joe",
        network: AVALANCHE,
        market: "boosted",
        contracts: &CHEFS
            .with_getter(
                address!("0x4483f0b6e2f5486d06958c20f8c39a7abe87bf8f"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "JOE",
            )
            .returning(Returns::Bonus),
    },
    // https://github.com/traderjoe-xyz/joe-core/tree/main/deployments/avalanche
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/avax/platforms/joe.ts
    DeploymentRow {
        protocol: "trader-joe",
        network: AVALANCHE,
        market: "v3",
        contracts: &CHEFS
            .with_getter(
                address!("0x188bed1968b795d5c9022f6a0bb5931ac4c18f00"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "JOE",
            )
            .returning(Returns::Bonus),
    },
    // https://github.com/traderjoe-xyz/joe-core/tree/main/deployments/avalanche
    // https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/avax/platforms/joe.ts
    DeploymentRow {
        protocol: "trader-joe",
        network: AVALANCHE,
        market: "v2",
        contracts: &CHEFS
            .with_getter(
                address!("0xd6a4f121ca35509af06a0be99093d08462f53052"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "joe",
            )
            .returning(Returns::Bonus),
    },
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/wombat-exchange
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/wombex/index.js
    DeploymentRow {
        protocol: "wombat",
        network: BSC,
        market: "main",
        contracts: &CHEFS
            .with_getter(
                address!("0x489833311676b566f888119c29bd997dc6c95830"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "wom",
            )
            .returning(Returns::Bonuses),
    },
    // The chef that was replaced in 2023.
    // https://github.com/wombat-exchange/v1-core/blob/master/README.md (`MasterWombatV2 Proxy`)
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/wombat-exchange
    DeploymentRow {
        protocol: "wombat",
        network: BSC,
        market: "v2",
        contracts: &CHEFS
            .with_getter(
                address!("0xe2c07d20af0fb50cae6cdd615ca44abaaa31f9c8"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "wom",
            )
            .returning(Returns::Bonuses),
    },
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/wombat-exchange
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/wombex/index.js
    DeploymentRow {
        protocol: "wombat",
        network: ARBITRUM,
        market: "main",
        contracts: &CHEFS
            .with_getter(
                address!("0x62a83c6791a3d7950d823bb71a38e47252b6b6f4"),
                Kind::V1,
                "pendingTokens",
                ClaimCall::Deposit,
                "wom",
            )
            .returning(Returns::Bonuses),
    },
    // https://github.com/traderjoe-xyz/joe-core/tree/main/deployments/avalanche
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/trader-joe
    DeploymentRow {
        protocol: "trader-joe",
        network: AVALANCHE,
        market: "staking",
        contracts: &FEE_STAKINGS.staking(
            address!("0x1a731b2299e22fbac282e7094eda41046343cb51"),
            address!("0x6e84a6216ea6dacc71ee8e6b0a5b7322eebc0fdd"),
        ),
    },
    // Stakes of JOE for votes, and for places in sales; both have ended.
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/trader-joe, and of the first
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/trader-joe
    DeploymentRow {
        protocol: "trader-joe",
        network: AVALANCHE,
        market: "former-stakes",
        contracts: &KnownGaps.of(&[
            KnownGap::by(
                address!("0x25d85e17dd9e544f6e9f8d44f99602dbf5a97341"),
                "userInfos",
                "the stake of JOE for veJOE",
            ),
            KnownGap::by(
                address!("0x102d195c3ee8bf8a9a89d63fb3659432d3174d81"),
                "userInfo",
                "the stake of JOE for rJOE",
            ),
        ]),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/traderJoeV2.js
    // https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/factor-v2
    DeploymentRow {
        protocol: "trader-joe",
        network: ARBITRUM,
        market: "staking",
        contracts: &FEE_STAKINGS.staking(
            address!("0x43646a8e839b2f2766392c1bf8f60f6e587b6960"),
            address!("0x371c7ec6d8039ff7933a2aa28eb827ffe1f52f07"),
        ),
    },
    // https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/camelot-v2
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/camelot
    DeploymentRow {
        protocol: "camelot",
        network: ARBITRUM,
        market: "main",
        contracts: &POSITION_POOLS.of(address!("0x55401a4f396b3655f66bf6948a1a4dc61dfc21f4")),
    },
    // https://docs.camelot.exchange/contracts/yield-farming/nitropool
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/camelot, and of the pools that they take the class
    // CamelotNftStakingProvider of https://github.com/decentri-fi/defitrack
    DeploymentRow {
        protocol: "camelot",
        network: ARBITRUM,
        market: "nitro",
        contracts: &POSITION_POOLS.nitro_of(
            address!("0xe0a6b372ac6af4b37c7f3a989fe5d5b194c24569"),
            address!("0x6db1ef0df42e30acf139a70c1ed0b7e6c51dbf6d"),
        ),
    },
    // https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/sky-lending
    // and the list of contracts of Sky's own app
    DeploymentRow {
        protocol: "sky",
        network: ETHEREUM,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0x173e314c7635b45322cd8cb14f44b312e079f3af"), // USDS, pays SPK
                address!("0x4e41488c19cd35eb4de3083fc3e204854c75c86a"), // USDS, pays GROVE
                address!("0x0650caf159c5a49f711e8169d4336ecb9b950275"), // USDS, pays SKY
            ],
            Rewards::Single,
        ),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/tree/main/projects/aelin
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/aelin
    DeploymentRow {
        protocol: "aelin",
        network: OPTIMISM,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0xfe757a40f3eda520845b339c698b321663986a4d"), // AELIN
                address!("0x4aec980a0daef4905520a11b99971c7b9583f4f8"), // AELIN and ETH
            ],
            Rewards::Single,
        ),
    },
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/lyra-avalon
    // https://github.com/llamafolio/llamafolio-api, src/adapters
    DeploymentRow {
        protocol: "lyra",
        network: OPTIMISM,
        market: "main",
        contracts: &FARMS.of_farms(&[address!("0xb02e538a08cfa00e9900cf94e33b161323d8d162")], Rewards::Single),
    },
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/lyra-avalon
    // https://github.com/llamafolio/llamafolio-api, src/adapters
    DeploymentRow {
        protocol: "lyra",
        network: ETHEREUM,
        market: "main",
        contracts: &FARMS.of_farms(&[address!("0x1a364a7e66b21ed3045b13d3465627f9e9613f07")], Rewards::Single),
    },
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/lyra-avalon
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/lyra
    staked_lyra(ETHEREUM, &SAFETY_MODULES.token(address!("0xcb9f85730f57732fc899fb158164b9ed60c77d49"))),
    staked_lyra(OPTIMISM, &SAFETY_MODULES.token(address!("0xde48b1b5853cc63b1d05e507414d3e02831722f8"))),
    staked_lyra(ARBITRUM, &SAFETY_MODULES.token(address!("0x5b237ab26ced47fb8ed104671819c801aa5ba45e"))),
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/index-coop
    // and queries about the holders of INDEX
    DeploymentRow {
        protocol: "index-coop",
        network: ETHEREUM,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0x8f06fba4684b5e0988f215a47775bb611af0f986"), // DPI and ETH
                address!("0xb93b505ed567982e2b6756177ddd23ab5745f309"), // DPI and ETH
                address!("0x5bc4249641b4bf4e37ef513f3fa5c63ecab34881"), // MVI and ETH
            ],
            Rewards::Single,
        ),
    },
    // https://github.com/convex-eth/platform/blob/main/contracts/contracts.json
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/convex/index.js
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "pools",
        contracts: &BOOSTERS.of(address!("0xf403c135812408bfbe8713b5a23a04b3d48aae31"), Minting::Convex),
    },
    // https://github.com/convex-eth/sidechain-platform/blob/main/contracts/contracts.json
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/convex-finance
    DeploymentRow { protocol: "convex", network: ARBITRUM, market: "pools", contracts: CONVEX_SIDE },
    DeploymentRow { protocol: "convex", network: POLYGON, market: "pools", contracts: CONVEX_SIDE },
    // It pays what it holds, and no more.
    // https://github.com/convex-eth/platform/blob/main/contracts/contracts.json
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/tokemak/index.js
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "chef",
        contracts: &CHEFS
            .with_getter(
                address!("0x5f465e9fcffc217c5849906216581a657cd60605"),
                Kind::V1,
                "pendingCvx",
                ClaimCall::Withdraw,
                "cvx",
            )
            .funded(),
    },
    // https://github.com/aurafinance/aura-contracts/blob/main/deployments/1.json
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/aura-finance/index.js
    DeploymentRow {
        protocol: "aura",
        network: ETHEREUM,
        market: "pools",
        contracts: &BOOSTERS.of(address!("0xa57b8d98dae62b26ec3bcc4a365338157060b234"), Minting::Aura),
    },
    // The booster that was replaced in 2023; who has not moved is staked there.
    // https://github.com/aurafinance/aura-contracts/blob/main/deployments/1-deprecated(v1).json
    // https://github.com/Zapper-fi/studio/blob/main/src/apps/aura/ethereum/aura.lp-farm.contract-position-fetcher.ts
    DeploymentRow {
        protocol: "aura",
        network: ETHEREUM,
        market: "pools-v1",
        contracts: &BOOSTERS.of(address!("0x7818a1da7bd1e64c199029e86ba244a9798eee10"), Minting::AuraV1),
    },
    // https://github.com/aurafinance/aura-contracts/tree/main/tasks/deploy, the configuration of each network
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/aura
    aura_lite(OPTIMISM),
    aura_lite(ARBITRUM),
    aura_lite(POLYGON),
    // https://github.com/aurafinance/aura-contracts/blob/main/tasks/deploy/base-config.ts
    // https://github.com/Zapper-fi/studio/blob/main/src/apps/aura/base/aura.lp-farm.contract-position-fetcher.ts
    aura_lite(BASE),
    // https://github.com/convex-eth/platform/blob/main/contracts/contracts.json
    // https://docs.convexfinance.com/convexfinance/faq/contract-addresses
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "locker",
        contracts: &LOCKERS.locker(address!("0x72a19342e8f1838460ebfccef09f6585e32db86e")).boosted(),
    },
    // The locker that was replaced in 2022, and is shut down: what was left in it can be withdrawn.
    // https://github.com/convex-eth/platform/blob/main/contracts/contracts.json (`lockerOLD`)
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/olympus/index.js
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "locker-v1",
        contracts: &LOCKERS.locker(address!("0xd18140b4b819b895a3dba5442f959fa44994af50")).boosted(),
    },
    // https://github.com/convex-eth/platform/blob/main/contracts/contracts.json
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/convex/index.js
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "cvx",
        contracts: &OWN_STAKES.cvx(address!("0xcf50b810e57ac33b91dcf525c6ddd9881b139332")),
    },
    // https://github.com/convex-eth/platform/blob/main/contracts/contracts.json
    // https://docs.convexfinance.com/convexfinance/faq/contract-addresses
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "cvx-crv",
        contracts: &OWN_STAKES.wrapper(address!("0xaa0c3f5f7dfd688c6e646f66cd2a6b66acdbe434")),
    },
    // https://github.com/aurafinance/aura-contracts/blob/main/deployments/1.json
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/aura-finance/index.js
    DeploymentRow {
        protocol: "aura",
        network: ETHEREUM,
        market: "locker",
        contracts: &LOCKERS.locker(address!("0x3fa73f1e5d8a792c80f426fc8f84fbf7ce9bbcac")),
    },
    // The first stakes of auraBAL: a claim pays 70 % of what was earned, or locks all of it.
    // https://github.com/aurafinance/aura-contracts/blob/main/deployments/1.json (`initialCvxCrvStaking`)
    // and its contracts/rewards/AuraBalRewardPool.sol alone.
    DeploymentRow {
        protocol: "aura",
        network: ETHEREUM,
        market: "first-aurabal-stakes",
        contracts: &KnownGaps.of(&[KnownGap::at(
            address!("0xc47162863a12227e5c3b0860715f9cf721651c0c"),
            "the first staking contract of auraBAL",
        )]),
    },
    // The same contract as Convex' chef.
    // https://github.com/aurafinance/aura-contracts/blob/main/deployments/1.json
    // https://github.com/Zapper-fi/studio/blob/main/src/apps/aura/ethereum/aura.chef.contract-position-fetcher.ts
    DeploymentRow {
        protocol: "aura",
        network: ETHEREUM,
        market: "chef",
        contracts: &CHEFS
            .with_getter(
                address!("0x1ab80f7fb46b25b7e0b2cfac23fc88ac37aaf4e9"),
                Kind::V1,
                "pendingCvx",
                ClaimCall::Withdraw,
                "cvx",
            )
            .funded(),
    },
    // https://github.com/aurafinance/aura-contracts/blob/main/deployments/8453.json
    // https://github.com/aurafinance/aura-docs/blob/main/developers/deployed-addresses/sidechain-deployment-addresses.md
    DeploymentRow {
        protocol: "aura",
        network: BASE,
        market: "locker",
        contracts: &LOCKERS.locker(address!("0x9e1f4190f1a8fe0cd57421533decb57f9980922e")),
    },
    // https://github.com/stake-dao/address-book (src/lockers/1.sol); https://github.com/Zapper-fi/studio (src/apps/stake-dao)
    DeploymentRow {
        protocol: "stake-dao",
        network: ETHEREUM,
        market: "main",
        contracts: &GAUGES.of_row(&[
            address!("0x7f50786a0b15723d741727882ee99a0bf34e3466"), // sdCRV
            address!("0x3e8c72655e48591d93e6dfda16823db0ff23d859"), // sdBAL
            address!("0xf3c6e8fbb946260e8c2a55d48a5e01c82fd63106"), // sdFXS
            address!("0xe58101d3848e12dad6d7b5981dc11411bb267d2f"), // sdFPIS
            address!("0x5adf559f5d24aacbe4fa3a3a4f44fdc7431e6b52"), // sdYFI
            address!("0xe55843a90672f7d8218285e51ee8ff8e233f35d5"), // sdANGLE
            address!("0x9c9d06c7378909c6d0a2a0017bb409f7fb8004e0"), // sdSPECTRA
            address!("0xa291faeef794df6216f196a63f514b5b22244865"), // sdBPT
            address!("0x50dc9ae51f78c593d4138263da7088a973b8184e"), // sdPENDLE
            address!("0xbcfe5c47129253c6b8a9a00565b3358b488d42e0"), // sdFXN
            address!("0x5b75c60d45bfb053f91b5a9eae22519dfaa37bb6"), // sdMAV
        ]),
    },
    // The first farms of SDT.
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/stake-dao
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/stakedao.js
    DeploymentRow {
        protocol: "stake-dao",
        network: ETHEREUM,
        market: "chef",
        contracts: &CHEFS.renamed(
            address!("0xfea5e213bbd81a8a94d0e1edb09dbd7ceab61e1c"),
            Kind::V1,
            "pendingSdt",
            ClaimCall::Withdraw,
        ),
    },
    // https://github.com/stake-dao/address-book (src/dao/1.sol)
    // https://github.com/stake-dao/LiquidLockers-contracts (deployment.json), which is Stake DAO's own too
    DeploymentRow {
        protocol: "stake-dao",
        network: ETHEREUM,
        market: "strategies",
        contracts: &GAUGES.listed_by(address!("0x3f3f0776d411eb97cfa4e3eb25f33c01ca4e7ca8")),
    },
    // https://github.com/stake-dao/LiquidLockers-contracts (contracts/factories and contracts/accumulators);
    // https://github.com/Zapper-fi/studio (src/apps/stake-dao) has the escrow
    DeploymentRow {
        protocol: "stake-dao",
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.of(
            address!("0x0c30476f66034e11782938df8e4384970b6c9e8a"),
            &[address!("0x29f3dd38db24d3935cf1bf841e6b2b461a3e5d92")],
        ),
    },
    // https://www.npmjs.com/package/@angleprotocol/sdk (dist/constants/contracts_addresses/mainnet.js)
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/angle.js
    DeploymentRow {
        protocol: "angle",
        network: ETHEREUM,
        market: "main",
        contracts: &GAUGES.of_row(&[
            address!("0x8e2c0cbda6ba7b65dbca333798a3949b07638026"), // sanDAI_EUR
            address!("0x51fe22abaf4a26631b2913e417c0560d547797a7"), // sanUSDC_EUR
            address!("0xb40432243e4f317ce287398e72ab8f0312fc2fe8"), // sanFRAX_EUR
            address!("0x7c0ff11bfbfa3cc2134ce62034329a4505408924"), // sanFEI_EUR
            address!("0xba625b318483516f7483dd2c4706ac92d44dbb2b"), // SushiSwap's agEUR and ANGLE
            address!("0xd6282c5aeaad4d776b932451c44b8eb453e44244"), // Uniswap's agEUR and FEI
        ]),
    },
    // https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/angle.js
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/angle
    DeploymentRow {
        protocol: "angle",
        network: ETHEREUM,
        market: "exchanged",
        contracts: &GAUGES
            .of_row(&[
                address!("0xeb7547a8a734b6fddbb8ce0c314a9e6485100a3c"), // Gelato's agEUR and USDC
                address!("0x3785ce82be62a342052b9e5431e9d3a839cfb581"), // Gelato's agEUR and ETH
            ])
            .scaled(),
    },
    // The same package, and https://github.com/Zapper-fi/studio/tree/main/src/apps/angle for the escrow,
    // https://github.com/stake-dao/LiquidLockers-contracts for the distributor
    DeploymentRow {
        protocol: "angle",
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.of(
            address!("0x0c462dbb9ec8cd1630f1728b2cfd2769d09f0dd5"),
            &[address!("0x7f82ff050128e29fd89d85d01b93246f744e62a0")],
        ),
    },
    // Registries: https://github.com/yearn/kong/blob/main/config/abis.yaml, and of the second generation
    // https://github.com/yearn/yearn-devdocs (docs/developers/addresses/v2-contracts.md, docs/developers/wallet-integration.md),
    // of the third https://github.com/yearn/ydaemon/tree/main/common/env; https://github.com/llamafolio/llamafolio-api reads
    // the same vaults from Yearn's own service.
    DeploymentRow {
        protocol: "yearn",
        network: ETHEREUM,
        market: "v2",
        contracts: &YEARN_VAULTS.second(&[
            address!("0x50c1a2ea0a861a967d9d0ffe2ae4012c2e053804"),
            address!("0xaf1f5e1c19cb68b30aad73846effdf78a5863319"), // Of vaults that a factory made.
        ]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: OPTIMISM,
        market: "v2",
        contracts: &YEARN_VAULTS.second(&[address!("0x79286dd38c9017e5423073bac11f53357fc5c128")]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: ARBITRUM,
        market: "v2",
        contracts: &YEARN_VAULTS.second(&[address!("0x3199437193625dccd6f9c9e98bdf93582200eb1f")]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: FANTOM,
        market: "v2",
        contracts: &YEARN_VAULTS.second(&[address!("0x727fe1759430df13655ddb0731de0d0fde929b04")]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: BASE,
        market: "v2",
        contracts: &YEARN_VAULTS.second(&[address!("0xf3885ede00171997bfadaa98e01e167b53a78ec5")]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: ETHEREUM,
        market: "v3",
        contracts: &YEARN_VAULTS.third(&[
            address!("0xff31a1b020c868f6ea3f61eb953344920eeca3af"), // The older one.
            address!("0xd40ecf29e001c76dcc4cc0d9cd50520ce845b038"),
        ]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: POLYGON,
        market: "v3",
        contracts: &YEARN_VAULTS.third(&[
            address!("0xff31a1b020c868f6ea3f61eb953344920eeca3af"), // The older one.
            address!("0xd40ecf29e001c76dcc4cc0d9cd50520ce845b038"),
        ]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: ARBITRUM,
        market: "v3",
        contracts: &YEARN_VAULTS.third(&[address!("0xff31a1b020c868f6ea3f61eb953344920eeca3af")]),
    },
    DeploymentRow {
        protocol: "yearn",
        network: BASE,
        market: "v3",
        contracts: &YEARN_VAULTS.third(&[address!("0xd40ecf29e001c76dcc4cc0d9cd50520ce845b038")]),
    },
    // https://github.com/yearn/yearn-devdocs/blob/main/docs/developers/addresses/veyfi-contracts.md
    // https://github.com/stake-dao/contracts-monorepo (packages/address-book) has the escrow and both pools, Yearn's indexer
    // https://github.com/yearn/kong the registry of gauges
    DeploymentRow {
        protocol: "yearn",
        network: ETHEREUM,
        market: "gauges",
        contracts: &YEARN_GAUGES.of(address!("0x1d0fdcb628b2f8c0e22354d45b3b2d4ce9936f8b")),
    },
    DeploymentRow {
        protocol: "yearn",
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.renamed(
            address!("0x90c1f9220d90d3966fbee24045edd73e1d588ad5"),
            &[
                address!("0xb287a1964aee422911c7b8409f5e5a273c1412fa"), // YFI
                address!("0x2391fc8f5e417526338f5aa3968b1851c16d894e"), // dYFI
            ],
            "epoch",
        ),
    },
    // Verified: contracts/mainnet/3c of https://github.com/tintinweb/smart-contract-sanctuary-arbitrum
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/registries/treasury.js
    DeploymentRow {
        protocol: "camelot",
        network: ARBITRUM,
        market: "redeems",
        contracts: &KnownGaps.of(&[KnownGap::by(
            address!("0x3caae25ee616f2c8e13c74da0813402eae3f496b"),
            "getUserRedeemsLength",
            "the redeeming of xGRAIL",
        )]),
    },
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/wombat-exchange/config.js, and its view:
    // https://github.com/wombat-exchange/v1-core (contracts/wombat-governance/VeWom.sol)
    DeploymentRow {
        protocol: "wombat",
        network: BSC,
        market: "locks",
        contracts: &KnownGaps
            .of(&[KnownGap::at(address!("0x3da62816dd31c56d9cdf22c6771ddb892cb5b0cc"), "the lock of WOM")]),
    },
    // Likewise.
    DeploymentRow {
        protocol: "wombat",
        network: ARBITRUM,
        market: "locks",
        contracts: &KnownGaps
            .of(&[KnownGap::at(address!("0x488b34f704a601daeef14135146a3da79f2d3efc"), "the lock of WOM")]),
    },
    // https://github.com/convex-eth/platform (contracts/contracts.json, contracts/contracts/VestedEscrow.sol)
    DeploymentRow {
        protocol: "convex",
        network: ETHEREUM,
        market: "vesting",
        contracts: &KnownGaps.with_questions(
            &[Question::CLAIMABLES, Question::LOCKED],
            &[KnownGap::at(address!("0xe98984ad858075813ada4261af47e68a64e28fcc"), "the vesting of CVX")],
        ),
    },
    // https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/yearn-finance, and their views:
    // https://github.com/yearn/stYFI (contracts/StakedYFI.vy, contracts/DelegatedStakedYFI.vy)
    DeploymentRow {
        protocol: "yearn",
        network: ETHEREUM,
        market: "unstaking",
        contracts: &KnownGaps.with_questions(
            &[Question::CLAIMABLES, Question::LOCKED],
            &[
                KnownGap::by(
                    address!("0x42b25284e8ae427d79da78b65dffc232aaecc016"),
                    "streams",
                    "the unstaking of stYFI",
                ),
                KnownGap::by(
                    address!("0x9c42461aa8422926e3aef7b1c6e3743597149d79"),
                    "streams",
                    "the unstaking of stYFIx",
                ),
            ],
        ),
    },
];

/// A protocol of which only deployments emit events.
const fn farm(slug: &'static str, name: &'static str, website: &'static str, company: &'static str) -> ProtocolRow {
    ProtocolRow { primitives: &["FARMING"], company, ..ProtocolRow::new(slug, name, website) }
}

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    farm("pangolin", "PANGOLIN", "https://pangolin.exchange", "Pangolin"),
    farm("apeswap", "APESWAP", "https://apeswap.finance", "ApeSwap"),
    farm("biswap", "BISWAP", "https://biswap.org", "Biswap"),
    farm("wigoswap", "WIGOSWAP", "https://wigoswap.io", "WigoSwap"),
    farm("liquiddriver", "LIQUIDDRIVER", "https://liquiddriver.finance", "LiquidDriver"),
    farm("pickle", "PICKLE", "https://pickle.finance", "Pickle"),
    farm("dinoswap", "DINOSWAP", "https://dinoswap.exchange", "DinoSwap"),
    farm("qidao", "QIDAO", "https://mai.finance", "QiDao"),
    farm("baseswap", "BASESWAP", "https://baseswap.fi", "BaseSwap"),
    farm("swapfish", "SWAPFISH", "https://swapfish.fi", "SwapFish"),
    farm("alienbase", "ALIENBASE", "https://alienbase.xyz", "Alien Base"),
    farm("trader-joe", "TRADER_JOE", "https://lfj.gg", "Trader Joe"),
    farm("wombat", "WOMBAT", "https://wombat.exchange", "Wombat"),
    farm("camelot", "CAMELOT", "https://camelot.exchange", "Camelot"),
    farm("sky", "SKY", "https://sky.money", "Sky"),
    farm("aelin", "AELIN", "https://aelin.xyz", "Aelin"),
    farm("lyra", "LYRA", "https://lyra.finance", "Lyra"),
    farm("index-coop", "INDEX_COOP", "https://indexcoop.com", "Index Coop"),
    farm("stake-dao", "STAKE_DAO", "https://www.stakedao.org", "Stake DAO"),
    farm("angle", "ANGLE", "https://angle.money", "Angle"),
    farm("yearn", "YEARN", "https://yearn.fi", "Yearn"),
    ProtocolRow {
        slug: "convex",
        name: "CONVEX",
        website: "https://convexfinance.com/",
        primitives: &["FARMING"],
        company: "Convex",
        company_slug: "convex",
        emitters: &[
            // https://docs.convexfinance.com/convexfinance/faq/contract-addresses
            EmitterRow {
                market: "main",
                sections: &["convex", "staking_rewards"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xf403c135812408bfbe8713b5a23a04b3d48aae31"),
                        address!("0x72a19342e8f1838460ebfccef09f6585e32db86e"),
                        address!("0xd18140b4b819b895a3dba5442f959fa44994af50"),
                        address!("0xcf50b810e57ac33b91dcf525c6ddd9881b139332"),
                        address!("0x3fe65692bfcd0e6cf84cb1e7d24108e434a7587e"),
                        address!("0xaa0c3f5f7dfd688c6e646f66cd2a6b66acdbe434"),
                    ],
                )]),
            },
        ],
    },
    ProtocolRow {
        slug: "aura",
        name: "AURA",
        website: "https://aura.finance",
        primitives: &["FARMING"],
        company: "Aura",
        company_slug: "aura",
        emitters: &[
            // https://docs.aura.finance/developers/deployed-addresses
            EmitterRow {
                market: "main",
                sections: &["convex", "staking_rewards"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xa57b8d98dae62b26ec3bcc4a365338157060b234"),
                        address!("0x7818a1da7bd1e64c199029e86ba244a9798eee10"),
                        address!("0x5e5ea2048475854a5702f5b8468a51ba1296efcc"),
                        address!("0x3fa73f1e5d8a792c80f426fc8f84fbf7ce9bbcac"),
                        address!("0x00a7ba8ae7bca0b10a32ea1f8e2a1da980c6cad2"),
                    ],
                )]),
            },
            EmitterRow {
                market: "main",
                sections: &["convex"],
                contracts: Listed(&[(
                    &[OPTIMISM, ARBITRUM, POLYGON, BASE],
                    &[address!("0x98ef32edd24e2c92525e59afc4475c1242a30184")],
                )]),
            },
        ],
    },
];
