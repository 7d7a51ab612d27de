//! Balancer's gauges, locks and vaults, one row each. A settings file adds rows.
//!
//! Sources of the vaults: <https://docs.balancer.fi/developer-reference/contracts/deployment-addresses/mainnet.html> and its
//! neighbours; <https://docs.beets.fi>.

mod factories;
mod gauges;

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::balancer_pools::{BalancerPools, PoolVault};
use portolan_kits::curve_gauges::{CurveGaugeTypes, GaugeList};
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChefs};
use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::vote_escrow::VoteEscrowTypes;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, ETHEREUM, FANTOM, GNOSIS, OPTIMISM, POLYGON};
use portolan_plugin_api::{Address, address};

const BALANCER: &str = "balancer";

/// Gauges.
pub(crate) const GAUGES: CurveGaugeTypes = CurveGaugeTypes { gauge: "balancer-gauge" };
/// Locks of pool shares with BAL, and the fees that they earn.
pub(crate) const LOCKS: VoteEscrowTypes = VoteEscrowTypes { lock: "balancer-lock", fee: "balancer-fees" };

/// Shares of pools.
pub(crate) const POOLS: BalancerPools = BalancerPools { share: "BALANCER" };

/// Chefs.
pub(crate) const CHEFS: MasterChefs = MasterChefs { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// The vaults, at one address on all networks.
const VAULT_V2: Address = address!("0xba12222222228d8ba445958a75a0704d566bf2c8");
const VAULT_V3: Address = address!("0xba1333333333a1ba1108e8412f11850a5c319ba9");
/// Beethoven X' own one.
const BEETS_VAULT: Address = address!("0x20dd72ed959b6147912c2e529f0a0c651c33c9ce");

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: BALANCER,
        name: "BALANCER",
        website: "https://balancer.fi",
        primitives: &["POOLING", "FARMING"],
        company: "Balancer",
        company_slug: "balancer",
        emitters: &[
            EmitterRow {
                market: "vault-v2",
                sections: &["v2"],
                contracts: Listed(&[(&[ETHEREUM, OPTIMISM, POLYGON, BASE, ARBITRUM, AVALANCHE, GNOSIS], &[VAULT_V2])]),
            },
            EmitterRow {
                market: "vault-v3",
                sections: &["v3"],
                contracts: Listed(&[(&[ETHEREUM, OPTIMISM, BASE, ARBITRUM, AVALANCHE, GNOSIS], &[VAULT_V3])]),
            },
            EmitterRow {
                market: "pools-v1",
                sections: &["v1"],
                contracts: Registry {
                    view: "isBPool",
                    registries: &[(&[ETHEREUM], address!("0x9424b1412450d0f8fc2255faf6046b98213b76bd"))],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "beethovenx",
        name: "BEETHOVENX",
        website: "https://beets.fi",
        primitives: &["POOLING", "FARMING"],
        company: "Beethoven X",
        company_slug: "beethovenx",
        emitters: &[EmitterRow {
            market: "vault-v2",
            sections: &["v2"],
            contracts: Listed(&[(&[FANTOM], &[BEETS_VAULT])]),
        }],
    },
];

/// Sources: <https://github.com/balancer/balancer-deployments>, which is Balancer's own, and
/// <https://github.com/Zapper-fi/studio> with the tokens of fees.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: BALANCER,
        network: ETHEREUM,
        market: "main",
        contracts: &GAUGES.of(
            GaugeList::Controller {
                controller: address!("0xc128468b7ce63ea702c1f104d55a2566b13d3abd"),
                minter: address!("0x239e55f427d44c3cc793f49bfb507ebe76638a2b"),
            },
            address!("0xba100000625a3754423978a60c9317c58a424e3d"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: ETHEREUM,
        market: "locks",
        contracts: &LOCKS.paying(
            address!("0xc128a9954e6c874ea3d62ce62b468ba073093f25"),
            &[
                address!("0xd3cf852898b21fc233251427c2dc93d3d604f3bb"),
                // The first one, of which what was not claimed is there still:
                // https://github.com/aurafinance/aura-contracts/blob/main/tasks/deploy/mainnet-config.ts (deprecated)
                // https://github.com/balancer/balancer-deployments (20220420-fee-distributor)
                address!("0x26743984e3357efc59f2fd6c1afdc310335a61c9"),
            ],
            &[
                address!("0xba100000625a3754423978a60c9317c58a424e3d"), // BAL
                address!("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"), // USDC
                address!("0x7b50775383d3d6f0215a8f290f2c9e2eebbeceb2"), // bb-a-USD, first version
                address!("0xa13a9247ea42d743238089903570127dda72fe44"), // bb-a-USD, second version
                address!("0xfebb0bbf162e64fb9d0dfe186e517d84c395f016"), // bb-a-USD, third version
            ],
        ),
    },
    // The minters: https://github.com/balancer/balancer-deployments (20230316-l2-balancer-pseudo-minter); they and the token:
    // https://github.com/BalancerMaxis/bal_addresses.
    DeploymentRow {
        protocol: BALANCER,
        network: OPTIMISM,
        market: "main",
        contracts: &GAUGES.of_row(gauges::OPTIMISM).minting(
            address!("0x4fb47126fa83a8734991e41b942ac29a3266c968"),
            address!("0xfe8b128ba8c78aabc59d4c64cee7ff28e9379921"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: GNOSIS,
        market: "main",
        contracts: &GAUGES.of_row(gauges::GNOSIS).minting(
            address!("0xa8920455934da4d853faac1f94fe7bef72943ef1"),
            address!("0x7ef541e2a22058048904fe5744f9c7e4c57af717"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: POLYGON,
        market: "main",
        contracts: &GAUGES.of_row(gauges::POLYGON).minting(
            address!("0x47b489bf5836f83abd928c316f8e39bc0587b020"),
            address!("0x9a71012b13ca4d3d0cdc72a177df3ef03b0e76a3"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: BASE,
        market: "main",
        contracts: &GAUGES.of_row(gauges::BASE).minting(
            address!("0x0c5538098ebe88175078972f514c9e101d325d4f"),
            address!("0x4158734d47fc9692176b5085e0f52ee0da5d47f1"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: ARBITRUM,
        market: "main",
        contracts: &GAUGES.of_row(gauges::ARBITRUM).minting(
            address!("0xc3ccace87f6d3a81724075adcb5ddd85a8a1bb68"),
            address!("0x040d1edc9569d4bab2d15287dc5a4f10f56a56b8"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: AVALANCHE,
        market: "main",
        contracts: &GAUGES.of_row(gauges::AVALANCHE).minting(
            address!("0x85a80afee867adf27b50bdb7b76da70f1e853062"),
            address!("0xe15bcb9e0ea69e6ab9fa080c4c4a5632896298c3"),
        ),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: ETHEREUM,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::ETHEREUM_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: OPTIMISM,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::OPTIMISM_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: GNOSIS,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::GNOSIS_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: POLYGON,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::POLYGON_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: BASE,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::BASE_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: ARBITRUM,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::ARBITRUM_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: AVALANCHE,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(VAULT_V2), factories::AVALANCHE_V2),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: ETHEREUM,
        market: "shares-v3",
        contracts: &POOLS.of(PoolVault::V3(VAULT_V3), factories::ETHEREUM_V3),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: OPTIMISM,
        market: "shares-v3",
        contracts: &POOLS.of(PoolVault::V3(VAULT_V3), factories::OPTIMISM_V3),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: GNOSIS,
        market: "shares-v3",
        contracts: &POOLS.of(PoolVault::V3(VAULT_V3), factories::GNOSIS_V3),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: BASE,
        market: "shares-v3",
        contracts: &POOLS.of(PoolVault::V3(VAULT_V3), factories::BASE_V3),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: ARBITRUM,
        market: "shares-v3",
        contracts: &POOLS.of(PoolVault::V3(VAULT_V3), factories::ARBITRUM_V3),
    },
    DeploymentRow {
        protocol: BALANCER,
        network: AVALANCHE,
        market: "shares-v3",
        contracts: &POOLS.of(PoolVault::V3(VAULT_V3), factories::AVALANCHE_V3),
    },
    // https://github.com/beethovenxfi/beethovenx-docs/blob/main/pages/technicals/deployments.en-US.mdx
    // https://github.com/beefyfinance/beefy-api, getBeethovenxDualApys
    DeploymentRow {
        protocol: "beethovenx",
        network: FANTOM,
        market: "farms",
        contracts: &CHEFS.renamed(
            address!("0x8166994d9ebbe5829ec86bd81258149b87facfd3"),
            Kind::Beets,
            "pendingBeets",
            ClaimCall::Harvest,
        ),
    },
    DeploymentRow {
        protocol: "beethovenx",
        network: FANTOM,
        market: "shares-v2",
        contracts: &POOLS.of(PoolVault::V2(BEETS_VAULT), factories::FANTOM_V2),
    },
];
