//! QuickSwap's contracts: one row each, with the link to its source. A settings file adds rows on any network.

use portolan_kits::events::{Salt, Source};
use portolan_kits::share_vault::ShareVault;
use portolan_kits::staking_rewards::{Rewards, StakingRewards};
use portolan_plugin_api::networks::POLYGON;
use portolan_plugin_api::{
    Address, B256, Company, Deployment, Keys, Mechanism, Protocol, SettingsError, address, b256,
};

const SLUG: &str = "quickswap";

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

/// Market and contracts on Polygon. The lairs and their QUICK: `NEW_LAIR_ADDRESS`, `LAIR_ADDRESS`, `NEW_QUICK_ADDRESS`
/// and `QUICK_ADDRESS` of
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

/// `INIT_CODE_HASH` of v2, which is Uniswap's: <https://github.com/QuickSwap/quickswap-core>.
const PAIR_CODE: B256 = b256!("0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f");
/// `POOL_INIT_CODE_HASH` of v3: <https://github.com/QuickSwap/algebra-periphery>.
const POOL_CODE: B256 = b256!("0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4");

/// The contracts whose events are told: the factory of v2, and the deployer and the positions of v3, of
/// <https://github.com/QuickSwap/interface-v2/blob/main/src/constants/v3/addresses.ts>.
pub(crate) fn emitters() -> Vec<Deployment<Source>> {
    let factory = address!("0x5757371414417b8c6caad45baef941abc7d3ab32");
    let deployer = address!("0x2d98e2fa9da15aa6dc9581ab097ced7af697cb92");
    let positions = address!("0x8ef88e4c7cfbbac1c163f7eddd4b578792201de6");
    vec![
        Source::of(&["v2"]).factory(factory, PAIR_CODE, Salt::Packed).deployed(SLUG, POLYGON, "pairs"),
        Source::of(&["v3"]).factory(deployer, POOL_CODE, Salt::Encoded).deployed(SLUG, POLYGON, "pools"),
        Source::of(&["v3-positions"]).contracts([positions]).deployed(SLUG, POLYGON, "positions"),
    ]
}
