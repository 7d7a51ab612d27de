//! Decoded events.

use alloy::primitives::{Address, B256, U256};
pub use portolan_abi::map::Asset;

use crate::kind::Kind;

/// A decoded log. Amounts are in smallest units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Index of the log in [`crate::Transaction::logs`].
    pub log: usize,
    /// Type of the event.
    pub kind: Kind,
    /// Slug of the protocol that the emitting contract belongs to, if known.
    pub protocol: Option<String>,
    /// Metadata: each member once, with a value of its [`crate::Class`]. Unknown members are absent.
    pub members: Vec<(&'static str, Value)>,
}

impl Event {
    /// Returns the value of a member, if known.
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.members.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the address in a member.
    pub fn address(&self, name: &str) -> Option<Address> {
        if let Value::Address(address) = self.member(name)? { Some(*address) } else { None }
    }

    /// Returns the amount and token in a member, in smallest units.
    pub fn asset(&self, name: &str) -> Option<Asset> {
        if let Value::Amount { raw, of } = self.member(name)? { Some(Asset { token: *of, raw: *raw }) } else { None }
    }
}

/// A member of the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An account or a contract.
    Address(Address),
    /// Token contract; the zero address is the native token.
    Token(Address),
    /// An amount of a token.
    Amount {
        /// Smallest units.
        raw: U256,
        /// Token; `None` if unknown or if the amount has no token.
        of: Option<Address>,
    },
    /// Amounts of several tokens.
    Assets(Vec<Asset>),
    /// An integer that is not an amount, such as a token id or proposal number.
    Number(U256),
    /// 32 bytes, such as the hash of a pool or a name.
    Word(B256),
    /// A boolean.
    Flag(bool),
    /// Text from a contract or its users.
    Text(String),
    /// Unix seconds.
    Seconds(U256),
    /// Another network, by EIP-155 chain id.
    Network(u64),
}
