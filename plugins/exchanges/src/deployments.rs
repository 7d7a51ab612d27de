//! Contracts of the exchanges, and the factories that know their pools: one row each. A settings file adds rows.
//!
//! Sources: <https://docs.bancor.network>, <https://docs.carbondefi.xyz>, <https://docs.mav.xyz>,
//! <https://github.com/Instadapp/fluid-contracts-public/blob/main/deployments/deployments.md>.

use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, BASE, BSC, ETHEREUM, POLYGON};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "bancor",
        name: "BANCOR",
        website: "https://bancor.network",
        primitives: &["POOLING"],
        company: "Bancor",
        company_slug: "bancor",
        emitters: &[
            EmitterRow {
                market: "network",
                sections: &["bancor"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0xeef417e1d5cc832e619ae18d2f140de2999dd4fb")])]),
            },
            EmitterRow {
                market: "carbon",
                sections: &["bancor"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0xc537e898cd774e2dcba3b14ea6f34c93d5ea45e1")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "maverick",
        name: "MAVERICK",
        website: "https://mav.xyz",
        primitives: &["POOLING"],
        company: "Maverick",
        company_slug: "maverick",
        emitters: &[
            EmitterRow {
                market: "pools-v1",
                sections: &["maverick-v1"],
                contracts: Registry {
                    view: "isFactoryPool",
                    registries: &[
                        (&[ETHEREUM], address!("0xeb6625d65a0553c9dbc64449e56abfe519bd9c9b")),
                        (&[BSC], address!("0x76311728ff86054ad4ac52d2e9ca005bc702f589")),
                        (&[BASE], address!("0xb2855783a346735e4aae0c1eb894def861fa9b45")),
                    ],
                },
            },
            EmitterRow {
                market: "pools-v2",
                sections: &["maverick-v2"],
                contracts: Registry {
                    view: "isFactoryPool",
                    registries: &[(
                        &[ETHEREUM, BSC, BASE, ARBITRUM],
                        address!("0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e"),
                    )],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "fluid",
        name: "FLUID",
        website: "https://fluid.io",
        primitives: &["POOLING"],
        company: "Fluid",
        company_slug: "fluid",
        emitters: &[EmitterRow {
            market: "pools",
            sections: &["fluid"],
            contracts: Registry {
                view: "isDex",
                registries: &[(
                    &[ETHEREUM, POLYGON, BASE, ARBITRUM],
                    address!("0x91716c4eda1fb55e84bf8b4c7085f84285c19085"),
                )],
            },
        }],
    },
];
