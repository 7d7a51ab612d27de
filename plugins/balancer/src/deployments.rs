//! Balancer's vaults, one row each. A settings file adds rows.
//!
//! Sources: <https://docs.balancer.fi/developer-reference/contracts/deployment-addresses/mainnet.html> and its
//! neighbours; <https://docs.beets.fi>.

use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, ETHEREUM, FANTOM, OPTIMISM, POLYGON};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "balancer",
        name: "BALANCER",
        website: "https://balancer.fi",
        primitives: &["POOLING"],
        company: "Balancer",
        company_slug: "balancer",
        emitters: &[
            EmitterRow {
                market: "vault-v2",
                sections: &["v2"],
                contracts: Listed(&[(
                    &[ETHEREUM, OPTIMISM, POLYGON, BASE, ARBITRUM, AVALANCHE],
                    &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")],
                )]),
            },
            EmitterRow {
                market: "vault-v3",
                sections: &["v3"],
                contracts: Listed(&[(
                    &[ETHEREUM, OPTIMISM, BASE, ARBITRUM, AVALANCHE],
                    &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")],
                )]),
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
