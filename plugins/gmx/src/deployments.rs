//! Whose contracts emit the events of the table: one row each, with their source. A settings file adds rows.

use portolan_kits::events::Source;
use portolan_plugin_api::{Address, Company, Deployment, Protocol, address};

const ARBITRUM: u64 = 42161;
const AVALANCHE: u64 = 43114;

/// Protocol, network, market, sections of the table, contracts.
type Row = (&'static str, u64, &'static str, &'static [&'static str], &'static [Address]);

const LISTED: [Row; 4] = [
    // https://github.com/gmx-io/gmx-interface/blob/master/sdk/src/configs/contracts.ts
    (
        "gmx",
        ARBITRUM,
        "v1",
        &["exchange", "rewards"],
        &[
            address!("0x489ee077994b6658eafa855c308275ead8097c4a"),
            address!("0x3963ffc9dff443c2a94f21b129d429891e32ec18"),
            address!("0xa906f338cb21815cbc4bc87ace9e68c87ef8d8f1"),
            address!("0x908c4d94d34924765f1edc22a1dd098397c59dd4"),
            address!("0x4d268a7d4c16ceb5a606c173bd974984343fea13"),
            address!("0xd2d1162512f927a7e282ef43a362659e4f2a728f"),
        ],
    ),
    ("gmx", ARBITRUM, "v2", &["v2"], &[address!("0xc8ee91a54287db53897056e12d9819156d3822fb")]),
    (
        "gmx",
        AVALANCHE,
        "v1",
        &["exchange", "rewards"],
        &[
            address!("0x9ab2de34a33fb459b538c43f251eb825645e8595"),
            address!("0x82147c5a7e850ea4e28155df107f2590fd4ba327"),
            address!("0x2bd10f8e93b3669b6d42e74eeedc65dd1b0a1342"),
        ],
    ),
    ("gmx", AVALANCHE, "v2", &["v2"], &[address!("0xdb17b211c34240b014ab6d61d4a31fa0c0e20c26")]),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    LISTED.into_iter().map(|(slug, network, market, sections, contracts)| {
        Source::of(sections).contracts(contracts.iter().copied()).deployed(slug, network, market)
    })
}

/// Slug, name, website, primitives, company.
type Named = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const PROTOCOLS: [Named; 1] = [("gmx", "GMX", "https://gmx.io", &["FARMING"], "GMX")];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    let protocol = |(slug, name, website, primitives, company): Named| Protocol {
        slug: slug.to_owned(),
        name: name.to_owned(),
        website: website.to_owned(),
        logo: None,
        primitives: primitives.iter().map(|primitive| (*primitive).to_owned()).collect(),
        company: Company { name: company.to_owned(), slug: company.to_lowercase().replace([' ', '.'], "-") },
    };
    PROTOCOLS.into_iter().map(protocol).collect()
}
