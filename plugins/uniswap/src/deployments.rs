//! Factories, managers and their code's hashes: one row each. A settings file adds rows.
//!
//! Sources: <https://docs.uniswap.org/contracts/v1/reference/factory> to v4's, and
//! <https://developer.pancakeswap.finance/contracts>.

mod farms;

use portolan_kits::events::Salt;
use portolan_kits::protocol::Emitters::{Factory, Listed, Registry};
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, GNOSIS, OPTIMISM, POLYGON, SCROLL};
use portolan_plugin_api::{B256, address, b256};

pub(crate) use farms::{CHEFS, DEPLOYMENTS, POSITION_CHEFS};

/// `init_code_hash` of <https://github.com/Uniswap/v2-periphery/blob/master/contracts/libraries/UniswapV2Library.sol>.
const UNISWAP_V2_CODE: B256 = b256!("0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f");
/// `POOL_INIT_CODE_HASH` of <https://github.com/Uniswap/v3-periphery/blob/main/contracts/libraries/PoolAddress.sol>.
const UNISWAP_V3_CODE: B256 = b256!("0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54");
/// `INIT_CODE_HASH_MAP` of <https://github.com/pancakeswap/pancake-frontend/tree/develop/packages/swap-sdk-evm>.
const PANCAKE_V2_CODE: B256 = b256!("0x00fb7f630766e6a796048ea87d01acd3068e8ff67d078148a3fa3f4a84f69bd5");
/// The same of factories on any other network: <https://developer.pancakeswap.finance/contracts/v2/addresses>.
const PANCAKE_V2_LATER_CODE: B256 = b256!("0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d");
/// `POOL_INIT_CODE_HASH` of <https://github.com/pancakeswap/pancake-v3-contracts>.
const PANCAKE_V3_CODE: B256 = b256!("0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2");

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ProtocolRow {
        slug: "uniswap_v1",
        name: "UNISWAP_V1",
        website: "https://uniswap.org",
        primitives: &["POOLING"],
        company: "Uniswap",
        company_slug: "uniswap",
        emitters: &[EmitterRow {
            market: "exchanges",
            sections: &["v1"],
            contracts: Registry {
                view: "getToken",
                registries: &[(&[ETHEREUM], address!("0xc0a47dfe034b400b47bdad5fecda2621de6c4d95"))],
            },
        }],
    },
    ProtocolRow {
        slug: "uniswap_v2",
        name: "UNISWAP_V2",
        website: "https://uniswap.org",
        primitives: &["POOLING"],
        company: "Uniswap",
        company_slug: "uniswap",
        emitters: &[EmitterRow {
            market: "pairs",
            sections: &["v2"],
            contracts: Factory {
                init_code_hash: UNISWAP_V2_CODE,
                salt: Salt::Packed,
                factories: &[
                    (&[ETHEREUM], address!("0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f")),
                    (&[OPTIMISM], address!("0x0c3c1c532f1e39edf36be9fe0be1410313e074bf")),
                    (&[BSC], address!("0x8909dc15e40173ff4699343b6eb8132c65e18ec6")),
                    (&[POLYGON], address!("0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c")),
                    (&[BASE], address!("0x8909dc15e40173ff4699343b6eb8132c65e18ec6")),
                    (&[ARBITRUM], address!("0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9")),
                    (&[AVALANCHE], address!("0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c")),
                ],
            },
        }],
    },
    ProtocolRow {
        slug: "uniswap_v3",
        name: "UNISWAP_V3",
        website: "https://uniswap.org",
        primitives: &["POOLING"],
        company: "Uniswap",
        company_slug: "uniswap",
        emitters: &[
            EmitterRow {
                market: "positions",
                sections: &["v3-positions"],
                contracts: Listed(&[
                    (&[ETHEREUM, OPTIMISM], &[address!("0xc36442b4a4522e871399cd717abdd847ab11fe88")]),
                    (&[BSC], &[address!("0x7b8a01b39d58278b5de7e48c8449c9f4f5170613")]),
                    (&[POLYGON], &[address!("0xc36442b4a4522e871399cd717abdd847ab11fe88")]),
                    (&[BASE], &[address!("0x03a520b32c04bf3beef7beb72e919cf822ed34f1")]),
                    (&[ARBITRUM], &[address!("0xc36442b4a4522e871399cd717abdd847ab11fe88")]),
                    (&[AVALANCHE], &[address!("0x655c406ebfa14ee2006250925e54ec43ad184f8b")]),
                    (&[SCROLL], &[address!("0xb39002e4033b162fac607fc3471e205fa2ae5967")]),
                ]),
            },
            EmitterRow {
                market: "pools",
                sections: &["v3"],
                contracts: Factory {
                    init_code_hash: UNISWAP_V3_CODE,
                    salt: Salt::WithFee,
                    factories: &[
                        (&[ETHEREUM, OPTIMISM], address!("0x1f98431c8ad98523631ae4a59f267346ea31f984")),
                        (&[BSC], address!("0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7")),
                        (&[POLYGON], address!("0x1f98431c8ad98523631ae4a59f267346ea31f984")),
                        (&[BASE], address!("0x33128a8fc17869897dce68ed026d694621f6fdfd")),
                        (&[ARBITRUM], address!("0x1f98431c8ad98523631ae4a59f267346ea31f984")),
                        (&[AVALANCHE], address!("0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad")),
                        (&[GNOSIS], address!("0xe32f7dd7e3f098d518ff19a22d5f028e076489b1")),
                        (&[SCROLL], address!("0x70c62c8b8e801124a4aa81ce07b637a3e83cb919")),
                    ],
                },
            },
        ],
    },
    ProtocolRow {
        slug: "uniswap_v4",
        name: "UNISWAP_V4",
        website: "https://uniswap.org",
        primitives: &["POOLING"],
        company: "Uniswap",
        company_slug: "uniswap",
        emitters: &[EmitterRow {
            market: "manager",
            sections: &["v4"],
            contracts: Listed(&[
                (&[ETHEREUM], &[address!("0x000000000004444c5dc75cb358380d2e3de08a90")]),
                (&[OPTIMISM], &[address!("0x9a13f98cb987694c9f086b1f5eb990eea8264ec3")]),
                (&[BSC], &[address!("0x28e2ea090877bf75740558f6bfb36a5ffee9e9df")]),
                (&[POLYGON], &[address!("0x67366782805870060151383f4bbff9dab53e5cd6")]),
                (&[BASE], &[address!("0x498581ff718922c3f8e6a244956af099b2652b2b")]),
                (&[ARBITRUM], &[address!("0x360e68faccca8ca495c1b759fd9eee466db9fb32")]),
                (&[AVALANCHE], &[address!("0x06380c0e0912312b5150364b9dc4542ba0dbbc85")]),
            ]),
        }],
    },
    ProtocolRow {
        slug: "pancakeswap",
        name: "PANCAKESWAP",
        website: "https://pancakeswap.finance",
        primitives: &["POOLING", "FARMING"],
        company: "PancakeSwap",
        company_slug: "pancakeswap",
        emitters: &[
            EmitterRow {
                market: "positions",
                sections: &["v3-positions"],
                contracts: Listed(&[(
                    &[ETHEREUM, BSC, BASE, ARBITRUM],
                    &[address!("0x46a15b0b27311cedf172ab29e4f4766fbe7f4364")],
                )]),
            },
            EmitterRow {
                market: "infinity",
                sections: &["infinity", "v4"],
                contracts: Listed(&[(
                    &[BSC, BASE],
                    &[
                        address!("0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b"),
                        address!("0xc697d2898e0d09264376196696c51d7abbbaa4a9"),
                    ],
                )]),
            },
            EmitterRow {
                market: "pairs",
                sections: &["v2"],
                contracts: Factory {
                    init_code_hash: PANCAKE_V2_CODE,
                    salt: Salt::Packed,
                    factories: &[(&[BSC], address!("0xca143ce32fe78f1f7019d7d551a6402fc5350c73"))],
                },
            },
            EmitterRow {
                market: "later-pairs",
                sections: &["v2"],
                contracts: Factory {
                    init_code_hash: PANCAKE_V2_LATER_CODE,
                    salt: Salt::Packed,
                    factories: &[
                        (&[ETHEREUM], address!("0x1097053fd2ea711dad45caccc45eff7548fcb362")),
                        (&[BASE, ARBITRUM], address!("0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e")),
                    ],
                },
            },
            EmitterRow {
                market: "pools",
                sections: &["v3"],
                contracts: Factory {
                    init_code_hash: PANCAKE_V3_CODE,
                    salt: Salt::WithFee,
                    factories: &[(
                        &[ETHEREUM, BSC, BASE, ARBITRUM],
                        address!("0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9"),
                    )],
                },
            },
        ],
    },
];
