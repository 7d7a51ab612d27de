//! The bridges among many networks, and their contracts: a row each, with the link to its source.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{
    ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, HYPER_EVM, OPTIMISM, POLYGON, POLYGON_ZKEVM, SCROLL,
};

/// <https://docs.across.to/reference/contract-addresses>: the hub, and the pools of versions 3 and 2.
pub(super) const ACROSS: ProtocolRow = ProtocolRow {
    slug: "across",
    name: "ACROSS",
    website: "https://across.to",
    primitives: &[],
    company: "Across",
    company_slug: "across",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["across"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5"),
                    address!("0x4d9079bb4165aeb4084c526a32695dcfd2f77381"),
                    address!("0xc186fa914353c44b2e33ebe05f21846f1048beda"),
                ],
            ),
            (
                &[OPTIMISM],
                &[
                    address!("0x6f26bf09b1c792e3228e5467807a900a503c0281"),
                    address!("0xa420b2d1c0841415a695b81e5b867bcd07dff8c9"),
                ],
            ),
            (&[BSC], &[address!("0x4e8e101924ede233c13e2d8622dc8aed2872d505")]),
            (
                &[POLYGON],
                &[
                    address!("0x9295ee1d8c5b022be115a2ad3c30c72e34e7f096"),
                    address!("0x69b5c72837769ef1e7c164abc6515dcff217f920"),
                ],
            ),
            (&[BASE], &[address!("0x09aea4b2242abc8bb4bb78d537a67a245a7bec64")]),
            (
                &[ARBITRUM],
                &[
                    address!("0xe35e9842fceaca96570b734083f4a58e8f7c5f2a"),
                    address!("0xb88690461ddbab6f04dfad7df66b7725942feb9c"),
                ],
            ),
            (&[SCROLL], &[address!("0x3bad7ad0728f9917d1bf08af5782dcbd516cdd96")]),
            (&[HYPER_EVM], &[address!("0x35e63ea3eb0fb7a3bc543c71fb66412e1f6b0e04")]),
        ]),
    }],
};

