//! Holdings of an account in a protocol: positions with their legs, for every kind of market.
//!
//! Invariant: an absent value is unknown and never shown as zero.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use crate::primitive;

/// Holding of an account in one market of a protocol.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Leg, LegRole, Lock, Position, PositionKind};
/// # let (escrow, token) = (Address::ZERO, Address::ZERO);
/// # let (amount, unlocks_at) = (U256::from(5), 1_800_000_000);
/// let position = Position::new(PositionKind::LOCKED, "main", escrow)
///     .named("Locked CRV")
///     .mechanism("voting-escrow")
///     .leg(Leg::new(LegRole::LOCKED, token, amount));
/// let position = Position { lock: Some(Lock { unlocks_at: Some(unlocks_at), ..Lock::default() }), ..position };
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Position {
    /// Kind of the position.
    #[n(0)]
    pub kind: PositionKind,
    /// Market of the deployment.
    #[n(1)]
    pub market: String,
    /// Contract that holds it.
    #[cbor(n(2), with = "primitive")]
    pub contract: Address,
    /// Display name; `{0x…}` stands for the symbol of the token at that address.
    #[n(3)]
    pub name: String,
    /// Mechanism, for example `staking-rewards`: `vaultType` or `type` in the answer.
    #[n(4)]
    pub mechanism: String,
    /// Amounts that it consists of. The host drops zero legs, and positions without any leg.
    #[n(5)]
    pub legs: Vec<Leg>,
    /// Rewards that it earns beside the rates of its legs.
    #[n(6)]
    pub rewards: Vec<Reward>,
    /// Number of the contract's pool or position, if there are several. Distinguishes findings of one contract, and is
    /// part of the answer's `id`.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub number: Option<U256>,
    /// NFT that represents it.
    #[n(8)]
    pub nft: Option<Nft>,
    /// When the locked amount can be withdrawn.
    #[n(9)]
    pub lock: Option<Lock>,
    /// Vesting schedule.
    #[n(10)]
    pub vesting: Option<Vesting>,
    /// Price range of concentrated liquidity.
    #[n(11)]
    pub range: Option<PriceRange>,
    /// Distance from liquidation; absent without debt.
    #[n(12)]
    pub health: Option<Health>,
}

/// Kind of a position. Unknown numbers belong to later revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct PositionKind(pub u8);

impl PositionKind {
    /// Lent, without a debt against it. Answers [`crate::Question::LENDING`].
    pub const LENT: Self = Self(1);
    /// A debt and its collateral. Answers [`crate::Question::LENDING`].
    pub const BORROWED: Self = Self(2);
    /// Staked for rewards and free to withdraw. Answers [`crate::Question::FARMING`].
    pub const STAKED: Self = Self(3);
    /// A share of a pool's reserves. Answers [`crate::Question::POOLING`].
    pub const POOLED: Self = Self(4);
    /// Locked until a time. Answers [`crate::Question::LOCKED`].
    pub const LOCKED: Self = Self(5);
    /// Vesting over time. Answers [`crate::Question::LOCKED`].
    pub const VESTING: Self = Self(6);
}

/// An amount of one asset that a position consists of.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Leg, LegRole};
/// # let (vault, receipt, ray) = (Address::ZERO, Address::ZERO, U256::from(10).pow(U256::from(27)));
/// // 100 shares, which redeem to 105 of the asset and earn 5 % a year.
/// let leg = Leg::new(LegRole::SUPPLIED, vault, U256::from(100))
///     .redeeming(U256::from(105))
///     .rate_ray(ray / U256::from(20))
///     .receipt(receipt);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Leg {
    /// Role in the position.
    #[n(0)]
    pub role: LegRole,
    /// Token of the leg.
    #[cbor(n(1), with = "primitive")]
    pub token: Address,
    /// Amount in smallest units of the token; these are shares if [`Leg::redeems_to`] is set.
    #[cbor(n(2), with = "primitive")]
    pub amount: U256,
    /// Tokens that the amount redeems to; absent if it is the token itself.
    #[n(3)]
    pub redeems_to: Option<Vec<Part>>,
    /// Simple annual rate that it earns or costs, as a fraction times 10^27 (a ray); absent if unknown.
    #[cbor(n(4), with = "primitive", has_nil)]
    pub rate_ray: Option<U256>,
    /// True if it secures the position's debts; absent if unknown or if there can be no debt.
    #[n(5)]
    pub is_collateral: Option<bool>,
    /// Total amount of all accounts that share the rewards, in the same units; absent if unknown.
    #[cbor(n(6), with = "primitive", has_nil)]
    pub total: Option<U256>,
    /// Token that counts it, such as a receipt or debt token; absent if the position's contract does.
    #[cbor(n(7), with = "primitive", has_nil)]
    pub receipt: Option<Address>,
    /// Own name, like [`Position::name`]; absent if the position's suffices.
    #[n(8)]
    pub name: Option<String>,
}

/// Role of a leg in its position. Unknown numbers belong to later revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct LegRole(pub u8);

