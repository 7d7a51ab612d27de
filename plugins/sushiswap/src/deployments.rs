//! SushiSwap's contracts: one row each, with the link to its source. A settings file adds rows on any network.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::events::Salt;
use portolan_kits::master_chef::{Kind, MasterChefs};
use portolan_kits::protocol::Emitters::Factory;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::share_vault::ShareVaults;
use portolan_plugin_api::networks::{
    ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, GNOSIS, OPTIMISM, POLYGON, SCROLL,
};
use portolan_plugin_api::{B256, address, b256};

const SLUG: &str = "sushiswap";

/// `pairCodeHash` of v2: <https://github.com/sushiswap/v2-core/blob/master/contracts/UniswapV2Factory.sol>.
const PAIR_CODE: B256 = b256!("0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303");
/// `POOL_INIT_CODE_HASH` of v3, which is Uniswap's: <https://github.com/sushiswap/v3-periphery>.
const POOL_CODE: B256 = b256!("0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54");

/// The protocol that the plugin ships with, and the factories of v2 and v3:
/// <https://github.com/sushiswap/sushiswap/blob/master/packages/sushi/src/evm/config/features>; those of Gnosis and Scroll
/// are the ones of <https://github.com/DefiLlama/dimension-adapters> too.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: SLUG,
    name: "SUSHISWAP",
    website: "https://sushi.com",
    primitives: &["POOLING", "FARMING"],
    company: "SushiSwap",
    company_slug: "sushiswap",
    emitters: &[
        EmitterRow {
            market: "pairs",
            sections: &["v2"],
            contracts: Factory {
                init_code_hash: PAIR_CODE,
                salt: Salt::Packed,
                factories: &[
                    (&[ETHEREUM], address!("0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac")),
                    (&[OPTIMISM], address!("0xfbc12984689e5f15626bad03ad60160fe98b303c")),
                    (&[BSC, POLYGON, FANTOM, GNOSIS], address!("0xc35dadb65012ec5796536bd9864ed8773abc74c4")),
                    (&[BASE], address!("0x71524b4f93c58fcbf659783284e38825f0622859")),
                    (&[ARBITRUM, AVALANCHE], address!("0xc35dadb65012ec5796536bd9864ed8773abc74c4")),
                    (&[SCROLL], address!("0xb45e53277a7e0f1d35f2a77160e91e25507f1763")),
                ],
            },
        },
        EmitterRow {
            market: "pools",
            sections: &["v3"],
            contracts: Factory {
                init_code_hash: POOL_CODE,
                salt: Salt::WithFee,
                factories: &[
                    (&[ETHEREUM], address!("0xbaceb8ec6b9355dfc0269c18bac9d6e2bdc29c4f")),
                    (&[OPTIMISM], address!("0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0")),
                    (&[BSC], address!("0x126555dd55a39328f69400d6ae4f782bd4c34abb")),
                    (&[POLYGON], address!("0x917933899c6a5f8e37f31e19f92cdbff7e8ff0e2")),
                    (&[FANTOM], address!("0x7770978eed668a3ba661d51a773d3a992fc9ddcb")),
                    (&[BASE], address!("0xc35dadb65012ec5796536bd9864ed8773abc74c4")),
                    (&[ARBITRUM], address!("0x1af415a1eba07a4986a52b6f2e7de7003d82231e")),
                    (&[AVALANCHE], address!("0x3e603c14af37ebdad31709c4f848fc6ad5bec715")),
                    (&[GNOSIS], address!("0xf78031cbca409f2fb6876bdfdbc1b2df24cf9bef")),
                    (&[SCROLL], address!("0x46b3fdf7b5cde91ac049936bf0bdb12c5d22202e")),
                ],
            },
        },
    ],
}];

/// The farms.
pub(crate) const CHEFS: MasterChefs =
    MasterChefs { v1: "sushi-masterchef", v2: "sushi-masterchef", mini: "sushi-minichefV2" };

/// The SushiBar.
pub(crate) const BARS: ShareVaults = ShareVaults { key: "bar", vault_type: "xsushi" };

/// The deployments that the plugin ships with. The MiniChefs are those of `MINICHEF_ADDRESS` in Sushi's own library,
/// <https://github.com/sushi-labs/sushiswap>.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://etherscan.io/address/0xc2edad668740f1aa35e4d8f227fb8e17dca888cd#code
    DeploymentRow {
        protocol: SLUG,
        network: ETHEREUM,
        market: "master-chef",
        contracts: &CHEFS.chef(address!("0xc2edad668740f1aa35e4d8f227fb8e17dca888cd"), Kind::V1),
    },
    // https://etherscan.io/address/0xef0881ec094552b2e128cf945ef17a6752b4ec5d#code
    DeploymentRow {
        protocol: SLUG,
        network: ETHEREUM,
        market: "master-chef-v2",
        contracts: &CHEFS.chef(address!("0xef0881ec094552b2e128cf945ef17a6752b4ec5d"), Kind::V2),
    },
    // https://etherscan.io/address/0x8798249c2e607446efb7ad49ec89dd1865ff4272#code
    DeploymentRow {
        protocol: SLUG,
        network: ETHEREUM,
        market: "xsushi",
        contracts: &BARS.vault(
            address!("0x8798249c2e607446efb7ad49ec89dd1865ff4272"),
            address!("0x6b3595068778dd592e39a122f4f5a5cf09c90fe2"),
        ),
    },
    // https://optimistic.etherscan.io/address/0xb25157bf349295a7cd31d1751973f426182070d6#code
    DeploymentRow {
        protocol: SLUG,
        network: OPTIMISM,
        market: "mini-chef",
        contracts: &CHEFS.chef(address!("0xb25157bf349295a7cd31d1751973f426182070d6"), Kind::Mini),
    },
    // https://bscscan.com/address/0x5219c5e32b9fff87f29d5a833832c29134464aaa#code
    DeploymentRow {
        protocol: SLUG,
        network: BSC,
        market: "mini-chef",
        contracts: &CHEFS.chef(address!("0x5219c5e32b9fff87f29d5a833832c29134464aaa"), Kind::Mini),
    },
    // https://polygonscan.com/address/0x0769fd68dfb93167989c6f7254cd0d766fb2841f#code
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "mini-chef",
        contracts: &CHEFS.chef(address!("0x0769fd68dfb93167989c6f7254cd0d766fb2841f"), Kind::Mini),
    },
    // https://ftmscan.com/address/0xf731202a3cf7efa9368c2d7bd613926f7a144db5#code
    DeploymentRow {
        protocol: SLUG,
        network: FANTOM,
        market: "mini-chef",
        contracts: &CHEFS.chef(address!("0xf731202a3cf7efa9368c2d7bd613926f7a144db5"), Kind::Mini),
    },
    // https://arbiscan.io/address/0xf4d73326c13a4fc5fd7a064217e12780e9bd62c3#code
    DeploymentRow {
        protocol: SLUG,
        network: ARBITRUM,
        market: "mini-chef",
        contracts: &CHEFS.chef(address!("0xf4d73326c13a4fc5fd7a064217e12780e9bd62c3"), Kind::Mini),
    },
    // https://snowtrace.io/address/0xe11252176cedd4a493aec9767192c06a04a6b04f#code
    DeploymentRow {
        protocol: SLUG,
        network: AVALANCHE,
        market: "mini-chef",
        contracts: &CHEFS.chef(address!("0xe11252176cedd4a493aec9767192c06a04a6b04f"), Kind::Mini),
    },
];
