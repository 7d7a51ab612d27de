//! Hop's staking contracts and bridges: one row for each network, with the link to its source. A settings file adds
//! rows of staking.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::staking_rewards::{FarmTypes, Rewards, StakingFarms};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, BASE, ETHEREUM, GNOSIS, OPTIMISM, POLYGON};

const SLUG: &str = "hop";

/// The protocol that the plugin ships with, its bridges and the pools behind them, one for each asset: `l1Bridge`,
/// `l2Bridge` and `l2SaddleSwap` of
/// <https://github.com/hop-protocol/hop/blob/develop/packages/core/src/addresses/mainnet.ts>; those of Polygon, Gnosis,
/// Optimism and Arbitrum stand in <https://github.com/rotki/rotki>, `rotkehlchen/chain/*/modules/hop/constants.py`, too.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: SLUG,
    name: "HOP",
    website: "https://hop.exchange",
    primitives: &["POOLING", "FARMING"],
    company: "Hop",
    company_slug: "hop",
    emitters: &[
        EmitterRow {
            market: "bridges",
            sections: &["bridge"],
            contracts: Listed(&[
                (
                    &[ETHEREUM],
                    &[
                        address!("0xb8901acb165ed027e32754e0ffe830802919727f"),
                        address!("0x3d4cc8a61c7528fd86c55cfe061a78dcba48edd1"),
                        address!("0x3666f603cc164936c1b87e207f36beba4ac5f18a"),
                        address!("0x3e4a3a4796d16c0cd582c382691998f7c06420b6"),
                        address!("0x22b1cbb8d98a01a3b71d034bb899775a76eb1cc2"),
                        address!("0xb98454270065a31d71bf635f6f7ee6a518dfb849"),
                        address!("0x914f986a44acb623a277d6bd17368171fcbe4273"),
                        address!("0x893246facf345c99e4235e5a7bbee7404c988b96"),
                        address!("0x36443fc70e073fe9d50425f82a3ee19fef697d62"),
                        address!("0x87269b23e73305117d0404557badc459ced0dbec"),
                        address!("0xf074540eb83c86211f305e145eb31743e228e57d"),
                    ],
                ),
                (
                    &[OPTIMISM],
                    &[
                        address!("0x83f6244bd87662118d96d9a6d44f09dfff14b30e"),
                        address!("0x7191061d5d4c60f598214cc6913502184baddf18"),
                        address!("0xa81d244a1814468c734e5b4101f7b9c0c577a8fc"),
                        address!("0x46ae9bab8cea96610807a275ebd36f8e916b5c61"),
                        address!("0xb1ea9fed58a317f81eeefc18715dd323fdef45c4"),
                        address!("0x03d7f750777ec48d39d080b020d83eb2cb4e3547"),
                        address!("0x16284c7323c35f4960540583998c98b1cfc581a7"),
                        address!("0x33fe5bb8da466da55a8a32d6ade2bb104e2c5201"),
                        address!("0xa0075e8ce43dcb9970cb7709b9526c1232cc39c2"),
                    ],
                ),
                (
                    &[POLYGON],
                    &[
                        address!("0xb98454270065a31d71bf635f6f7ee6a518dfb849"),
                        address!("0xecf268be00308980b5b3fcd0975d47c4c8e1382a"),
                        address!("0x25d8039bb044dc227f741a9e381ca4ceae2e6ae8"),
                        address!("0x6c9a1acf73bd85463a46b0afc076fbdf602b690b"),
                        address!("0x553bc791d746767166fa3888432038193ceed5e2"),
                        address!("0x91bd9ccec64fc22475323a0e55d58f7786587905"),
                        address!("0x58c61aee5ed3d748a1467085ed2650b697a66234"),
                    ],
                ),
                (
                    &[ARBITRUM],
                    &[
                        address!("0x3749c4f034022c39ecaffaba182555d4508caccc"),
                        address!("0x7ac115536fe3a185100b2c4de4cb328bf3a58ba6"),
                        address!("0x0e0e3d2c5c292161999474247956ef542cabf8dd"),
                        address!("0x72209fe68386b37a40d6bca04f78356fd342491f"),
                        address!("0x3e4a3a4796d16c0cd582c382691998f7c06420b6"),
                        address!("0x25fb92e505f752f730cad0bd4fa17ece4a384266"),
                        address!("0xc315239cfb05f1e130e7e28e603cea4c014c57f0"),
                        address!("0xea5abf2c909169823d939de377ef2bf897a6ce98"),
                    ],
                ),
                (
                    &[GNOSIS],
                    &[
                        address!("0x25d8039bb044dc227f741a9e381ca4ceae2e6ae8"),
                        address!("0xfd5a186a7e8453eb867a360526c5d987a00acac2"),
                        address!("0x7ac71c29fedf94bac5a5c9ab76e1dd12ea885ccc"),
                        address!("0x0460352b91d7cf42b0e1c1c30f06b602d9ef2238"),
                        address!("0xd8926c12c0b2e5cd40cfda49ecaff40252af491b"),
                        address!("0x6f03052743cd99ce1b29265e377e320cd24eb632"),
                    ],
                ),
                (
                    &[BASE],
                    &[
                        address!("0x46ae9bab8cea96610807a275ebd36f8e916b5c61"),
                        address!("0x3666f603cc164936c1b87e207f36beba4ac5f18a"),
                        address!("0xe22d2bedb3eca35e6397e0c6d62857094aa26f52"),
                    ],
                ),
            ]),
        },
        EmitterRow {
            market: "pools",
            sections: &["pools"],
            contracts: Listed(&[
                (
                    &[OPTIMISM],
                    &[
                        address!("0x3c0ffaca566fccfd9cc95139fef6cba143795963"),
                        address!("0xec4b41af04cf917b54aeb6df58c0f8d78895b5ef"),
                        address!("0xf181ed90d6cfac84b8073fdea6d34aa744b41810"),
                        address!("0xaa30d6bba6285d0585722e2440ff89e23ef68864"),
                        address!("0x1990bc6dfe2ef605bfc08f5a23564db75642ad73"),
                        address!("0x8d4063e82a4db8cdaed46932e1c71e03ca69bede"),
                        address!("0x9dd8685463285ad5a94d2c128bda3c5e8a6173c8"),
                    ],
                ),
                (
                    &[POLYGON],
                    &[
                        address!("0x5c32143c8b198f392d01f8446b754c181224ac26"),
                        address!("0xb2f7d27b21a69a033f85c42d5eb079043baadc81"),
                        address!("0x3d4cc8a61c7528fd86c55cfe061a78dcba48edd1"),
                        address!("0x25fb92e505f752f730cad0bd4fa17ece4a384266"),
                        address!("0x266e2dc3c4c59e42aa07afee5b09e964cffe6778"),
                    ],
                ),
                (
                    &[ARBITRUM],
                    &[
                        address!("0x10541b07d8ad2647dc6cd67abd4c03575dade261"),
                        address!("0x18f7402b673ba6fb5ea4b95768aabb8aad7ef18a"),
                        address!("0xa5a33ab9063395a90ccbea2d86a62eccf27b5742"),
                        address!("0x652d27c0f72771ce5c76fd400edd61b406ac6d97"),
                        address!("0x0ded0d521ac7b0d312871d18ea4fde79f03ee7ca"),
                        address!("0xffe42d3ba79ee5ee74a999cad0c60ef1153f0b82"),
                    ],
                ),
                (
                    &[GNOSIS],
                    &[
                        address!("0x5c32143c8b198f392d01f8446b754c181224ac26"),
                        address!("0x3aa637d6853f1d9a9354fe4301ab852a88b237e7"),
                        address!("0xaa30d6bba6285d0585722e2440ff89e23ef68864"),
                        address!("0x24afdca4653042c6d08fb1a754b2535dacf6eb24"),
                        address!("0x4014dc015641c08788f15bd6eb20da4c47d936d8"),
                    ],
                ),
                (
                    &[BASE],
                    &[
                        address!("0x022c5ce6f1add7423268d41e08df521d5527c2a0"),
                        address!("0x0ce6c85cf43553de10fc56ceca0aef6ff0dd444d"),
                    ],
                ),
            ]),
        },
    ],
}];

