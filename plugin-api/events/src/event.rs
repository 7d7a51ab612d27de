//! What a log is told as.

use alloy::primitives::{Address, B256, U256};

use crate::kind::Kind;

/// A log in words. Amounts are smallest units here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Place of the log in [`crate::Transaction::logs`].
    pub log: usize,
    /// What happened.
    pub kind: Kind,
    /// Slug of the protocol that the emitting contract is known to belong to.
    pub protocol: Option<String>,
    /// The metadata: each member once, with a value of its [`crate::class`]. One that cannot be told is absent.
    pub members: Vec<(&'static str, Value)>,
}

/// A member of the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An account or a contract.
    Address(Address),
    /// A token by its contract; zero is the native token.
    Token(Address),
    /// Smallest units of a token; `None` where it is not known which, or where units have no decimals.
    Amount {
        /// Smallest units.
        raw: U256,
        /// Token.
        of: Option<Address>,
    },
    /// Several of them.
    Assets(Vec<Asset>),
    /// An integer that is no amount: a token's or a proposal's number.
    Number(U256),
    /// 32 bytes: a pool's or a name's hash.
    Word(B256),
    /// Yes or no.
    Flag(bool),
    /// Words of a contract or of its users: any text.
    Text(String),
    /// Unix seconds.
    Seconds(U256),
    /// Another network, by EIP-155 chain id.
    Network(u64),
}

/// A token and an amount of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Token; zero is the native token, `None` is unknown.
    pub token: Option<Address>,
    /// Smallest units.
    pub raw: U256,
}
