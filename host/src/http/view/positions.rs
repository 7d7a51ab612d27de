//! Whole positions with their legs.
//!
//! Invariant: unknown values are null, never zero.

use std::borrow::Cow;

use alloy::primitives::{Address, U256};
use portolan_abi::map::PositionKind;
use portolan_abi::map::{self, LegRole};
use portolan_assets::amount::decimal;
use portolan_base::sanitize::text::Text;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, amount, fraction, lower, raw_text};
use super::provenance::ProvenanceView;
use super::schema::{AddressText, Caip10, Digits, TokenAddress, Word, WordSet, borrowed};
use super::totals::{Totals, is_owed};
use crate::gateway::answer::{PositionItem, Row};
use crate::gateway::query::POSITION_KINDS;
use crate::http::view::rate;

pub(super) const ROLES: [(LegRole, &str); 8] = [
    (LegRole::SUPPLIED, "supplied"),
    (LegRole::BORROWED, "borrowed"),
    (LegRole::STAKED, "staked"),
    (LegRole::POOLED, "pooled"),
    (LegRole::LOCKED, "locked"),
    (LegRole::VESTING, "vesting"),
    (LegRole::REWARD_OWED, "rewardOwed"),
    (LegRole::FEE_OWED, "feeOwed"),
];

/// A position of an account in a protocol.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Position")]
pub(super) struct PositionView<'a> {
    /// Id of the row, the same in every answer.
    id: &'a str,
    /// For people.
    name: &'a Text,
    /// The network of the position.
    network: NetworkView<'a>,
    /// The protocol of the position.
    protocol: ProtocolView<'a>,
    /// Assets less debts in dollars; null if a price is not known.
    dollar_value: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// Its amounts.
    legs: Vec<LegView<'a>>,
    #[serde(flatten)]
    facts: PositionFacts<'a>,
    /// The account (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AddressText")]
    account: Option<String>,
    /// CAIP-10 id of the account on the network (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Caip10")]
    caip10: Option<String>,
    /// Name and version of the plugin that found it (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'a str")]
    plugin: Option<&'a str>,
    /// The sources of its amounts (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ProvenanceView<'a>")]
    provenance: Option<ProvenanceView<'a>>,
}

/// Members of a position besides its legs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PositionFacts<'a> {
    /// Set in rows of farming and lending, whose `id` is that of a leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'a str")]
    position_id: Option<&'a str>,
    /// What kind of position it is.
    #[schemars(with = "Word<PositionKind>")]
    kind: &'static str,
    /// Mechanism, such as `aave-v3`.
    #[serde(rename = "type")]
    mechanism: &'a str,
    /// Market of the protocol.
    market: &'a str,
    /// The contract that holds it.
    #[schemars(with = "AddressText")]
    contract_address: String,
    /// Number of the position in its contract, a string, since it may exceed clients' number types.
    #[schemars(with = "Option<Digits>")]
    number: Option<String>,
    /// The NFT that stands for it.
    nft: Option<NftView>,
    /// What it earns.
    rewards: Vec<RewardView<'a>>,
    /// End of the lock in Unix seconds.
    unlocks_at: Option<u64>,
    /// True if the lock has no end.
    is_permanent: Option<bool>,
    /// Schedule of vesting.
    vesting: Option<VestingView>,
    /// Price range of liquidity.
    range: Option<RangeView<'a>>,
    /// Health of a loan.
    health: Option<HealthView<'a>>,
    /// The leg of this row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LegView<'a>")]
    leg: Option<LegView<'a>>,
    /// Amounts owed to the account, in rows that do not show all legs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<LegView<'a>>")]
    owed: Option<Vec<LegView<'a>>>,
}

/// One amount of one token within a position.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Leg")]
struct LegView<'a> {
    /// What the amount is to the position.
    #[schemars(with = "Word<LegRole>")]
    role: &'static str,
    /// For people.
    name: &'a Text,
    /// Null if the token could not be read: a debt is never dropped from what looks like a whole loan.
    token: Option<TokenView<'a>>,
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// In whole units; null if the token could not be read.
    amount: Option<Number>,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// Null if a price is not known.
    dollar_value: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// Fraction per year.
    rate: Option<Number>,
    /// True if it secures a debt; null if that is not known.
    is_collateral: Option<bool>,
    /// What it redeems to; null for what is its own asset.
    redeems_to: Option<Vec<PartView<'a>>>,
    /// The token that stands for it.
    #[schemars(with = "Option<AddressText>")]
    receipt: Option<String>,
}

