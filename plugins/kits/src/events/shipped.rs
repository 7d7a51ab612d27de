//! The rows that plugins ship: whose contracts are whose, and what the protocols are called.
//!
//! Invariant: a row says nothing that a settings file could not say too.

use portolan_plugin_api::{Address, B256, Company, Deployment, Protocol};

use super::source::{Salt, Source};

/// Protocol, network, market, sections of the table, contracts.
pub type Listed = (&'static str, u64, &'static str, &'static [&'static str], &'static [Address]);
/// Protocol, network, market, sections of the table, registry, and its view that tells whether it knows a contract.
pub type Known = (&'static str, u64, &'static str, &'static [&'static str], Address, &'static str);
/// Protocol, network, market, sections of the table, factory, the hash of what it deploys, and how it salts it.
pub type Made = (&'static str, u64, &'static str, &'static [&'static str], Address, B256, Salt);
/// Slug, name, website, primitives, and company with its slug.
pub type Named = (&'static str, &'static str, &'static str, &'static [&'static str], (&'static str, &'static str));

/// A protocol with one market of listed contracts on each of its networks.
#[derive(Debug)]
pub struct Service {
    /// Of the protocol.
    pub slug: &'static str,
    /// Upper-case name.
    pub name: &'static str,
    /// URL.
    pub website: &'static str,
    /// Ordinary spelling; its slug is the same in lower case.
    pub company: &'static str,
    /// Of the table of events.
    pub sections: &'static [&'static str],
    /// By network.
    pub contracts: &'static [(u64, &'static [Address])],
}

/// The market of a [`Service`] on a network.
const MARKET: &str = "main";

/// Deployments whose contracts are listed.
pub fn listed(rows: impl IntoIterator<Item = Listed>) -> impl Iterator<Item = Deployment<Source>> {
    rows.into_iter().map(|(protocol, network, market, sections, contracts)| {
        Source::of(sections).contracts(contracts.iter().copied()).deployed(protocol, network, market)
    })
}

/// Deployments whose contracts a registry knows.
pub fn known(rows: impl IntoIterator<Item = Known>) -> impl Iterator<Item = Deployment<Source>> {
    rows.into_iter().map(|(protocol, network, market, sections, registry, view)| {
        Source::of(sections).registry(registry, view).deployed(protocol, network, market)
    })
}

/// Deployments whose contracts a factory made.
pub fn made(rows: impl IntoIterator<Item = Made>) -> impl Iterator<Item = Deployment<Source>> {
    rows.into_iter().map(|(protocol, network, market, sections, factory, init_code_hash, salt)| {
        Source::of(sections).factory(factory, init_code_hash, salt).deployed(protocol, network, market)
    })
}

/// The deployments of services.
pub fn services(rows: &[Service]) -> impl Iterator<Item = Deployment<Source>> {
    let at_market = |row: &Service, network, contracts| (row.slug, network, MARKET, row.sections, contracts);
    let rows = rows.iter().flat_map(move |row| {
        row.contracts.iter().map(move |(network, contracts)| at_market(row, *network, *contracts))
    });
    listed(rows)
}

/// Protocols by their names.
pub fn protocols(rows: impl IntoIterator<Item = Named>) -> Vec<Protocol> {
    let protocol = |(slug, name, website, primitives, (company, company_slug)): Named| {
        let company = Company { name: company.to_owned(), slug: company_slug.to_owned() };
        named(slug, name, website, primitives, company)
    };
    rows.into_iter().map(protocol).collect()
}

/// The protocols that services are of.
pub fn protocols_of(rows: &[Service]) -> Vec<Protocol> {
    let protocol = |row: &Service| {
        let company = Company { name: row.company.to_owned(), slug: row.company.to_lowercase() };
        named(row.slug, row.name, row.website, &[], company)
    };
    rows.iter().map(protocol).collect()
}

fn named(slug: &str, name: &str, website: &str, primitives: &[&str], company: Company) -> Protocol {
    Protocol {
        slug: slug.to_owned(),
        name: name.to_owned(),
        website: website.to_owned(),
        logo: None,
        primitives: primitives.iter().map(|primitive| (*primitive).to_owned()).collect(),
        company,
    }
}
