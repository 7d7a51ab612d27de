//! The services of names and their contracts: a row each, with the link to its source. A settings file adds rows.

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::address;
use portolan_plugin_api::networks::{BASE, ETHEREUM};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    // <https://docs.ens.domains/learn/deployments>: controllers and registrar.
    ProtocolRow {
        slug: "ens-domains",
        name: "ENS",
        website: "https://ens.domains",
        primitives: &[],
        company: "ENS",
        company_slug: "ens",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["ens", "registrar"],
            contracts: Listed(&[(
                &[ETHEREUM],
                &[
                    address!("0x59e16fccd424cc24e280be16e11bcd56fb0ce547"),
                    address!("0x253553366da8546fc250f225fe3d25d0c782303b"),
                    address!("0x283af0b28c62c092c9727f1ee09c02ca627eb7f5"),
                    address!("0xb22c1c159d12461ea124b0deb4b5b93020e6ad16"),
                    address!("0xf0ad5cad05e10572efceb849f6ff0c68f9700455"),
                    address!("0x57f1887a8bf19b14fc0df6fd9b2acc9af147ea85"),
                ],
            )]),
        }],
    },
    // <https://github.com/base/basenames>: controllers and registrar.
    ProtocolRow {
        slug: "basenames",
        name: "BASENAMES",
        website: "https://www.base.org/names",
        primitives: &[],
        company: "Base",
        company_slug: "base",
        emitters: &[EmitterRow {
            market: "main",
            sections: &["basenames", "registrar"],
            contracts: Listed(&[(
                &[BASE],
                &[
                    address!("0x4ccb0bb02fcaba27e82a56646e81d8c5bc4119a5"),
                    address!("0xa7d2607c6bd39ae9521e514026cbb078405ab322"),
                    address!("0x03c4738ee98ae44591e1a4a4f3cab6641d95dd9a"),
                ],
            )]),
        }],
    },
];
