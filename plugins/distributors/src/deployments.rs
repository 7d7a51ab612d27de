//! Who pays out over time or by a list: which contracts are theirs.
//!
//! A row each, with the link to its source. A settings file adds rows.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Service};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

static DISTRIBUTORS: [Service; 3] = [
    // <https://docs.merkl.xyz/merkl-mechanisms/contract-addresses>: the same on each network.
    Service {
        slug: "merkl",
        name: "MERKL",
        website: "https://merkl.xyz",
        company: "Merkl",
        sections: &["merkl"],
        contracts: &[
            (ETHEREUM, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
            (OPTIMISM, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
            (BSC, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
            (POLYGON, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
            (BASE, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
            (ARBITRUM, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
            (AVALANCHE, &[address!("0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae")]),
        ],
    },
    // <https://docs.sablier.com/guides/lockup/deployments>: linear, dynamic, tranched, and the first two.
    Service {
        slug: "sablier",
        name: "SABLIER",
        website: "https://sablier.com",
        company: "Sablier",
        sections: &["sablier"],
        contracts: &[(
            ETHEREUM,
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
        )],
    },
    // <https://docs.hedgey.finance>: vesting and lockup plans, each also with votes; the same on each network.
    Service {
        slug: "hedgey",
        name: "HEDGEY",
        website: "https://hedgey.finance",
        company: "Hedgey",
        sections: &["hedgey"],
        contracts: &[
            (
                ETHEREUM,
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            ),
            (
                OPTIMISM,
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            ),
            (
                BSC,
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            ),
            (
                POLYGON,
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            ),
            (
                BASE,
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            ),
            (
                ARBITRUM,
                &[
                    address!("0x2cde9919e81b20b4b33dd562a48a84b54c48f00c"),
                    address!("0x1bb64af7fe05fc69c740609267d2abe3e119ef82"),
                    address!("0x1961a23409ca59eedca6a99c97e4087dad752486"),
                    address!("0xa600ec7db69dfcd21f19face5b209a55eab7a7c0"),
                ],
            ),
        ],
    },
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::services(&DISTRIBUTORS)
}

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols_of(&DISTRIBUTORS)
}
