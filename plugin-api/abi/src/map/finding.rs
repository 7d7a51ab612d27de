//! One thing that a job found, and what shares of a protocol redeem to.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use super::{Claimable, Event, Part, Position};
use crate::primitive;

/// One thing found; exactly one field is there. A host skips what it does not know, and says so.
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

/// What shares of a protocol redeem to.
///
/// A price of the shares comes from it: report what can really be had for them at this block. Of a pool that is what
/// leaving it in proportion pays, though a swap that stands at the end of the block moves single balances.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Composition {
    /// The token of the shares: one of [`Start::tokens`](super::Start::tokens).
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Its family in upper case, for example `SHARE` or `BALANCER`: the answer's token `type`.
    #[n(1)]
    pub kind: String,
    /// Smallest units of the token that the parts stand for; more than zero, as shares that nobody holds redeem to
    /// nothing.
    #[cbor(n(2), with = "primitive")]
    pub supply: U256,
    /// What so many shares redeem to, all together; at most sixteen tokens, each once.
    #[n(3)]
    pub parts: Vec<Part>,
}
