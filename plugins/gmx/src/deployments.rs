//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: "gmx",
    name: "GMX",
    website: "https://gmx.io",
    primitives: &["FARMING"],
    company: "GMX",
    company_slug: "gmx",
    emitters: &[
        // https://github.com/gmx-io/gmx-interface/blob/master/sdk/src/configs/contracts.ts
        EmitterRow {
            market: "v1",
            sections: &["exchange", "rewards"],
            contracts: Listed(&[(
                &[ARBITRUM],
                &[
                    address!("0x489ee077994b6658eafa855c308275ead8097c4a"),
                    address!("0xb87a436b93ffe9d75c5cfa7bacfff96430b09868"),
                    address!("0x3963ffc9dff443c2a94f21b129d429891e32ec18"),
                    address!("0xa906f338cb21815cbc4bc87ace9e68c87ef8d8f1"),
                    address!("0x908c4d94d34924765f1edc22a1dd098397c59dd4"),
                    address!("0x4d268a7d4c16ceb5a606c173bd974984343fea13"),
                    address!("0xd2d1162512f927a7e282ef43a362659e4f2a728f"),
                ],
            )]),
        },
        EmitterRow {
            market: "v2",
            sections: &["v2"],
            contracts: Listed(&[(&[ARBITRUM], &[address!("0xc8ee91a54287db53897056e12d9819156d3822fb")])]),
        },
        EmitterRow {
            market: "v1",
            sections: &["exchange", "rewards"],
            contracts: Listed(&[(
                &[AVALANCHE],
                &[
                    address!("0x9ab2de34a33fb459b538c43f251eb825645e8595"),
                    address!("0xfff6d276bc37c61a23f06410dce4a400f66420f8"),
                    address!("0x82147c5a7e850ea4e28155df107f2590fd4ba327"),
                    address!("0x2bd10f8e93b3669b6d42e74eeedc65dd1b0a1342"),
                ],
            )]),
        },
        EmitterRow {
            market: "v2",
            sections: &["v2"],
            contracts: Listed(&[(&[AVALANCHE], &[address!("0xdb17b211c34240b014ab6d61d4a31fa0c0e20c26")])]),
        },
    ],
}];
