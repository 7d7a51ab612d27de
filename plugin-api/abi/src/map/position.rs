//! What an account holds in a protocol: one position with its legs, whatever kind of market it is in.
//!
//! Invariant: what is absent is not known, and is never shown as zero.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use crate::primitive;

/// What an account holds in one market of a protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Position {
    /// What kind of market it is in.
    #[n(0)]
    pub kind: PositionKind,
    /// The deployment's market.
    #[n(1)]
    pub market: String,
    /// The contract that holds it.
    #[cbor(n(2), with = "primitive")]
    pub contract: Address,
    /// A text in which `{0x…}` stands for the symbol of the token at that address.
    #[n(3)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`: the answer's `vaultType` or `type`.
    #[n(4)]
    pub mechanism: String,
    /// The amounts that it consists of. The host leaves out those of zero, and a position without any.
    #[n(5)]
    pub legs: Vec<Leg>,
    /// What it earns beside the rates of its legs.
    #[n(6)]
    pub rewards: Vec<Reward>,
    /// Which of the contract's pools or positions it is, where it has several: it distinguishes findings of one
    /// contract, and stands in the answer's `id`.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub number: Option<U256>,
    /// The NFT that stands for it.
    #[n(8)]
    pub nft: Option<Nft>,
    /// When what is locked can be withdrawn.
    #[n(9)]
    pub lock: Option<Lock>,
    /// How what is vesting becomes free.
    #[n(10)]
    pub vesting: Option<Vesting>,
    /// The prices between which concentrated liquidity is in use.
    #[n(11)]
    pub range: Option<PriceRange>,
    /// How far a debt is from its liquidation; absent without debt.
    #[n(12)]
    pub health: Option<Health>,
}

/// The kind of a position. A number that is none of these constants is a kind of a later revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct PositionKind(pub u8);

impl PositionKind {
    /// Lent, without a debt against it. Answers [`crate::Question::LENDING`].
    pub const LENT: Self = Self(1);
    /// With a debt, and what secures it. Answers [`crate::Question::LENDING`].
    pub const BORROWED: Self = Self(2);
    /// Staked for rewards, and free to withdraw. Answers [`crate::Question::FARMING`].
    pub const STAKED: Self = Self(3);
    /// A share of a pool's reserves. Answers [`crate::Question::POOLING`].
    pub const POOLED: Self = Self(4);
    /// Locked until a time. Answers [`crate::Question::LOCKED`].
    pub const LOCKED: Self = Self(5);
    /// Given to the account over time. Answers [`crate::Question::LOCKED`].
    pub const VESTING: Self = Self(6);
}

/// An amount of one asset that a position consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Leg {
    /// The part that it has in the position.
    #[n(0)]
    pub role: LegRole,
    /// The asset.
    #[cbor(n(1), with = "primitive")]
    pub token: Address,
    /// Smallest units of the asset, or shares of it where [`Leg::redeems_to`] says what they come to.
    #[cbor(n(2), with = "primitive")]
    pub amount: U256,
    /// What the amount redeems to; absent where it is the asset itself.
    #[n(3)]
    pub redeems_to: Option<Vec<Part>>,
    /// What it earns or costs a year as a fraction, not compounded, times 10^27 (a ray); absent where it is not known.
    #[cbor(n(4), with = "primitive", has_nil)]
    pub rate_ray: Option<U256>,
    /// Whether it secures the position's debts; absent where that is not known, or where there can be none.
    #[n(5)]
    pub is_collateral: Option<bool>,
    /// What all accounts together have in it, in the same units: what shares the rewards. Absent where it is not known.
    #[cbor(n(6), with = "primitive", has_nil)]
    pub total: Option<U256>,
    /// The token that counts it: a receipt, a debt token. Absent where the position's contract counts it.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub receipt: Option<Address>,
    /// A name of its own, as [`Position::name`]; absent where the position's says enough.
    #[n(8)]
    pub name: Option<String>,
}

/// The part of a leg in its position. A number that is none of these constants is a role of a later revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct LegRole(pub u8);

impl LegRole {
    /// Lent, or given as collateral.
    pub const SUPPLIED: Self = Self(1);
    /// Owed by the account, with its interest.
    pub const BORROWED: Self = Self(2);
    /// Staked.
    pub const STAKED: Self = Self(3);
    /// In a pool's reserves.
    pub const POOLED: Self = Self(4);
    /// Locked.
    pub const LOCKED: Self = Self(5);
    /// Not yet free.
    pub const VESTING: Self = Self(6);
    /// Owed to the account as a reward, and paid by a claimable, which alone counts it in sums.
    pub const REWARD_OWED: Self = Self(7);
    /// Owed to the account as its share of fees, and paid by a claimable, which alone counts it in sums.
    pub const FEE_OWED: Self = Self(8);
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

/// What a position earns in one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Reward {
    /// The token that is paid.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Smallest units a second, at this block, to all that share [`Leg::total`]; absent where it is not known.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub per_second: Option<U256>,
    /// Smallest units a second to this position alone, where shares are weighted; absent where it is not known.
    #[cbor(n(2), with = "primitive", has_nil)]
    pub own_per_second: Option<U256>,
    /// What both rates are divided by, so that they are exact where a share is no whole number of smallest units; absent
    /// for 1.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub divisor: Option<U256>,
}

