//! Where protocols are deployed: rows, and what an instance serves of them.

use std::ops::Deref;

use alloy::primitives::Address;
use portolan_abi::Question;
use portolan_abi::map::{self, Catalogue, Protocol};

/// A protocol's contracts on one network: a shipped row, or one of the settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment<M> {
    /// Protocol slug.
    pub protocol: String,
    /// EIP-155 chain id.
    pub network: u64,
    /// Distinguishes several of one protocol on one network; `main` where there is one.
    pub market: String,
    /// The mechanism's own contracts and choices.
    pub mechanism: M,
}

impl<M> Deployment<M> {
    /// The only deployment of a protocol on a network: its market is `main`.
    pub fn new(protocol: &str, network: u64, mechanism: M) -> Self {
        Self { protocol: protocol.to_owned(), network, market: "main".to_owned(), mechanism }
    }

    /// One of several of its protocol on its network.
    #[must_use]
    pub fn market(self, market: &str) -> Self {
        Self { market: market.to_owned(), ..self }
    }

    /// The catalogue's row of this deployment, with the questions that it answers.
    ///
    /// `contracts` are those that claims may go to, and whose replies may name further ones (a factory, a list).
    pub fn served(&self, questions: &[Question], contracts: impl IntoIterator<Item = Address>) -> map::Deployment {
        map::Deployment {
            protocol: self.protocol.clone(),
            chain_id: self.network,
            market: self.market.clone(),
            questions: questions.to_vec(),
            contracts: contracts.into_iter().collect(),
            tokens: None,
        }
    }
}

/// What an instance serves, as [`Settings::serve`](crate::Settings::serve) makes it: deployments of one mechanism, and
/// their protocols. It can be read as a slice of its deployments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployments<M> {
    protocols: Vec<Protocol>,
    rows: Vec<Deployment<M>>,
}

impl<M> Deployments<M> {
    pub(crate) fn new(protocols: Vec<Protocol>, rows: Vec<Deployment<M>>) -> Self {
        Self { protocols, rows }
    }

    /// The catalogue, without claims and events: every deployment answers these questions. `contracts` gives the
    /// contracts of a deployment that claims may go to, and whose replies may name further ones (a factory, a list).
    pub fn catalogue<'a, C: IntoIterator<Item = Address>>(
        &'a self,
        questions: &[Question],
        contracts: impl Fn(&'a M) -> C,
    ) -> Catalogue {
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.rows.iter().map(|row| row.served(questions, contracts(&row.mechanism))).collect(),
            ..Catalogue::default()
        }
    }
}

impl<M> Deref for Deployments<M> {
    type Target = [Deployment<M>];

    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}
