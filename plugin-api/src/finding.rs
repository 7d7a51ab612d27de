//! What a plugin finds: raw integers and addresses. The host adds token metadata, prices, symbols and JSON.

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;
use portolan_abi::map;

use crate::event;
use crate::events::Event;

/// The text that stands for a token's symbol in the name of a finding.
///
/// ```
/// use portolan_plugin_api::{address, symbol};
/// let quick = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
/// assert_eq!(symbol(quick), "{0xb5c064f955d8e7f38fe0460c556a72987494ee17}");
/// ```
pub fn symbol(token: Address) -> String {
    format!("{{{token:#x}}}")
}

/// Something that the account can claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimable {
    /// The deployment's market, see [`crate::Deployment::market`].
    pub market: String,
    /// The contract that owes it.
    pub contract: Address,
    /// A text in which [`symbol`]s stand for tokens.
    pub name: String,
    /// The mechanism: the answer's `type`.
    pub mechanism: String,
    /// The token that is claimed.
    pub token: Address,
    /// Smallest units of the token. The host leaves zeros out.
    pub amount: U256,
    /// The call that claims it.
    pub claim: Claim,
    /// Which of the contract's pools or positions owes it, where it has several: it tells apart findings of one
    /// contract and token, and stands in the answer's `id`.
    pub number: Option<U256>,
}

/// A call that claims. The host checks it against the declared [`crate::ClaimTemplate`] and encodes it anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The target: a contract of the catalogue, or one that this job read from such a contract.
    pub to: Address,
    /// Wei to send; the host refuses anything but zero.
    pub value: U256,
    signature: &'static str,
    arguments: Vec<u8>,
}

impl Claim {
    /// A call of a function that the catalogue declares a template for.
    pub fn new<C: SolCall>(to: Address, call: &C) -> Self {
        let mut arguments = Vec::new();
        call.abi_encode_raw(&mut arguments);
        Self { to, value: U256::ZERO, signature: C::SIGNATURE, arguments }
    }

    /// A template that is not declared gets a number that no catalogue has, for the host to refuse.
    fn into_abi(self, templates: &[map::ClaimTemplate]) -> map::Claim {
        let place = templates.iter().position(|template| template.signature == self.signature);
        map::Claim {
            template: place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX),
            to: map::Address(self.to.into_array()),
            arguments: self.arguments,
            value: (!self.value.is_zero()).then(|| word(self.value)),
        }
    }
}

/// Something that the account has staked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarmingPosition {
    /// The deployment's market, see [`crate::Deployment::market`].
    pub market: String,
    /// The contract that holds it.
    pub contract: Address,
    /// A text in which [`symbol`]s stand for tokens.
    pub name: String,
    /// The mechanism: the answer's `vaultType`.
    pub mechanism: String,
    /// The token that is staked.
    pub staked_token: Address,
    /// Smallest units: what is staked, or the shares of it. The host leaves zeros out.
    pub amount: U256,
    /// Smallest units of the staked token: what that redeems to.
    pub underlying_amount: U256,
    /// What it earns.
    pub rewards: Vec<Reward>,
    /// Smallest units of the staked token that share the rewards, for the APR; `None` where it cannot be told.
    pub total_stake: Option<U256>,
    /// Which of the contract's pools or positions it is in, see [`Claimable::number`].
    pub number: Option<U256>,
}

/// What a market pays to all its stakers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reward {
    /// The token that is paid.
    pub token: Address,
    /// Smallest units a second at this block; `None` where it cannot be told.
    pub per_second: Option<U256>,
}

/// Something that the account has lent or borrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LendingPosition {
    /// The deployment's market, see [`crate::Deployment::market`].
    pub market: String,
    /// The contract that holds it.
    pub contract: Address,
    /// A text in which [`symbol`]s stand for tokens.
    pub name: String,
    /// The token that is lent or borrowed.
    pub token: Address,
    /// Smallest units of the token. The host leaves zeros out.
    pub amount: U256,
    /// A fraction a year, not compounded, times 10^27 (a ray).
    pub rate_ray: U256,
    /// Lent or borrowed.
    pub side: Side,
    /// Times 10^18; below 10^18 the account can be liquidated. `None` without debt.
    pub health_factor_wad: Option<U256>,
}

/// The sides of a [`LendingPosition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Lent.
    Supply,
    /// Borrowed: shown with `detail=full` only.
    Borrow,
}