/// A token of an NFT collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Nft {
    /// The collection's contract.
    #[cbor(n(0), with = "primitive")]
    pub collection: Address,
    /// Number in the collection.
    #[cbor(n(1), with = "primitive")]
    pub token_id: U256,
}

/// When something locked can be withdrawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Lock {
    /// Unix seconds; absent where it is not known, or where the lock has no end.
    #[n(0)]
    pub unlocks_at: Option<u64>,
    /// Whether the lock goes on until its owner ends it.
    #[n(1)]
    pub is_permanent: Option<bool>,
}

/// How something becomes free over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Vesting {
    /// Unix seconds.
    #[n(0)]
    pub start: Option<u64>,
    /// Unix seconds before which nothing is free.
    #[n(1)]
    pub cliff: Option<u64>,
    /// Unix seconds from which all is free.
    #[n(2)]
    pub end: Option<u64>,
    /// Smallest units of the first leg's token that are free now and not yet withdrawn.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub releasable: Option<U256>,
}

/// The prices between which concentrated liquidity is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct PriceRange {
    /// Below it, only one of the two assets is left.
    #[n(0)]
    pub lower: Price,
    /// Above it, only the other one is.
    #[n(1)]
    pub upper: Price,
    /// Whether the pool's price is between them now; absent where it is not known.
    #[n(2)]
    pub is_in_range: Option<bool>,
}

/// A price of one asset in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Price {
    /// The asset that is priced.
    #[cbor(n(0), with = "primitive")]
    pub base: Address,
    /// The asset that it is priced in; absent for dollars as the protocol counts them, which have 18 decimals here.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub quote: Option<Address>,
    /// Smallest units of the quote for one smallest unit of the base, times 2^128.
    #[cbor(n(2), with = "primitive")]
    pub x128: U256,
    /// What `x128` leaves of it, times 2^192: the digits of a price that is almost zero. Absent for nothing.
    #[n(3)]
    pub rest_x192: Option<u64>,
}

/// How far a debt is from its liquidation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Health {
    /// Times 10^18; below 10^18 it can be liquidated. Absent where it is not known.
    #[cbor(n(0), with = "primitive", has_nil)]
    pub factor_wad: Option<U256>,
    /// The price at which it can be liquidated; absent where one price does not decide that.
    #[n(1)]
    pub liquidation_price: Option<Price>,
}

impl Position {
    /// A position of a contract in a deployment's market, without a name, a mechanism and legs.
    pub fn new(kind: PositionKind, market: &str, contract: Address) -> Self {
        Self { kind, market: market.to_owned(), contract, ..Self::default() }
    }

    /// With this name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With this mechanism.
    #[must_use]
    pub fn of(self, mechanism: &str) -> Self {
        Self { mechanism: mechanism.to_owned(), ..self }
    }

    /// With one leg more.
    #[must_use]
    pub fn leg(mut self, leg: Leg) -> Self {
        self.legs.push(leg);
        self
    }

    /// With these legs more.
    #[must_use]
    pub fn legs(mut self, legs: impl IntoIterator<Item = Leg>) -> Self {
        self.legs.extend(legs);
        self
    }

    /// With one reward more.
    #[must_use]
    pub fn reward(mut self, reward: Reward) -> Self {
        self.rewards.push(reward);
        self
    }

    /// With the number of the contract's pool or position.
    #[must_use]
    pub fn numbered(self, number: U256) -> Self {
        Self { number: Some(number), ..self }
    }
}

impl Leg {
    /// So much of an asset.
    pub fn new(role: LegRole, token: Address, amount: U256) -> Self {
        Self { role, token, amount, ..Self::default() }
    }

    /// Shares that redeem to an amount of the same asset.
    #[must_use]
    pub fn redeeming(self, underlying: U256) -> Self {
        Self { redeems_to: Some(vec![Part { token: self.token, amount: underlying }]), ..self }
    }

    /// With what all accounts together have in it.
    #[must_use]
    pub fn of_total(self, total: U256) -> Self {
        Self { total: Some(total), ..self }
    }

    /// With what it earns or costs a year, as a fraction times 10^27.
    #[must_use]
    pub fn rate_ray(self, rate_ray: U256) -> Self {
        Self { rate_ray: Some(rate_ray), ..self }
    }

    /// Counted by this token.
    #[must_use]
    pub fn receipt(self, receipt: Address) -> Self {
        Self { receipt: Some(receipt), ..self }
    }

    /// With a name of its own.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

impl Reward {
    /// A reward that is paid at a rate, or at one that is not known.
    pub fn new(token: Address, per_second: impl Into<Option<U256>>) -> Self {
        Self { token, per_second: per_second.into(), ..Self::default() }
    }

    /// The share of a pool that has so many of all points, of what is paid to all pools in a second. It is not known where
    /// the points are more than all of them, or none.
    pub fn share(token: Address, per_second: impl Into<Option<U256>>, points: U256, all_points: U256) -> Self {
        let per_second = per_second.into().filter(|_| points <= all_points && !all_points.is_zero());
        match per_second.and_then(|rate| rate.checked_mul(points)) {
            Some(rate) if (rate % all_points).is_zero() => Self::new(token, rate / all_points),
            Some(rate) => Self { divisor: Some(all_points), ..Self::new(token, rate) },
            None => Self::new(token, None),
        }
    }
}
