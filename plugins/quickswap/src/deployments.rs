//! QuickSwap's contracts: one row each, with the link to its source. A settings file adds rows on any network.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::events::Salt;
use portolan_kits::protocol::Emitters::{Factory, Listed};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::share_vault::ShareVaults;
use portolan_kits::staking_rewards::{FarmTypes, Rewards, StakingFarms};
use portolan_plugin_api::networks::POLYGON;
use portolan_plugin_api::{B256, address, b256};

const SLUG: &str = "quickswap";

/// `INIT_CODE_HASH` of v2, which is Uniswap's: <https://github.com/QuickSwap/quickswap-core>.
const PAIR_CODE: B256 = b256!("0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f");
/// `POOL_INIT_CODE_HASH` of v3: <https://github.com/QuickSwap/algebra-periphery>.
const POOL_CODE: B256 = b256!("0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4");

/// The protocol that the plugin ships with; the factory of v2, and the deployer and the positions of v3:
/// <https://github.com/QuickSwap/interface-v2/blob/main/src/constants/v3/addresses.ts>.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: SLUG,
    name: "QUICKSWAP",
    website: "https://quickswap.exchange/",
    primitives: &["POOLING", "FARMING"],
    company: "QuickSwap",
    company_slug: "quickswap",
    emitters: &[
        EmitterRow {
            market: "pairs",
            sections: &["v2"],
            contracts: Factory {
                init_code_hash: PAIR_CODE,
                salt: Salt::Packed,
                factories: &[(&[POLYGON], address!("0x5757371414417b8c6caad45baef941abc7d3ab32"))],
            },
        },
        EmitterRow {
            market: "pools",
            sections: &["v3"],
            contracts: Factory {
                init_code_hash: POOL_CODE,
                salt: Salt::Encoded,
                factories: &[(&[POLYGON], address!("0x2d98e2fa9da15aa6dc9581ab097ced7af697cb92"))],
            },
        },
        EmitterRow {
            market: "positions",
            sections: &["v3-positions"],
            contracts: Listed(&[(&[POLYGON], &[address!("0x8ef88e4c7cfbbac1c163f7eddd4b578792201de6")])]),
        },
    ],
}];

/// The farms.
pub(crate) const FARMS: StakingFarms = StakingFarms {
    single: FarmTypes { reward_type: SINGLE_TYPE, vault_type: SINGLE_TYPE },
    dual: FarmTypes { reward_type: DUAL_TYPE, vault_type: DUAL_TYPE },
};
const SINGLE_TYPE: &str = "quickswap-reward-rewardPool";
const DUAL_TYPE: &str = "quickswap-dual-reward-pool";

/// The Dragon's Lairs.
pub(crate) const LAIRS: ShareVaults = ShareVaults { key: "lair", vault_type: "quickswap-dquick" };

/// The deployments that the plugin ships with. The lairs and their QUICK are `NEW_LAIR_ADDRESS`, `LAIR_ADDRESS`,
/// `NEW_QUICK_ADDRESS` and `QUICK_ADDRESS` of
/// <https://github.com/QuickSwap/interface-v2/blob/01c3e2c35c3fd72e6676e868b48d6bc02873422f/src/constants/v3/addresses.ts>.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://polygonscan.com/address/0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed#code
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "farms",
        contracts: &FARMS.of_factory(address!("0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed"), Rewards::Single),
    },
    // https://polygonscan.com/address/0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f#code
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "deprecated-farms",
        contracts: &FARMS.of_factory(address!("0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f"), Rewards::Single),
    },
    // https://polygonscan.com/address/0x9dd12421c637689c3fc6e661c9e2f02c2f61b3eb#code
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "dual-farms",
        contracts: &FARMS.of_factory(address!("0x9dd12421c637689c3fc6e661c9e2f02c2f61b3eb"), Rewards::Dual),
    },
    // https://polygonscan.com/address/0x958d208cdf087843e9ad98d23823d32e17d723a1#code
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "dquick",
        contracts: &LAIRS.vault(
            address!("0x958d208cdf087843e9ad98d23823d32e17d723a1"),
            address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17"),
        ),
    },
    // https://polygonscan.com/address/0xf28164a485b0b2c90639e47b0f377b4a438a16b1#code
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "old-dquick",
        contracts: &LAIRS.vault(
            address!("0xf28164a485b0b2c90639e47b0f377b4a438a16b1"),
            address!("0x831753dd7087cac61ab5644b308642cc1c33dc13"),
        ),
    },
];