/// <https://docs.stargate.finance/resources/contracts/mainnet-contracts>, and the pools of version 1.
pub(super) const STARGATE: ProtocolRow = ProtocolRow {
    slug: "stargate",
    name: "STARGATE",
    website: "https://stargate.finance",
    primitives: &["FARMING"],
    company: "Stargate",
    company_slug: "stargate",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["stargate-v1", "oft"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0xcdafb1b2db43f366e48e6f614b8dccbfeefeecd3"),
                    address!("0xc026395860db2d07ee33e05fe50ed7bd583189c7"),
                    address!("0x933597a323eb81cae705c5bc29985172fd5a3973"),
                    address!("0x268ca24daeff1fac2ed883c598200ccbb79e931d"),
                    address!("0x77b2043768d28e9c9ab44e1abfc95944bce57931"),
                    address!("0xdf0770df86a8034b3efef0a1bb3c889b8332ff56"),
                    address!("0x38ea452219524bb87e18de1c24d3bb59510bd783"),
                    address!("0x430ebff5e3e80a6c58e7e6ada1d90f5c28aa116d"),
                    address!("0x101816545f6bd2b1076434b54383a1e633390a2e"),
                    address!("0x692953e758c3669290cb1677180c64183cee374e"),
                    address!("0xd8772edbf88bba2667ed011542343b0eddacda47"),
                ],
            ),
            (
                &[OPTIMISM],
                &[
                    address!("0xce8cca271ebc0533920c83d39f417ed6a0abb7d0"),
                    address!("0x19cfce47ed54a88614648dc3f19a5980097007dd"),
                    address!("0xe8cdf27acd73a434d661c84887215f7598e7d0d3"),
                    address!("0xdecc0c09c3b5f6e92ef4184125d5648a66e35298"),
                    address!("0xd22363e3762ca7339569f3d33eade20127d5f98c"),
                ],
            ),
            (
                &[BSC],
                &[
                    address!("0x138eb30f73bc423c6455c53df6d89cb01d9ebc63"),
                    address!("0x962bd449e630b0d928f308ce63f1a21f02576057"),
                    address!("0x4e145a589e4c03cbe3d28520e4bf3089834289df"),
                    address!("0xd4cec732b3b135ec52a3c0bc8ce4b8cfb9dace46"),
                ],
            ),
            (
                &[POLYGON],
                &[
                    address!("0x9aa02d4fae7f58b8e8f34c66e756cc734dac7fe4"),
                    address!("0xd47b03ee6d86cf251ee7860fb2acf9f91b9fd4d7"),
                    address!("0x1205f31718499dbf1fca446663b532ef87481fe1"),
                    address!("0x29e38769f23701a2e4a8ef0492e19da4604be62c"),
                ],
            ),
            (&[FANTOM], &[address!("0x12edea9cd262006cc3c4e77c90d2cd2dd4b1eb97")]),
            (
                &[BASE],
                &[
                    address!("0x27a16dc786820b16e5c9028b75b99f6f604b5d26"),
                    address!("0xdc181bd607330aeebef6ea62e03e5e1fb4b6f7c7"),
                ],
            ),
            (
                &[ARBITRUM],
                &[
                    address!("0xce8cca271ebc0533920c83d39f417ed6a0abb7d0"),
                    address!("0xe8cdf27acd73a434d661c84887215f7598e7d0d3"),
                    address!("0xa45b5130f36cdca45667738e2a258ab09f4a5f7f"),
                    address!("0x892785f33cdee22a30aef750f285e18c18040c3e"),
                    address!("0xb6cfcf89a7b22988bfc96632ac2a9d6dab60d641"),
                    address!("0x915a55e36a01285a14f05de6e81ed9ce89772f8e"),
                ],
            ),
            (
                &[AVALANCHE],
                &[
                    address!("0x5634c4a5fed09819e3c46d86a965dd9447d86e47"),
                    address!("0x12dc9256acc9895b076f6638d628382881e62cee"),
                    address!("0x1205f31718499dbf1fca446663b532ef87481fe1"),
                    address!("0x29e38769f23701a2e4a8ef0492e19da4604be62c"),
                ],
            ),
        ]),
    }],
};

/// <https://developers.circle.com/cctp/evm-smart-contracts>.
pub(super) const CCTP: ProtocolRow = ProtocolRow {
    slug: "cctp",
    name: "CCTP",
    website: "https://www.circle.com/cross-chain-transfer-protocol",
    primitives: &[],
    company: "Circle",
    company_slug: "circle",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["cctp"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0xbd3fa81b58ba92a82136038b25adec7066af3155"),
                    address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d"),
                ],
            ),
            (
                &[OPTIMISM],
                &[
                    address!("0x2b4069517957735be00cee0fadae88a26365528f"),
                    address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d"),
                ],
            ),
            (
                &[POLYGON],
                &[
                    address!("0x9daf8c91aefae50b9c0e69629d3f6ca40ca3b3fe"),
                    address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d"),
                ],
            ),
            (
                &[BASE],
                &[
                    address!("0x1682ae6375c4e4a97e4b583bc394c861a46d8962"),
                    address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d"),
                ],
            ),
            (
                &[ARBITRUM],
                &[
                    address!("0x19330d10d9cc8751218eaf51e8885d058642e08a"),
                    address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d"),
                ],
            ),
            (
                &[AVALANCHE],
                &[
                    address!("0x6b25532e1060ce10cc3b0a99e5683b91bfde6982"),
                    address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d"),
                ],
            ),
            (&[HYPER_EVM], &[address!("0x28b5a0e9c621a5badaa536219b3a228c8168cf5d")]),
        ]),
    }],
};

