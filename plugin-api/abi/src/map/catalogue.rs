//! The catalogue of an instance: protocols, deployments and claim templates.

use alloy::primitives::{Address, B256};
use alloy::sol_types::{SolCall, SolValue};
use minicbor::{Decode, Encode};

use crate::{Question, primitive};

/// A protocol, named by its slug.
///
/// ```
/// use portolan_abi::map::Protocol;
///
/// let protocol = Protocol::new("acme_v2", "ACME_V2", "https://acme.example", &["FARMING"]);
/// assert_eq!((protocol.company.name.as_str(), protocol.company.slug.as_str()), ("Acme V2", "acme-v2"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Protocol {
    /// Lower-case identifier: `{protocol}` of the HTTP paths.
    #[n(0)]
    pub slug: String,
    /// Upper-case name.
    #[n(1)]
    pub name: String,
    /// URL.
    #[n(2)]
    pub website: String,
    /// URL; if absent, the host derives one from the slug.
    #[n(3)]
    pub logo: Option<String>,
    /// What it does: upper-case words such as `LENDING`, `BORROWING`, `POOLING`, `FARMING`, `STREAM`.
    #[n(4)]
    pub primitives: Vec<String>,
    /// Company that runs it.
    #[n(5)]
    pub company: Company,
}

impl Protocol {
    /// Creates a protocol without a logo, run by a company of the same name: for `new("acme_v2", "ACME", …)`, Acme V2.
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

    /// Sets another company.
    #[must_use]
    pub fn company(self, company: Company) -> Self {
        Self { company, ..self }
    }

    /// Sets the URL of the logo.
    #[must_use]
    pub fn logo(self, url: &str) -> Self {
        Self { logo: Some(url.to_owned()), ..self }
    }
}

/// Company that runs a protocol.
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
    /// Creates a company whose slug is its name in lower case, with hyphens for spaces.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), slug: name.to_lowercase().replace(' ', "-") }
    }
}

/// Protocols, deployments and claims that an instance serves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Catalogue {
    /// Every protocol that a deployment names.
    #[n(0)]
    pub protocols: Vec<Protocol>,
    /// Contracts of the protocols.
    #[n(1)]
    pub deployments: Vec<Deployment>,
    /// Claim templates; claims name them by index.
    #[n(2)]
    pub claims: Vec<ClaimTemplate>,
    /// First topics of the events that the plugin decodes; it gets only transactions that have one of them.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub event_topics: Option<Vec<B256>>,
    /// Hosts of its off-chain reads, in the form of [`crate::off_chain::check_host`].
    #[n(4)]
    pub hosts: Option<Vec<String>>,
    /// Views that return further addresses that claims may call or name, beyond the contracts and tokens of
    /// deployments.
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
    /// Name that distinguishes several deployments of one protocol on one network; `main` if there is one.
    #[n(2)]
    pub market: String,
    /// Questions that it answers.
    #[n(3)]
    pub questions: Vec<Question>,
    /// Contracts that claims may call and name, and that a [`Lineage`] may start from.
    #[cbor(n(4), with = "primitive")]
    pub contracts: Vec<Address>,
    /// Tokens that claims may name.
    #[cbor(n(5), with = "primitive", has_nil)]
    pub tokens: Option<Vec<Address>>,
}

/// A view that returns addresses that claims may call or name: the markets of a factory, the reward tokens of a gauge.
/// The host reads it itself, at the answer's block.
///
/// ```
/// # use alloy::sol_types::sol;
/// # use portolan_abi::map::Lineage;
/// sol! {
/// #   #![sol(alloy_sol_types = alloy::sol_types)]
///     function gauges(address pool) external view returns (address);
///     function rewardTokens() external view returns (address[]);
/// }
/// // Gauges of the catalogue's voter may be claimed from; claims may name the tokens that these gauges pay.
/// let lineages = vec![Lineage::targets::<gaugesCall>(), Lineage::tokens::<rewardTokensCall>().list().of_given()];
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Lineage {
    /// Solidity signature of the view, for example `gauges(address)`.
    #[n(0)]
    pub view: String,
    /// Use of the addresses in claims: one of [`lineage`].
    #[n(1)]
    pub gives: u8,
    /// Index of the reply's word that has the address, or the offset of the list of addresses.
    #[n(2)]
    pub word: u32,
    /// Words per list member, if that word is the offset of a list; absent if it is the address.
    #[n(3)]
    pub stride: Option<u32>,
    /// Index of the address among the words of a list member; 0 if absent.
    #[n(4)]
    pub member_word: Option<u32>,
    /// True if it may also be a view of targets and markets that other lineages returned, beside the catalogue's
    /// contracts.
    #[n(5)]
    pub of_given: Option<bool>,
    /// Index of the address among the argument words, if the reply's word only says that the contract knows it
    /// (nonzero). Absent if the reply has the address.
    #[n(6)]
    pub argument: Option<u32>,
}

