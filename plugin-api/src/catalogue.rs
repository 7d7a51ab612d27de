//! What an instance serves: protocols, deployments, and the claim functions that it may ask an account to sign.

use alloy::primitives::{Address, B256};
use alloy::sol_types::{SolCall, SolValue};
use portolan_abi::{map, question};

pub use portolan_abi::map::{Company, Protocol};

/// A question that a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Question {
    /// [`crate::Plugin::claimables`].
    Claimables = question::CLAIMABLES,
    /// [`crate::Plugin::farming`].
    Farming = question::FARMING,
    /// [`crate::Plugin::lending`].
    Lending = question::LENDING,
    /// [`crate::Plugin::compositions`].
    Composition = question::COMPOSITION,
    /// [`crate::Plugin::events`].
    Events = question::EVENTS,
}

/// What an instance serves.
#[derive(Clone, Debug, Default)]
pub struct Catalogue(map::Catalogue);

impl Catalogue {
    /// An empty catalogue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds protocols; one slug belongs to one plugin.
    #[must_use]
    pub fn protocols(mut self, protocols: impl IntoIterator<Item = Protocol>) -> Self {
        self.0.protocols.extend(protocols);
        self
    }

    /// Adds a protocol's contracts on one network.
    ///
    /// `contracts` are those that claims may go to, and whose replies may name further ones (a factory, a list).
    #[must_use]
    pub fn deployment<M>(
        mut self,
        deployment: &crate::Deployment<M>,
        questions: &[Question],
        contracts: impl IntoIterator<Item = Address>,
    ) -> Self {
        self.0.deployments.push(map::Deployment {
            protocol: deployment.protocol.clone(),
            chain_id: deployment.network,
            market: deployment.market.clone(),
            questions: questions.iter().map(|question| *question as u8).collect(),
            contracts: contracts.into_iter().map(|contract| map::Address(contract.into_array())).collect(),
        });
        self
    }

    /// Declares the claim functions.
    #[must_use]
    pub fn claims(mut self, templates: impl IntoIterator<Item = ClaimTemplate>) -> Self {
        self.0.claims.extend(templates.into_iter().map(|template| template.0));
        self
    }

    /// Names the first topics of the events that [`crate::Plugin::events`] tells, usually those of a
    /// [`Table`](crate::events::Table). The plugin is asked only about transactions that have one of them.
    #[must_use]
    pub fn events(mut self, topics: impl IntoIterator<Item = B256>) -> Self {
        self.0.event_topics.get_or_insert_default().extend(topics.into_iter().map(|topic| map::Word(topic.0)));
        self
    }

    pub(crate) fn into_abi(self) -> map::Catalogue {
        self.0
    }
}

/// A claim function and what may stand in its arguments; [`crate::Claim`]s are checked against it.
#[derive(Clone, Debug)]
pub struct ClaimTemplate(map::ClaimTemplate);

impl ClaimTemplate {
    /// A function of a typed `sol!` call, with one role for each argument, that only the account can send.
    pub fn new<C: SolCall>(roles: impl IntoIterator<Item = Role>) -> Self {
        Self(map::ClaimTemplate {
            signature: C::SIGNATURE.to_owned(),
            roles: roles.into_iter().map(Role::into_abi).collect(),
            caller: map::caller::ACCOUNT,
        })
    }

    /// Anyone may send it: what is claimed goes to the account all the same.
    #[must_use]
    pub fn by_anyone(mut self) -> Self {
        self.0.caller = map::caller::ANYONE;
        self
    }
}

/// What may stand in an argument of a claim.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Role {
    /// The account of the question.
    Account,
    /// A token of the catalogue, or one that this job read from a contract of the catalogue.
    Token,
    /// A contract of the catalogue, or one that this job read from such a contract.
    Market,
    /// An integer, `bool` or `bytesN`.
    Number,
    /// `bytes` or `string`.
    Bytes,
    /// Always this value, ABI-encoded; [`Role::constant`] makes it.
    Constant(Vec<u8>),
    /// A tuple, by its members.
    Tuple(Vec<Role>),
    /// An array of these.
    Array(Box<Role>),
}

impl Role {
    /// Always this value.
    pub fn constant<T: SolValue>(value: &T) -> Self {
        Self::Constant(value.abi_encode())
    }

    fn into_abi(self) -> map::Role {
        let plain = |kind| map::Role { kind, ..map::Role::default() };
        match self {
            Self::Account => plain(map::role::ACCOUNT),
            Self::Token => plain(map::role::TOKEN),
            Self::Market => plain(map::role::MARKET),
            Self::Number => plain(map::role::NUMBER),
            Self::Bytes => plain(map::role::BYTES),
            Self::Constant(value) => {
                map::Role { kind: map::role::CONSTANT, constant: Some(value), ..map::Role::default() }
            }
            Self::Tuple(members) => map::Role {
                kind: map::role::TUPLE,
                members: Some(members.into_iter().map(Self::into_abi).collect()),
                ..map::Role::default()
            },
            Self::Array(member) => {
                map::Role { kind: map::role::ARRAY, members: Some(vec![member.into_abi()]), ..map::Role::default() }
            }
        }
    }
}