/// <https://docs.agglayer.dev>.
pub(super) const AGGLAYER: ProtocolRow = ProtocolRow {
    slug: "agglayer",
    name: "AGGLAYER",
    website: "https://www.agglayer.dev",
    primitives: &[],
    company: "Polygon",
    company_slug: "polygon",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["agglayer"],
        contracts: Listed(&[(&[ETHEREUM, POLYGON_ZKEVM], &[address!("0x2a3dd3eb832af982ec71669e178424b10dca2ede")])]),
    }],
};

/// <https://docs.synapseprotocol.com/docs/Contracts/Bridge>.
pub(super) const SYNAPSE: ProtocolRow = ProtocolRow {
    slug: "synapse",
    name: "SYNAPSE",
    website: "https://synapseprotocol.com",
    primitives: &[],
    company: "Synapse",
    company_slug: "synapse",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["synapse"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x2796317b0ff8538f253012862c06787adfb8ceb6"),
                    address!("0x5523d3c98809dddb82c686e152f5c58b1b0fb59e"),
                ],
            ),
            (
                &[OPTIMISM],
                &[
                    address!("0xaf41a65f786339e7911f4acdad6bd49426f2dc6b"),
                    address!("0x5523d3c98809dddb82c686e152f5c58b1b0fb59e"),
                ],
            ),
            (
                &[BSC],
                &[
                    address!("0xd123f70ae324d34a9e76b67a27bf77593ba8749f"),
                    address!("0x5523d3c98809dddb82c686e152f5c58b1b0fb59e"),
                ],
            ),
            (&[POLYGON], &[address!("0x8f5bbb2bb8c2ee94639e55d5f41de9b4839c1280")]),
            (&[FANTOM], &[address!("0xaf41a65f786339e7911f4acdad6bd49426f2dc6b")]),
            (
                &[BASE],
                &[
                    address!("0xf07d1c752fab503e47fef309bf14fbdd3e867089"),
                    address!("0x5523d3c98809dddb82c686e152f5c58b1b0fb59e"),
                ],
            ),
            (
                &[ARBITRUM],
                &[
                    address!("0x6f4e8eba4d337f874ab57478acc2cb5bacdc19c9"),
                    address!("0x5523d3c98809dddb82c686e152f5c58b1b0fb59e"),
                ],
            ),
            (&[AVALANCHE], &[address!("0xc05e61d0e7a63d27546389b7ad62fdff5a91aace")]),
        ]),
    }],
};