/// Uses of a [`Lineage`]'s addresses in claims.
pub mod lineage {
    /// Claims may call them.
    pub const TARGET: u8 = 1;
    /// Tokens that claims may name.
    pub const TOKEN: u8 = 2;
    /// Contracts that claims may name.
    pub const MARKET: u8 = 3;
}

impl Lineage {
    /// A view whose first returned address is a contract that claims may call.
    pub fn targets<C: SolCall>() -> Self {
        Self::of::<C>(lineage::TARGET)
    }

    /// A view whose first returned address is a token that claims may name.
    pub fn tokens<C: SolCall>() -> Self {
        Self::of::<C>(lineage::TOKEN)
    }

    /// A view whose first returned address is a contract that claims may name.
    pub fn markets<C: SolCall>() -> Self {
        Self::of::<C>(lineage::MARKET)
    }

    fn of<C: SolCall>(gives: u8) -> Self {
        Self { view: C::SIGNATURE.to_owned(), gives, ..Self::default() }
    }

    /// Takes another word of the reply, counted from 0.
    #[must_use]
    pub fn at(self, word: u32) -> Self {
        Self { word, ..self }
    }

    /// Reads the word as a list of addresses.
    #[must_use]
    pub fn list(self) -> Self {
        Self { stride: Some(1), ..self }
    }

    /// Reads the word as a list of static structs of this many words, with the address at this place.
    #[must_use]
    pub fn list_of(self, words: u32, place: u32) -> Self {
        Self { stride: Some(words), member_word: Some(place), ..self }
    }

    /// Takes the address from this argument word, counted from 0; the reply only says that the contract knows it, as
    /// that of `isPoolFromFactory(address)` does.
    #[must_use]
    pub fn argument(self, place: u32) -> Self {
        Self { argument: Some(place), ..self }
    }

    /// Also allows contracts that other lineages returned.
    #[must_use]
    pub fn of_given(self) -> Self {
        Self { of_given: Some(true), ..self }
    }
}

/// A claim function, with the allowed values of its arguments.
///
/// ```
/// # use alloy::sol_types::sol;
/// # use portolan_abi::map::{ClaimTemplate, Role};
/// sol! {
/// #   #![sol(alloy_sol_types = alloy::sol_types)]
///     function getReward(address account) external;
///     function claimMany(uint256[] ids) external;
/// }
/// let claims = vec![
///     ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT]).by_anyone(),
///     // One call for several: the list of ids grows.
///     ClaimTemplate::new::<claimManyCall>([Role::array(Role::NUMBER)]).merging([0]),
/// ];
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct ClaimTemplate {
    /// Solidity signature, for example `getReward()` or `deposit(uint256,uint256)`.
    #[n(0)]
    pub signature: String,
    /// One role per argument.
    #[n(1)]
    pub roles: Vec<Role>,
    /// One of [`caller`].
    #[n(2)]
    pub caller: u8,
    /// View of the claim's target that returns the fee due with the claim, in wei; absent if there is no fee.
    #[n(3)]
    pub fee: Option<String>,
    /// True if the target is itself a token that the claim pays or names.
    #[n(4)]
    pub is_token: Option<bool>,
    /// Indices of the list arguments that grow if one call claims for several; absent if a call claims for one.
    #[n(5)]
    pub merges: Option<Vec<u32>>,
    /// Indices of the claim's arguments that the fee view takes, in its order; absent if it takes none.
    #[n(6)]
    pub fee_arguments: Option<Vec<u32>>,
}

impl ClaimTemplate {
    /// A function of a typed `sol!` call, with one role per argument, that only the account may send.
    pub fn new<C: SolCall>(roles: impl IntoIterator<Item = Role>) -> Self {
        Self { signature: C::SIGNATURE.to_owned(), roles: roles.into_iter().collect(), ..Self::default() }
    }

    /// Adds a fee, which this view of the claim's target returns in wei.
    #[must_use]
    pub fn with_fee<V: SolCall>(self) -> Self {
        Self { fee: Some(V::SIGNATURE.to_owned()), ..self }
    }

    /// Adds a fee, which this view of the claim's target returns in wei for these arguments of the claim, counted from
    /// 0: `with_fee_of::<calculateMinFeeWeiCall>([0])` for `withdrawMax(uint256 streamId, address to)`.
    #[must_use]
    pub fn with_fee_of<V: SolCall>(self, arguments: impl IntoIterator<Item = u32>) -> Self {
        Self { fee_arguments: Some(arguments.into_iter().collect()), ..self.with_fee::<V>() }
    }