/// The staking contracts.
pub(crate) const FARMS: StakingFarms = StakingFarms { single: FARM_TYPES, dual: FARM_TYPES };
const FARM_TYPES: FarmTypes = FarmTypes { reward_type: "hop-reward", vault_type: "hop-staking-rewards" };

/// The deployments that the plugin ships with: `stakingRewardsContracts` of Hop's own yield statistics,
/// <https://github.com/hop-protocol/hop>. Where a token has two contracts, each pays another reward.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    DeploymentRow {
        protocol: SLUG,
        network: OPTIMISM,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0x95d6a95becfd98a7032ed0c7d950ff6e0fa8d697"), // ETH
                address!("0xf587b9309c603feedf0445af4d3b21300989e93a"), // USDC.e
                address!("0x392b9780cfd362bd6951edfa9ebc31e68748b190"), // DAI
                address!("0xaeb1b49921e0d2d96fcdbe0d486190b2907b3e0b"), // USDT
                address!("0x25a5a48c35e75bd2eff53d94f0bb60d5a00e36ea"), // SNX
                address!("0x09992dd7b32f7b35d347de9bdaf1919a57d38e82"), // SNX
                address!("0x2935008ee9943f859c4fbb863c5402ffc06f462e"), // sUSD
                address!("0x25fb92e505f752f730cad0bd4fa17ece4a384266"), // sUSD
                address!("0x266e2dc3c4c59e42aa07afee5b09e964cffe6778"), // rETH
            ],
            Rewards::Single,
        ),
    },
    DeploymentRow {
        protocol: SLUG,
        network: POLYGON,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0x7bceda1db99d64f25efa279bb11ce48e15fda427"), // ETH
                address!("0xaa7b3a4a084e6461d486e53a03cf45004f0963b7"), // ETH
                address!("0x2c2ab81cf235e86374468b387e241df22459a265"), // USDC.e
                address!("0x7811737716942967ae6567b26a5051cc72af550e"), // USDC.e
                address!("0x4aeb0b5b1f3e74314a7fa934db090af603e8289b"), // DAI
                address!("0xd6dc6f69f81537fe9decc18152b7005b45dc2ee7"), // DAI
                address!("0x07932e9a5ab8800922b2688fb1fa0daad8341772"), // USDT
                address!("0x297e5079df8173ae1696899d3eacd708f0af82ce"), // USDT
                address!("0x7deebcad1416110022f444b03aeb1d20eb4ea53f"), // MATIC
            ],
            Rewards::Single,
        ),
    },
    DeploymentRow {
        protocol: SLUG,
        network: ARBITRUM,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0x755569159598f3702bdd7dff6233a317c156d3dd"), // ETH
                address!("0xb0cabfe930642ad3e7decdc741884d8c3f7ebc70"), // USDC.e
                address!("0xd4d28588ac1d9ef272aa29d4424e3e2a03789d1e"), // DAI
                address!("0x9dd8685463285ad5a94d2c128bda3c5e8a6173c8"), // USDT
                address!("0x00001fcf29c5fd7846e4332afbfaa48701d727f5"), // ETH, for ARB
                address!("0xbb9d66f7a7744c11550079045a177090e0015364"), // DAI, for ARB
                address!("0xb8f90e115499082747ba5da94732863b12cb1f25"), // USDT, for ARB
                address!("0x3d4cad734b464ed6edcf6254c2a3e5fa5d449b32"), // rETH, for RPL
                address!("0x4e9840f3c1ff368a10731d15c11516b9fe7e1898"), // MAGIC
            ],
            Rewards::Single,
        ),
    },
    DeploymentRow {
        protocol: SLUG,
        network: BASE,
        market: "main",
        contracts: &FARMS.of_farms(
            &[
                address!("0x12e59c59d282d2c00f3166915bed6dc2f5e2b5c7"), // ETH
                address!("0x7ac115536fe3a185100b2c4de4cb328bf3a58ba6"), // USDC.e
            ],
            Rewards::Single,
        ),
    },
];