/// An amount that a leg redeems to.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LegPart")]
struct PartView<'a> {
    /// Null if the token could not be read.
    token: Option<TokenView<'a>>,
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// In whole units; null if the token could not be read.
    amount: Option<Number>,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
}

/// An NFT.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Nft")]
struct NftView {
    /// The contract.
    #[schemars(with = "AddressText")]
    collection: String,
    /// Its number, a string, since it may exceed clients' number types.
    #[schemars(with = "Digits")]
    token_id: String,
}

/// A token that a position earns.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Reward")]
struct RewardView<'a> {
    /// Null if the token could not be read.
    token: Option<TokenView<'a>>,
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// Fraction per year.
    apr: Option<Number>,
    /// Whole units a second to all participants together.
    per_second: Option<Number>,
    /// Whole units a second to this position alone.
    own_per_second: Option<Number>,
}

/// Schedule of vesting.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Vesting")]
struct VestingView {
    /// Unix seconds.
    start: Option<u64>,
    /// Unix seconds.
    cliff: Option<u64>,
    /// Unix seconds.
    end: Option<u64>,
    /// What can be taken now, in whole units.
    releasable: Option<Number>,
}

/// Range of prices in which liquidity is used, in quote for one base.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PriceRange")]
struct RangeView<'a> {
    /// Symbol.
    base: Option<&'a Text>,
    /// Symbol.
    quote: Option<&'a Text>,
    /// Lowest price.
    lower: Option<Number>,
    /// Highest price.
    upper: Option<Number>,
    /// True if the current price is in the range.
    is_in_range: Option<bool>,
}

/// How near a loan is to its liquidation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Health")]
struct HealthView<'a> {
    /// Health factor: below 1 it can be liquidated; null if there is no debt.
    factor: Option<Number>,
    /// The price at which it can be liquidated.
    liquidation_price: Option<PriceView<'a>>,
}

/// A price in quote for one base.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LiquidationPrice")]
struct PriceView<'a> {
    /// Symbol.
    base: Option<&'a Text>,
    /// Symbol of the quote, or `USD`.
    quote: Option<&'a str>,
    /// The price.
    price: Option<Number>,
}

impl<'a> PositionView<'a> {
    pub(super) fn of(row: &'a Row, position: &'a PositionItem, shape: Shape) -> Self {
        let (legs, net) = (position.found.legs.iter().enumerate(), Totals::of(position).net());
        Self {
            id: &row.id,
            name: &position.name,
            network: NetworkView::of(&row.network, shape),
            protocol: ProtocolView::of(&row.protocol),
            dollar_value: net.as_ref().map(fraction),
            in_currency: shape.in_currency(net.as_ref()),
            legs: legs.filter_map(|(place, leg)| LegView::of(position, place, leg, shape)).collect(),
            facts: PositionFacts::of(position, None, shape),
            account: shape.full.then(|| lower(row.account)),
            caip10: shape.full.then(|| row.network.caip10(row.account)),
            plugin: shape.full.then_some(&row.plugin),
            provenance: row.provenance.as_deref().filter(|_| shape.full).map(ProvenanceView::of),
        }
    }
}

impl<'a> PositionFacts<'a> {
    /// Returns the facts for a row about `leg`, or for all legs if `None`.
    pub(super) fn of(position: &'a PositionItem, leg: Option<&map::Leg>, shape: Shape) -> Self {
        let (found, tokens) = (&position.found, &position.tokens);
        let of_legs = |wanted: &dyn Fn(&map::Leg) -> bool| -> Vec<LegView<'a>> {
            let legs = found.legs.iter().enumerate().filter(|(_, leg)| wanted(leg));
            legs.filter_map(|(place, leg)| LegView::of(position, place, leg, shape)).collect()
        };
        // Rewards are relative to the leg of the row, or to the first one that is held.
        let base = leg.or_else(|| found.legs.iter().find(|leg| is_held(leg.role)));
        let releasable = |raw: U256| Some(amount(raw, tokens.get(&found.legs.first()?.token)?));
        Self {
            position_id: leg.map(|_| position.id.as_str()),
            kind: POSITION_KINDS.iter().find(|(_, kind)| *kind == found.kind).map_or("", |(name, _)| name),
            mechanism: &found.mechanism,
            market: &found.market,
            contract_address: lower(found.contract),
            number: found.number.map(|number| number.to_string()),
            nft: found.nft.map(|nft| NftView { collection: lower(nft.collection), token_id: nft.token_id.to_string() }),
            rewards: found.rewards.iter().map(|reward| RewardView::of(position, base, reward, shape)).collect(),
            unlocks_at: found.lock.and_then(|lock| lock.unlocks_at),
            is_permanent: found.lock.and_then(|lock| lock.is_permanent),
            vesting: found.vesting.map(|vesting| VestingView {
                start: vesting.start,
                cliff: vesting.cliff,
                end: vesting.end,
                releasable: vesting.releasable.and_then(releasable),
            }),
            range: found.range.as_ref().map(|range| RangeView::of(position, range)),
            health: found.health.as_ref().map(|health| HealthView::of(position, health)),
            leg: leg.and_then(|leg| of_legs(&|other| other == leg).pop()),
            owed: leg.map(|_| of_legs(&|other| is_owed(other.role))),
        }
    }
}

