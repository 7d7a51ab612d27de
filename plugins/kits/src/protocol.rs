//! Protocols that a plugin ships with, as rows: their names, and the contracts that emit their events.
//!
//! Invariant: a settings file can express every row.

use portolan_plugin_api::{Address, B256, Company, Deployment, Protocol};

use crate::events::{Salt, Source};

/// A protocol.
#[derive(Clone, Copy, Debug)]
pub struct ProtocolRow {
    /// Lower-case name in paths.
    pub slug: &'static str,
    /// Upper-case name.
    pub name: &'static str,
    /// URL.
    pub website: &'static str,
    /// Services it offers, for example `LENDING`.
    pub primitives: &'static [&'static str],
    /// Name of the company in ordinary spelling.
    pub company: &'static str,
    /// Slug of the company.
    pub company_slug: &'static str,
    /// Contracts that emit its events.
    pub emitters: &'static [EmitterRow],
}

impl ProtocolRow {
    /// Creates a protocol of a company of the same name, without primitives and events.
    pub const fn new(slug: &'static str, name: &'static str, website: &'static str) -> Self {
        Self { slug, name, website, primitives: &[], company: name, company_slug: slug, emitters: &[] }
    }
}

/// Contracts of one kind that a protocol has on its networks.
#[derive(Clone, Copy, Debug)]
pub struct EmitterRow {
    /// Name that distinguishes rows of one protocol on one network.
    pub market: &'static str,
    /// Table sections that decode the contracts' events.
    pub sections: &'static [&'static str],
    /// The contracts, or how to recognize them.
    pub contracts: Emitters,
}

/// Contracts by network.
#[derive(Clone, Copy, Debug)]
pub enum Emitters {
    /// Listed contracts.
    Listed(&'static [(&'static [u64], &'static [Address])]),
    /// Contracts for which the registry's view returns a nonzero word.
    Registry {
        /// Name of the view; its only argument is the contract.
        view: &'static str,
        /// Registry of each network.
        registries: &'static [(&'static [u64], Address)],
    },
    /// Contracts that a factory deployed with CREATE2.
    Factory {
        /// Hash of the deployed init code.
        init_code_hash: B256,
        /// Salt of the deployments.
        salt: Salt,
        /// Factory of each network, or its deployer if it has one.
        factories: &'static [(&'static [u64], Address)],
    },
}

impl ProtocolRow {
    fn protocol(&self) -> Protocol {
        Protocol {
            slug: self.slug.to_owned(),
            name: self.name.to_owned(),
            website: self.website.to_owned(),
            logo: None,
            primitives: self.primitives.iter().map(|primitive| (*primitive).to_owned()).collect(),
            company: Company { name: self.company.to_owned(), slug: self.company_slug.to_owned() },
        }
    }
}

/// Returns the protocols of these rows.
pub fn protocols(rows: &[ProtocolRow]) -> Vec<Protocol> {
    rows.iter().map(ProtocolRow::protocol).collect()
}

/// Returns the contracts that emit events of these rows: listed ones first, then registries, then factories.
pub fn sources(rows: &[ProtocolRow]) -> Vec<Deployment<Source>> {
    let emitters = || rows.iter().flat_map(|row| row.emitters.iter().map(move |emitter| (row.slug, emitter)));
    let mut emitters: Vec<(&str, &EmitterRow)> = emitters().collect();
    emitters.sort_by_key(|(_, emitter)| emitter.contracts.rank());
    emitters.into_iter().flat_map(|(protocol, emitter)| emitter.sources(protocol)).collect()
}

/// Sorts contracts that emit events: listed ones first, then registries, then factories.
pub(crate) fn by_evidence(sources: impl IntoIterator<Item = Deployment<Source>>) -> Vec<Deployment<Source>> {
    let mut sources: Vec<_> = sources.into_iter().collect();
    sources.sort_by_key(|source| source.mechanism.evidence());
    sources
}

impl EmitterRow {
    fn sources(&self, protocol: &str) -> Vec<Deployment<Source>> {
        let source = || Source::of(self.sections);
        let on = |networks: &[u64], source: Source| -> Vec<Deployment<Source>> {
            networks.iter().map(|network| source.clone().deployed(protocol, *network, self.market)).collect()
        };
        match self.contracts {
            Emitters::Listed(listed) => listed
                .iter()
                .flat_map(|(networks, contracts)| on(networks, source().contracts(contracts.iter().copied())))
                .collect(),
            Emitters::Registry { view, registries } => registries
                .iter()
                .flat_map(|(networks, registry)| on(networks, source().registry(*registry, view)))
                .collect(),
            Emitters::Factory { init_code_hash, salt, factories } => factories
                .iter()
                .flat_map(|(networks, factory)| on(networks, source().factory(*factory, init_code_hash, salt)))
                .collect(),
        }
    }
}

impl Emitters {
    fn rank(self) -> u8 {
        match self {
            Self::Listed(_) => 0,
            Self::Registry { .. } => 1,
            Self::Factory { .. } => 2,
        }
    }
}
