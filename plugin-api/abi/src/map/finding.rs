//! What a job found: claimables, positions, compositions and events.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use super::Event;
use crate::primitive;

/// One thing found; exactly one field is there. A host skips what it does not know, and says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Finding {
    /// Answers [`crate::Question::CLAIMABLES`].
    #[n(1)]
    pub claimable: Option<Claimable>,
    /// Answers [`crate::Question::FARMING`].
    #[n(2)]
    pub farming: Option<FarmingPosition>,
    /// Answers [`crate::Question::LENDING`].
    #[n(3)]
    pub lending: Option<LendingPosition>,
    /// Answers [`crate::Question::COMPOSITION`].
    #[n(4)]
    pub composition: Option<Composition>,
    /// Answers [`crate::Question::EVENTS`].
    #[n(5)]
    pub event: Option<Event>,
}

impl From<Claimable> for Finding {
    fn from(found: Claimable) -> Self {
        Self { claimable: Some(found), ..Self::default() }
    }
}

impl From<FarmingPosition> for Finding {
    fn from(found: FarmingPosition) -> Self {
        Self { farming: Some(found), ..Self::default() }
    }
}

impl From<LendingPosition> for Finding {
    fn from(found: LendingPosition) -> Self {
        Self { lending: Some(found), ..Self::default() }
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

/// Something that the account can claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claimable {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that owes it.
    #[cbor(n(1), with = "primitive")]
    pub contract: Address,
    /// A text in which `{0x…}` stands for the symbol of the token at that address.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`: the answer's `type`.
    #[n(3)]
    pub mechanism: String,
    /// The token that is claimed.
    #[cbor(n(4), with = "primitive")]
    pub token: Address,
    /// Smallest units of the token. The host leaves zeros out.
    #[cbor(n(5), with = "primitive")]
    pub amount: U256,
    /// The call that claims it.
    #[n(6)]
    pub claim: Claim,
    /// Which of the contract's pools or positions owes it, where it has several: it distinguishes findings of one
    /// contract and token, and stands in the answer's `id`.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub number: Option<U256>,
}

/// A call that claims. The host checks it against its [`ClaimTemplate`](super::ClaimTemplate) and encodes it anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claim {
    /// Index into [`Catalogue::claims`](super::Catalogue::claims); an index that no template has is refused.
    #[n(0)]
    pub template: u32,
    /// The target: a contract of the catalogue, or one that this job read from such a contract.
    #[cbor(n(1), with = "primitive")]
    pub to: Address,
    /// The arguments' ABI encoding, without the selector.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub arguments: Vec<u8>,
    /// Native value in wei; the host refuses anything but zero.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub value: Option<U256>,
}

/// Something that the account has staked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct FarmingPosition {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that holds it.
    #[cbor(n(1), with = "primitive")]
    pub contract: Address,
    /// A text in which `{0x…}` stands for the symbol of the token at that address.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`: the answer's `vaultType`.
    #[n(3)]
    pub mechanism: String,
    /// The token that is staked.
    #[cbor(n(4), with = "primitive")]
    pub staked_token: Address,
    /// Smallest units: what is staked, or the shares of it. The host leaves zeros out.
    #[cbor(n(5), with = "primitive")]
    pub amount: U256,
    /// Smallest units of the staked token: what that redeems to.
    #[cbor(n(6), with = "primitive")]
    pub underlying_amount: U256,
    /// What it earns.
    #[n(7)]
    pub rewards: Vec<Reward>,
    /// Smallest units of the staked token that share the rewards, for the APR; absent where it is not known.
    #[cbor(n(8), with = "primitive", has_nil)]
    pub total_stake: Option<U256>,
    /// Which of the contract's pools or positions it is in, see [`Claimable::number`].
    #[cbor(n(9), with = "primitive", has_nil)]
    pub number: Option<U256>,
}

/// What a market pays to all its stakers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Reward {
    /// The token that is paid.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Smallest units a second, at this block; absent where it is not known.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub per_second: Option<U256>,
}

/// Something that the account has lent or borrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct LendingPosition {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that holds it.
    #[cbor(n(1), with = "primitive")]
    pub contract: Address,
    /// A text in which `{0x…}` stands for the symbol of the token at that address.
    #[n(2)]
    pub name: String,
    /// The token that is lent or borrowed.
    #[cbor(n(3), with = "primitive")]
    pub token: Address,
    /// Smallest units of the token. The host leaves zeros out.
    #[cbor(n(4), with = "primitive")]
    pub amount: U256,
    /// A fraction a year, not compounded, times 10^27 (a ray).
    #[cbor(n(5), with = "primitive")]
    pub rate_ray: U256,
    /// Lent or borrowed.
    #[n(6)]
    pub side: Side,
    /// Times 10^18; below 10^18 the account can be liquidated. Absent without debt.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub health_factor_wad: Option<U256>,
}

/// Whether a position is lent or borrowed. A number that is none of these constants is a side of a later revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct Side(pub u8);

impl Side {
    /// Lent.
    pub const SUPPLY: Self = Self(0);
    /// Borrowed: shown with `detail=full` only.
    pub const BORROW: Self = Self(1);
}

/// What shares of a protocol redeem to.
///
/// A price of the shares comes from it: report what can really be had for them at this block, and nothing that a swap
/// in the same block can move.
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

/// One token that shares redeem to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Part {
    /// Token.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Smallest units of it.
    #[cbor(n(1), with = "primitive")]
    pub amount: U256,
}