impl LegRole {
    /// Lent or given as collateral.
    pub const SUPPLIED: Self = Self(1);
    /// Owed by the account, including interest.
    pub const BORROWED: Self = Self(2);
    /// Staked.
    pub const STAKED: Self = Self(3);
    /// In a pool's reserves.
    pub const POOLED: Self = Self(4);
    /// Locked.
    pub const LOCKED: Self = Self(5);
    /// Vesting.
    pub const VESTING: Self = Self(6);
    /// Reward owed to the account. A claimable pays it, and only that one counts in sums.
    pub const REWARD_OWED: Self = Self(7);
    /// Fees owed to the account. A claimable pays them, and only that one counts in sums.
    pub const FEE_OWED: Self = Self(8);
}

/// One of the tokens that shares redeem to.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Leg, LegRole, Part};
/// # let (pool, usdc, weth) = (Address::ZERO, Address::ZERO, Address::ZERO);
/// // Shares of a pool are worth two tokens.
/// let parts = [(usdc, 2_000), (weth, 1)].map(|(token, amount)| Part { token, amount: U256::from(amount) });
/// let leg = Leg { redeems_to: Some(parts.to_vec()), ..Leg::new(LegRole::POOLED, pool, U256::from(7)) };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Part {
    /// Token.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Amount in smallest units.
    #[cbor(n(1), with = "primitive")]
    pub amount: U256,
}

/// Rewards of a position in one token.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::Reward;
/// # let token = Address::ZERO;
/// // A pool with 3 of 10 points gets 3 tenths of 7 units a second, without rounding.
/// let reward = Reward::share(token, U256::from(7), U256::from(3), U256::from(10));
/// assert_eq!((reward.per_second, reward.divisor), (Some(U256::from(21)), Some(U256::from(10))));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Reward {
    /// Token that is paid.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Rate to all who share [`Leg::total`], in smallest units per second at this block; absent if unknown.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub per_second: Option<U256>,
    /// Rate to this position alone, in smallest units per second, if shares are weighted; absent if unknown.
    #[cbor(n(2), with = "primitive", has_nil)]
    pub own_per_second: Option<U256>,
    /// Divisor of both rates, which keeps fractions of smallest units exact; 1 if absent.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub divisor: Option<U256>,
}

/// A token of an NFT collection.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Nft, Position, PositionKind};
/// # let manager = Address::ZERO;
/// let position = Position::new(PositionKind::POOLED, "main", manager).numbered(U256::from(42));
/// let position = Position { nft: Some(Nft { collection: manager, token_id: U256::from(42) }), ..position };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Nft {
    /// Contract of the collection.
    #[cbor(n(0), with = "primitive")]
    pub collection: Address,
    /// Token id in the collection.
    #[cbor(n(1), with = "primitive")]
    pub token_id: U256,
}

/// When a locked amount can be withdrawn.
///
/// ```
/// # use portolan_abi::map::Lock;
/// let until_a_time = Lock { unlocks_at: Some(1_800_000_000), ..Lock::default() };
/// let until_its_owner_ends_it = Lock { is_permanent: Some(true), ..Lock::default() };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Lock {
    /// Unix seconds; absent if unknown or if the lock has no end.
    #[n(0)]
    pub unlocks_at: Option<u64>,
    /// True if the lock lasts until its owner ends it.
    #[n(1)]
    pub is_permanent: Option<bool>,
}

/// Vesting schedule.
///
/// What is free already is a claimable, so that the leg has the rest alone:
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Leg, LegRole, Position, PositionKind, Vesting};
/// # let (contract, token) = (Address::ZERO, Address::ZERO);
/// # let (granted, withdrawn, free) = (U256::from(9), U256::from(2), U256::from(3));
/// let vesting = Vesting { start: Some(1_700_000_000), end: Some(1_800_000_000), releasable: Some(free), ..Vesting::default() };
/// let rest = granted - withdrawn - free;
/// let position = Position::new(PositionKind::VESTING, "main", contract).leg(Leg::new(LegRole::VESTING, token, rest));
/// let position = Position { vesting: Some(vesting), ..position };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Vesting {
    /// Start, Unix seconds.
    #[n(0)]
    pub start: Option<u64>,
    /// Cliff, Unix seconds: nothing is free before.
    #[n(1)]
    pub cliff: Option<u64>,
    /// End, Unix seconds: all is free from then on.
    #[n(2)]
    pub end: Option<u64>,
    /// Amount free now and not yet withdrawn, in smallest units of the first leg's token.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub releasable: Option<U256>,
}

/// Price range of concentrated liquidity.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Price, PriceRange};
/// # let (weth, usdc) = (Address::ZERO, Address::ZERO);
/// // From half to twice as many smallest units; `ticks` of the SDK makes ranges of Uniswap's ticks.
/// let price = |x128| Price { base: weth, quote: Some(usdc), x128, rest_x192: None };
/// let one = U256::from(1) << 128;
/// let range = PriceRange { lower: price(one / U256::from(2)), upper: price(one * U256::from(2)), is_in_range: Some(true) };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct PriceRange {
    /// Lower bound; below it, only one of the two assets is left.
    #[n(0)]
    pub lower: Price,
    /// Upper bound; above it, only the other is left.
    #[n(1)]
    pub upper: Price,
    /// True if the pool's price is in the range; absent if unknown.
    #[n(2)]
    pub is_in_range: Option<bool>,
}

