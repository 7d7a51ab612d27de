//! Rates of findings as exact decimals: a year's rewards, rays and wads.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, Zero};
use portolan_abi::map;
use portolan_assets::amount::decimal;
use portolan_assets::token::Token;

use crate::gateway::answer::PositionItem;

/// Rewards are per second, rates per year of 365 days.
const SECONDS_A_YEAR: u32 = 31_536_000;
const RAY_DECIMALS: i64 = 27;
const WAD_DECIMALS: i64 = 18;

/// Returns a year's rewards over the value of a leg; `None` if a rate, a price or the stake is unknown.
pub(in crate::http) fn apr(position: &PositionItem, leg: &map::Leg) -> Option<BigDecimal> {
    let aprs = position.found.rewards.iter().map(|reward| reward_apr(position, leg, reward));
    aprs.sum::<Option<BigDecimal>>()
}

/// Returns a year of one reward over the value of a leg. A reward that pays nothing needs no price.
pub(in crate::http) fn reward_apr(position: &PositionItem, leg: &map::Leg, reward: &map::Reward) -> Option<BigDecimal> {
    // The position's own reward is relative to its own stake, any other to the total stake.
    let (per_second, stake) = match reward.own_per_second {
        Some(own) => (own, Some(leg.amount)),
        None => (reward.per_second?, leg.total),
    };
    if per_second.is_zero() {
        return Some(BigDecimal::zero());
    }
    let (paid, staked) = (position.tokens.get(&reward.token)?, position.tokens.get(&leg.token)?);
    let staked_usd = staked.dollars(stake?)?;
    let paid_usd = paid.dollars(per_second)? / divisor(reward);
    (!staked_usd.is_zero()).then(|| paid_usd * BigDecimal::from(SECONDS_A_YEAR) / staked_usd)
}

/// Returns the divisor of a reward's rates.
pub(in crate::http) fn divisor(reward: &map::Reward) -> BigDecimal {
    decimal(reward.divisor.unwrap_or(U256::ONE), 0)
}

/// Returns a leg's value in dollars, by what it redeems to if that is known; `None` if a price is unknown.
pub(in crate::http) fn leg_usd(position: &PositionItem, leg: &map::Leg) -> Option<BigDecimal> {
    let value = |token, amount| position.tokens.get(token)?.dollars(amount);
    match &leg.redeems_to {
        Some(parts) => parts.iter().map(|part| value(&part.token, part.amount)).sum(),
        None => value(&leg.token, leg.amount),
    }
}

/// Returns a price in whole units of the quote per whole unit of the base; `None` if either token is unknown.
pub(in crate::http) fn price(price: &map::Price, tokens: &BTreeMap<Address, Arc<Token>>) -> Option<BigDecimal> {
    let decimals = |token| Some(i64::from(tokens.get(token)?.decimals));
    let (base, quote) = (decimals(&price.base)?, price.quote.as_ref().map_or(Some(WAD_DECIMALS), decimals)?);
    let whole = decimal(price.x128, quote - base) / BigDecimal::from(BigInt::from(1_u8) << 128);
    let rest = decimal(U256::from(price.rest_x192.unwrap_or_default()), quote - base);
    Some(whole + rest / BigDecimal::from(BigInt::from(1_u8) << 192))
}

pub(in crate::http) fn ray(raw: U256) -> BigDecimal {
    decimal(raw, RAY_DECIMALS)
}

pub(in crate::http) fn wad(raw: U256) -> BigDecimal {
    decimal(raw, WAD_DECIMALS)
}
