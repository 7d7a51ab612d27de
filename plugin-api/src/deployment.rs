//! Deployments of protocols: shipped rows and rows of the settings file.

use std::ops::Deref;

use alloy::primitives::Address;
use portolan_abi::Question;
use portolan_abi::map::{self, Catalogue, Protocol};

/// Contracts of a protocol on one network: a shipped row, or one of the settings file.
///
/// ```
/// use portolan_plugin_api::{Address, Deployment, Question, networks};
///
/// let farm = Address::repeat_byte(1);
/// let row = Deployment::new("acme", networks::POLYGON, farm).market("old");
/// let served = row.served(&[Question::CLAIMABLES], [row.mechanism]);
/// assert_eq!((served.chain_id, served.market.as_str(), served.contracts), (137, "old", vec![farm]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment<M> {
    /// Protocol slug.
    pub protocol: String,
    /// EIP-155 chain id.
    pub network: u64,
    /// Name that distinguishes several deployments of one protocol on one network; `main` if there is one.
    pub market: String,
    /// Contracts and options of the mechanism.
    pub mechanism: M,
}

impl<M> Deployment<M> {
    /// Creates the only deployment of a protocol on a network, with the market `main`.
    pub fn new(protocol: &str, network: u64, mechanism: M) -> Self {
        Self { protocol: protocol.to_owned(), network, market: "main".to_owned(), mechanism }
    }

    /// Sets the market, if a network has several.
    #[must_use]
    pub fn market(self, market: &str) -> Self {
        Self { market: market.to_owned(), ..self }
    }

    /// Returns the catalogue's row of this deployment, with the questions that it answers.
    ///
    /// `contracts` are those that claims may call, and whose replies may name further ones (a factory, a list).
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

/// Deployments of one mechanism with their protocols, as [`Settings::serve`](crate::Settings::serve) returns them.
/// Dereferences to a slice of deployments.
///
/// ```
/// use portolan_plugin_api::{Catalogue, Deployments, Question, Address};
///
/// /// The catalogue of a plugin whose mechanism is one contract, and the rows of one market.
/// fn catalogue(served: &Deployments<Address>) -> (Catalogue, usize) {
///     let catalogue = served.catalogue(&[Question::FARMING], |farm| [*farm]);
///     (catalogue, served.iter().filter(|row| row.market == "main").count())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployments<M> {
    protocols: Vec<Protocol>,
    rows: Vec<Deployment<M>>,
}

impl<M> Deployments<M> {
    pub(crate) fn new(protocols: Vec<Protocol>, rows: Vec<Deployment<M>>) -> Self {
        Self { protocols, rows }
    }

    /// Returns the catalogue, without claims and events; every deployment answers these questions. `contracts` returns
    /// the contracts of a deployment that claims may call, and whose replies may name further ones (a factory, a list).
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
