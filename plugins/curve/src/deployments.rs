//! Curve's contracts, and the registries that know its pools and gauges: one row each. A settings file adds rows.
//!
//! Sources: <https://docs.curve.finance/references/deployed-contracts>; on other networks than Ethereum, the pools of
//! the stable factory of the new generation.

use portolan_kits::protocol::Emitters::{Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, OPTIMISM, POLYGON};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: "curve",
    name: "CURVE",
    website: "https://curve.finance",
    primitives: &["POOLING"],
    company: "Curve",
    company_slug: "curve",
    emitters: &[
        EmitterRow {
            market: "router",
            sections: &["router"],
            contracts: Listed(&[(
                &[ETHEREUM],
                &[
                    address!("0x16c6521dff6bab339122a0fe25a9116693265353"),
                    address!("0xf0d4c12a5768d806021f80a262b4d39d26c58b8d"),
                    address!("0x99a58482bd75cbab83b27ec03ca68ff489b5788f"),
                    address!("0x81c46feca27b31f3adc2b91ee4be9717d1cd3dd7"),
                ],
            )]),
        },
        EmitterRow {
            market: "minter",
            sections: &["minter"],
            contracts: Listed(&[(&[ETHEREUM], &[address!("0xd061d61a4d941c39e5453435b6345dc261c2fce0")])]),
        },
        EmitterRow {
            market: "escrow",
            sections: &["escrow"],
            contracts: Listed(&[(&[ETHEREUM], &[address!("0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2")])]),
        },
        EmitterRow {
            market: "distributor",
            sections: &["distributor"],
            contracts: Listed(&[(
                &[ETHEREUM],
                &[
                    address!("0xa464e6dcda8ac41e03616f95f4bc98a13b8922dc"),
                    address!("0xd16d5ec345dd86fb63c6a9c43c517210f1027914"),
                ],
            )]),
        },
        EmitterRow {
            market: "pools",
            sections: &["pool"],
            contracts: Registry {
                view: "is_registered",
                registries: &[(&[ETHEREUM], address!("0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc"))],
            },
        },
        EmitterRow {
            market: "gauges",
            sections: &["gauge"],
            contracts: Registry {
                view: "get_gauge_weight",
                registries: &[(&[ETHEREUM], address!("0x2f50d538606fa9edd2b11e2446beb18c9d5846bb"))],
            },
        },
        EmitterRow {
            market: "pools-ng",
            sections: &["pool"],
            contracts: Registry {
                view: "get_n_coins",
                registries: &[
                    (&[OPTIMISM], address!("0x5eee3091f747e60a045a2e715a4c71e600e31f6e")),
                    (&[BSC], address!("0xd7e72f3615aa65b92a4dbdc211e296a35512988b")),
                    (&[POLYGON], address!("0x1764ee18e8b3cca4787249ceb249356192594585")),
                    (&[FANTOM], address!("0xe61fb97ef6ebfba12b36ffd7be785c1f5a2de66b")),
                    (&[BASE], address!("0xd2002373543ce3527023c75e7518c274a51ce712")),
                    (&[ARBITRUM], address!("0x9af14d26075f142eb3f292d5065eb3faa646167b")),
                    (&[AVALANCHE], address!("0x1764ee18e8b3cca4787249ceb249356192594585")),
                ],
            },
        },
    ],
}];
