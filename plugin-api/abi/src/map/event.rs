//! Meaning of a transaction's log.

use alloy::primitives::{Address, B256, U256};
use minicbor::{Decode, Encode};

use crate::primitive;

/// Decoded meaning of a transaction's log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Event {
    /// Index in [`Transaction::logs`](super::Transaction::logs).
    #[n(0)]
    pub log: u32,
    /// Event type, for example `SWAP`.
    #[n(1)]
    pub kind: String,
    /// Slug of the plugin's protocol that the emitting contract belongs to; absent if unknown.
    #[n(2)]
    pub protocol: Option<String>,
    /// Metadata; unknown members are absent.
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

/// A value of an event's metadata; exactly one field is set. A host skips kinds that it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Value {
    /// An account or a contract.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub address: Option<Address>,
    /// A token; the zero address is the native token.
    #[cbor(n(2), with = "primitive", has_nil)]
    pub token: Option<Address>,
    /// An amount of a token.
    #[n(3)]
    pub amount: Option<Amount>,
    /// Several tokens and amounts.
    #[n(4)]
    pub assets: Option<Vec<Asset>>,
    /// An integer that is not an amount.
    #[cbor(n(5), with = "primitive", has_nil)]
    pub number: Option<U256>,
    /// A 32-byte hash.
    #[cbor(n(6), with = "primitive", has_nil)]
    pub word: Option<B256>,
    /// A boolean.
    #[n(7)]
    pub flag: Option<bool>,
    /// Text from a contract or its users.
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
    /// Amount in smallest units.
    #[cbor(n(0), with = "primitive")]
    pub raw: U256,
    /// Token; the zero address is the native token. Absent if unknown or if the units have no decimals.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub of: Option<Address>,
}

/// A token and an amount of it in an event's metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Asset {
    /// Token; the zero address is the native token. Absent if unknown.
    #[cbor(n(0), with = "primitive", has_nil)]
    pub token: Option<Address>,
    /// Amount in smallest units.
    #[cbor(n(1), with = "primitive")]
    pub raw: U256,
}
