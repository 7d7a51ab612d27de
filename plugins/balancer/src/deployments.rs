//! Balancer's gauges, locks and vaults, one row each. A settings file adds rows.
//!
//! Sources of the vaults: <https://docs.balancer.fi/developer-reference/contracts/deployment-addresses/mainnet.html> and its
//! neighbours; <https://docs.beets.fi>.

mod factories;

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::balancer_pools::{BalancerPools, PoolVault};
use portolan_kits::curve_gauges::{CurveGaugeTypes, GaugeList};
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

/// The vaults, at one address on all networks.
const VAULT_V2: Address = address!("0xba12222222228d8ba445958a75a0704d566bf2c8");
const VAULT_V3: Address = address!("0xba1333333333a1ba1108e8412f11850a5c319ba9");

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
                contracts: Listed(&[(&[ETHEREUM, OPTIMISM, POLYGON, BASE, ARBITRUM, AVALANCHE], &[VAULT_V2])]),
            },
            EmitterRow {
                market: "vault-v3",
                sections: &["v3"],
                contracts: Listed(&[(&[ETHEREUM, OPTIMISM, BASE, ARBITRUM, AVALANCHE], &[VAULT_V3])]),
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
        primitives: &["POOLING"],
        company: "Beethoven X",
        company_slug: "beethovenx",
        emitters: &[EmitterRow {
            market: "vault-v2",
            sections: &["v2"],
            contracts: Listed(&[(&[FANTOM], &[address!("0x20dd72ed959b6147912c2e529f0a0c651c33c9ce")])]),
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
            &[address!("0xd3cf852898b21fc233251427c2dc93d3d604f3bb")],
            &[
                address!("0xba100000625a3754423978a60c9317c58a424e3d"), // BAL
                address!("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"), // USDC
                address!("0x7b50775383d3d6f0215a8f290f2c9e2eebbeceb2"), // bb-a-USD, first version
                address!("0xa13a9247ea42d743238089903570127dda72fe44"), // bb-a-USD, second version
                address!("0xfebb0bbf162e64fb9d0dfe186e517d84c395f016"), // bb-a-USD, third version
            ],
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
];