/// <https://cbridge-docs.celer.network/reference/contract-addresses>.
pub(super) const CELER: ProtocolRow = ProtocolRow {
    slug: "celer",
    name: "CELER",
    website: "https://cbridge.celer.network",
    primitives: &[],
    company: "Celer",
    company_slug: "celer",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["celer"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x5427fefa711eff984124bfbb1ab6fbf5e3da1820"),
                    address!("0xb37d31b2a74029b5951a2778f959282e2d518595"),
                    address!("0x7510792a3b1969f9307f3845ce88e39578f2bae1"),
                    address!("0x16365b45eb269b5b5dacb34b4a15399ec79b95eb"),
                    address!("0x52e4f244f380f8fa51816c8a10a63105dd4de084"),
                ],
            ),
            (
                &[OPTIMISM],
                &[
                    address!("0x9d39fc627a6d9d9f8c831c16995b209548cc3401"),
                    address!("0xbcfef6bb4597e724d720735d32a9249e0640aa11"),
                    address!("0x61f85ff2a2f4289be4bb9b72fc7010b3142b5f41"),
                ],
            ),
            (
                &[BSC],
                &[
                    address!("0xdd90e5e87a2081dcf0391920868ebc2ffb81a1af"),
                    address!("0x78bc5ee9f11d133a08b331c2e18fe81be0ed02dc"),
                    address!("0x11a0c9270d88c99e221360bca50c2f6fda44a980"),
                    address!("0xd443fe6bf23a4c9b78312391a30ff881a097580e"),
                    address!("0x26c76f7fef00e02a5dd4b5cc8a0f717eb61e1e4b"),
                ],
            ),
            (
                &[POLYGON],
                &[
                    address!("0x88dcdc47d2f83a99cf0000fdf667a468bb958a78"),
                    address!("0xc1a2d967dfaa6a10f3461bc21864c23c1dd51eea"),
                    address!("0x4c882ec256823ee773b25b414d36f92ef58a7c0c"),
                    address!("0x4d58fdc7d0ee9b674f49a0ade11f26c3c9426f7a"),
                    address!("0xb51541df05de07be38dcfc4a80c05389a54502bb"),
                ],
            ),
            (
                &[FANTOM],
                &[
                    address!("0x374b8a9f3ec5eb2d97eca84ea27aca45aa1c57ef"),
                    address!("0x7d91603e79ea89149baf73c9038c51669d8f03e9"),
                    address!("0x38d1e20b0039bfbeef4096be00175227f8939e51"),
                    address!("0x30f7aa65d04d289ce319e88193a33a8eb1857fb9"),
                ],
            ),
            (&[BASE], &[address!("0x7d43aabc515c356145049227cee54b608342c0ad")]),
            (
                &[ARBITRUM],
                &[
                    address!("0x1619de6b6b20ed217a58d00f37b9d47c7663feca"),
                    address!("0xfe31bfc4f7c9b69246a6dc0087d91a91cb040f76"),
                    address!("0xea4b1b0aa3c110c55f650d28159ce4ad43a4a58b"),
                    address!("0xbdd2739ae69a054895be33a22b2d2ed71a1de778"),
                ],
            ),
            (
                &[AVALANCHE],
                &[
                    address!("0xef3c714c9425a8f3697a9c969dc1af30ba82e5d4"),
                    address!("0x5427fefa711eff984124bfbb1ab6fbf5e3da1820"),
                    address!("0xb51541df05de07be38dcfc4a80c05389a54502bb"),
                    address!("0x88dcdc47d2f83a99cf0000fdf667a468bb958a78"),
                    address!("0xb774c6f82d1d5dbd36894762330809e512fed195"),
                ],
            ),
        ]),
    }],
};

/// <https://docs.debridge.finance>: source and destination of orders, the same on each network.
pub(super) const DEBRIDGE: ProtocolRow = ProtocolRow {
    slug: "debridge",
    name: "DEBRIDGE",
    website: "https://debridge.finance",
    primitives: &[],
    company: "deBridge",
    company_slug: "debridge",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["debridge"],
        contracts: Listed(&[(
            &[ETHEREUM, OPTIMISM, BSC, POLYGON, BASE, ARBITRUM, AVALANCHE],
            &[
                address!("0xef4fb24ad0916217251f553c0596f8edc630eb66"),
                address!("0xe7351fd770a37282b91d153ee690b63579d6dd7f"),
            ],
        )]),
    }],
};

/// <https://docs.connext.network/resources/deployments>.
pub(super) const CONNEXT: ProtocolRow = ProtocolRow {
    slug: "connext",
    name: "CONNEXT",
    website: "https://www.connext.network",
    primitives: &[],
    company: "Connext",
    company_slug: "connext",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["connext"],
        contracts: Listed(&[
            (&[ETHEREUM], &[address!("0x8898b472c54c31894e3b9bb83cea802a5d0e63c6")]),
            (&[OPTIMISM], &[address!("0x8f7492de823025b4cfaab1d34c58963f2af5deda")]),
            (&[BSC], &[address!("0xcd401c10afa37d641d2f594852da94c700e4f2ce")]),
            (&[POLYGON], &[address!("0x11984dc4465481512eb5b777e44061c158cf2259")]),
            (&[BASE], &[address!("0xb8448c6f7f7887d36dca487370778e419e9ebe3f")]),
            (&[ARBITRUM], &[address!("0xee9dec2712cce65174b561151701bf54b99c24c8")]),
        ]),
    }],
};