    /// Marks the target as a token that the claim pays or names.
    #[must_use]
    pub fn of_token(self) -> Self {
        Self { is_token: Some(true), ..self }
    }

    /// Lets one call claim for several: the lists in these arguments, counted from 0, have a member for each.
    #[must_use]
    pub fn merging(self, arguments: impl IntoIterator<Item = u32>) -> Self {
        Self { merges: Some(arguments.into_iter().collect()), ..self }
    }

    /// Lets anyone send it; the payment still goes to the account.
    #[must_use]
    pub fn by_anyone(self) -> Self {
        Self { caller: caller::ANYONE, ..self }
    }
}

/// Senders of a claim.
pub mod caller {
    /// Only the account itself.
    pub const ACCOUNT: u8 = 0;
    /// Anyone; the payment still goes to the account.
    pub const ANYONE: u8 = 1;
}

/// Allowed values of an argument of a claim.
///
/// ```
/// # use alloy::sol_types::sol;
/// # use portolan_abi::map::{ClaimTemplate, Role};
/// sol! {
/// #   #![sol(alloy_sol_types = alloy::sol_types)]
///     function claim(address account, address[] tokens, uint256 id, bool unwrap) external;
/// }
/// // The account, tokens of the deployment, a number that the contract gave, and always true.
/// let roles = [Role::ACCOUNT, Role::array(Role::TOKEN), Role::NUMBER, Role::constant(&true)];
/// let template = ClaimTemplate::new::<claimCall>(roles);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Role {
    /// One of [`role`].
    #[n(0)]
    pub kind: u8,
    /// For [`role::CONSTANT`]: ABI encoding of the argument.
    #[cbor(n(1), with = "minicbor::bytes")]
    pub constant: Option<Vec<u8>>,
    /// For [`role::TUPLE`], one per member; for [`role::ARRAY`], exactly one.
    #[n(2)]
    pub members: Option<Vec<Role>>,
}

impl Role {
    /// The account of the question.
    pub const ACCOUNT: Self = Self::of(role::ACCOUNT);
    /// A token or contract of the deployment, or a token that a [`Lineage`] returns.
    pub const TOKEN: Self = Self::of(role::TOKEN);
    /// A contract of the deployment, or one that a [`Lineage`] returns.
    pub const MARKET: Self = Self::of(role::MARKET);
    /// An integer or `bytesN` from a read of this job about the account, or with a number from one; or `bool`.
    pub const NUMBER: Self = Self::of(role::NUMBER);
    /// `bytes32` of a Merkle proof, which the contract verifies together with the numbers beside it.
    pub const PROOF: Self = Self::of(role::PROOF);
    /// `bytes` or `string`.
    pub const BYTES: Self = Self::of(role::BYTES);
    /// An address that a contract of the deployment holds for the account, for example the validator that it delegated
    /// to: in the reply to a read of this job that has the account as an argument.
    pub const DELEGATE: Self = Self::of(role::DELEGATE);

    const fn of(kind: u8) -> Self {
        Self { kind, constant: None, members: None }
    }

    /// A constant.
    pub fn constant<T: SolValue>(value: &T) -> Self {
        Self { constant: Some(value.abi_encode()), ..Self::of(role::CONSTANT) }
    }

    /// A tuple, by its members.
    pub fn tuple(members: impl IntoIterator<Item = Self>) -> Self {
        Self { members: Some(members.into_iter().collect()), ..Self::of(role::TUPLE) }
    }

    /// An array whose members have this role.
    pub fn array(member: Self) -> Self {
        Self { members: Some(vec![member]), ..Self::of(role::ARRAY) }
    }
}

/// The kinds of [`Role`].
pub mod role {
    /// `address`: the account of the question.
    pub const ACCOUNT: u8 = 1;
    /// `address`: a token or contract of the deployment, or a token that a lineage returns.
    pub const TOKEN: u8 = 2;
    /// `address`: a contract of the deployment, or one that a lineage returns.
    pub const MARKET: u8 = 3;
    /// `bool`, or an integer or `bytesN` found in the calldata or reply of a read of this job whose calldata has the
    /// account, in the only argument of one whose reply has the account, or in the reply to one with such a number.
    pub const NUMBER: u8 = 4;
    /// `bytes` or `string`.
    pub const BYTES: u8 = 5;
    /// A constant.
    pub const CONSTANT: u8 = 6;
    /// A tuple.
    pub const TUPLE: u8 = 7;
    /// An array.
    pub const ARRAY: u8 = 8;
    /// `bytes32` of a Merkle proof, which the contract verifies together with the numbers beside it.
    pub const PROOF: u8 = 9;
    /// `address` found in the reply to a read of this job whose calldata has the account, of a contract of the
    /// deployment or one that a lineage returns.
    pub const DELEGATE: u8 = 10;
}