/// What shares of the protocol redeem to.
///
/// A price of the shares comes from it: tell what can really be had for them at this block, and nothing that a swap in
/// the same block can move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// The token of the shares: one of those that the question is about.
    pub token: Address,
    /// Its family in upper case, for example `SHARE` or `BALANCER`: the answer's token `type`.
    pub kind: String,
    /// Smallest units of the token that the parts stand for. Not zero: shares that nobody holds redeem to nothing.
    pub supply: U256,
    /// What so many shares redeem to, all together; at most sixteen tokens, each once.
    pub parts: Vec<Part>,
}

/// One token that shares redeem to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The token.
    pub token: Address,
    /// Smallest units of it.
    pub amount: U256,
}

/// Anything that a plugin can find.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// See [`Claimable`].
    Claimable(Claimable),
    /// See [`FarmingPosition`].
    Farming(FarmingPosition),
    /// See [`LendingPosition`].
    Lending(LendingPosition),
    /// See [`Composition`].
    Composition(Composition),
    /// See [`Event`].
    Event(Event),
}

impl From<Claimable> for Finding {
    fn from(found: Claimable) -> Self {
        Self::Claimable(found)
    }
}

impl From<FarmingPosition> for Finding {
    fn from(found: FarmingPosition) -> Self {
        Self::Farming(found)
    }
}

impl From<LendingPosition> for Finding {
    fn from(found: LendingPosition) -> Self {
        Self::Lending(found)
    }
}

impl From<Composition> for Finding {
    fn from(found: Composition) -> Self {
        Self::Composition(found)
    }
}

impl From<Event> for Finding {
    fn from(found: Event) -> Self {
        Self::Event(found)
    }
}

impl Finding {
    pub(crate) fn into_abi(self, templates: &[map::ClaimTemplate]) -> map::Finding {
        match self {
            Self::Claimable(found) => {
                map::Finding { claimable: Some(found.into_abi(templates)), ..map::Finding::default() }
            }
            Self::Farming(found) => map::Finding { farming: Some(found.into_abi()), ..map::Finding::default() },
            Self::Lending(found) => map::Finding { lending: Some(found.into_abi()), ..map::Finding::default() },
            Self::Composition(found) => map::Finding { composition: Some(found.into_abi()), ..map::Finding::default() },
            Self::Event(found) => map::Finding { event: Some(event::into_abi(found)), ..map::Finding::default() },
        }
    }
}

impl Claimable {
    fn into_abi(self, templates: &[map::ClaimTemplate]) -> map::Claimable {
        map::Claimable {
            market: self.market,
            contract: map::Address(self.contract.into_array()),
            name: self.name,
            mechanism: self.mechanism,
            token: map::Address(self.token.into_array()),
            amount: word(self.amount),
            claim: self.claim.into_abi(templates),
            number: self.number.map(word),
        }
    }
}

impl FarmingPosition {
    fn into_abi(self) -> map::FarmingPosition {
        let reward = |reward: &Reward| map::Reward {
            token: map::Address(reward.token.into_array()),
            per_second: reward.per_second.map(word),
        };
        map::FarmingPosition {
            market: self.market,
            contract: map::Address(self.contract.into_array()),
            name: self.name,
            mechanism: self.mechanism,
            staked_token: map::Address(self.staked_token.into_array()),
            amount: word(self.amount),
            underlying_amount: word(self.underlying_amount),
            rewards: self.rewards.iter().map(reward).collect(),
            total_stake: self.total_stake.map(word),
            number: self.number.map(word),
        }
    }
}

impl LendingPosition {
    fn into_abi(self) -> map::LendingPosition {
        map::LendingPosition {
            market: self.market,
            contract: map::Address(self.contract.into_array()),
            name: self.name,
            token: map::Address(self.token.into_array()),
            amount: word(self.amount),
            rate_ray: word(self.rate_ray),
            side: match self.side {
                Side::Supply => map::side::SUPPLY,
                Side::Borrow => map::side::BORROW,
            },
            health_factor_wad: self.health_factor_wad.map(word),
        }
    }
}

impl Composition {
    fn into_abi(self) -> map::Composition {
        let part = |part: &Part| map::Part { token: map::Address(part.token.into_array()), amount: word(part.amount) };
        map::Composition {
            token: map::Address(self.token.into_array()),
            kind: self.kind,
            supply: word(self.supply),
            parts: self.parts.iter().map(part).collect(),
        }
    }
}

fn word(amount: U256) -> map::Word {
    map::Word(amount.to_be_bytes())
}
