//! Balancer's vaults, one row each. A settings file adds rows.
//!
//! Sources: <https://docs.balancer.fi/developer-reference/contracts/deployment-addresses/mainnet.html> and its
//! neighbours; <https://docs.beets.fi>.

use portolan_kits::events::Source;
use portolan_plugin_api::{Address, Company, Deployment, Protocol, address};

const ETHEREUM: u64 = 1;
const OPTIMISM: u64 = 10;
const POLYGON: u64 = 137;
const FANTOM: u64 = 250;
const BASE: u64 = 8453;
const ARBITRUM: u64 = 42_161;
const AVALANCHE: u64 = 43_114;

/// Protocol, network, market, sections and contracts.
type Listed = (&'static str, u64, &'static str, &'static [&'static str], &'static [Address]);
const LISTED: &[Listed] = &[
    ("balancer", ETHEREUM, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", OPTIMISM, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", POLYGON, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", BASE, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", ARBITRUM, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", AVALANCHE, "vault-v2", &["v2"], &[address!("0xba12222222228d8ba445958a75a0704d566bf2c8")]),
    ("balancer", ETHEREUM, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", OPTIMISM, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", BASE, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", ARBITRUM, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("balancer", AVALANCHE, "vault-v3", &["v3"], &[address!("0xba1333333333a1ba1108e8412f11850a5c319ba9")]),
    ("beethovenx", FANTOM, "vault-v2", &["v2"], &[address!("0x20dd72ed959b6147912c2e529f0a0c651c33c9ce")]),
];

/// Protocol, network, market, sections, and the registry whose view tells whether a contract is its.
type Known = (&'static str, u64, &'static str, &'static [&'static str], Address, &'static str);
const KNOWN: &[Known] =
    &[("balancer", ETHEREUM, "pools-v1", &["v1"], address!("0x9424b1412450d0f8fc2255faf6046b98213b76bd"), "isBPool")];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    let listed = LISTED.iter().map(|(protocol, network, market, sections, contracts)| {
        Source::of(sections).contracts(contracts.iter().copied()).deployed(protocol, *network, market)
    });
    let known = KNOWN.iter().map(|(protocol, network, market, sections, registry, view)| {
        Source::of(sections).registry(*registry, view).deployed(protocol, *network, market)
    });
    listed.chain(known)
}

/// Slug, name, website, and company with its slug.
const PROTOCOLS: [(&str, &str, &str, (&str, &str)); 2] = [
    ("balancer", "BALANCER", "https://balancer.fi", ("Balancer", "balancer")),
    ("beethovenx", "BEETHOVENX", "https://beets.fi", ("Beethoven X", "beethovenx")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> [Protocol; 2] {
    PROTOCOLS.map(|(slug, name, website, (company, company_slug))| Protocol {
        slug: slug.to_owned(),
        name: name.to_owned(),
        website: website.to_owned(),
        logo: None,
        primitives: vec!["POOLING".to_owned()],
        company: Company { name: company.to_owned(), slug: company_slug.to_owned() },
    })
}
