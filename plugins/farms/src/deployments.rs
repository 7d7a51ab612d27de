//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, BASE, ETHEREUM, OPTIMISM, POLYGON};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "convex",
        name: "CONVEX",
        website: "https://convexfinance.com/",
        primitives: &["FARMING"],
        company: "Convex",
        company_slug: "convex",
        emitters: &[
            // https://docs.convexfinance.com/convexfinance/faq/contract-addresses
            EmitterRow {
                market: "main",
                sections: &["convex", "staking_rewards"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xf403c135812408bfbe8713b5a23a04b3d48aae31"),
                        address!("0x72a19342e8f1838460ebfccef09f6585e32db86e"),
                        address!("0xcf50b810e57ac33b91dcf525c6ddd9881b139332"),
                        address!("0x3fe65692bfcd0e6cf84cb1e7d24108e434a7587e"),
                        address!("0xaa0c3f5f7dfd688c6e646f66cd2a6b66acdbe434"),
                    ],
                )]),
            },
        ],
    },
    ProtocolRow {
        slug: "aura",
        name: "AURA",
        website: "https://aura.finance",
        primitives: &["FARMING"],
        company: "Aura",
        company_slug: "aura",
        emitters: &[
            // https://docs.aura.finance/developers/deployed-addresses
            EmitterRow {
                market: "main",
                sections: &["convex", "staking_rewards"],
                contracts: Listed(&[(
                    &[ETHEREUM],
                    &[
                        address!("0xa57b8d98dae62b26ec3bcc4a365338157060b234"),
                        address!("0x3fa73f1e5d8a792c80f426fc8f84fbf7ce9bbcac"),
                        address!("0x00a7ba8ae7bca0b10a32ea1f8e2a1da980c6cad2"),
                    ],
                )]),
            },
            EmitterRow {
                market: "main",
                sections: &["convex"],
                contracts: Listed(&[(
                    &[OPTIMISM, ARBITRUM, POLYGON, BASE],
                    &[address!("0x98ef32edd24e2c92525e59afc4475c1242a30184")],
                )]),
            },
        ],
    },
];
