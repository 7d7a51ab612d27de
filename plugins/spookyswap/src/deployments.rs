//! SpookySwap's farms and pairs: one row each, with the link to its source. A settings file adds rows of farms.

use portolan_kits::accounts::DeploymentRow;
use portolan_kits::events::Salt;
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChef, MasterChefs};
use portolan_kits::protocol::Emitters::Factory;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::networks::FANTOM;
use portolan_plugin_api::{Address, B256, address, b256};

const SLUG: &str = "spookyswap";

/// `INIT_CODE_PAIR_HASH` of the factory.
const PAIR_CODE: B256 = b256!("0xcdf2deca40a0bd56de8e3ce5c7df6727e5b1bf2ac96f283fa9c4b3e6b42ea9d2");

/// The protocol that the plugin ships with, and the factory of v2:
/// <https://ftmscan.com/address/0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3#code>.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[ProtocolRow {
    slug: SLUG,
    name: "SPOOKYSWAP",
    website: "https://spooky.fi",
    primitives: &["POOLING", "FARMING"],
    company: "SpookySwap",
    company_slug: "spookyswap",
    emitters: &[EmitterRow {
        market: "pairs",
        sections: &["v2"],
        contracts: Factory {
            init_code_hash: PAIR_CODE,
            salt: Salt::Packed,
            factories: &[(&[FANTOM], address!("0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3"))],
        },
    }],
}];

/// The farms.
pub(crate) const CHEFS: MasterChefs = MasterChefs { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// A chef of any generation: all kept the name of the view, and pay with a withdrawal of nothing, since the later two
/// have no `harvest`.
const fn chef(address: Address, kind: Kind) -> MasterChef {
    CHEFS.renamed(address, kind, "pendingBOO", ClaimCall::Withdraw)
}

/// The deployments that the plugin ships with.
pub(crate) const DEPLOYMENTS: &[DeploymentRow] = &[
    // https://ftmscan.com/address/0x2b2929e785374c651a81a63878ab22742656dcdd#code
    DeploymentRow {
        protocol: SLUG,
        network: FANTOM,
        market: "farms-v1",
        contracts: &chef(address!("0x2b2929e785374c651a81a63878ab22742656dcdd"), Kind::V1),
    },
    // https://ftmscan.com/address/0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad#code
    DeploymentRow {
        protocol: SLUG,
        network: FANTOM,
        market: "farms-v2",
        contracts: &chef(address!("0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad"), Kind::V2),
    },
    // https://ftmscan.com/address/0x9c9c920e51778c4abf727b8bb223e78132f00aa4#code
    DeploymentRow {
        protocol: SLUG,
        network: FANTOM,
        market: "farms-v3",
        contracts: &chef(address!("0x9c9c920e51778c4abf727b8bb223e78132f00aa4"), Kind::V2),
    },
];
