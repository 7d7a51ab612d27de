//! The farms of Stargate's first version: what is staked there are shares of its pools.
//!
//! `LPStaking` counts in blocks and pays STG, `LPStakingTime` counts in seconds. Both pay what they were given before,
//! and where that is used up what they hold still. Sources:
//! <https://github.com/stargate-protocol/stargate/blob/main/contracts/LPStaking.sol>,
//! <https://github.com/Zapper-fi/studio/tree/main/src/apps/stargate>,
//! <https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/stargate>; of Optimism's first chef the second is
//! <https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/optimism_stargate.js>.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChef, MasterChefs};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Address, address};

/// The chefs.
pub(crate) const CHEFS: MasterChefs = MasterChefs { v1: "lp-staking", v2: "lp-staking", mini: "lp-staking" };

/// The deployments that the plugin ships with.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: "stargate",
        network: ETHEREUM,
        market: "lp-staking",
        contracts: &by_blocks(address!("0xb0d502e938ed5f4df2e681fe6e419ff29631d62b")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: ARBITRUM,
        market: "lp-staking",
        contracts: &by_blocks(address!("0xea8dfee1898a7e0a59f7527f076106d7e44c2176")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: ARBITRUM,
        market: "lp-staking-time",
        contracts: &by_seconds(address!("0x9774558534036ff2e236331546691b4eb70594b1")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: OPTIMISM,
        market: "lp-staking",
        contracts: &by_blocks(address!("0x4a364f8c717caad9a442737eb7b8a55cc6cf18d8")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: OPTIMISM,
        market: "lp-staking-time",
        contracts: &by_seconds(address!("0x4dea9e918c6289a52cd469cac652727b7b412cd2")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: POLYGON,
        market: "lp-staking",
        contracts: &by_blocks(address!("0x8731d54e9d02c286767d56ac03e8037c07e01e98")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: AVALANCHE,
        market: "lp-staking",
        contracts: &by_blocks(address!("0x8731d54e9d02c286767d56ac03e8037c07e01e98")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: BSC,
        market: "lp-staking",
        contracts: &by_blocks(address!("0x3052a0f6ab15b4ae1df39962d5ddefaca86dab47")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: FANTOM,
        market: "lp-staking",
        contracts: &by_blocks(address!("0x224d8fd7ab6ad4c6eb4611ce56ef35dec2277f03")),
    },
    DeploymentRow {
        protocol: "stargate",
        network: BASE,
        market: "lp-staking-time",
        contracts: &by_seconds(address!("0x06eb48763f117c7be887296cdcdfad2e4092739c")),
    },
];

/// `LPStaking`.
const fn by_blocks(chef: Address) -> MasterChef {
    CHEFS.with_getter(chef, Kind::V1, "pendingStargate", ClaimCall::Deposit, "stargate").funded()
}

/// `LPStakingTime`.
const fn by_seconds(chef: Address) -> MasterChef {
    CHEFS.with_getter(chef, Kind::V1, "pendingEmissionToken", ClaimCall::Deposit, "eToken").funded()
}
