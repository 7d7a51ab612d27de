//! What a job found: claimables, positions, compositions and events.

use minicbor::{Decode, Encode};

use super::{Address, Event, Word};

/// One thing found; exactly one field is there. A host skips what it does not know, and says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Finding {
    /// Answers [`crate::question::CLAIMABLES`].
    #[n(1)]
    pub claimable: Option<Claimable>,
    /// Answers [`crate::question::FARMING`].
    #[n(2)]
    pub farming: Option<FarmingPosition>,
    /// Answers [`crate::question::LENDING`].
    #[n(3)]
    pub lending: Option<LendingPosition>,
    /// Answers [`crate::question::COMPOSITION`].
    #[n(4)]
    pub composition: Option<Composition>,
    /// Answers [`crate::question::EVENTS`].
    #[n(5)]
    pub event: Option<Event>,
}

/// Something that the account can claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claimable {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that owes it.
    #[n(1)]
    pub contract: Address,
    /// A text in which `{0x…}` stands for that token's symbol.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`.
    #[n(3)]
    pub mechanism: String,
    /// The token that is claimed.
    #[n(4)]
    pub token: Address,
    /// Smallest units.
    #[n(5)]
    pub amount: Word,
    /// How it is claimed.
    #[n(6)]
    pub claim: Claim,
    /// Which of the contract's pools or positions owes it, where it has several.
    #[n(7)]
    pub number: Option<Word>,
}

/// A claim, before the host has checked and encoded it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claim {
    /// Index into [`Catalogue::claims`](super::Catalogue::claims).
    #[n(0)]
    pub template: u32,
    /// Target.
    #[n(1)]
    pub to: Address,
    /// The arguments' ABI encoding, without the selector.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub arguments: Vec<u8>,
    /// Native value in wei; the host refuses anything but zero.
    #[n(3)]
    pub value: Option<Word>,
}

/// Something that the account has staked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct FarmingPosition {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that holds it.
    #[n(1)]
    pub contract: Address,
    /// A text in which `{0x…}` stands for that token's symbol.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`.
    #[n(3)]
    pub mechanism: String,
    /// The token that is staked.
    #[n(4)]
    pub staked_token: Address,
    /// Smallest units: what is staked, or the shares of it.
    #[n(5)]
    pub amount: Word,
    /// Smallest units of the staked token: what that redeems to.
    #[n(6)]
    pub underlying_amount: Word,
    /// What it earns.
    #[n(7)]
    pub rewards: Vec<Reward>,
    /// Smallest units of the staked token that share the rewards; absent where it cannot be told.
    #[n(8)]
    pub total_stake: Option<Word>,
    /// Which of the contract's pools or positions it is in, where it has several.
    #[n(9)]
    pub number: Option<Word>,
}

/// What a market pays to all its stakers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Reward {
    /// Token.
    #[n(0)]
    pub token: Address,
    /// Smallest units a second, at this block; absent where it cannot be told.
    #[n(1)]
    pub per_second: Option<Word>,
}

/// Something that the account has lent or borrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct LendingPosition {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that holds it.
    #[n(1)]
    pub contract: Address,
    /// A text in which `{0x…}` stands for that token's symbol.
    #[n(2)]
    pub name: String,
    /// The token that is lent or borrowed.
    #[n(3)]
    pub token: Address,
    /// Smallest units of the token.
    #[n(4)]
    pub amount: Word,
    /// A fraction a year, not compounded, times 10^27.
    #[n(5)]
    pub rate_ray: Word,
    /// One of [`side`].
    #[n(6)]
    pub side: u8,
    /// Times 10^18; below 10^18 the account can be liquidated. Absent without debt.
    #[n(7)]
    pub health_factor_wad: Option<Word>,
}

/// The sides of a [`LendingPosition`].
pub mod side {
    /// Lent.
    pub const SUPPLY: u8 = 0;
    /// Borrowed.
    pub const BORROW: u8 = 1;
}

/// What shares of a protocol redeem to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Composition {
    /// The token of the shares: one of [`Start::tokens`](super::Start::tokens).
    #[n(0)]
    pub token: Address,
    /// Its family in upper case, for example `SHARE` or `BALANCER`.
    #[n(1)]
    pub kind: String,
    /// Smallest units of the token that the parts stand for; more than zero.
    #[n(2)]
    pub supply: Word,
    /// What so many shares redeem to, all together.
    #[n(3)]
    pub parts: Vec<Part>,
}

/// One token that shares redeem to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Part {
    /// Token.
    #[n(0)]
    pub token: Address,
    /// Smallest units of it.
    #[n(1)]
    pub amount: Word,
}
