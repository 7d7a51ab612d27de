//! The farms of Stargate, of both versions: what is staked there are shares of its pools. And locks of STG.
//!
//! `LPStaking` counts in blocks and pays STG, `LPStakingTime` counts in seconds. Both pay what they were given before,
//! and where that is used up what they hold still. Sources:
//! <https://github.com/stargate-protocol/stargate/blob/main/contracts/LPStaking.sol>,
//! <https://github.com/Zapper-fi/studio/tree/main/src/apps/stargate>,
//! <https://github.com/llamafolio/llamafolio-api/tree/master/src/adapters/stargate>; of Optimism's first chef the second is
//! <https://github.com/vfat-io/vfat-tools/blob/master/src/static/js/optimism_stargate.js>.
//!
//! Farms of the second version: `StargateStaking.json` of each network in
//! <https://github.com/stargate-protocol/stargate-v2/tree/main/packages/stg-evm-v2/deployments>, and Stargate's pages
//! <https://stargateprotocol.gitbook.io/stargate/v2-developer-docs/technical-reference>; of Ethereum's also
//! <https://github.com/beefyfinance/beefy-api>. Locks: Zapper and llamafolio, as above.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::kit::Deployed;
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChef, MasterChefs};
use portolan_kits::stargate_staking::StargateStakings;
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Address, address};

/// The chefs.
pub(crate) const CHEFS: MasterChefs = MasterChefs { v1: "lp-staking", v2: "lp-staking", mini: "lp-staking" };

/// The farms of the second version.
pub(crate) const FARMS_V2: StargateStakings = StargateStakings { stake: "stargate-staking", share: "STARGATE" };

/// Locks of STG, which pay nothing by themselves.
pub(crate) const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "vote-escrow", fee: "vote-escrow-fees" };

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
    farms_v2(ETHEREUM, &FARMS_V2.of(address!("0xff551feddbedc0aee764139ccd9cb644bb04a6bd"))),
    farms_v2(OPTIMISM, &FARMS_V2.of(address!("0xfbb5a71025bef1a8166c9bcb904a120aa17d6443"))),
    farms_v2(ARBITRUM, &FARMS_V2.of(address!("0x3da4f8e456ac648c489c286b99ca37b666be7c4c"))),
    farms_v2(POLYGON, &FARMS_V2.of(address!("0x4694900bdba99edf07a2e46c4093f88f9106a90d"))),
    farms_v2(AVALANCHE, &FARMS_V2.of(address!("0x8db623d439c8c4dfa1ca94e4cd3eb8b3aaff8331"))),
    farms_v2(BSC, &FARMS_V2.of(address!("0x26727c78b0209d9e787b2f9ac8f0238b122a3098"))),
    farms_v2(BASE, &FARMS_V2.of(address!("0xdfc47dcef7e8f9ab19a1b8af3eecf000c7ea0b80"))),
    DeploymentRow {
        protocol: "stargate",
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.of(address!("0x0e42acbd23faee03249daff896b78d7e79fbd58e"), &[]).unlockable(),
    },
    DeploymentRow {
        protocol: "stargate",
        network: OPTIMISM,
        market: "locks",
        contracts: &LOCKS.of(address!("0x43d2761ed16c89a2c4342e2b16a3c61ccf88f05b"), &[]).unlockable(),
    },
    DeploymentRow {
        protocol: "stargate",
        network: ARBITRUM,
        market: "locks",
        contracts: &LOCKS.of(address!("0xfbd849e6007f9bc3cc2d6eb159c045b8dc660268"), &[]).unlockable(),
    },
    DeploymentRow {
        protocol: "stargate",
        network: POLYGON,
        market: "locks",
        contracts: &LOCKS.of(address!("0x3ab2da31bbd886a7edf68a6b60d3cde657d3a15d"), &[]).unlockable(),
    },
    DeploymentRow {
        protocol: "stargate",
        network: AVALANCHE,
        market: "locks",
        contracts: &LOCKS.of(address!("0xca0f57d295bbce554da2c07b005b7d6565a58fce"), &[]).unlockable(),
    },
    DeploymentRow {
        protocol: "stargate",
        network: BSC,
        market: "locks",
        contracts: &LOCKS.of(address!("0xd4888870c8686c748232719051b677791dbda26d"), &[]).unlockable(),
    },
    DeploymentRow {
        protocol: "stargate",
        network: FANTOM,
        market: "locks",
        contracts: &LOCKS.of(address!("0x933421675cdc8c280e5f21f0e061e77849293dba"), &[]).unlockable(),
    },
];

/// The farms of the second version on a network.
const fn farms_v2(network: u64, contracts: &'static dyn Deployed) -> DeploymentRow {
    DeploymentRow { protocol: "stargate", network, market: "staking-v2", contracts }
}

/// `LPStaking`.
const fn by_blocks(chef: Address) -> MasterChef {
    CHEFS.with_getter(chef, Kind::V1, "pendingStargate", ClaimCall::Deposit, "stargate").funded()
}

/// `LPStakingTime`.
const fn by_seconds(chef: Address) -> MasterChef {
    CHEFS.with_getter(chef, Kind::V1, "pendingEmissionToken", ClaimCall::Deposit, "eToken").funded()
}
