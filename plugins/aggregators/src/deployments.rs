//! Routers and settlement contracts: one row each. A settings file adds rows.
//!
//! Sources: <https://github.com/1inch>, <https://docs.kyberswap.com>, <https://docs.openocean.finance>,
//! <https://github.com/0xProject/protocol/blob/development/packages/contract-addresses/addresses.json>,
//! <https://docs.cow.fi>, <https://docs.odos.xyz>, <https://developers.velora.xyz>, <https://docs.li.fi>.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{
    ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, GNOSIS, HYPER_EVM, OPTIMISM, POLYGON, SCROLL,
};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "1inch",
        name: "1INCH",
        website: "https://1inch.io",
        primitives: &[],
        company: "1inch",
        company_slug: "1inch",
        emitters: &[
            EmitterRow {
                market: "routers",
                sections: &["swapped", "1inch-orders"],
                contracts: Listed(&[(
                    &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM, BASE, ARBITRUM, AVALANCHE, GNOSIS],
                    &[
                        address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
                        address!("0x111111125421ca6dc452d289314280a0f8842a65"),
                    ],
                )]),
            },
            EmitterRow {
                market: "router-v4",
                sections: &["swapped", "1inch-orders"],
                contracts: Listed(&[
                    (
                        &[ETHEREUM, BSC, POLYGON, FANTOM, ARBITRUM, AVALANCHE, GNOSIS],
                        &[address!("0x1111111254fb6c44bac0bed2854e76f90643097d")],
                    ),
                    (&[OPTIMISM], &[address!("0x1111111254760f7ab3f16433eea9304126dcd199")]),
                ]),
            },
            EmitterRow {
                market: "router-v3",
                sections: &["swapped", "1inch-orders"],
                contracts: Listed(&[(
                    &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM, ARBITRUM],
                    &[address!("0x11111112542d85b3ef69ae05771c2dccff4faa26")],
                )]),
            },
            EmitterRow {
                market: "router-v2",
                sections: &["swapped"],
                contracts: Listed(&[(&[ETHEREUM], &[address!("0x111111125434b319222cdbf8c261674adb56f3ae")])]),
            },
        ],
    },
    ProtocolRow {
        slug: "kyberswap",
        name: "KYBER_SWAP",
        website: "https://kyberswap.com",
        primitives: &[],
        company: "KyberSwap",
        company_slug: "kyberswap",
        emitters: &[EmitterRow {
            market: "router",
            sections: &["swapped"],
            contracts: Listed(&[(
                &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM, BASE, ARBITRUM, AVALANCHE, SCROLL, HYPER_EVM],
                &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")],
            )]),
        }],
    },
    ProtocolRow {
        slug: "openocean",
        name: "OPENOCEAN",
        website: "https://openocean.finance",
        primitives: &[],
        company: "OpenOcean",
        company_slug: "openocean",
        emitters: &[EmitterRow {
            market: "router",
            sections: &["swapped"],
            contracts: Listed(&[(
                &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM, BASE, ARBITRUM, AVALANCHE],
                &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")],
            )]),
        }],
    },
    ProtocolRow {
        slug: "0x",
        name: "0X",
        website: "https://0x.org",
        primitives: &[],
        company: "0x",
        company_slug: "0x",
        emitters: &[EmitterRow {
            market: "proxy",
            sections: &["0x"],
            contracts: Listed(&[
                (&[ETHEREUM], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
                (&[OPTIMISM], &[address!("0xdef1abe32c034e558cdd535791643c58a13acc10")]),
                (&[BSC, POLYGON], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
                (&[FANTOM], &[address!("0xdef189deaef76e379df891899eb5a00a94cbc250")]),
                (&[BASE, ARBITRUM, AVALANCHE], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
            ]),
        }],
    },
    ProtocolRow {
        slug: "cowswap",
        name: "COWSWAP",
        website: "https://cow.fi",
        primitives: &[],
        company: "CoW",
        company_slug: "cowswap",
        emitters: &[
            EmitterRow {
                market: "settlement",
                sections: &["cow"],
                contracts: Listed(&[(
                    &[ETHEREUM, BSC, POLYGON, BASE, ARBITRUM, AVALANCHE, GNOSIS],
                    &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")],
                )]),
            },
            // https://github.com/cowprotocol/ethflowcontract/blob/main/networks.prod.json
            EmitterRow {
                market: "eth-flow",
                sections: &["cow-eth-flow"],
                contracts: Listed(&[(
                    &[ETHEREUM, BSC, POLYGON, BASE, ARBITRUM, AVALANCHE, GNOSIS],
                    &[address!("0xba3cb449bd2b4adddbc894d8697f5170800eadec")],
                )]),
            },
            // https://github.com/cowprotocol/services/blob/main/crates/contracts/build.rs
            EmitterRow {
                market: "eth-flow-before",
                sections: &["cow-eth-flow"],
                contracts: Listed(&[
                    (&[ETHEREUM, GNOSIS], &[address!("0x40a50cf069e992aa4536211b23f286ef88752187")]),
                    (&[ARBITRUM], &[address!("0x6dfe75b5ddce1ade279d4fa6bd6aef3cbb6f49db")]),
                    (&[BASE], &[address!("0x3c3ea1829891bc9bec3d06a81d5d169e52a415e3")]),
                    (&[AVALANCHE, BSC], &[address!("0x04501b9b1d52e67f6862d157e00d13419d2d6e95")]),
                ]),
            },
            // https://github.com/cowprotocol/token/blob/main/networks.json
            EmitterRow {
                market: "vcow",
                sections: &["vcow"],
                contracts: Listed(&[
                    (&[ETHEREUM], &[address!("0xd057b63f5e69cf1b929b356b579cba08d7688048")]),
                    (&[GNOSIS], &[address!("0xc20c9c13e853fc64d054b73ff21d3636b2d97eab")]),
                ]),
            },
        ],
    },
    ProtocolRow {
        slug: "odos",
        name: "ODOS",
        website: "https://odos.xyz",
        primitives: &[],
        company: "Odos",
        company_slug: "odos",
        emitters: &[EmitterRow {
            market: "routers",
            sections: &["odos"],
            contracts: Listed(&[
                (
                    &[ETHEREUM],
                    &[
                        address!("0xcf5540fffcdc3d510b18bfca6d2b9987b0772559"),
                        address!("0x76f4eed9fe41262669d0250b2a97db79712ad855"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[OPTIMISM],
                    &[
                        address!("0xca423977156bb05b13a2ba3b76bc5419e2fe9680"),
                        address!("0x69dd38645f7457be13571a847ffd905f9acbaf6d"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[BSC],
                    &[
                        address!("0x89b8aa89fdd0507a99d334cbe3c808fafc7d850e"),
                        address!("0x9f138be5aa5cc442ea7cc7d18cd9e30593ed90b9"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[POLYGON],
                    &[
                        address!("0x4e3288c9ca110bcc82bf38f09a7b425c095d92bf"),
                        address!("0xa32ee1c40594249eb3183c10792bcf573d4da47c"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[FANTOM],
                    &[
                        address!("0xd0c22a5435f4e8e5770c1fafb5374015fc12f7cd"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[BASE],
                    &[
                        address!("0x19ceead7105607cd444f5ad10dd51356436095a1"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[ARBITRUM],
                    &[
                        address!("0xdd94018f54e565dbfc939f7c44a16e163faab331"),
                        address!("0xa669e7a0d4b3e4fa48af2de86bd4cd7126be4e13"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (
                    &[AVALANCHE],
                    &[
                        address!("0x88de50b233052e4fb783d4f6db78cc34fea3e9fc"),
                        address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
                    ],
                ),
                (&[SCROLL], &[address!("0xbfe03c9e20a9fc0b37de01a172f207004935e0b1")]),
            ]),
        }],
    },
    ProtocolRow {
        slug: "paraswap",
        name: "PARASWAP",
        website: "https://velora.xyz",
        primitives: &[],
        company: "Velora",
        company_slug: "paraswap",
        emitters: &[EmitterRow {
            market: "augustus",
            sections: &["paraswap"],
            contracts: Listed(&[
                (
                    &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM],
                    &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")],
                ),
                (&[BASE], &[address!("0x59c7c832e96d2568bea6db468c1aadcbbda08a52")]),
                (&[ARBITRUM, AVALANCHE], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
            ]),
        }],
    },
    ProtocolRow {
        slug: "lifi",
        name: "LIFI",
        website: "https://li.fi",
        primitives: &[],
        company: "LI.FI",
        company_slug: "lifi",
        emitters: &[EmitterRow {
            market: "diamond",
            sections: &["lifi"],
            contracts: Listed(&[(
                &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM, BASE, ARBITRUM, AVALANCHE, GNOSIS, SCROLL],
                &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")],
            )]),
        }],
    },
    ProtocolRow {
        slug: "metamask",
        name: "METAMASK",
        website: "https://metamask.io",
        primitives: &[],
        company: "MetaMask",
        company_slug: "metamask",
        emitters: &[EmitterRow {
            market: "router",
            sections: &["metamask"],
            // https://github.com/MetaMask/metamask-extension/blob/main/shared/constants/swaps.ts
            contracts: Listed(&[
                (&[ETHEREUM], &[address!("0x881d40237659c251811cec9c364ef91dc08d300c")]),
                (&[OPTIMISM, BASE, ARBITRUM], &[address!("0x9dda6ef3d919c9bc8885d5560999a3640431e8e6")]),
                (&[BSC, POLYGON, AVALANCHE], &[address!("0x1a1ec25dc08e98e5e93f1104b5e5cdd298707d31")]),
            ]),
        }],
    },
];
