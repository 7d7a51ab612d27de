//! One finding of a job, and the composition of shares.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use super::{Claimable, Event, Part, Position};
use crate::primitive;

/// One finding; exactly one field is set. A host skips kinds that it does not know, and reports that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Finding {
    /// Answers [`crate::Question::CLAIMABLES`].
    #[n(1)]
    pub claimable: Option<Claimable>,
    /// Answers [`crate::Question::FARMING`], [`crate::Question::LENDING`], [`crate::Question::POOLING`] and
    /// [`crate::Question::LOCKED`].
    #[n(2)]
    pub position: Option<Position>,
    /// Answers [`crate::Question::COMPOSITION`].
    #[n(3)]
    pub composition: Option<Composition>,
    /// Answers [`crate::Question::EVENTS`].
    #[n(4)]
    pub event: Option<Event>,
}

impl From<Claimable> for Finding {
    fn from(found: Claimable) -> Self {
        Self { claimable: Some(found), ..Self::default() }
    }
}

impl From<Position> for Finding {
    fn from(found: Position) -> Self {
        Self { position: Some(found), ..Self::default() }
    }
}

impl From<Composition> for Finding {
    fn from(found: Composition) -> Self {
        Self { composition: Some(found), ..Self::default() }
    }
}

impl From<Event> for Finding {
    fn from(found: Event) -> Self {
        Self { event: Some(found), ..Self::default() }
    }
}

/// Tokens that shares of a protocol redeem to.
///
/// The host prices the shares with it: report the amounts that redeeming pays at this block. For a pool, that is a
/// proportional withdrawal, although a swap at the end of the block moves single balances.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Composition, Part};
/// # let (pair, first, second) = (Address::ZERO, Address::ZERO, Address::ZERO);
/// # let (supply, reserves) = (U256::from(10), (U256::from(20), U256::from(30)));
/// let parts = vec![Part { token: first, amount: reserves.0 }, Part { token: second, amount: reserves.1 }];
/// let composition = Composition { token: pair, kind: "UNISWAPV2".to_owned(), supply, parts };
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Composition {
    /// Share token: one of [`Start::tokens`](super::Start::tokens).
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Family in upper case, for example `SHARE` or `BALANCER`: the token `type` in the answer.
    #[n(1)]
    pub kind: String,
    /// Amount of shares that the parts stand for, in smallest units; above zero, as an unissued share redeems to
    /// nothing.
    #[cbor(n(2), with = "primitive")]
    pub supply: U256,
    /// Tokens that this amount of shares redeems to; at most sixteen, each once.
    #[n(3)]
    pub parts: Vec<Part>,
}
