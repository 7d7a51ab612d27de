//! QuickSwap's contracts: one row each, with the link to its source. A settings file adds rows on any network.

use portolan_kits::share_vault::ShareVault;
use portolan_kits::staking_rewards::{Rewards, StakingRewards};
use portolan_plugin_api::{Address, Company, Deployment, Keys, Mechanism, Protocol, SettingsError, address};

const SLUG: &str = "quickswap";
const POLYGON: u64 = 137;

/// The contracts of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contracts {
    Farms(StakingRewards),
    Lair(ShareVault),
}

const fn single(factory: Address) -> Contracts {
    Contracts::Farms(StakingRewards::of_factory(factory, Rewards::Single))
}

const fn dual(factory: Address) -> Contracts {
    Contracts::Farms(StakingRewards::of_factory(factory, Rewards::Dual))
}

const fn lair(address: Address, staked_token: Address) -> Contracts {
    Contracts::Lair(ShareVault { address, staked_token })
}

/// Market and contracts on Polygon. The lairs and their QUICK: `NEW_LAIR_ADDRESS`, `LAIR_ADDRESS`,
/// `NEW_QUICK_ADDRESS` and `QUICK_ADDRESS` of
/// <https://github.com/QuickSwap/interface-v2/blob/01c3e2c35c3fd72e6676e868b48d6bc02873422f/src/constants/v3/addresses.ts>.
const SHIPPED: [(&str, Contracts); 5] = [
    // https://polygonscan.com/address/0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed#code
    ("farms", single(address!("0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed"))),
    // https://polygonscan.com/address/0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f#code
    ("deprecated-farms", single(address!("0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f"))),
    // https://polygonscan.com/address/0x9dd12421c637689c3fc6e661c9e2f02c2f61b3eb#code
    ("dual-farms", dual(address!("0x9dd12421c637689c3fc6e661c9e2f02c2f61b3eb"))),
    // https://polygonscan.com/address/0x958d208cdf087843e9ad98d23823d32e17d723a1#code
    (
        "dquick",
        lair(
            address!("0x958d208cdf087843e9ad98d23823d32e17d723a1"),
            address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17"),
        ),
    ),
    // https://polygonscan.com/address/0xf28164a485b0b2c90639e47b0f377b4a438a16b1#code
    (
        "old-dquick",
        lair(
            address!("0xf28164a485b0b2c90639e47b0f377b4a438a16b1"),
            address!("0x831753dd7087cac61ab5644b308642cc1c33dc13"),
        ),
    ),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Contracts>> {
    SHIPPED.into_iter().map(|(market, mechanism)| Deployment {
        protocol: SLUG.to_owned(),
        network: POLYGON,
        market: market.to_owned(),
        mechanism,
    })
}

/// The protocol that the plugin ships with.
pub(crate) fn protocol() -> Protocol {
    Protocol {
        slug: SLUG.to_owned(),
        name: "QUICKSWAP".to_owned(),
        website: "https://quickswap.exchange/".to_owned(),
        logo: None,
        primitives: vec!["POOLING".to_owned(), "FARMING".to_owned()],
        company: Company { name: "QuickSwap".to_owned(), slug: "quickswap".to_owned() },
    }
}

impl Mechanism for Contracts {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let missing = |key| SettingsError::new("missing; a lair needs `lair` and `staked_token`").at(key);
        match (keys.address_opt("lair")?, keys.address_opt("staked_token")?) {
            (None, None) => StakingRewards::from_keys(keys).map(Self::Farms),
            (Some(address), Some(staked_token)) => Ok(lair(address, staked_token)),
            (Some(_), None) => Err(missing("staked_token")),
            (None, Some(_)) => Err(missing("lair")),
        }
    }
}
