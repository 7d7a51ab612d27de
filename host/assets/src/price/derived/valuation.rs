//! Values of shares and receipts from their parts, in exact integers and decimals, never binary floats.
//!
//! Invariant: a zero or unknown value never becomes a price.

use std::num::NonZeroU64;

use alloy::primitives::U256;
use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, RoundingMode, Zero};

use crate::amount::decimal;

/// Digits of a derived price: twice as many as answers show, so that four derivations lose none of these.
const DIGITS: NonZeroU64 = NonZeroU64::MIN.saturating_add(39);

/// Additional digits after the point of a root: enough for [`DIGITS`] of the smallest values.
const ROOT_DIGITS: i64 = 80;

/// A token that another is made of, with its price.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Dollars for one whole token.
    pub(super) usd: BigDecimal,
    pub(super) decimals: u8,
}

/// The price of one whole share that converts to `amount` smallest units of `part`.
pub(super) fn share(amount: U256, part: &Part) -> Option<BigDecimal> {
    price(decimal(amount, i64::from(part.decimals)) * &part.usd)
}

/// The price of one whole receipt with `decimals`; a smallest unit of it is `rate_wad` / 10^18 smallest units of
/// `part`.
pub(super) fn receipt(rate_wad: U256, decimals: u8, part: &Part) -> Option<BigDecimal> {
    let scale = 18 + i64::from(part.decimals) - i64::from(decimals);
    price(decimal(rate_wad, scale) * &part.usd)
}

/// The price of one whole share of a constant-product pair, at the reserves that it would have if it traded at the
/// parts' prices: 2·√(r₀·p₀ · r₁·p₁) / supply. A swap keeps the product of the reserves, so it cannot move this
/// price.
/// <https://cmichel.io/pricing-lp-tokens/>
pub(super) fn pair_share(reserves: [U256; 2], supply: U256, decimals: u8, parts: [&Part; 2]) -> Option<BigDecimal> {
    if supply.is_zero() {
        return None;
    }
    let side = |place: usize| decimal(reserves[place], i64::from(parts[place].decimals)) * &parts[place].usd;
    let total = root(&(side(0) * side(1)))? * BigDecimal::from(2);
    price(total / decimal(supply, i64::from(decimals)))
}

/// The price of one whole share with `decimals`, if `supply` smallest units redeem to these amounts of the parts.
pub(super) fn composed(amounts: &[U256], supply: U256, decimals: u8, parts: &[Part]) -> Option<BigDecimal> {
    if supply.is_zero() || amounts.len() != parts.len() {
        return None;
    }
    let values = amounts.iter().zip(parts).map(|(amount, part)| decimal(*amount, i64::from(part.decimals)) * &part.usd);
    price(values.sum::<BigDecimal>() / decimal(supply, i64::from(decimals)))
}

/// The square root, rounded down after at least [`ROOT_DIGITS`] digits after the point; `None` below zero.
fn root(value: &BigDecimal) -> Option<BigDecimal> {
    let (digits, scale) = value.as_bigint_and_scale();
    let odd = scale.rem_euclid(2);
    let shift = 2 * ROOT_DIGITS + odd;
    let radicand = digits.as_ref() * BigInt::from(10).pow(u32::try_from(shift).ok()?);
    (radicand.sign() != Sign::Minus).then(|| BigDecimal::new(radicand.sqrt(), (scale + shift) / 2))
}

/// Rounds to a bounded number of digits, so that prices of prices stay cheap; `None` unless positive.
fn price(usd: BigDecimal) -> Option<BigDecimal> {
    (usd > BigDecimal::zero()).then(|| usd.with_precision_round(DIGITS, RoundingMode::HalfEven).normalized())
}

#[cfg(test)]
mod tests;
