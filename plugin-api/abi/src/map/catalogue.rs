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
    /// The hosts of its off-chain reads, as [`crate::off_chain::check_host`] has them.
    #[n(4)]
    pub hosts: Option<Vec<String>>,
    /// Views whose replies name what claims may go to or name, beside the contracts and tokens of the deployments.
    #[n(5)]
    pub lineages: Option<Vec<Lineage>>,
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
    /// Contracts that claims may go to and name, and whose views a [`Lineage`] may begin with.
    #[cbor(n(4), with = "primitive")]
    pub contracts: Vec<Address>,
    /// Tokens that claims may name.
    #[cbor(n(5), with = "primitive", has_nil)]
    pub tokens: Option<Vec<Address>>,
}

/// A view whose reply names addresses that claims may go to or name: the markets of a factory, the reward tokens of a
/// gauge. The host reads it itself, at the answer's block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Lineage {
    /// Solidity signature of the view, for example `gauges(address)`.
    #[n(0)]
    pub view: String,
    /// What the addresses are: one of [`lineage`].
    #[n(1)]
    pub gives: u8,
    /// The place of the address among the words of the reply, from 0; of the list, where it is one.
    #[n(2)]
    pub word: u32,
    /// The words of each member, where the word is the offset of a list; absent where it is the address.
    #[n(3)]
    pub stride: Option<u32>,
    /// The place of the address among the words of a list's member; 0 where it is absent.
    #[n(4)]
    pub member_word: Option<u32>,
    /// Whether it may be a view of targets and markets that other lineages gave, and not of the catalogue's contracts
    /// alone.
    #[n(5)]
    pub of_given: Option<bool>,
    /// The place of the address among the words of the call's arguments, where the word of the reply says whether the
    /// contract knows it: anything but zero does. Absent where the reply has the address.
    #[n(6)]
    pub argument: Option<u32>,
}

/// What the addresses of a [`Lineage`] are.
pub mod lineage {
    /// Contracts that claims may go to.
    pub const TARGET: u8 = 1;
    /// Tokens that claims may name.
    pub const TOKEN: u8 = 2;
    /// Contracts that claims may name.
    pub const MARKET: u8 = 3;
}

impl Lineage {
    /// The address that a view returns, or returns first, is a contract that claims may go to.
    pub fn targets<C: SolCall>() -> Self {
        Self::of::<C>(lineage::TARGET)
    }

    /// The address that a view returns, or returns first, is a token that claims may name.
    pub fn tokens<C: SolCall>() -> Self {
        Self::of::<C>(lineage::TOKEN)
    }

    /// The address that a view returns, or returns first, is a contract that claims may name.
    pub fn markets<C: SolCall>() -> Self {
        Self::of::<C>(lineage::MARKET)
    }

    fn of<C: SolCall>(gives: u8) -> Self {
        Self { view: C::SIGNATURE.to_owned(), gives, ..Self::default() }
    }

    /// It is another word of the reply, counted from 0.
    #[must_use]
    pub fn at(self, word: u32) -> Self {
        Self { word, ..self }
    }

    /// The word is a list of addresses.
    #[must_use]
    pub fn list(self) -> Self {
        Self { stride: Some(1), ..self }
    }

    /// The word is a list of structs of so many words, none of them of dynamic size, that have the address at this place.
    #[must_use]
    pub fn list_of(self, words: u32, place: u32) -> Self {
        Self { stride: Some(words), member_word: Some(place), ..self }
    }

    /// The address is this word of the call's arguments, counted from 0, and the word of the reply says whether the contract
    /// knows it: as `isPoolFromFactory(address)` does.
    #[must_use]
    pub fn argument(self, place: u32) -> Self {
        Self { argument: Some(place), ..self }
    }

    /// It is also a view of contracts that other lineages gave.
    #[must_use]
    pub fn of_given(self) -> Self {
        Self { of_given: Some(true), ..self }
    }
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
    /// The view without arguments, of the claim's target, that returns the fee in wei which is due with the claim; absent
    /// where none is.
    #[n(3)]
    pub fee: Option<String>,
    /// Whether the target is itself a token that the claim pays or names.
    #[n(4)]
    pub is_token: Option<bool>,
    /// The places of the arguments whose lists grow where one call claims for several; absent where a call claims for one.
    #[n(5)]
    pub merges: Option<Vec<u32>>,
}

impl ClaimTemplate {
    /// A function of a typed `sol!` call, with one role for each argument, that only the account can send.
    pub fn new<C: SolCall>(roles: impl IntoIterator<Item = Role>) -> Self {
        Self { signature: C::SIGNATURE.to_owned(), roles: roles.into_iter().collect(), ..Self::default() }
    }

    /// A fee is due with it, which this view of the claim's target returns in wei.
    #[must_use]
    pub fn with_fee<V: SolCall>(self) -> Self {
        Self { fee: Some(V::SIGNATURE.to_owned()), ..self }
    }

    /// Its target is itself a token that the claim pays or names.
    #[must_use]
    pub fn of_token(self) -> Self {
        Self { is_token: Some(true), ..self }
    }

    /// One call claims for several: the lists in these arguments, counted from 0, have a member for each.
    #[must_use]
    pub fn merging(self, arguments: impl IntoIterator<Item = u32>) -> Self {
        Self { merges: Some(arguments.into_iter().collect()), ..self }
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
    /// A token or contract of the deployment, or a token that a [`Lineage`] gives.
    pub const TOKEN: Self = Self::of(role::TOKEN);
    /// A contract of the deployment, or one that a [`Lineage`] gives.
    pub const MARKET: Self = Self::of(role::MARKET);
    /// An integer or `bytesN` that this job read together with the account, or `bool`.
    pub const NUMBER: Self = Self::of(role::NUMBER);
    /// `bytes32` of a Merkle proof, which the contract checks together with the numbers beside it.
    pub const PROOF: Self = Self::of(role::PROOF);
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
    /// `address`: a token or contract of the deployment, or a token that a lineage gives.
    pub const TOKEN: u8 = 2;
    /// `address`: a contract of the deployment, or one that a lineage gives.
    pub const MARKET: u8 = 3;
    /// An integer or `bytesN` that stands in the calldata or the reply of a read of this job that has the account in its
    /// calldata; or `bool`.
    pub const NUMBER: u8 = 4;
    /// `bytes` or `string`.
    pub const BYTES: u8 = 5;
    /// Always the same value.
    pub const CONSTANT: u8 = 6;
    /// A tuple.
    pub const TUPLE: u8 = 7;
    /// An array.
    pub const ARRAY: u8 = 8;
    /// `bytes32` of a Merkle proof, which the contract checks together with the numbers beside it.
    pub const PROOF: u8 = 9;
}