fn is_held(role: LegRole) -> bool {
    role != LegRole::BORROWED && !is_owed(role)
}

fn symbol(position: &PositionItem, token: Address) -> Option<&Text> {
    position.tokens.get(&token).map(|token| &token.symbol)
}

impl<'a> LegView<'a> {
    fn of(position: &'a PositionItem, place: usize, leg: &'a map::Leg, shape: Shape) -> Option<Self> {
        let token = position.tokens.get(&leg.token);
        let part = |part: &map::Part| {
            let token = position.tokens.get(&part.token);
            PartView {
                token: token.map(|token| TokenView::of(token, shape)),
                token_address: lower(part.token),
                amount: token.map(|token| amount(part.amount, token)),
                amount_raw: raw_text(part.amount, shape),
            }
        };
        let usd = rate::leg_usd(position, leg);
        Some(Self {
            role: ROLES.iter().find(|(role, _)| *role == leg.role).map_or("", |(_, name)| name),
            name: position.leg_names.get(place)?,
            token: token.map(|token| TokenView::of(token, shape)),
            token_address: lower(leg.token),
            amount: token.map(|token| amount(leg.amount, token)),
            amount_raw: raw_text(leg.amount, shape),
            dollar_value: usd.as_ref().map(fraction),
            in_currency: shape.in_currency(usd.as_ref()),
            rate: leg.rate_ray.map(|ray| fraction(&rate::ray(ray))),
            is_collateral: leg.is_collateral,
            redeems_to: leg.redeems_to.as_ref().map(|parts| parts.iter().map(part).collect()),
            receipt: leg.receipt.map(lower),
        })
    }
}

impl<'a> RewardView<'a> {
    fn of(position: &'a PositionItem, base: Option<&map::Leg>, reward: &map::Reward, shape: Shape) -> Self {
        let token = position.tokens.get(&reward.token);
        // A quotient may have infinitely many digits.
        let rated = |raw: Option<U256>| match reward.divisor {
            None => Some(amount(raw?, token?)),
            Some(_) => Some(fraction(&(decimal(raw?, i64::from(token?.decimals)) / rate::divisor(reward)))),
        };
        Self {
            token: token.map(|token| TokenView::of(token, shape)),
            token_address: lower(reward.token),
            apr: base.and_then(|leg| rate::reward_apr(position, leg, reward)).as_ref().map(fraction),
            per_second: rated(reward.per_second),
            own_per_second: rated(reward.own_per_second),
        }
    }
}

impl<'a> RangeView<'a> {
    fn of(position: &'a PositionItem, range: &map::PriceRange) -> Self {
        let price = |price| rate::price(price, &position.tokens).as_ref().map(fraction);
        Self {
            base: symbol(position, range.lower.base),
            quote: range.lower.quote.and_then(|quote| symbol(position, quote)),
            lower: price(&range.lower),
            upper: price(&range.upper),
            is_in_range: range.is_in_range,
        }
    }
}

impl<'a> HealthView<'a> {
    fn of(position: &'a PositionItem, health: &map::Health) -> Self {
        let price = |price: &map::Price| PriceView {
            base: symbol(position, price.base),
            quote: match price.quote {
                Some(quote) => symbol(position, quote).map(Text::as_str),
                None => Some("USD"),
            },
            price: rate::price(price, &position.tokens).as_ref().map(fraction),
        };
        Self {
            factor: health.factor_wad.map(|wad| fraction(&rate::wad(wad))),
            liquidation_price: health.liquidation_price.as_ref().map(price),
        }
    }
}

impl WordSet for LegRole {
    const NAME: &str = "LegRole";
    const ABOUT: &str = "What an amount is to its position.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed(ROLES.map(|(_, name)| name))
    }
}

impl WordSet for PositionKind {
    const NAME: &str = "PositionKind";
    const ABOUT: &str = "Kind of a position.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed(POSITION_KINDS.map(|(name, _)| name))
    }
}
