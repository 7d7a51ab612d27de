//! The protocols and the contracts that emit their events, with the source of each row. A settings file adds rows.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_kits::reward_trackers::RewardTrackerTypes;
use portolan_kits::vester::VesterTypes;
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, POLYGON};

/// Stakes in reward trackers.
pub(crate) const TRACKERS: RewardTrackerTypes = RewardTrackerTypes { stake: "reward-tracker" };

/// What vests.
pub(crate) const VESTERS: VesterTypes = VesterTypes { vester: "vester" };

/// The deployments that the plugin ships with.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://github.com/gmx-io/gmx-contracts/blob/master/scripts/peripherals/deployMigrator.js, of all trackers
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/gmx
    DeploymentRow {
        protocol: "gmx",
        network: ARBITRUM,
        market: "staking",
        contracts: &TRACKERS.of(
            address!("0x908c4d94d34924765f1edc22a1dd098397c59dd4"),
            &[
                address!("0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a"), // GMX
                address!("0xf42ae1d54fd613c9bb14810b0588faaa09a426ca"), // esGMX
            ],
            &[
                address!("0x908c4d94d34924765f1edc22a1dd098397c59dd4"), // esGMX
                address!("0xd2d1162512f927a7e282ef43a362659e4f2a728f"), // Fees
            ],
        ),
    },
    DeploymentRow {
        protocol: "gmx",
        network: ARBITRUM,
        market: "glp",
        contracts: &TRACKERS.of(
            address!("0x4e971a87900b931ff39d1aad67697f49835400b6"),
            &[address!("0x4277f8f2c384827b5273592ff7cebd9f2c1ac258")],
            &[
                address!("0x4e971a87900b931ff39d1aad67697f49835400b6"), // Fees
                address!("0x1addd80e6039594ee970e5872d247bf0414c8903"), // esGMX
            ],
        ),
    },
    DeploymentRow {
        protocol: "gmx",
        network: AVALANCHE,
        market: "staking",
        contracts: &TRACKERS.of(
            address!("0x2bd10f8e93b3669b6d42e74eeedc65dd1b0a1342"),
            &[
                address!("0x62edc0692bd897d2295872a9ffcac5425011c661"), // GMX
                address!("0xff1489227bbaac61a9209a08929e4c2a526ddd17"), // esGMX
            ],
            &[
                address!("0x2bd10f8e93b3669b6d42e74eeedc65dd1b0a1342"), // esGMX
                address!("0x4d268a7d4c16ceb5a606c173bd974984343fea13"), // Fees
            ],
        ),
    },
    DeploymentRow {
        protocol: "gmx",
        network: AVALANCHE,
        market: "glp",
        contracts: &TRACKERS.of(
            address!("0xd2d1162512f927a7e282ef43a362659e4f2a728f"),
            &[address!("0x01234181085565ed162a948b6a5e88758cd7c7b8")],
            &[
                address!("0xd2d1162512f927a7e282ef43a362659e4f2a728f"), // Fees
                address!("0x9e295b5b976a184b14ad8cd72413ad846c299660"), // esGMX
            ],
        ),
    },
    // https://github.com/gmx-io/gmx-contracts/blob/master/scripts/peripherals/deployMigrator.js
    // https://github.com/sentioxyz/sentio-processors/blob/main/projects/gmx/src/helper/constant.ts
    DeploymentRow {
        protocol: "gmx",
        network: ARBITRUM,
        market: "vesting-gmx",
        contracts: &VESTERS.of(address!("0x199070ddfd1cfb69173aa2f7e20906f26b363004")),
    },
    DeploymentRow {
        protocol: "gmx",
        network: ARBITRUM,
        market: "vesting-glp",
        contracts: &VESTERS.of(address!("0xa75287d2f8b217273e7fcd7e86ef07d33972042e")),
    },
    // https://github.com/gmx-io/gmx-contracts/blob/master/scripts/peripherals/deployMigrator.js
    // https://github.com/gmx-io/gmx-interface/blob/master/sdk/src/configs/contracts.ts
    DeploymentRow {
        protocol: "gmx",
        network: AVALANCHE,
        market: "vesting-gmx",
        contracts: &VESTERS.of(address!("0x472361d3ca5f49c8e633fb50385bfad1e018b445")),
    },
    DeploymentRow {
        protocol: "gmx",
        network: AVALANCHE,
        market: "vesting-glp",
        contracts: &VESTERS.of(address!("0x62331a7bd1dfb3a7642b7db50b5509e57ca3154a")),
    },
    // What affiliates are paid vests without tokens that are reserved.
    // https://github.com/gmx-io/gmx-contracts/blob/master/scripts/referrals/referralRewards.js
    // https://github.com/gmx-io/gmx-interface/blob/master/sdk/src/configs/contracts.ts
    DeploymentRow {
        protocol: "gmx",
        network: ARBITRUM,
        market: "vesting-affiliate",
        contracts: &VESTERS.of(address!("0x7c100c0f55a15221a4c1c5a25db8c98a81df49b2")),
    },
    DeploymentRow {
        protocol: "gmx",
        network: AVALANCHE,
        market: "vesting-affiliate",
        contracts: &VESTERS.of(address!("0x754ec029ef9926184b4cfdea7756fbbae7f326f7")),
    },
    // https://github.com/DefiLlama/yield-server/blob/master/src/adaptors/metavault.trade/index.js
    // https://github.com/Zapper-fi/studio/tree/main/src/apps/metavault-trade
    DeploymentRow {
        protocol: "metavault",
        network: POLYGON,
        market: "staking",
        contracts: &TRACKERS.of(
            address!("0xe8e2e78d8ca52f238caf69f020fa961f8a7632e9"),
            &[
                address!("0x2760e46d9bb43dafcbecaad1f64b93207f9f0ed7"), // MVX
                address!("0xd1b2f8dff8437be57430ee98767d512f252ead61"), // esMVX
            ],
            &[
                address!("0xe8e2e78d8ca52f238caf69f020fa961f8a7632e9"), // esMVX
                address!("0xacec858f6397dd227dd4ed5be91a5bb180b8c430"), // Fees
            ],
        ),
    },
    DeploymentRow {
        protocol: "metavault",
        network: POLYGON,
        market: "mvlp",
        contracts: &TRACKERS.of(
            address!("0xabd6c70c41fdf9261dff15f4eb589b44a37072eb"),
            &[address!("0x9f4f8bc00f48663b7c204c96b932c29ccc43a2e8")],
            &[
                address!("0xabd6c70c41fdf9261dff15f4eb589b44a37072eb"), // Fees
                address!("0xa6ca41bbf555074ed4d041c1f4551ef48116d59a"), // esMVX
            ],
        ),
    },
];

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[GMX, METAVAULT];

/// A fork, of which only deployments emit events.
const METAVAULT: ProtocolRow = ProtocolRow {
    primitives: &["FARMING"],
    company: "Metavault",
    ..ProtocolRow::new("metavault", "METAVAULT", "https://metavault.trade")
};

const GMX: ProtocolRow = ProtocolRow {
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
};
