//! The bridges between two networks, and their contracts: a row each, with the link to its source.
//!
//! Invariant: a row has two networks, and its bridge leads from each of them to the other one and nowhere else.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, BASE, ETHEREUM, GNOSIS, LINEA, OPTIMISM, POLYGON};

/// <https://docs.optimism.io/chain/addresses>: the bridge, and the portal behind it.
pub(super) const OPTIMISM_BRIDGE: ProtocolRow = ProtocolRow {
    slug: "optimism-bridge",
    name: "OPTIMISM_BRIDGE",
    website: "https://app.optimism.io/bridge",
    primitives: &[],
    company: "Optimism",
    company_slug: "optimism",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["op-stack"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x99c9fc46f92e8a1c0dec1b1747d010903e884be1"),
                    address!("0xbeb5fc579115071764c7423a4f12edde41f106ed"),
                ],
            ),
            (&[OPTIMISM], &[address!("0x4200000000000000000000000000000000000010")]),
        ]),
    }],
};

/// <https://docs.base.org/chain/base-contracts>: the bridge, and the portal behind it.
pub(super) const BASE_BRIDGE: ProtocolRow = ProtocolRow {
    slug: "base-bridge",
    name: "BASE_BRIDGE",
    website: "https://bridge.base.org",
    primitives: &[],
    company: "Base",
    company_slug: "base",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["op-stack"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x3154cf16ccdb4c6d922629664174b904d80f2c35"),
                    address!("0x49048044d57e1c92a77f79988d21fa8faf74e97e"),
                ],
            ),
            (&[BASE], &[address!("0x4200000000000000000000000000000000000010")]),
        ]),
    }],
};

/// <https://docs.arbitrum.io/build-decentralized-apps/reference/contract-addresses>: gateways, inbox and bridge.
pub(super) const ARBITRUM_BRIDGE: ProtocolRow = ProtocolRow {
    slug: "arbitrum-bridge",
    name: "ARBITRUM_BRIDGE",
    website: "https://bridge.arbitrum.io",
    primitives: &[],
    company: "Arbitrum",
    company_slug: "arbitrum",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["arbitrum"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0xa3a7b6f88361f48403514059f1f16c8e78d60eec"),
                    address!("0xcee284f754e854890e311e3280b767f80797180d"),
                    address!("0xd92023e9d9911199a6711321d1277285e6d4e2db"),
                    address!("0x4dbd4fc535ac27206064b68ffcf827b0a60bab3f"),
                    address!("0x8315177ab297ba92a06054ce80a67ed4dbd7ed3a"),
                ],
            ),
            (
                &[ARBITRUM],
                &[
                    address!("0x09e9222e96e7b4ae2a407b98d48e330053351eee"),
                    address!("0x096760f208390250649e3e8763348e783aef5562"),
                    address!("0x6c411ad3e74de3e7bd422b94a27770f5b86c623b"),
                    address!("0x0000000000000000000000000000000000000064"),
                ],
            ),
        ]),
    }],
};

/// <https://docs.polygon.technology/pos/reference/contracts/genesis-contracts/>.
pub(super) const POLYGON_BRIDGE: ProtocolRow = ProtocolRow {
    slug: "polygon-bridge",
    name: "POLYGON_BRIDGE",
    website: "https://portal.polygon.technology",
    primitives: &[],
    company: "Polygon",
    company_slug: "polygon",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["polygon"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x40ec5b33f54e0e8a33a975908c5ba1c14e5bbbdf"),
                    address!("0x9923263fa127b3d1484cfd649df8f1831c2a74e4"),
                    address!("0x8484ef722627bf18ca5ae6bcf031c23e6e922b30"),
                    address!("0x401f6c983ea34274ec46f84d70b31c151321188b"),
                    address!("0x2a88696e0ffa76baa1338f2c74497cc013495922"),
                ],
            ),
            (&[POLYGON], &[address!("0x0000000000000000000000000000000000001010")]),
        ]),
    }],
};

/// <https://docs.linea.build>: messages and tokens.
pub(super) const LINEA_BRIDGE: ProtocolRow = ProtocolRow {
    slug: "linea-bridge",
    name: "LINEA_BRIDGE",
    website: "https://linea.build/hub/bridge",
    primitives: &[],
    company: "Linea",
    company_slug: "linea",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["linea"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0xd19d4b5d358258f05d7b411e21a1460d11b0876f"),
                    address!("0x051f1d88f0af5763fb888ec4378b4d8b29ea3319"),
                ],
            ),
            (
                &[LINEA],
                &[
                    address!("0x508ca82df566dcd1b0de8296e70a96332cd644ec"),
                    address!("0x353012dc4a9a6cf55c941badc267f82004a8ceb9"),
                ],
            ),
        ]),
    }],
};

/// <https://docs.gnosischain.com/bridges/About%20Token%20Bridges/omnibridge>, and the bridge of xDAI beside it.
pub(super) const GNOSIS_BRIDGE: ProtocolRow = ProtocolRow {
    slug: "gnosis-bridge",
    name: "GNOSIS_BRIDGE",
    website: "https://bridge.gnosischain.com",
    primitives: &[],
    company: "Gnosis",
    company_slug: "gnosis",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["gnosis"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x88ad09518695c6c3712ac10a214be5109a655671"),
                    address!("0x4aa42145aa6ebf72e164c9bbc74fbd3788045016"),
                ],
            ),
            (
                &[GNOSIS],
                &[
                    address!("0xf6a78083ca3e2a662d6dd1703c939c8ace2e268d"),
                    address!("0x7301cfa0e1756b71869e93d4e4dca5c7d0eb0aa6"),
                ],
            ),
        ]),
    }],
};
