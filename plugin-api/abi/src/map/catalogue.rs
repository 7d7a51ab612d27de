//! What an instance serves: protocols, where they are deployed, and the claims that it may name.

use alloy::primitives::{Address, B256};
use alloy::sol_types::{SolCall, SolValue};
use minicbor::{Decode, Encode};

use crate::{Question, primitive};

/// What a slug names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Protocol {
    /// Lower-case identifier, the `{protocol}` of the HTTP paths.
    #[n(0)]
    pub slug: String,
    /// Upper-case name.
    #[n(1)]
    pub name: String,
    /// URL.
    #[n(2)]
    pub website: String,
    /// URL; the host derives one from the slug where none is given.
    #[n(3)]
    pub logo: Option<String>,
    /// Some of `LENDING`, `BORROWING`, `POOLING`, `FARMING`.
    #[n(4)]
    pub primitives: Vec<String>,
    /// Who runs it.
    #[n(5)]
    pub company: Company,
}

impl Protocol {
    /// A protocol without a logo, run by a company of the same name: `new("acme_v2", "ACME", …)` by Acme V2.
    pub fn new(slug: &str, name: &str, website: &str, primitives: &[&str]) -> Self {
        let words = slug.split(['_', '-']).map(|word| {
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            first.to_ascii_uppercase() + rest
        });
        Self {
            slug: slug.to_owned(),
            name: name.to_owned(),
            website: website.to_owned(),
            logo: None,
            primitives: primitives.iter().map(|primitive| (*primitive).to_owned()).collect(),
            company: Company::new(&words.collect::<Vec<_>>().join(" ")),
        }
    }

    /// Run by another company.
    #[must_use]
    pub fn company(self, company: Company) -> Self {
        Self { company, ..self }
    }

    /// With the URL of a logo.
    #[must_use]
    pub fn logo(self, url: &str) -> Self {
        Self { logo: Some(url.to_owned()), ..self }
    }
}

/// Who runs a protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Company {
    /// Ordinary spelling.
    #[n(0)]
    pub name: String,
    /// Lower case.
    #[n(1)]
    pub slug: String,
}

impl Company {
    /// A company whose slug is its name in lower case, with hyphens for spaces.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), slug: name.to_lowercase().replace(' ', "-") }
    }
}

/// What an instance serves from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Catalogue {
    /// Every protocol that a deployment names.
    #[n(0)]
    pub protocols: Vec<Protocol>,
    /// Where they are deployed.
    #[n(1)]
    pub deployments: Vec<Deployment>,
    /// Claims name these by index.
    #[n(2)]
    pub claims: Vec<ClaimTemplate>,
    /// The first topics of the events that the plugin decodes: it gets only transactions that have one of them.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub event_topics: Option<Vec<B256>>,
}

/// A protocol's contracts on one network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Deployment {
    /// Protocol slug.
    #[n(0)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(1)]
    pub chain_id: u64,
    /// Distinguishes several of one protocol on one network; `main` where there is one.
    #[n(2)]
    pub market: String,
    /// What is answered about it.
    #[n(3)]
    pub questions: Vec<Question>,
    /// Contracts that claims may go to, and whose replies may name further ones.
    #[cbor(n(4), with = "primitive")]
    pub contracts: Vec<Address>,
}

/// A claim function and what may stand in its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct ClaimTemplate {
    /// Solidity signature, for example `getReward()` or `deposit(uint256,uint256)`.
    #[n(0)]
    pub signature: String,
    /// One role for each argument.
    #[n(1)]
    pub roles: Vec<Role>,
    /// One of [`caller`].
    #[n(2)]
    pub caller: u8,
}

impl ClaimTemplate {
    /// A function of a typed `sol!` call, with one role for each argument, that only the account can send.
    pub fn new<C: SolCall>(roles: impl IntoIterator<Item = Role>) -> Self {
        Self { signature: C::SIGNATURE.to_owned(), roles: roles.into_iter().collect(), caller: caller::ACCOUNT }
    }

    /// Anyone may send it: what is claimed goes to the account all the same.
    #[must_use]
    pub fn by_anyone(self) -> Self {
        Self { caller: caller::ANYONE, ..self }
    }
}

/// Who may send a claim.
pub mod caller {
    /// Only the account itself.
    pub const ACCOUNT: u8 = 0;
    /// Anyone: what is claimed goes to the account all the same.
    pub const ANYONE: u8 = 1;
}

/// What may stand in an argument of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Role {
    /// One of [`role`].
    #[n(0)]
    pub kind: u8,
    /// For [`role::CONSTANT`]: the argument's ABI encoding.
    #[cbor(n(1), with = "minicbor::bytes")]
    pub constant: Option<Vec<u8>>,
    /// For [`role::TUPLE`] one for each member, for [`role::ARRAY`] exactly one.
    #[n(2)]
    pub members: Option<Vec<Role>>,
}

impl Role {
    /// The account of the question.
    pub const ACCOUNT: Self = Self::of(role::ACCOUNT);
    /// A token of the catalogue, or one that this job read from a contract of the catalogue.
    pub const TOKEN: Self = Self::of(role::TOKEN);
    /// A contract of the catalogue, or one that this job read from such a contract.
    pub const MARKET: Self = Self::of(role::MARKET);
    /// An integer, `bool` or `bytesN`.
    pub const NUMBER: Self = Self::of(role::NUMBER);
    /// `bytes` or `string`.
    pub const BYTES: Self = Self::of(role::BYTES);

    const fn of(kind: u8) -> Self {
        Self { kind, constant: None, members: None }
    }

    /// Always this value.
    pub fn constant<T: SolValue>(value: &T) -> Self {
        Self { constant: Some(value.abi_encode()), ..Self::of(role::CONSTANT) }
    }

    /// A tuple, by its members.
    pub fn tuple(members: impl IntoIterator<Item = Self>) -> Self {
        Self { members: Some(members.into_iter().collect()), ..Self::of(role::TUPLE) }
    }

    /// An array, by what each of its members is.
    pub fn array(member: Self) -> Self {
        Self { members: Some(vec![member]), ..Self::of(role::ARRAY) }
    }
}

/// The kinds of [`Role`].
pub mod role {
    /// `address`: the account of the question.
    pub const ACCOUNT: u8 = 1;
    /// `address`: a token that this job read from one of its contracts, or of the catalogue.
    pub const TOKEN: u8 = 2;
    /// `address`: a contract of the catalogue, or one that this job read from such a contract.
    pub const MARKET: u8 = 3;
    /// An integer, `bool` or `bytesN`.
    pub const NUMBER: u8 = 4;
    /// `bytes` or `string`.
    pub const BYTES: u8 = 5;
    /// Always the same value.
    pub const CONSTANT: u8 = 6;
    /// A tuple.
    pub const TUPLE: u8 = 7;
    /// An array.
    pub const ARRAY: u8 = 8;
}
