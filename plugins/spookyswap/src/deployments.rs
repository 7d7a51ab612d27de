//! SpookySwap's farms: one row for each generation, with the link to its source. A settings file adds rows.

use portolan_kits::events::{Salt, Source};
use portolan_kits::master_chef::{ClaimCall, Kind, MasterChef};
use portolan_plugin_api::networks::FANTOM;
use portolan_plugin_api::{Address, B256, Company, Deployment, Protocol, address, b256};

const SLUG: &str = "spookyswap";

/// Every generation kept the name of the view, and pays with a withdrawal of nothing; the later two have no `harvest`.
const fn chef(address: Address, kind: Kind) -> MasterChef {
    MasterChef::renamed(address, kind, "pendingBOO", ClaimCall::Withdraw)
}

/// Market and contract on Fantom.
const SHIPPED: [(&str, MasterChef); 3] = [
    // https://ftmscan.com/address/0x2b2929e785374c651a81a63878ab22742656dcdd#code
    ("farms-v1", chef(address!("0x2b2929e785374c651a81a63878ab22742656dcdd"), Kind::V1)),
    // https://ftmscan.com/address/0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad#code
    ("farms-v2", chef(address!("0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad"), Kind::V2)),
    // https://ftmscan.com/address/0x9c9c920e51778c4abf727b8bb223e78132f00aa4#code
    ("farms-v3", chef(address!("0x9c9c920e51778c4abf727b8bb223e78132f00aa4"), Kind::V2)),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<MasterChef>> {
    SHIPPED.into_iter().map(|(market, mechanism)| Deployment {
        protocol: SLUG.to_owned(),
        network: FANTOM,
        market: market.to_owned(),
        mechanism,
    })
}

/// The protocol that the plugin ships with.
pub(crate) fn protocol() -> Protocol {
    Protocol {
        slug: SLUG.to_owned(),
        name: "SPOOKYSWAP".to_owned(),
        website: "https://spooky.fi".to_owned(),
        logo: None,
        primitives: vec!["POOLING".to_owned(), "FARMING".to_owned()],
        company: Company { name: "SpookySwap".to_owned(), slug: "spookyswap".to_owned() },
    }
}

/// `INIT_CODE_PAIR_HASH` of the factory.
const PAIR_CODE: B256 = b256!("0xcdf2deca40a0bd56de8e3ce5c7df6727e5b1bf2ac96f283fa9c4b3e6b42ea9d2");

/// The contracts whose events are told: the factory of v2,
/// <https://ftmscan.com/address/0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3#code>.
pub(crate) fn emitters() -> Vec<Deployment<Source>> {
    let factory = address!("0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3");
    vec![Source::of(&["v2"]).factory(factory, PAIR_CODE, Salt::Packed).deployed(SLUG, FANTOM, "pairs")]
}
