//! What a log of a transaction means.

use alloy::primitives::{Address, B256, U256};
use minicbor::{Decode, Encode};

use crate::primitive;

/// What a log of a transaction means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Event {
    /// Place in [`Transaction::logs`](super::Transaction::logs), from 0.
    #[n(0)]
    pub log: u32,
    /// The type of the event, for example `SWAP`.
    #[n(1)]
    pub kind: String,
    /// Slug of the plugin's protocol that the emitting contract is known to belong to; absent where it is not known.
    #[n(2)]
    pub protocol: Option<String>,
    /// The metadata; what is not known is absent.
    #[n(3)]
    pub members: Vec<Member>,
}

/// A member of an event's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Member {
    /// Name, for example `fromToken`.
    #[n(0)]
    pub name: String,
    /// Value.
    #[n(1)]
    pub value: Value,
}

/// A value of an event's metadata; exactly one field is there. A host leaves out what it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Value {
    /// An account or a contract.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub address: Option<Address>,
    /// A token; zero is the native token.
    #[cbor(n(2), with = "primitive", has_nil)]
    pub token: Option<Address>,
    /// An amount of a token.
    #[n(3)]
    pub amount: Option<Amount>,
    /// Several tokens and amounts.
    #[n(4)]
    pub assets: Option<Vec<Asset>>,
    /// An integer that is no amount.
    #[cbor(n(5), with = "primitive", has_nil)]
    pub number: Option<U256>,
    /// 32 bytes: a hash.
    #[cbor(n(6), with = "primitive", has_nil)]
    pub word: Option<B256>,
    /// Yes or no.
    #[n(7)]
    pub flag: Option<bool>,
    /// Words of a contract or of its users.
    #[n(8)]
    pub text: Option<String>,
    /// Unix seconds.
    #[cbor(n(9), with = "primitive", has_nil)]
    pub seconds: Option<U256>,
    /// EIP-155 chain id of another network.
    #[n(10)]
    pub network: Option<u64>,
}

/// An amount in an event's metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Amount {
    /// Smallest units.
    #[cbor(n(0), with = "primitive")]
    pub raw: U256,
    /// The token, zero is the native token; absent where it is not known which, or where units have no decimals.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub of: Option<Address>,
}

/// A token and an amount of it in an event's metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Asset {
    /// Token, zero is the native token; absent where it is not known.
    #[cbor(n(0), with = "primitive", has_nil)]
    pub token: Option<Address>,
    /// Smallest units.
    #[cbor(n(1), with = "primitive")]
    pub raw: U256,
}
