//! What shares and receipts are worth, from what they are made of: exact integers and decimals, never binary floats.
//!
//! Invariant: nothing that is zero or cannot be told comes out as a price.

use std::num::NonZeroU64;

use alloy::primitives::U256;
use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, RoundingMode, Zero};

/// Digits that a derived price keeps: twice what answers show, so that four derivations lose nothing that is shown.
const DIGITS: NonZeroU64 = NonZeroU64::MIN.saturating_add(39);

/// Digits behind the point that a root gets beyond those of its radicand: enough for [`DIGITS`] of the smallest values.
const ROOT_DIGITS: i64 = 80;

/// A token that something is made of.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Of one whole token.
    pub(super) usd: BigDecimal,
    pub(super) decimals: u8,
}

/// `raw` divided by 10^`decimals`, exact.
pub(super) fn units(raw: U256, decimals: i64) -> BigDecimal {
    BigDecimal::new(BigInt::from_bytes_be(Sign::Plus, &raw.to_be_bytes::<32>()), decimals)
}

/// One whole share, as convertible amount of `part` in its smallest units.
pub(super) fn share(amount: U256, part: &Part) -> Option<BigDecimal> {
    price(units(amount, i64::from(part.decimals)) * &part.usd)
}

/// One whole receipt of `decimals`, of which each smallest unit is `rate_wad` / 10^18 smallest units of `part`.
pub(super) fn receipt(rate_wad: U256, decimals: u8, part: &Part) -> Option<BigDecimal> {
    let scale = 18 + i64::from(part.decimals) - i64::from(decimals);
    price(units(rate_wad, scale) * &part.usd)
}

/// One whole share of a constant-product pair, at the reserves that it would have if it traded at the parts' prices:
/// 2·√(r₀·p₀ · r₁·p₁) / supply. A swap moves the reserves along their product, so it cannot move this.
/// <https://cmichel.io/pricing-lp-tokens/>
pub(super) fn pair_share(reserves: [U256; 2], supply: U256, decimals: u8, parts: [&Part; 2]) -> Option<BigDecimal> {
    if supply.is_zero() {
        return None;
    }
    let side = |place: usize| units(reserves[place], i64::from(parts[place].decimals)) * &parts[place].usd;
    let total = root(&(side(0) * side(1)))? * BigDecimal::from(2);
    price(total / units(supply, i64::from(decimals)))
}

/// One whole share of `decimals`, where `supply` smallest units redeem to all these amounts of the parts.
pub(super) fn composed(amounts: &[U256], supply: U256, decimals: u8, parts: &[Part]) -> Option<BigDecimal> {
    if supply.is_zero() || amounts.len() != parts.len() {
        return None;
    }
    let worth = amounts.iter().zip(parts).map(|(amount, part)| units(*amount, i64::from(part.decimals)) * &part.usd);
    price(worth.sum::<BigDecimal>() / units(supply, i64::from(decimals)))
}

/// The square root, rounded down after at least [`ROOT_DIGITS`] digits behind the point; `None` below zero.
fn root(value: &BigDecimal) -> Option<BigDecimal> {
    let (digits, scale) = value.as_bigint_and_scale();
    let odd = scale.rem_euclid(2);
    let shift = 2 * ROOT_DIGITS + odd;
    let radicand = digits.as_ref() * BigInt::from(10).pow(u32::try_from(shift).ok()?);
    (radicand.sign() != Sign::Minus).then(|| BigDecimal::new(radicand.sqrt(), (scale + shift) / 2))
}

/// Bounded, so that prices of prices stay cheap.
fn price(usd: BigDecimal) -> Option<BigDecimal> {
    (usd > BigDecimal::zero()).then(|| usd.with_precision_round(DIGITS, RoundingMode::HalfEven).normalized())
}

#[cfg(test)]
mod tests;