/// <https://wormhole.com/docs/products/reference/contract-addresses/>.
pub(super) const WORMHOLE: ProtocolRow = ProtocolRow {
    slug: "wormhole",
    name: "WORMHOLE",
    website: "https://portalbridge.com",
    primitives: &[],
    company: "Wormhole",
    company_slug: "wormhole",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["wormhole"],
        contracts: Listed(&[
            (&[ETHEREUM], &[address!("0x3ee18b2214aff97000d974cf647e7c347e8fa585")]),
            (&[OPTIMISM], &[address!("0x1d68124e65fafc907325e3edbf8c4d84499daa8b")]),
            (&[BSC], &[address!("0xb6f6d86a8f9879a9c87f643768d9efc38c1da6e7")]),
            (&[POLYGON], &[address!("0x5a58505a96d1dbf8df91cb21b54419fc36e93fde")]),
            (&[FANTOM], &[address!("0x7c9fc5741288cdfdd83ceb07f3ea7e22618d79d2")]),
            (&[BASE], &[address!("0x8d2de8d2f73f1f4cab472ac9a881c9b123c79627")]),
            (&[ARBITRUM], &[address!("0x0b2402144bb366a632d14b83f244d2e0e21bd39c")]),
            (&[AVALANCHE], &[address!("0x0e082f06ff657d94310cb8ce8b0d9a04541d8052")]),
        ]),
    }],
};

/// <https://docs.axelar.dev/resources/contract-addresses/mainnet/>: gateway and token service.
pub(super) const AXELAR: ProtocolRow = ProtocolRow {
    slug: "axelar",
    name: "AXELAR",
    website: "https://www.axelar.network",
    primitives: &[],
    company: "Axelar",
    company_slug: "axelar",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["axelar"],
        contracts: Listed(&[
            (
                &[ETHEREUM],
                &[
                    address!("0x4f4495243837681061c4743b74b3eedf548d56a5"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
            (
                &[OPTIMISM],
                &[
                    address!("0xe432150cce91c13a887f7d836923d5597add8e31"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
            (
                &[BSC],
                &[
                    address!("0x304acf330bbe08d1e512eefaa92f6a57871fd895"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
            (
                &[POLYGON],
                &[
                    address!("0x6f015f16de9fc8791b234ef68d486d2bf203fba8"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
            (
                &[FANTOM],
                &[
                    address!("0x304acf330bbe08d1e512eefaa92f6a57871fd895"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
            (
                &[BASE, ARBITRUM],
                &[
                    address!("0xe432150cce91c13a887f7d836923d5597add8e31"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
            (
                &[AVALANCHE],
                &[
                    address!("0x5029c0eff6c34351a0cec334542cdb22c7928f78"),
                    address!("0xb5fb4be02232b1bba4dc8f81dc24c26980de9e3c"),
                ],
            ),
        ]),
    }],
};

/// <https://docs.relay.link>.
pub(super) const RELAY: ProtocolRow = ProtocolRow {
    slug: "relay",
    name: "RELAY",
    website: "https://relay.link",
    primitives: &[],
    company: "Relay",
    company_slug: "relay",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["relay"],
        contracts: Listed(&[(
            &[ETHEREUM, OPTIMISM, BSC, POLYGON, BASE, ARBITRUM, AVALANCHE],
            &[address!("0x4cd00e387622c35bddb9b4c962c136462338bc31")],
        )]),
    }],
};

/// <https://docs.bungee.exchange>.
pub(super) const SOCKET: ProtocolRow = ProtocolRow {
    slug: "socket",
    name: "SOCKET",
    website: "https://www.socket.tech",
    primitives: &[],
    company: "Socket",
    company_slug: "socket",
    emitters: &[EmitterRow {
        market: "main",
        sections: &["socket"],
        contracts: Listed(&[(
            &[ETHEREUM, OPTIMISM, BSC, POLYGON, FANTOM, ARBITRUM, AVALANCHE],
            &[address!("0x3a23f943181408eac424116af7b7790c94cb97a5")],
        )]),
    }],
};
