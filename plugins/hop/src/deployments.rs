//! Hop's staking contracts: one row for each network, with the link to its source. A settings file adds rows.

use portolan_kits::staking_rewards::{Rewards, StakingRewards};
use portolan_plugin_api::{Address, Company, Deployment, Protocol, address};

const SLUG: &str = "hop";
const OPTIMISM: u64 = 10;
const POLYGON: u64 = 137;
const ARBITRUM: u64 = 42_161;

/// Network and contracts: `stakingRewardsContracts` of Hop's own yield statistics,
/// <https://github.com/hop-protocol/hop>; that a shared token has two contracts is as it should be, each pays another
/// reward.
const SHIPPED: [(u64, &[Address]); 3] = [
    (
        OPTIMISM,
        &[
            address!("0x95d6a95becfd98a7032ed0c7d950ff6e0fa8d697"), // ETH
            address!("0xf587b9309c603feedf0445af4d3b21300989e93a"), // USDC.e
            address!("0x392b9780cfd362bd6951edfa9ebc31e68748b190"), // DAI
            address!("0xaeb1b49921e0d2d96fcdbe0d486190b2907b3e0b"), // USDT
            address!("0x25a5a48c35e75bd2eff53d94f0bb60d5a00e36ea"), // SNX
            address!("0x09992dd7b32f7b35d347de9bdaf1919a57d38e82"), // SNX
        ],
    ),
    (
        POLYGON,
        &[
            address!("0x7bceda1db99d64f25efa279bb11ce48e15fda427"), // ETH
            address!("0xaa7b3a4a084e6461d486e53a03cf45004f0963b7"), // ETH
            address!("0x2c2ab81cf235e86374468b387e241df22459a265"), // USDC.e
            address!("0x7811737716942967ae6567b26a5051cc72af550e"), // USDC.e
            address!("0x4aeb0b5b1f3e74314a7fa934db090af603e8289b"), // DAI
            address!("0xd6dc6f69f81537fe9decc18152b7005b45dc2ee7"), // DAI
            address!("0x07932e9a5ab8800922b2688fb1fa0daad8341772"), // USDT
            address!("0x297e5079df8173ae1696899d3eacd708f0af82ce"), // USDT
            address!("0x7deebcad1416110022f444b03aeb1d20eb4ea53f"), // MATIC
        ],
    ),
    (
        ARBITRUM,
        &[
            address!("0x755569159598f3702bdd7dff6233a317c156d3dd"), // ETH
            address!("0xb0cabfe930642ad3e7decdc741884d8c3f7ebc70"), // USDC.e
            address!("0xd4d28588ac1d9ef272aa29d4424e3e2a03789d1e"), // DAI
            address!("0x9dd8685463285ad5a94d2c128bda3c5e8a6173c8"), // USDT
        ],
    ),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<StakingRewards>> {
    SHIPPED.into_iter().map(|(network, farms)| Deployment {
        protocol: SLUG.to_owned(),
        network,
        market: "main".to_owned(),
        mechanism: StakingRewards::of_farms(farms.iter().copied(), Rewards::Single),
    })
}

/// The protocol that the plugin ships with.
pub(crate) fn protocol() -> Protocol {
    Protocol {
        slug: SLUG.to_owned(),
        name: "HOP".to_owned(),
        website: "https://hop.exchange".to_owned(),
        logo: None,
        primitives: vec!["POOLING".to_owned(), "FARMING".to_owned()],
        company: Company { name: "Hop".to_owned(), slug: "hop".to_owned() },
    }
}
