//! What an instance serves: protocols, where they are deployed, and the claims that it may name.

use minicbor::{Decode, Encode};

use super::{Address, Word};

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
    /// Of `LENDING`, `BORROWING`, `POOLING`, `FARMING`.
    #[n(4)]
    pub primitives: Vec<String>,
    /// Who runs it.
    #[n(5)]
    pub company: Company,
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
    /// The first topics of the events that the plugin tells: it is asked only about transactions that have one of them.
    #[n(3)]
    pub event_topics: Option<Vec<Word>>,
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
    /// Tells apart several of one protocol on one network; `main` where there is one.
    #[n(2)]
    pub market: String,
    /// Of [`crate::question`].
    #[n(3)]
    pub questions: Vec<u8>,
    /// Contracts that claims may go to, and whose replies may name further ones.
    #[n(4)]
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
