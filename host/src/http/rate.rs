//! Rates of findings as exact decimals: a year's rewards, rays and wads.

use std::sync::Arc;

use alloy::primitives::U256;
use bigdecimal::{BigDecimal, Zero};
use portolan_abi::map;

use crate::assets::amount::decimal;
use crate::assets::token::{Price, Token};

/// Rewards are paid by the second, rates are given by the year of 365 days.
const SECONDS_A_YEAR: u32 = 31_536_000;
const RAY_DECIMALS: i64 = 27;
const WAD_DECIMALS: i64 = 18;

/// Value of the rewards of a year over the value of the stake; `None` where a rate, a price or the stake is unknown.
pub(super) fn apr(finding: &map::FarmingPosition, staked: &Token, rewards: &[Arc<Token>]) -> Option<BigDecimal> {
    let mut paid_usd = BigDecimal::zero();
    for (reward, token) in finding.rewards.iter().zip(rewards) {
        let per_second = reward.per_second?;
        // What pays nothing needs no price.
        if !per_second.is_zero() {
            paid_usd += value_usd(per_second, token.decimals, token.price.as_ref()?);
        }
    }
    if paid_usd.is_zero() {
        return Some(paid_usd);
    }
    let staked_usd = value_usd(finding.total_stake?, staked.decimals, staked.price.as_ref()?);
    (!staked_usd.is_zero()).then(|| paid_usd * BigDecimal::from(SECONDS_A_YEAR) / staked_usd)
}

/// Dollars, exact.
fn value_usd(raw: U256, decimals: u8, price: &Price) -> BigDecimal {
    decimal(raw, i64::from(decimals)) * &price.usd
}

pub(super) fn ray(raw: U256) -> BigDecimal {
    decimal(raw, RAY_DECIMALS)
}

pub(super) fn wad(raw: U256) -> BigDecimal {
    decimal(raw, WAD_DECIMALS)
}