/// A price of one asset in another.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::Price;
/// # let weth = Address::ZERO;
/// // One WETH (18 decimals) for 1,840.25 dollars, which have 18 decimals here: 1,840.25 smallest units for one.
/// let price = Price { base: weth, quote: None, x128: (U256::from(184_025) << 128) / U256::from(100), rest_x192: None };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Price {
    /// Priced asset.
    #[cbor(n(0), with = "primitive")]
    pub base: Address,
    /// Asset of the price; absent for dollars as the protocol counts them, with 18 decimals.
    #[cbor(n(1), with = "primitive", has_nil)]
    pub quote: Option<Address>,
    /// Smallest units of the quote per smallest unit of the base, times 2^128.
    #[cbor(n(2), with = "primitive")]
    pub x128: U256,
    /// Rest of the price beyond `x128`, times 2^192: the digits of a price near zero. 0 if absent.
    #[n(3)]
    pub rest_x192: Option<u64>,
}

/// Distance of a debt from its liquidation.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::Health;
/// // A health factor of 1.5.
/// let health = Health { factor_wad: Some(U256::from(1_500_000_000_000_000_000_u64)), liquidation_price: None };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Health {
    /// Health factor times 10^18; below 10^18 the debt can be liquidated. Absent if unknown.
    #[cbor(n(0), with = "primitive", has_nil)]
    pub factor_wad: Option<U256>,
    /// Price at which it can be liquidated; absent if no single price decides that.
    #[n(1)]
    pub liquidation_price: Option<Price>,
}

impl Position {
    /// Creates a position without a name, a mechanism and legs.
    pub fn new(kind: PositionKind, market: &str, contract: Address) -> Self {
        Self { kind, market: market.to_owned(), contract, ..Self::default() }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the mechanism.
    #[must_use]
    pub fn mechanism(self, mechanism: &str) -> Self {
        Self { mechanism: mechanism.to_owned(), ..self }
    }

    /// Adds a leg.
    #[must_use]
    pub fn leg(mut self, leg: Leg) -> Self {
        self.legs.push(leg);
        self
    }

    /// Adds legs.
    #[must_use]
    pub fn legs(mut self, legs: impl IntoIterator<Item = Leg>) -> Self {
        self.legs.extend(legs);
        self
    }

    /// Adds a reward.
    #[must_use]
    pub fn reward(mut self, reward: Reward) -> Self {
        self.rewards.push(reward);
        self
    }

    /// Sets the number of the contract's pool or position.
    #[must_use]
    pub fn numbered(self, number: U256) -> Self {
        Self { number: Some(number), ..self }
    }
}

impl Leg {
    /// Creates a leg of an amount of a token.
    pub fn new(role: LegRole, token: Address, amount: U256) -> Self {
        Self { role, token, amount, ..Self::default() }
    }

    /// Marks the amount as shares that redeem to `underlying` of the same asset.
    #[must_use]
    pub fn redeeming(self, underlying: U256) -> Self {
        Self { redeems_to: Some(vec![Part { token: self.token, amount: underlying }]), ..self }
    }

    /// Sets the total amount of all accounts.
    #[must_use]
    pub fn of_total(self, total: U256) -> Self {
        Self { total: Some(total), ..self }
    }

    /// Sets the annual rate, as a fraction times 10^27.
    #[must_use]
    pub fn rate_ray(self, rate_ray: U256) -> Self {
        Self { rate_ray: Some(rate_ray), ..self }
    }

    /// Sets the token that counts it.
    #[must_use]
    pub fn receipt(self, receipt: Address) -> Self {
        Self { receipt: Some(receipt), ..self }
    }

    /// Sets its own name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

impl Reward {
    /// Creates a reward with a rate, or `None` if the rate is unknown.
    pub fn new(token: Address, per_second: impl Into<Option<U256>>) -> Self {
        Self { token, per_second: per_second.into(), ..Self::default() }
    }

    /// Creates the reward of a pool with `points` of `all_points`, of the rate paid to all pools. The rate is unknown
    /// if `points` exceed `all_points` or `all_points` is zero.
    pub fn share(token: Address, per_second: impl Into<Option<U256>>, points: U256, all_points: U256) -> Self {
        let per_second = per_second.into().filter(|_| points <= all_points && !all_points.is_zero());
        match per_second.and_then(|rate| rate.checked_mul(points)) {
            Some(rate) if (rate % all_points).is_zero() => Self::new(token, rate / all_points),
            Some(rate) => Self { divisor: Some(all_points), ..Self::new(token, rate) },
            None => Self::new(token, None),
        }
    }
}
