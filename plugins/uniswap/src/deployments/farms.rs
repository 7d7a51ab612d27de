//! PancakeSwap's chefs: two of staked tokens, and those of positions.
//!
//! Sources: <https://github.com/beefyfinance/beefy-api/blob/master/packages/address-book/src/address-book/bsc/platforms/pancake.ts>
//! and <https://github.com/Zapper-fi/studio/tree/main/src/apps/pancakeswap>; of the chefs of positions
//! <https://github.com/DefiLlama/yield-server/tree/master/src/adaptors/pancakeswap-amm-v3> and
//! <https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/vfat/config.js>. Interfaces are from
//! <https://developer.pancakeswap.finance/contracts>.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::known_gaps::{KnownGap, KnownGaps};
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChefs};
use portolan_kits::position_chef::PositionChefs;
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, BASE, BSC, ETHEREUM, LINEA};

/// The chefs of staked tokens.
pub(crate) const CHEFS: MasterChefs = MasterChefs { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };
/// The chefs of positions.
pub(crate) const POSITION_CHEFS: PositionChefs = PositionChefs { reward: "master-chef-v3" };

/// The deployments that the plugin ships with.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: "pancakeswap",
        network: BSC,
        market: "farms-v1",
        contracts: &CHEFS
            .with_getter(
                address!("0x73feaa1ee314f8c655e354234017be2193c9e24e"),
                Kind::V1,
                "pendingCake",
                ClaimCall::Withdraw,
                "cake",
            )
            .with_single_stake(),
    },
    // Its pools share by two kinds of points, and boosts weigh stakes: no rate is told.
    DeploymentRow {
        protocol: "pancakeswap",
        network: BSC,
        market: "farms-v2",
        contracts: &CHEFS.with_getter(
            address!("0xa5f8c5dbd5f286960b9d90548680ae5ebff07652"),
            Kind::V2,
            "pendingCake",
            ClaimCall::Withdraw,
            "CAKE",
        ),
    },
    DeploymentRow {
        protocol: "pancakeswap",
        network: ETHEREUM,
        market: "farms-v3",
        contracts: &POSITION_CHEFS.chef(address!("0x556b9306565093c855aea9ae92a594704c2cd59e")),
    },
    DeploymentRow {
        protocol: "pancakeswap",
        network: BSC,
        market: "farms-v3",
        contracts: &POSITION_CHEFS.chef(address!("0x556b9306565093c855aea9ae92a594704c2cd59e")),
    },
    DeploymentRow {
        protocol: "pancakeswap",
        network: ARBITRUM,
        market: "farms-v3",
        contracts: &POSITION_CHEFS.chef(address!("0x5e09acf80c0296740ec5d6f643005a4ef8daa694")),
    },
    DeploymentRow {
        protocol: "pancakeswap",
        network: BASE,
        market: "farms-v3",
        contracts: &POSITION_CHEFS.chef(address!("0xc6a2db661d5a5690172d8eb0a7dea2d3008665a3")),
    },
    DeploymentRow {
        protocol: "pancakeswap",
        network: LINEA,
        market: "farms-v3",
        contracts: &POSITION_CHEFS.chef(address!("0x22e2f236065b780fa33ec8c4e58b99ebc8b55c57")),
    },
    // Stakes of CAKE before veCAKE, and locks in that, which has ended too.
    // The pool: https://github.com/Zapper-fi/studio/tree/main/src/apps/pancakeswap,
    // https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/pancakeswap; both:
    // https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/pancake-swap/index.js; the view of the second:
    // https://github.com/stake-dao/contracts-monorepo/blob/main/packages/lockers/src/common/interfaces/IVeCake.sol
    DeploymentRow {
        protocol: "pancakeswap",
        network: BSC,
        market: "former-stakes",
        contracts: &KnownGaps.of(&[
            KnownGap::by(
                address!("0x45c54210128a065de780c4b0df3d16664f7f859e"),
                "userInfo",
                "the pool of staked and locked CAKE",
            ),
            KnownGap::by(
                address!("0x5692db8177a81a6c6afc8084c2976c9933ec1bab"),
                "getUserInfo",
                "the locks of CAKE in veCAKE",
            ),
        ]),
    },
];
