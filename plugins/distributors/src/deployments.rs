//! The distributors and their contracts: a row each, with the link to its source. A settings file adds rows.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, OPTIMISM, POLYGON};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    // <https://docs.merkl.xyz/merkl-mechanisms/contract-addresses>: the same on each network.
    ProtocolRow {
        slug: "merkl",
        name: "MERKL",
        website: "https://merkl.xyz",
        primitives: &[],
        company: "Merkl",
        company_slug: "merkl",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["merkl"],
            contracts: Listed(&[(
                &[ETHEREUM, OPTIMISM, BSC, POLYGON, BASE, ARBITRUM, AVALANCHE],
                &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")],
            )]),
        }],
    },
    // <https://docs.sablier.com/guides/lockup/deployments>: linear, dynamic, tranched, and the first two.
    ProtocolRow {
        slug: "sablier",
        name: "SABLIER",
        website: "https://sablier.com",
        primitives: &[],
        company: "Sablier",
        company_slug: "sablier",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["sablier"],
            contracts: Listed(&[(
                &[ETHEREUM],
                &[
                    address!("0xb10daee1fcf62243ae27776d7a92d39dc8740f95"),
                    address!("0xafb979d9afad1ad27c5eff4e27226e3ab9e5dcc9"),
                    address!("0x3962f6585946823440d274ad7c719b02b49de51e"),
                    address!("0x39efdc3dbb57b2388ccc4bb40ac4cb1226bc9e44"),
                    address!("0x7cc7e125d83a581ff438608490cc0f7bdff79127"),
                    address!("0x9deabf7815b42bf4e9a03eec35a486ff74ee7459"),
                    address!("0xf86b359035208e4529686a1825f2d5bee38c28a8"),
                    address!("0xcd18eaa163733da39c232722cbc4e8940b1d8888"),
                    address!("0xa4fc358455febe425536fd1878be67ffdbdec59a"),
                ],
            )]),
        }],
    },
    // <https://docs.hedgey.finance>: vesting and lockup plans, each also with votes; the same on each network.
    ProtocolRow {
        slug: "hedgey",
        name: "HEDGEY",
        website: "https://hedgey.finance",
        primitives: &[],
        company: "Hedgey",
        company_slug: "hedgey",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["hedgey"],
            contracts: Listed(&[(
                &[ETHEREUM, OPTIMISM, BSC, POLYGON, BASE, ARBITRUM],
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            )]),
        }],
    },
];
